"""A grid of cell texts to the tables, titles and notes that a person sees on the sheet.

Arrives: rows of one width, "" for an empty cell, merged cells repeated. Leaves: blocks in an Outline, every
row in one of them. Works on sheets of workbooks and on delimited text alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from appliance.documents.outline import Outline, squeeze
from appliance.documents.table_headers import (
    filled_header,
    first_words,
    header_column_count,
    header_row_count,
    is_amount,
    is_number,
    tidy_rows,
    unit_of,
)
from appliance.domain import BlockKind, Table

Grid = Sequence[Sequence[str]]
_NOTE = re.compile(
    r"^(?:[(（\[]?[a-z0-9*†‡①-⑳]{1,2}[)）\]]|[*†‡※]+|(?:foot)?notes?\b|sources?\b|remarks?\b|注|註|说明|資料來源|资料来源|数据来源|来源|备注)",
    re.I,
)
MAX_CAPTION_CHARS = 160
_HEADER_ONLY_ROWS = 6


class _Band:
    """Some rows of the grid between two columns: a run without an empty row, later perhaps several."""

    def __init__(self, rows: list[int], left: int, right: int) -> None:
        self.rows = rows
        self.left, self.right = left, right
        self.titles: list[str] = []
        self.title_rows: list[int] = []
        self.notes: list[str] = []

    def cells(self, grid: Grid) -> list[Sequence[str]]:
        return [grid[row][self.left : self.right + 1] for row in self.rows]

    def covers(self, other: _Band) -> bool:
        return self.left <= other.left and other.right <= self.right

    def take(self, other: _Band) -> None:
        self.rows += other.rows
        self.left, self.right = min(self.left, other.left), max(self.right, other.right)
        self.notes += other.notes


class SheetReader:
    """Writes one grid into an outline."""

    def __init__(self, outline: Outline, where: str, page: int | None = None) -> None:
        """``where`` names the sheet in warnings."""
        self.warnings: list[str] = []
        self._outline = outline
        self._where = where
        self._page = page
        self._open: _Band | None = None
        self._columns: tuple[str, ...] = ()
        self._caption = ""
        self._lines: list[str] = []
        """Lines of text since the open table: the next one's title, a label inside this one, or prose."""
        self._label: list[int] = []
        """The row of such a line, when it is the only one."""

    def read(self, grid: Grid) -> None:
        """Add all blocks of the grid."""
        for band in _bands(grid):
            if not band.rows:
                self._text(band)
            else:
                self._table(band, grid)
        self._close(grid)
        self._prose()

    def _text(self, band: _Band) -> None:
        for row, line in zip(band.title_rows, band.titles, strict=True):
            if self._open is not None and not self._lines and _NOTE.match(line):
                self._open.notes.append(line)
            else:
                self._lines.append(line)
                self._label = [row] if len(self._lines) == 1 else []

    def _table(self, band: _Band, grid: Grid) -> None:
        open_ = self._open
        if open_ is not None and not band.titles and self._continues(open_, band, grid):
            open_.rows += self._label
            open_.take(band)
            self._lines, self._label = [], []
            return
        self._close(grid)
        band.titles = [*self._lines, *band.titles]
        self._lines, self._label = [], []
        self._open = band

    def _continues(self, open_: _Band, band: _Band, grid: Grid) -> bool:
        """Whether a band after an empty row still belongs to the table above it."""
        if len(self._lines) > 1 or (self._lines and not self._label):
            return False
        above = open_.cells(grid)
        overlap = min(open_.right, band.right) - max(open_.left, band.left) + 1
        if len(above) <= _HEADER_ONLY_ROWS and not any(is_number(cell) for row in above for cell in row):
            named = header_row_count([*above, *band.cells(grid)])
            return not self._lines and overlap * 2 > band.right - band.left + 1 and named >= len(above)
        return open_.covers(band) and not _begins_table(band.cells(grid), above)

    def _close(self, grid: Grid) -> None:
        band, self._open = self._open, None
        if band is None:
            return
        rows = tidy_rows(band.cells(grid))
        header = header_row_count(rows)
        rows = filled_header(rows, header)
        corner = rows[0][0] if header else ""
        caption, unit = self._named(band.titles)
        columns = rows[header - 1] if header else ()
        if columns and columns == self._columns:
            caption = caption or self._caption  # the same table again, for another year or place
        self._columns, self._caption = columns, caption
        if not header and len(rows) > 2:
            self.warnings.append(
                f"{self._where}: the table that begins with {first_words(rows)} has no header"
            )
        self._outline.table(
            Table(
                rows=rows,
                header_rows=header,
                header_columns=header_column_count(rows),
                caption=caption,
                unit=unit or unit_of(corner),
                notes=tuple(band.notes),
            ),
            self._page,
        )

    def _named(self, lines: Sequence[str]) -> tuple[str, str]:
        """(caption, unit) out of the lines above a table; long ones become paragraphs."""
        caption: list[str] = []
        unit = ""
        for line in lines:
            found = unit_of(line)
            if found and len(found) * 2 > len(line):
                unit = unit or found
            elif len(" — ".join([*caption, line])) > MAX_CAPTION_CHARS:
                self._outline.block(line, page=self._page)
            else:
                caption.append(line)
                unit = unit or found
        return " — ".join(dict.fromkeys(caption)), unit

    def _prose(self) -> None:
        lines, self._lines = self._lines, []
        if len(lines) > 1 and all(len(line) <= MAX_CAPTION_CHARS for line in lines):
            self._outline.block("\n".join(lines), BlockKind.LIST, self._page)
        else:
            for line in lines:
                self._outline.block(line, page=self._page)


