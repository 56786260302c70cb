"""What checking a claim says: where in a passage its support stands."""

from __future__ import annotations

from appliance.domain.identity import Struct


class Span(Struct, frozen=True, kw_only=True):
    """A stretch of ``Passage.text``: characters from ``start`` up to, not including, ``end``."""

    start: int
    end: int
