"""Originals, content-addressed: ``ab/cd/<sha256>``, written once, verified whenever they are read."""

from __future__ import annotations

import errno
import hashlib
import os
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from appliance.errors import BackendError, ConfigError, DamagedError, NotFoundError, StorageFullError

_CHUNK_BYTES = 1 << 20


class Blob(msgspec.Struct, frozen=True, kw_only=True):
    """A stored original."""

    sha256: str
    bytes: int


class Blobs:
    """The blob folder (mode 0700)."""

    def __init__(self, folder: Path) -> None:
        """Make the folder; leftovers of killed writes are removed."""
        self._folder = folder
        with _write_errors(folder):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.chmod(0o700)
            self._incoming = folder / "incoming"
            self._incoming.mkdir(mode=0o700, exist_ok=True)
            for leftover in self._incoming.iterdir():
                leftover.unlink()

    def put_file(self, path: Path) -> Blob:
        """Copy a file in; on disk when it returns. Raises OSError when the source cannot be read."""
        with path.open("rb") as source:
            sha256 = hashlib.file_digest(source, "sha256").hexdigest()
            if self._has(sha256):
                return Blob(sha256=sha256, bytes=source.tell())
            source.seek(0)
            return self._put(iter(lambda: source.read(_CHUNK_BYTES), b""))

    def put_bytes(self, data: bytes) -> Blob:
        """Take in bytes that are in memory already."""
        return self._put(iter([data]))

    def path(self, sha256: str) -> Path:
        """The verified file. Raises NotFoundError, DamagedError when its content is not what it was."""
        path = self._place(sha256)
        try:
            with path.open("rb") as source:
                actual = hashlib.file_digest(source, "sha256").hexdigest()
        except FileNotFoundError as error:
            raise NotFoundError(
                f"the original {sha256[:12]}… is not in {self._folder}", hint="ingest the file again"
            ) from error
        if actual != sha256:
            raise DamagedError(f"the original {path} is damaged", hint="ingest the file again")
        return path

    def size(self, sha256: str) -> int:
        """Its bytes, not verified; 0 where there is none."""
        try:
            return self._place(sha256).stat().st_size
        except (FileNotFoundError, NotFoundError):
            return 0

    def read(self, sha256: str) -> bytes:
        """The verified content. Raises as ``path`` does."""
        return self.path(sha256).read_bytes()

    def remove(self, sha256: str) -> None:
        """Forget an original; harmless when there is none."""
        self._place(sha256).unlink(missing_ok=True)

    def _has(self, sha256: str) -> bool:
        try:
            return self.path(sha256).exists()
        except (NotFoundError, DamagedError):
            return False

    def _place(self, sha256: str) -> Path:
        if len(sha256) != 64 or not set(sha256) <= set("0123456789abcdef"):
            raise NotFoundError(f"{sha256!r} is not a sha256", hint="64 hex digits in lower case")
        return self._folder / sha256[:2] / sha256[2:4] / sha256

    def _put(self, chunks: Iterator[bytes]) -> Blob:
        digest, size = hashlib.sha256(), 0
        descriptor, name = tempfile.mkstemp(dir=self._incoming)
        temporary = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as target:
                for chunk in chunks:
                    digest.update(chunk)
                    size += len(chunk)
                    with _write_errors(self._folder):
                        target.write(chunk)
                with _write_errors(self._folder):
                    target.flush()
                    os.fsync(target.fileno())
            with _write_errors(self._folder):
                self._settle(temporary, digest.hexdigest())
        finally:
            temporary.unlink(missing_ok=True)
        return Blob(sha256=digest.hexdigest(), bytes=size)

    def _settle(self, temporary: Path, sha256: str) -> None:
        place = self._place(sha256)
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Also over an existing one: that may be the damaged copy which this ingest is to mend.
        temporary.replace(place)
        for folder in (place.parent, place.parent.parent, self._folder):
            _fsync_folder(folder)


def _fsync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _write_errors(folder: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFullError(
                f"the disk of {folder} is full", hint="free some space and run the command again"
            ) from error
        if error.errno in (errno.EACCES, errno.EROFS, errno.EPERM):
            raise ConfigError(
                f"the folder {folder} is not writable", hint="give this user the right to write there"
            ) from error
        raise BackendError(f"cannot write under {folder}: {error}") from error
