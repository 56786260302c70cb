# pyright: basic
"""The lines of one PDF page as pdfium finds them: text, box, font size, weight, and wide gaps as cells."""

from __future__ import annotations

import ctypes
import math
import re
import statistics
import unicodedata
from typing import Any

import msgspec
import pypdfium2.raw as raw

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
HYPHEN_MARK = 2
NO_BOX = -1
"""Index of a character whose place pdfium does not know."""
MAX_PAGE_CHARS = 200_000


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
    is_table: bool = False

    @property
    def middle(self) -> float:
        """Half-way up."""
        return (self.bottom + self.top) / 2


def page_lines(page: Any, number: int) -> list[Line]:
    """The horizontal lines of a page in the order of its content, turned upright if the page is."""
    textpage = page.get_textpage()
    try:
        count = min(textpage.count_chars(), MAX_PAGE_CHARS)
        reader = _PageReader(textpage.raw, page.get_rotation(), page.get_size(), number)
        return reader.lines(count)
    finally:
        textpage.close()


class _PageReader:
    def __init__(self, textpage: Any, rotation: int, size: tuple[float, float], number: int) -> None:
        self.textpage = textpage
        self.rotation = rotation
        self.width, self.height = size
        self.number = number
        self._box = [ctypes.c_double() for _ in range(4)]
        self._matrix = raw.FS_MATRIX()
        self._name = ctypes.create_string_buffer(128)
        self._flags = ctypes.c_int()

    def lines(self, count: int) -> list[Line]:
        found: list[Line] = []
        run: list[tuple[int, str]] = []
        for index in range(count):
            code = raw.FPDFText_GetUnicode(self.textpage, index)
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
        pieces: list[str] = []
        edge: float | None = None
        left, bottom, right, top, cells = math.inf, math.inf, -math.inf, -math.inf, 1
        for index, character in run:
            if index != NO_BOX and not character.isspace():
                x0, y0, x1, y1 = self._place(index)
                if edge is not None and x0 - edge > size * CELL_GAP:
                    cells += 1
                    pieces.append("  ")
                edge = x1
                left, bottom, right, top = min(left, x0), min(bottom, y0), max(right, x1), max(top, y1)
            pieces.append(character)
        text = _tidy("".join(pieces))
        if text:
            found.append(
                Line(
                    text=text, page=self.number, x0=left, x1=right, bottom=bottom,
                    top=max(top, bottom + size * 0.5),
                    size=round(size * 2) / 2, bold=sum(map(self._is_bold, samples)) >= 3, cells=cells,
                )
            )  # fmt: skip

    def _place(self, index: int) -> tuple[float, float, float, float]:
        left, right, bottom, top = self._box
        raw.FPDFText_GetCharBox(self.textpage, index, left, right, bottom, top)
        x0, x1, y0, y1 = left.value, right.value, bottom.value, top.value
        if self.rotation == 90:
            return y0, self.height - x1, y1, self.height - x0
        if self.rotation == 180:
            return self.width - x1, self.height - y1, self.width - x0, self.height - y0
        if self.rotation == 270:
            return self.width - y1, x0, self.width - y0, x1
        return x0, y0, x1, y1

    def _font_size(self, index: int) -> tuple[float, bool]:
        """(size in points, whether the line stands upright on the page as shown)."""
        size = raw.FPDFText_GetFontSize(self.textpage, index)
        angle = math.degrees(raw.FPDFText_GetCharAngle(self.textpage, index)) - self.rotation
        if raw.FPDFText_GetMatrix(self.textpage, index, self._matrix):
            scale = math.hypot(self._matrix.c, self._matrix.d)
            size = size * scale if scale else size
        off = min(angle % 360, 360 - angle % 360)
        return max(size, 1.0), off < 3 or (self.rotation % 180 == 90 and abs(off - 180) < 3)

    def _is_bold(self, index: int) -> bool:
        if raw.FPDFText_GetFontWeight(self.textpage, index) >= 600:
            return True
        raw.FPDFText_GetFontInfo(self.textpage, index, self._name, 128, self._flags)
        return _BOLD.search(self._name.value) is not None


def _tidy(text: str) -> str:
    text = _PRIVATE.sub(lambda match: _SYMBOLS.get(match.group(), ""), text)
    text = _UNSEEN.sub("", text.replace("\xa0", " ").replace("\t", "  "))
    text = _ODD_FORMS.sub(lambda match: unicodedata.normalize("NFKC", match.group()), text)
    return re.sub(r" {3,}", "  ", text).strip()
