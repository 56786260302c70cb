"""Two tiers of kept results: the most recently used in memory, in front of a file on disk (G1).

Arrives: a key that names everything a result depends on, and bytes. Leaves: the same bytes, or nothing. What
is found on disk stands in memory from then on. An entry that is too old, damaged, or of another make is
nothing. Keys say the kind and the collection openly, so that a collection's entries can be thrown away.
"""

from __future__ import annotations

import hashlib
import struct
import threading
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable

import msgspec

from appliance.store.cache import DiskCache
from appliance.store.cache_counts import CacheCounts, Kind, Outcome

_HEAD = struct.Struct(">Id")
"""CRC-32 of the rest, and the time (s since 1970) at which it was kept."""


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """What an entry is found by."""

    kind: Kind
    collection: str
    """Empty for what belongs to none: a reading."""
    digest: str
    """sha256 over all that the result depends on."""

    def __str__(self) -> str:
        """As the disk tier has it."""
        return f"{self.kind}:{_short(self.collection)}:{self.digest}"


class Tiers:
    """Both tiers. Safe to share between threads."""

    def __init__(
        self,
        disk: DiskCache | None,
        counts: CacheCounts,
        *,
        memory_entries: int,
        ttl_s: float,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """``disk`` None: memory alone. ``memory_entries`` 0: the disk alone."""
        self._disk, self.counts = disk, counts
        self._most, self._ttl_s, self._clock = memory_entries, ttl_s, clock
        self._lock = threading.Lock()
        self._disk_lock = threading.Lock()
        self._memory: OrderedDict[str, bytes] = OrderedDict()

    def get(self, key: Key) -> bytes | None:
        """What was kept under the key; None where there is nothing that may be used."""
        name = str(key)
        with self._lock:
            entry = self._memory.get(name)
            if entry is not None:
                self._memory.move_to_end(name)
        if (content := self._opened(entry)) is not None:
            self.counts.add(key.kind, Outcome.MEMORY)
            return content
        entry = self._from_disk(name)
        if entry is None or (content := self._opened(entry)) is None:
            self.counts.add(key.kind, Outcome.MISS)
            return None
        self._remember(name, entry)
        self.counts.add(key.kind, Outcome.DISK)
        return content

    def put(self, key: Key, content: bytes) -> None:
        """Keep it in both tiers; the oldest make room."""
        rest = struct.pack(">d", self._clock()) + content
        entry = zlib.crc32(rest).to_bytes(4, "big") + rest
        name = str(key)
        self._remember(name, entry)
        if self._disk is not None:
            with self._disk_lock:
                self._disk.put_many({name: entry})
        self.counts.add(key.kind, Outcome.KEPT)

    def refuse(self, key: Key) -> None:
        """What was found under it may not be used: it goes, and the hit counts as none."""
        name = str(key)
        with self._lock:
            self._memory.pop(name, None)
        if self._disk is not None:
            with self._disk_lock:
                self._disk.remove(name)
        self.counts.add(key.kind, Outcome.REFUSED)

    def forget(self, *, collection: str | None = None, kind: Kind | None = None) -> int:
        """Throw away the entries of a collection, of a kind, of both, or all; how many there were."""

        def unwanted(name: str) -> bool:
            of_kind, _, rest = name.partition(":")
            return (kind is None or of_kind == kind) and (
                collection is None or rest.partition(":")[0] == _short(collection)
            )

        with self._lock:
            gone = {name for name in self._memory if unwanted(name)}
            for name in gone:
                del self._memory[name]
        if self._disk is None:
            return len(gone)
        with self._disk_lock:
            alone = len(gone - self._disk.get_many(sorted(gone)).keys())
            return alone + self._disk.remove_where(unwanted)

    def compact(self) -> None:
        """Overwrite what the file keeps of dropped entries. Raises BackendError."""
        if self._disk is not None:
            with self._disk_lock:
                self._disk.compact()

    def sizes(self) -> tuple[int, int, int]:
        """Entries in memory, entries on disk, bytes on disk."""
        with self._lock:
            here = len(self._memory)
        if self._disk is None:
            return here, 0, 0
        with self._disk_lock:
            return here, *self._disk.volume()

    def _from_disk(self, name: str) -> bytes | None:
        if self._disk is None:
            return None
        with self._disk_lock:
            return self._disk.get_many([name]).get(name)

    def _remember(self, name: str, entry: bytes) -> None:
        with self._lock:
            self._memory[name] = entry
            self._memory.move_to_end(name)
            while len(self._memory) > self._most:
                self._memory.popitem(last=False)

    def _opened(self, entry: bytes | None) -> bytes | None:
        """The content of a whole entry that is young enough."""
        if entry is None or len(entry) < _HEAD.size:
            return None
        crc, kept_at = _HEAD.unpack_from(entry)
        whole = zlib.crc32(entry[4:]) == crc
        return entry[_HEAD.size :] if whole and 0 <= self._clock() - kept_at <= self._ttl_s else None


def _short(collection: str) -> str:
    return hashlib.sha256(collection.encode()).hexdigest()[:16] if collection else "-"
