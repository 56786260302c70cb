from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from store_fakes import ALL, CountingEmbedder, MemoryIndexes, plain_readers

from appliance.config import Ingest
from appliance.domain import PassageId
from appliance.errors import CancelledError, ConfigError, UserError
from appliance.ingest import Ingestor, IngestProgress, Repositories
from appliance.ingest.progress import Stage
from appliance.store.blobs import Blobs
from appliance.store.cache import DiskCache
from appliance.store.embedding_cache import EmbeddingCache
from appliance.store.sqlite import Database


class Bench:
    """An ingestor on a real database, over indexes in memory that survive its restarts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.indexes = MemoryIndexes()
        self.embedder = CountingEmbedder()
        self.told: list[IngestProgress] = []
        self.open()

    def open(self) -> None:
        self.database = Database(self.folder / "assay.db")
        self.cache = DiskCache(self.folder / "cache", 1 << 24)
        self.repositories = Repositories.of(self.database, Blobs(self.folder / "blobs"))
        self.ingestor = Ingestor(
            self.repositories,
            plain_readers(),
            self.indexes,
            self.embedder,
            EmbeddingCache(self.cache, self.embedder.digest, self.embedder.dim),
            Ingest(batch_passages=4, max_file_bytes=1000),
        )

    def close(self) -> None:
        self.cache.close()
        self.database.close()

    def texts(self) -> list[str]:
        dense, lexical = self.indexes.dense("c"), self.indexes.lexical("c")
        assert dense.rows == lexical.rows
        return [text.rpartition("\n")[2] for _, text in sorted(dense.rows.items())]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with closing(Bench(tmp_path / "data")) as bench:
        yield bench


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    (folder / "sub").mkdir(parents=True)
    (folder / "b.txt").write_text("beta")
    (folder / "a.txt").write_text("alpha\n\nsecond")
    (folder / "sub" / "c.txt").write_text("gamma")
    (folder / ".hidden").write_text("hidden")
    return folder


def jsonl(path: Path, count: int) -> Path:
    lines = [json.dumps({"id": f"r{n}", "title": "T", "text": f"text {n}"}) for n in range(count)]
    path.write_text("\n".join(lines))
    return path


def test_a_folder_goes_into_both_indexes_in_order(bench: Bench, files: Path) -> None:
    report = bench.ingestor.ingest([files], "c")
    assert (report.files, report.documents, report.passages, report.skipped) == (3, 3, 4, 0)
    assert report.refused == ()
    assert bench.texts() == ["alpha", "second", "beta", "gamma"]
    names = [record.record_id for record in bench.repositories.documents.list(ALL)]
    assert names == ["a.txt", "b.txt", "sub/c.txt"]
    assert bench.indexes.lexical("c").settles == 1


def test_the_same_again_does_nothing(bench: Bench, files: Path) -> None:
    bench.ingestor.ingest([files], "c")
    report = bench.ingestor.ingest([files], "c")
    assert (report.documents, report.passages, report.skipped) == (0, 0, 3)
    assert bench.indexes.dense("c").upserts == 4
    assert len(bench.embedder.embedded) == 4


def test_a_changed_file_replaces_only_what_changed(bench: Bench, files: Path) -> None:
    bench.ingestor.ingest([files], "c")
    (files / "a.txt").write_text("alpha\n\nthird")
    bench.ingestor.ingest([files], "c")
    assert bench.texts() == ["alpha", "beta", "gamma", "third"]
    assert bench.indexes.dense("c").upserts == 5


def test_refused_files_are_listed_and_the_others_done(bench: Bench, files: Path) -> None:
    (files / "aa.txt").write_text("DAMAGED")
    (files / "ab.txt").write_text("CRASH")
    (files / "ac.txt").write_text("x" * 1001)
    report = bench.ingestor.ingest([files], "c")
    reasons = {Path(source).name: reason for source, reason in report.refused}
    assert set(reasons) == {"aa.txt", "ab.txt", "ac.txt"}
    assert reasons["aa.txt"].endswith("is damaged — repair it")
    assert reasons["ab.txt"] == "internal error, please report it (ZeroDivisionError: crash)"
    assert "allowed — split the file" in reasons["ac.txt"]
    assert (report.files, report.documents) == (6, 3)
    assert bench.ingestor.resume().files == 0


def test_missing_paths_and_foreign_embedders_are_told_before_anything(bench: Bench, files: Path) -> None:
    with pytest.raises(UserError, match="no such file or folder"):
        bench.ingestor.ingest([files, files / "none"], "c")
    assert bench.repositories.jobs.list() == []
    bench.repositories.collections.ensure("old", "another-model")
    with pytest.raises(ConfigError, match="was made with another-model"):
        bench.ingestor.ingest([files], "old")


def test_files_of_one_name_do_not_replace_each_other(bench: Bench, files: Path) -> None:
    (files / "sub" / "a.txt").write_text("other")
    report = bench.ingestor.ingest([files / "a.txt", files / "sub" / "a.txt", files / "a.txt"], "c")
    assert report.documents == 2
    assert bench.texts() == ["alpha", "second", "other"]


def test_a_broken_record_is_refused_alone(bench: Bench, tmp_path: Path) -> None:
    path = jsonl(tmp_path / "records.jsonl", 5)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:2], "{broken", *lines[2:]]))
    report = bench.ingestor.ingest([path], "c")
    assert (report.files, report.documents) == (1, 5)
    assert [(Path(item).name, reason.split(" ")[-4:]) for item, reason in report.refused] == [
        ("records.jsonl#3", ["3", "is", "not", "JSON"])
    ]
    assert bench.texts() == [f"text {n}" for n in range(5)]


def test_stopped_in_the_middle_of_records_it_goes_on_where_it_was(bench: Bench, tmp_path: Path) -> None:
    path = jsonl(tmp_path / "records.jsonl", 500)

    def twice_stored() -> bool:
        return sum(progress.stage is Stage.STORE for progress in bench.told) == 2

    with pytest.raises(CancelledError, match="run the same command"):
        bench.ingestor.ingest([path], "c", tell=bench.told.append, cancelled=twice_stored)
    assert bench.repositories.jobs.list()[0].records_read == 400
    bench.close()
    bench.open()
    report = bench.ingestor.ingest([path], "c")
    assert (report.files, report.documents, report.passages, report.skipped) == (1, 500, 500, 0)
    assert bench.texts() == [f"text {n}" for n in range(500)]
    assert len(bench.embedder.embedded) == 500


def test_killed_while_embedding_nothing_is_lost_or_twice(bench: Bench, tmp_path: Path) -> None:
    path = jsonl(tmp_path / "records.jsonl", 50)
    bench.embedder.fail_after = 20
    with pytest.raises(KeyboardInterrupt):
        bench.ingestor.ingest([path], "c")
    bench.embedder.fail_after = None
    assert bench.ingestor.verify_indexes("c") == "", "half-written passages are taken back, not rebuilt"
    report = bench.ingestor.resume()
    assert (report.documents, report.cached_embeddings) == (50, 20)
    assert bench.texts() == [f"text {n}" for n in range(50)]
    assert len(bench.embedder.embedded) == 50
    assert bench.ingestor.verify_indexes("c") == ""


def test_an_index_that_differs_is_rebuilt_from_the_cache_with_a_warning(bench: Bench, files: Path) -> None:
    bench.ingestor.ingest([files], "c")
    bench.indexes.lexical("c").rows.popitem()
    wrong = bench.ingestor.verify_indexes("c", tell=bench.told.append)
    assert wrong == "the lexical index holds 3 passages instead of 4"
    assert bench.told[0].stage is Stage.WARNING
    row = bench.indexes.dense("c").rows
    last = max(row)
    row[PassageId(last + 1)] = row.pop(last)
    assert bench.ingestor.verify_indexes("c") == "the dense index holds other passages than SQLite"
    bench.indexes.dense("c").damaged = True
    assert bench.ingestor.verify_indexes("c") == "a checksum does not match"
    assert bench.texts() == ["alpha", "second", "beta", "gamma"]
    assert len(bench.embedder.embedded) == 4
    assert bench.ingestor.verify_indexes("c") == ""


def test_a_deleted_document_leaves_the_indexes(bench: Bench, files: Path) -> None:
    bench.ingestor.ingest([files], "c")
    documents = bench.repositories.documents
    documents.delete(documents.find("a.txt", ALL).id, ALL)
    bench.ingestor.settle("c")
    assert bench.texts() == ["beta", "gamma"]
    assert bench.ingestor.verify_indexes("c") == ""
    bench.ingestor.ingest([files / "a.txt"], "c")
    assert sorted(bench.texts()) == ["alpha", "beta", "gamma", "second"]


def test_rebuild_makes_both_indexes_again(bench: Bench, files: Path) -> None:
    bench.ingestor.ingest([files], "c")
    before = bench.texts()
    assert bench.ingestor.rebuild("c") == 4
    assert bench.texts() == before


def archive(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines))
    return path


def test_members_of_an_archive_become_documents_of_their_own(bench: Bench, tmp_path: Path) -> None:
    inner = "x/c.txt=gamma"
    outer = archive(tmp_path / "o.zip", "a.txt=alpha", "b.txt=DAMAGED", "locked.txt", f"in.zip={inner}")
    report = bench.ingestor.ingest([outer], "c")
    assert (report.files, report.documents, report.passages) == (5, 2, 2)
    assert report.refused == (
        (f"{outer}!/locked.txt", "locked.txt is left after 0"),
        (f"{outer}!/b.txt", f"{outer}!/b.txt is damaged — repair it"),
    )
    records = {record.record_id for record in bench.repositories.documents.list(ALL)}
    assert records == {"o.zip!/a.txt", "o.zip!/in.zip!/x/c.txt"}
    assert sorted(bench.texts()) == ["alpha", "gamma"]
    assert bench.ingestor.ingest([outer], "c").skipped == 2


def test_archives_are_opened_only_so_deep(bench: Bench, tmp_path: Path) -> None:
    bomb = archive(tmp_path / "o.zip", "1.zip=2.zip=3.txt=deep", "a.txt=alpha")
    report = bench.ingestor.ingest([bomb], "c")
    assert [reason for _, reason in report.refused] == [
        f"{bomb}!/1.zip!/2.zip lies 2 archives deep — unpack it, or raise ingest.max_archive_depth"
    ]
    assert bench.texts() == ["alpha"]


def test_what_an_archive_brought_counts_against_those_inside_it(bench: Bench, tmp_path: Path) -> None:
    outer = archive(tmp_path / "o.zip", "a.txt=alpha", "in.zip=left")
    report = bench.ingestor.ingest([outer], "c")
    assert [reason for _, reason in report.refused] == [
        f"nothing in {outer}!/in.zip could be taken: left is left after 2 — unpack it first"
    ]


def test_a_mail_is_a_document_and_brings_its_attachments(bench: Bench, tmp_path: Path) -> None:
    mail = archive(tmp_path / "m.eml", "a.txt=alpha", "no")
    report = bench.ingestor.ingest([mail], "c")
    assert (report.documents, report.refused) == (2, ((f"{mail}!/no", "no is left after 0"),))
    assert "alpha" in bench.texts()


@pytest.mark.parametrize("killed_in", ["enqueue_members", "set_state"])
def test_killed_while_an_archive_is_queued_nothing_is_lost_or_double(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, killed_in: str
) -> None:
    outer = archive(tmp_path / "o.zip", "a.txt=alpha", "b.txt=beta")
    jobs = type(bench.repositories.jobs)
    whole = getattr(jobs, killed_in)

    def killed(*arguments: object) -> None:
        if killed_in == "enqueue_members":
            whole(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(jobs, killed_in, killed)
    with pytest.raises(KeyboardInterrupt):
        bench.ingestor.ingest([outer], "c")
    monkeypatch.undo()
    assert [job.record_id for job in bench.repositories.jobs.list()] == ["o.zip"]
    report = bench.ingestor.resume()
    assert (report.files, report.documents) == (3, 2)
    assert sorted(bench.texts()) == ["alpha", "beta"]
