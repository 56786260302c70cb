"""How many processors a model may use."""

from __future__ import annotations

import os


def available(threads: int = 0) -> int:
    """Return ``threads``, or when that is 0 the processors that this process may run on."""
    return threads or len(os.sched_getaffinity(0))
