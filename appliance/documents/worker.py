"""The process that parses one file: limits itself, parses, writes one JSON message to stdout, ends.

Started by :mod:`appliance.documents.sandbox`; an :class:`Order` arrives as the one argument, a
:class:`Parsed`, :class:`Archive` or :class:`Refused` leaves. Parsers are imported only when their format is
met. An order to unpack is answered by the frames of :mod:`appliance.documents.members` instead.
"""

from __future__ import annotations

import contextlib
import os
import resource
import sys
from pathlib import Path
from typing import BinaryIO

import msgspec

from appliance.documents.allowance import Allowance
from appliance.documents.archives import UnpackLimits, members
from appliance.documents.detect import CONTAINERS, Format, detect_format
from appliance.documents.members import Broken, End, Left, Member, write_frame
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
    ocr_seconds_per_page: int = 0
    ocr_max_pages: int = 0
    ocr_threads: int = 1
    unpack: UnpackLimits | None = None
    """To hand over the members of the file instead of its text."""


class Parsed(msgspec.Struct, frozen=True, kw_only=True, tag="parsed"):
    """The document."""

    document: ParsedDocument
    has_members: bool = False
    """Whether it holds other files too, as an e-mail does."""


class Archive(msgspec.Struct, frozen=True, kw_only=True, tag="archive"):
    """The file is nothing but its members."""


class Refused(msgspec.Struct, frozen=True, kw_only=True, tag="refused"):
    """Why there is none."""

    message: str
    hint: str = ""


Reply = Parsed | Archive | Refused
OUT_OF_MEMORY = "out of memory"
"""A Refused with this message means that the memory limit was met."""
_LAST_WORD_S = 5
OCR_PREFIX = b"ocr "
"""A line ``ocr 12`` before the reply asks for the time that OCR of 12 pages takes."""


def parse_here(path: Path, name: str, max_pages: int, allowance: Allowance | None = None) -> ParsedDocument:
    """The document in a file, parsed in this very process: for the worker and for tests.

    Raises RefusedFileError, also for an archive: it has members, but no text of its own.
    """
    kind = detect_format(path, name)
    if kind in CONTAINERS:
        raise RefusedFileError(
            f"{name} is an archive, not a document", hint="ingest it to take in what is in it"
        )
    if kind is Format.JSONL:
        raise RefusedFileError(f"{name} is a file of records", hint="read it record by record")
    return _parsed(path, name, kind, max_pages, allowance)


def _parsed(
    path: Path, name: str, kind: Format, max_pages: int, allowance: Allowance | None
) -> ParsedDocument:
    if kind is Format.PDF:
        from appliance.documents.pdf import parse_pdf

        return parse_pdf(path, name, max_pages, allowance)
    if kind is Format.IMAGE:
        from appliance.documents.images import parse_image

        return parse_image(path, name, max_pages, allowance)
    if kind is Format.DOCX:
        from appliance.documents.docx import parse_docx

        return parse_docx(path, name)
    if kind in (Format.XLSX, Format.XLS, Format.ODS):
        from appliance.documents.spreadsheet import parse_spreadsheet

        return parse_spreadsheet(path, name, kind, max_pages)
    if kind is Format.PPTX:
        from appliance.documents.pptx import parse_pptx

        return parse_pptx(path, name, max_pages)
    if kind is Format.EPUB:
        from appliance.documents.epub import parse_epub

        return parse_epub(path, name)
    return _parsed_bytes(path.read_bytes(), name, kind)


def _parsed_bytes(data: bytes, name: str, kind: Format) -> ParsedDocument:
    if kind is Format.MARKDOWN:
        from appliance.documents.markdown import parse_markdown

        return parse_markdown(data, name)
    if kind is Format.HTML:
        from appliance.documents.html import parse_html

        return parse_html(data, name)
    if kind is Format.CSV:
        from appliance.documents.delimited import parse_delimited

        return parse_delimited(data, name)
    if kind is Format.EML:
        from appliance.documents.eml import parse_eml

        return parse_eml(data, name)
    if kind is Format.JATS:
        from appliance.documents.jats import parse_jats

        return parse_jats(data, name)
    from appliance.documents.text import parse_text

    return parse_text(data, name)


