"""The schema, as decorated functions in order; the table ``migrations`` names those already applied."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime

from appliance.store import memory_schema
from appliance.store.step_digest import step_digest
from appliance.store.title_keys import title_key

Migration = Callable[[sqlite3.Connection], None]
_MIGRATIONS: list[Migration] = []


def migration(function: Migration) -> Migration:
    """Register the function under its name. Never rename or reorder one that was released."""
    _MIGRATIONS.append(function)
    return function


def migrate(connection: sqlite3.Connection) -> list[str]:
    """Names of the migrations applied now. Call it inside a transaction."""
    connection.execute(
        "CREATE TABLE IF NOT EXISTS migrations(name TEXT PRIMARY KEY, applied_at TEXT NOT NULL)"
    )
    done = {str(row[0]) for row in connection.execute("SELECT name FROM migrations")}
    applied: list[str] = []
    for step in _MIGRATIONS:
        name = step.__name__
        if name not in done:
            step(connection)
            now = datetime.now(UTC).isoformat(timespec="seconds")
            connection.execute("INSERT INTO migrations VALUES (?, ?)", (name, now))
            applied.append(name)
    return applied


def _run(connection: sqlite3.Connection, script: str) -> None:
    # Not executescript: that would commit the transaction around us.
    for statement in script.split(";"):
        if statement.strip():
            connection.execute(statement)


@migration
def m001_documents(connection: sqlite3.Connection) -> None:
    """Collections, documents, their versions and sections."""
    _run(
        connection,
        """
        CREATE TABLE collections(name TEXT PRIMARY KEY, embedder TEXT NOT NULL, created_at TEXT NOT NULL);
        CREATE TABLE documents(
            id TEXT PRIMARY KEY, collection TEXT NOT NULL REFERENCES collections(name),
            record_id TEXT NOT NULL, title TEXT NOT NULL, language TEXT NOT NULL, published TEXT,
            source TEXT NOT NULL, groups TEXT NOT NULL, current_version INTEGER NOT NULL,
            UNIQUE(collection, record_id));
        CREATE TABLE versions(
            document_id TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE, version INTEGER NOT NULL,
            content_sha256 TEXT NOT NULL, blob_sha256 TEXT NOT NULL, bytes INTEGER NOT NULL,
            format TEXT NOT NULL, title TEXT NOT NULL, language TEXT NOT NULL, published TEXT,
            published_from TEXT NOT NULL, meta TEXT NOT NULL, warnings TEXT NOT NULL,
            ingested_at TEXT NOT NULL, PRIMARY KEY(document_id, version)) WITHOUT ROWID;
        CREATE INDEX versions_blob ON versions(blob_sha256);
        CREATE TABLE sections(
            document_id TEXT NOT NULL, version INTEGER NOT NULL, ordinal INTEGER NOT NULL,
            title TEXT NOT NULL, level INTEGER NOT NULL, trail TEXT NOT NULL, blocks TEXT NOT NULL,
            PRIMARY KEY(document_id, version, ordinal),
            FOREIGN KEY(document_id, version) REFERENCES versions ON DELETE CASCADE);
        """,
    )


@migration
def m002_passages(connection: sqlite3.Connection) -> None:
    """Passages, where each version has them, and what the indexes are known to hold.

    ``passages.version`` is the last version that has the passage; ``indexed`` is an ``IndexedState``.
    """
    _run(
        connection,
        """
        CREATE TABLE passages(
            id INTEGER PRIMARY KEY AUTOINCREMENT, fingerprint TEXT NOT NULL UNIQUE,
            document_id TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
            collection TEXT NOT NULL, version INTEGER NOT NULL, section_path TEXT NOT NULL,
            text TEXT NOT NULL, text_sha256 TEXT NOT NULL, token_count INTEGER NOT NULL,
            language TEXT NOT NULL, kind TEXT NOT NULL, current INTEGER NOT NULL, indexed INTEGER NOT NULL,
            head_sha256 TEXT NOT NULL);
        CREATE INDEX passages_document ON passages(document_id);
        CREATE INDEX passages_collection ON passages(collection, current, id);
        CREATE INDEX passages_head ON passages(head_sha256);
        CREATE INDEX passages_pending ON passages(collection, id) WHERE current = 1 AND indexed <> 1;
        CREATE INDEX passages_retired ON passages(collection, id) WHERE current = 0 AND indexed <> 0;
        CREATE TABLE placements(
            document_id TEXT NOT NULL, version INTEGER NOT NULL, ordinal INTEGER NOT NULL,
            passage_id INTEGER NOT NULL REFERENCES passages(id) ON DELETE CASCADE,
            page_first INTEGER, page_last INTEGER,
            PRIMARY KEY(document_id, version, ordinal),
            FOREIGN KEY(document_id, version) REFERENCES versions ON DELETE CASCADE) WITHOUT ROWID;
        CREATE INDEX placements_passage ON placements(passage_id, version);
        CREATE TABLE removed_passages(id INTEGER PRIMARY KEY, collection TEXT NOT NULL);
        CREATE TABLE index_state(
            collection TEXT NOT NULL, kind TEXT NOT NULL, generation INTEGER NOT NULL, count INTEGER NOT NULL,
            checksum TEXT NOT NULL, PRIMARY KEY(collection, kind)) WITHOUT ROWID;
        """,
    )


@migration
def m003_ingest_jobs(connection: sqlite3.Connection) -> None:
    """The durable queue of ingest and what it refused."""
    _run(
        connection,
        """
        CREATE TABLE ingest_jobs(
            id INTEGER PRIMARY KEY AUTOINCREMENT, collection TEXT NOT NULL, source TEXT NOT NULL,
            record_id TEXT NOT NULL, groups TEXT NOT NULL, state TEXT NOT NULL, blob_sha256 TEXT NOT NULL,
            documents INTEGER NOT NULL DEFAULT 0, passages INTEGER NOT NULL DEFAULT 0,
            skipped INTEGER NOT NULL DEFAULT 0, records_read INTEGER NOT NULL DEFAULT 0,
            error TEXT NOT NULL DEFAULT '', enqueued_at TEXT NOT NULL);
        CREATE INDEX ingest_jobs_open ON ingest_jobs(id) WHERE state IN ('queued', 'stored');
        CREATE TABLE ingest_refusals(
            job_id INTEGER NOT NULL REFERENCES ingest_jobs(id) ON DELETE CASCADE, item TEXT NOT NULL,
            reason TEXT NOT NULL, PRIMARY KEY(job_id, item)) WITHOUT ROWID;
        """,
    )


@migration
def m004_runs(connection: sqlite3.Connection) -> None:
    """Runs, their events and LangGraph's checkpoints."""
    _run(
        connection,
        """
        CREATE TABLE runs(
            id TEXT PRIMARY KEY, collection TEXT NOT NULL, question TEXT NOT NULL, user TEXT NOT NULL,
            groups TEXT NOT NULL, status TEXT NOT NULL, config_digest TEXT NOT NULL,
            model_digests TEXT NOT NULL, created_at TEXT NOT NULL, finished_at TEXT, answer TEXT, usage TEXT,
            timings TEXT NOT NULL DEFAULT '{}', parent TEXT, error TEXT NOT NULL DEFAULT '');
        CREATE INDEX runs_user ON runs(user, created_at);
        CREATE TABLE events(
            run_id TEXT NOT NULL REFERENCES runs(id) ON DELETE CASCADE, seq INTEGER NOT NULL,
            kind TEXT NOT NULL, at TEXT NOT NULL, data TEXT NOT NULL, PRIMARY KEY(run_id, seq)) WITHOUT ROWID;
        CREATE TABLE checkpoints(
            thread_id TEXT NOT NULL, ns TEXT NOT NULL, checkpoint_id TEXT NOT NULL, parent_id TEXT,
            checkpoint TEXT NOT NULL, metadata TEXT NOT NULL,
            PRIMARY KEY(thread_id, ns, checkpoint_id)) WITHOUT ROWID;
        CREATE TABLE checkpoint_writes(
            thread_id TEXT NOT NULL, ns TEXT NOT NULL, checkpoint_id TEXT NOT NULL, task_id TEXT NOT NULL,
            idx INTEGER NOT NULL, task_path TEXT NOT NULL, channel TEXT NOT NULL, value TEXT NOT NULL,
            PRIMARY KEY(thread_id, ns, checkpoint_id, task_id, idx)) WITHOUT ROWID;
        """,
    )