def _begins_table(rows: Sequence[Sequence[str]], above: Sequence[Sequence[str]]) -> bool:
    """Whether rows after an empty one are a new table: a header over amounts, or names under amounts."""
    if sum(bool(cell.strip()) for cell in rows[0]) < 2:
        return False
    if not any(is_number(cell) for row in rows for cell in row):
        return any(is_number(cell) for row in above for cell in row) or list(rows[0]) == list(above[0])
    return header_row_count(rows) > 0


def _filled(row: Sequence[str]) -> set[str]:
    return {cell for cell in row if cell and not cell.isspace()}


def _bands(grid: Grid) -> Iterator[_Band]:
    """Runs of filled rows, parted at empty columns; a band of single texts has titles and no rows."""
    run: list[int] = []
    for number in range(len(grid) + 1):
        if number < len(grid) and _filled(grid[number]):
            run.append(number)
        elif run:
            yield from _parted(run, grid)
            run = []


def _parted(run: list[int], grid: Grid) -> Iterator[_Band]:
    single = {row for row in run if _is_single(grid[row])}
    first = run[0]
    titles: list[str] = []
    while run and run[0] in single:
        titles.append(_single(grid[run[0]]))
        run = run[1:]
    notes: list[str] = []
    while run and run[-1] in single and _NOTE.match(last := _single(grid[run[-1]])):
        notes.insert(0, last)
        run = run[:-1]
    if not run:
        band = _Band([], 0, 0)
        band.titles = [*titles, *notes]
        band.title_rows = list(range(first, first + len(band.titles)))
        yield band
        return
    rows = [row for row in run if row not in single]
    spans = _column_spans(rows, grid)
    for number, (left, right) in enumerate(spans):
        band = _Band([row for row in run if _filled(grid[row][left : right + 1])], left, right)
        band.titles = titles if number == 0 else []
        band.notes = notes if number == len(spans) - 1 else []
        yield band


def _is_single(row: Sequence[str]) -> bool:
    values = _filled(row)
    return len(values) == 1 and len(row) > 1 and not is_number(next(iter(values)))


def _single(row: Sequence[str]) -> str:
    return squeeze(next(iter(_filled(row))))


def _column_spans(rows: list[int], grid: Grid) -> list[tuple[int, int]]:
    """Column ranges of the tables side by side: parted at an empty column where a new row label begins."""
    width = len(grid[rows[0]])
    used = [any(grid[row][column].strip() for row in rows) for column in range(width)]
    spans: list[list[int]] = []
    for column in (column for column in range(width) if used[column]):
        if spans and spans[-1][1] == column - 1:
            spans[-1][1] = column
        else:
            spans.append([column, column])
    joined = spans[:1]
    for span in spans[1:]:
        if _starts_table(rows, grid, span) and joined[-1][1] > joined[-1][0]:
            joined.append(span)
        else:
            joined[-1][1] = span[1]
    return [(left, right) for left, right in joined]


def _starts_table(rows: list[int], grid: Grid, span: list[int]) -> bool:
    left, right = span
    labels = [grid[row][left] for row in rows[1:] if grid[row][left].strip()]
    words = sum(not is_amount(label) for label in labels)
    return right > left and bool(labels) and words * 2 > len(labels) and bool(grid[rows[0]][left].strip())
