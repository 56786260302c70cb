"""The database file, the data folder's lock and the blobs: what is wrong is said, nothing is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from appliance.errors import BusyError, ConfigError, DamagedError, NotFoundError, StorageFullError
from appliance.store.blobs import Blobs
from appliance.store.collections import Collections
from appliance.store.lock import DataFolderLock
from appliance.store.sqlite import Database

ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_the_file_is_durable_wal_and_private(tmp_path: Path) -> None:
    database = Database(tmp_path / "data" / "assay.db")
    pragmas = {name: database.query(f"PRAGMA {name}")[0][0] for name in ("journal_mode", "synchronous")}
    assert pragmas == {"journal_mode": "wal", "synchronous": 2}
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "data" / "assay.db").stat().st_mode & 0o777 == 0o600
    database.check()
    database.close()


def test_migrations_are_applied_once(tmp_path: Path) -> None:
    for _ in range(2):
        database = Database(tmp_path / "assay.db")
        names = [row[0] for row in database.query("SELECT name FROM migrations ORDER BY name")]
        assert names == [
            "m001_documents",
            "m002_passages",
            "m003_ingest_jobs",
            "m004_runs",
            "m005_metadata",
            "m006_job_schedule",
            "m007_job_parents",
            "m008_filters",
            "m009_experience",
            "m010_titles",
            "m011_plans",
            "m012_steering",
            "m013_memory",
            "m014_gone",
            "m015_reviews",
        ]
        database.close()


def test_a_failed_transaction_leaves_nothing_even_inside_another(tmp_path: Path) -> None:
    database = Database(tmp_path / "assay.db")
    collections = Collections(database)

    def half() -> None:
        with database.transaction():
            collections.ensure("a", "e5")
            assert [found.name for found in collections.list()] == ["a"]
            raise RuntimeError

    with pytest.raises(RuntimeError):
        half()
    assert collections.list() == []
    with database.transaction():
        collections.ensure("b", "e5")
        seen: list[str] = []
        other = threading.Thread(target=lambda: seen.extend(found.name for found in collections.list()))
        other.start()
        other.join()
        assert seen == [], "another thread does not see what is not committed"
    assert [found.name for found in collections.list()] == ["b"]
    database.close()


def test_a_full_disk_is_named_and_what_was_acknowledged_stays(tmp_path: Path) -> None:
    database = Database(tmp_path / "assay.db")
    Collections(database).ensure("kept", "e5")
    with database.transaction() as connection:
        connection.execute(f"PRAGMA max_page_count = {database.query('PRAGMA page_count')[0][0]}")
    with pytest.raises(StorageFullError, match="full"):
        Collections(database).ensure("x" * 100_000, "e5")
    assert [found.name for found in Collections(database).list()] == ["kept"]
    database.close()


def test_a_damaged_file_is_said_to_be_damaged(tmp_path: Path) -> None:
    (tmp_path / "assay.db").write_bytes(b"no database at all" * 500)
    with pytest.raises(DamagedError, match="restore it from a backup"):
        Database(tmp_path / "assay.db")


def test_a_folder_that_cannot_be_written_is_a_configuration_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="not writable"):
        DataFolderLock(tmp_path / "file" / "data", "assay").acquire()
    with pytest.raises(ConfigError, match="not writable"):
        DataFolderLock(Path("/proc/assay"), "assay").acquire()


HOLDER = """
import sys, time
from pathlib import Path
from appliance.store.lock import DataFolderLock
lock = DataFolderLock(Path(sys.argv[1]), "assay serve")
lock.acquire()
print("held", flush=True)
time.sleep(10)
"""


def test_a_second_process_is_told_who_has_the_folder_and_a_killed_one_lets_go(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(BusyError) as caught:
            DataFolderLock(tmp_path, "assay ingest").acquire()
        assert str(caught.value) == (
            f"the data folder {tmp_path} is in use by process {holder.pid} (assay serve)"
            " — stop it or use the HTTP API"
        )
        os.kill(holder.pid, signal.SIGKILL)
    with DataFolderLock(tmp_path, "assay ingest"):
        pass


def test_blobs_are_named_by_content_and_verified(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "blobs")
    (tmp_path / "abc.txt").write_bytes(b"abc")
    blob = blobs.put_file(tmp_path / "abc.txt")
    assert (blob.sha256, blob.bytes) == (ABC, 3)
    assert blobs.put_bytes(b"abc") == blob == blobs.put_file(tmp_path / "abc.txt")
    assert blobs.read(ABC) == b"abc"
    assert blobs.path(ABC) == tmp_path / "blobs" / "ba" / "78" / ABC
    assert (tmp_path / "blobs").stat().st_mode & 0o777 == 0o700
    blobs.path(ABC).write_bytes(b"abd")
    with pytest.raises(DamagedError):
        blobs.read(ABC)
    blobs.put_file(tmp_path / "abc.txt")
    assert blobs.read(ABC) == b"abc", "ingesting the file again mends it"
    blobs.remove(ABC)
    for unknown in (ABC, "../../etc/passwd", ""):
        with pytest.raises(NotFoundError):
            blobs.read(unknown)


def test_leftovers_of_a_killed_write_are_removed(tmp_path: Path) -> None:
    Blobs(tmp_path)
    (tmp_path / "incoming" / "half").write_bytes(b"x")
    Blobs(tmp_path)
    assert list((tmp_path / "incoming").iterdir()) == []