def main() -> None:
    """Read the order from the command line, parse, reply."""
    order = msgspec.json.decode(sys.argv[1], type=Order)
    reply_to = os.dup(1)
    os.dup2(2, 1)  # whatever a library prints must not mix with the reply
    _limit(order)
    allowance = Allowance(
        parse_s=order.cpu_s,
        ocr_seconds_per_page=order.ocr_seconds_per_page,
        ocr_max_pages=order.ocr_max_pages,
        ocr_threads=order.ocr_threads,
        announce=lambda pages: _announce(pages, order, reply_to),
    )
    with os.fdopen(reply_to, "wb") as out:
        if order.unpack is not None:
            _hand_over(order, order.unpack, out)
        else:
            out.write(_reply(order, allowance))


def _reply(order: Order, allowance: Allowance) -> bytes:
    try:
        encoded = msgspec.json.encode(_read(order, allowance))
        if len(encoded) > order.output_bytes:
            size = f"{len(encoded) >> 20} MiB"
            raise RefusedFileError(f"{order.name} unpacks to {size} of text", hint="split it")
    except (MemoryError, AssayError, RecursionError) as error:
        encoded = msgspec.json.encode(refusal_of(error, order.name))
    return encoded


def _read(order: Order, allowance: Allowance) -> Reply:
    path = Path(order.path)
    kind = detect_format(path, order.name)
    if kind in CONTAINERS:
        return Archive()
    document = parse_here(path, order.name, order.max_pages, allowance)
    return Parsed(document=document, has_members=kind is Format.EML)


def _hand_over(order: Order, limits: UnpackLimits, out: BinaryIO) -> None:
    path = Path(order.path)
    try:
        for found in members(path, order.name, detect_format(path, order.name), limits):
            if isinstance(found, Left):
                write_frame(out, found)
            else:
                write_frame(out, Member(name=found[0], bytes=len(found[1])), found[1])
    except (MemoryError, AssayError, RecursionError) as error:
        refused = refusal_of(error, order.name)
        write_frame(out, Broken(reason=refused.message, hint=refused.hint))
    write_frame(out, End())


def refusal_of(error: BaseException, name: str) -> Refused:
    """What to tell of a file that could not be read."""
    if isinstance(error, AssayError):
        return Refused(message=error.message, hint=error.hint)
    if isinstance(error, RecursionError):
        return Refused(message=f"{name} is nested too deeply", hint="flatten it")
    return Refused(message=OUT_OF_MEMORY)


def _announce(pages: int, order: Order, reply_to: int) -> None:
    """Ask the sandbox for the time of OCR, and raise this process's own limit of CPU time by it."""
    os.write(reply_to, OCR_PREFIX + b"%d\n" % pages)
    soft = order.cpu_s + pages * order.ocr_seconds_per_page * order.ocr_threads
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (soft if hard < 0 else min(soft, hard - _LAST_WORD_S), hard))


def _limit(order: Order) -> None:
    cpu_s = order.cpu_s
    # At the hard limit the kernel kills without a word; SIGXCPU before it says what happened.
    cpu_most = cpu_s + order.ocr_max_pages * order.ocr_seconds_per_page * order.ocr_threads + _LAST_WORD_S
    for kind, value in (
        (resource.RLIMIT_CORE, (0, 0)),
        (resource.RLIMIT_FSIZE, (0, 0)),
        (resource.RLIMIT_NOFILE, (128, 128)),
        (resource.RLIMIT_CPU, (cpu_s, cpu_most)),
        (resource.RLIMIT_AS, (order.memory_bytes, order.memory_bytes)),
    ):
        with contextlib.suppress(ValueError, OSError):  # a lower hard limit of the system stays
            resource.setrlimit(kind, value)
