"""Passages into vectors: from the cache where a text is known, else from the embedder, a few at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import msgspec
import numpy as np

from appliance.domain import Passage
from appliance.ingest.progress import Cancelled, stop_if
from appliance.ports import Embedder, Vectors
from appliance.store.embedding_cache import EmbeddingCache

_AT_ONCE = 16
"""Texts between two looks at whether to stop: a second's work of a small encoder on a CPU."""


class IndexingTotals(msgspec.Struct, kw_only=True):
    """Running figures of one indexer."""

    indexed: int = 0
    cached: int = 0
    embedded_tokens: int = 0
    embed_seconds: float = 0.0
    index_seconds: float = 0.0


class PassageEmbedding:
    """One collection's embedder with its cache; counts into ``totals``."""

    def __init__(self, embedder: Embedder, cache: EmbeddingCache, batch_passages: int) -> None:
        """``batch_passages``: how many vectors are kept and told at once."""
        self._embedder = embedder
        self._cache = cache
        self._batch_passages = batch_passages
        self.totals = IndexingTotals()

    def vectors(
        self,
        passages: Sequence[Passage],
        cancelled: Cancelled,
        *,
        told: Callable[[int], None],
        between: Callable[[], None],
    ) -> tuple[Vectors, float]:
        """``(n, dim)`` vectors and the seconds that the embedder spent on them.

        ``told`` hears how many are done after each batch; ``between`` is called whenever the embedder rests.
        Raises CancelledError; what was embedded until then is in the cache.
        """
        texts = [passage.indexed_text() for passage in passages]
        known = self._cache.get_many("passage", texts)
        vectors: Vectors = np.empty((len(texts), self._embedder.dim), dtype=np.float32)
        for position, vector in known.items():
            vectors[position] = vector
        self.totals.cached += len(known)
        self.totals.indexed += len(known)
        missing = [position for position in range(len(texts)) if position not in known]
        missing.sort(key=lambda position: passages[position].token_count)
        spent_s = 0.0
        for start in range(0, len(missing), self._batch_passages):
            batch = missing[start : start + self._batch_passages]
            for positions, found, seconds in self._embedded(texts, batch, cancelled):
                vectors[positions] = found
                spent_s += seconds
                between()
            self.totals.indexed += len(batch)
            self.totals.embedded_tokens += sum(passages[position].token_count for position in batch)
            told(len(known) + start + len(batch))
        return vectors, spent_s

    def _embedded(
        self, texts: Sequence[str], batch: Sequence[int], cancelled: Cancelled
    ) -> Iterator[tuple[list[int], Vectors, float]]:
        """(positions, vectors, seconds) of a few texts each; all are kept when it ends or is stopped."""
        done: list[int] = []
        vectors: list[Vectors] = []
        try:
            for start in range(0, len(batch), _AT_ONCE):
                stop_if(cancelled)
                positions = list(batch[start : start + _AT_ONCE])
                started = time.perf_counter()
                found = self._embedder.embed_passages([texts[position] for position in positions])
                seconds = time.perf_counter() - started
                self.totals.embed_seconds += seconds
                done += positions
                vectors.append(found)
                yield positions, found, seconds
        finally:
            if done:
                kept = [texts[position] for position in done]
                self._cache.put_many("passage", kept, np.concatenate(vectors))
