"""Reading order of one page's lines: columns apart, top to bottom, pieces of one row joined."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import msgspec

from appliance.documents.pdf_columns import find_tables
from appliance.documents.pdf_lines import Line
from appliance.documents.pdf_space import Bounds
from appliance.documents.pdf_tables import aligned_line, rejoined

MIN_COLUMN_LINES = 6
MAX_SPANNING_SHARE = 0.34
MAX_SIDE_BAR_SPANNING = 0.1
GUTTER_STEP = 4.0


def ordered(lines: Sequence[Line], across: Sequence[Bounds] = ()) -> list[Line]:
    """The lines in reading order. Lines over both columns part the page into bands.

    Rows that stand in columns become tables; ``across`` are the rules that the page draws.
    """
    if not lines:
        return []
    gutter = _gutter(lines)
    if gutter is None:
        return _rows(lines, across)
    result: list[Line] = []
    over: list[Line] = []
    left: list[Line] = []
    right: list[Line] = []
    for line in sorted(lines, key=lambda line: -line.top):
        if line.x0 < gutter < line.x1:
            result += [*_rows(left, across), *_rows(right, across)]
            over.append(line)
            left, right = [], []
            continue
        result += _rows(over, across)
        over = []
        if line.x1 <= gutter:
            left.append(line)
        else:
            right.append(line)
    return [*result, *_rows(over, across), *_rows(left, across), *_rows(right, across)]


def _gutter(lines: Sequence[Line]) -> float | None:
    """The x that parts two columns of prose: many lines on both sides at the same heights, few across it."""
    x0, x1 = min(line.x0 for line in lines), max(line.x1 for line in lines)
    best: tuple[int, float] | None = None
    x = x0 + (x1 - x0) * 0.2
    while x < x0 + (x1 - x0) * 0.8:
        spanning = sum(line.x0 < x < line.x1 for line in lines)
        left = [line for line in lines if line.x1 <= x]
        right = [line for line in lines if line.x0 >= x]
        if _are_columns(left, right, spanning, len(lines)) and (best is None or spanning < best[0]):
            best = (spanning, x)
        x += GUTTER_STEP
    return best[1] if best else None


def _are_columns(left: Sequence[Line], right: Sequence[Line], spanning: int, count: int) -> bool:
    if min(len(left), len(right)) < MIN_COLUMN_LINES or spanning > count * MAX_SPANNING_SHARE:
        return False
    overlap = min(max(line.top for line in left), max(line.top for line in right)) - max(
        min(line.bottom for line in left), min(line.bottom for line in right)
    )
    height = max(line.top for line in (*left, *right)) - min(line.bottom for line in (*left, *right))
    if overlap < height * 0.25:
        return False
    prose = _reads_as_prose(left), _reads_as_prose(right)
    # A side bar beside prose: its lines do not keep the prose's baselines, as the cells of a table would.
    side_bar = any(prose) and spanning <= count * MAX_SIDE_BAR_SPANNING and _aligned(left, right) < 0.5
    return all(prose) or side_bar


def _aligned(left: Sequence[Line], right: Sequence[Line]) -> float:
    """The share of the shorter side's lines that stand at the height of a line on the other."""
    few, many = sorted((left, right), key=len)
    return sum(any(abs(line.middle - other.middle) < 2 for other in many) for line in few) / len(few)


def _reads_as_prose(lines: Sequence[Line]) -> bool:
    """Whether a side is running text rather than the labels or figures of a table."""
    width = max(line.x1 for line in lines) - min(line.x0 for line in lines)
    full = sum(line.x1 - line.x0 > width * 0.7 for line in lines)
    letters = sum(character.isalpha() for line in lines for character in line.text)
    characters = sum(len(line.text) for line in lines)
    return full >= len(lines) * 0.35 and letters > characters * 0.55


def _rows(lines: Sequence[Line], across: Sequence[Bounds]) -> list[Line]:
    """Top to bottom; what stands side by side at one height becomes one row, rows in columns a table."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: (-line.middle, line.x0)):
        last = rows[-1] if rows else []
        if not line.is_table and any(not one.is_table and _same_row(one, line) for one in last):
            last.append(line)
        else:
            rows.append([line])
    rows = [sorted(row, key=lambda line: line.x0) for row in rows]
    result: list[Line] = []
    done = 0
    for found in find_tables(rows, across):
        result += [_joined(row) for row in rows[done : found.start]]
        result.append(aligned_line(rows, found, across))
        done = found.end
    return rejoined([*result, *(_joined(row) for row in rows[done:])])


def _same_row(first: Line, second: Line) -> bool:
    overlap = min(first.top, second.top) - max(first.bottom, second.bottom)
    return overlap > 0.6 * min(first.top - first.bottom, second.top - second.bottom)


def _joined(row: list[Line]) -> Line:
    if len(row) == 1:
        return row[0]
    if sum(map(_runs_leftwards, row)) * 2 > len(row):
        return _from_right(row)
    text, cells = row[0].text, row[0].cells
    for before, line in pairwise(row):
        gap = line.x0 - before.x1
        wide = gap > 1.2 * max(line.size, 1.0)
        cells += line.cells - 1 + (1 if wide else 0)
        text += ("  " if wide else " " if gap > 0.15 * line.size else "") + line.text
    return msgspec.structs.replace(
        row[0], text=text, cells=cells, x1=max(line.x1 for line in row), size=max(line.size for line in row),
        parts=tuple(part for line in row for part in line.parts),
    )  # fmt: skip


def _runs_leftwards(line: Line) -> bool:
    """Whether most letters are of a script that is written from right to left."""
    letters = [character for character in line.text if character.isalpha()]
    leftwards = sum(
        "\u0590" <= character <= "\u08ff" or "\ufb1d" <= character <= "\ufefc" for character in letters
    )
    return leftwards * 2 > len(letters)


def _from_right(row: list[Line]) -> Line:
    row = row[::-1]
    return msgspec.structs.replace(
        row[0], text=" ".join(line.text for line in row), x0=min(line.x0 for line in row),
        cells=sum(line.cells for line in row), parts=tuple(part for line in row for part in line.parts),
    )  # fmt: skip
