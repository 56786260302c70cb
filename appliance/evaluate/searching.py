"""The search that an evaluation measures: one collection, chosen settings, each question read as it is dated.

Arrives: an open appliance and what is to be varied. Leaves: a function from a question to a retrieval.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import msgspec

from appliance.config import Retrieval as Settings
from appliance.domain import Filters, Retrieval, Strategy
from appliance.errors import CancelledError
from appliance.evaluate.queries import Query
from appliance.evaluate.retrieval import Search
from appliance.ports import Reranker
from appliance.wiring import Appliance


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """What stays the same for all questions of one evaluation."""

    collection: str
    filters: Filters = ()
    given_domain: bool = False
    """Whether search is told the question's domain. People who ask do not name one."""


def search_with(
    appliance: Appliance,
    measured: Measured,
    *,
    strategy: Strategy,
    settings: Settings | None = None,
    wrap: Callable[[Reranker], Reranker] = lambda one: one,
    cancelled: Callable[[], bool] = lambda: False,
) -> Search:
    """A function that searches; its timings have ``reading`` as a part of its own.

    The function raises CancelledError once ``cancelled()``, UserError for a question with no such day or
    domain.
    """
    searcher = appliance.searcher(measured.collection, settings=settings, wrap=wrap)
    scope = appliance.scope(collection=measured.collection)

    def search(query: Query, wanted: int) -> Retrieval:
        if cancelled():
            raise CancelledError("evaluation stopped")
        begun = perf_counter()
        domain = query.domain if measured.given_domain else ""
        reading = appliance.questions.read(query.question, as_of=query.as_of, domain=domain)
        reading_ms = (perf_counter() - begun) * 1000
        found = searcher.search(
            query.question, scope, k=wanted, strategy=strategy, filters=measured.filters, reading=reading
        )
        timings = {"reading": reading_ms, **found.timings_ms}
        timings["total"] = timings.get("total", 0.0) + reading_ms
        return msgspec.structs.replace(found, timings_ms=timings)

    return search
