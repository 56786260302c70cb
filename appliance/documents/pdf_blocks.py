"""Paragraphs and tables of a PDF to blocks with their boxes: captions, notes and figures find their place.

A table waits until what follows it is known: its notes, a caption below, or its rest on the next page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from appliance.documents.outline import Outline, squeeze
from appliance.documents.pdf_lines import Line
from appliance.documents.pdf_space import Bounds, Sheet, around
from appliance.documents.pdf_tables import appended, continues, is_note, unit_of
from appliance.domain import BlockKind, Box, Table

CAPTION_CHARS = 160
MAX_NOTES = 12
NEAR = 40.0
"""Points between a table and its note, or a picture and its caption."""
_TABLE_CAPTION = re.compile(
    r"^\W{0,3}(?:table|exhibit|schedule|附?表格?|图表)\s*[\dA-Z一二三四五六七八九十]", re.I
)
_FIGURE_CAPTION = re.compile(
    r"^(?:(?:figure|fig\.?|chart)\s*\d+(?:[.\-]\d+)*[a-z]?\s*(?:[.:|—–-]|\s{2})\s*\S"
    r"|(?:图|圖)\s*[\d一二三四五六七八九十]+(?:[.\-–—]\d+)*\s*[:：.、\s]?\s*\S)",
    re.I,
)
_CONTINUED = re.compile(
    r"^\W*(?:(?:table|exhibit|附?表)\s*[\w.\-]*\s*)?[(（]?\s*(?:continued|cont['’]d|续表?|續表?)", re.I
)
_SENTENCE = re.compile(r"[。！？]|[a-z]{2}\.\s+[A-Z]")


class _Open(msgspec.Struct, kw_only=True):
    """The table that waits."""

    line: Line
    """Its part on the last page it has."""
    table: Table
    page: int
    page_last: int
    box: Box
    caption: str
    notes: list[tuple[str, list[Line]]] = []


class Blocks:
    """Writes blocks into an outline, in order, with pages and boxes."""

    def __init__(
        self, outline: Outline, sheets: Sequence[Sheet], pictures: Mapping[int, Sequence[Bounds]]
    ) -> None:
        self._outline = outline
        self._sheets = sheets
        self._pictures = pictures
        self._open: _Open | None = None
        self._above: list[tuple[str, Line]] = []
        """The last two short texts, with their last lines: a caption, a unit."""
        self._headless: list[int] = []

    def text(self, text: str, lines: Sequence[Line], kind: BlockKind = BlockKind.PARAGRAPH) -> None:
        """A paragraph or list. Under a table it may be a note of it, its caption, or ``continued``."""
        table = self._open
        if table is not None:
            if len(text) < CAPTION_CHARS and _CONTINUED.match(text):
                return
            if self._is_its_note(table, text, lines):
                table.notes.append((text, list(lines)))
                return
            if not table.caption and self._is_caption_below(table, text, lines):
                table.caption = squeeze(text)
            self.close_table()
        if kind is BlockKind.PARAGRAPH and _is_figure(text):
            kind = BlockKind.FIGURE
        self._write(text, lines, kind)
        self._above = [*self._above[-1:], (text, lines[-1])]

    def table(self, line: Line) -> None:
        """A table, or the rest of the one that waits."""
        assert line.grid is not None
        waiting = self._open
        if waiting is not None and not waiting.notes and self._goes_on(waiting, line):
            waiting.table = appended(waiting.table, line.grid.table)
            waiting.line, waiting.page_last = line, line.page
            return
        above = self._near_above(line)
        caption = _caption(above)
        self.close_table()
        table = line.grid.table
        unit = table.unit or unit_of(caption, *above[::-1])
        self._open = _Open(
            line=line, table=msgspec.structs.replace(table, unit=unit), page=line.page, page_last=line.page,
            box=self._sheets[line.page - 1].share(line.bounds), caption=caption,
        )  # fmt: skip
        if table.header_rows == 0:
            self._headless.append(line.page)

    def close_table(self) -> None:
        """Write the table that waits, and its notes."""
        self._above = []
        table, self._open = self._open, None
        if table is None:
            return
        whole = msgspec.structs.replace(
            table.table, caption=table.caption, notes=tuple(squeeze(text) for text, _ in table.notes)
        )
        last = table.page_last if table.page_last != table.page else None
        self._outline.table(whole, table.page, page_last=last, box=table.box)
        for text, lines in table.notes:
            self._write(text, lines, BlockKind.NOTE)

    def warnings(self) -> list[str]:
        """What was doubtful in all tables written."""
        pages = list(dict.fromkeys(self._headless))
        if not pages:
            return []
        shown = ", ".join(map(str, pages[:10])) + (" …" if len(pages) > 10 else "")
        return [f"page {shown}: {len(self._headless)} tables without a heading row"]

    def _write(self, text: str, lines: Sequence[Line], kind: BlockKind) -> None:
        page = lines[0].page
        bounds = [line.bounds for line in lines if line.page == page]
        if kind is BlockKind.FIGURE:
            bounds += self._picture(page, around(bounds))
        last = lines[-1].page if lines[-1].page != page else None
        box = self._sheets[page - 1].share(around(bounds))
        self._outline.block(text, kind, page, page_last=last, box=box)

    def _picture(self, page: int, caption: Bounds) -> list[Bounds]:
        """The nearest picture over or under a caption."""
        x0, y0, x1, y1 = caption
        near = [
            (min(abs(box[1] - y1), abs(y0 - box[3])), box)
            for box in self._pictures.get(page, ())
            if box[0] < x1 and box[2] > x0
        ]
        distance, box = min(near, default=(NEAR + 1, caption))
        return [box] if distance <= NEAR else []

    def _goes_on(self, waiting: _Open, line: Line) -> bool:
        return line.page == waiting.page_last + 1 and continues(waiting.line, line)

    def _near_above(self, line: Line) -> list[str]:
        """The short texts close over a table, at most two."""
        return [
            text
            for text, above in self._above
            if len(text) < CAPTION_CHARS
            and above.page == line.page
            and 0 <= above.bottom - line.top < NEAR * 1.5
        ]

    def _is_its_note(self, table: _Open, text: str, lines: Sequence[Line]) -> bool:
        first = lines[0]
        below = table.notes[-1][1][-1] if table.notes else table.line
        near = first.page == below.page and 0 <= below.bottom - first.top + 3 < NEAR and first.x1 > below.x0
        small = first.size <= max(table.line.size, 1.0) * 1.05
        return near and small and is_note(text) and len(table.notes) < MAX_NOTES

    def _is_caption_below(self, table: _Open, text: str, lines: Sequence[Line]) -> bool:
        near = lines[0].page == table.page_last and 0 <= table.line.bottom - lines[0].top + 3 < NEAR
        return near and len(text) < 3 * CAPTION_CHARS and _TABLE_CAPTION.match(text) is not None


def _caption(texts: Sequence[str]) -> str:
    """What of the texts over a table is its caption: a numbered one, or the line that gives its unit."""
    if not any(_TABLE_CAPTION.match(text) or unit_of(text) for text in texts):
        return ""
    return squeeze(" ".join(texts) if _TABLE_CAPTION.match(texts[0]) else texts[-1])


def _is_figure(text: str) -> bool:
    return (
        len(text) < 4 * CAPTION_CHARS
        and _FIGURE_CAPTION.match(text) is not None
        and (text[0].isascii() or (len(text) < CAPTION_CHARS / 2 and not _SENTENCE.search(text)))
    )
