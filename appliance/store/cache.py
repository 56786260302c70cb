# pyright: basic
"""The second-level cache on disk. It holds JSON and raw bytes only: a planted row can never execute.

diskcache's own ``Disk`` and ``JSONDisk`` unpickle what they find in the file (CVE-2025-69872). Here the
pickle mode is refused in ``store``, ``fetch``, ``put`` and ``get``, and a row can name no file outside the
cache folder, neither to read nor to delete.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import diskcache
import msgspec
from diskcache.core import MODE_BINARY, MODE_PICKLE, MODE_RAW, MODE_TEXT

from appliance.errors import BackendError, DamagedError, StorageFullError

_VALUE_FILE = re.compile(r"[0-9a-f]{2}/[0-9a-f]{2}/[0-9a-f]{28}\.val")
_BROKEN = (sqlite3.Error, DamagedError, OSError, KeyError, ValueError, TypeError, AssertionError)
"""What a cache file with wrong content has been seen to raise from diskcache."""


class SafeDisk(diskcache.Disk):
    """Keys are text or bytes; values are bytes, or anything that JSON holds (stored as JSON text)."""

    def put(self, key: Any) -> tuple[Any, bool]:
        """Text and bytes only."""
        if type(key) not in (str, bytes):
            raise TypeError(f"cache keys are str or bytes, not {type(key).__name__}")
        return super().put(key)

    def get(self, key: Any, raw: bool) -> Any:
        """Refuses a pickled key."""
        if not raw:
            raise DamagedError("the cache holds a pickled key", hint="the cache is thrown away")
        return super().get(key, raw)

    def store(self, value: Any, read: bool, key: Any = diskcache.UNKNOWN) -> tuple[Any, ...]:
        """Bytes stay bytes; everything else becomes JSON text, or is refused by msgspec."""
        if read:
            raise TypeError("files are not cached")
        content = value if type(value) is bytes else msgspec.json.encode(value).decode()
        size, mode, filename, stored = super().store(content, False, key)
        if mode not in (MODE_RAW, MODE_BINARY, MODE_TEXT):
            raise TypeError("only JSON and bytes are cached")
        return size, mode, filename, stored

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> Any:
        """Refuses a pickled value and a file outside the cache."""
        if mode == MODE_PICKLE or mode not in (MODE_RAW, MODE_BINARY, MODE_TEXT) or read:
            raise DamagedError(
                "the cache holds a value that may not be read", hint="the cache is thrown away"
            )
        if filename is not None and not _VALUE_FILE.fullmatch(filename):
            raise DamagedError("the cache names a foreign file", hint="the cache is thrown away")
        content: Any = super().fetch(mode, filename, value, False)
        return content if isinstance(content, bytes) else msgspec.json.decode(content)

    def remove(self, file_path: str) -> None:
        """Removes files of the cache only."""
        if _VALUE_FILE.fullmatch(file_path):
            super().remove(file_path)


class DiskCache:
    """Key → bytes. Losing it costs time only: whatever is wrong with it, it is wiped and made anew."""

    def __init__(
        self, folder: Path, size_limit_bytes: int, warn: Callable[[str], None] | None = None
    ) -> None:
        """``warn`` is told, in one line, when the cache had to be thrown away or cannot be written."""
        self._folder = folder
        self._size_limit_bytes = size_limit_bytes
        self._warn = warn or (lambda _: None)
        self._cache = self._open_or_wipe()

    def get_many(self, keys: Sequence[str]) -> dict[str, bytes]:
        """Those that are there."""
        found: dict[str, bytes] = {}
        with self._mending():
            for key in keys:
                value = self._cache.get(key)
                if isinstance(value, bytes):
                    found[key] = value
        return found

    def put_many(self, items: dict[str, bytes]) -> None:
        """Keep them, the oldest making room; a cache that cannot be written is told, not fatal."""
        with self._mending(), self._cache.transact():
            for key, value in items.items():
                self._cache.set(key, value)

    def remove_where(self, unwanted: Callable[[str], bool]) -> int:
        """Drop every entry whose key is unwanted; how many there were."""
        removed = 0
        with self._mending():
            for key in [key for key in self._cache.iterkeys() if isinstance(key, str) and unwanted(key)]:
                removed += bool(self._cache.delete(key))
        return removed

    def remove(self, key: str) -> None:
        """Drop one entry, if it is there."""
        with self._mending():
            self._cache.delete(key)

    def volume(self) -> tuple[int, int]:
        """Entries, and bytes on disk."""
        with self._mending():
            row = self._cache._sql("SELECT count(*) FROM Cache").fetchone()
            return int(row[0]), int(self._cache.volume())
        return 0, 0

    def compact(self) -> None:
        """Rewrite the file without what it keeps of dropped entries. Raises BackendError."""
        try:
            self._cache._sql("VACUUM")
            self._cache._sql("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except sqlite3.Error as error:
            raise BackendError(f"the cache {self._folder} cannot be compacted: {error}") from error

    def close(self) -> None:
        """Close the files."""
        self._cache.close()

    @contextmanager
    def _mending(self) -> Generator[None]:
        try:
            yield
        except _BROKEN as error:
            if _is_full(error):
                self._warn(f"the cache {self._folder} cannot be written: {error}")
                return
            self._warn(f"the cache {self._folder} was damaged and is made anew ({error})")
            self._wipe()
            self._cache = self._open()

    def _open_or_wipe(self) -> diskcache.Cache:
        try:
            return self._open()
        except _BROKEN as error:
            broken = error
        self._wipe()
        try:
            opened = self._open()
        except _BROKEN as error:
            hint = "free some space and run the same command again"
            raise StorageFullError(f"the disk of {self._folder} is full", hint=hint) from error
        self._warn(f"the cache {self._folder} was damaged and is made anew ({broken})")
        return opened

    def _open(self) -> diskcache.Cache:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder.chmod(0o700)
        return diskcache.Cache(
            str(self._folder),
            disk=SafeDisk,
            size_limit=self._size_limit_bytes,
            eviction_policy="least-recently-stored",
            sqlite_secure_delete=1,
        )

    def _wipe(self) -> None:
        cache = getattr(self, "_cache", None)
        if cache is not None:
            cache.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def _is_full(error: BaseException) -> bool:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code == sqlite3.SQLITE_FULL or getattr(error, "errno", None) == 28
