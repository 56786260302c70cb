"""Tables without rules: rows whose parts stand under one another become cells.

Arrives: the rows of one column of a page, top to bottom. Leaves: which runs of rows are tables, their cells
and columns. Rules across, where a page draws them, show how far a heading reaches.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from itertools import pairwise

import msgspec

from appliance.documents.pdf_lines import Line, Part
from appliance.documents.pdf_space import Bounds

Row = list[Line]
"""The lines at one height, left to right."""
Span = tuple[float, float]
_VALUE = re.compile(
    r"^[(（\[<>≤≥~约+\-–—−$€£¥￥\s]*(?:RMB|US\$|HK\$|C\$|A\$|USD|EUR)?\s*[(（+\-–—−]?\d[\d,.\s]*"
    r"(?:%|％|x|bps?|pts?|[A-Za-z/°μΩ℃]{1,5}|[万亿元倍]{1,3})?\s*[)）\]]?[%％]?(?:\s*[(（]\w{1,2}[)）]|\*+|†)*$"
)
_BLANK_VALUE = re.compile(r"^(?:[-–—−]+|N/?A|n/?a|N/?M|n/?m|nil|无|不适用|—%|[-–—]\s*%)$")
_YEAR = re.compile(r"^(?:FY|CY)?\s*'?(?:19|20)\d\d\s*(?:[AEF]|年.{0,4})?(?:\s*[(（]\w{1,3}[)）])?$")
_SIGN = re.compile(r"^(?:[$€£¥￥]|US\$|HK\$|C\$|A\$|RMB|[(（]|[$€£]\s*[(（])$")
_TAIL = re.compile(r"^(?:[)）]\s*[%％]?|[%％]|[)）]?\s*(?:pts|bps|x|pp))$")
_BULLET = re.compile(r"^(?:[•·●○▪◦‣\-–—*☐☒✓]|[(（\[]?(?:\d{1,3}|[A-Za-z]|[ivx]{1,4})[)）\].、]?)$")
_LEADERS = re.compile(r"(?:\.\s?){5,}|…{2,}|·{5,}")
PROSE_CHARS = 70
MAX_STEP = 2.6
"""Rows further apart than this many type sizes are not one table."""
MAX_LABEL_ROWS = 3


class Found(msgspec.Struct, kw_only=True):
    """A run of rows that is a table: ``start`` to ``end``, not included."""

    start: int
    end: int
    columns: list[Span]
    body: int = 0
    """The first row that is not heading."""


def is_value(text: str) -> bool:
    """Whether a cell holds a figure, a sum or a dash for none; a year names a column and is none."""
    return not _YEAR.match(text) and (_VALUE.match(text) or _BLANK_VALUE.match(text)) is not None


def row_parts(row: Row) -> list[Part]:
    """The parts of a row from left to right, with signs and brackets joined to their figures."""
    parts = sorted((part for line in row for part in line.parts), key=lambda part: part.x0)
    joined: list[Part] = []
    for part in parts:
        last = joined[-1] if joined else None
        if last is not None and (
            (_SIGN.match(last.text) and is_value(last.text + part.text))
            or (_TAIL.match(part.text) and is_value(last.text) and part.x0 - last.x1 < 20)
        ):
            joined[-1] = Part(last.text + part.text, last.x0, part.x1)
        else:
            joined.append(part)
    return joined


def find_tables(rows: Sequence[Row], across: Sequence[Bounds]) -> list[Found]:
    """The tables among ``rows``, none overlapping."""
    parts = [row_parts(row) for row in rows]
    found: list[Found] = []
    index = 0
    while index < len(rows):
        if len(parts[index]) < 2:
            index += 1
            continue
        end = _run_end(rows, parts, index)
        table = _table(rows, parts, index, end, across, found[-1].end if found else 0)
        if table is not None:
            found.append(table)
        index = max(end, index + 1)
    return found


def _run_end(rows: Sequence[Row], parts: Sequence[list[Part]], start: int) -> int:
    """After the last row of a run of rows with several parts, a few label rows between them allowed."""
    end = start + 1
    labels = 0
    for index in range(start + 1, len(rows)):
        if any(line.is_table for line in rows[index]) or _far(rows[index - 1], rows[index]):
            break
        if len(parts[index]) >= 2:
            end, labels = index + 1, 0
            continue
        labels += 1
        if labels > MAX_LABEL_ROWS or not parts[index] or len(parts[index][0].text) > PROSE_CHARS * 1.6:
            break
    return end


def _far(above: Row, below: Row) -> bool:
    size = max(above[0].size, below[0].size, 4.0)
    return above[0].middle - below[0].middle > MAX_STEP * size + 6


def _table(
    rows: Sequence[Row],
    parts: Sequence[list[Part]],
    start: int,
    end: int,
    across: Sequence[Bounds],
    floor: int,
) -> Found | None:
    many = [parts[index] for index in range(start, end) if len(parts[index]) >= 2]
    if len(many) < 2:
        return None
    columns = column_spans(many)
    if len(columns) < 2 or not _holds(many, columns, rows[start:end], across):
        return None
    start = _with_headings(rows, parts, start, columns, floor)
    body = start
    while body < end and not _is_body(parts[body], columns):
        body += 1
    return Found(start=start, end=end, columns=columns, body=start if body == end else body)


def column_spans(rows: Sequence[list[Part]]) -> list[Span]:
    """Left and right edges of the columns that the parts of ``rows`` stand in, left to right.

    A part that stands over two parts of another row spans columns and is not asked.
    """
    spans = [[(part.x0, part.x1) for part in row] for row in rows]
    single: list[Span] = []
    for index, row in enumerate(spans):
        for part in row:
            if not any(
                sum(_overlap(part, other) > 0.5 for other in others) >= 2
                for at, others in enumerate(spans)
                if at != index
            ):
                single.append(part)
    single.sort()
    columns: list[Span] = []
    counts: list[int] = []
    for x0, x1 in single:
        if columns and x0 < columns[-1][1] - 0.5:
            columns[-1] = (columns[-1][0], max(columns[-1][1], x1))
            counts[-1] += 1
        else:
            columns.append((x0, x1))
            counts.append(1)
    if len(rows) >= 4:
        kept = [span for span, count in zip(columns, counts, strict=True) if count > 1]
        return kept if len(kept) >= 2 else columns
    return columns


def _overlap(one: Span, other: Span) -> float:
    return min(one[1], other[1]) - max(one[0], other[0])


def _holds(
    many: Sequence[list[Part]], columns: Sequence[Span], rows: Sequence[Row], across: Sequence[Bounds]
) -> bool:
    """Whether rows of parts are a table rather than a list, prose set wide or a form."""
    if sum(_BULLET.match(row[0].text) is not None for row in many) > len(many) * 0.5 and len(columns) == 2:
        return False
    texts = [part.text for row in many for part in row]
    if sum(_LEADERS.search(text) is not None for text in texts) > len(many) * 0.5:
        return False
    valued = sum(any(is_value(part.text) for part in row[1:]) for row in many)
    if valued >= 2 and valued >= len(many) * 0.4:
        return True
    x0, x1 = columns[0][0], columns[-1][1]
    top, bottom = rows[0][0].top + 12, rows[-1][0].bottom - 12
    rules = sum(
        bottom <= rule[1] <= top and _overlap((rule[0], rule[2]), (x0, x1)) > (x1 - x0) * 0.6
        for rule in across
    )
    full = sum(len(row) >= max(2, len(columns) - 1) for row in many)
    short = statistics.mean(map(len, texts)) < 60
    return short and full >= len(many) * 0.6 and (rules >= 2 and len(many) >= 2)


def _with_headings(
    rows: Sequence[Row], parts: Sequence[list[Part]], start: int, columns: Sequence[Span], floor: int
) -> int:
    """The start with lone headings above the figures taken in: they stand right of the first column."""
    while start > floor and len(parts[start - 1]) >= 1:
        above, row = parts[start - 1], rows[start - 1]
        size = max(row[0].size, 4.0)
        over = above[0].x0 > max(columns[0][0] + 0.35 * (columns[1][0] - columns[0][0]), columns[0][0] + 20)
        near = row[0].middle - rows[start][0].middle < 2.2 * size
        inside = above[-1].x1 <= columns[-1][1] + 15
        if any(line.is_table for line in row) or not (over and near and inside):
            break
        if any(len(part.text) > PROSE_CHARS for part in above):
            break
        start -= 1
    return start


def _is_body(parts: Sequence[Part], columns: Sequence[Span]) -> bool:
    """Whether a row holds figures under the heading."""
    return any(is_value(part.text) and (part.x0 + part.x1) / 2 > columns[0][1] for part in parts) or (
        len(parts) == 1 and parts[0].x0 <= columns[0][0] + 30 and parts[0].text.endswith((":", "："))
    )


def steps(rows: Sequence[Row]) -> float:
    """The usual distance between two rows, in points."""
    found = [above[0].middle - below[0].middle for above, below in pairwise(rows)]
    return statistics.median(found) if found else 14.0
