"""How past questions of a collection fared: which route had found the passage that was cited in the end.

Arrives: a question's vector and the ranks of what its verified claims cite. Leaves, for a new question: an
:class:`Experience`. Kept are the vector in 8-bit integers and two numbers: no words of a question or a
document, nobody's name, no time, so that everyone's search may learn from everyone's questions. The newest
2,000 of a collection stay; they go with the collection, and are passed over once its embedder changes.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from appliance.domain import Experience, Fingerprint, Hit, Struct
from appliance.store.sqlite import Database

KEPT = 2_000
NEAREST = 8
NEAR = 0.75
"""Cosine from which a past question counts. By the default encoder, any two questions of one collection have
a median of 0.76–0.90: even one that is not alike tells of the collection, and ``similarity`` which it is."""
_EIGHT_BITS = 127
Vector = npt.NDArray[np.float32]


def experience_of(cosines: Vector, routes: Vector) -> Experience:
    """What the past questions at these cosines, ``routes`` (n, 2) as kept, tell; n is at least 1."""
    order = np.argsort(-cosines, kind="stable")[:NEAREST]
    order = order[cosines[order] >= NEAR]
    all_dense, all_lexical = routes.mean(axis=0)
    known = Experience(held=len(routes), all_dense=float(all_dense), all_lexical=float(all_lexical))
    if not order.size:
        return known
    dense, lexical = routes[order].mean(axis=0)
    return msgspec.structs.replace(
        known,
        questions=int(order.size),
        similarity=float(cosines[order[0]]),
        dense=float(dense),
        lexical=float(lexical),
    )


class _Held(Struct, frozen=True, kw_only=True):
    """A collection's rows, as arrays."""

    newest: int
    matrix: npt.NDArray[np.float32]
    """(n, dim), L2-normalised."""
    routes: npt.NDArray[np.float32]
    """(n, 2): ``1 / rank`` by dense and by lexical recall."""


class Experiences:
    """The memory of every collection. The system's own: it answers with two means, whoever asks."""

    def __init__(self, database: Database, *, kept: int = KEPT) -> None:
        """``kept``: how many questions of a collection stay."""
        self._database, self._kept = database, kept
        self._lock = threading.Lock()
        self._held: dict[str, _Held] = {}

    def remember(
        self, collection: str, vector: Vector, *, dense_rank: int | None, lexical_rank: int | None
    ) -> None:
        """Add one question whose answer was verified; the oldest beyond the limit leave.

        Ranks are 1-based, None where the route had not found what was cited.
        """
        scaled = np.rint(vector * (_EIGHT_BITS / max(float(np.abs(vector).max()), 1e-9))).astype(np.int8)
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO experiences(collection, embedder, vector, dense, lexical)"
                " SELECT name, embedder, ?, ?, ? FROM collections WHERE name = ?",
                (scaled.tobytes(), _reciprocal(dense_rank), _reciprocal(lexical_rank), collection),
            )
            connection.execute(
                "DELETE FROM experiences WHERE collection = ?1 AND id <="
                " (SELECT id FROM experiences WHERE collection = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
                (collection, self._kept),
            )

    def like(self, collection: str, vector: Vector) -> Experience:
        """What past questions met: the (at most eight) nearest, and all; nothing where there are none."""
        held = self._load(collection, vector.size)
        if not held.newest:
            return Experience()
        return experience_of(held.matrix @ vector, held.routes)

    def forget(self, collection: str) -> None:
        """Erase all of a collection."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM experiences WHERE collection = ?", (collection,))

    def _load(self, collection: str, dim: int) -> _Held:
        """The rows as arrays, read again only when one was added since."""
        row = self._database.one(
            "SELECT coalesce(max(e.id), 0) FROM experiences e JOIN collections c ON c.name = e.collection"
            " AND c.embedder = e.embedder WHERE e.collection = ?",
            (collection,),
        )
        newest = int(row[0]) if row else 0
        with self._lock:
            known = self._held.get(collection)
            if known is None or known.newest != newest:
                known = self._held[collection] = self._read(collection, newest, dim)
            return known

    def _read(self, collection: str, newest: int, dim: int) -> _Held:
        rows = self._database.query(
            "SELECT e.vector, e.dense, e.lexical FROM experiences e JOIN collections c"
            " ON c.name = e.collection AND c.embedder = e.embedder"
            " WHERE e.collection = ? AND length(e.vector) = ? ORDER BY e.id",
            (collection, dim),
        )
        whole = np.frombuffer(b"".join(bytes(row[0]) for row in rows), dtype=np.int8)
        matrix = whole.reshape(len(rows), dim).astype(np.float32)
        lengths = np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)
        return _Held(
            newest=newest if rows else 0,
            matrix=matrix / lengths,
            routes=np.array([(row[1], row[2]) for row in rows], dtype=np.float32).reshape(len(rows), 2),
        )


def cited_ranks(hits: Sequence[Hit], cited: Collection[Fingerprint]) -> tuple[int | None, int | None] | None:
    """The best dense and the best lexical rank among the cited hits; None where no hit was cited."""
    chosen = [hit for hit in hits if hit.passage.fingerprint in cited]
    if not chosen:
        return None
    dense = [hit.dense_rank for hit in chosen if hit.dense_rank is not None]
    lexical = [hit.lexical_rank for hit in chosen if hit.lexical_rank is not None]
    return min(dense, default=None), min(lexical, default=None)


def _reciprocal(rank: int | None) -> float:
    return 1 / rank if rank else 0.0
