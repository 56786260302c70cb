"""The funnel of one query: wide dense and lexical recall, fusion, cross-encoder where it knows the language.

Arrives: a query and a scope. Leaves: hits, best first, with every stage's score and the milliseconds
of each part. A part that is not available is named in ``Retrieval.degraded``, never skipped silently.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from time import perf_counter

from appliance.config import Retrieval as Settings
from appliance.domain import (
    Filters,
    Found,
    Hit,
    Passage,
    PassageId,
    Retrieval,
    Rewrite,
    RewriteKind,
    Scope,
    Scored,
    Strategy,
    Trace,
    Weights,
)
from appliance.ports import DenseIndex, Embedder, LexicalIndex, PassageFilter, PassageReader, Reranker
from appliance.retrieval.filtered import Depths, Recalled, Routes, recall_filtered
from appliance.retrieval.fuse import (
    Scores,
    best_first,
    convex_fusion,
    log_odds,
    reciprocal_rank_fusion,
    reorder,
)
from appliance.retrieval.notices import no_hits

Parts = tuple[tuple[float, Scores], tuple[float, Scores]]


class Stopwatch:
    """Milliseconds by part; what no part claims is our own code."""

    def __init__(self) -> None:
        """Start now."""
        self._started = perf_counter()
        self._parts: dict[str, float] = {}

    @contextmanager
    def part(self, name: str) -> Generator[None]:
        """Charge the block's time to ``name``."""
        begun = perf_counter()
        try:
            yield
        finally:
            self._parts[name] = self._parts.get(name, 0.0) + (perf_counter() - begun) * 1000

    def read(self) -> dict[str, float]:
        """Every part, ``own`` and ``total``, in milliseconds."""
        total = (perf_counter() - self._started) * 1000
        return {**self._parts, "own": total - sum(self._parts.values()), "total": total}


