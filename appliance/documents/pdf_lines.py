# pyright: basic
"""The lines of one PDF page as pdfium finds them: text, box, font size, weight, and the parts gaps leave."""

from __future__ import annotations

import ctypes
import math
import re
import statistics
import unicodedata
from collections.abc import Sequence
from typing import Any

import msgspec
import pypdfium2.raw as raw

from appliance.documents.pdf_space import Bounds, Sheet
from appliance.domain import Table

_ODD_FORMS = re.compile("[\ufb00-\ufb06\u2e80-\u2fdf\uf900-\ufaff]")
"""Ligatures, and CJK radicals or compatibility forms that PDF fonts give instead of the character."""
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\ufeff\ufffe\uffff]")
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_SYMBOLS = {
    "\uf0b7": "•", "\uf0a7": "•", "\uf0d8": "•", "\uf06e": "•", "\uf0fc": "✓", "\uf078": "☒", "\uf0fe": "☒",
    "\uf06f": "☐", "\uf0a8": "☐", "\uf0e0": "→", "\uf0b0": "°", "\uf0b1": "±", "\uf06d": "μ",
}  # fmt: skip
"""What the private codes of the Symbol and Wingdings fonts show."""
_BOLD = re.compile(rb"bold|black|heavy|semibold|demi|-bd|simhei|[,-]hei", re.I)
CELL_GAP = 1.6
"""A gap wider than this many font sizes separates cells."""
PART_GAP = 0.9
"""One wider than this may do so, where the lines around it have theirs at the same place."""
RULE_SLACK = 1.5
HYPHEN_MARK = 2
NO_BOX = -1
"""Index of a character whose place pdfium does not know."""
MAX_PAGE_CHARS = 200_000


class Part(msgspec.Struct, frozen=True):
    """A piece of a line between wide gaps or rules."""

    text: str
    x0: float
    x1: float


