"""Files an index can trust after a crash: written whole, synced, hashed; system errors translated."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from appliance.errors import BackendError, StorageFullError


@contextmanager
def disk_errors(folder: Path) -> Generator[None]:
    """OSError becomes StorageFullError or BackendError that names the folder."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFullError(
                f"the disk of {folder} is full", hint="free some space, then run the command again"
            ) from error
        raise BackendError(
            f"{folder}: {error.strerror or error}", hint="check the folder and its rights"
        ) from error


def sha256_of(file: Path) -> str:
    """Hex digest of a file's bytes."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_synced(file: Path, data: bytes) -> None:
    """The bytes are on disk when this returns; the file's name needs :func:`sync_folder`."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "wb") as stream:  # noqa: PTH123 - a descriptor, opened for its mode
        stream.write(data)
        stream.flush()
        os.fsync(descriptor)


def sync_folder(folder: Path) -> None:
    """Names made or changed in the folder are on disk when this returns."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_file(file: Path, data: bytes) -> None:
    """The file holds the old bytes or the new ones, never a mixture, whatever happens meanwhile."""
    fresh = file.with_name(file.name + ".new")
    write_synced(fresh, data)
    fresh.replace(file)
    sync_folder(file.parent)
