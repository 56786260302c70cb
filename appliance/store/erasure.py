"""Erasing a document in SQLite: its rows, what the ingest queue says of it, and what runs quoted from it.

Arrives: a document. Leaves: no text of it in any row, and an account of what was removed. Indexes, caches,
originals and free pages are others' work (``ingest.erasing``), which calls this in the right order.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import msgspec

from appliance.domain import (
    Answer,
    Claim,
    Contradiction,
    DocumentId,
    Fingerprint,
    Review,
    ReviewStatus,
    RunId,
    Struct,
)
from appliance.domain.documents import indexed_text
from appliance.store.collections import utc_now
from appliance.store.sqlite import Database
from appliance.store.visibility import json_text

_HARMLESS = ("run.started", "run.resumed", "answer.cached", "answer.done")
"""Events that hold nothing that a document said."""
_RUNS_THAT_USED = """
    SELECT id FROM runs WHERE answer LIKE ?1
    UNION SELECT run_id FROM events WHERE data LIKE ?1
    UNION SELECT thread_id FROM checkpoints WHERE checkpoint LIKE ?1
    UNION SELECT thread_id FROM checkpoint_writes WHERE value LIKE ?1
    UNION SELECT run_id FROM reviews WHERE chain LIKE ?1
"""


class Traces(Struct, frozen=True, kw_only=True):
    """What a document left beyond its own rows."""

    indexed_texts: tuple[str, ...]
    """Every text that was ever embedded of it: titles changed from version to version."""
    blobs: tuple[str, ...]
    """Its originals, and the archives and mails that they came out of."""
    runs: tuple[RunId, ...]
    versions: int
    sections: int
    passages: int


class Erasure:
    """The SQLite part of erasing. The system's own: who may erase is asked before."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def traces(self, document: DocumentId) -> Traces:
        """What there is to be removed."""
        texts = self._database.query(
            "SELECT DISTINCT v.title, p.section_path, p.text, v.label FROM placements l"
            " JOIN passages p ON p.id = l.passage_id"
            " JOIN versions v ON v.document_id = l.document_id AND v.version = l.version"
            " WHERE l.document_id = ?",
            (document,),
        )
        blobs = self._database.query(
            "WITH RECURSIVE around(id, parent) AS (SELECT j.id, j.parent FROM ingest_jobs j"
            "  JOIN versions v ON v.blob_sha256 = j.blob_sha256 WHERE v.document_id = ?1"
            "  UNION SELECT j.id, j.parent FROM ingest_jobs j JOIN around a ON j.id = a.parent)"
            " SELECT blob_sha256 FROM versions WHERE document_id = ?1"
            " UNION SELECT blob_sha256 FROM ingest_jobs WHERE id IN (SELECT parent FROM around)"
            " AND blob_sha256 <> ''",
            (document,),
        )
        runs = self._database.query(_RUNS_THAT_USED, (f"%{document}#%",))
        return Traces(
            indexed_texts=tuple(indexed_text(*(str(cell) for cell in row)) for row in texts),
            blobs=tuple(str(row[0]) for row in blobs),
            runs=tuple(RunId(row[0]) for row in runs),
            versions=self._count("versions", document),
            sections=self._count("sections", document),
            passages=self._count("passages", document),
        )

    def retire(self, document: DocumentId) -> int:
        """Out of retrieval, first of all: how many passages the indexes now have to drop."""
        with self._database.transaction() as connection:
            connection.execute("UPDATE passages SET current = 0 WHERE document_id = ?", (document,))
            row = connection.execute(
                "SELECT count(*) FROM passages WHERE document_id = ? AND indexed <> 0", (document,)
            ).fetchone()
        return int(row[0])

    def running(self, runs: Sequence[RunId]) -> list[RunId]:
        """Those of the runs that are not finished."""
        rows = self._database.query(
            "SELECT id FROM runs WHERE status IN ('running', 'paused')"
            " AND id IN (SELECT value FROM json_each(?))",
            (json_text(runs),),
        )
        return [RunId(row[0]) for row in rows]

    def holders(self, blob_sha256: str, document: DocumentId) -> list[DocumentId]:
        """Other documents that the same original holds, or that are the same file under another name."""
        rows = self._database.query(
            "SELECT DISTINCT document_id FROM versions WHERE blob_sha256 = ? AND document_id <> ? ORDER BY 1",
            (blob_sha256, document),
        )
        return [DocumentId(row[0]) for row in rows]

    def erase(self, document: DocumentId, traces: Traces) -> dict[str, int]:
        """All rows and quotations, in one transaction; how many of what were removed or blanked."""
        with self._database.transaction() as connection:
            now = utc_now()
            row = connection.execute(
                "SELECT collection, record_id, groups, denied FROM documents WHERE id = ?", (document,)
            ).fetchone()
            jobs = _blank_jobs(connection, document, str(row[0]))
            connection.execute(
                "INSERT INTO removed_passages SELECT id, collection FROM passages"
                " WHERE document_id = ? AND indexed <> 0",
                (document,),
            )
            # A result of one task stands in the questions of the next: what such a run learned goes whole.
            edges = connection.execute(
                "DELETE FROM edges WHERE run_id IN (SELECT value FROM json_each(?1)) OR id IN"
                " (SELECT edge_id FROM edge_sources WHERE document_id = ?2)",
                (json_text(traces.runs), document),
            ).rowcount
            connection.execute("DELETE FROM documents WHERE id = ?", (document,))
            connection.execute(
                "INSERT OR REPLACE INTO erased_documents VALUES (?, ?, ?, 'erased', ?, ?)",
                (document, row[0], now, row[2], row[3]),
            )
            events = sum(_blank_run(connection, run, document, now) for run in traces.runs)
        return {
            "ingest jobs": jobs,
            "answers": len(traces.runs),
            "events and steps of runs": events,
            "edges of the knowledge graph": edges,
        }

    def _count(self, table: str, document: DocumentId) -> int:
        row = self._database.one(f"SELECT count(*) FROM {table} WHERE document_id = ?", (document,))
        return int(row[0]) if row else 0


