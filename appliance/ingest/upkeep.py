"""Decision 1 at work: indexes are compared with SQLite when opened, and made anew when they differ."""

from __future__ import annotations

from appliance.errors import DamagedError
from appliance.ingest.indexes import Indexes
from appliance.ingest.indexing import Indexer
from appliance.ingest.progress import Cancelled, IngestProgress, Stage, Tell
from appliance.ingest.repositories import Repositories
from appliance.ports import Embedder


class Upkeep:
    """Verifies and rebuilds the indexes of a collection."""

    def __init__(
        self, repositories: Repositories, indexes: Indexes, indexer: Indexer, embedder: Embedder
    ) -> None:
        self._repositories = repositories
        self._indexes = indexes
        self._indexer = indexer
        self._embedder = embedder

    def verify(self, collection: str, tell: Tell, cancelled: Cancelled) -> str:
        """What was wrong, and is mended now; empty when both indexes hold exactly what SQLite says.

        Raises NotFoundError for an unknown collection. A warning is told before a rebuild begins.
        """
        self._repositories.collections.get(collection)
        try:
            self._indexes.dense(collection)  # opening verifies what was not closed
            self._indexer.take_back_unsure(collection)
            self._indexer.remove_leaving(collection)
            wrong = self._difference(collection)
        except DamagedError as error:
            wrong = error.message
        if wrong:
            warning = f"the indexes of {collection!r} are made anew: {wrong}"
            tell(IngestProgress(stage=Stage.WARNING, collection=collection, message=warning))
            self.rebuild(collection, tell, cancelled)
        return wrong

    def rebuild(self, collection: str, tell: Tell, cancelled: Cancelled) -> int:
        """How many passages both indexes hold after they were made again from SQLite.

        Stopped half-way, it goes on with the next ingest or ``Ingestor.resume``. Raises NotFoundError.
        """
        self._repositories.collections.get(collection)
        queue = self._repositories.queue
        # In this order: killed in between, the indexes hold more than SQLite expects, and verify sees it.
        queue.forget(collection)
        self._repositories.collections.set_embedder(collection, self._embedder.name)
        self._indexes.reset(collection)
        self._indexer.everything(collection, tell, cancelled)
        return queue.expected(collection).count

    def _difference(self, collection: str) -> str:
        expected = self._repositories.queue.expected(collection)
        dense, lexical = self._indexer.held(collection)
        for kind, held in (("dense", dense), ("lexical", lexical)):
            if held.count != expected.count:
                return f"the {kind} index holds {held.count} passages instead of {expected.count}"
            if held.checksum != expected.checksum:
                return f"the {kind} index holds other passages than SQLite"
        return ""
