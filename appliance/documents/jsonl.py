"""JSONL records: one line at a time from a file of any size; a broken line is told and the next one read.

Plain text without a hostile parser behind it, so it is read in-process.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec

from appliance.documents.charset import clean_text
from appliance.documents.dates import WHOLE_DATE, iso_date
from appliance.documents.detect import Format
from appliance.documents.labels import dates_of, label_of
from appliance.documents.outline import About, Outline
from appliance.documents.text import read_text
from appliance.domain import ParsedDocument
from appliance.errors import NotFoundError, RefusedFileError

MAX_LINE_BYTES = 8 << 20
"""A longer line is a broken line: a record is a passage or a document, not a library."""
MAX_MARKDOWN_CHARS = 500_000
_ID_CHARS = 500


class JsonlRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One good line."""

    number: int
    """1-based over all lines that are not blank: a restart skips up to the last one committed."""
    line: int
    id: str
    title: str
    text: str
    published: str | None
    meta: dict[str, str]


class RefusedRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One line that cannot be taken; the others go on."""

    number: int
    line: int
    id: str
    """"" where the line does not even give an id."""
    reason: str


class _Line(msgspec.Struct, frozen=True, kw_only=True):
    id: Annotated[str, msgspec.Meta(min_length=1, max_length=_ID_CHARS)] | int
    text: str
    title: str | None = None
    published: str | int | None = None
    meta: dict[str, Any] | None = None


_DECODER = msgspec.json.Decoder(_Line)


def iter_jsonl_records(path: Path, *, name: str = "", skip: int = 0) -> Iterator[JsonlRecord | RefusedRecord]:
    """Records and refusals in file order, those numbered up to ``skip`` left out.

    Raises NotFoundError and RefusedFileError ("is empty", not readable) at the first ``next``.
    """
    name = name or path.name
    seen: set[bytes] = set()
    number = 0
    for line_number, line in _lines(path, name):
        if not line.strip():
            continue
        number += 1
        found = _record(line, number, line_number, name)
        if found.id and isinstance(found, JsonlRecord):
            key = hashlib.blake2b(found.id.encode(), digest_size=12).digest()
            if key in seen:
                found = _refused(
                    found, f"the id {found.id!r} was already used above — give each record its own id", name
                )
            seen.add(key)
        if number > skip:
            yield found
    if number == 0:
        raise RefusedFileError(f"{name} is empty", hint="put one JSON record with id and text on each line")


def parse_record(record: JsonlRecord) -> ParsedDocument:
    """The record as a document of format ``jsonl``: Markdown where it has headings or tables, else text.

    Always gives a document: a record whose Markdown says nothing is read as plain text.
    """
    outline, warnings = _outline(record.text)
    parsed = outline.document(
        About(
            name=record.id,
            format=Format.JSONL,
            title=record.title,
            stated_dates=[(record.published or "", "record"), *dates_of(record.meta)],
            filed_dates=[(record.title, "title")] if WHOLE_DATE.search(record.title) else (),
            meta=record.meta,
            warnings=warnings,
        )
    )
    return msgspec.structs.replace(parsed, label=label_of(record.meta, record.title))


def _outline(text: str) -> tuple[Outline, tuple[str, ...]]:
    from appliance.documents.markdown import has_markdown_headings, has_markdown_table, read_markdown

    if not has_markdown_headings(text) and not has_markdown_table(text):
        return read_text(text)[0], ()
    if len(text) > MAX_MARKDOWN_CHARS:
        return read_text(text)[0], (f"read as plain text: Markdown over {MAX_MARKDOWN_CHARS} characters",)
    outline = read_markdown(text)
    return (outline if outline.sections() else read_text(text)[0]), ()


def _lines(path: Path, name: str) -> Iterator[tuple[int, bytes]]:
    """(line number, line); one over the limit is cut to limit + 1 bytes and the rest of it passed over."""
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(MAX_LINE_BYTES + 1):
                number += 1
                rest = line
                while len(rest) > MAX_LINE_BYTES and not rest.endswith(b"\n"):
                    rest = file.readline(MAX_LINE_BYTES + 1)
                yield number, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
    except FileNotFoundError as error:
        raise NotFoundError(f"there is no file {path}", hint="check the path") from error
    except OSError as error:
        raise RefusedFileError(
            f"{name} cannot be read: {error.strerror}", hint="check its permissions"
        ) from error


def _record(line: bytes, number: int, line_number: int, name: str) -> JsonlRecord | RefusedRecord:
    empty = RefusedRecord(number=number, line=line_number, id="", reason="")
    if len(line) > MAX_LINE_BYTES:
        return _refused(empty, f"the record is over {MAX_LINE_BYTES >> 20} MiB — split it", name)
    try:
        raw = _DECODER.decode(line)
    except msgspec.ValidationError as error:
        return _refused(
            empty, f"{error} — a record is {{id, text}} and may have title, published, meta", name
        )
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return _refused(empty, f"not valid JSON ({error}) — each line must be one JSON object in UTF-8", name)
    text = clean_text(raw.text).strip()
    published = iso_date(str(raw.published)) if raw.published is not None else None
    record = JsonlRecord(
        number=number,
        line=line_number,
        id=str(raw.id),
        title=(raw.title or "").strip(),
        text=text,
        published=published,
        meta={key: _flat(value) for key, value in (raw.meta or {}).items()},
    )
    return record if text else _refused(record, "the text is empty", name)


def _refused(record: JsonlRecord | RefusedRecord, why: str, name: str) -> RefusedRecord:
    return RefusedRecord(
        number=record.number, line=record.line, id=record.id, reason=f"{name}, line {record.line}: {why}"
    )


def _flat(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
