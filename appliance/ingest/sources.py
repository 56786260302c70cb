"""Which files a command names, and under which record id each is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from appliance.errors import UserError
from appliance.ingest.sidecars import is_description


class SourceFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file to take in."""

    path: Path
    record_id: str
    """Path relative to the folder that was named, or the name of a file that was named itself."""
    root: Path
    """The folder that was named, or the file's own: where rules for it may lie."""


def find_sources(paths: Sequence[Path]) -> list[SourceFile]:
    """Every file in the order named, folders in sorted order; hidden ones and links out of a folder are not.

    Nor are the files that describe others (``assay.toml``, ``*.meta.toml``).

    Raises UserError for a path that does not exist, before anything is done.
    """
    for path in paths:
        if not path.exists():
            raise UserError(f"no such file or folder: {path}", hint="check the path")
    found = [source for path in paths for source in _under(path)]
    if paths and not found:
        named = ", ".join(map(str, paths))
        raise UserError(f"no files under {named}", hint="name a file or a folder that has some")
    return _distinct(found)


def _under(path: Path) -> Iterator[SourceFile]:
    if path.is_file():
        if not is_description(path.name):
            yield SourceFile(path=path, record_id=path.name, root=path.parent)
        return
    root = path.resolve()
    for file in sorted(path.rglob("*")):
        relative = file.relative_to(path)
        hidden = any(part.startswith(".") for part in relative.parts)
        if hidden or is_description(file.name):
            continue
        if file.is_file() and file.resolve().is_relative_to(root):
            yield SourceFile(path=file, record_id=relative.as_posix(), root=path)


def _distinct(found: Sequence[SourceFile]) -> list[SourceFile]:
    """The same file named twice comes once; other files that would share a record id get their whole path."""
    unique = list({source.path.resolve(): source for source in found}.values())
    uses = Counter(source.record_id for source in unique)
    return [
        source
        if uses[source.record_id] == 1
        else msgspec.structs.replace(source, record_id=source.path.resolve().as_posix())
        for source in unique
    ]
