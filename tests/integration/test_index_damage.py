"""Indexes damaged, cut short or left by a killed process: right, or said to be damaged; never served."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import psutil
import pytest

from appliance.domain import EVERYONE, DocumentId, Fingerprint, Passage, PassageId, Scope
from appliance.errors import AssayError, BackendError, BusyError, DamagedError
from appliance.ports import Vectors
from appliance.store.bm25 import Bm25Index
from appliance.store.checksums import ids_checksum
from appliance.store.milvus import MilvusStore

DIM = 16
BATCH = 64
QUERIES = [f"word{n} common" for n in range(20)]


def passages(first: int, count: int) -> list[Passage]:
    return [
        Passage(
            id=PassageId(number),
            fingerprint=Fingerprint(f"d#{number}"),
            document_id=DocumentId(f"d-{number % 5}"),
            record_id="r",
            collection="c",
            title="",
            section_path="",
            text=f"common word{number % 20} number{number} " + "filler " * (number % 7),
            language="en",
            token_count=1,
            groups=(EVERYONE,),
        )
        for number in range(first, first + count)
    ]


def vectors(first: int, count: int) -> Vectors:
    array = np.stack([np.random.default_rng(n).normal(size=DIM) for n in range(first, first + count)])
    return (array / np.linalg.norm(array, axis=1, keepdims=True)).astype(np.float32)


# ---------------------------------------------------------------- the child that is killed
def write_for_ever(kind: str, folder: Path) -> None:
    """Upsert batch after batch and say so after each; the parent kills this process."""
    from appliance.store import bm25

    bm25.DELTA_ROWS, bm25.DELTA_SHARE = 150, 0.0
    store = MilvusStore(folder / "dense.db", folder / "tmp") if kind == "dense" else None
    dense = store.collection("c", DIM) if store else None
    lexical = None if store else Bm25Index(folder)
    first = 1
    while True:
        batch = passages(first, BATCH)
        if dense:
            dense.upsert(batch, vectors(first, BATCH))
        elif lexical:
            lexical.upsert(batch)
        first += BATCH
        print(first - 1, flush=True)


@contextmanager
def writer(kind: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    command = [sys.executable, __file__, kind, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            yield process
        finally:
            process.kill()


def killed_after(kind: str, folder: Path, batches: int, delay_s: float) -> int:
    """Kill the writer ``delay_s`` after it said so many batches; the last passage id it acknowledged."""
    with writer(kind, folder) as process:
        assert process.stdout
        acknowledged = [int(process.stdout.readline()) for _ in range(batches)]
        time.sleep(delay_s)
        process.send_signal(signal.SIGKILL)
        process.wait()
        acknowledged += [int(line) for line in process.stdout.read().split()]
    return acknowledged[-1]


# ---------------------------------------------------------------- lexical
@pytest.fixture
def lexical(tmp_path: Path) -> Path:
    """A closed index with a main generation, a delta and a delete."""
    index = Bm25Index.build(tmp_path / "lexical", passages(1, 200))
    index.upsert(passages(201, 50))
    index.upsert(passages(251, 50))
    index.delete([PassageId(5)])
    index.close()
    return tmp_path / "lexical"


def files_of(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def flip(path: Path, at: float) -> None:
    data = bytearray(path.read_bytes())
    data[int(at * (len(data) - 1))] ^= 0x10
    path.write_bytes(data)


def test_every_flipped_byte_of_the_lexical_index_is_noticed(lexical: Path) -> None:
    for path in files_of(lexical):
        whole = path.read_bytes()
        for at in (0.0, 0.3, 0.5, 0.9, 1.0):
            flip(path, at)
            with pytest.raises(DamagedError, match="assay rebuild"):
                Bm25Index(lexical)
            path.write_bytes(whole)
    index = Bm25Index(lexical)
    assert index.count() == 299
    index.close()


@pytest.mark.parametrize(
    "harm",
    [
        Path.unlink,
        lambda path: os.truncate(path, 0),
        lambda path: os.truncate(path, path.stat().st_size // 2),
        lambda path: os.truncate(path, path.stat().st_size - 1),
        lambda path: path.write_bytes(path.read_bytes() + b"x"),
    ],
    ids=["removed", "emptied", "halved", "last byte cut", "byte added"],
)
def test_missing_and_cut_files_of_the_lexical_index_are_noticed(
    lexical: Path, harm: Callable[[Path], object]
) -> None:
    for path in files_of(lexical):
        whole = path.read_bytes()
        harm(path)
        with pytest.raises(DamagedError):
            Bm25Index(lexical)
        path.write_bytes(whole)


def test_a_journal_cut_between_records_differs_from_sqlite(lexical: Path) -> None:
    os.truncate(next(lexical.glob("delta-*.log")), 32)
    index = Bm25Index(lexical)
    assert index.ids_checksum() == ids_checksum(range(1, 201)) != ids_checksum({*range(1, 301)} - {5})
    index.close()


def test_rebuild_over_a_damaged_lexical_index(lexical: Path) -> None:
    (lexical / "CURRENT").write_bytes(b"nonsense")
    with pytest.raises(DamagedError):
        Bm25Index(lexical)
    index = Bm25Index.build(lexical, passages(1, 10))
    assert index.count() == 10
    index.close()
    reopened = Bm25Index(lexical)
    assert reopened.ids_checksum() == ids_checksum(range(1, 11))
    reopened.close()


def test_no_lexical_index_at_all_is_damage(tmp_path: Path) -> None:
    with pytest.raises(DamagedError, match="missing"):
        Bm25Index(tmp_path / "nothing")


def test_a_failed_append_changes_nothing(lexical: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = Bm25Index(lexical)
    before = index.ids_checksum()

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(AssayError, match=r"disk of .* is full"):
            index.upsert(passages(900, 5))
    assert index.ids_checksum() == before
    index.upsert(passages(301, 1))
    index.close()
    reopened = Bm25Index(lexical)
    assert reopened.count() == 300
    reopened.close()


@pytest.mark.parametrize("delay_s", [0.0, 0.002, 0.005, 0.011, 0.017, 0.03])
def test_killed_during_upserts_and_merges_the_lexical_index_is_right(tmp_path: Path, delay_s: float) -> None:
    Bm25Index.build(tmp_path / "killed", []).close()
    last = killed_after("lexical", tmp_path / "killed", 3, delay_s)
    try:
        index = Bm25Index(tmp_path / "killed")
    except DamagedError:
        return  # a record cut short: the caller rebuilds
    assert index.count() in (last, last + BATCH)
    fresh = Bm25Index.build(tmp_path / "fresh", passages(1, index.count()))
    assert index.ids_checksum() == fresh.ids_checksum()
    assert index.search(QUERIES, 30, Scope()) == fresh.search(QUERIES, 30, Scope())
    index.close()
    fresh.close()


# ---------------------------------------------------------------- dense
@pytest.fixture
def dense(tmp_path: Path) -> Path:
    """A closed, sealed vector file."""
    store = MilvusStore(tmp_path / "dense.db", tmp_path / "tmp")
    store.collection("c", DIM).upsert(passages(1, 300), vectors(1, 300))
    store.close()
    return tmp_path / "dense.db"


def opened_and_verified(file: Path) -> None:
    store = MilvusStore(file, file.parent / "tmp")
    try:
        store.collection("c", DIM)
    finally:
        store.close()


@pytest.mark.parametrize("sealed", [True, False])
@pytest.mark.parametrize(
    "harm",
    [
        lambda file: os.truncate(file, file.stat().st_size // 2),
        lambda file: file.write_bytes(b"not a database" * 400),
        lambda file: [flip(file, at) for at in np.linspace(0.2, 0.9, 40)],
        lambda file: file.write_bytes(_one_vector_bit(file.read_bytes())),
    ],
    ids=["halved", "overwritten", "bits flipped", "one bit of one vector"],
)
def test_a_damaged_vector_file_is_never_served(
    dense: Path, harm: Callable[[Path], object], sealed: bool
) -> None:
    if not sealed:
        dense.with_name("dense.db.sha256").unlink()
    harm(dense)
    with pytest.raises(DamagedError, match="assay rebuild"):
        opened_and_verified(dense)
    MilvusStore.discard(dense)
    opened_and_verified(dense)


def _one_vector_bit(data: bytes) -> bytes:
    at = data.index(vectors(100, 1).tobytes())
    return data[: at + 5] + bytes([data[at + 5] ^ 1]) + data[at + 6 :]


def test_a_sealed_vector_file_that_is_gone_is_noticed(dense: Path) -> None:
    dense.unlink()
    with pytest.raises(DamagedError):
        opened_and_verified(dense)


def test_reading_keeps_the_seal_and_writing_breaks_it(dense: Path) -> None:
    seal = dense.with_name("dense.db.sha256")
    before = seal.read_text()
    store = MilvusStore(dense, dense.parent / "tmp")
    index = store.collection("c", DIM)
    assert len(index.search(vectors(1, 1), 5, Scope())[0]) == 5
    assert seal.exists()
    index.delete([PassageId(1)])
    assert not seal.exists()
    store.close()
    assert seal.read_text() != before


def test_a_second_user_of_the_file_is_refused_and_the_first_goes_on(dense: Path) -> None:
    with writer("dense", dense.parent) as process:
        assert process.stdout
        process.stdout.readline()
        with pytest.raises(BusyError, match="in use"):
            MilvusStore(dense, dense.parent / "tmp")
        first = int(process.stdout.readline())
        assert int(process.stdout.readline()) == first + BATCH


@pytest.mark.parametrize("delay_s", [0.0, 0.007, 0.02, 0.05])
def test_killed_during_upserts_the_vector_file_is_right_and_free(tmp_path: Path, delay_s: float) -> None:
    last = killed_after("dense", tmp_path, 3, delay_s)
    store = MilvusStore(tmp_path / "dense.db", tmp_path / "tmp")
    index = store.collection("c", DIM)
    assert index.count() in (last, last + BATCH)
    assert index.ids_checksum() == ids_checksum(range(1, index.count() + 1))
    nearest = index.search(vectors(1, last), 1, Scope())
    assert [hits[0].passage_id for hits in nearest] == list(range(1, last + 1))
    lines = [" ".join(process.info["cmdline"] or []) for process in psutil.process_iter(["cmdline"])]
    helpers = [line for line in lines if str(tmp_path) in line]
    assert len(helpers) == 1
    store.close()
    assert not list((tmp_path / "tmp").iterdir())


def test_a_dead_helper_is_an_error_and_not_an_empty_answer(dense: Path) -> None:
    store = MilvusStore(dense, dense.parent / "tmp")
    index = store.collection("c", DIM)
    for helper in psutil.Process().children():
        if str(dense) in helper.cmdline():
            helper.kill()
            helper.wait()
    with pytest.raises(BackendError):
        index.search(vectors(1, 1), 5, Scope())
    store.close()


def test_the_helper_listens_on_a_private_socket_only(dense: Path) -> None:
    store = MilvusStore(dense, dense.parent / "tmp")
    helper = next(child for child in psutil.Process().children() if str(dense) in child.cmdline())
    assert not helper.net_connections(kind="inet")
    path = Path(next(part for part in helper.cmdline() if part.startswith("unix:")).removeprefix("unix:"))
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert len(str(path)) < 108
    store.close()
    assert not path.parent.exists()


if __name__ == "__main__":
    write_for_ever(sys.argv[1], Path(sys.argv[2]))
