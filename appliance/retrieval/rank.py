"""One query's candidates put in order: fused, weighed by what they are, read by the cross-encoder.

Arrives: what recall found for one query of the question, and the passages. Leaves: an order with the score
of every stage. A question with facets is ranked once for itself and once for each facet; :func:`in_turn`
joins the orders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from appliance.config import Retrieval as Settings
from appliance.domain import Passage, PassageId, Rewrite, RewriteKind, Scored, Struct, Weights
from appliance.retrieval.coarse import Factors
from appliance.retrieval.fuse import Scores, best_first, convex_fusion, log_odds, reorder
from appliance.retrieval.recall import Route
from appliance.retrieval.rerank import Reranked

Parts = list[tuple[float, Scores]]


class Ranked(Struct, frozen=True, kw_only=True):
    """One order and how it came about."""

    order: tuple[PassageId, ...]
    fused: dict[PassageId, float]
    reranked: Reranked = Reranked()


class Aim(Struct, frozen=True, kw_only=True):
    """What is ranked for: one text, and the lists of recall that speak for it."""

    text: str
    rewrites: tuple[int, ...]
    """Indexes into the retrieval's rewrites, the text's own first."""


def aims_of(rewrites: Sequence[Rewrite]) -> tuple[Aim, ...]:
    """The question with its rewrites, then each facet by itself."""
    own = tuple(at for at, one in enumerate(rewrites) if one.kind is not RewriteKind.FACET)
    facets = [at for at, one in enumerate(rewrites) if one.kind is RewriteKind.FACET]
    return (
        Aim(text=rewrites[0].text, rewrites=own),
        *(Aim(text=rewrites[at].text, rewrites=(at,)) for at in facets),
    )


def parts_of(
    aim: Aim,
    rewrites: Sequence[Rewrite],
    recalled: Mapping[Route, Sequence[Scored]],
    weights: Weights,
    settings: Settings,
) -> Parts:
    """Each list of the aim with its weight: a rewrite counts ``rewrite_weight`` of the question itself."""
    parts: Parts = []
    for route, found in recalled.items():
        if route.rewrite not in aim.rewrites:
            continue
        weight = weights.dense if route.name == "dense" else weights.lexical
        share = _share(rewrites[route.rewrite].kind, settings)
        parts.append((weight * share, {scored.passage_id: scored.score for scored in found}))
    return parts


def _share(kind: RewriteKind, settings: Settings) -> float:
    if kind in (RewriteKind.ORIGINAL, RewriteKind.FACET):
        return 1.0
    return settings.expanded_weight if kind is RewriteKind.EXPANDED else settings.rewrite_weight


def fused_order(
    parts: Parts, candidates: Sequence[PassageId], factors: Mapping[PassageId, Factors]
) -> dict[PassageId, float]:
    """Fused score times what the passage is, 0 to about 1."""
    fused = convex_fusion(parts, candidates)
    return {passage: score * factors[passage].product() for passage, score in fused.items()}


def final_order(
    fused: Mapping[PassageId, float],
    parts: Parts,
    reranked: Reranked,
    factors: Mapping[PassageId, Factors],
    passages: Mapping[PassageId, Passage],
    settings: Settings,
) -> tuple[PassageId, ...]:
    """The cross-encoder orders what it can read; a passage in another language keeps its place."""
    order = best_first(fused)
    if not reranked.scores:
        return tuple(order)
    opinion = {passage: log_odds(score) for passage, score in reranked.scores.items()}
    rest = sum(weight for weight, scores in parts if scores) or 1.0
    scaled = [(settings.fused_weight * weight / rest, scores) for weight, scores in parts]
    languages = {passages[passage].language for passage in reranked.scores}
    weight = settings.rerank_weight_zh if languages == {"zh"} else settings.rerank_weight
    blended = convex_fusion([(weight, opinion), *scaled], reranked.scores)
    weighed = {
        passage: score * factors[passage].product() * reranked.steadiness(passage)
        for passage, score in blended.items()
    }
    readable = [passage for passage in order if passages[passage].language in languages]
    unread = [passage for passage in readable if passage not in reranked.scores]
    return tuple(reorder(order, [*best_first(weighed), *unread]))


def in_turn(orders: Sequence[Sequence[PassageId]]) -> list[PassageId]:
    """The first order's best, then every facet's best in turn, each passage once."""
    if len(orders) == 1:
        return list(orders[0])
    merged = list(orders[0][:1])
    for at in range(max((len(order) for order in orders), default=0)):
        merged += [passage for order in (*orders[1:], orders[0]) for passage in order[at : at + 1]]
    return list(dict.fromkeys(merged))
