"""Which files a command names, under which record id each is known, and which cannot be taken."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from appliance.errors import UserError
from appliance.ingest.sidecars import RULES_NAME, SIDECAR_SUFFIX, is_description


class SourceFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file to take in; with ``trouble`` it is refused for that reason."""

    path: Path
    record_id: str
    """Path relative to the folder that was named, or the name of a file that was named itself."""
    root: Path | None = None
    """The folder that was named, absolute."""
    named: Path | None = None
    """The same as it was named; rules for the file may lie there and below."""
    trouble: str = ""


def find_sources(paths: Sequence[Path]) -> list[SourceFile]:
    """Every file in the order named, folders in sorted order; hidden ones and links out of a folder are not.

    Nor are the files that describe others (``assay.toml``, ``*.meta.toml``). What is no regular file, or a
    folder that cannot be opened, comes with its trouble. Raises UserError for a path that does not exist,
    before anything is done.
    """
    for path in paths:
        if not os.path.lexists(path):
            raise UserError(f"no such file or folder: {path}", hint="check the path")
    found = [source for path in paths for source in under(path)]
    if paths and not found:
        named = ", ".join(map(str, paths))
        raise UserError(f"no files under {named}", hint="name a file or a folder that has some")
    return _distinct(found)


def under(path: Path) -> Iterator[SourceFile]:
    """The file itself, or what lies in the folder, sorted by path."""
    trouble = _trouble(path)
    if trouble or not path.is_dir():
        if not is_description(path.name):
            yield SourceFile(path=path, record_id=path.name, trouble=trouble)
        return
    root = path.resolve()
    found = [one for each in _walk(path) if (one := _in_folder(each, path, root)) is not None]
    yield from sorted(found, key=lambda source: source.path)


def source_in(path: Path, folder: Path) -> SourceFile | None:
    """A file of a folder as ``find_sources`` would give it; None when it would not."""
    return _in_folder((path, ""), folder, folder.resolve())


def described_by(paths: Sequence[Path], folder: Path) -> list[Path]:
    """Files that are there and of which any of ``paths``, side-cars or rules, says something."""
    found: list[Path] = []
    for path in paths:
        if path.name == RULES_NAME:
            found += [source.path for source in under(folder) if source.path.is_relative_to(path.parent)]
        elif is_description(path.name):
            found.append(path.with_name(path.name.removesuffix(SIDECAR_SUFFIX)))
    return [path for path in dict.fromkeys(found) if path.exists()]


def _walk(folder: Path) -> Iterator[tuple[Path, str]]:
    """(path, trouble) of all that is no folder, and of folders that do not open."""
    closed: list[OSError] = []
    for where, folders, files in os.walk(folder, onerror=closed.append):
        folders[:] = [name for name in folders if not name.startswith(".")]
        here = Path(where)
        # Links to folders are not followed: inside the named folder they are walked where they really lie.
        yield from ((here / name, "") for name in files)
    for error in closed:
        yield Path(error.filename), f"cannot be opened: {error.strerror} — check the folder's permissions"


def _in_folder(each: tuple[Path, str], folder: Path, root: Path) -> SourceFile | None:
    path, trouble = each
    relative = path.relative_to(folder)
    if any(part.startswith(".") for part in relative.parts) or is_description(path.name):
        return None
    trouble = trouble or _trouble(path)
    if not trouble and not path.resolve().is_relative_to(root):
        return None
    return SourceFile(path=path, record_id=relative.as_posix(), root=root, named=folder, trouble=trouble)


def _trouble(path: Path) -> str:
    """Why a path cannot be read, without opening it: a pipe would wait for ever."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return "it is a link to nothing — remove it or mend it" if path.is_symlink() else _GONE
    except OSError as error:
        if path.is_symlink():
            return "it is a link in a circle — remove it or mend it"
        return f"cannot be read: {error.strerror} — check its permissions"
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        return (
            f"it is {_KINDS.get(stat.S_IFMT(mode), 'a special file')}, not a file — take it out of the folder"
        )
    return ""


_GONE = "it was gone before it could be read — ingest it again if it is back"
_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def _distinct(found: Sequence[SourceFile]) -> list[SourceFile]:
    """The same file named twice comes once; other files that would share a record id get their whole path."""
    unique = list({_real(source): source for source in found}.values())
    uses = Counter(source.record_id for source in unique)
    return [
        source
        if uses[source.record_id] == 1
        else msgspec.structs.replace(source, record_id=_real(source).as_posix())
        for source in unique
    ]


def _real(source: SourceFile) -> Path:
    return source.path.absolute() if source.trouble else source.path.resolve()
