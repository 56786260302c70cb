"""A folder and its collection: what is new, changed, renamed and gone, and when nothing may be deleted."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from store_fakes import ALL
from test_ingest_steps import Bench, jsonl

from appliance.errors import UserError
from appliance.ingest import Folder, FolderSettings
from appliance.ingest.sources import find_sources
from appliance.ingest.watching import FolderChange, FolderWatch, is_remote


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with closing(Bench(tmp_path / "data")) as bench:
        yield bench


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    folder = tmp_path / "inbox"
    (folder / "sub").mkdir(parents=True)
    for name, text in (("a.txt", "alpha"), ("b.txt", "beta"), ("c.txt", "gamma"), ("sub/d.txt", "delta")):
        (folder / name).write_text(text)
    return folder


def kept(bench: Bench, folder: Path, *, force: bool = False, sync: bool = True) -> Folder:
    settings = FolderSettings(folder=folder, collection="c", sync=sync, force=force)
    return Folder(bench.repositories, bench.ingestor, ALL, settings)


def records(bench: Bench) -> list[str]:
    return [record.record_id for record in bench.repositories.documents.list(ALL)]


def test_what_is_gone_from_the_folder_goes_and_nothing_else(
    bench: Bench, inbox: Path, tmp_path: Path
) -> None:
    (tmp_path / "alone.txt").write_text("alone")
    bench.ingestor.ingest([tmp_path / "alone.txt", inbox], "c")
    (inbox / "b.txt").unlink()
    (inbox / "a.txt").write_text("alpha again")
    (inbox / "e.txt").write_text("epsilon")
    assert kept(bench, inbox, sync=False).everything().deleted == ()
    report = kept(bench, inbox).everything()
    assert (report.deleted, report.renamed, report.kept) == (("b.txt",), (), ())
    assert records(bench) == ["a.txt", "alone.txt", "c.txt", "e.txt", "sub/d.txt"]
    assert bench.texts() == ["alone", "gamma", "delta", "alpha again", "epsilon"]
    assert kept(bench, inbox).everything().deleted == ()


def test_a_renamed_file_keeps_its_vectors(bench: Bench, inbox: Path) -> None:
    kept(bench, inbox).everything()
    embedded = len(bench.embedder.embedded)
    (inbox / "a.txt").rename(inbox / "sub" / "a.txt")
    report = kept(bench, inbox).everything()
    assert (report.renamed, report.deleted) == ((("a.txt", "sub/a.txt"),), ())
    assert records(bench) == ["b.txt", "c.txt", "sub/a.txt", "sub/d.txt"]
    assert sorted(bench.texts()) == ["alpha", "beta", "delta", "gamma"]
    assert len(bench.embedder.embedded) == embedded


def test_records_of_a_file_that_is_gone_go_with_it(bench: Bench, inbox: Path) -> None:
    jsonl(inbox / "r.jsonl", 5)
    kept(bench, inbox).everything()
    assert len(records(bench)) == 9
    (inbox / "r.jsonl").unlink()
    assert kept(bench, inbox).everything().deleted == ("r.jsonl",)
    assert len(records(bench)) == 4


def test_an_archive_leaves_with_its_members_and_members_leave_alone(bench: Bench, inbox: Path) -> None:
    (inbox / "pack.zip").write_text("x.txt=chi\ny.txt=psi\nin.zip=z.txt=omega")
    kept(bench, inbox).everything()
    inside = ["pack.zip!/in.zip!/z.txt", "pack.zip!/x.txt", "pack.zip!/y.txt"]
    assert [record for record in records(bench) if "!/" in record] == inside
    assert kept(bench, inbox).everything().deleted == ()
    (inbox / "pack.zip").write_text("x.txt=chi")
    assert kept(bench, inbox).everything().deleted == (inside[0], inside[2])
    (inbox / "pack.zip").unlink()
    assert kept(bench, inbox).everything().deleted == ("pack.zip",)
    assert [record for record in records(bench) if "!/" in record] == []


def test_a_side_car_that_changes_is_heeded(bench: Bench, inbox: Path) -> None:
    kept(bench, inbox).everything()
    embedded = len(bench.embedder.embedded)
    (inbox / "a.txt.meta.toml").write_text('owner = "Legal"')
    kept(bench, inbox).changes([inbox / "a.txt.meta.toml"], [])
    owners = {each.record_id: each.metadata.owner for each in bench.repositories.documents.list(ALL)}
    assert (owners["a.txt"], owners["b.txt"]) == ("Legal", "")
    (inbox / "assay.toml").write_text('[[rule]]\nfiles = ["**/*.txt"]\ncontact = "desk@example.org"\n')
    kept(bench, inbox).changes([inbox / "assay.toml"], [])
    contacts = [each.metadata.contact for each in bench.repositories.documents.list(ALL)]
    assert contacts == ["desk@example.org"] * 4
    assert len(bench.embedder.embedded) == embedded


def test_an_empty_or_wrecked_folder_deletes_nothing(bench: Bench, inbox: Path) -> None:
    kept(bench, inbox).everything()
    for name in ("a.txt", "b.txt", "c.txt"):
        (inbox / name).unlink()
    with pytest.raises(UserError, match=r"3 of 4 files are gone from .* --force"):
        kept(bench, inbox).everything()
    shutil.rmtree(inbox / "sub")
    with pytest.raises(UserError, match=r"is empty, but 4 files were taken from it — is .* mounted"):
        kept(bench, inbox).everything()
    with pytest.raises(UserError, match="is empty"):
        kept(bench, inbox).changes([], [inbox / "a.txt"])
    inbox.rmdir()
    with pytest.raises(UserError, match="is no folder"):
        kept(bench, inbox).everything()
    assert len(records(bench)) == 4
    inbox.mkdir()
    assert len(kept(bench, inbox, force=True).everything().deleted) == 4
    assert (records(bench), bench.texts()) == ([], [])


def test_moving_everything_into_a_subfolder_is_renaming(bench: Bench, inbox: Path) -> None:
    kept(bench, inbox).everything()
    (inbox / "2024").mkdir()
    for name in ("a.txt", "b.txt", "c.txt", "sub"):
        shutil.move(inbox / name, inbox / "2024" / name)
    report = kept(bench, inbox).everything()
    assert (len(report.renamed), report.deleted) == (4, ())


# ---------------------------------------------------------------- what cannot be taken
def test_pipes_circles_and_dangling_links_are_told_each_in_a_line(bench: Bench, inbox: Path) -> None:
    os.mkfifo(inbox / "pipe.txt")
    (inbox / "circle.txt").symlink_to(inbox / "circle.txt")
    (inbox / "dangling.txt").symlink_to(inbox / "nothing")
    (inbox / "sub" / "up").symlink_to(inbox)
    (inbox / "out.txt").symlink_to("/etc/hostname")
    report = bench.ingestor.ingest([inbox], "c")
    reasons = {Path(source).name: reason for source, reason in report.refused}
    assert reasons == {
        "pipe.txt": "it is a pipe, not a file — take it out of the folder",
        "circle.txt": "it is a link in a circle — remove it or mend it",
        "dangling.txt": "it is a link to nothing — remove it or mend it",
    }
    assert report.documents == 4


def test_a_file_that_vanishes_before_it_is_read_is_told(bench: Bench, inbox: Path) -> None:
    sources = find_sources([inbox])
    (inbox / "b.txt").unlink()
    jobs = bench.ingestor.enqueue_sources(sources, "c")
    report = bench.ingestor.work(jobs)
    assert [(Path(source).name, reason.split(" — ")[0]) for source, reason in report.refused] == [
        ("b.txt", "it was gone before it could be read")
    ]
    assert report.documents == 3


# ---------------------------------------------------------------- watching
class Watched:
    """A watch in a thread of its own; what it told, in order."""

    def __init__(self, folder: Path, *, polling: bool) -> None:
        self.told: list[FolderChange] = []
        self.warned: list[str] = []
        self._stop = threading.Event()
        self._watch = FolderWatch(folder, settle_s=0.6, polling=polling, warn=self.warned.append)
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        self.told.extend(self._watch.changes(self._stop.is_set))

    def _names(self, which: str) -> list[str]:
        return [path.name for change in self.told for path in getattr(change, which)]

    def until(self, changed: set[str], removed: set[str] = frozenset()) -> None:  # type: ignore[assignment]
        deadline = time.monotonic() + 30
        while not (changed <= set(self._names("changed")) and removed <= set(self._names("removed"))):
            assert time.monotonic() < deadline, self.told
            time.sleep(0.05)

    def close(self) -> None:
        self._stop.set()
        self._thread.join()


@pytest.mark.parametrize("polling", [False, True])
def test_a_file_is_told_once_it_has_come_to_rest(
    inbox: Path, polling: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("appliance.ingest.watching.POLL_S", 0.2)
    for path in inbox.rglob("*.txt"):
        os.utime(path, (1, 1))
    monkeypatch.setattr("appliance.ingest.watching._age_s", lambda path: 100.0)
    with closing(Watched(inbox, polling=polling)) as watched:
        time.sleep(0.3)
        with (inbox / "copy.txt").open("w") as copy:
            for _ in range(8):
                copy.write("part ")
                copy.flush()
                time.sleep(0.2)
                assert "copy.txt" not in watched._names("changed"), "half copied"
        (inbox / "new").mkdir()
        (inbox / "new" / "deep.txt").write_text("deep")
        (inbox / "b.txt").unlink()
        watched.until({"copy.txt", "deep.txt"}, {"b.txt"})
        assert watched.told[0] == FolderChange(changed=(inbox / "copy.txt",), removed=()) or polling
        assert watched._names("changed").count("copy.txt") == 1
        assert watched.warned == []


def test_a_file_just_written_when_the_watch_begins_is_told_later(inbox: Path) -> None:
    with closing(Watched(inbox, polling=True)) as watched:
        assert {path.name for path in watched._watch.unrested} == {"a.txt", "b.txt", "c.txt", "d.txt"}
        watched.until({"a.txt", "b.txt", "c.txt", "d.txt"})


def test_a_local_folder_is_not_remote(tmp_path: Path) -> None:
    assert is_remote(tmp_path) is False