@migration
def m005_metadata(connection: sqlite3.Connection) -> None:
    """Metadata, denies, declared ids, what a parse found, section types, and what was erased."""
    _run(
        connection,
        """
        ALTER TABLE documents ADD COLUMN denied TEXT NOT NULL DEFAULT '[]';
        ALTER TABLE documents ADD COLUMN declared_id TEXT NOT NULL DEFAULT '';
        ALTER TABLE documents ADD COLUMN metadata TEXT NOT NULL DEFAULT '{}';
        CREATE UNIQUE INDEX documents_declared ON documents(collection, declared_id) WHERE declared_id <> '';
        ALTER TABLE versions ADD COLUMN source_record TEXT NOT NULL DEFAULT '';
        ALTER TABLE versions ADD COLUMN published_set TEXT;
        ALTER TABLE versions ADD COLUMN effective_from TEXT;
        ALTER TABLE versions ADD COLUMN effective_to TEXT;
        ALTER TABLE versions ADD COLUMN title_from TEXT NOT NULL DEFAULT '';
        ALTER TABLE versions ADD COLUMN authors TEXT NOT NULL DEFAULT '[]';
        ALTER TABLE versions ADD COLUMN authors_from TEXT NOT NULL DEFAULT '';
        ALTER TABLE versions ADD COLUMN edition TEXT NOT NULL DEFAULT '';
        ALTER TABLE versions ADD COLUMN edition_from TEXT NOT NULL DEFAULT '';
        ALTER TABLE versions ADD COLUMN pages INTEGER;
        UPDATE versions SET source_record = (SELECT d.record_id FROM documents d WHERE d.id = document_id);
        CREATE INDEX versions_source ON versions(source_record);
        ALTER TABLE sections ADD COLUMN type TEXT NOT NULL DEFAULT 'body';
        ALTER TABLE passages ADD COLUMN section_type TEXT NOT NULL DEFAULT 'body';
        ALTER TABLE ingest_jobs ADD COLUMN metadata TEXT NOT NULL DEFAULT '{}';
        CREATE TABLE erased_documents(
            id TEXT PRIMARY KEY, collection TEXT NOT NULL, erased_at TEXT NOT NULL) WITHOUT ROWID;
        """,
    )


