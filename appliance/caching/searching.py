"""Search that remembers: the ranked passages of a question, with every score and the reason of their places.

Arrives: a question and a scope, as for :class:`~appliance.retrieval.search.Searcher`. Leaves: the same
retrieval that a search would give now. Kept are ids and scores, no text: passages are read again with the
asker's permissions, and where one cannot be read, the search is made anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

import msgspec

from appliance.caching.keys import Keys
from appliance.domain import (
    Filters,
    FilterStep,
    Hit,
    PassageId,
    Reading,
    Retrieval,
    Rewrite,
    Scope,
    Strategy,
    Struct,
    Trace,
    Weights,
)
from appliance.ports import PassageReader
from appliance.retrieval.parts import SearchParts
from appliance.retrieval.rerank import no_reranker
from appliance.retrieval.search import Searcher
from appliance.store.cache_counts import Kind, Outcome
from appliance.store.tiers import Key, Tiers


class KeptHit(Struct, frozen=True, kw_only=True):
    """A hit without its passage's text."""

    passage_id: PassageId
    fused_score: float
    dense_score: float | None
    dense_rank: int | None
    lexical_score: float | None
    lexical_rank: int | None
    rerank_score: float | None
    trace: Trace


class KeptSearch(Struct, frozen=True, kw_only=True):
    """A retrieval without text and times; the question's reading is in the key."""

    hits: tuple[KeptHit, ...]
    strategy: Strategy
    degraded: tuple[str, ...]
    rewrites: tuple[Rewrite, ...]
    weights: Weights | None
    filters: tuple[FilterStep, ...]
    notices: tuple[str, ...]


class SearchCache:
    """Keeps retrievals."""

    def __init__(self, tiers: Tiers, keys: Keys, reader: PassageReader) -> None:
        self._tiers, self._keys, self._reader = tiers, keys, reader

    def key(self, scope: Scope, *parts: object) -> Key | None:
        """See :meth:`Keys.of`."""
        return self._keys.of(Kind.SEARCH, scope, *parts)

    def get(self, key: Key, scope: Scope, reading: Reading) -> Retrieval | None:
        """The retrieval as it was, its passages read anew; None where it has to be made."""
        begun = perf_counter()
        content = self._tiers.get(key)
        if content is None:
            return None
        try:
            kept = msgspec.json.decode(content, type=KeptSearch)
        except msgspec.MsgspecError:
            self._tiers.refuse(key)
            return None
        wanted = [hit.passage_id for hit in kept.hits]
        passages = {one.id: one for one in self._reader.passages(wanted, scope) if one.current}
        if any(number not in passages for number in wanted):
            self._tiers.refuse(key)
            return None
        hits = tuple(
            Hit(
                passage=passages[hit.passage_id],
                **{name: getattr(hit, name) for name in KeptHit.__struct_fields__ if name != "passage_id"},
            )
            for hit in kept.hits
        )
        spent = round((perf_counter() - begun) * 1000, 3)
        return Retrieval(
            hits=hits,
            strategy=kept.strategy,
            degraded=kept.degraded,
            timings_ms={"cache": spent, "total": spent},
            rewrites=kept.rewrites,
            weights=kept.weights,
            filters=kept.filters,
            notices=kept.notices,
            reading=reading,
        )

    def put(self, key: Key, found: Retrieval, language: str) -> None:
        """Keep it, unless a part was missing that may be there the next time.

        That no cross-encoder knows a language is no such thing: it is so by the configuration.
        """
        if any(missing != no_reranker(language) for missing in found.degraded):
            self._tiers.counts.add(Kind.SEARCH, Outcome.UNFIT)
            return
        kept = KeptSearch(
            hits=tuple(_without_text(hit) for hit in found.hits),
            strategy=found.strategy,
            degraded=found.degraded,
            rewrites=found.rewrites,
            weights=found.weights,
            filters=found.filters,
            notices=found.notices,
        )
        self._tiers.put(key, msgspec.json.encode(kept))


class CachedSearcher(Searcher):
    """A searcher that looks into the cache first."""

    def __init__(self, parts: SearchParts, cache: SearchCache) -> None:
        """``parts`` with the configured settings: others are not in the key."""
        super().__init__(parts)
        self._cache = cache

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
        """As ``Searcher.search``; ``timings_ms`` has ``cache`` where it was kept."""
        reading = reading or self._parts.read(question)
        # A reading says all that a search takes from the question, its day and its domain among it.
        key = self._cache.key(scope, reading, k, strategy, filters, self._models(reading.language))
        if key is not None and (kept := self._cache.get(key, scope, reading)) is not None:
            return kept
        found = super().search(question, scope, k=k, strategy=strategy, filters=filters, reading=reading)
        if key is not None:
            self._cache.put(key, found, reading.language)
        return found

    def _models(self, language: str) -> Sequence[str]:
        reranker = self._parts.reranker_of(language)
        return self._parts.embedder.digest, reranker.digest if reranker else ""


def _without_text(hit: Hit) -> KeptHit:
    fields = {name: getattr(hit, name) for name in KeptHit.__struct_fields__ if name != "passage_id"}
    return KeptHit(passage_id=hit.passage.id, **fields)
