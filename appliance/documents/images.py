# pyright: basic
"""Pictures as documents: PNG, JPEG, TIFF of several pages, BMP, WEBP and GIF are read by OCR.

A picture's size is known before it is decoded: one that unpacks to too many pixels is refused, a large one
is scaled down.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from appliance.documents.allowance import Allowance
from appliance.documents.detect import Format
from appliance.documents.outline import About
from appliance.documents.pdf_pages import PdfPage
from appliance.domain import ParsedDocument
from appliance.errors import RefusedFileError

MAX_PIXELS = 120_000_000
"""A0 at 300 dots per inch has 140 million; decoding needs up to four bytes for each."""
LONG_SIDE = 2_800
SHORT_SIDE = 900
"""A smaller picture is enlarged, up to twice: screenshots have small type."""
PAGE_POINTS = 842.0
"""The longer side of a picture in points: it is taken for a page of A4."""
_FORMATS = ("PNG", "JPEG", "TIFF", "BMP", "WEBP", "GIF")


def parse_image(path: Path, name: str, max_pages: int, allowance: Allowance | None = None) -> ParsedDocument:
    """The text of a picture, a page for each picture of a TIFF; OCR confidence stands in ``warnings``.

    Raises RefusedFileError: damaged, too many pixels or pages, no text in it.
    """
    from appliance.documents.pdf import finished

    allowance = allowance or Allowance()
    with _opened(path, name) as image:
        count = getattr(image, "n_frames", 1) if image.format == "TIFF" else 1
        if count > max_pages:
            raise RefusedFileError(
                f"{name} has {count} pages, over the limit of {max_pages}",
                hint="split it or raise ingest.max_pages",
            )
        pages, doubts = _pages(image, name, count, allowance)
        about = About(name=name, format=Format.IMAGE, pages=count, filed_dates=_dates(image))
    if not any(page.lines for page in pages):
        raise RefusedFileError(
            f"OCR found no text in {name}", hint="check that it shows text, upright and sharp"
        )
    return finished(about, pages, doubts)


@contextmanager
def _opened(path: Path, name: str) -> Iterator[Any]:
    Image.MAX_IMAGE_PIXELS = None  # the limit below has a clearer message, and comes before decoding too
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow warns of odd metadata, which is not used
            with Image.open(path, formats=_FORMATS) as image:
                yield image
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, EOFError) as error:
        raise RefusedFileError(
            f"{name} is damaged: the picture cannot be decoded", hint="get a complete copy, or save it again"
        ) from error


def _pages(image: Any, name: str, count: int, allowance: Allowance) -> tuple[list[PdfPage], list[str]]:
    from appliance.documents.ocr_lines import read_page

    deadline = allowance.for_ocr(count)
    pages: list[PdfPage] = []
    doubts: list[str] = []
    for number in range(1, count + 1):
        if number > allowance.ocr_max_pages or time.monotonic() > deadline:
            doubts.append(f"page {number}–{count}: not read, over ingest.ocr_max_pages or its time")
            break
        image.seek(number - 1)
        pixels = _pixels(image, name)
        page, confidence = read_page(
            pixels, number, PAGE_POINTS / max(pixels.shape[:2]), allowance.ocr_threads
        )
        pages.append(page)
        found = f"OCR confidence {confidence:.2f}" if page.lines else "OCR found no text"
        doubts.append(f"page {number}: {found}")
    return pages, doubts


def _pixels(image: Any, name: str) -> np.ndarray:
    """(height, width, 3) uint8 RGB, upright by its EXIF mark, on white where it is transparent."""
    width, height = image.size
    if width * height > MAX_PIXELS:
        raise RefusedFileError(
            f"{name} has {width} × {height} pixels, over the limit of {MAX_PIXELS // 1_000_000} million",
            hint="scale it down: 300 dots per inch are enough",
        )
    if width < 8 or height < 8:
        raise RefusedFileError(
            f"{name} has {width} × {height} pixels: nothing to read", hint="get a larger copy"
        )
    image.draft("RGB", (LONG_SIDE, LONG_SIDE))  # JPEG decodes straight to a smaller size
    shown = ImageOps.exif_transpose(image) or image
    scale = (
        LONG_SIDE / max(shown.size) if max(shown.size) > LONG_SIDE else min(2.0, SHORT_SIDE / min(shown.size))
    )
    if shown.mode not in ("RGB", "L"):
        if shown.mode in ("RGBA", "LA", "PA") or "transparency" in shown.info:
            clear = shown.convert("RGBA")
            shown = Image.new("RGB", clear.size, "white")
            shown.paste(clear, mask=clear.getchannel("A"))
        else:
            shown = shown.convert("L" if shown.mode in ("1", "I;16", "I") else "RGB")
    if scale < 1 or scale > 1.2:
        size = max(8, round(shown.width * scale)), max(8, round(shown.height * scale))
        shown = shown.resize(size, Image.Resampling.LANCZOS)
    return np.asarray(shown.convert("RGB"))


def _dates(image: Any) -> list[tuple[str, str]]:
    taken = image.getexif().get(306)  # DateTime, written by cameras and scanners
    return [(str(taken)[:10].replace(":", "-"), "metadata")] if taken else []