@migration
def m006_job_schedule(connection: sqlite3.Connection) -> None:
    """Priorities, retries, reports and origins of ingest jobs; what a person told the queue.

    ``due`` orders the queue (``job_schedule.due``); jobs of one ``lane`` are read one after the other.
    """
    _run(
        connection,
        """
        ALTER TABLE ingest_jobs ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE ingest_jobs ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE ingest_jobs ADD COLUMN size_class INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE ingest_jobs ADD COLUMN lane TEXT NOT NULL DEFAULT '';
        ALTER TABLE ingest_jobs ADD COLUMN due REAL NOT NULL DEFAULT 0;
        ALTER TABLE ingest_jobs ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE ingest_jobs ADD COLUMN not_before REAL NOT NULL DEFAULT 0;
        ALTER TABLE ingest_jobs ADD COLUMN started_at TEXT NOT NULL DEFAULT '';
        ALTER TABLE ingest_jobs ADD COLUMN finished_at TEXT NOT NULL DEFAULT '';
        ALTER TABLE ingest_jobs ADD COLUMN root TEXT NOT NULL DEFAULT '';
        ALTER TABLE ingest_jobs ADD COLUMN report TEXT NOT NULL DEFAULT '{}';
        UPDATE ingest_jobs SET lane = CASE WHEN record_id LIKE '%.jsonl' THEN '*records*' ELSE record_id END;
        CREATE INDEX ingest_jobs_due ON ingest_jobs(due, id) WHERE state = 'queued';
        CREATE INDEX ingest_jobs_lane ON ingest_jobs(collection, lane, id) WHERE state = 'queued';
        CREATE INDEX ingest_jobs_record ON ingest_jobs(collection, record_id, id);
        CREATE INDEX ingest_jobs_source ON ingest_jobs(collection, source)
            WHERE state IN ('queued', 'stored');
        CREATE INDEX ingest_jobs_root ON ingest_jobs(collection, root) WHERE root <> '';
        CREATE TABLE ingest_control(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        """,
    )


