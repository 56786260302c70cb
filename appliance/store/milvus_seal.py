"""A seal on the vector file: Milvus-lite itself serves flipped bits without a word.

``dense.db.sha256`` is written when the file is closed and removed before the next write. Sealed and
unchanged: good as it is. Sealed and changed, or sealed and gone: damaged. Unsealed (the last user was
killed): SQLite's own check here, then every vector's checksum in ``MilvusIndex.verify``.
"""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

from appliance.errors import DamagedError
from appliance.store.index_files import replace_file, sha256_of, sync_folder


class Seal:
    """The seal of one file."""

    def __init__(self, file: Path) -> None:
        """Reads nothing yet."""
        self._file = file
        self._seal = file.with_name(file.name + ".sha256")
        self._lock = threading.Lock()
        self._sealed = False

    def check(self) -> bool:
        """True: sealed and whole, or no file yet. False: unsealed, to be verified. Raises DamagedError."""
        if self._seal.exists():
            if not self._file.exists() or sha256_of(self._file) != self._seal.read_text("ascii", "replace"):
                raise self._damaged("it is not what was last written")
            self._sealed = True
            return True
        if not self._file.exists():
            return True
        try:
            with closing(sqlite3.connect(self._file)) as database:
                found = database.execute("PRAGMA integrity_check(1)").fetchone()[0]
        except sqlite3.Error as error:
            raise self._damaged(str(error)) from error
        if found != "ok":
            raise self._damaged(str(found).splitlines()[-1])
        return False

    def breaks(self) -> None:
        """Remove the seal, durably, before the first write."""
        with self._lock:
            if self._sealed:
                self._seal.unlink(missing_ok=True)
                sync_folder(self._file.parent)
                self._sealed = False

    def close(self) -> None:
        """Seal the file as it is now; its writer must have ended."""
        with self._lock:
            if not self._sealed and self._file.exists():
                replace_file(self._seal, sha256_of(self._file).encode())
                self._sealed = True

    def _damaged(self, reason: str) -> DamagedError:
        return DamagedError(f"the vector file {self._file} is damaged: {reason}", hint="run `assay rebuild`")
