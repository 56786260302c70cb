# pyright: basic
"""Pages of a PDF that have no usable text, read from their pictures within the time that is allowed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import pypdfium2 as pdfium

from appliance.documents.allowance import Allowance
from appliance.documents.ocr import MIN_CONFIDENCE
from appliance.documents.pdf_pages import PdfPage

LONG_SIDE = 2_340
"""Pixels: A4 at 200 dots per inch."""
MAX_SCALE = 6.0


def read_scans(
    document: Any, pages: Sequence[PdfPage], allowance: Allowance
) -> tuple[list[PdfPage], list[str]]:
    """The pages, those marked for OCR read from their pictures, and what was doubtful.

    A page that OCR cannot read better keeps its own text. Past the limits the rest keeps what it has.
    """
    todo = [page for page in pages if page.ocr_because]
    if not todo:
        return list(pages), []
    from appliance.documents.ocr_lines import read_page

    deadline = allowance.for_ocr(len(todo))
    result = {page.number: page for page in pages}
    doubts: list[str] = []
    for done, page in enumerate(todo):
        if done >= allowance.ocr_max_pages or time.monotonic() > deadline:
            doubts.append(_left_out(todo[done:], done >= allowance.ocr_max_pages))
            break
        try:
            image, scale = _picture(document[page.number - 1])
        except (pdfium.PdfiumError, ValueError) as error:
            doubts.append(f"page {page.number}: cannot be drawn for OCR ({error})")
            continue
        if image.std() < 1.0:
            continue
        read, confidence = read_page(image, page.number, scale, allowance.ocr_threads)
        if not read.lines or (page.lines and confidence < MIN_CONFIDENCE + 0.1):
            doubts.append(f"page {page.number}: {page.ocr_because}; OCR found no text in it")
            continue
        result[page.number] = read
        doubts.append(f"page {page.number}: OCR confidence {confidence:.2f} ({page.ocr_because})")
    return [result[page.number] for page in pages], doubts


def _picture(page: Any) -> tuple[Any, float]:
    """(height, width, 3) uint8 RGB, and points per pixel."""
    scale = min(LONG_SIDE / max(page.get_size()), MAX_SCALE)
    bitmap = page.render(scale=scale, rev_byteorder=True, prefer_bgrx=False)
    try:
        array = bitmap.to_numpy()[:, :, :3].copy()
    finally:
        bitmap.close()
        page.close()
    return array, 1 / scale


def _left_out(rest: Sequence[PdfPage], over_count: bool) -> str:
    pages = f"{rest[0].number}–{rest[-1].number}" if len(rest) > 1 else f"{rest[0].number}"
    why = "over ingest.ocr_max_pages" if over_count else "the time for OCR was over"
    return f"page {pages}: {len(rest)} pages not read by OCR, {why}"
