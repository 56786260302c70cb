"""Merges that run beside: nobody waits for them, nothing is lost by them, killed anywhere or not."""

from __future__ import annotations

import errno
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from appliance.domain import EVERYONE, DocumentId, Fingerprint, Passage, PassageId, Scope, Scored
from appliance.errors import StorageFullError
from appliance.store import bm25, bm25_generation, bm25_merge
from appliance.store.bm25 import Bm25Index
from appliance.store.bm25_generation import Generation, Prepared
from appliance.store.bm25_segment import Segment

QUERIES = [f"word{n} common" for n in range(20)]
WAIT_S = 30


def passages(first: int, count: int, word: str = "common") -> list[Passage]:
    return [
        Passage(
            id=PassageId(number),
            fingerprint=Fingerprint(f"d#{number}"),
            document_id=DocumentId(f"d-{number % 5}"),
            record_id="r",
            collection="c",
            title="",
            section_path="",
            text=f"{word} word{number % 20} number{number} " + "filler " * (number % 7),
            language="en",
            token_count=1,
            groups=(EVERYONE,),
        )
        for number in range(first, first + count)
    ]


class Held:
    """A merge that stops where it has written its generation, until it is let go."""

    def __init__(self) -> None:
        self.written, self.go = threading.Event(), threading.Event()

    def prepare(self, folder: Path, number: int, segment: Segment) -> Prepared:
        prepared = bm25_generation.prepare(folder, number, segment)
        self.written.set()
        assert self.go.wait(WAIT_S)
        return prepared


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    made = Held()
    monkeypatch.setattr(bm25_merge, "prepare", made.prepare)
    monkeypatch.setattr(bm25, "DELTA_ROWS", 50)
    monkeypatch.setattr(bm25, "DELTA_SHARE", 0.0)
    yield made
    made.go.set()


def answers(index: Bm25Index) -> list[list[Scored]]:
    return index.search(QUERIES, 30, Scope())


def written_meanwhile(index: Bm25Index, held: Held) -> list[Passage]:
    """An index whose merge has begun, with more written since; what it holds."""
    index.upsert(passages(101, 60))
    assert held.written.wait(WAIT_S)
    index.upsert([*passages(150, 40), *passages(3, 1, word="replaced")])
    index.delete([PassageId(7), PassageId(120), PassageId(155)])
    kept = {each.id: each for each in [*passages(1, 189), *passages(3, 1, word="replaced")]}
    return [each for number, each in kept.items() if number not in {7, 120, 155}]


def reopened(folder: Path) -> tuple[list[list[Scored]], str, int]:
    index = Bm25Index(folder)
    try:
        return answers(index), index.ids_checksum(), index.generation
    finally:
        index.close()


def test_writes_and_searches_go_on_and_are_all_there_after(tmp_path: Path, held: Held) -> None:
    index = Bm25Index.build(tmp_path / "merged", passages(1, 100))
    kept = written_meanwhile(index, held)
    assert index.generation == 1
    fresh = Bm25Index.build(tmp_path / "fresh", kept)
    assert answers(index) == answers(fresh)
    held.go.set()
    index.settle()
    assert index.generation > 1
    assert answers(index) == answers(fresh)
    index.merge()
    files = {path.name: path.read_bytes() for path in (tmp_path / "fresh").glob("gen-*/*")}
    assert {path.name: path.read_bytes() for path in (tmp_path / "merged").glob("gen-*/*")} == files
    index.close()
    assert reopened(tmp_path / "merged")[:2] == (answers(fresh), fresh.ids_checksum())
    fresh.close()


def _killed_before_activation(
    folder: Path, _: pytest.MonkeyPatch, held: Held, copy: Callable[[], None]
) -> None:
    copy()
    held.go.set()


def _killed_before_the_pointer(
    folder: Path, patch: pytest.MonkeyPatch, held: Held, copy: Callable[[], None]
) -> None:
    swap = bm25_generation.replace_file

    def copied_first(file: Path, data: bytes) -> None:
        copy()
        swap(file, data)

    patch.setattr(bm25_generation, "replace_file", copied_first)
    held.go.set()


def _killed_after_the_pointer(
    folder: Path, patch: pytest.MonkeyPatch, held: Held, copy: Callable[[], None]
) -> None:
    remove = bm25_generation._remove_others

    def copied_first(where: Path, number: int) -> None:
        if where == folder:
            copy()
        remove(where, number)

    patch.setattr(bm25_generation, "_remove_others", copied_first)
    held.go.set()


@pytest.mark.parametrize(
    ("kill", "generation"),
    [(_killed_before_activation, 1), (_killed_before_the_pointer, 1), (_killed_after_the_pointer, 2)],
)
def test_killed_at_any_moment_everything_acknowledged_is_there(
    tmp_path: Path, held: Held, monkeypatch: pytest.MonkeyPatch, kill: Callable[..., None], generation: int
) -> None:
    folder, found = tmp_path / "index", tmp_path / "found"
    fresh_index = Bm25Index.build(folder, passages(1, 100))
    kept = written_meanwhile(fresh_index, held)

    def copy() -> None:  # what a disk would hold if the process ended now
        if not found.exists():
            shutil.copytree(folder, found)

    kill(folder, monkeypatch, held, copy)
    fresh_index.settle()
    monkeypatch.undo()
    fresh = Bm25Index.build(tmp_path / "fresh", kept)
    assert reopened(found) == (answers(fresh), fresh.ids_checksum(), generation)
    assert len(list(found.glob("gen-*"))) == len(list(found.glob("delta-*"))) == 1
    fresh.close()
    fresh_index.close()


def test_a_merge_without_room_changes_nothing_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = Bm25Index.build(tmp_path, passages(1, 100))
    index.upsert(passages(101, 20))
    before = answers(index)

    def full(folder: Path, prepared: Prepared, since: object) -> Generation:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(bm25_merge, "activate", full)
        with pytest.raises(StorageFullError):
            index.merge()
    assert answers(index) == before
    index.upsert(passages(121, 1))
    assert index.count() == 121
    index.merge()
    assert (index.generation, index.count()) == (2, 121)
    index.close()
    assert reopened(tmp_path)[2] == 2


def test_closing_gives_up_a_merge(tmp_path: Path, held: Held) -> None:
    index = Bm25Index.build(tmp_path, passages(1, 100))
    kept = written_meanwhile(index, held)
    closing = threading.Thread(target=index.close)
    closing.start()
    held.go.set()
    closing.join(WAIT_S)
    assert not closing.is_alive()
    fresh = Bm25Index.build(tmp_path / "fresh", kept)
    assert reopened(tmp_path)[:2] == (answers(fresh), fresh.ids_checksum())
    fresh.close()
