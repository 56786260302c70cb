"""Plans that worked in a collection, and how often each tool answered which kind of question.

Arrives: skeletons (a fixed vocabulary and slots: no name, no figure, nobody's words), outcomes. Leaves:
the skeletons nearest to a question's own, counts. Everyone's questions teach everyone's; all goes with the
collection.
"""

from __future__ import annotations

import msgspec
import numpy as np
import numpy.typing as npt

from appliance.domain import Offer, Skeleton
from appliance.store.sqlite import Database

KEPT = 500
"""Skeletons of a collection; those that worked least, then the oldest, leave."""
NEAREST = 5
Vector = npt.NDArray[np.float32]


class Skeletons:
    """The plan memory of every collection."""

    def __init__(self, database: Database, *, kept: int = KEPT) -> None:
        """``kept``: how many of a collection stay."""
        self._database, self._kept = database, kept

    def remember(self, collection: str, skeleton: Skeleton, vector: Vector, *, worked: bool) -> None:
        """Count how a plan did. One that never worked is not kept; the newest that worked replaces the plan.

        ``vector``: of the signature, ``(dim,) float32``, L2-normalised.
        """
        key = (collection, skeleton.signature)
        with self._database.transaction() as connection:
            if not worked:
                connection.execute(
                    "UPDATE plan_skeletons SET failed = failed + 1 WHERE collection = ? AND signature = ?",
                    key,
                )
                return
            connection.execute(
                "INSERT INTO plan_skeletons(collection, embedder, signature, skeleton, vector, worked)"
                " SELECT name, embedder, ?, ?, ?, 1 FROM collections WHERE name = ?"
                " ON CONFLICT(collection, signature) DO UPDATE SET worked = worked + 1,"
                " skeleton = excluded.skeleton, vector = excluded.vector, embedder = excluded.embedder",
                (
                    skeleton.signature,
                    msgspec.json.encode(skeleton).decode(),
                    vector.astype(np.float32).tobytes(),
                    collection,
                ),
            )
            connection.execute(
                "DELETE FROM plan_skeletons WHERE collection = ?1 AND id IN (SELECT id FROM plan_skeletons"
                " WHERE collection = ?1 ORDER BY worked - failed DESC, id DESC LIMIT -1 OFFSET ?2)",
                (collection, self._kept),
            )

    def like(self, collection: str, vector: Vector, *, nearest: int = NEAREST) -> list[Offer]:
        """The skeletons with the nearest signatures, best first; none of an earlier embedder."""
        rows = self._database.query(
            "SELECT s.skeleton, s.vector, s.worked, s.failed FROM plan_skeletons s JOIN collections c"
            " ON c.name = s.collection AND c.embedder = s.embedder"
            " WHERE s.collection = ? AND length(s.vector) = ? ORDER BY s.id",
            (collection, vector.size * 4),
        )
        if not rows:
            return []
        vectors = b"".join(bytes(row[1]) for row in rows)
        matrix = np.frombuffer(vectors, dtype=np.float32)
        cosines = matrix.reshape(len(rows), vector.size) @ vector
        offers: list[Offer] = []
        for n in (int(each) for each in np.argsort(-cosines, kind="stable")[:nearest]):
            text, _, worked, failed = rows[n]
            skeleton = msgspec.json.decode(str(text), type=Skeleton)
            offers.append(
                Offer(skeleton=skeleton, similarity=float(cosines[n]), worked=int(worked), failed=int(failed))
            )
        return offers

    def forget(self, collection: str) -> None:
        """Erase all of a collection."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM plan_skeletons WHERE collection = ?", (collection,))


class ToolOutcomes:
    """What the utility matrix learns from."""

    def __init__(self, database: Database) -> None:
        """Take the open database."""
        self._database = database

    def learn(self, collection: str, kind: str, tool: str, *, worked: bool) -> None:
        """Count one task: whether the tool found what was asked. An unknown collection is passed over."""
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO tool_outcomes(collection, kind, tool, worked, failed)"
                " SELECT name, ?, ?, ?, ? FROM collections WHERE name = ?"
                " ON CONFLICT(collection, kind, tool) DO UPDATE SET"
                " worked = worked + excluded.worked, failed = failed + excluded.failed",
                (kind, tool, int(worked), int(not worked), collection),
            )

    def of(self, collection: str) -> dict[tuple[str, str], tuple[int, int]]:
        """By kind of question and tool: tasks that worked, tasks that did not."""
        rows = self._database.query(
            "SELECT kind, tool, worked, failed FROM tool_outcomes WHERE collection = ?", (collection,)
        )
        return {(str(row[0]), str(row[1])): (int(row[2]), int(row[3])) for row in rows}
