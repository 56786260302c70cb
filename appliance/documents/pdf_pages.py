# pyright: basic
"""The pages of an opened PDF: lines with ruled tables in their places, rules, pictures, size.

Pages whose text cannot be used come back marked for OCR, see :mod:`appliance.documents.pdf_textlayer`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import msgspec
import pypdfium2 as pdfium

from appliance.documents.pdf_drawn import Drawn, drawn_on
from appliance.documents.pdf_grids import grids_on, joined_across
from appliance.documents.pdf_lines import Line, page_lines
from appliance.documents.pdf_space import Sheet
from appliance.documents.pdf_tables import ruled_line
from appliance.documents.pdf_textlayer import why_ocr

_LETTER_PAGE = Sheet(width=612.0, height=792.0)


class PdfPage(msgspec.Struct, kw_only=True):
    """One page as read."""

    number: int
    sheet: Sheet = _LETTER_PAGE
    lines: list[Line] = []
    drawn: Drawn = msgspec.field(default_factory=Drawn)
    ocr_because: str = ""
    """Why the text layer cannot be used; "" where it can."""


def read_pages(document: Any, deadline: float) -> tuple[list[PdfPage], list[str]]:
    """All pages and what could not be read. Past ``deadline`` (monotonic) the rest is left out, and told."""
    pages: list[PdfPage] = []
    doubts: list[str] = []
    for number in range(1, len(document) + 1):
        if time.monotonic() > deadline:
            doubts.append(f"page {number}–{len(document)}: not read, the time for one file was over")
            break
        try:
            pages.append(_read(document[number - 1], number))
        except (pdfium.PdfiumError, ValueError, OverflowError) as error:
            doubts.append(f"page {number}: cannot be read ({error})")
            pages.append(PdfPage(number=number))
    return pages, doubts


def _read(page: Any, number: int) -> PdfPage:
    try:
        sheet = sheet_of(page)
        drawn = drawn_on(page, sheet)
        drawn.across = joined_across(drawn.across)
        lines, unmapped = page_lines(page, sheet, number, drawn.down)
        because = why_ocr(lines, unmapped, drawn, sheet)
    finally:
        page.close()
    return PdfPage(
        number=number, sheet=sheet, lines=with_grids(lines, drawn, sheet), drawn=drawn, ocr_because=because
    )


def sheet_of(page: Any) -> Sheet:
    """The size, rotation and origin of a page. Raises ValueError for a page without a size."""
    width, height = page.get_size()
    if width <= 0 or height <= 0:
        raise ValueError("it has no size")
    left, bottom, _, _ = page.get_bbox()
    return Sheet(width=width, height=height, rotation=page.get_rotation(), origin_x=left, origin_y=bottom)


def with_grids(lines: Sequence[Line], drawn: Drawn, sheet: Sheet) -> list[Line]:
    """The lines, those inside a ruled table replaced by one line for the table."""
    result = list(lines)
    for ruled in grids_on(drawn, result, sheet.width * sheet.height):
        gone = {id(line) for line in ruled.lines}
        result = [line for line in result if id(line) not in gone]
        result.append(ruled_line(ruled, lines[0].page))
    return result
