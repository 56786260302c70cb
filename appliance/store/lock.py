"""One process per data folder: an operating-system lock that dies with its holder, and who holds it."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path
from types import TracebackType

import msgspec
from filelock import FileLock, Timeout

from appliance.errors import BusyError, ConfigError, StorageFullError


class LockHolder(msgspec.Struct, frozen=True, kw_only=True):
    """Who holds the folder; written beside the lock, for the message to the next one."""

    pid: int
    command: str


class DataFolderLock:
    """Held from ``acquire`` to ``release``; released by the system when the process is killed."""

    def __init__(self, folder: Path, command: str) -> None:
        """``command`` is what to call this process to others, for example ``assay serve``."""
        self._folder = folder
        self._holder_file = folder / "lock.json"
        self._command = command
        self._lock: FileLock | None = None

    def acquire(self) -> None:
        """Make the folder (0700) and take it.

        Raises ConfigError (folder cannot be made or written) and BusyError (another process has it).
        """
        writable_folder(self._folder)
        lock = FileLock(str(self._folder / "lock"), timeout=0, mode=0o600)
        try:
            lock.acquire()
        except Timeout as error:
            raise self._busy() from error
        self._lock = lock
        holder = LockHolder(pid=os.getpid(), command=self._command)
        self._holder_file.write_bytes(msgspec.json.encode(holder))

    def release(self) -> None:
        """Give the folder back; harmless when it is not held."""
        if self._lock is not None:
            self._holder_file.unlink(missing_ok=True)
            self._lock.release()
            self._lock = None

    def __enter__(self) -> DataFolderLock:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _busy(self) -> BusyError:
        try:
            holder = msgspec.json.decode(self._holder_file.read_bytes(), type=LockHolder)
            who = f"process {holder.pid} ({holder.command})"
        except (OSError, msgspec.MsgspecError):
            who = "another process"
        return BusyError(
            f"the data folder {self._folder} is in use by {who}", hint="stop it or use the HTTP API"
        )


def writable_folder(folder: Path) -> Path:
    """The folder, made with mode 0700 where it was missing. Raises ConfigError when it cannot be written."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise StorageFullError(f"the disk of {folder} is full", hint="free some space first") from error
        raise ConfigError(
            f"the data folder {folder} is not writable ({error.strerror})",
            hint="give this user the right to write there, or set paths.data to another folder",
        ) from error
    return folder
