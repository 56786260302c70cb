"""ZIP, tar, compressed files and e-mails opened inside the worker: members come out one by one, bounded.

Nothing is written to disk and no name of a member is ever used as a path.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import stat
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import BinaryIO, cast

import msgspec

from appliance.documents.detect import CONTAINERS, Format
from appliance.documents.members import Left, Names, clean_name, is_furniture
from appliance.documents.zip_guard import ZIP_ERRORS
from appliance.domain.documents import MEMBER_SEPARATOR
from appliance.errors import RefusedFileError

_CHUNK_BYTES = 1 << 20
RATIO_FROM_BYTES = 16 << 20
"""What unpacks to less may be as repetitive as it likes."""
_BROKEN = (*ZIP_ERRORS, OSError, tarfile.TarError)
_MODULES = ((b"\x1f\x8b", gzip), (b"BZh", bz2), (b"\xfd7zXZ\x00", lzma))
Found = tuple[str, bytes] | Left
"""(clean name, content) of a member, or one that was left."""


class UnpackLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds of one archive."""

    max_members: int
    max_bytes: int
    """Of all members together, unpacked."""
    max_member_bytes: int
    max_ratio: int
    """How many times its packed size a large archive or member may be."""


class _Stop(Exception):
    """A limit is met; what came out so far is kept."""


def has_members(kind: Format) -> bool:
    """Whether a file of this format holds other files to take in."""
    return kind in CONTAINERS or kind is Format.EML


def members(path: Path, name: str, kind: Format, limits: UnpackLimits) -> Iterator[Found]:
    """All members, in order. Raises RefusedFileError when the container itself cannot be read."""
    budget = _Budget(limits)
    reader = {Format.ZIP: _zip, Format.TAR: _tar, Format.COMPRESSED: _compressed, Format.EML: _mail}[kind]
    names = Names()
    try:
        for raw, content in reader(path, name, budget):
            clean = clean_name(raw)
            if is_furniture(clean):
                continue
            budget.count()
            if isinstance(content, bytes):
                yield names.of(raw), content
            else:
                yield Left(name=names.of(raw), reason=content)
    except _Stop as stop:
        yield Left(name="", reason=str(stop))


class _Budget:
    """What may still come out."""

    def __init__(self, limits: UnpackLimits) -> None:
        self.limits = limits
        self.bytes = 0
        self.members = 0

    def count(self) -> None:
        """One member more. Raises _Stop."""
        self.members += 1
        if self.members > self.limits.max_members:
            raise _Stop(f"more than {self.limits.max_members} members: the rest was not taken")

    def read(self, file: BinaryIO, packed_bytes: int) -> bytes | str:
        """The content of a member, or why it is not taken. Raises _Stop when all of it would be too much."""
        parts: list[bytes] = []
        size = 0
        while chunk := file.read(_CHUNK_BYTES):
            size += len(chunk)
            self.bytes += len(chunk)
            if size > self.limits.max_member_bytes:
                return _too_large(self.limits)
            if size > RATIO_FROM_BYTES and size > packed_bytes * self.limits.max_ratio:
                return f"unpacks to more than {self.limits.max_ratio} times its packed size"
            if self.bytes > self.limits.max_bytes:
                raise _Stop(f"unpacks to more than {self.limits.max_bytes >> 20} MB: the rest was not taken")
            parts.append(chunk)
        return b"".join(parts)


def _too_large(limits: UnpackLimits) -> str:
    return f"is over the limit of {limits.max_member_bytes >> 20} MB (ingest.max_file_bytes)"


def _zip(path: Path, name: str, budget: _Budget) -> Iterator[tuple[str, bytes | str]]:
    try:
        archive = zipfile.ZipFile(path)
    except _BROKEN as error:
        raise _damaged(name) from error
    with archive:
        for entry in archive.infolist():
            if entry.is_dir():
                continue
            yield _zip_name(entry), _zip_content(archive, entry, budget)


