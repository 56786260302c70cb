"""Where the indexes of all collections lie, opened once and shared by ingest and search.

Opening never serves a damaged index: a file or folder that fails its checksums is set up empty, and
``Ingestor.verify_indexes``, which every opening of a collection begins with, fills it from SQLite.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from appliance.config import Dense
from appliance.errors import DamagedError
from appliance.ports import Embedder
from appliance.store.bm25 import Bm25Index
from appliance.store.milvus import MilvusIndex, MilvusStore


class IndexHome:
    """Implements ``ingest.Indexes`` over Milvus and BM25."""

    def __init__(
        self,
        folder: Path,
        embedder_of: Callable[[str], Embedder],
        settings: Dense = Dense(),  # noqa: B008 - a frozen value
    ) -> None:
        """``folder`` holds ``lexical/``, a private ``tmp/`` and, without a server, ``dense.db``.

        ``embedder_of`` gives the encoder that a collection was made with.

        Raises BusyError, BackendError, ConfigError (a graph without a server).
        """
        self._folder = folder
        self._embedder_of = embedder_of
        self._settings = settings
        self._target: str | Path = settings.uri or folder / "dense.db"
        self._tmp = folder / "tmp"
        self._tmp.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock = threading.RLock()
        self._denses: dict[str, MilvusIndex] = {}
        self._lexicals: dict[str, Bm25Index] = {}
        self._milvus = self._open_milvus()

    def dense(self, collection: str) -> MilvusIndex:
        """Opened, made if missing. Raises DamagedError."""
        with self._lock:
            index = self._denses.get(collection)
            if index is None:
                encoder = self._embedder_of(collection)
                index = self._milvus.collection(collection, encoder.dim, encoder.digest)
                self._denses[collection] = index
            return index

    def lexical(self, collection: str) -> Bm25Index:
        """Opened; one that is missing or damaged is set up empty, which ``verify_indexes`` notices."""
        with self._lock:
            index = self._lexicals.get(collection)
            if index is None:
                folder = self._lexical_folder(collection)
                try:
                    index = Bm25Index(folder)
                except DamagedError:
                    index = Bm25Index.build(folder, [])
                self._lexicals[collection] = index
            return index

    def reset(self, collection: str) -> None:
        """Both empty, whatever state they were in.

        A damaged Milvus-lite file goes as a whole; the other collections are found empty at their next
        ``verify_indexes`` and rebuilt then.
        """
        with self._lock:
            lexical = self._lexicals.pop(collection, None)
            if lexical is not None:
                lexical.close()
            self._lexicals[collection] = Bm25Index.build(self._lexical_folder(collection), [])
            try:
                self._denses.pop(collection, None)
                self._milvus.drop(collection, self._embedder_of(collection).digest)
                self.dense(collection)
            except DamagedError:
                self._denses.clear()
                self._milvus.close()
                self._discard_dense()
                self._milvus = self._open_milvus()

    def compact(self) -> None:
        """Overwrite what the vector file keeps of deleted rows (a server does so itself).

        Raises BackendError.
        """
        with self._lock:
            self._milvus.compact()

    def close(self) -> None:
        """Close all."""
        with self._lock:
            for index in self._lexicals.values():
                index.close()
            self._lexicals.clear()
            self._denses.clear()
            self._milvus.close()

    def _open_milvus(self) -> MilvusStore:
        try:
            return MilvusStore(self._target, self._tmp, self._settings)
        except DamagedError:
            self._discard_dense()
            return MilvusStore(self._target, self._tmp, self._settings)

    def _discard_dense(self) -> None:
        if isinstance(self._target, Path):
            MilvusStore.discard(self._target)

    def _lexical_folder(self, collection: str) -> Path:
        readable = re.sub(r"[^A-Za-z0-9_-]", "_", collection)[:40]
        return self._folder / "lexical" / f"{readable}-{sha256(collection.encode()).hexdigest()[:8]}"
