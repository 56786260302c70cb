"""The helper process behind a Milvus-lite file: a path in, a Unix socket that answers out.

We start the package's binary ourselves instead of through ``milvus_lite.Server``: that one puts the socket
into the shared temp folder, always waits half a second, lets Ctrl-C reach the helper before us and imports
pkg_resources. The rule by which the helper lives is kept: it watches ``.NAME.lock`` and ends as soon as our
lock on that file is gone, also when we are killed (measured: 0.04 s later).
"""

from __future__ import annotations

import fcntl
import importlib.util
import itertools
import os
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import time
from contextlib import closing
from pathlib import Path

import msgspec
import psutil

from appliance.domain import Struct
from appliance.errors import BackendError, BusyError, ConfigError, DamagedError
from appliance.store.index_files import disk_errors, write_synced
from appliance.store.milvus_seal import Seal

START_S = 60.0
STOP_S = 10.0
COMPACT_S = 30.0
_SOCKET_PATH_MAX = 100
_FOLDER = "assay-m-"
_counter = itertools.count()


class HelperId(Struct, frozen=True, kw_only=True):
    """Enough to know the process again, and not to take another with its number for it."""

    pid: int
    created: float
    folder: str
    """Of its socket, to be removed after it."""


class LiteServer:
    """One file, one helper. ``clean`` is False when the last user of the file did not close it."""

    def __init__(self, file: Path, tmp_dir: Path) -> None:
        """Takes the file, checks its seal and starts the helper.

        Raises BusyError (file in use), DamagedError (seal broken or the helper does not take the file).
        """
        self._file = file.absolute()
        self._pid_file = file.with_name(file.name + ".pid")
        self._seal = Seal(self._file)
        self._process: subprocess.Popen[bytes] | None = None
        self._watched = self._owned = -1
        with disk_errors(self._file.parent):
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                self._take()
                self.clean = self._seal.check()
                self._tmp = _private_folder(tmp_dir)
                self._socket = self._tmp / f"m{os.getpid()}-{next(_counter)}.sock"
                self._start()
            except BaseException:
                self._release()
                raise

    @property
    def uri(self) -> str:
        """What the client connects to; never the same twice in a process (the client pools by it)."""
        return f"unix:{self._socket}"

    def before_write(self) -> None:
        """To be called before anything changes in the file."""
        with disk_errors(self._file.parent):
            self._seal.breaks()

    def compact(self) -> None:
        """VACUUM beside the helper, which takes it for any other change of its SQLite file.

        Raises BackendError (the helper is writing, the disk is full).
        """
        try:
            with closing(sqlite3.connect(self._file, timeout=COMPACT_S)) as database:
                database.execute("VACUUM")
        except sqlite3.Error as error:
            raise BackendError(f"the vector file {self._file} cannot be compacted: {error}") from error

    def stop(self) -> None:
        """End the helper, then seal the file. Harmless when stopped already."""
        if self._process is None:
            return
        os.close(self._watched)
        self._watched = -1
        try:
            self._process.wait(STOP_S)
            ended = True
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            ended = False
        self._process = None
        try:
            with disk_errors(self._file.parent):
                if ended:
                    self._seal.close()
        finally:
            self._release()

    def _take(self) -> None:
        """Two locks: ours excludes other users, the watched one keeps our helper alive."""
        self._owned = os.open(self._file.with_name(self._file.name + ".owner"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._owned, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise self._busy() from error
        self._end_orphan()
        self._watched = os.open(self._lock_file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            fcntl.lockf(self._watched, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise self._busy() from error

    def _busy(self) -> BusyError:
        return BusyError(
            f"the vector file {self._file} is in use by another process", hint="stop it or use the HTTP API"
        )

    @property
    def _lock_file(self) -> Path:
        return self._file.with_name(f".{self._file.name}.lock")

    def _end_orphan(self) -> None:
        """A helper whose owner was killed ends by itself; one that has not yet is ended here."""
        try:
            known = msgspec.json.decode(self._pid_file.read_bytes(), type=HelperId)
        except (FileNotFoundError, msgspec.MsgspecError):
            return
        if Path(known.folder).name.startswith(_FOLDER):
            shutil.rmtree(known.folder, ignore_errors=True)
        try:
            process = psutil.Process(known.pid)
            if abs(process.create_time() - known.created) < 1 and str(self._file) in process.cmdline():
                process.kill()
                process.wait(STOP_S)
        except psutil.NoSuchProcess:
            pass
        except psutil.Error as error:
            raise self._busy() from error

    def _start(self) -> None:
        library = _library()
        command = [library / "milvus", self._file, self.uri, "ERROR", self._lock_file]
        with self._log_file.open("wb") as log:
            self._process = subprocess.Popen(
                command,
                env={
                    "LD_LIBRARY_PATH": str(library),
                    "TMPDIR": str(self._tmp),
                    "HOME": str(self._tmp),
                    "PATH": os.defpath,
                },
                cwd=self._file.parent,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
                umask=0o077,
            )
        created = psutil.Process(self._process.pid).create_time()
        helper = HelperId(pid=self._process.pid, created=created, folder=str(self._tmp))
        write_synced(self._pid_file, msgspec.json.encode(helper))
        deadline = time.monotonic() + START_S
        while not self._answers():
            if self._process.poll() is not None:
                raise self._not_started()
            if time.monotonic() > deadline:
                raise BackendError(f"Milvus-lite did not start on {self._file} within {START_S:.0f} s")
            time.sleep(0.01)

    @property
    def _log_file(self) -> Path:
        return self._tmp / "log"

    def _not_started(self) -> BackendError:
        said = " ".join(self._log_file.read_text("utf-8", "replace").split())[-300:]
        if "malformed" in said or "not a database" in said:
            return DamagedError(f"the vector file {self._file} does not open", hint="run `assay rebuild`")
        return BackendError(f"Milvus-lite does not start on {self._file}: {said}", hint="run `assay doctor`")

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as probe:
            return self._socket.exists() and probe.connect_ex(str(self._socket)) == 0

    def _release(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        for descriptor in (self._watched, self._owned):
            if descriptor >= 0:
                os.close(descriptor)
        if self._owned >= 0 and hasattr(self, "_tmp"):
            self._pid_file.unlink(missing_ok=True)
            shutil.rmtree(self._tmp, ignore_errors=True)
        self._watched = self._owned = -1


def _private_folder(wanted: Path) -> Path:
    """A fresh 0700 folder for the socket: inside ``wanted``, or where a socket's path limit allows."""
    wanted.mkdir(mode=0o700, parents=True, exist_ok=True)
    short = len(str(wanted.absolute())) + 45 <= _SOCKET_PATH_MAX
    return Path(tempfile.mkdtemp(prefix=_FOLDER, dir=wanted.absolute() if short else None))


def _library() -> Path:
    """The folder of the binary, without importing the package."""
    spec = importlib.util.find_spec("milvus_lite")
    if spec is None or spec.origin is None:
        raise ConfigError("the package milvus-lite is not installed", hint="run ./install.sh again")
    return Path(spec.origin).parent / "lib"
