# pyright: basic
"""LangGraph's checkpoints in our database: each ``put`` is on disk when it returns, as readable JSON.

Each carries the digest of the one before it (``store/step_digest.py``), and the run that of the newest. The
saver is synchronous: the loop runs in a thread of its own.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_checkpoint_metadata,
)

from appliance.store.serializer import JsonSerializer
from appliance.store.sqlite import Database
from appliance.store.step_digest import step_digest


class SqliteCheckpointer(BaseCheckpointSaver[int]):
    """``put put_writes get_tuple list delete_thread`` over two tables."""

    def __init__(self, database: Database, serializer: JsonSerializer | None = None) -> None:
        super().__init__(serde=serializer or JsonSerializer())
        self._database = database

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store one checkpoint whole; the config that names it is returned."""
        thread, ns, parent = _address(config)
        step = (self._text(checkpoint), self._text(get_checkpoint_metadata(config, metadata)))
        with self._database.transaction() as connection:
            row = connection.execute(
                "SELECT digest FROM checkpoints WHERE thread_id = ? AND ns = ? AND checkpoint_id = ?",
                (thread, ns, parent),
            ).fetchone()
            before = str(row[0]) if row else ""
            digest = step_digest(before, checkpoint["id"], parent, *step)
            connection.execute(
                "INSERT OR REPLACE INTO checkpoints(thread_id, ns, checkpoint_id, parent_id, checkpoint,"
                " metadata, prev_digest, digest, event_seq) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8,"
                " coalesce((SELECT max(seq) FROM events WHERE run_id = ?1), 0))",
                (thread, ns, checkpoint["id"], parent, *step, before, digest),
            )
            connection.execute("UPDATE runs SET head = ? WHERE id = ?", (digest, thread))
        return _config(thread, ns, checkpoint["id"])

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store what one task wrote; a write that is there stays, but special ones are replaced."""
        thread, ns, checkpoint = _address(config)
        with self._database.transaction() as connection:
            for position, (channel, value) in enumerate(writes):
                index = WRITES_IDX_MAP.get(channel, position)
                verb = "INSERT OR REPLACE" if index < 0 else "INSERT OR IGNORE"
                connection.execute(
                    f"{verb} INTO checkpoint_writes VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (thread, ns, checkpoint, task_id, index, task_path, channel, self._text(value)),
                )

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The named checkpoint, or the thread's latest."""
        thread, ns, checkpoint = _address(config)
        row = self._database.one(
            "SELECT * FROM checkpoints WHERE thread_id = ? AND ns = ? AND (?3 IS NULL OR checkpoint_id = ?3)"
            " ORDER BY checkpoint_id DESC LIMIT 1",
            (thread, ns, checkpoint),
        )
        return self._tuple(row) if row else None

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Newest first; of all threads when ``config`` is None."""
        named = config.get("configurable", {}) if config else {}
        rows = self._database.query(
            "SELECT * FROM checkpoints WHERE (?1 IS NULL OR thread_id = ?1) AND (?2 IS NULL OR ns = ?2)"
            " AND (?3 IS NULL OR checkpoint_id = ?3) AND (?4 IS NULL OR checkpoint_id < ?4)"
            " ORDER BY checkpoint_id DESC",
            (
                named.get("thread_id"),
                named.get("checkpoint_ns"),
                named.get("checkpoint_id"),
                get_checkpoint_id(before) if before else None,
            ),
        )
        left = len(rows) if limit is None else limit
        for row in rows:
            if left <= 0:
                return
            found = self._tuple(row)
            if all(found.metadata.get(key) == value for key, value in (filter or {}).items()):
                left -= 1
                yield found

    def delete_thread(self, thread_id: str) -> None:
        """Forget a run's checkpoints."""
        with self._database.transaction() as connection:
            for table in ("checkpoints", "checkpoint_writes"):
                connection.execute(f"DELETE FROM {table} WHERE thread_id = ?", (thread_id,))
            connection.execute("UPDATE runs SET head = '' WHERE id = ?", (thread_id,))

    def with_allowlist(self, extra_allowlist: Collection[tuple[str, ...]]) -> SqliteCheckpointer:
        """Itself: our serializer has its own list of types."""
        return self

    def _tuple(self, row: sqlite3.Row) -> CheckpointTuple:
        thread, ns, checkpoint = row["thread_id"], row["ns"], row["checkpoint_id"]
        writes = self._database.query(
            "SELECT task_id, channel, value FROM checkpoint_writes"
            " WHERE thread_id = ? AND ns = ? AND checkpoint_id = ? ORDER BY task_path, task_id, idx",
            (thread, ns, checkpoint),
        )
        parent = row["parent_id"]
        return CheckpointTuple(
            config=_config(thread, ns, checkpoint),
            checkpoint=self._loaded(row["checkpoint"]),
            metadata=self._loaded(row["metadata"]),
            parent_config=_config(thread, ns, parent) if parent else None,
            pending_writes=[(write[0], write[1], self._loaded(write[2])) for write in writes],
        )

    def _text(self, value: Any) -> str:
        return self.serde.dumps_typed(value)[1].decode()

    def _loaded(self, text: str) -> Any:
        return self.serde.loads_typed(("json", text.encode()))


def _address(config: RunnableConfig) -> tuple[str, str, str | None]:
    named = config.get("configurable", {})
    return named["thread_id"], named.get("checkpoint_ns", ""), named.get("checkpoint_id")


def _config(thread: str, ns: str, checkpoint: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": ns, "checkpoint_id": checkpoint}}
