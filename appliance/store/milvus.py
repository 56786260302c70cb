# pyright: basic
"""Dense vectors behind the pymilvus client: passages and vectors in, nearest passages out (ports.DenseIndex).

A path is a Milvus-lite file with its helper process; a URI is a Milvus server or cluster: the same code.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from appliance.config import Dense
from appliance.domain import Passage, PassageId, Scope, Scored
from appliance.errors import BackendError, ConfigError, DamagedError
from appliance.ports import Vectors
from appliance.store.checksums import ids_checksum
from appliance.store.milvus_client import TIMEOUT_S, create_collection, expression, milvus_errors, pymilvus
from appliance.store.milvus_lite import LiteServer

_NO_PINGS = {"grpc.keepalive_time_ms": 2**31 - 1, "grpc.keepalive_permit_without_calls": False}
"""pymilvus pings every 10 s; the lite helper takes that for abuse and hangs up in mid-question."""
WRITE_ROWS = 512
READ_ROWS = 1_000
LIMIT = 16_384
"""Milvus' own bound on the rows of one answer."""
GRAPH_WIDTH = 256
"""Candidates kept while a graph is walked, at least: more are slower and miss less."""
_SPARE = 16
"""Rows asked for beyond k, so that equal scores at the border can be put in order."""


class MilvusStore:
    """The client of one lite file or one server, shared by all collections."""

    def __init__(
        self,
        uri_or_path: str | Path,
        tmp_dir: Path,
        settings: Dense = Dense(),  # noqa: B008 - a frozen value
    ) -> None:
        """``tmp_dir`` is a private folder for the helper's socket; of the settings, not the URI is read.

        Raises BusyError (another process has the file), DamagedError, BackendError (nobody answers),
        ConfigError (a graph without a server).
        """
        self.where = str(uri_or_path)
        self.graph = settings.index == "hnsw"
        if self.graph and "://" not in self.where:
            raise ConfigError(
                "a vector file is searched exactly: dense.index hnsw needs a server", hint="set dense.uri"
            )
        self._lite = None if "://" in self.where else LiteServer(Path(self.where), tmp_dir)
        self._client: Any = None
        try:
            with milvus_errors(self.where):
                uri = self._lite.uri if self._lite else self.where
                self._client = pymilvus().MilvusClient(
                    uri=uri,
                    token=settings.token,
                    db_name=settings.database,
                    timeout=TIMEOUT_S,
                    grpc_options=_NO_PINGS if self._lite else {},
                )
        except BaseException:
            self.close()
            raise

    def collection(self, name: str, dim: int, embedder_digest: str = "") -> MilvusIndex:
        """The index of an Assay collection for one embedder, created if missing.

        Raises DamagedError: another dimension, or (after an unclean end) a vector that fails its checksum.
        """
        milvus_name = collection_name(name, embedder_digest)
        with milvus_errors(self.where):
            known = self._client.has_collection(milvus_name)
            if not known:
                self.before_write()
                create_collection(self._client, milvus_name, dim, graph=self.graph)
            self._client.load_collection(milvus_name)
            index = MilvusIndex(self, self._client, milvus_name, dim)
            if known:
                index.check_dim()
        if known and self._lite and not self._lite.clean:
            index.verify()
        return index

    def drop(self, name: str, embedder_digest: str = "") -> None:
        """Remove the collection's vectors; unknown is fine."""
        with milvus_errors(self.where):
            self.before_write()
            self._client.drop_collection(collection_name(name, embedder_digest))

    def compact(self) -> None:
        """Rewrite the lite file without what it keeps of deleted rows; a server compacts by itself.

        Raises BackendError.
        """
        if self._lite:
            self._lite.before_write()
            self._lite.compact()

    def before_write(self) -> None:
        """Every write announces itself: the file's seal is broken first."""
        if self._lite:
            self._lite.before_write()

    def close(self) -> None:
        """End client and helper, seal the file. Harmless when closed already."""
        client, self._client = self._client, None
        try:
            if client is not None:
                client.close()
        finally:
            if self._lite:
                self._lite.stop()

    @staticmethod
    def discard(path: Path) -> None:
        """Remove a damaged lite file and what belongs to it; nobody may have it open."""
        for suffix in ("", "-journal", "-wal", "-shm", ".sha256"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)


