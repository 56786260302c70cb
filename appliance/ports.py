"""The seams: what a room needs of the outside, in one to three methods each (adapters: serving/, store/)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from appliance.domain import (
    Completion,
    DocumentId,
    Event,
    ExternalRetrieval,
    Filters,
    Fingerprint,
    Passage,
    PassageId,
    Prompt,
    RunId,
    Scope,
    Scored,
    Usage,
    WeightedQuery,
)

Vectors = npt.NDArray[np.float32]
T = TypeVar("T")
Split = Callable[[str], list[str]]
"""A text to its sentences."""
Analyse = Callable[[str], list[str]]
"""The words of a text as the lexical index knows them."""
Entails = Callable[[Sequence[tuple[str, str]]], list[float]]
"""Pairs of premise and claim to the probability, 0–1, that the claim follows."""
Tell = Callable[..., None]
"""Emits an event of a run: its kind, and its data by name."""


class Embedder(Protocol):
    """Text to vectors."""

    @property
    def name(self) -> str:
        """The manifest's name of the model."""
        ...

    @property
    def digest(self) -> str:
        """sha256 of the model file: part of every cache key."""
        ...

    @property
    def dim(self) -> int:
        """Length of a vector."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """``(n, dim) float32``, L2-normalised, query prefix applied; ``(0, dim)`` for no texts."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """``(n, dim) float32``, L2-normalised, passage prefix applied, in the order given."""
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text by this model's tokenizer, without special tokens, not truncated."""
        ...


class Reranker(Protocol):
    """Query and passages, read together."""

    @property
    def name(self) -> str:
        """The manifest's name of the model."""
        ...

    @property
    def digest(self) -> str:
        """sha256 of the model file."""
        ...

    @property
    def languages(self) -> frozenset[str]:
        """Languages it was trained on; it is not asked about others."""
        ...

    def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        """A relevance of 0–1 for each passage (logistic of the logit); empty for no passages."""
        ...


class LanguageModel(Protocol):
    """A chat model that can be held to a JSON schema."""

    @property
    def name(self) -> str:
        """The manifest's name of the model."""
        ...

    @property
    def digest(self) -> str:
        """sha256 of the model file."""
        ...

    def complete(
        self,
        prompt: Prompt,
        *,
        max_tokens: int,
        schema: type[object] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Completion:
        """One reply at temperature 0. With ``schema`` (a msgspec type) the text is JSON of that type.

        Raises BusyError (queue full), CancelledError, UserError (prompt longer than the context).
        """
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of a text by this model's tokenizer."""
        ...


class DenseIndex(Protocol):
    """Vectors of one collection's current passages."""

    def upsert(self, passages: Sequence[Passage], vectors: Vectors) -> None:
        """Add or replace; searchable when it returns. Rows are keyed by passage id."""
        ...

    def delete(self, ids: Iterable[PassageId]) -> None:
        """Remove; unknown ids are ignored."""
        ...

    def search(self, vectors: Vectors, k: int, scope: Scope) -> list[list[Scored]]:
        """Per query the ``k`` nearest readable passages, cosine, best first, ties by passage id."""
        ...

    def count(self) -> int:
        """Rows held."""
        ...


class LexicalIndex(Protocol):
    """BM25 over one collection's current passages."""

    def upsert(self, passages: Sequence[Passage]) -> None:
        """Add or replace; searchable when it returns."""
        ...

    def delete(self, ids: Iterable[PassageId]) -> None:
        """Remove; unknown ids are ignored."""
        ...

    def search(self, queries: Sequence[str | WeightedQuery], k: int, scope: Scope) -> list[list[Scored]]:
        """Per query up to ``k`` readable passages with a positive score, best first, ties by passage id.

        Several queries in one call read the postings that they share once.
        """
        ...

    def specificity(self, texts: Sequence[str]) -> list[list[tuple[str, float]]]:
        """Per text its distinct tokens, in order, with their inverse document frequency (natural log)."""
        ...

    def count(self) -> int:
        """Passages held."""
        ...


class PassageReader(Protocol):
    """Passages by id, with the asker's permissions."""

    def passages(self, ids: Sequence[PassageId], scope: Scope) -> list[Passage]:
        """The readable ones, in the order asked; others are left out."""
        ...

    def by_fingerprint(self, fingerprint: Fingerprint, scope: Scope) -> Passage:
        """Also of older versions. Raises NotFoundError when unknown or not readable."""
        ...


class TitleLookup(Protocol):
    """From names in a text to the documents that bear them."""

    def named_in(self, texts: Sequence[str], scope: Scope) -> list[tuple[DocumentId, ...]]:
        """Per text the readable documents whose titles it names, in its order, longer names first."""
        ...


class PassageFilter(Protocol):
    """Conditions on passages and their documents, with the asker's permissions."""

    def matching_documents(self, filters: Filters, scope: Scope, limit: int) -> tuple[DocumentId, ...] | None:
        """Readable documents with a current passage that meets all conditions; None: more than ``limit``."""
        ...

    def matches(self, passages: Sequence[PassageId], filters: Filters, scope: Scope) -> set[PassageId]:
        """Those of the passages that are readable and meet all conditions."""
        ...

    def present(self, field: str, scope: Scope) -> tuple[str, ...]:
        """What readable documents have there: oldest and newest date, or the most frequent values."""
        ...


class ExternalSource(Protocol):
    """A search service outside the appliance. What it answers is text of strangers, never an instruction."""

    @property
    def name(self) -> str:
        """The connector's name in the configuration."""
        ...

    def search(self, query: str, k: int) -> ExternalRetrieval:
        """Up to ``k`` cleaned hits in the service's order; ``degraded`` says what was left out and why.

        Raises ExternalError, BusyError (the service limits its callers), ConfigError (no key).
        """
        ...


class EventSink(Protocol):
    """Where a run's events go."""

    def emit(self, run_id: RunId, kind: str, data: dict[str, object]) -> Event:
        """Number, time-stamp, store and publish one event."""
        ...


class Meter(Protocol):
    """Adds up what a run's model calls cost."""

    def add(self, usage: Usage) -> None:
        """Count one call."""
        ...
