"""What an ingest tells while it works."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import msgspec

from appliance.errors import CancelledError


class Stage(StrEnum):
    """Where the work stands."""

    QUEUE = "queue"
    STORE = "store"
    INDEX = "index"
    WARNING = "warning"
    """Something was wrong and is being mended; ``message`` says what."""


class IngestProgress(msgspec.Struct, frozen=True, kw_only=True):
    """One step, with running totals of this ingest."""

    stage: Stage
    collection: str
    message: str = ""
    """The file at hand, or the warning."""
    files: int = 0
    documents: int = 0
    passages: int = 0
    indexed: int = 0
    pending: int = 0


Tell = Callable[[IngestProgress], None]
Cancelled = Callable[[], bool]


def stop_if(cancelled: Cancelled) -> None:
    """Raises CancelledError at a batch border; everything before it is kept."""
    if cancelled():
        raise CancelledError("ingest stopped", hint="nothing is lost; run the same command to go on")
