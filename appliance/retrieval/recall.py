"""The wide end of the funnel: every rewrite through both indexes, in one encoder call and one BM25 call.

Arrives: rewrites, a scope, a depth. Leaves: per route and rewrite the scored passages, best first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from appliance.domain import Rewrite, Scope, Scored, Strategy, Struct
from appliance.ports import DenseIndex, Embedder, LexicalIndex, Vectors
from appliance.retrieval.stopwatch import Stopwatch

ROUTES = ("dense", "lexical")


class Route(Struct, frozen=True, kw_only=True):
    """One list of a recall: which index was asked with which rewrite."""

    name: str
    rewrite: int


class Recall:
    """Asks the indexes of one collection."""

    def __init__(self, dense: DenseIndex, lexical: LexicalIndex, embedder: Embedder) -> None:
        """Bind both indexes and the encoder of the dense one."""
        self._dense, self._lexical, self._embedder = dense, lexical, embedder

    def encode(self, rewrites: Sequence[Rewrite], strategy: Strategy, watch: Stopwatch) -> Vectors:
        """``(n, dim) float32`` of the rewrites that the dense route takes, in their order."""
        texts = [rewrite.text for rewrite in rewrites if rewrite.dense]
        if strategy is Strategy.LEXICAL or not texts:
            return np.zeros((0, self._embedder.dim), np.float32)
        with watch.part("encoder"):
            return self._embedder.embed_queries(texts)

    def search(
        self,
        rewrites: Sequence[Rewrite],
        vectors: Vectors,
        strategy: Strategy,
        depth: int,
        scope: Scope,
        watch: Stopwatch,
    ) -> list[tuple[Scored, ...]]:
        """One list for each of :func:`routes_of`, in that order."""
        found: list[tuple[Scored, ...]] = []
        if len(vectors):
            with watch.part("dense"):
                found += [tuple(hits) for hits in self._dense.search(vectors, depth, scope)]
        texts = [rewrite.text for rewrite in rewrites if rewrite.lexical]
        if strategy is not Strategy.DENSE and texts:
            with watch.part("lexical"):
                found += [tuple(hits) for hits in self._lexical.search(texts, depth, scope)]
        return found


def routes_of(rewrites: Sequence[Rewrite], strategy: Strategy) -> tuple[Route, ...]:
    """Which lists a search of these rewrites gives."""
    dense = [Route(name="dense", rewrite=at) for at, rewrite in enumerate(rewrites) if rewrite.dense]
    lexical = [Route(name="lexical", rewrite=at) for at, rewrite in enumerate(rewrites) if rewrite.lexical]
    return (
        *(() if strategy is Strategy.LEXICAL else dense),
        *(() if strategy is Strategy.DENSE else lexical),
    )
