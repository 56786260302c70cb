# pyright: basic
"""PDFs: text with page numbers in reading order, headings by size and number, tables as cells, scans by OCR.

Arrives: a path. Leaves: a ParsedDocument with a box for every block, or a refusal. pdfium reads and draws.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pypdfium2 as pdfium

from appliance.documents.allowance import Allowance
from appliance.documents.dates import date_in_text
from appliance.documents.detect import Format
from appliance.documents.outline import About, Outline
from appliance.documents.pdf_furniture import without_furniture
from appliance.documents.pdf_layout import ordered
from appliance.documents.pdf_ocr import read_scans
from appliance.documents.pdf_pages import PdfPage, read_pages
from appliance.documents.pdf_structure import biggest_text, fill_outline
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
_TOOL_AUTHORS = re.compile(
    r"(?:admin\w*|(?:microsoft|ms|office)?\s*(?:office\s*)?user|author|unknown|anonymous|root|owner|hp|dell|lenovo"
    r"|作者|用户|微软\w*)\W*\d*$|.*(?:\.docx?|\.pdf|https?:)",
    re.I,
)
_BETWEEN_NAMES = re.compile(r"\s*[;；、|]\s*|\s*,\s+(?=[^\W\d_]+\.?\s+[^\W\d_])|\s+and\s+|\s*，\s*")
_PASSWORD_ERROR, _SECURITY_ERROR = 4, 5
_BLANK = "check that its pages are not blank, or scan it again with more contrast"


def parse_pdf(path: Path, name: str, max_pages: int, allowance: Allowance | None = None) -> ParsedDocument:
    """The sections of a PDF, pages numbered from 1; scanned pages by OCR, which is told in ``warnings``.

    Raises RefusedFileError: protected by a password, damaged, no text, more than ``max_pages``.
    """
    allowance = allowance or Allowance()
    with _opened(path, name) as document:
        count = len(document)
        if count > max_pages:
            raise RefusedFileError(
                f"{name} has {count} pages, over the limit of {max_pages}",
                hint="split it or raise ingest.max_pages",
            )
        pages, doubts = read_pages(document, allowance.deadline())
        pages, told = read_scans(document, pages, allowance)
        about = _about(document, name, pages)
    if not any(page.lines for page in pages):
        raise RefusedFileError(f"{name} has no text, and OCR found none in it", hint=_BLANK)
    return finished(about, pages, [*doubts, *told])


def finished(about: About, pages: Sequence[PdfPage], doubts: Sequence[str]) -> ParsedDocument:
    """The document of pages that were read: running lines out, reading order, tables, headings."""
    outline = Outline()
    bare = without_furniture([page.lines for page in pages])
    lines = [ordered(kept, page.drawn.across) for kept, page in zip(bare, pages, strict=True)]
    pictures = {page.number: page.drawn.images for page in pages if page.drawn.images}
    told = fill_outline(outline, lines, [page.sheet for page in pages], pictures)
    return outline.document(msgspec.structs.replace(about, warnings=(*about.warnings, *doubts, *told)))


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


def _about(document: Any, name: str, pages: Sequence[PdfPage]) -> About:
    info = document.get_metadata_dict(skip_empty=True)
    title, title_from = " ".join(info.get("Title", "").split()), "metadata"
    if _TOOL_TITLES.match(title) or title.lower().endswith(_FILE_SUFFIXES) or not _WORDS.search(title):
        title, title_from = biggest_text(next((page.lines for page in pages if page.lines), [])), "text"
    dates = [(info[key], "metadata") for key in ("CreationDate", "ModDate") if info.get(key)]
    subject = date_in_text(info.get("Subject", ""))
    authors = _authors(info.get("Author", ""))
    return About(
        name=name,
        format=Format.PDF,
        title=title,
        title_from=title_from,
        authors=authors,
        authors_from="metadata" if authors else "",
        stated_dates=[(subject, "metadata")] if subject else [],
        filed_dates=dates,
        meta={"pages": str(len(document))} | ({"author": info["Author"][:300]} if authors else {}),
        warnings=_empty_pages(pages),
        pages=len(document),
    )


def _authors(text: str) -> tuple[str, ...]:
    """The names in an Author entry; what programs put there is none."""
    names = [" ".join(name.split()) for name in _BETWEEN_NAMES.split(text[:1_000])]
    return tuple(name for name in names if _WORDS.search(name) and not _TOOL_AUTHORS.match(name))[:20]


def _empty_pages(pages: Sequence[PdfPage]) -> list[str]:
    empty = [page.number for page in pages if not page.lines]
    if not empty:
        return []
    shown = ", ".join(map(str, empty[:10])) + (" …" if len(empty) > 10 else "")
    return [f"page {shown}: {len(empty)} of {len(pages)} pages have no text"]