def _blank_jobs(connection: sqlite3.Connection, document: DocumentId, collection: str) -> int:
    """Jobs that brought it: names and messages go; a file that holds other documents keeps its name."""
    jobs = [
        int(row[0])
        for row in connection.execute(
            "SELECT j.id FROM ingest_jobs j WHERE j.collection = ?2 AND (j.record_id IN"
            " (SELECT source_record FROM versions WHERE document_id = ?1 UNION SELECT record_id"
            "  FROM documents WHERE id = ?1) OR j.blob_sha256 IN (SELECT v.blob_sha256 FROM versions v"
            "  WHERE v.document_id = ?1 AND NOT EXISTS (SELECT 1 FROM versions o"
            "  WHERE o.blob_sha256 = v.blob_sha256 AND o.document_id <> ?1)))",
            (document, collection),
        )
    ]
    chosen = json_text(jobs)
    connection.execute(
        "UPDATE ingest_jobs SET source = '(erased)', record_id = '(erased)', lane = '(erased)', root = '',"
        " blob_sha256 = '', error = '', report = '{}',"
        " metadata = '{}', state = CASE WHEN state IN ('queued', 'paused') THEN 'refused' ELSE state END"
        " WHERE id IN (SELECT value FROM json_each(?))",
        (chosen,),
    )
    connection.execute(
        "DELETE FROM ingest_refusals WHERE job_id IN (SELECT value FROM json_each(?))", (chosen,)
    )
    return len(jobs)


def _blank_run(connection: sqlite3.Connection, run: RunId, document: DocumentId, now: str) -> int:
    """The run keeps its question and the claims that rest on other documents; how many rows went.

    Its steps go whole: what one task found is in the questions of the next.
    """
    marks = ", ".join("?" * len(_HARMLESS))
    gone = connection.execute(
        f"DELETE FROM events WHERE run_id = ? AND kind NOT IN ({marks})", (run, *_HARMLESS)
    ).rowcount
    for table in ("checkpoints", "checkpoint_writes"):
        gone += connection.execute(f"DELETE FROM {table} WHERE thread_id = ?", (run,)).rowcount
    connection.execute("UPDATE runs SET head = '' WHERE id = ?", (run,))
    # A withheld answer goes whole, with the reviewer's word on it.
    gone += connection.execute("DELETE FROM reviews WHERE run_id = ?", (run,)).rowcount
    day = now[:10]
    row = connection.execute("SELECT answer FROM runs WHERE id = ?", (run,)).fetchone()
    if row is not None and row[0] is not None:
        answer = msgspec.json.decode(row[0], type=Answer)
        connection.execute(
            "UPDATE runs SET answer = ?, error = '' WHERE id = ?",
            (json_text(_blanked(answer, document, day)), run),
        )
    connection.execute(
        "INSERT INTO events SELECT id, coalesce((SELECT max(seq) FROM events WHERE run_id = ?1), 0) + 1,"
        " 'sources.erased', ?2, ?3 FROM runs WHERE id = ?1",
        (run, now, json_text({"document_id": document, "erased_on": day})),
    )
    return gone


def _blanked(answer: Answer, document: DocumentId, day: str) -> Answer:
    evidence = tuple(mark for mark in answer.evidence if not mark.startswith(f"{document}#"))
    answer = msgspec.structs.replace(answer, evidence=evidence)
    if answer.review is not None:
        return _blanked_review(answer, answer.review, day)
    claims = tuple(_blank_claim(claim, document, day) for claim in answer.claims)
    sides = [each.sides for each in answer.contradictions]
    if claims == answer.claims and not any(_cites(claim, document) for side in sides for claim in side):
        return answer  # it looked at the document, but says nothing of it
    return msgspec.structs.replace(
        answer,
        answer=f"[a source of this answer was erased on {day}]",
        short="",
        claims=claims,
        missing=(),
        contradictions=tuple(_blank_contradiction(each, document, day) for each in answer.contradictions),
    )


def _blanked_review(answer: Answer, review: Review, day: str) -> Answer:
    """What is left of an answer that was withheld: nothing can be decided about it any more."""
    status = ReviewStatus.REJECTED if review.status is ReviewStatus.OPEN else review.status
    return Answer(
        status=answer.status,
        answer=f"[a source of this answer was erased on {day}]",
        evidence=answer.evidence,
        review=Review(status=status, by=review.by, at=review.at or day),
    )


def _blank_contradiction(each: Contradiction, document: DocumentId, day: str) -> Contradiction:
    if not any(_cites(claim, document) for claim in each.sides):
        return each
    sides = tuple(_blank_claim(claim, document, day) for claim in each.sides)
    return msgspec.structs.replace(each, about=f"[erased on {day}]", sides=sides, values=())


def _blank_claim(claim: Claim, document: DocumentId, day: str) -> Claim:
    if not _cites(claim, document):
        return claim
    erased = Fingerprint(f"{document}#erased on {day}")
    citations: Sequence[Fingerprint] = [
        erased if mark.startswith(f"{document}#") else mark for mark in claim.citations
    ]
    return msgspec.structs.replace(
        claim, text=f"[erased on {day}]", quote="", citations=tuple(dict.fromkeys(citations))
    )


def _cites(claim: Claim, document: DocumentId) -> bool:
    return any(mark.startswith(f"{document}#") for mark in claim.citations)
