"""How far an ingest is: a moving bar at a terminal, a plain line now and then in a pipe. On stderr."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

from appliance.ingest.progress import IngestProgress, Stage

PLAIN_EVERY_S = 5.0


class IngestDisplay:
    """Implements ``ingest.Tell``; the ingest calls it from one thread at a time."""

    def __init__(self) -> None:
        """Nothing is shown before the first step."""
        self._said = self._heard = time.monotonic()
        self._found = self._files = self._documents = self._passages = 0
        self._indexed = self._pending = 0
        self._indexing_since: float | None = None
        self._tty = sys.stderr.isatty()
        self._bar = Progress(
            SpinnerColumn(),
            BarColumn(bar_width=24),
            TextColumn("{task.description}", markup=False),
            console=Console(stderr=True),
            transient=True,
            disable=not self._tty,
        )
        self._task = self._bar.add_task("", total=None)

    def __enter__(self) -> Self:
        """Start the bar."""
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove the bar."""
        self._bar.stop()

    def tell(self, progress: IngestProgress) -> None:
        """Show one step."""
        if progress.stage is Stage.WARNING:
            print(f"warning: {progress.message}", file=sys.stderr, flush=True)
            return
        if progress.stage is Stage.QUEUE:
            self._found += 1
        elif progress.stage is Stage.STORE:
            self._files, self._documents = progress.files, progress.documents
            self._passages = progress.passages
        else:
            # The first window is told when it is embedded: it began with the step told before it.
            self._indexing_since = self._indexing_since or self._heard
            self._indexed, self._pending = progress.indexed, progress.pending
        self._heard = time.monotonic()
        self._show(progress.message if progress.stage is Stage.STORE else "")

    def _show(self, file: str) -> None:
        line = self.line(time.monotonic() - (self._indexing_since or self._heard))
        if self._tty:
            total = self._indexed + self._pending or None
            name = f" · {file[-40:]}" if file else ""
            self._bar.update(self._task, description=line + name, completed=self._indexed, total=total)
        elif time.monotonic() - self._said >= PLAIN_EVERY_S:
            self._said = time.monotonic()
            print(line, file=sys.stderr, flush=True)

    def line(self, indexing_s: float) -> str:
        """The state after so long of indexing; the time left is for passages that wait for it."""
        rate = self._indexed / indexing_s if indexing_s > 0 else 0.0
        parts = [
            f"{self._files}/{max(self._found, self._files)} files",
            f"{self._documents:,} documents",
            f"{max(self._passages, self._indexed):,} passages",
            f"{self._indexed:,} indexed",
            f"{rate:.0f} passages/s",
        ]
        waiting = max(self._pending, self._passages - self._indexed)
        if rate > 0 and waiting > 0:
            minutes, seconds = divmod(int(waiting / rate), 60)
            parts.append(f"{minutes}:{seconds:02d} left")
        return " · ".join(parts)
