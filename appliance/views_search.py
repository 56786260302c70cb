"""What the doors show of a search: the stable rows of ``search --json``, and how they came about.

Arrives: a retrieval. Leaves: Structs that encode to the stable shapes; nothing is left out of an explanation.
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from appliance.domain import (
    DocumentId,
    ExternalHit,
    ExternalRetrieval,
    FilterStep,
    Fingerprint,
    Hit,
    Reading,
    Retrieval,
    Rewrite,
    Strategy,
    Trace,
    Weights,
)


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """Base of what is shown."""


class Scores(Shown, frozen=True, kw_only=True):
    """The score of every stage; null: the passage did not go through it."""

    dense: float | None
    lexical: float | None
    fused: float
    rerank: float | None


class SearchRow(Shown, frozen=True, kw_only=True):
    """One line of ``search --json``."""

    rank: int
    """From 1."""
    document_id: DocumentId
    record_id: str
    fingerprint: Fingerprint
    title: str
    section: str
    text: str
    scores: Scores
    trace: Trace | UnsetType = UNSET
    """Only where an explanation is asked for: the routes that found it, its factors, its stability."""


class SearchResult(Shown, frozen=True, kw_only=True):
    """The rows and how they came about: ``search --json --explain``, and ``POST /api/search``."""

    results: list[SearchRow]
    degraded: tuple[str, ...]
    timings_ms: dict[str, float]
    notices: tuple[str, ...]
    """What was done otherwise than asked, and why nothing was found where nothing was."""
    external: tuple[ExternalHit, ...] | UnsetType = UNSET
    """Of external sources, where they were asked: text of strangers, fetched at the time given."""
    strategy: Strategy | UnsetType = UNSET
    """This and what follows: only where an explanation is asked for."""
    reading: Reading | UnsetType | None = UNSET
    rewrites: tuple[Rewrite, ...] | UnsetType = UNSET
    weights: Weights | UnsetType | None = UNSET
    filters: tuple[FilterStep, ...] | UnsetType = UNSET


def search_rows(retrieval: Retrieval, *, traced: bool = False) -> list[SearchRow]:
    """The hits as ``search --json`` lists them, best first."""
    return [_row(rank, hit, traced) for rank, hit in enumerate(retrieval.hits, start=1)]


def search_result(
    retrieval: Retrieval, *, explain: bool, outside: ExternalRetrieval | None = None
) -> SearchResult:
    """The rows with what has to be told of them; with ``explain`` also their traces and what led to them."""
    found = SearchResult(
        results=search_rows(retrieval, traced=explain),
        degraded=(*retrieval.degraded, *(outside.degraded if outside else ())),
        timings_ms=retrieval.timings_ms,
        notices=retrieval.notices,
        external=outside.hits if outside else UNSET,
    )
    if not explain:
        return found
    return msgspec.structs.replace(
        found,
        strategy=retrieval.strategy,
        reading=retrieval.reading,
        rewrites=retrieval.rewrites,
        weights=retrieval.weights,
        filters=retrieval.filters,
    )


def _row(rank: int, hit: Hit, traced: bool) -> SearchRow:
    return SearchRow(
        rank=rank,
        document_id=hit.passage.document_id,
        record_id=hit.passage.record_id,
        fingerprint=hit.passage.fingerprint,
        title=hit.passage.title,
        section=hit.passage.section_path,
        text=hit.passage.text,
        scores=Scores(
            dense=hit.dense_score, lexical=hit.lexical_score, fused=hit.fused_score, rerank=hit.rerank_score
        ),
        trace=hit.trace if traced else UNSET,
    )
