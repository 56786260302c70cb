"""Why each hit stands where it does. Arrives: an order, what each stage said. Leaves: hits with traces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from appliance.domain import Found, Hit, Passage, PassageId, Scored, Struct, Trace
from appliance.retrieval.coarse import Factors
from appliance.retrieval.rank import Ranked
from appliance.retrieval.recall import Route


class Story(Struct, frozen=True, kw_only=True):
    """What happened to the candidates of one search."""

    lists: dict[Route, tuple[Scored, ...]]
    linked: tuple[Scored, ...]
    ranked: tuple[Ranked, ...]
    """For the question, then for each facet."""
    factors: dict[PassageId, Factors]
    passages: dict[PassageId, Passage]


def hits_of(order: Sequence[PassageId], story: Story) -> tuple[Hit, ...]:
    """The hits of an order."""
    found = _found(story)
    return tuple(_hit(story.passages[number], found.get(number, ()), story) for number in order)


def _found(story: Story) -> dict[PassageId, tuple[Found, ...]]:
    by_passage: dict[PassageId, tuple[Found, ...]] = {}
    routes = [(route.name, route.rewrite, scored) for route, scored in story.lists.items()]
    for name, rewrite, scored in (*routes, ("links", 0, story.linked)):
        for rank, one in enumerate(scored, start=1):
            entry = Found(route=name, rewrite=rewrite, rank=rank, score=one.score)
            by_passage[one.passage_id] = (*by_passage.get(one.passage_id, ()), entry)
    return by_passage


def _hit(passage: Passage, found: Sequence[Found], story: Story) -> Hit:
    first = {one.route: one for one in reversed(found)}
    dense, lexical, linked = first.get("dense"), first.get("lexical"), first.get("links")
    factors = story.factors.get(passage.id, Factors())
    best = max(story.ranked, key=lambda ranked: ranked.fused.get(passage.id, 0.0))
    reranked = _reranked(passage.id, story.ranked)
    return Hit(
        passage=passage,
        fused_score=best.fused.get(passage.id, 0.0),
        dense_score=dense.score if dense else linked.score if linked else None,
        dense_rank=dense.rank if dense else None,
        lexical_score=lexical.score if lexical else None,
        lexical_rank=lexical.rank if lexical else None,
        rerank_score=reranked.reranked.scores.get(passage.id) if reranked else None,
        trace=Trace(
            found=tuple(found),
            freshness=factors.freshness,
            authority=factors.authority,
            boosts=dict(factors.boosts),
            rerank_by_rewrite=reranked.reranked.by_rewrite.get(passage.id, ()) if reranked else (),
            stability=reranked.reranked.deviation(passage.id) if reranked else None,
        ),
    )


def _reranked(passage: PassageId, ranked: Sequence[Ranked]) -> Ranked | None:
    """The ranking whose cross-encoder thought best of the passage."""
    read: Mapping[int, Ranked] = {at: one for at, one in enumerate(ranked) if passage in one.reranked.scores}
    return max(read.values(), key=lambda one: one.reranked.scores[passage]) if read else None
