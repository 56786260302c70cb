"""A merge that runs beside: a state in, a new generation out, while the old one is searched and written.

Killed at any moment, the old generation and its journal are valid until CURRENT names the new one, and the
new one's journal then holds every record that came since.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from appliance.errors import AssayError
from appliance.store.bm25_generation import Generation, Prepared, activate, prepare
from appliance.store.bm25_journal import Change
from appliance.store.bm25_parts import Parts, folded
from appliance.store.index_files import disk_errors


class Merge:
    """One merge in a thread of its own."""

    def __init__(self, folder: Path, number: int, parts: Parts, finish: Callable[[Merge], None]) -> None:
        """``finish`` is called in the thread when all is written, or ``error`` says why not."""
        self.since: list[Change] = []
        """Records committed while it runs; guarded by the index's lock."""
        self.error: AssayError | None = None
        self._folder, self._number, self._parts, self._finish = folder, number, parts, finish
        self._prepared: Prepared | None = None
        self._cancelled = False
        self._thread = threading.Thread(target=self._run, name="bm25-merge", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def cancel(self) -> None:
        """Leave the old generation as it is; what is written so far is removed at the next open."""
        self._cancelled = True

    def wait(self) -> None:
        """Return when it is over, one way or the other."""
        self._thread.join()

    def activated(self) -> Generation | None:
        """The new generation, valid from now on; None when there is none. Raises nothing."""
        if self._prepared is None or self._cancelled or self.error is not None:
            return None
        try:
            with disk_errors(self._folder):
                return activate(self._folder, self._prepared, self.since)
        except AssayError as error:
            self.error = error
            return None

    def _run(self) -> None:
        try:
            with disk_errors(self._folder):
                segment = folded(self._parts)
                if not self._cancelled:
                    self._prepared = prepare(self._folder, self._number, segment)
        except AssayError as error:
            self.error = error
        finally:
            self._finish(self)
