"""The funnel of one question: rewrites → wide recall → filter → coarse rank → cross-encoder → links.

Arrives: a question (or its reading) and a scope. Leaves: hits, best first, each with the score of every stage
and why it stands there, and the milliseconds of each part. A part that is not available is named in
``Retrieval.degraded``, never skipped silently.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from appliance.domain import (
    Comparison,
    Condition,
    Filters,
    FilterStep,
    Passage,
    PassageId,
    Reading,
    Retrieval,
    Rewrite,
    Scope,
    Scored,
    Strategy,
    Weights,
)
from appliance.ports import Vectors
from appliance.retrieval.closeness import closeness, title_match
from appliance.retrieval.coarse import Factors, factors_of, pack_of
from appliance.retrieval.explain import Story, hits_of
from appliance.retrieval.filtered import MOST_DOCUMENTS, Depths, recall_filtered
from appliance.retrieval.fuse import best_first, log_odds, reciprocal_rank_fusion
from appliance.retrieval.links import Links, interleaved
from appliance.retrieval.notices import no_hits
from appliance.retrieval.parts import SearchParts
from appliance.retrieval.phrases import phrase_closeness
from appliance.retrieval.rank import Aim, Ranked, aims_of, final_order, fused_order, in_turn, parts_of
from appliance.retrieval.recall import Recall, Route, routes_of
from appliance.retrieval.rerank import rerank
from appliance.retrieval.rewrite import rewrites_of, wanted_of
from appliance.retrieval.stopwatch import Stopwatch
from appliance.retrieval.structure import narrowed

Lists = dict[Route, tuple[Scored, ...]]


class Searcher:
    """Search over one collection."""

    def __init__(self, parts: SearchParts) -> None:
        """Bind the parts."""
        self._parts, self._settings = parts, parts.settings
        self._recall = Recall(parts.dense, parts.lexical, parts.embedder)
        self._links = Links(parts.titles, parts.dense)

    def search(
        self,
        question: str,
        scope: Scope,
        *,
        k: int,
        strategy: Strategy = Strategy.AUTO,
        filters: Filters = (),
        reading: Reading | None = None,
    ) -> Retrieval:
        """Return the ``k`` best readable passages that meet the filters.

        ``auto``: both routes with the weights of the strategy selector; ``hybrid``: with those of the
        configuration.
        """
        watch = Stopwatch()
        reading = reading or self._parts.read(question)
        with watch.part("expand"):
            synonyms, unasked = self._parts.synonyms(reading)
        rewrites = wanted_of(rewrites_of(reading, synonyms), self._settings)
        routes = routes_of(rewrites, strategy)
        vectors = self._recall.encode(rewrites, strategy, watch)
        depth = max(k, self._settings.dense_k, self._settings.lexical_k)
        recalled = recall_filtered(
            lambda deep, within: self._recall.search(rewrites, vectors, strategy, deep, within, watch),
            filters,
            scope,
            by=self._parts.passage_filter,
            depths=Depths(depth=depth, enough=max(k, self._settings.candidates)),
        )
        lists: Lists = dict(zip(routes, recalled.routes, strict=True))
        if not filters:
            self._look_in_sections(reading, rewrites, lists, vectors, strategy, scope, watch)
        weights = self._weights(reading, lists, strategy)
        aims = aims_of(rewrites)
        passages = self._fetch(aims, lists, k, scope, watch)
        steps: tuple[FilterStep, ...] = ()
        if self._settings.question_filter:
            left, steps = narrowed(reading, list(passages.values()))
            passages = {passage.id: passage for passage in left}
        factors = factors_of(
            reading, list(passages.values()), pack_of(reading, self._parts.packs), self._settings
        )
        degraded: dict[str, None] = dict.fromkeys((*self._parts.degraded, *unasked))
        ranked: list[Ranked] = []
        for aim in aims:
            one, missing = self._rank(
                aim, len(aims), reading, rewrites, lists, weights, passages, factors, watch
            )
            ranked.append(one)
            degraded |= dict.fromkeys(missing)
        order = in_turn([one.order for one in ranked])
        linked: tuple[Scored, ...] = ()
        if not filters and strategy in (Strategy.AUTO, Strategy.HYBRID):
            order, linked = self._linked(order, reading, passages, vectors, scope, watch)
        story = Story(lists=lists, linked=linked, ranked=tuple(ranked), factors=factors, passages=passages)
        hits = hits_of(order[:k], story)
        return Retrieval(
            hits=hits,
            strategy=strategy,
            degraded=tuple(degraded),
            timings_ms=watch.read(),
            rewrites=rewrites,
            weights=weights,
            filters=(*recalled.steps, *steps),
            reading=reading,
            notices=(*reading.notices, *(recalled.notices or (() if hits else (no_hits(strategy),)))),
        )

    def judge(self, question: str, lines: Sequence[str]) -> list[float]:
        """Return the cross-encoder's log-odds for each line; nothing where none knows the language."""
        reranker = self._parts.reranker_of(self._parts.read(question).language)
        return [log_odds(score) for score in reranker.rerank(question, lines)] if reranker else []

    def rarity(self, text: str) -> dict[str, float]:
        """Return the words of a text and its pairs of Han characters with their idf in this collection."""
        return dict(self._parts.lexical.specificity([text])[0])

    def _look_in_sections(
        self,
        reading: Reading,
        rewrites: Sequence[Rewrite],
        lists: Lists,
        vectors: Vectors,
        strategy: Strategy,
        scope: Scope,
        watch: Stopwatch,
    ) -> None:
        """Recall once more where such figures stand: a statement has few words of a question about it."""
        kinds = tuple(dict.fromkeys(kind.value for term in reading.terms for kind in term.section_types))
        if not kinds or not self._settings.section_k:
            return
        wanted = Condition(field="section_type", comparison=Comparison.IS, values=kinds)
        with watch.part("store"):
            documents = self._parts.passage_filter.matching_documents((wanted,), scope, MOST_DOCUMENTS)
        if not documents:
            return
        within = msgspec.structs.replace(scope, documents=documents)
        first = rewrites[:1]
        found = self._recall.search(first, vectors[:1], strategy, self._settings.section_k, within, watch)
        for route, more in zip(routes_of(first, strategy), found, strict=True):
            joined = {one.passage_id: one for one in (*more, *lists[route])}
            lists[route] = tuple(sorted(joined.values(), key=lambda one: (-one.score, one.passage_id)))

    def _weights(self, reading: Reading, lists: Lists, strategy: Strategy) -> Weights:
        dense, lexical = (
            (self._settings.dense_weight_zh, self._settings.lexical_weight_zh)
            if reading.language == "zh"
            else (self._settings.dense_weight, self._settings.lexical_weight)
        )
        configured = Weights(dense=dense, lexical=lexical, depth=self._settings.dense_k)
        if strategy is not Strategy.AUTO or self._parts.choose is None:
            return configured
        return self._parts.choose(reading, lists, configured)

    def _fetch(
        self, aims: Sequence[Aim], lists: Lists, k: int, scope: Scope, watch: Stopwatch
    ) -> dict[PassageId, Passage]:
        """The candidates: for every aim the best by reciprocal rank, because ranks of routes compare."""
        most = max(k, self._settings.candidates)
        wanted: dict[PassageId, None] = {}
        for aim in aims:
            own = [(1.0, found) for route, found in lists.items() if route.rewrite in aim.rewrites]
            ranks = reciprocal_rank_fusion(own, rrf_k=self._settings.rrf_k)
            wanted |= dict.fromkeys(best_first(ranks)[: most if aim is aims[0] else most // 2])
        with watch.part("store"):
            return {one.id: one for one in self._parts.reader.passages(list(wanted), scope)}

    def _rank(
        self,
        aim: Aim,
        aims: int,
        reading: Reading,
        rewrites: Sequence[Rewrite],
        lists: Lists,
        weights: Weights,
        passages: dict[PassageId, Passage],
        factors: dict[PassageId, Factors],
        watch: Stopwatch,
    ) -> tuple[Ranked, tuple[str, ...]]:
        parts = parts_of(aim, rewrites, lists, weights, self._settings)
        found = {passage for _, scores in parts for passage in scores}
        mine = [passage for number, passage in passages.items() if number in found]
        numbers = [passage.id for passage in mine]
        entitled, near = self._settings.title_weight, self._closeness_weight(reading)
        words = dict(self._parts.lexical.specificity([aim.text])[0]) if entitled or near else {}
        if entitled:
            parts.append((entitled, title_match(aim.text, words, mine, self._parts.terms)))
        fused = fused_order(parts, numbers, factors)
        if near:
            foremost = [passages[number] for number in best_first(fused)[: self._settings.closeness_k]]
            parts.append((near, closeness(words, foremost, self._parts.fold)))
            if reading.language == "zh" and (phrases := self._settings.phrase_weight_zh):
                parts.append((phrases, phrase_closeness(aim.text, foremost, self._parts.fold)))
            fused = fused_order(parts, numbers, factors)
        reranked, missing = rerank(
            aim.text,
            [rewrites[at] for at in aim.rewrites[1:]],
            [passages[number] for number in best_first(fused)],
            reranker=self._parts.reranker_of(reading.language),
            language=reading.language,
            settings=self._settings,
            most=self._settings.rerank_k // aims,
            watch=watch,
        )
        order = final_order(fused, parts, reranked, factors, passages, self._settings)
        return Ranked(order=order, fused=fused, reranked=reranked), missing

    def _closeness_weight(self, reading: Reading) -> float:
        if self._parts.reranker_of(reading.language) is not None:
            chinese = reading.language == "zh"
            settings = self._settings
            return settings.rerank_closeness_weight_zh if chinese else settings.rerank_closeness_weight
        return self._settings.closeness_weight

    def _linked(
        self,
        order: list[PassageId],
        reading: Reading,
        passages: dict[PassageId, Passage],
        vectors: Vectors,
        scope: Scope,
        watch: Stopwatch,
    ) -> tuple[list[PassageId], tuple[Scored, ...]]:
        """The order with passages of the documents that the first ones name; ``passages`` learns them."""
        first = [passages[number] for number in order[: self._settings.link_passages]]
        if not first or not len(vectors):
            return order, ()
        with watch.part("links"):
            linked = self._links.follow(reading.text, first, vectors, scope)
            fresh = [one.passage_id for one in linked if one.passage_id not in passages]
            passages |= {one.id: one for one in self._parts.reader.passages(fresh, scope)}
        known = [one.passage_id for one in linked if one.passage_id in passages]
        return interleaved(order, known, keep=self._settings.link_keep), linked
