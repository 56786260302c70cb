"""What changes in a folder, told once it has come to rest, so that a file half copied is not read.

The system's own news (watchfiles) only say when to look: what has changed is seen by comparing the folder
with how it was, so nothing is missed. Network file systems send no news; there it is looked at every few
seconds.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from typing import cast

import msgspec
from watchfiles import watch

from appliance.ingest.progress import Cancelled

TICK_S = 0.25
POLL_S = 3.0
"""How often a folder without news is looked at …"""
SURE_S = 60.0
"""… and one with news, to be sure."""
_REMOTE = {
    "nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "afs", "9p", "ceph", "glusterfs", "lustre",
    "vboxsf", "davfs", "fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.davfs2", "fuse.glusterfs", "drvfs",
}  # fmt: skip
Signature = tuple[int, int, int]
"""Bytes, time of the last change (ns), inode."""
Snapshot = dict[Path, Signature]


class FolderChange(msgspec.Struct, frozen=True, kw_only=True):
    """Files that came to rest since the last one, by path."""

    changed: tuple[Path, ...]
    removed: tuple[Path, ...]


def snapshot(folder: Path) -> Snapshot:
    """Every file that is not hidden, as it is now; what vanishes or cannot be opened is not there."""
    found: Snapshot = {}
    for where, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            if name.startswith("."):
                continue
            try:
                state = (Path(where) / name).stat()
            except OSError:
                continue
            found[Path(where) / name] = (state.st_size, state.st_mtime_ns, state.st_ino)
    return found


def _age_s(path: Path) -> float:
    """Since it was written or moved here; a clock that runs ahead elsewhere makes no file young for ever."""
    try:
        state = path.stat()
    except OSError:
        return 0.0
    return abs(time.time() - max(state.st_mtime, state.st_ctime))


def is_remote(folder: Path) -> bool:
    """Whether the folder lies on a file system that other machines write, which tells nothing of it."""
    try:
        mounts = Path("/proc/self/mounts").read_text("utf-8", "replace").splitlines()
    except OSError:
        return False
    place = folder.resolve()
    best = ("", "")
    for line in mounts:
        fields = line.split(" ")
        where = fields[1].replace("\\040", " ")
        if place.is_relative_to(where) and len(where) >= len(best[0]):
            best = (where, fields[2])
    return best[1] in _REMOTE


class FolderWatch:
    """Watches one folder."""

    def __init__(
        self, folder: Path, *, settle_s: float, polling: bool | None = None, warn: Callable[[str], None]
    ) -> None:
        """``polling``: do without the system's news; None: where it sends none.

        The folder is remembered as it is now: what changes from here on is told, and what has only just
        changed, once it has come to rest.
        """
        self._folder = folder
        self._settle_s = settle_s
        self._polling = is_remote(folder) if polling is None else polling
        self._warn = warn
        now = snapshot(folder)
        self.unrested = frozenset(path for path in now if _age_s(path) < settle_s)
        """Files that may be half written yet."""
        self._known = {path: signature for path, signature in now.items() if path not in self.unrested}
        self._moving: dict[Path, tuple[Signature | None, float]] = {}
        """What has changed, how it was seen last, and since when it is so."""

    def changes(self, cancelled: Cancelled) -> Iterator[FolderChange]:
        """Each time files have come to rest; ends when ``cancelled`` says so."""
        looked = -SURE_S  # what changed before the system's news began to come is seen at the first tick
        for news in self._ticks(cancelled):
            every_s = POLL_S if self._polling else SURE_S
            if not news and not self._moving and time.monotonic() - looked < every_s:
                continue
            looked = time.monotonic()
            change = self._look(looked)
            if change.changed or change.removed:
                yield change

    def _look(self, now_s: float) -> FolderChange:
        seen = snapshot(self._folder)
        for path in {*seen, *self._known}:
            signature = seen.get(path)
            if signature == self._known.get(path):
                self._moving.pop(path, None)
            elif path not in self._moving or self._moving[path][0] != signature:
                self._moving[path] = (signature, now_s)
        rested = {
            path: seen for path, (seen, since_s) in self._moving.items() if now_s - since_s >= self._settle_s
        }
        for path, signature in rested.items():
            del self._moving[path]
            if signature is None:
                self._known.pop(path, None)
            else:
                self._known[path] = signature
        return FolderChange(
            changed=tuple(sorted(path for path, signature in rested.items() if signature is not None)),
            removed=tuple(sorted(path for path, signature in rested.items() if signature is None)),
        )

    def _ticks(self, cancelled: Cancelled) -> Generator[bool]:
        """Whether there is news, several times a second."""
        if not self._polling:
            try:
                for changes in self._news():
                    if cancelled():
                        return
                    yield bool(changes)
            except (OSError, RuntimeError) as error:
                self._warn(f"{self._folder} is looked at every {POLL_S:.0f} s: {error}")
            self._polling = True
        while not cancelled():
            yield False
            time.sleep(TICK_S)

    def _news(self) -> Iterable[set[object]]:
        stop = threading.Event()
        return cast(
            "Iterable[set[object]]",
            watch(
                self._folder,
                watch_filter=None,
                stop_event=stop,
                yield_on_timeout=True,
                rust_timeout=int(TICK_S * 1000),
                debounce=int(TICK_S * 1000),
                raise_interrupt=False,
                force_polling=False,
            ),
        )
