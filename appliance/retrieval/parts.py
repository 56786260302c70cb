"""What a search works with: one collection's indexes, the models, the packs. Built by wiring."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from appliance.config import Retrieval as Settings
from appliance.domain import DomainPack, Reading, Scored, Weights
from appliance.errors import AssayError
from appliance.ports import (
    DenseIndex,
    Embedder,
    LexicalIndex,
    PassageFilter,
    PassageReader,
    Reranker,
    TitleLookup,
)
from appliance.retrieval.closeness import Fold, Terms
from appliance.retrieval.recall import Route

Read = Callable[[str], Reading]
Expand = Callable[[Reading], Sequence[str]]
Choose = Callable[[Reading, Mapping[Route, Sequence[Scored]], Weights], Weights]


class SearchParts:
    """Held by a :class:`~appliance.retrieval.search.Searcher`."""

    def __init__(
        self,
        *,
        dense: DenseIndex,
        lexical: LexicalIndex,
        reader: PassageReader,
        passage_filter: PassageFilter,
        titles: TitleLookup,
        embedder: Embedder,
        rerankers: Sequence[Reranker],
        settings: Settings,
        read: Read,
        terms: Terms,
        fold: Fold,
        expand: Expand | None = None,
        choose: Choose | None = None,
        packs: Mapping[str, DomainPack] | None = None,
        degraded: Sequence[str] = (),
    ) -> None:
        """``degraded`` names what could not be loaded; it is told with every search."""
        self.dense, self.lexical, self.reader = dense, lexical, reader
        self.passage_filter, self.titles, self.embedder = passage_filter, titles, embedder
        self.settings, self.read, self.terms, self.fold = settings, read, terms, fold
        self.expand, self.choose, self.packs, self.degraded = expand, choose, packs or {}, tuple(degraded)
        self._rerankers = tuple(rerankers)

    def synonyms(self, reading: Reading) -> tuple[Sequence[str], tuple[str, ...]]:
        """What a model proposes beside the packs' words, and what is missing where it could not be asked."""
        if self.expand is None or not self.settings.rewrites:
            return (), ()
        try:
            return self.expand(reading), ()
        except AssayError as error:
            return (), (f"no synonyms by the model: {error.message}",)

    def reranker_of(self, language: str) -> Reranker | None:
        """The cross-encoder that knows the language, the first one named; None where none does."""
        return next((one for one in self._rerankers if language in one.languages), None)
