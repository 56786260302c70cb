"""Running headers, footers and page numbers: found by repeating over pages, and taken out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from appliance.documents.pdf_lines import Line

BAND = 0.12
"""The top and bottom share of the written height in which furniture stands."""
EDGE_LINES = 4
HEIGHT_SLACK = 6.0
ROW_PARTS = 3
"""A line of so many parts may be a table's heading: it must stand on half of the pages to be furniture."""
_DIGITS = re.compile(r"\d+")
_BARE_NUMBER = re.compile(r"^[0-9]{1,4}$")
_PAGE_NUMBER = re.compile(
    r"^\W*(?:(?:page|p\.|第)?\s*(?:\d{1,4}|[ivxl]{1,6})\s*(?:页|頁)?(?:\s*(?:/|of|共|-|,)\s*\d{1,4}\s*(?:页|頁)?)?)\W*$",
    re.IGNORECASE,
)


def without_furniture(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """The pages with repeated edge lines and page numbers left out; a single page is left as it is."""
    written = [page for page in pages if page]
    if len(written) < 2:
        return [list(page) for page in pages]
    top = max(line.top for page in written for line in page)
    bottom = min(line.bottom for page in written for line in page)
    band = (top - bottom) * BAND
    edges = [_edge_lines(page, top - band, bottom + band) for page in pages]
    seen = Counter(key for lines in edges for key in {_key(line) for line in lines})
    needed = max(2, min(3, len(written)), round(len(written) * 0.2))
    numbers = _page_numbers(pages)
    result: list[list[Line]] = []
    for page, lines in zip(pages, edges, strict=True):
        gone = {
            id(line)
            for line in lines
            if _repeats(line, seen) >= (max(needed, len(written) // 2) if line.cells >= ROW_PARTS else needed)
            or _PAGE_NUMBER.match(line.text)
        }
        gone |= numbers
        result.append([line for line in page if id(line) not in gone])
    return result


def _edge_lines(page: Sequence[Line], above: float, below: float) -> list[Line]:
    by_height = sorted((line for line in page if not line.is_table), key=lambda line: line.middle)
    low = [line for line in by_height[:EDGE_LINES] if line.middle < below]
    high = [line for line in by_height[-EDGE_LINES:] if line.middle > above and line not in low]
    return low + high


def _page_numbers(pages: Sequence[Sequence[Line]]) -> set[int]:
    """Bare numbers, first or last on their page at any height, that count up with the pages."""
    found: list[tuple[int, int]] = []
    for index, page in enumerate(pages):
        plain = sorted((line for line in page if not line.is_table), key=lambda line: line.middle)
        ends = {id(line): line for line in (*plain[:1], *plain[-1:])}
        found += [
            (id(line), int(line.text) - index) for line in ends.values() if _BARE_NUMBER.match(line.text)
        ]
    offsets = Counter(offset for _, offset in found)
    return {line for line, offset in found if offsets[offset] >= 3}


def _key(line: Line) -> tuple[str, int]:
    return _DIGITS.sub("#", line.text.strip().lower()), round(line.middle / HEIGHT_SLACK)


def _repeats(line: Line, seen: Counter[tuple[str, int]]) -> int:
    text, height = _key(line)
    return sum(seen[(text, height + off)] for off in (-1, 0, 1))
