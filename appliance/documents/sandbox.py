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
from appliance.documents.worker import OCR_PREFIX, OUT_OF_MEMORY, Archive, Order, Refused, Reply
from appliance.domain import ParsedDocument
from appliance.errors import BackendError, CancelledError, NotFoundError, RefusedFileError

_START = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from appliance.documents.worker import main; main()"
)
OUTPUT_FACTOR = 4
"""A document's JSON may be this many times the largest file."""
STDERR_BYTES = 4_096
LOOK_AGAIN_S = 0.2
_FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""A parser does not end like this of itself: the kernel, short of memory, or a person ended it."""
_INSIDE = "/input"


def never() -> bool:
    """Nobody stops the work."""
    return False


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What the worker found in a file."""

    document: ParsedDocument | None
    """None for an archive."""
    has_members: bool = False
    """Whether there are other files in it, for :func:`appliance.documents.unpacking.unpack_file`."""


def parse_file(
    path: Path, limits: Ingest, *, name: str = "", stopped: Callable[[], bool] = never
) -> ParsedDocument:
    """The document in a file; ``name`` is its original name where ``path`` is a blob.

    Raises NotFoundError for no file, RefusedFileError for anything wrong with it, BackendError when the
    machine failed it (another time it may work), CancelledError soon after ``stopped`` says so. Safe from
    threads.
    """
    document = read_file(path, limits, name=name, stopped=stopped).document
    if document is None:
        raise RefusedFileError(
            f"{name or path.name} is an archive, not a document", hint="ingest it to take in what is in it"
        )
    return document


def read_file(path: Path, limits: Ingest, *, name: str = "", stopped: Callable[[], bool] = never) -> Reading:
    """As :func:`parse_file`; also says whether there are other files in it."""
    name = name or path.name
    check_size(path, name, limits.max_file_bytes)
    output_bytes = limits.max_file_bytes * OUTPUT_FACTOR
    order = Order(
        path=str(path.resolve()),
        name=name,
        max_pages=limits.max_pages,
        memory_bytes=limits.parse_memory_bytes,
        cpu_s=limits.parse_timeout_s,
        output_bytes=output_bytes,
        ocr_seconds_per_page=limits.ocr_seconds_per_page,
        ocr_max_pages=limits.ocr_max_pages,
        ocr_threads=limits.ocr_threads,
    )
    returncode, output, errors = _run(worker_command(order), limits, output_bytes + 1024, name, stopped)
    return _replied(returncode, output, errors, name, limits)


def worker_command(order: Order) -> list[str]:
    """The command line of a worker for this order, boxed in where that works."""
    boxed = sandbox_mode() == "bubblewrap"
    file = Path(order.path)
    if boxed:
        order = msgspec.structs.replace(order, path=_INSIDE)
    command = [sys.executable, "-I", "-c", _START, str(REPOSITORY), msgspec.json.encode(order).decode()]
    return [*_bubblewrap(file), *command] if boxed else command


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
    command: list[str], limits: Ingest, output_bytes: int, name: str, stopped: Callable[[], bool]
) -> tuple[int, bytes, bytes]:
    """(return code, stdout, stderr), both bounded. Raises RefusedFileError when time or output runs over."""
    timeout_s = limits.parse_timeout_s
    with start_worker(command, name) as process:
        try:
            output, errors = _collect(process, limits, output_bytes, stopped)
            if output is None:
                raise RefusedFileError(f"{name} took longer than {timeout_s} s to parse", hint=_TIME_HINT)
            if len(output) > output_bytes:
                raise RefusedFileError(f"{name} unpacks to too much text", hint="split it")
            process.wait(timeout=10)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    return process.returncode, output, errors