@migration
def m007_job_parents(connection: sqlite3.Connection) -> None:
    """Which archive a queued file came out of."""
    _run(
        connection,
        """
        ALTER TABLE ingest_jobs ADD COLUMN parent INTEGER REFERENCES ingest_jobs(id) ON DELETE SET NULL;
        CREATE INDEX ingest_jobs_parent ON ingest_jobs(parent) WHERE parent IS NOT NULL;
        """,
    )


@migration
def m008_filters(connection: sqlite3.Connection) -> None:
    """Indexes behind callers' filters: dates, the rarer section types and kinds, a document's names."""
    _run(
        connection,
        """
        CREATE INDEX versions_published ON versions(coalesce(published_set, published));
        CREATE INDEX passages_section_type ON passages(collection, section_type, document_id)
            WHERE current = 1 AND section_type <> 'body';
        CREATE INDEX passages_kind ON passages(collection, kind, document_id)
            WHERE current = 1 AND kind <> 'paragraph';
        CREATE INDEX documents_record ON documents(record_id);
        CREATE INDEX documents_declared_id ON documents(declared_id);
        """,
    )


@migration
def m009_experience(connection: sqlite3.Connection) -> None:
    """How past questions fared: a vector and two numbers each, no words, nobody's name."""
    _run(
        connection,
        """
        CREATE TABLE experiences(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            collection TEXT NOT NULL REFERENCES collections(name) ON DELETE CASCADE, embedder TEXT NOT NULL,
            vector BLOB NOT NULL, dense REAL NOT NULL, lexical REAL NOT NULL);
        CREATE INDEX experiences_collection ON experiences(collection, id);
        """,
    )


@migration
def m010_titles(connection: sqlite3.Connection) -> None:
    """Documents found by the title that a text names; publisher and period of records."""
    _run(
        connection,
        """
        ALTER TABLE versions ADD COLUMN label TEXT NOT NULL DEFAULT '';
        ALTER TABLE documents ADD COLUMN title_key TEXT NOT NULL DEFAULT '';
        CREATE INDEX documents_title ON documents(collection, title_key) WHERE title_key <> '';
        """,
    )
    titles = connection.execute("SELECT id, title FROM documents").fetchall()
    connection.executemany(
        "UPDATE documents SET title_key = ? WHERE id = ?", [(title_key(row[1]), row[0]) for row in titles]
    )


@migration
def m011_plans(connection: sqlite3.Connection) -> None:
    """Plans that worked, without what they were about; how tools fared by kind of question."""
    _run(
        connection,
        """
        CREATE TABLE plan_skeletons(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            collection TEXT NOT NULL REFERENCES collections(name) ON DELETE CASCADE, embedder TEXT NOT NULL,
            signature TEXT NOT NULL, skeleton TEXT NOT NULL, vector BLOB NOT NULL,
            worked INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0,
            UNIQUE(collection, signature));
        CREATE TABLE tool_outcomes(
            collection TEXT NOT NULL REFERENCES collections(name) ON DELETE CASCADE,
            kind TEXT NOT NULL, tool TEXT NOT NULL, worked INTEGER NOT NULL DEFAULT 0,
            failed INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(collection, kind, tool)) WITHOUT ROWID;
        """,
    )


