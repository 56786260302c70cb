"""The use-case of external search: all sources at once, and no search waits longer than its time.

Arrives: a question. Leaves: one list, merged round by round (each source's first, each one's second, …), an
address once, and a line for every source that failed, is busy or did not answer in time.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import zip_longest

import msgspec

from appliance.config_connectors import Connectors
from appliance.connectors.cleaning import address_key
from appliance.domain import ExternalHit, ExternalRetrieval
from appliance.errors import AssayError, UserError
from appliance.ports import ExternalSource

MAX_K = 50
GRACE_S = 1.0
"""What a source may take beyond its own deadline (a look-up of its name heeds none) before it is left."""
logger = logging.getLogger("assay.connectors")


class _Answered(msgspec.Struct, frozen=True, kw_only=True):
    """What one source came back with."""

    source: str
    found: ExternalRetrieval
    milliseconds: float


class ExternalSearch:
    """Asks the sources. Threads that hang in a source are counted: it is asked no more until they end."""

    def __init__(self, sources: Sequence[ExternalSource], settings: Connectors) -> None:
        """Take the sources in the order in which they are merged."""
        self._sources, self._settings = tuple(sources), settings
        self._free = {
            source.name: threading.BoundedSemaphore(settings.max_concurrent) for source in self._sources
        }

    max_k = MAX_K

    @property
    def names(self) -> tuple[str, ...]:
        """The sources, in order."""
        return tuple(source.name for source in self._sources)

    def search(self, query: str, k: int = 10) -> ExternalRetrieval:
        """Up to ``k`` hits of all sources; it returns within ``connectors.timeout_s`` and a second.

        Raises UserError: nothing to ask, or ``k`` out of range. A failing source is a line in ``degraded``.
        """
        if not 1 <= k <= MAX_K:
            raise UserError(f"k is {k}", hint=f"choose 1 to {MAX_K} for external results")
        text, notes = self._question(query)
        answers: queue.SimpleQueue[_Answered] = queue.SimpleQueue()
        for source in self._sources:
            self._start(source, text, k, answers)
        came = self._collected(answers)
        for source in self._sources:
            if source.name in came:
                notes += [f"{source.name}: {note}" for note in came[source.name].found.degraded]
            else:
                notes.append(f"{source.name}: no answer within {self._settings.timeout_s:g} s")
        lists = [came[source.name].found.hits for source in self._sources if source.name in came]
        hits = merged(lists, k)
        if not hits and not notes:
            notes.append(f"external: nothing found by {', '.join(self.names)}")
        return ExternalRetrieval(
            hits=tuple(hits),
            degraded=tuple(notes),
            timings_ms={name: answer.milliseconds for name, answer in came.items()},
        )

    def _question(self, query: str) -> tuple[str, list[str]]:
        """The question in one line, cut where it is too long; raises UserError when nothing is left."""
        kept = "".join(" " if unicodedata.category(char) in ("Cc", "Cs") else char for char in query)
        text, most = " ".join(kept.split()), self._settings.max_query_chars
        if not text:
            raise UserError("the query is empty", hint="write what to look for")
        if len(text) <= most:
            return text, []
        return text[:most].rstrip(), [f"external sources were asked the first {most} characters only"]

    def _start(
        self, source: ExternalSource, query: str, k: int, answers: queue.SimpleQueue[_Answered]
    ) -> None:
        free = self._free[source.name]
        if not free.acquire(blocking=False):
            busy = f"busy: {self._settings.max_concurrent} searches of it are under way"
            found = ExternalRetrieval(degraded=(busy,))
            answers.put(_Answered(source=source.name, found=found, milliseconds=0.0))
            return

        def ask() -> None:
            began = time.perf_counter()
            try:
                found = _asked(source, query, k)
            finally:
                free.release()
            spent = (time.perf_counter() - began) * 1000
            answers.put(_Answered(source=source.name, found=found, milliseconds=spent))

        # A daemon: a source that hangs keeps neither the process nor its end waiting.
        threading.Thread(target=ask, name=f"assay-external-{source.name}", daemon=True).start()

    def _collected(self, answers: queue.SimpleQueue[_Answered]) -> dict[str, _Answered]:
        end = time.monotonic() + self._settings.timeout_s + GRACE_S
        came: dict[str, _Answered] = {}
        while len(came) < len(self._sources):
            try:
                answer = answers.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                break
            came[answer.source] = answer
        return came


def merged(lists: Iterable[Sequence[ExternalHit]], k: int) -> list[ExternalHit]:
    """The first of each list, then the second of each …; an address once; ``k`` at most."""
    chosen: dict[str, ExternalHit] = {}
    for rank, row in enumerate(zip_longest(*lists)):
        for hit in row:
            if hit is not None:
                key = address_key(hit.url) if hit.url else f"{hit.source}#{rank}"
                chosen.setdefault(key, hit)
    return list(chosen.values())[:k]


def _asked(source: ExternalSource, query: str, k: int) -> ExternalRetrieval:
    try:
        return source.search(query, k)
    except AssayError as error:
        return ExternalRetrieval(degraded=(str(error),))
    except Exception:  # a fault of ours in one source: told here and in the log, and the others still answer
        logger.exception("external source %s failed", source.name)
        return ExternalRetrieval(degraded=("internal error; the log has the details",))
