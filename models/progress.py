"""What a person sees while weights are fetched: a bar on a terminal, plain lines in a log."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

LINE_EVERY_S = 10.0


class Report:
    """Progress of one run, on standard error; safe to call from several threads."""

    def __init__(self, console: Console | None = None) -> None:
        """``console`` is for tests; the default writes to standard error."""
        self._console = console or Console(stderr=True, highlight=False)
        self._columns = (
            TextColumn("models"), BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn()
        )  # fmt: skip
        self._progress: Progress | None = None
        self._said_at = 0.0

    def line(self, text: str) -> None:
        """One line of its own, above the bar."""
        self._console.print(f"  {text}", soft_wrap=True, markup=False)

    @contextmanager
    def counting(self, total_bytes: int) -> Iterator[None]:
        """Show the bar while the block runs; nothing where there is nothing to count."""
        if not total_bytes:
            yield
            return
        self._said_at = time.monotonic()
        with Progress(
            *self._columns, console=self._console, disable=not self._console.is_terminal
        ) as progress:
            self._progress = progress
            self._task = progress.add_task("models", total=total_bytes)
            try:
                yield
            finally:
                self._progress = None

    def advance(self, count: float) -> None:
        """``count`` more bytes are done."""
        progress = self._progress
        if progress is None:
            return
        progress.advance(self._task, count)
        if not self._console.is_terminal and time.monotonic() - self._said_at > LINE_EVERY_S:
            self._said_at = time.monotonic()
            task = progress.tasks[0]
            self.line(f"{task.completed / 1e6:,.0f} of {(task.total or 0) / 1e6:,.0f} MB")

    @contextmanager
    def stepping(self, total_bytes: int) -> Iterator[Callable[[float], None]]:
        """Give a function that takes a finished fraction; the rest is counted when the block ends well."""
        done = 0.0

        def advance(fraction: float) -> None:
            nonlocal done
            step = max(0.0, min(1.0, fraction) * total_bytes - done)
            done += step
            self.advance(step)

        yield advance
        advance(1.0)
