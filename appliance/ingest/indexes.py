"""What ingest needs of the indexes beyond the ports: to compare them with SQLite and to make them anew."""

from __future__ import annotations

from typing import Protocol

from appliance.ports import DenseIndex, LexicalIndex


class KeptDense(DenseIndex, Protocol):
    """A dense index that can be checked."""

    def ids_checksum(self) -> str:
        """``store.checksums.ids_checksum`` over the ids held."""
        ...


class KeptLexical(LexicalIndex, Protocol):
    """A lexical index that can be checked and folds its small generations together."""

    @property
    def generation(self) -> int:
        """Grows with every write."""
        ...

    def ids_checksum(self) -> str:
        """``store.checksums.ids_checksum`` over the ids held."""
        ...

    def merge(self) -> None:
        """Fold the deltas in: nothing of what was deleted before is on disk any more."""
        ...

    def settle(self) -> None:
        """Wait for a merge that runs beside; raise its error, if it had one."""
        ...


class Indexes(Protocol):
    """Both indexes of every collection; the same objects that search uses."""

    def dense(self, collection: str) -> KeptDense:
        """Opened, made if missing. Raises DamagedError."""
        ...

    def lexical(self, collection: str) -> KeptLexical:
        """Opened, made if missing. Raises DamagedError."""
        ...

    def reset(self, collection: str) -> None:
        """Both empty, whatever state they were in."""
        ...

    def compact(self) -> None:
        """Overwrite what the vector file keeps of deleted rows. Raises BackendError."""
        ...
