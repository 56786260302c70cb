"""Generations of one lexical index on disk: a segment in, a verified, memory-mapped segment out.

    CURRENT             which generation is valid and the sha256 of its checksums.json; swapped atomically
    gen-000007/         immutable: one .npy per column, groups.json, checksums.json (sha256 of each file)
    delta-000007.log    what came since (``bm25_journal``)

A generation is written beside, synced and renamed (:func:`prepare`) before CURRENT names it
(:func:`activate`), and the one before stays valid with its journal until then; anything else that lies in
the folder is the rest of an interrupted merge and is removed at open.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from appliance.domain import Struct
from appliance.errors import DamagedError
from appliance.store.analysis import TERMS
from appliance.store.bm25_journal import Change, Journal
from appliance.store.bm25_segment import COLUMNS, Array, Segment
from appliance.store.index_files import replace_file, sha256_of, sync_folder, write_synced

_POINTER = "CURRENT"
_CHECKSUMS = "checksums.json"
_GROUPS = "groups.json"


class Pointer(Struct, frozen=True, kw_only=True):
    """What CURRENT says."""

    generation: int
    checksums: str
    terms: int = 1
    """Which way of cutting texts into terms it was built with (``analysis.TERMS``)."""


class Generation(NamedTuple):
    """An open generation."""

    number: int
    segment: Segment
    journal: Journal


class Prepared(NamedTuple):
    """A generation that is whole on disk and that CURRENT does not name yet."""

    number: int
    segment: Segment
    checksums: str


def write_generation(folder: Path, number: int, segment: Segment) -> Generation:
    """The new generation, valid and empty of later changes when this returns; the others are gone."""
    return activate(folder, prepare(folder, number, segment), ())


def prepare(folder: Path, number: int, segment: Segment) -> Prepared:
    """The generation on disk, beside the valid one."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    place = _place(folder, number)
    unfinished = place.with_name(place.name + ".tmp")
    for stale in (unfinished, place):
        shutil.rmtree(stale, ignore_errors=True)
    unfinished.mkdir(mode=0o700)
    checksums = _write_files(unfinished, segment)
    unfinished.rename(place)
    return Prepared(number, _load(place), checksums)


def activate(folder: Path, prepared: Prepared, since: Iterable[Change]) -> Generation:
    """The prepared generation, valid, its journal holding what came ``since`` its rows were taken."""
    number, loaded, checksums = prepared
    journal = Journal.create(_log(folder, number), seed=checksums)
    for record in since:
        journal.append(record)
    sync_folder(folder)
    pointer = Pointer(generation=number, checksums=checksums, terms=TERMS)
    replace_file(folder / _POINTER, msgspec.json.encode(pointer))
    _remove_others(folder, number)
    return Generation(number, loaded, journal)


def open_generation(folder: Path) -> Generation:
    """The generation that CURRENT names, every byte of it checked.

    Raises DamagedError when a file is missing, superfluous or differs from its checksum.
    """
    try:
        pointer = msgspec.json.decode((folder / _POINTER).read_bytes(), type=Pointer)
        if pointer.terms != TERMS:
            raise damaged(folder, "it was built by another version, which cut texts into other terms")
        place = _place(folder, pointer.generation)
        _verify(place, pointer.checksums)
        segment = _load(place)
        journal = Journal.open(_log(folder, pointer.generation), seed=pointer.checksums)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise damaged(folder, f"{error.filename} is missing") from error
    except (ValueError, msgspec.MsgspecError) as error:
        raise damaged(folder, str(error)) from error
    _remove_others(folder, pointer.generation)
    return Generation(pointer.generation, segment, journal)


def last_number(folder: Path) -> int:
    """The highest generation number seen in the folder, valid or not."""
    names = [path.name for path in folder.glob("gen-*")]
    return max((int(name[4:10]) for name in names if name[4:10].isdigit()), default=0)


def damaged(folder: Path, reason: str) -> DamagedError:
    """The one way of saying it."""
    return DamagedError(f"the lexical index in {folder} is damaged: {reason}", hint="run `assay rebuild`")


def _write_files(place: Path, segment: Segment) -> str:
    """sha256 of the checksums file, after it and all it lists are on disk."""
    for name in COLUMNS:
        _save(place / f"{name}.npy", getattr(segment, name))
    write_synced(place / _GROUPS, msgspec.json.encode(segment.groups))
    digests = {path.name: sha256_of(path) for path in sorted(place.iterdir())}
    write_synced(place / _CHECKSUMS, msgspec.json.format(msgspec.json.encode(digests)))
    sync_folder(place)
    return sha256_of(place / _CHECKSUMS)


def _save(file: Path, column: Array) -> None:
    """The array on disk, without a copy of it in memory."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "wb") as stream:  # noqa: PTH123 - a descriptor, opened for its mode
        np.save(stream, column, allow_pickle=False)
        stream.flush()
        os.fsync(descriptor)


def _verify(place: Path, checksums: str) -> None:
    if sha256_of(place / _CHECKSUMS) != checksums:
        raise ValueError(f"{place.name}/{_CHECKSUMS} differs from what {_POINTER} names")
    digests = msgspec.json.decode((place / _CHECKSUMS).read_bytes(), type=dict[str, str])
    for name, digest in digests.items():
        if sha256_of(place / name) != digest:
            raise ValueError(f"{place.name}/{name} fails its checksum")


def _load(place: Path) -> Segment:
    # As plain arrays over the map: slices of numpy's own memmap type cost microseconds each.
    arrays = {
        name: np.load(place / f"{name}.npy", mmap_mode="r", allow_pickle=False).view(np.ndarray)
        for name in COLUMNS
    }
    groups = msgspec.json.decode((place / _GROUPS).read_bytes(), type=tuple[tuple[str, ...], ...])
    return Segment(**arrays, groups=groups)


def _remove_others(folder: Path, number: int) -> None:
    keep = {_place(folder, number).name, _log(folder, number).name, _POINTER}
    for path in folder.iterdir():
        if path.name not in keep:
            with suppress(OSError):  # what is left over is removed at the next open
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def _place(folder: Path, number: int) -> Path:
    return folder / f"gen-{number:06d}"


def _log(folder: Path, number: int) -> Path:
    return folder / f"delta-{number:06d}.log"
