"""Both indexes of every collection, opened once: the same objects that ingest writes and search reads."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from threading import RLock

from appliance.errors import DamagedError
from appliance.ports import Embedder
from appliance.store.bm25 import Bm25Index
from appliance.store.milvus import MilvusIndex, MilvusStore


class StoreIndexes:
    """Implements ``ingest.Indexes`` over one folder: ``dense.db`` and ``lexical/<collection>``."""

    def __init__(self, folder: Path, *, embedder_of: Callable[[str], Embedder], milvus_uri: str = "") -> None:
        """``embedder_of`` gives a collection's encoder; ``milvus_uri`` a server instead of the lite file."""
        self._folder, self._embedder_of, self._uri = folder, embedder_of, milvus_uri
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock = RLock()
        self._store: MilvusStore | None = None
        self._dense: dict[str, MilvusIndex] = {}
        self._lexical: dict[str, Bm25Index] = {}

    def dense(self, collection: str) -> MilvusIndex:
        """Return the vectors of a collection, made if missing. Raises DamagedError."""
        with self._lock:
            if collection not in self._dense:
                encoder = self._embedder_of(collection)
                self._dense[collection] = self._milvus().collection(collection, encoder.dim, encoder.digest)
            return self._dense[collection]

    def lexical(self, collection: str) -> Bm25Index:
        """Return the BM25 index of a collection, made if missing. Raises DamagedError."""
        with self._lock:
            if collection not in self._lexical:
                folder = self._lexical_folder(collection)
                known = folder.is_dir()
                self._lexical[collection] = Bm25Index(folder) if known else Bm25Index.build(folder, [])
            return self._lexical[collection]

    def reset(self, collection: str) -> None:
        """Make both indexes of a collection empty, whatever state they were in."""
        with self._lock:
            if kept := self._lexical.pop(collection, None):
                kept.close()
            self._lexical[collection] = Bm25Index.build(self._lexical_folder(collection), [])
            self._dense.pop(collection, None)
            encoder = self._embedder_of(collection)
            try:
                self._milvus().drop(collection, encoder.digest)
            except DamagedError:
                self._discard_dense()

    def close(self) -> None:
        """Close what is open."""
        with self._lock:
            for index in self._lexical.values():
                index.close()
            self._lexical.clear()
            self._dense.clear()
            if self._store:
                self._store.close()
                self._store = None

    def _milvus(self) -> MilvusStore:
        if self._store is None:
            target = self._uri or self._folder / "dense.db"
            try:
                self._store = MilvusStore(target, self._folder / "tmp")
            except DamagedError:
                if self._uri:
                    raise
                self._discard_dense()
                self._store = MilvusStore(target, self._folder / "tmp")
        return self._store

    def _discard_dense(self) -> None:
        # Every collection's vectors lie in this file: each one is found short by its own check, and rebuilt.
        if self._store:
            self._store.close()
            self._store = None
        self._dense.clear()
        MilvusStore.discard(self._folder / "dense.db")

    def _lexical_folder(self, collection: str) -> Path:
        return self._folder / "lexical" / hashlib.sha256(collection.encode()).hexdigest()[:16]

    def forget(self, collection: str) -> None:
        """Remove a collection's indexes."""
        self.reset(collection)
        with self._lock:
            self._lexical.pop(collection).close()
            shutil.rmtree(self._lexical_folder(collection), ignore_errors=True)
