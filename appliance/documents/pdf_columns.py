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

from appliance.documents.lines import join_lines
from appliance.documents.pdf_lines import Line, Part
from appliance.documents.pdf_space import Bounds

Row = list[Line]
"""The lines at one height, left to right."""
Span = tuple[float, float]
_VALUE = re.compile(
    r"^[(（\[<>≤≥~约+\-–—−$€£¥￥\s]*(?:RMB|US\$|HK\$|C\$|A\$|USD|EUR)?\s*[(（+\-–—−]?\d[\d,.\s]*"
    r"(?:%|％|x|bps?|pts?|[A-Za-z/°μΩ℃]{1,5}|[万亿元倍]{1,3})?\s*[)）\]]?[%％]?(?:\s*[(（]\w{1,2}[)）]|\*+|†)*$"
)
_BLANK_VALUE = re.compile(
    r"^(?:(?:[$€£¥￥]|RMB|US\$)?\s*[-–—−]+|N/?A|n/?a|N/?M|n/?m|nil|无|不适用|—%|[-–—]\s*%)$"
)
_YEAR = re.compile(r"^(?:FY|CY)?\s*'?(?:19|20)\d\d\s*(?:[AEF]|年.{0,4})?(?:\s*[(（]\w{1,3}[)）])?$")
_HAS_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_SIGN = re.compile(r"^(?:[$€£¥￥]|US\$|HK\$|C\$|A\$|RMB|[(（]|[$€£]\s*[(（])$")
_TAIL = re.compile(r"^(?:[)）]\s*[%％]?|[%％]|[)）]?\s*(?:pts|bps|x|pp))$")
_BULLET = re.compile(r"^(?:[•·●○▪◦‣\-–—*☐☒✓]|[(（\[]?(?:\d{1,3}|[A-Za-z]|[ivx]{1,4})[)）\].、]?)$")
_REFERENCE = re.compile(r"^(?:[(（\[]\w{1,2}[)）\]]\s*,?\s*)+$|^[*†‡]+$")
_EQUATION = re.compile(r"^[(（]\d{1,3}[a-z]?[)）]$")
_SUM = re.compile(r"[$€£¥￥]?\s*[(（]?(?:\d[\d,.]*|[-–—])[)）]?[%％]?|[$€£¥￥]")
_SUMS = re.compile(rf"^(?:{_SUM.pattern})(?:\s+(?:[$€£¥￥]\s*[(（]?(?:\d[\d,.]*|[-–—])[)）]?|[$€£¥￥]))+$")
_LEADERS = re.compile(r"(?:\.\s?){5,}|…{2,}|·{5,}")
PROSE_CHARS = 70
MAX_STEP = 2.6
"""Rows further apart than this many type sizes are not one table."""
MAX_LABEL_ROWS = 3
SAME_LEFT = 3.0
CLOSE, CLOSE_BLANK = 1.0, 3.5
"""Columns nearer than so many type sizes, the second where one of them has no figures, may be one."""
REFERENCE_GAP = 3.0


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
    parts = _unstacked(row)
    size = max((line.size for line in row), default=8.0)
    joined: list[Part] = []
    for part in parts:
        last = joined[-1] if joined else None
        if last is not None and (
            (_SIGN.match(last.text) and is_value(last.text + part.text))
            or (_TAIL.match(part.text) and is_value(last.text) and part.x0 - last.x1 < 20)
        ):
            joined[-1] = Part(last.text + part.text, last.x0, part.x1)
        elif last is not None and _is_reference(last, part, size):
            joined[-1] = Part(f"{last.text} {part.text}", last.x0, part.x1)
        else:
            joined.append(part)
    if len(joined) == 2 and _BULLET.match(joined[0].text) and not is_value(joined[1].text):
        return [Part(f"{joined[0].text} {joined[1].text}", joined[0].x0, joined[1].x1)]
    return joined


def _unstacked(row: Row) -> list[Part]:
    """The parts of lines of about one height; two that stand over one another are joined, upper first."""
    placed = [(one, line.middle) for line in row for part in line.parts for one in _single_sums(part)]
    placed.sort(key=lambda at: at[0].x0)
    result: list[tuple[Part, float]] = []
    for part, middle in placed:
        last, height = result[-1] if result else (part, middle)
        shared = min(last.x1, part.x1) - max(last.x0, part.x0)
        if result and height != middle and shared > 0.4 * min(last.x1 - last.x0, part.x1 - part.x0):
            first, second = (last, part) if height > middle else (part, last)
            text = join_lines([first.text, second.text])
            result[-1] = Part(text, last.x0, max(last.x1, part.x1)), max(height, middle)
        else:
            result.append((part, middle))
    return [part for part, _ in result]