def start_worker(command: list[str], name: str) -> subprocess.Popen[bytes]:
    """The process, in a session of its own and with an empty environment. Raises BackendError."""
    try:
        return subprocess.Popen(
            command,
            env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise BackendError(f"the parser of {name} did not start: {error}", hint="run assay doctor") from error


_TIME_HINT = "split it or raise ingest.parse_timeout_s"


def _collect(
    process: subprocess.Popen[bytes], limits: Ingest, limit: int, stopped: Callable[[], bool]
) -> tuple[bytes | None, bytes]:
    """Both streams until they end; None for stdout when the deadline comes first. Raises CancelledError.

    A worker that announces pages for OCR gets their time once, never that of more than ``ocr_max_pages``.
    """
    deadline = time.monotonic() + limits.parse_timeout_s
    announced = False
    assert process.stdout is not None
    assert process.stderr is not None
    output, errors = bytearray(), bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ, output)
        selector.register(process.stderr, selectors.EVENT_READ, errors)
        while selector.get_map() and len(output) <= limit:
            ready = selector.select(min(deadline - time.monotonic(), LOOK_AGAIN_S))
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
            if not announced and output.startswith(OCR_PREFIX) and b"\n" in output:
                announced = True
                deadline += _announced_pages(output, limits) * limits.ocr_seconds_per_page
    return bytes(output), bytes(errors)


def _announced_pages(output: bytearray, limits: Ingest) -> int:
    """Take the announcement off the front of ``output``."""
    line, _, rest = bytes(output).partition(b"\n")
    output[:] = rest
    pages = line.removeprefix(OCR_PREFIX)
    return min(int(pages), limits.ocr_max_pages) if pages.isdigit() and len(pages) < 8 else 0


def _replied(returncode: int, output: bytes, errors: bytes, name: str, limits: Ingest) -> Reading:
    check_end(returncode, errors, name, limits)
    try:
        reply = msgspec.json.decode(output, type=Reply)
    except msgspec.DecodeError as error:
        raise failed(errors, name) from error
    if isinstance(reply, Refused):
        raise (
            out_of_memory(name, limits)
            if reply.message == OUT_OF_MEMORY
            else RefusedFileError(reply.message, hint=reply.hint)
        )
    if isinstance(reply, Archive):
        return Reading(document=None, has_members=True)
    return Reading(document=reply.document, has_members=reply.has_members)


def check_end(returncode: int, errors: bytes, name: str, limits: Ingest) -> None:
    """Raises RefusedFileError when the worker was stopped: by a limit, or by a crash of a library."""
    stopped_by = -returncode if returncode < 0 else returncode - 128 if returncode > 128 else 0
    if stopped_by == signal.SIGXCPU:
        raise RefusedFileError(
            f"{name} took longer than {limits.parse_timeout_s} s of CPU time to parse", hint=_TIME_HINT
        )
    if b"bad_alloc" in errors or b"MemoryError" in errors or b"out of memory" in errors.lower():
        raise out_of_memory(name, limits)
    if stopped_by in _FROM_OUTSIDE:
        raise BackendError(
            f"the parser of {name} was ended from outside (signal {stopped_by})",
            hint="the machine may be short of memory: lower ingest.workers or ingest.parse_memory_bytes",
        )
    if stopped_by:
        raise RefusedFileError(f"the parser crashed (signal {stopped_by}) on {name}", hint=_CRASH_HINT)


def failed(errors: bytes, name: str) -> RefusedFileError:
    """The refusal of a file on which the worker ended without a reply."""
    last = (errors.decode("utf-8", "replace").strip().splitlines() or ["no reply"])[-1][:160]
    return RefusedFileError(f"the parser failed on {name} ({last})", hint=_CRASH_HINT)


def out_of_memory(name: str, limits: Ingest) -> RefusedFileError:
    """The refusal of a file that met the memory limit."""
    return RefusedFileError(
        f"{name} needed more than {limits.parse_memory_bytes / 2**30:.1f} GiB of memory to parse",
        hint="split it or raise ingest.parse_memory_bytes",
    )


_CRASH_HINT = "the file may be damaged: open and save it again, or convert it to another format"
