"""The domain packs in use: those shipped in ``configs/domains`` and those of the administrator's folder.

Arrives: the ``[domains]`` section. Leaves: checked :class:`DomainPack` values; broken files are errors that
name every one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from appliance.config import REPOSITORY, Domains
from appliance.domain import DomainPack
from appliance.errors import ConfigError
from appliance.understanding.pack_files import PackFile, pack_of, read_pack_file

SHIPPED = REPOSITORY / "configs" / "domains"
CHECK = "run: assay domains check"


def load_packs(settings: Domains, *, shipped: Path = SHIPPED) -> tuple[DomainPack, ...]:
    """The packs in use: shipped ones by file name, then the user's.

    Raises ConfigError: a folder that is not there, files that are no packs (all of them are named), an
    enabled pack that does not exist.
    """
    packs, faults = read_packs(pack_paths(settings, shipped=shipped))
    if faults:
        raise ConfigError("; ".join(fault.message for fault in faults), hint=CHECK)
    return enabled_packs(packs, settings)


def pack_paths(settings: Domains, *, shipped: Path = SHIPPED) -> tuple[Path, ...]:
    """The files to read, shipped ones first. Raises ConfigError where the user's folder is none."""
    folders = [shipped]
    if settings.folder:
        own = Path(settings.folder).expanduser().resolve()
        if not own.is_dir():
            raise ConfigError(f"domains.folder: no folder {own}", hint="make it, or empty the key")
        folders.append(own)
    return tuple(path for folder in folders for path in sorted(folder.glob("*.toml")))


def read_packs(paths: Iterable[Path]) -> tuple[tuple[DomainPack, ...], tuple[ConfigError, ...]]:
    """The packs of these files, extensions joined; and an error for each file that could not be used."""
    files: list[PackFile] = []
    faults: list[ConfigError] = []
    for path in paths:
        try:
            files.append(read_pack_file(path))
        except ConfigError as error:
            faults.append(error)
    packs: dict[str, DomainPack] = {}
    origins: dict[str, Path] = {}
    # A file may extend a pack that comes after it in the alphabet.
    for file in sorted(files, key=lambda each: each.extends):
        try:
            packs[file.name] = _joined(file, packs, origins)
            origins.setdefault(file.name, file.path)
        except ConfigError as error:
            faults.append(error)
    return tuple(packs.values()), tuple(faults)


def _joined(file: PackFile, packs: dict[str, DomainPack], origins: dict[str, Path]) -> DomainPack:
    base = packs.get(file.name)
    if file.extends and base is None:
        known = ", ".join(packs) or "none"
        raise ConfigError(f"{file.path}: extends {file.name!r}: no such pack", hint=f"there are: {known}")
    if not file.extends and base is not None:
        raise ConfigError(
            f"{file.path}: field name: {file.name!r} is the pack of {origins[file.name]}",
            hint=f'write extends = "{file.name}" instead of name to add to it',
        )
    return pack_of(file, base)


def enabled_packs(packs: Sequence[DomainPack], settings: Domains) -> tuple[DomainPack, ...]:
    """Those that the configuration names; all of them where it names none. Raises ConfigError."""
    known = {pack.name: pack for pack in packs}
    for name in settings.enabled:
        if name not in known:
            raise ConfigError(f"domains.enabled: no pack {name!r}", hint=f"there are: {', '.join(known)}")
    return tuple(known[name] for name in settings.enabled or known)
