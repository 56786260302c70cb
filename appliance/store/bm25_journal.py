"""The delta's journal: each upsert or delete since the last merge, one synced record per call.

The file begins with the hash of its generation. A record is ``length (8 bytes) · sha256 (32) · payload``;
its hash covers the hash before it, so a record that is changed, moved, doubled or cut out of the middle is
noticed. A last record that is cut short counts as damage too (nobody can tell it from an acknowledged one):
the caller rebuilds. Whole records missing at the end are told by comparing ``ids_checksum`` with SQLite's.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np

from appliance.domain import Struct
from appliance.store.bm25_segment import COLUMNS, Array, Segment
from appliance.store.index_files import write_synced

_HEADER = struct.Struct(">Q32s")


class Change(Struct, frozen=True, kw_only=True):
    """One record: ids struck out, then rows added."""

    removed: bytes
    columns: dict[str, bytes] = {}
    groups: tuple[tuple[str, ...], ...] = ()

    def removed_ids(self) -> Array:
        """(n,) int64."""
        return np.frombuffer(self.removed, dtype=np.int64)

    def added(self) -> Segment | None:
        """The rows added, or None for a delete."""
        if not self.columns:
            return None
        arrays = {name: np.frombuffer(self.columns[name], dtype=dtype) for name, dtype in COLUMNS.items()}
        return Segment(**arrays, groups=self.groups)


def change(removed: Array, added: Segment | None) -> Change:
    """The record of one call."""
    if added is None:
        return Change(removed=removed.tobytes())
    columns = {name: getattr(added, name).tobytes() for name in COLUMNS}
    return Change(removed=removed.tobytes(), columns=columns, groups=added.groups)


class Journal:
    """An open journal, at its end."""

    def __init__(self, file: Path, seed: str) -> None:
        """``seed`` ties the journal to its generation."""
        self._descriptor = -1
        self._seal = _first_seal(seed)
        self._descriptor = os.open(file, os.O_RDWR | os.O_APPEND)

    @classmethod
    def create(cls, file: Path, seed: str) -> Journal:
        """A new, empty journal, synced."""
        write_synced(file, _first_seal(seed))
        return cls(file, seed)

    @classmethod
    def open(cls, file: Path, seed: str) -> Journal:
        """A journal to be read with :meth:`changes` before it is written."""
        return cls(file, seed)

    def changes(self) -> Iterator[Change]:
        """All records in order. Raises ValueError at the first that is not what was written."""
        with open(os.dup(self._descriptor), "rb") as stream:  # noqa: PTH123 - a descriptor
            stream.seek(0)
            if stream.read(len(self._seal)) != self._seal:
                raise ValueError("the journal does not belong to its generation")
            while header := stream.read(_HEADER.size):
                if len(header) < _HEADER.size:
                    raise ValueError("the journal ends inside a record")
                length, digest = _HEADER.unpack(header)
                payload = stream.read(length) if length <= os.fstat(self._descriptor).st_size else b""
                self._seal = hashlib.sha256(self._seal + payload).digest()
                if self._seal != digest:
                    raise ValueError("a record of the journal fails its checksum")
                yield msgspec.msgpack.decode(payload, type=Change)

    def append(self, record: Change) -> None:
        """On disk when this returns; an OSError leaves the journal as it was."""
        payload = msgspec.msgpack.encode(record)
        seal = hashlib.sha256(self._seal + payload).digest()
        size = os.fstat(self._descriptor).st_size
        left = memoryview(_HEADER.pack(len(payload), seal) + payload)
        try:
            while left:
                left = left[os.write(self._descriptor, left) :]
            os.fsync(self._descriptor)
        except OSError:
            os.ftruncate(self._descriptor, size)
            raise
        self._seal = seal

    def close(self) -> None:
        """Harmless when closed already."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __del__(self) -> None:
        self.close()


def _first_seal(seed: str) -> bytes:
    return hashlib.sha256(seed.encode()).digest()