class MilvusIndex:
    """The vectors of one collection. Safe to search from several threads."""

    def __init__(self, store: MilvusStore, client: Any, name: str, dim: int) -> None:
        """Made by :meth:`MilvusStore.collection`."""
        self.name = name
        self._store = store
        self._client = client
        self._dim = dim
        self._where = f"{store.where} ({name})"

    def upsert(self, passages: Sequence[Passage], vectors: Vectors) -> None:
        """Add or replace by id; searchable when it returns. ``vectors``: (n, dim) float32, L2-normalised."""
        array = np.ascontiguousarray(vectors, dtype=np.float32)
        if array.shape != (len(passages), self._dim) or not np.isfinite(array).all():
            raise BackendError(f"{self._where}: vectors of shape {array.shape} for {len(passages)} passages")
        rows = list({p.id: _row(p, vector) for p, vector in zip(passages, array, strict=True)}.values())
        with milvus_errors(self._where):
            for start in range(0, len(rows), WRITE_ROWS):
                self._store.before_write()
                self._client.upsert(self.name, rows[start : start + WRITE_ROWS], timeout=TIMEOUT_S)

    def delete(self, ids: Iterable[PassageId]) -> None:
        """Remove; unknown ids are ignored."""
        wanted = sorted({int(passage_id) for passage_id in ids})
        with milvus_errors(self._where):
            for start in range(0, len(wanted), READ_ROWS):
                self._store.before_write()
                self._client.delete(self.name, ids=wanted[start : start + READ_ROWS], timeout=TIMEOUT_S)

    def search(self, vectors: Vectors, k: int, scope: Scope) -> list[list[Scored]]:
        """Per query the ``k`` nearest readable passages, cosine, best first, ties by passage id."""
        array = np.ascontiguousarray(vectors, dtype=np.float32).reshape(-1, self._dim)
        if k < 1 or not len(array) or not scope.groups:
            return [[] for _ in array]
        limit = min(k + _SPARE, LIMIT)
        while True:
            found = self._nearest(array, limit, scope)
            if limit == LIMIT or not any(cut and _too_few(hits, k) for hits, cut in found):
                return [sorted(hits, key=lambda hit: (-hit.score, hit.passage_id))[:k] for hits, _ in found]
            limit = min(limit * 4, LIMIT)

    def count(self) -> int:
        """Rows held, every finished write included."""
        with milvus_errors(self._where):
            answer = self._client.query(self.name, filter="", output_fields=["count(*)"], timeout=TIMEOUT_S)
        return int(answer[0]["count(*)"])

    def ids_checksum(self) -> str:
        """See :func:`appliance.store.checksums.ids_checksum`: compare with SQLite's."""
        return ids_checksum(int(row["id"]) for row in self._rows(["id"], LIMIT // 2))

    def verify(self) -> None:
        """Read every vector back and compare its checksum (about 2,000 rows/s). Raises DamagedError."""
        seen = 0
        for row in self._rows(["vector", "vec_crc"], READ_ROWS):
            seen += 1
            if _crc(np.asarray(row["vector"], dtype=np.float32)) != row["vec_crc"]:
                raise self._damaged(f"the vector of passage {row['id']} is not what was written")
        if seen != self.count():
            raise self._damaged(f"{seen} rows can be read of {self.count()}")

    def check_dim(self) -> None:
        """Raises DamagedError when the stored vectors have another length."""
        fields = self._client.describe_collection(self.name)["fields"]
        dims = [int(field["params"]["dim"]) for field in fields if field["name"] == "vector"]
        if dims != [self._dim]:
            raise self._damaged(f"its vectors have dimension {dims}, the embedder's {self._dim}")

    def _nearest(self, array: Vectors, limit: int, scope: Scope) -> list[tuple[list[Scored], bool]]:
        """Per query the readable hits among the ``limit`` nearest, and whether there may be more."""
        unwanted = {f"!{name}" for name in scope.denied_as()}
        with milvus_errors(self._where):
            answers = self._client.search(
                self.name,
                data=list(array),
                filter=expression(scope),
                limit=limit,
                search_params={"metric_type": "IP", "params": self._search_params(limit)},
                output_fields=["groups"],
                consistency_level="Session",  # sees every write of this process, and there is no other writer
                timeout=TIMEOUT_S,
            )
        return [
            (
                [
                    Scored(passage_id=PassageId(int(hit["id"])), score=float(hit["distance"]))
                    for hit in hits
                    if unwanted.isdisjoint(hit["entity"]["groups"])
                ],
                len(hits) == limit,
            )
            for hits in answers
        ]

    def _search_params(self, limit: int) -> dict[str, int]:
        """A graph is walked with at least as many candidates as hits are wanted."""
        return {"ef": max(GRAPH_WIDTH, 2 * limit)} if self._store.graph else {}

    def _rows(self, fields: list[str], batch: int) -> Iterator[dict[str, Any]]:
        with milvus_errors(self._where):
            pages = self._client.query_iterator(
                self.name, batch_size=batch, filter="", output_fields=fields, timeout=TIMEOUT_S
            )
            try:
                while page := pages.next():
                    yield from page
            finally:
                pages.close()

    def _damaged(self, reason: str) -> DamagedError:
        return DamagedError(f"{self._where} is damaged: {reason}", hint="run `assay rebuild`")


def collection_name(name: str, embedder_digest: str) -> str:
    """``c_`` + hex of the name (its sha256 when long) + the embedder's digest: only ``[a-z0-9_]``."""
    code = name.encode().hex() if len(name.encode()) <= 60 else hashlib.sha256(name.encode()).hexdigest()
    digest = re.sub("[^a-z0-9]", "", embedder_digest.lower())[:12]
    return f"c_{code}_{digest}" if digest else f"c_{code}"


def _row(passage: Passage, vector: Vectors) -> dict[str, Any]:
    return {
        "id": int(passage.id),
        "vector": vector,
        "document_id": passage.document_id,
        "groups": list(passage.access_marks()),
        "language": passage.language,
        "published": passage.published or "",
        "kind": str(passage.kind),
        "vec_crc": _crc(vector),
    }


def _crc(vector: Vectors) -> int:
    return zlib.crc32(vector.tobytes())


def _too_few(hits: list[Scored], k: int) -> bool:
    """Whether the first k, or passages as good as the k-th, may have been left out."""
    return len(hits) <= k or hits[-1].score == hits[k - 1].score