@migration
def m012_steering(connection: sqlite3.Connection) -> None:
    """What people say to a run, where a fork left its parent, and steps linked by digests."""
    _run(
        connection,
        """
        CREATE TABLE steering(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            run_id TEXT NOT NULL REFERENCES runs(id) ON DELETE CASCADE, kind TEXT NOT NULL,
            text TEXT NOT NULL DEFAULT '', user TEXT NOT NULL, at TEXT NOT NULL,
            taken_at TEXT, step INTEGER, outcome TEXT NOT NULL DEFAULT '');
        CREATE INDEX steering_run ON steering(run_id, id);
        ALTER TABLE runs ADD COLUMN options TEXT NOT NULL DEFAULT '{}';
        ALTER TABLE runs ADD COLUMN fork TEXT;
        ALTER TABLE runs ADD COLUMN head TEXT NOT NULL DEFAULT '';
        ALTER TABLE checkpoints ADD COLUMN prev_digest TEXT NOT NULL DEFAULT '';
        ALTER TABLE checkpoints ADD COLUMN digest TEXT NOT NULL DEFAULT '';
        ALTER TABLE checkpoints ADD COLUMN event_seq INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX runs_parent ON runs(parent) WHERE parent IS NOT NULL;
        """,
    )
    _seal_old_steps(connection)


def _seal_old_steps(connection: sqlite3.Connection) -> None:
    """Steps of before are linked as they are found: from here on a change shows."""
    addresses = connection.execute(
        "SELECT thread_id, ns, checkpoint_id FROM checkpoints ORDER BY thread_id, ns, checkpoint_id"
    ).fetchall()
    thread, digests = "", dict[str, str]()
    for address in addresses:
        if address[0] != thread:
            thread, digests = str(address[0]), {}
        where = " WHERE thread_id = ? AND ns = ? AND checkpoint_id = ?"
        row = connection.execute(
            f"SELECT parent_id, checkpoint, metadata FROM checkpoints{where}", tuple(address)
        ).fetchone()
        before = digests.get(row[0] or "", "")
        digest = step_digest(before, str(address[2]), row[0], str(row[1]), str(row[2]))
        digests[str(address[2])] = digest
        connection.execute(
            f"UPDATE checkpoints SET prev_digest = ?, digest = ?{where}", (before, digest, *address)
        )
        connection.execute("UPDATE runs SET head = ? WHERE id = ?", (digest, thread))


@migration
def m013_memory(connection: sqlite3.Connection) -> None:
    """What caches and the knowledge graph stand on: when a collection changed, for whom, what is known."""
    for statement in memory_schema.STATEMENTS:
        connection.execute(statement)


@migration
def m014_gone(connection: sqlite3.Connection) -> None:
    """What became of documents that are no longer here, told only to who could read them.

    Nobody is named for those erased before: to everyone they are unknown.
    """
    _run(
        connection,
        """
        ALTER TABLE erased_documents ADD COLUMN how TEXT NOT NULL DEFAULT 'erased';
        ALTER TABLE erased_documents ADD COLUMN groups TEXT NOT NULL DEFAULT '[]';
        ALTER TABLE erased_documents ADD COLUMN denied TEXT NOT NULL DEFAULT '[]';
        """,
    )


@migration
def m015_reviews(connection: sqlite3.Connection) -> None:
    """Withheld answers with all that led to them, one a run, and the documents they rest on."""
    _run(
        connection,
        """
        CREATE TABLE reviews(
            run_id TEXT PRIMARY KEY REFERENCES runs(id) ON DELETE CASCADE, collection TEXT NOT NULL,
            status TEXT NOT NULL, chain TEXT NOT NULL, opened_at TEXT NOT NULL,
            decided_at TEXT NOT NULL DEFAULT '', decided_by TEXT NOT NULL DEFAULT '',
            note TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
        CREATE INDEX reviews_status ON reviews(status, opened_at);
        CREATE TABLE review_sources(
            run_id TEXT NOT NULL REFERENCES reviews(run_id) ON DELETE CASCADE, document_id TEXT NOT NULL,
            PRIMARY KEY(run_id, document_id)) WITHOUT ROWID;
        CREATE INDEX review_sources_document ON review_sources(document_id);
        """,
    )
