# pyright: basic
"""Digital PDFs: text with page numbers in reading order, headings by size and number, ruled tables as tables.

pdfium reads the text; pdfplumber only the pages with ruled tables, because it is some 30 times slower.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium

from appliance.documents.dates import date_in_text
from appliance.documents.detect import Format
from appliance.documents.outline import About, Outline
from appliance.documents.pdf_furniture import without_furniture
from appliance.documents.pdf_layout import ordered
from appliance.documents.pdf_lines import Line, page_lines
from appliance.documents.pdf_structure import biggest_text, fill_outline
from appliance.documents.pdf_tables import RuledTables, has_rules, table_line
from appliance.domain import ParsedDocument
from appliance.errors import RefusedFileError

_TOOL_TITLES = re.compile(
    r"microsoft word|untitled|powerpoint|slide \d|(?:document|presentation|\(?anonymous\)?|无标题)\W*\d*$",
    re.I,
)
_FILE_SUFFIXES = (
    ".doc", ".docx", ".pdf", ".indd", ".tex", ".dvi", ".xls", ".ppt", ".pptx", ".wpd", ".qxd", ".htm",
)  # fmt: skip
_WORDS = re.compile(r"[^\W\d_]{3}|[一-鿿]{2}")
MIN_CHARS_PER_PAGE = 10
_PASSWORD_ERROR, _SECURITY_ERROR = 4, 5
_OCR = "OCR comes with a later version; until then save a copy with a text layer"


def parse_pdf(path: Path, name: str, max_pages: int) -> ParsedDocument:
    """The sections of a PDF, pages numbered from 1.

    Raises RefusedFileError: protected by a password, damaged, no text, more than ``max_pages``.
    """
    with _opened(path, name) as document, RuledTables(path) as ruled:
        count = len(document)
        if count > max_pages:
            raise RefusedFileError(
                f"{name} has {count} pages, over the limit of {max_pages}",
                hint="split it or raise ingest.max_pages",
            )
        pages, bad = _pages(document, ruled)
        about = _about(document, name, pages, [*bad, *ruled.warnings])
        _refuse_scan(pages, name)
    outline = Outline()
    fill_outline(outline, [ordered(lines) for lines in without_furniture(pages)])
    return outline.document(about)


def _pages(document: Any, ruled: RuledTables) -> tuple[list[list[Line]], list[str]]:
    pages: list[list[Line]] = []
    bad: list[str] = []
    for index in range(len(document)):
        try:
            page = document[index]
            lines = page_lines(page, index + 1)
            if lines and has_rules(page):
                tables = ruled.on_page(index)
                lines = [line for line in lines if not any(table.holds(line) for table in tables)]
                lines += [table_line(table, index + 1) for table in tables]
            page.close()
        except (pdfium.PdfiumError, ValueError, OverflowError) as error:
            bad.append(f"page {index + 1} cannot be read ({error})")
            lines = []
        pages.append(lines)
    return pages, bad


@contextmanager
def _opened(path: Path, name: str) -> Iterator[Any]:
    try:
        document = pdfium.PdfDocument(str(path))
    except pdfium.PdfiumError as error:
        code = getattr(error, "err_code", None)
        if code in (_PASSWORD_ERROR, _SECURITY_ERROR) or "password" in str(error).lower():
            raise RefusedFileError(
                f"{name} is protected by a password", hint="save a copy without the password"
            ) from error
        raise _damaged(name) from error
    try:
        if len(document) == 0:
            raise _damaged(name)
        yield document
    finally:
        document.close()


def _damaged(name: str) -> RefusedFileError:
    return RefusedFileError(
        f"{name} is damaged: its PDF structure cannot be read",
        hint="get a complete copy, or print it to PDF again",
    )


def _refuse_scan(pages: list[list[Line]], name: str) -> None:
    characters = sum(len(line.text) for lines in pages for line in lines)
    if characters == 0 or (
        characters < MIN_CHARS_PER_PAGE * len(pages) and characters < 400 and len(pages) > 1
    ):
        raise RefusedFileError(f"{name} has no text (a scan?)", hint=_OCR)


def _about(document: Any, name: str, pages: list[list[Line]], warnings: list[str]) -> About:
    info = document.get_metadata_dict(skip_empty=True)
    title = " ".join(info.get("Title", "").split())
    if _TOOL_TITLES.match(title) or title.lower().endswith(_FILE_SUFFIXES) or not _WORDS.search(title):
        title = biggest_text(next((lines for lines in pages if lines), []))
    empty = [number for number, lines in enumerate(pages, start=1) if not lines]
    if empty:
        shown = ", ".join(map(str, empty[:10])) + (" …" if len(empty) > 10 else "")
        warnings = [*warnings, f"no text on {len(empty)} of {len(pages)} pages ({shown}): blank or scanned"]
    dates = [(info[key], "metadata") for key in ("CreationDate", "ModDate") if info.get(key)]
    subject = date_in_text(info.get("Subject", ""))
    stated = [(subject, "metadata")] if subject else []
    meta = {"pages": str(len(pages))}
    if info.get("Author"):
        meta["author"] = info["Author"][:300]
    return About(
        name=name,
        format=Format.PDF,
        title=title,
        stated_dates=stated,
        filed_dates=dates,
        meta=meta,
        warnings=warnings,
    )