def _single_sums(part: Part) -> list[Part]:
    """Sums of money that stand close, apart: ``$ 2,729.4 $ 2,198.7``; places by share of length."""
    if not _SUMS.match(part.text):
        return [part]
    width = (part.x1 - part.x0) / len(part.text)
    return [
        Part(found.group(), part.x0 + found.start() * width, part.x0 + found.end() * width)
        for found in _SUM.finditer(part.text)
    ]


def _is_reference(last: Part, part: Part, size: float) -> bool:
    """Whether a part is a note's mark behind words."""
    near = part.x0 - last.x1 < REFERENCE_GAP * size
    return near and _REFERENCE.match(part.text) is not None and not is_value(last.text)


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
        if table is not None and found and _goes_on(rows, parts, found[-1], table):
            found[-1] = Found(
                start=found[-1].start, end=table.end, columns=found[-1].columns, body=found[-1].body
            )
        elif table is not None:
            found.append(table)
        index = max(end, index + 1)
    return found


def _goes_on(rows: Sequence[Row], parts: Sequence[list[Part]], first: Found, second: Found) -> bool:
    """Whether a table without heading is the rest of the one above: near, and in the same columns."""
    between = range(first.end, second.start)
    gaps = [rows[i][0].middle - rows[i + 1][0].middle for i in range(first.end - 1, second.start)]
    size = max(rows[second.start][0].size, 4.0)
    return (
        second.body == second.start
        and max(gaps) < 5 * size
        and all(len(parts[i]) == 1 and len(parts[i][0].text) < PROSE_CHARS for i in between)
        and all(any(_overlap(span, ours) > 0 for ours in first.columns) for span in second.columns)
    )


def _run_end(rows: Sequence[Row], parts: Sequence[list[Part]], start: int) -> int:
    """After the last row of a run of rows with several parts, a few label rows between them allowed."""
    end = start + 1
    labels = 0
    for index in range(start + 1, len(rows)):
        if any(line.is_table for line in rows[index]) or _far(rows[index - 1], rows[index]):
            break
        if _new_heading(rows, parts, start, index):
            break
        if len(parts[index]) >= 2:
            end, labels = index + 1, 0
            continue
        labels += 1
        if labels > MAX_LABEL_ROWS or not parts[index]:
            break
        if len(parts[index][0].text) > PROSE_CHARS * 1.6 and not _in_column(
            parts[index][0], parts[start:index]
        ):
            break
    return end


def _in_column(part: Part, above: Sequence[list[Part]]) -> bool:
    """Whether a long line is wrapped text of a wide column: others begin there and have neighbours."""
    hold = 0
    for row in above:
        for own, after in pairwise(row):
            hold += abs(own.x0 - part.x0) < SAME_LEFT and part.x1 < after.x0
    return hold >= 2


def _new_heading(rows: Sequence[Row], parts: Sequence[list[Part]], start: int, index: int) -> bool:
    """Whether another table begins here: names of columns under figures, set apart by weight or years."""
    row = parts[index]
    if len(row) < 2 or any(is_value(part.text) for part in row[1:]):
        return False
    valued = [at for at in range(start, index) if _has_figures(parts[at])]
    if not valued:
        return False
    bold = all(line.bold for line in rows[index]) and not all(line.bold for line in rows[valued[-1]])
    years = sum(_HAS_YEAR.search(part.text) is not None for part in row) >= 2
    return bold or years


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
    first = next((i for i in range(start, end) if _has_figures(parts[i])), start)
    below = [parts[index] for index in range(first, end) if len(parts[index]) >= 2]
    columns = column_spans(below if len(below) > 1 else many, max(rows[start][0].size, 4.0))
    if len(columns) < 2 or not _holds(many, columns, rows[start:end], across):
        return None
    start = _with_headings(rows, parts, start, columns, floor)
    body = _body_start(parts, start, end, columns)
    for index in range(start, body):
        _widen(columns, parts[index])
    return Found(start=start, end=end, columns=columns, body=body)


def _has_figures(parts: Sequence[Part]) -> bool:
    return any(is_value(part.text) for part in parts[1:])


