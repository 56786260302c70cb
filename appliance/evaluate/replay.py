"""The cross-encoder read once and replayed: measurements of many settings do not pay for it many times.

Arrives: a cross-encoder. Leaves: one that remembers every pair, and what the remembered pairs took when they
were first read, so that a replayed search can be charged its true time.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

import msgspec

from appliance.domain import Retrieval, RewriteKind
from appliance.ports import Reranker

_ASKED = (RewriteKind.ORIGINAL, RewriteKind.FACET)
"""Rewrites that rank; the others are read for stability."""


class Replay:
    """What cross-encoders said so far, and the time that remembering it has saved. For one thread."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._saved: dict[str, float] = {}
        self._known: dict[tuple[str, str, str], tuple[float, float]] = {}

    def wrap(self, inner: Reranker) -> Reranker:
        """The same cross-encoder, asked for no pair twice."""
        inner.rerank("warm-up", ["The first pass loads the model and is not what a search takes."])
        return _Remembered(inner, self._known, self._saved)

    def charged(self, found: Retrieval) -> Retrieval:
        """The retrieval with the milliseconds of its replayed pairs put back; call it after each search."""
        kinds = {rewrite.text: rewrite.kind for rewrite in found.rewrites}
        timings = dict(found.timings_ms)
        for query, ms in self._saved.items():
            part = "reranker" if kinds.get(query, RewriteKind.ORIGINAL) in _ASKED else "stability"
            for name in (part, "total"):
                timings[name] = timings.get(name, 0.0) + ms
        self._saved.clear()
        return msgspec.structs.replace(found, timings_ms=timings)


class _Remembered:
    """A cross-encoder with a memory: per model, query and passage the score and its milliseconds."""

    def __init__(
        self,
        inner: Reranker,
        known: dict[tuple[str, str, str], tuple[float, float]],
        saved: dict[str, float],
    ) -> None:
        self._inner, self._known, self._saved = inner, known, saved

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def digest(self) -> str:
        return self._inner.digest

    @property
    def languages(self) -> frozenset[str]:
        return self._inner.languages

    def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        keys = [(self.digest, query, passage) for passage in passages]
        fresh = [key for key in dict.fromkeys(keys) if key not in self._known]
        replayed = sum(self._known[key][1] for key in keys if key in self._known)
        if replayed:
            self._saved[query] = self._saved.get(query, 0.0) + replayed
        if fresh:
            begun = perf_counter()
            scores = self._inner.rerank(query, [passage for _, _, passage in fresh])
            each = (perf_counter() - begun) * 1000 / len(fresh)
            self._known.update({key: (score, each) for key, score in zip(fresh, scores, strict=True)})
        return [self._known[key][0] for key in keys]
