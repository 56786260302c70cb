"""The members of an archive out of the sandbox: a path and limits arrive, members leave one at a time.

The worker of :mod:`appliance.documents.worker` unpacks; what it sends is read as it comes, so that no more
than one member is in memory here.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from appliance.config import Ingest
from appliance.documents.archives import UnpackLimits
from appliance.documents.members import LENGTH_BYTES, Broken, End, Left, Member, decode_head, head_length
from appliance.documents.sandbox import (
    LOOK_AGAIN_S,
    STDERR_BYTES,
    check_end,
    check_size,
    failed,
    never,
    out_of_memory,
    start_worker,
    worker_command,
)
from appliance.documents.worker import OUT_OF_MEMORY, Order
from appliance.errors import CancelledError, RefusedFileError

_END_S = 2
"""How long a worker that closed its stream may take to end."""
MAX_HEAD_BYTES = 64 << 10


def unpack_file(
    path: Path,
    limits: Ingest,
    *,
    name: str = "",
    spent_members: int = 0,
    spent_bytes: int = 0,
    stopped: Callable[[], bool] = never,
) -> Iterator[tuple[str, bytes] | Left]:
    """(clean relative name, content) of each member, or a Left that says why one was not taken.

    ``spent_*``: what the archive that this one came out of has used up of the limits already.
    Raises NotFoundError, RefusedFileError for a container that cannot be read; what came before it counts.
    BackendError when the machine failed it, CancelledError soon after ``stopped`` says so.
    """
    name = name or path.name
    check_size(path, name, limits.max_file_bytes)
    bounds = UnpackLimits(
        max_members=max(limits.max_archive_members - spent_members, 0),
        max_bytes=max(limits.max_archive_bytes - spent_bytes, 0),
        max_member_bytes=limits.max_file_bytes,
        max_ratio=limits.max_archive_ratio,
    )
    order = Order(
        path=str(path.resolve()),
        name=name,
        max_pages=limits.max_pages,
        memory_bytes=limits.parse_memory_bytes,
        cpu_s=limits.parse_timeout_s,
        output_bytes=0,
        unpack=bounds,
    )
    with start_worker(worker_command(order), name) as process:
        stream = _Stream(process, name, limits.parse_timeout_s, stopped)
        try:
            yield from _frames(stream, bounds, name, limits)
        except _EndedEarly as error:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=_END_S)
                stream.drain_errors()
                check_end(process.returncode, bytes(stream.errors), name, limits)
            raise failed(bytes(stream.errors), name) from error
        finally:
            stream.close()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def _frames(
    stream: _Stream, bounds: UnpackLimits, name: str, limits: Ingest
) -> Iterator[tuple[str, bytes] | Left]:
    """Frames up to the end. A worker taken over by its file can say anything: it is held to the bounds."""
    members = size = 0
    while True:
        length = head_length(stream.read(LENGTH_BYTES))
        if length > MAX_HEAD_BYTES:
            raise _EndedEarly
        try:
            frame = decode_head(stream.read(length))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise _EndedEarly from error
        if isinstance(frame, End):
            return
        members += 1
        size += frame.bytes if isinstance(frame, Member) else 0
        if members > bounds.max_members + 2 or size > bounds.max_bytes or size < 0:
            raise RefusedFileError(f"{name} unpacks to too much", hint="split it")
        if isinstance(frame, Broken):
            raise (
                out_of_memory(name, limits)
                if frame.reason == OUT_OF_MEMORY
                else RefusedFileError(frame.reason, hint=frame.hint)
            )
        if isinstance(frame, Left):
            yield frame
        elif frame.bytes > bounds.max_member_bytes or frame.bytes < 0:
            raise RefusedFileError(f"{name} unpacks to too much", hint="split it")
        else:
            yield frame.name, stream.read(frame.bytes)


class _EndedEarly(Exception):
    """The worker stopped in the middle of a frame, or sent none."""


class _Stream:
    """The worker's stdout, read up to a length within a time; time spent by the reader does not count."""

    def __init__(
        self, process: subprocess.Popen[bytes], name: str, timeout_s: float, stopped: Callable[[], bool]
    ) -> None:
        assert process.stdout is not None
        assert process.stderr is not None
        self.errors = bytearray()
        self._buffer = bytearray()
        self._name = name
        self._timeout_s = timeout_s
        self._left_s = timeout_s
        self._stopped = stopped
        self._output = process.stdout
        self._errors_fd = process.stderr.fileno()
        self._selector = selectors.DefaultSelector()
        self._selector.register(process.stdout, selectors.EVENT_READ)
        self._selector.register(process.stderr, selectors.EVENT_READ)

    def read(self, length: int) -> bytes:
        """The next ``length`` bytes. Raises RefusedFileError (too long), CancelledError, _EndedEarly."""
        while len(self._buffer) < length:
            started = time.monotonic()
            ready = self._selector.select(max(min(self._left_s, LOOK_AGAIN_S), 0))
            if self._stopped():
                raise CancelledError("unpacking was stopped", hint="nothing is lost")
            self._left_s -= time.monotonic() - started
            if not ready and self._left_s <= 0:
                raise RefusedFileError(
                    f"{self._name} took longer than {self._timeout_s} s to unpack",
                    hint="split it or raise ingest.parse_timeout_s",
                )
            for key, _ in ready:
                self._take(key.fileobj is self._output, key.fd, key.fileobj)
        taken = bytes(self._buffer[:length])
        del self._buffer[:length]
        return taken

    def drain_errors(self) -> None:
        """Read what the worker, which has ended, still said."""
        left = os.read(self._errors_fd, STDERR_BYTES)
        self.errors += left[: STDERR_BYTES - len(self.errors)]

    def close(self) -> None:
        """Let go of the pipes."""
        self._selector.close()

    def _take(self, is_output: bool, descriptor: int, file: object) -> None:
        chunk = os.read(descriptor, 1 << 20)
        if chunk and is_output:
            self._buffer += chunk
        elif chunk:
            self.errors += chunk[: STDERR_BYTES - len(self.errors)]
        else:
            self._selector.unregister(file)  # type: ignore[arg-type]
            if is_output:
                raise _EndedEarly