def _zip_content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, budget: _Budget) -> bytes | str:
    mode = entry.external_attr >> 16
    if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return "is a link or a device, not a file"
    if entry.flag_bits & 0x1:
        return "is protected by a password"
    if entry.file_size > budget.limits.max_member_bytes:
        return _too_large(budget.limits)
    try:
        with archive.open(entry) as file:
            return budget.read(cast("BinaryIO", file), entry.compress_size)
    except NotImplementedError:
        return "is packed in a way that is not known here"
    except _BROKEN:
        return "is damaged"


def _zip_name(entry: zipfile.ZipInfo) -> str:
    """The name; those that old programs wrote in a Chinese code page read as such."""
    if entry.flag_bits & 0x800:
        return entry.filename
    try:
        raw = entry.filename.encode("cp437")
    except UnicodeEncodeError:
        return entry.filename
    for encoding in ("utf-8", "gb2312"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return entry.filename


def _tar(path: Path, name: str, budget: _Budget) -> Iterator[tuple[str, bytes | str]]:
    counted = _Counted(path, budget)
    try:
        with counted, tarfile.open(fileobj=cast("BinaryIO", counted), mode="r|") as archive:
            for entry in archive:
                if entry.isdir():
                    continue
                yield entry.name, _tar_content(archive, entry, budget)
    except _BROKEN as error:
        if not budget.members:
            raise _damaged(name) from error
        raise _Stop("the archive is damaged or ends early: the rest could not be read") from error


def _tar_content(archive: tarfile.TarFile, entry: tarfile.TarInfo, budget: _Budget) -> bytes | str:
    if not entry.isreg() or entry.issparse():
        return "is a link or a device, not a file" if not entry.issparse() else "is a sparse file"
    if entry.size > budget.limits.max_member_bytes:
        return _too_large(budget.limits)
    file = archive.extractfile(entry)
    return "is damaged" if file is None else budget.read(cast("BinaryIO", file), entry.size)


class _Counted:
    """An unpacked tar stream that stops where the whole unpacks to too much. Raises _Stop."""

    def __init__(self, path: Path, budget: _Budget) -> None:
        self._file = _unpacking(path)
        self._limits = budget.limits
        self._packed = path.stat().st_size
        self._read = 0

    def read(self, size: int) -> bytes:
        chunk = self._file.read(size)
        self._read += len(chunk)
        # Skipped members are unpacked too, and headers are bytes: twice the bound of what is kept.
        if self._read > self._limits.max_bytes * 2 + RATIO_FROM_BYTES:
            raise _Stop("unpacks to too much: the rest was not taken")
        if self._read > RATIO_FROM_BYTES and self._read > self._packed * self._limits.max_ratio:
            raise _Stop(
                f"unpacks to more than {self._limits.max_ratio} times its size: the rest was not taken"
            )
        return chunk

    def __enter__(self) -> _Counted:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def _unpacking(path: Path) -> BinaryIO:
    with path.open("rb") as file:
        head = file.read(8)
    for mark, module in _MODULES:
        if head.startswith(mark):
            return cast("BinaryIO", module.open(path, "rb"))
    return path.open("rb")


def _compressed(path: Path, name: str, budget: _Budget) -> Iterator[tuple[str, bytes | str]]:
    inner = PurePath(name.rpartition(MEMBER_SEPARATOR)[2]).name
    inner = inner.rsplit(".", 1)[0] if inner.lower().endswith((".gz", ".bz2", ".xz")) else f"{inner} unpacked"
    try:
        with _unpacking(path) as file:
            yield inner, budget.read(file, path.stat().st_size)
    except _BROKEN as error:
        raise _damaged(name) from error


def _mail(path: Path, name: str, budget: _Budget) -> Iterator[tuple[str, bytes | str]]:
    from appliance.documents.eml import attachments, read_message

    for attached, content in attachments(read_message(path.read_bytes(), name)):
        if content is None:
            yield attached, "is damaged"
        elif len(content) > budget.limits.max_member_bytes:
            yield attached, _too_large(budget.limits)
        else:
            yield attached, content


def _damaged(name: str) -> RefusedFileError:
    return RefusedFileError(
        f"{name} is damaged: it cannot be unpacked", hint="get a complete copy of the file"
    )
