"""Tables of a PDF page as one line each, and what the words around a table say of it.

Arrives: cells of a ruled grid or of aligned rows. Leaves: a :class:`Line` that holds a Table, so that layout
puts it where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from appliance.documents.pdf_cells import cells_of
from appliance.documents.pdf_columns import Found, Row, is_value
from appliance.documents.pdf_grids import Ruled
from appliance.documents.pdf_lines import Grid, Line
from appliance.documents.pdf_space import Bounds
from appliance.domain import Table

MAX_HEADER_ROWS = 4
SAME_EDGE = 12.0
MAX_INNER, MAX_INNER_GAP = 90, 6.0
"""A heading inside a table: its characters, and the gap around it in type sizes."""
_SCALE = r"(?:hundreds?|thousands?|millions?|billions?|000s|mn|bn)"
_MONEY = r"(?:RMB|CNY|USD|HKD|EUR|GBP|JPY|AUD|US\$|HK\$|A\$|C\$|[$€£¥￥])"
_UNIT = re.compile(
    rf"(?:单位|單位|金额单位)\s*[:：]?\s*(?P<zh>[^\s，,;；)）]{{1,12}})"
    rf"|(?P<en>(?:{_MONEY}|U\.?S\.? dollars?|dollars?|amounts?|figures)?\s*(?:are\s+)?in\s+{_SCALE}"
    r"(?:\s+of\s+[A-Za-z$.]+\s?\w*)?)"
    rf"|[(（]\s*(?P<short>{_MONEY}\s*{_SCALE}?|{_MONEY}?\s*'000|%|％|[百千]?[万亿]?(?:元|美元|港元)|"
    rf"人民币[百千]?[万亿]?元)\s*(?:[,，;；][^)）]*)?[)）]",
    re.I,
)
_NOTE = re.compile(
    r"^(?:notes?\b|source|注|註|备注|说明|资料来源|数据来源|[*†‡]|[(（\[]?\d{1,2}[)）\]]\s|[a-z]\s)", re.I
)


def unit_of(*texts: str) -> str:
    """The unit that a caption, a corner cell or the line above gives for a whole table, or ""."""
    for text in texts:
        match = _UNIT.search(text)
        if match is not None:
            found = match["zh"] or match["en"] or match["short"]
            return found.strip()
    return ""


def is_note(text: str) -> bool:
    """Whether a line under a table reads like its footnote."""
    return _NOTE.match(text) is not None


def ruled_line(ruled: Ruled, page: int) -> Line:
    """A ruled table as one line."""
    rows = ruled.rows
    header = _header_rows(rows)
    return _line(rows, header, tuple(ruled.columns), ruled.bounds, page, ruled.lines)


def aligned_line(rows: Sequence[Row], found: Found, across: Sequence[Bounds]) -> Line:
    """A table without rules as one line."""
    lines = [line for row in rows[found.start : found.end] for line in row]
    cells = cells_of(rows, found, across)
    bounds = (
        min(line.x0 for line in lines), min(line.bottom for line in lines),
        max(line.x1 for line in lines), max(line.top for line in lines),
    )  # fmt: skip
    return _line(cells.rows, cells.header_rows, tuple(found.columns), bounds, lines[0].page, lines)


def _line(
    rows: Sequence[Sequence[str]],
    header_rows: int,
    columns: tuple[tuple[float, float], ...],
    bounds: Bounds,
    page: int,
    lines: Sequence[Line],
) -> Line:
    x0, y0, x1, y1 = bounds
    corner = " ".join(row[0] for row in rows[: max(header_rows, 1)])
    table = Table(
        rows=tuple(tuple(row) for row in rows),
        header_rows=header_rows,
        header_columns=_header_columns(rows[header_rows:]),
        unit=unit_of(corner, *(" ".join(row) for row in rows[:header_rows])),
    )
    return Line(
        text="\n".join(line.text for line in lines),
        page=page, x0=x0, x1=x1, bottom=y0, top=y1, size=lines[0].size if lines else 0.0,
        grid=Grid(table=table, columns=columns),
    )  # fmt: skip


def _header_rows(rows: Sequence[Sequence[str]]) -> int:
    """How many rows name columns: those before the first with figures; one where there are none at all."""
    for index, row in enumerate(rows[: MAX_HEADER_ROWS + 1]):
        if any(is_value(cell) for cell in row[1:] if cell):
            return index
    merged = 0
    while merged < min(len(rows) - 1, MAX_HEADER_ROWS - 1) and _spans(rows[merged]):
        merged += 1
    return merged + 1 if len(rows) > merged + 1 else 1


def _spans(row: Sequence[str]) -> bool:
    filled = [cell for cell in row if cell]
    return len(filled) > 1 and len(set(filled)) < len(filled)


def _header_columns(body: Sequence[Sequence[str]]) -> int:
    """1 where the first column names the rows: mostly words over it, and something to name beside it."""
    first = [row[0] for row in body if row and row[0]]
    named = sum(not is_value(cell) for cell in first)
    return 1 if first and len(body[0]) > 1 and named >= len(first) * 0.6 else 0


def continues(before: Line, line: Line) -> bool:
    """Whether a table at the top of a page goes on from one at the end of the page before."""
    if before.grid is None or line.grid is None:
        return False
    ours, theirs = before.grid.columns, line.grid.columns
    near = len(ours) == len(theirs) and all(
        abs(a[1] - b[1]) < SAME_EDGE or abs(a[0] - b[0]) < SAME_EDGE
        for a, b in zip(ours, theirs, strict=True)
    )
    first, second = before.grid.table, line.grid.table
    if not near or len(first.rows[0]) != len(second.rows[0]):
        return False
    return second.header_rows == 0 or first.rows[: second.header_rows] == second.rows[: second.header_rows]


def appended(first: Table, second: Table) -> Table:
    """One table of two pages; a heading that is repeated is said once."""
    repeats = second.header_rows and first.rows[: second.header_rows] == second.rows[: second.header_rows]
    rest = second.rows[second.header_rows :] if repeats else second.rows
    return msgspec.structs.replace(first, rows=(*first.rows, *rest))


def rejoined(lines: Sequence[Line]) -> list[Line]:
    """Tables that a heading inside them had parted: one without column names joins the one above it."""
    result: list[Line] = []
    for line in lines:
        between = (
            result[-1] if result and result[-1].grid is None and len(result[-1].text) < MAX_INNER else None
        )
        before = result[-2] if between is not None and len(result) > 1 else result[-1] if result else None
        whole = _with(before, between, line) if before is not None else None
        if whole is None:
            result.append(line)
        else:
            result[-1 if between is None else -2 :] = [whole]
    return result


def _with(before: Line, between: Line | None, line: Line) -> Line | None:
    """One table of both, the line between them a row of its own; None where they do not belong together."""
    if (
        before.grid is None
        or line.grid is None
        or line.grid.table.header_rows
        or not before.grid.table.header_rows
    ):
        return None
    if before.bottom - line.top > MAX_INNER_GAP * line.size or (between is not None and between.cells > 1):
        return None
    places = _columns_below(before.grid.columns, line.grid.columns)
    if places is None:
        return None
    width = len(before.grid.table.rows[0])
    rows = list(before.grid.table.rows)
    if between is not None:
        rows.append((between.text, *[""] * (width - 1)))
    for cells in line.grid.table.rows:
        at = dict(zip(places, cells, strict=True))
        rows.append(tuple(at.get(column, "") for column in range(width)))
    return msgspec.structs.replace(
        before,
        text="\n".join(each.text for each in (before, between, line) if each is not None),
        x0=min(before.x0, line.x0),
        x1=max(before.x1, line.x1),
        bottom=line.bottom,
        grid=msgspec.structs.replace(
            before.grid, table=msgspec.structs.replace(before.grid.table, rows=tuple(rows))
        ),
    )


def _columns_below(
    ours: Sequence[tuple[float, float]], theirs: Sequence[tuple[float, float]]
) -> list[int] | None:
    """Which of ``ours`` each of ``theirs`` stands under; None where that is none, or the same for two."""
    places: list[int] = []
    for left, right in theirs:
        shared = [min(right, x1) - max(left, x0) for x0, x1 in ours]
        best = max(range(len(ours)), key=shared.__getitem__)
        if shared[best] <= 0.5 * min(right - left, ours[best][1] - ours[best][0]):
            return None
        places.append(best)
    return places if len(set(places)) == len(places) and places[:1] == [0] else None
