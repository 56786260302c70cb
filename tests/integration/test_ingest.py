"""Ingest with the real documents room, SQLite, Milvus-lite and BM25; only the vectors are made up."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from appliance.config import Ingest
from appliance.domain import Scope
from appliance.ingest import IndexHome, Ingestor, Repositories, document_readers
from appliance.ports import Scored, Vectors
from appliance.store.blobs import Blobs
from appliance.store.cache import DiskCache
from appliance.store.embedding_cache import EmbeddingCache
from appliance.store.passages import Passages
from appliance.store.sqlite import Database

ANY = Scope(collection="c")
RECORDS = 300
WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu".split()
FILES = {
    "a.md": "# Risk\n\nRates may rise by 12.5%.\n",
    "b.txt": "供应商集中度较高，存在风险。",
    "c.html": "<h1>Privacy</h1><p>We keep data for 30 days.</p>",
}
KILLS = int(os.environ.get("ASSAY_KILLS", "30"))
SEED = int(os.environ.get("ASSAY_SEED", "11"))


class HashEmbedder:
    """A unit vector from the text's hash: equal texts are near, nothing else is."""

    name, digest, dim = "hash", "1" * 64, 32

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        rows = [np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype=np.uint8) for text in texts]
        vectors = np.array(rows, dtype=np.float32).reshape(-1, self.dim) - 127.5
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    embed_queries = embed_passages

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


@contextmanager
def opened(data: Path) -> Iterator[tuple[Ingestor, IndexHome, Repositories]]:
    embedder = HashEmbedder()
    database = Database(data / "assay.db")
    cache = DiskCache(data / "cache", 1 << 28)
    home = IndexHome(data / "indexes", lambda _: embedder)
    repositories = Repositories.of(database, Blobs(data / "blobs"))
    vectors = EmbeddingCache(cache, embedder.digest, embedder.dim)
    readers = document_readers(embedder, Ingest())
    try:
        yield Ingestor(repositories, readers, home, embedder, vectors, Ingest()), home, repositories
    finally:
        home.close()
        cache.close()
        database.close()


def corpus(folder: Path) -> Path:
    """300 records in a JSONL file, and one file of each other format."""
    folder.mkdir()
    words = random.Random(7)
    with (folder / "records.jsonl").open("w", encoding="utf-8") as lines:
        for number in range(RECORDS):
            text = f"Record {number} says {' '.join(words.choices(WORDS, k=20))}."
            lines.write(json.dumps({"id": f"r{number}", "title": f"T{number}", "text": text}) + "\n")
    write_files(folder)
    return folder


def write_files(folder: Path) -> None:
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")


def acknowledged(data: Path) -> set[tuple[str, str]]:
    """What SQLite holds right after a kill: record ids and their content."""
    if not (data / "assay.db").exists():
        return set()
    database = sqlite3.connect(data / "assay.db")
    try:
        rows = database.execute(
            "SELECT record_id, content_sha256 FROM documents JOIN versions ON document_id = id"
        ).fetchall()
    except sqlite3.OperationalError:  # killed before the first migration was committed
        return set()
    finally:
        database.close()
    assert len(rows) == len({record for record, _ in rows}), "something is there twice"
    return set(rows)


def found(data: Path) -> list[tuple[list[str], list[str]]]:
    """What the dense and the lexical index find for the text of every tenth record and of every file."""
    ids = [*(f"r{number}" for number in range(0, RECORDS, 10)), *FILES]
    with opened(data) as (ingestor, home, repositories):
        assert ingestor.verify_indexes("c") == ""
        dense, lexical = home.dense("c"), home.lexical("c")
        assert dense.count() == lexical.count() == repositories.documents.count(ANY) == RECORDS + len(FILES)
        reader = Passages(repositories.database)

        def records(hits: Sequence[Scored]) -> list[str]:
            return [p.record_id for p in reader.passages([hit.passage_id for hit in hits], ANY)]

        passages = [reader.of_document(repositories.documents.find(each, ANY).id, 1, ANY)[0] for each in ids]
        texts = [passage.indexed_text() for passage in passages]
        rows = dense.search(HashEmbedder().embed_queries(texts), 5, ANY)
        assert [records(hits)[0] for hits in rows] == ids
        words = lexical.search([passage.text for passage in passages], 5, ANY)
        return [(records(near), records(same)) for near, same in zip(rows, words, strict=True)]


CHILD = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from appliance.ingest import indexing, storing
from test_ingest import opened
indexing.WINDOW_PASSAGES, storing.RECORDS_PER_TRANSACTION = 50, 25
print("ready", flush=True)
with opened(Path(sys.argv[2])) as (ingestor, _, _):
    ingestor.ingest([Path(sys.argv[3])], "c")
"""
"""Small windows and transactions, so that a small corpus passes through every state many times."""


def test_files_of_several_formats(tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    write_files(files)
    (files / "empty.txt").write_text("")
    with opened(tmp_path / "data") as (ingestor, home, repositories):
        report = ingestor.ingest([files], "c")
        assert (report.files, report.documents) == (4, 3)
        assert [Path(source).name for source, _ in report.refused] == ["empty.txt"]
        assert home.dense("c").count() == home.lexical("c").count() == report.passages
        (hits,) = home.lexical("c").search(["供应商风险"], 5, ANY)
        best = Passages(repositories.database).passages([hits[0].passage_id], ANY)[0]
        assert (best.record_id, best.language) == ("b.txt", "zh")


@pytest.mark.slow
def test_killed_at_random_moments_the_end_is_that_of_an_undisturbed_run(tmp_path: Path) -> None:
    """30 kills over as many lives of a data folder as it takes; every life ends as the calm one."""
    library = corpus(tmp_path / "library")
    seconds = run_child(tmp_path / "calm", library, None)
    assert seconds is not None
    calm, everything = found(tmp_path / "calm"), acknowledged(tmp_path / "calm")
    moments = random.Random(SEED)
    kills = lives = 0
    while kills < KILLS:
        data = tmp_path / f"killed-{lives}"
        lives += 1
        kept: set[tuple[str, str]] = set()
        while run_child(data, library, moments.uniform(0.0, seconds) if kills < KILLS else None) is None:
            kills += 1
            now = acknowledged(data)
            assert kept <= now, "acknowledged and lost"
            kept = now
        assert acknowledged(data) == everything
        assert found(data) == calm
    print(f"seed {SEED}: {kills} kills in {lives} lives, each {seconds:.1f} s when undisturbed")


def run_child(data: Path, library: Path, killed_after_s: float | None) -> float | None:
    """Ingest in a process of its own: the seconds it took after its imports, or None when it was killed."""
    command = [sys.executable, "-c", CHILD, str(Path(__file__).parent), str(data), str(library)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        begun = time.monotonic()
        try:
            code = child.wait(killed_after_s)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
            return None
    assert code == 0
    return time.monotonic() - begun
