"""One file, one short-lived process: a hostile file can fail, the service cannot.

Arrives: a path and the ingest limits. Leaves: the ParsedDocument that the worker wrote, or a
RefusedFileError that says what happened to it. Limits on memory, CPU and wall time, output and files
always; no network and a read-only view of the system where bubblewrap works.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import msgspec

from appliance.config import REPOSITORY, Ingest
from appliance.documents.worker import OUT_OF_MEMORY, Order, Refused, Reply
from appliance.domain import ParsedDocument
from appliance.errors import BackendError, CancelledError, NotFoundError, RefusedFileError

_START = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from appliance.documents.worker import main; main()"
)
OUTPUT_FACTOR = 4
"""A document's JSON may be this many times the largest file."""
STDERR_BYTES = 4_096
_LOOK_AGAIN_S = 0.2
_FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""A parser does not end like this of itself: the kernel, short of memory, or a person ended it."""
_INSIDE = "/input"


def never() -> bool:
    """Nobody stops the work."""
    return False


def parse_file(
    path: Path, limits: Ingest, *, name: str = "", stopped: Callable[[], bool] = never
) -> ParsedDocument:
    """The document in a file; ``name`` is its original name where ``path`` is a blob.

    Raises NotFoundError for no file, RefusedFileError for anything wrong with it, BackendError when the
    machine failed it (another time it may work), CancelledError soon after ``stopped`` says so. Safe from
    threads.
    """
    name = name or path.name
    check_size(path, name, limits.max_file_bytes)
    output_bytes = limits.max_file_bytes * OUTPUT_FACTOR
    boxed = sandbox_mode() == "bubblewrap"
    order = Order(
        path=_INSIDE if boxed else str(path.resolve()),
        name=name,
        max_pages=limits.max_pages,
        memory_bytes=limits.parse_memory_bytes,
        cpu_s=limits.parse_timeout_s,
        output_bytes=output_bytes,
    )
    command = [sys.executable, "-I", "-c", _START, str(REPOSITORY), msgspec.json.encode(order).decode()]
    if boxed:
        command = [*_bubblewrap(path.resolve()), *command]
    returncode, output, errors = _run(command, limits.parse_timeout_s, output_bytes + 1024, name, stopped)
    return _document(returncode, output, errors, name, limits)


def check_size(path: Path, name: str, max_file_bytes: int) -> None:
    """Refuse what need not be opened: no file, not a file, empty, too large, not readable."""
    try:
        found = path.stat()
    except FileNotFoundError as error:
        raise NotFoundError(f"there is no file {path}", hint="check the path") from error
    except OSError as error:
        raise RefusedFileError(
            f"{name} cannot be read: {error.strerror}", hint="check its permissions"
        ) from error
    if not stat.S_ISREG(found.st_mode):
        raise RefusedFileError(f"{name} is not a file", hint="name a file")
    if not found.st_size:
        raise RefusedFileError(f"{name} is empty", hint="get a complete copy of the file")
    if found.st_size > max_file_bytes:
        size, limit = _megabytes(found.st_size), _megabytes(max_file_bytes)
        raise RefusedFileError(
            f"{name} is {size}, over the limit of {limit}", hint="split it or raise ingest.max_file_bytes"
        )
    if not os.access(path, os.R_OK):
        raise RefusedFileError(f"{name} cannot be read: Permission denied", hint="check its permissions")


def _megabytes(size: int) -> str:
    return f"{size / 1048576:.0f} MB" if size >= 1048576 else f"{size} bytes"


@cache
def sandbox_mode() -> str:
    """``bubblewrap``, or ``limits only: …`` with the reason, for ``assay doctor``."""
    program = shutil.which("bwrap")
    if program is None:
        return "limits only: bubblewrap is not installed"
    probe = [*_bubblewrap(Path(__file__)), sys.executable, "-I", "-c", "pass"]
    try:
        done = subprocess.run(probe, env={}, capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"limits only: bubblewrap does not start ({error})"
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip()[:120]
        return f"limits only: bubblewrap does not work here ({reason})"
    return "bubblewrap"


def _bubblewrap(file: Path) -> list[str]:
    folders = dict.fromkeys(
        [
            "/usr", "/lib", "/lib64", "/bin", sys.prefix, sys.base_prefix,
            str(Path(sys.executable).resolve().parent), str(REPOSITORY / "appliance"),
        ]
    )  # fmt: skip
    binds = [part for folder in folders for part in ("--ro-bind-try", folder, folder)]
    program = shutil.which("bwrap") or "bwrap"
    return [
        program, "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL",
        "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp",
        *binds, "--ro-bind", str(file), _INSIDE, "--chdir", "/",
    ]  # fmt: skip


def _run(
    command: list[str], timeout_s: int, output_bytes: int, name: str, stopped: Callable[[], bool]
) -> tuple[int, bytes, bytes]:
    """(return code, stdout, stderr), both bounded. Raises RefusedFileError when time or output runs over."""
    environment = {"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}
    try:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise BackendError(f"the parser of {name} did not start: {error}", hint="run assay doctor") from error
    with process:
        try:
            output, errors = _collect(process, time.monotonic() + timeout_s, output_bytes, stopped)
            if output is None:
                raise RefusedFileError(f"{name} took longer than {timeout_s} s to parse", hint=_TIME_HINT)
            if len(output) > output_bytes:
                raise RefusedFileError(f"{name} unpacks to too much text", hint="split it")
            process.wait(timeout=10)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    return process.returncode, output, errors


_TIME_HINT = "split it or raise ingest.parse_timeout_s"


def _collect(
    process: subprocess.Popen[bytes], deadline: float, limit: int, stopped: Callable[[], bool]
) -> tuple[bytes | None, bytes]:
    """Both streams until they end; None for stdout when the deadline comes first. Raises CancelledError."""
    assert process.stdout is not None
    assert process.stderr is not None
    output, errors = bytearray(), bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ, output)
        selector.register(process.stderr, selectors.EVENT_READ, errors)
        while selector.get_map() and len(output) <= limit:
            ready = selector.select(min(deadline - time.monotonic(), _LOOK_AGAIN_S))
            if stopped():
                raise CancelledError("parsing was stopped", hint="nothing is lost")
            if not ready and time.monotonic() >= deadline:
                return None, bytes(errors)
            for key, _ in ready:
                chunk = os.read(key.fd, 1 << 20)
                if not chunk:
                    selector.unregister(key.fileobj)
                elif key.data is output or len(errors) < STDERR_BYTES:
                    key.data.extend(chunk)
    return bytes(output), bytes(errors)


def _document(returncode: int, output: bytes, errors: bytes, name: str, limits: Ingest) -> ParsedDocument:
    memory = RefusedFileError(
        f"{name} needed more than {limits.parse_memory_bytes / 2**30:.1f} GiB of memory to parse",
        hint="split it or raise ingest.parse_memory_bytes",
    )
    stopped_by = -returncode if returncode < 0 else returncode - 128 if returncode > 128 else 0
    if stopped_by == signal.SIGXCPU:
        raise RefusedFileError(
            f"{name} took longer than {limits.parse_timeout_s} s of CPU time to parse", hint=_TIME_HINT
        )
    if b"bad_alloc" in errors or b"MemoryError" in errors or b"out of memory" in errors.lower():
        raise memory
    if stopped_by in _FROM_OUTSIDE:
        raise BackendError(
            f"the parser of {name} was ended from outside (signal {stopped_by})",
            hint="the machine may be short of memory: lower ingest.workers or ingest.parse_memory_bytes",
        )
    if stopped_by:
        raise RefusedFileError(f"the parser crashed (signal {stopped_by}) on {name}", hint=_CRASH_HINT)
    try:
        reply = msgspec.json.decode(output, type=Reply)
    except msgspec.DecodeError as error:
        last = (errors.decode("utf-8", "replace").strip().splitlines() or ["no reply"])[-1][:160]
        raise RefusedFileError(f"the parser failed on {name} ({last})", hint=_CRASH_HINT) from error
    if isinstance(reply, Refused):
        raise memory if reply.message == OUT_OF_MEMORY else RefusedFileError(reply.message, hint=reply.hint)
    return reply.document


_CRASH_HINT = "the file may be damaged: open and save it again, or convert it to another format"
