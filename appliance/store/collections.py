"""Collections: a name and the embedder whose vectors its index holds."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from appliance.errors import NotFoundError
from appliance.store.sqlite import Database


class Collection(msgspec.Struct, frozen=True, kw_only=True):
    """One collection as listed."""

    name: str
    embedder: str
    """Manifest name of the embedder it was made with."""
    created_at: str
    documents: int


class Collections:
    """The repository of collections."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def ensure(self, name: str, embedder: str) -> Collection:
        """The collection, made with this embedder if it is new (an old one keeps its own)."""
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO collections VALUES (?, ?, ?)", (name, embedder, utc_now())
            )
            return self.get(name)

    def set_embedder(self, name: str, embedder: str) -> None:
        """From now on the collection's vectors are this embedder's (a rebuild makes them)."""
        with self._database.transaction() as connection:
            connection.execute("UPDATE collections SET embedder = ? WHERE name = ?", (embedder, name))

    def get(self, name: str) -> Collection:
        """Raises NotFoundError that names the collections there are."""
        for collection in self.list():
            if collection.name == name:
                return collection
        known = ", ".join(collection.name for collection in self.list()) or "none yet"
        hint = f"collections here: {known}; assay ingest PATH --collection {name} makes it"
        raise NotFoundError(f"no collection {name!r}", hint=hint)

    def list(self) -> list[Collection]:
        """All collections, by name."""
        rows = self._database.query(
            "SELECT c.name, c.embedder, c.created_at,"
            " (SELECT count(*) FROM documents d WHERE d.collection = c.name) AS documents"
            " FROM collections c ORDER BY c.name"
        )
        return [msgspec.convert(dict(row), Collection) for row in rows]


def utc_now() -> str:
    """UTC, ISO 8601, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
