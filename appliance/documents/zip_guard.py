"""ZIP packages (Office, ODF, EPUB): refused before a parser opens them where they unpack to too much.

Arrives: a path. Leaves: nothing, or a refusal; and the bytes of one part, bounded.
"""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from pathlib import Path

from appliance.errors import RefusedFileError

MAX_UNPACKED_BYTES = 512 << 20
MAX_PART_BYTES = 256 << 20
MAX_RATIO = 200
RATIO_FROM_BYTES = 16 << 20
"""Smaller parts may be as repetitive as they like."""
MAX_PARTS = 20_000
ZIP_ERRORS = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError,
    ValueError, KeyError, IndexError, struct.error, OverflowError,
)  # fmt: skip
"""What the standard library raises on a damaged archive or part."""


def guard_archive(path: Path, name: str, what: str) -> None:
    """Refuse a package that unpacks to far more than it is, or cannot be read. ``what``: ``a Word file``.

    Raises RefusedFileError.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
    except (*ZIP_ERRORS, OSError) as error:
        raise damaged(name, what) from error
    total = sum(part.file_size for part in parts)
    bombs = [
        part
        for part in parts
        if part.file_size > MAX_PART_BYTES
        or (part.file_size > RATIO_FROM_BYTES and part.file_size > part.compress_size * MAX_RATIO)
    ]
    if bombs or total > MAX_UNPACKED_BYTES or len(parts) > MAX_PARTS:
        size = f"{total >> 20} MB in {len(parts)} parts"
        raise RefusedFileError(
            f"{name} unpacks to {size}: this is not a normal document", hint="save it again"
        )


def damaged(name: str, what: str) -> RefusedFileError:
    """The refusal of a package that cannot be read."""
    return RefusedFileError(f"{name} is damaged: it cannot be opened as {what}", hint="get a complete copy")


def read_part(archive: zipfile.ZipFile, part: str) -> bytes | None:
    """The bytes of one part, None where there is none. Raises what is in ZIP_ERRORS."""
    try:
        entry = archive.getinfo(part)
    except KeyError:
        return None
    with archive.open(entry) as file:
        data = file.read(MAX_PART_BYTES + 1)
    if len(data) > MAX_PART_BYTES:
        raise zipfile.BadZipFile(f"{part} unpacks to too much")
    return data
