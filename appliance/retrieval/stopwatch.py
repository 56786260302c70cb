"""Milliseconds of a search by part."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from time import perf_counter


class Stopwatch:
    """Milliseconds by part; what no part claims is our own code."""

    def __init__(self) -> None:
        """Start now."""
        self._started = perf_counter()
        self._parts: dict[str, float] = {}

    @contextmanager
    def part(self, name: str) -> Generator[None]:
        """Charge the block's time to ``name``."""
        begun = perf_counter()
        try:
            yield
        finally:
            self._parts[name] = self._parts.get(name, 0.0) + (perf_counter() - begun) * 1000

    def read(self) -> dict[str, float]:
        """Every part, ``own`` and ``total``, in milliseconds."""
        total = (perf_counter() - self._started) * 1000
        return {**self._parts, "own": total - sum(self._parts.values()), "total": total}