class Searcher:
    """Search over one collection."""

    def __init__(
        self,
        *,
        dense: DenseIndex,
        lexical: LexicalIndex,
        reader: PassageReader,
        embedder: Embedder,
        reranker: Reranker | None,
        settings: Settings,
        language_of: Callable[[str], str],
        passage_filter: PassageFilter,
    ) -> None:
        """Bind the two indexes of a collection to the models that read them."""
        self._dense, self._lexical, self._reader = dense, lexical, reader
        self._embedder, self._reranker = embedder, reranker
        self._settings, self._language_of = settings, language_of
        self._filter = passage_filter

    def search(
        self,
        query: str,
        scope: Scope,
        *,
        k: int,
        strategy: Strategy = Strategy.AUTO,
        filters: Filters = (),
    ) -> Retrieval:
        """Return the ``k`` best readable passages that meet the filters. ``auto`` is hybrid for now."""
        strategy = Strategy.HYBRID if strategy is Strategy.AUTO else strategy
        watch = Stopwatch()
        recall = self._recall(query, scope, strategy, k, watch, filters)
        dense = recall.routes[0][: max(k, self._settings.dense_k)]
        lexical = recall.routes[1][: max(k, self._settings.lexical_k)]
        recalled = reciprocal_rank_fusion([(1.0, dense), (1.0, lexical)], rrf_k=self._settings.rrf_k)
        order = best_first(recalled)[: max(k, self._settings.candidates)]
        with watch.part("store"):
            passages = {passage.id: passage for passage in self._reader.passages(order, scope)}
        dense_at, lexical_at = _positions(dense), _positions(lexical)
        parts = self._parts(query, dense, lexical)
        fused = convex_fusion(parts, passages)
        reranked, degraded = self._rerank(
            query, [passages[p] for p in best_first(recalled) if p in passages], watch
        )
        final = self._final(fused, reranked, parts, passages)
        hits = tuple(
            Hit(
                passage=passages[pid],
                fused_score=fused[pid],
                dense_score=dense_at[pid][1] if pid in dense_at else None,
                dense_rank=dense_at[pid][0] if pid in dense_at else None,
                lexical_score=lexical_at[pid][1] if pid in lexical_at else None,
                lexical_rank=lexical_at[pid][0] if pid in lexical_at else None,
                rerank_score=reranked.get(pid),
                trace=_trace(pid, dense_at, lexical_at),
            )
            for pid in final[:k]
        )
        return Retrieval(
            hits=hits,
            strategy=strategy,
            degraded=degraded,
            timings_ms=watch.read(),
            rewrites=(Rewrite(kind=RewriteKind.ORIGINAL, text=query),),
            weights=Weights(dense=parts[0][0], lexical=parts[1][0], depth=self._settings.dense_k),
            filters=recall.steps,
            notices=recall.notices if hits or recall.notices else (no_hits(strategy),),
        )

    def _final(
        self,
        fused: dict[PassageId, float],
        reranked: dict[PassageId, float],
        parts: Parts,
        passages: dict[PassageId, Passage],
    ) -> list[PassageId]:
        """The cross-encoder orders what it can read; a passage in another language keeps its place."""
        order = best_first(fused)
        if not reranked:
            return order
        opinion = {passage_id: log_odds(score) for passage_id, score in reranked.items()}
        weights = self._settings
        blended = convex_fusion(
            [
                (weights.rerank_weight, opinion),
                (weights.rerank_dense_weight, parts[0][1]),
                (weights.rerank_lexical_weight, parts[1][1]),
            ],
            reranked,
        )
        assert self._reranker is not None, "something was reranked"
        readable = [pid for pid in order if passages[pid].language in self._reranker.languages]
        return reorder(order, [*best_first(blended), *(pid for pid in readable if pid not in reranked)])

    def judge(self, question: str, lines: Sequence[str]) -> list[float]:
        """Return the cross-encoder's log-odds for each line; nothing where none knows the language."""
        if self._reranker is None or self._language_of(question) not in self._reranker.languages:
            return []
        return [log_odds(score) for score in self._reranker.rerank(question, lines)]

    def _recall(
        self, query: str, scope: Scope, strategy: Strategy, k: int, watch: Stopwatch, filters: Filters
    ) -> Recalled:
        """Two routes, dense and lexical; empty where the strategy leaves one out."""
        settings, vectors = self._settings, None
        if strategy is not Strategy.LEXICAL:
            with watch.part("encoder"):
                vectors = self._embedder.embed_queries([query])

        def search(depth: int, within: Scope) -> Routes:
            dense: list[Scored] = []
            lexical: list[Scored] = []
            if vectors is not None:
                with watch.part("dense"):
                    dense = self._dense.search(vectors, depth, within)[0]
            if strategy is not Strategy.DENSE:
                with watch.part("lexical"):
                    lexical = self._lexical.search([query], depth, within)[0]
            return dense, lexical

        depth = max(k, settings.dense_k, settings.lexical_k)
        enough = max(k, settings.candidates)
        return recall_filtered(
            search, filters, scope, by=self._filter, depths=Depths(depth=depth, enough=enough)
        )

    def _parts(self, query: str, dense: Sequence[Scored], lexical: Sequence[Scored]) -> Parts:
        settings = self._settings
        chinese = self._language_of(query) == "zh"
        dense_weight = settings.dense_weight_zh if chinese else settings.dense_weight
        lexical_weight = settings.lexical_weight_zh if chinese else settings.lexical_weight
        return (
            (dense_weight, {scored.passage_id: scored.score for scored in dense}),
            (lexical_weight, {scored.passage_id: scored.score for scored in lexical}),
        )

    def _rerank(
        self, query: str, passages: Sequence[Passage], watch: Stopwatch
    ) -> tuple[dict[PassageId, float], tuple[str, ...]]:
        if not passages or self._settings.rerank_k == 0 or self._reranker is None:
            return {}, ()  # switched off by the configuration: nothing is degraded
        language = self._language_of(query)
        if language not in self._reranker.languages:
            return {}, (f"no cross-encoder knows {language}: fusion order is final",)
        known = [p for p in passages if p.language in self._reranker.languages][: self._settings.rerank_k]
        with watch.part("reranker"):
            scores = self._reranker.rerank(query, [passage.indexed_text() for passage in known])
        return {passage.id: score for passage, score in zip(known, scores, strict=True)}, ()


def _trace(
    passage: PassageId,
    dense_at: dict[PassageId, tuple[int, float]],
    lexical_at: dict[PassageId, tuple[int, float]],
) -> Trace:
    routes = (("dense", dense_at), ("lexical", lexical_at))
    return Trace(
        found=tuple(
            Found(route=name, rewrite=0, rank=at[passage][0], score=at[passage][1])
            for name, at in routes
            if passage in at
        )
    )


def _positions(ranked: Sequence[Scored]) -> dict[PassageId, tuple[int, float]]:
    return {scored.passage_id: (rank, scored.score) for rank, scored in enumerate(ranked, start=1)}