class Grid(msgspec.Struct, frozen=True, kw_only=True):
    """A table as it stands on one page."""

    table: Table
    columns: tuple[tuple[float, float], ...]
    """Left and right edge of each column."""
    ruled: bool = False


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One line; y grows upwards, in points."""

    text: str
    page: int
    x0: float
    x1: float
    bottom: float
    top: float
    size: float = 0.0
    bold: bool = False
    cells: int = 1
    """More than one where wide gaps part the line: a row of a table without rules."""
    parts: tuple[Part, ...] = ()
    """The pieces between gaps and rules, left to right; at least one for a line of text."""
    grid: Grid | None = None
    """Set where this stands for a whole table."""

    @property
    def is_table(self) -> bool:
        """Whether this stands for a whole table."""
        return self.grid is not None

    @property
    def bounds(self) -> Bounds:
        """Its box."""
        return self.x0, self.bottom, self.x1, self.top

    @property
    def middle(self) -> float:
        """Half-way up."""
        return (self.bottom + self.top) / 2


def page_lines(page: Any, sheet: Sheet, number: int, down: Sequence[Bounds] = ()) -> tuple[list[Line], float]:
    """The horizontal lines of a page in the order of its content, turned upright if the page is.

    ``down`` are rules that part a line where they cross it. With them comes the share (0–1) of characters
    that the page's fonts do not map to Unicode: those are left out.
    """
    textpage = page.get_textpage()
    try:
        count = min(textpage.count_chars(), MAX_PAGE_CHARS)
        reader = _PageReader(textpage.raw, sheet, number, down)
        return reader.lines(count), reader.unmapped / max(reader.seen, 1)
    finally:
        textpage.close()


class _PageReader:
    def __init__(self, textpage: Any, sheet: Sheet, number: int, down: Sequence[Bounds]) -> None:
        self.textpage = textpage
        self.sheet = sheet
        self.number = number
        self.down = sorted(down)
        self.seen = self.unmapped = 0
        self._box = [ctypes.c_double() for _ in range(4)]
        self._matrix = raw.FS_MATRIX()
        self._name = ctypes.create_string_buffer(128)
        self._flags = ctypes.c_int()

    def lines(self, count: int) -> list[Line]:
        found: list[Line] = []
        run: list[tuple[int, str]] = []
        for index in range(count):
            code = raw.FPDFText_GetUnicode(self.textpage, index)
            self.seen += code > 32
            self.unmapped += _is_unmapped(code)
            if code in (10, 13):
                self._close(run, found)
                run = []
            elif code == HYPHEN_MARK:  # pdfium runs a hyphenated line on into the next one
                self._close([*run, (NO_BOX, "-")], found)
                run = []
            elif code and not 0xD800 <= code <= 0xDFFF and code <= 0x10FFFF:
                run.append((index, chr(code)))
        self._close(run, found)
        return found

    def _close(self, run: list[tuple[int, str]], found: list[Line]) -> None:
        solid = [index for index, character in run if index != NO_BOX and not character.isspace()]
        if not solid:
            return
        samples = [solid[(len(solid) - 1) * step // 4] for step in range(5)]
        sizes = [size for size, upright in map(self._font_size, samples) if upright]
        if len(sizes) < 3:
            return
        size = statistics.median_low(sizes)
        cutter = _Cutter(size)
        rules: list[float] | None = None
        bottom, top = math.inf, -math.inf
        for index, character in run:
            if index != NO_BOX and not character.isspace():
                x0, y0, x1, y1 = self._place(index)
                if rules is None:
                    rules = self._crossing((y0 + y1) / 2)
                cutter.at(x0, x1, rules)
                bottom, top = min(bottom, y0), max(top, y1)
            cutter.pieces.append(character)
        cutter.close()
        if cutter.parts:
            found.append(
                Line(
                    text=cutter.text, page=self.number, parts=tuple(cutter.parts), cells=cutter.cells,
                    x0=min(part.x0 for part in cutter.parts), x1=max(part.x1 for part in cutter.parts),
                    bottom=bottom, top=max(top, bottom + size * 0.5),
                    size=round(size * 2) / 2, bold=sum(map(self._is_bold, samples)) >= 3,
                )
            )  # fmt: skip

    def _crossing(self, y: float) -> list[float]:
        return [x for x, y0, _, y1 in self.down if y0 < y < y1]

    def _place(self, index: int) -> Bounds:
        left, right, bottom, top = self._box
        raw.FPDFText_GetCharBox(self.textpage, index, left, right, bottom, top)
        return self.sheet.upright(left.value, bottom.value, right.value, top.value)

    def _font_size(self, index: int) -> tuple[float, bool]:
        """(size in points, whether the line stands upright on the page as shown)."""
        size = raw.FPDFText_GetFontSize(self.textpage, index)
        angle = math.degrees(raw.FPDFText_GetCharAngle(self.textpage, index)) - self.sheet.rotation
        if raw.FPDFText_GetMatrix(self.textpage, index, self._matrix):
            scale = math.hypot(self._matrix.c, self._matrix.d)
            size = size * scale if scale else size
        off = min(angle % 360, 360 - angle % 360)
        return max(size, 1.0), off < 3 or (self.sheet.rotation % 180 == 90 and abs(off - 180) < 3)

    def _is_bold(self, index: int) -> bool:
        if raw.FPDFText_GetFontWeight(self.textpage, index) >= 600:
            return True
        raw.FPDFText_GetFontInfo(self.textpage, index, self._name, 128, self._flags)
        return _BOLD.search(self._name.value) is not None


def _is_unmapped(code: int) -> bool:
    return (0xE000 <= code <= 0xF8FF and chr(code) not in _SYMBOLS) or code == 0xFFFD


class _Cutter:
    """Characters of a line, in reading order of either direction, to parts."""

    def __init__(self, size: float) -> None:
        self.size = size
        self.pieces: list[str] = []
        self.parts: list[Part] = []
        self.text = ""
        self.cells = 1
        self._glue = ""
        self._left, self._right = math.inf, -math.inf
        self._before: tuple[float, float] | None = None

    def at(self, x0: float, x1: float, rules: Sequence[float]) -> None:
        """The next character stands here: close the part before it where a gap or a rule parts them."""
        if self._before is not None:
            b0, b1 = self._before
            gap, low, high = max((x0 - b1, b1, x0), (b0 - x1, x1, b0))
            ruled = gap > -RULE_SLACK and any(low - RULE_SLACK <= x <= high + RULE_SLACK for x in rules)
            if ruled or gap > self.size * PART_GAP:
                wide = ruled or gap > self.size * CELL_GAP
                self.close()
                self._glue = "  " if wide else " "
                self.cells += wide
        self._before = x0, x1
        self._left, self._right = min(self._left, x0), max(self._right, x1)

    def close(self) -> None:
        """End the open part."""
        text = _tidy("".join(self.pieces))
        if text and self._right >= self._left:
            self.parts.append(Part(text, self._left, self._right))
            self.text += (self._glue if self.text else "") + text
        self.pieces = []
        self._left, self._right = math.inf, -math.inf


def _tidy(text: str) -> str:
    text = _PRIVATE.sub(lambda match: _SYMBOLS.get(match.group(), ""), text)
    text = _UNSEEN.sub("", text.replace("\xa0", " ").replace("\t", "  "))
    text = _ODD_FORMS.sub(lambda match: unicodedata.normalize("NFKC", match.group()), text)
    return re.sub(r" {3,}", "  ", text).strip()
