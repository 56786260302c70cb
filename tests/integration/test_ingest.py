"""Ingest with the real documents room, SQLite, Milvus-lite and BM25; only the vectors are made up."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
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
from appliance.ports import Vectors
from appliance.store.blobs import Blobs
from appliance.store.cache import DiskCache
from appliance.store.embedding_cache import EmbeddingCache
from appliance.store.passages import Passages
from appliance.store.sqlite import Database

ANY = Scope(collection="c")
RECORDS = 1_500


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


def corpus(path: Path) -> Path:
    words = random.Random(7)
    with path.open("w", encoding="utf-8") as lines:
        for number in range(RECORDS):
            text = f"Record {number} says {' '.join(words.choices('alpha beta gamma delta'.split(), k=20))}."
            lines.write(json.dumps({"id": f"r{number}", "title": f"T{number}", "text": text}) + "\n")
    return path


def found(data: Path, number: int) -> tuple[list[str], list[str]]:
    """Record ids that the dense and the lexical index find for one record's own words."""
    with opened(data) as (ingestor, home, repositories):
        assert ingestor.verify_indexes("c") == ""
        assert home.dense("c").count() == home.lexical("c").count() == RECORDS
        reader = Passages(repositories.database)
        document = repositories.documents.find(f"r{number}", ANY)
        (passage,) = reader.of_document(document.id, 1, ANY)
        vector = HashEmbedder().embed_queries([passage.indexed_text()])
        hits = (
            home.dense("c").search(vector, 5, ANY)[0],
            home.lexical("c").search([passage.text], 5, ANY)[0],
        )
        dense, lexical = (
            [p.record_id for p in reader.passages([hit.passage_id for hit in row], ANY)] for row in hits
        )
        return dense, lexical


CHILD = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from test_ingest import opened
print("ready", flush=True)
with opened(Path(sys.argv[2])) as (ingestor, _, _):
    ingestor.ingest([Path(sys.argv[3])], "c")
"""


def test_files_of_several_formats(tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    (files / "a.md").write_text("# Risk\n\nRates may rise by 12.5%.\n", "utf-8")
    (files / "b.txt").write_text("供应商集中度较高，存在风险。", "utf-8")
    (files / "c.html").write_text("<h1>Privacy</h1><p>We keep data for 30 days.</p>", "utf-8")
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
    records = corpus(tmp_path / "records.jsonl")
    with opened(tmp_path / "calm") as (ingestor, _, _):
        assert ingestor.ingest([records], "c").documents == RECORDS
    moments = random.Random(11)
    command = [
        sys.executable,
        "-c",
        CHILD,
        str(Path(__file__).parent),
        str(tmp_path / "killed"),
        str(records),
    ]
    kills = 0
    for _ in range(int(os.environ.get("ASSAY_KILLS", "5"))):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
            time.sleep(moments.uniform(0.05, 3.0))
            kills += child.poll() is None
            child.send_signal(signal.SIGKILL)
    assert kills > 0
    with opened(tmp_path / "killed") as (ingestor, _, repositories):
        ingestor.ingest([records], "c")
        assert repositories.documents.count(ANY) == RECORDS
    for number in (0, 700, RECORDS - 1):
        assert found(tmp_path / "killed", number) == found(tmp_path / "calm", number)
