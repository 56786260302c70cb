"""Files of a request onto the disk, under the names that people gave them and nothing more.

Arrives: uploaded files. Leaves: paths in a folder of their own, which is gone when the work with it is done.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import unicodedata
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from litestar.datastructures import UploadFile

from appliance.errors import StorageFullError, UserError

MOST_NAME_BYTES = 200
_CHUNK_BYTES = 1 << 20


def safe_name(given: str) -> str:
    """The last part of a path, without control characters and leading dots, short enough for any disk.

    Raises UserError when nothing is left.
    """
    last = unicodedata.normalize("NFC", given).replace("\\", "/").rsplit("/", 1)[-1]
    kept = "".join(each for each in last if unicodedata.category(each)[0] != "C").strip().lstrip(".").strip()
    if not kept:
        raise UserError(f"{given[:80]!r} is no file name", hint="send every file with its name")
    stem, dot, suffix = kept.rpartition(".")
    if not dot or len(suffix.encode()) > 20:
        return _cut(kept, MOST_NAME_BYTES)
    return _cut(stem, MOST_NAME_BYTES - len(suffix.encode()) - 1) + dot + suffix


@contextmanager
def on_disk(files: Sequence[UploadFile], folder: Path) -> Generator[list[Path]]:
    """The files in a fresh folder under ``folder``. Raises UserError (names), StorageFullError."""
    names = [safe_name(file.filename) for file in files]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise UserError(f"two files are called {twice[0]!r}", hint="send them one after the other")
    if not names:
        raise UserError("no file was sent", hint='send at least one as the form field "files"')
    with _full_disk(folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        here = Path(tempfile.mkdtemp(dir=folder))
    try:
        with _full_disk(folder):
            for name, file in zip(names, files, strict=True):
                _write(file.file, here / name)
        yield [here / name for name in names]
    finally:
        shutil.rmtree(here, ignore_errors=True)


def _write(source: IO[bytes], target: Path) -> None:
    source.seek(0)
    with target.open("xb") as out:
        shutil.copyfileobj(source, out, _CHUNK_BYTES)


@contextmanager
def _full_disk(folder: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFullError(f"the disk of {folder} is full", hint="free some space first") from error
        raise


def _cut(text: str, most_bytes: int) -> str:
    return os.fsencode(text)[:most_bytes].decode("utf-8", "ignore")