def _body_start(parts: Sequence[list[Part]], start: int, end: int, columns: Sequence[Span]) -> int:
    """The first row under the heading: with figures, or a label above them. ``start`` where there is none."""
    body = start
    while body < end and not _is_body(parts[body], columns):
        body += 1
    if body == end:
        return start
    while body - 1 > start and len(parts[body - 1]) == 1 and parts[body - 1][0].x0 < columns[0][1]:
        body -= 1
    return body


def _widen(columns: list[Span], heading: Sequence[Part]) -> None:
    """Columns grow to the names above them, where a heading row has one for each."""
    named = [part for part in heading if part.x1 > columns[0][1]]
    if len(named) != len(columns) - 1:
        return
    for index, part in enumerate(named, start=1):
        x0, x1 = min(columns[index][0], part.x0), max(columns[index][1], part.x1)
        left = columns[index - 1][1]
        right = columns[index + 1][0] if index + 1 < len(columns) else x1
        if x0 > left and x1 <= right:
            columns[index] = (x0, x1)


class _Column:
    def __init__(self, part: Part) -> None:
        self.x0, self.x1 = part.x0, part.x1
        self.rows: set[int] = set()
        self.weight = 0
        self.figures = False

    def take(self, row: int, part: Part) -> None:
        self.x0, self.x1 = min(self.x0, part.x0), max(self.x1, part.x1)
        self.rows.add(row)
        self.weight += 2 if is_value(part.text) else 1
        self.figures |= is_value(part.text) and not _BLANK_VALUE.match(part.text)


def column_spans(rows: Sequence[list[Part]], size: float) -> list[Span]:
    """Left and right edges of the columns that the parts of ``rows`` stand in, left to right.

    A part that stands over two parts of another row spans columns and is not asked. Columns that lie close
    and never have a part in the same row are one: dashes and headings seldom stand under the figures.
    """
    spans = [[(part.x0, part.x1) for part in row] for row in rows]
    single: list[tuple[float, int, Part]] = []
    for index, row in enumerate(rows):
        for part in row:
            if not any(
                sum(_overlap((part.x0, part.x1), other) > 0.5 for other in others) >= 2
                for at, others in enumerate(spans)
                if at != index
            ):
                single.append((part.x0, index, part))
    single.sort(key=lambda found: found[0])
    columns: list[_Column] = []
    for _, index, part in single:
        if not columns or part.x0 >= columns[-1].x1 - 0.5:
            columns.append(_Column(part))
        columns[-1].take(index, part)
    columns = _merged(columns, size)
    kept = [column for column in columns if column.weight > 1] if len(rows) >= 4 else columns
    return [(column.x0, column.x1) for column in (kept if len(kept) >= 2 else columns)]


def _merged(columns: list[_Column], size: float) -> list[_Column]:
    result = columns[:1]
    for column in columns[1:]:
        last = result[-1]
        limit = CLOSE if last.figures and column.figures else CLOSE_BLANK
        if len(result) > 1 and not last.rows & column.rows and column.x0 - last.x1 < limit * size:
            last.x1 = max(last.x1, column.x1)
            last.rows |= column.rows
            last.weight += column.weight
            last.figures |= column.figures
        else:
            result.append(column)
    return result


def _overlap(one: Span, other: Span) -> float:
    return min(one[1], other[1]) - max(one[0], other[0])


def _holds(
    many: Sequence[list[Part]], columns: Sequence[Span], rows: Sequence[Row], across: Sequence[Bounds]
) -> bool:
    """Whether rows of parts are a table rather than a list, prose set wide or a form."""
    if sum(_BULLET.match(row[0].text) is not None for row in many) > len(many) * 0.5 and len(columns) == 2:
        return False
    if len(columns) == 2 and all(_EQUATION.match(row[-1].text) for row in many):
        return False
    texts = [part.text for row in many for part in row]
    if _reads_on([row[0].text for row in many]) or _reads_on([row[-1].text for row in many]):
        return False
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


def _reads_on(cells: Sequence[str]) -> bool:
    """Whether a column is running text: many of its cells begin in the middle of a sentence."""
    return len(cells) > 3 and sum(cell[0].islower() for cell in cells) > len(cells) * 0.3


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
    return any(is_value(part.text) and (part.x0 + part.x1) / 2 > columns[0][1] for part in parts)


def steps(rows: Sequence[Row]) -> float:
    """The usual distance between two rows, in points."""
    found = [above[0].middle - below[0].middle for above, below in pairwise(rows)]
    return statistics.median(found) if found else 14.0
