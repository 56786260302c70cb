"""How much time a parser may take, and how it asks for the more that OCR needs."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

PARSE_SHARE = 0.8
"""Reading stops after this share of the time, so that what was read is still written."""


def _unheard(pages: int) -> None:
    """Nobody limits this process: in tests."""


class Allowance(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of one parse; times in seconds."""

    parse_s: float = 300.0
    ocr_seconds_per_page: float = 30.0
    ocr_max_pages: int = 200
    ocr_threads: int = 2
    announce: Callable[[int], None] = _unheard
    """Tells whoever limits this process that so many pages go to OCR."""
    started: float = msgspec.field(default_factory=time.monotonic)

    def deadline(self) -> float:
        """When reading must stop, on the monotonic clock."""
        return self.started + self.parse_s * PARSE_SHARE

    def for_ocr(self, pages: int) -> float:
        """Announce ``pages`` for OCR, at most ``ocr_max_pages``; the deadline that then holds."""
        pages = min(pages, self.ocr_max_pages)
        self.announce(pages)
        return self.deadline() + pages * self.ocr_seconds_per_page
