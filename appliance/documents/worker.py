"""The process that parses one file: limits itself, parses, writes one JSON message to stdout, ends.

Started by :mod:`appliance.documents.sandbox`; an :class:`Order` arrives as the one argument, a
:class:`Parsed` or :class:`Refused` leaves. Parsers are imported only when their format is met.
"""

from __future__ import annotations

import contextlib
import os
import resource
import sys
from pathlib import Path

import msgspec

from appliance.documents.detect import Format, detect_format
from appliance.domain import ParsedDocument
from appliance.errors import AssayError, RefusedFileError


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What to parse and within which limits."""

    path: str
    name: str
    max_pages: int
    memory_bytes: int
    cpu_s: int
    output_bytes: int


class Parsed(msgspec.Struct, frozen=True, kw_only=True, tag="parsed"):
    """The document."""

    document: ParsedDocument


class Refused(msgspec.Struct, frozen=True, kw_only=True, tag="refused"):
    """Why there is none."""

    message: str
    hint: str = ""


Reply = Parsed | Refused
OUT_OF_MEMORY = "out of memory"
"""A Refused with this message means that the memory limit was met."""


def parse_here(path: Path, name: str, max_pages: int) -> ParsedDocument:
    """The document in a file, parsed in this very process: for the worker and for tests."""
    kind = detect_format(path, name)
    if kind is Format.PDF:
        from appliance.documents.pdf import parse_pdf

        return parse_pdf(path, name, max_pages)
    if kind is Format.DOCX:
        from appliance.documents.docx import parse_docx

        return parse_docx(path, name)
    data = path.read_bytes()
    if kind is Format.MARKDOWN:
        from appliance.documents.markdown import parse_markdown

        return parse_markdown(data, name)
    if kind is Format.HTML:
        from appliance.documents.html import parse_html

        return parse_html(data, name)
    if kind is Format.JSONL:
        raise RefusedFileError(f"{name} is a file of records", hint="read it record by record")
    from appliance.documents.text import parse_text

    return parse_text(data, name)


def main() -> None:
    """Read the order from the command line, parse, reply."""
    order = msgspec.json.decode(sys.argv[1], type=Order)
    reply_to = os.dup(1)
    os.dup2(2, 1)  # whatever a library prints must not mix with the reply
    _limit(order)
    try:
        reply: Reply = Parsed(document=parse_here(Path(order.path), order.name, order.max_pages))
        encoded = msgspec.json.encode(reply)
        if len(encoded) > order.output_bytes:
            size = f"{len(encoded) >> 20} MiB"
            raise RefusedFileError(f"{order.name} unpacks to {size} of text", hint="split it")
    except MemoryError:
        encoded = msgspec.json.encode(Refused(message=OUT_OF_MEMORY))
    except AssayError as error:
        encoded = msgspec.json.encode(Refused(message=error.message, hint=error.hint))
    except RecursionError:
        encoded = msgspec.json.encode(
            Refused(message=f"{order.name} is nested too deeply", hint="flatten it")
        )
    with os.fdopen(reply_to, "wb") as out:
        out.write(encoded)


def _limit(order: Order) -> None:
    cpu_s = order.cpu_s
    for kind, value, hard in (
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_NOFILE, 128, 128),
        # At the hard limit the kernel kills without a word; SIGXCPU before it says what happened.
        (resource.RLIMIT_CPU, cpu_s, cpu_s + 5),
        (resource.RLIMIT_AS, order.memory_bytes, order.memory_bytes),
    ):
        with contextlib.suppress(ValueError, OSError):  # a lower hard limit of the system stays
            resource.setrlimit(kind, (value, hard))
