"""Ruled tables: rules that cross make a grid, text falls into its cells, missing rules merge them."""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Sequence
from itertools import combinations

import msgspec

from appliance.documents.lines import join_lines
from appliance.documents.pdf_columns import is_value
from appliance.documents.pdf_drawn import Drawn
from appliance.documents.pdf_lines import Line
from appliance.documents.pdf_space import Bounds

SNAP = 3.0
MAX_RULES = 500
"""A page with more rules, joined, is a drawing."""
MAX_UNITS = 20_000
MAX_AVERAGE_CELL = 150
LAYOUT_SHARE, LAYOUT_CELL = 0.5, 500
"""A box over half the page with such a long cell lays the page out; it is no table."""
LONG_MERGED = 80
STACKED = 4
"""So many figures under one another in one cell are rows of their own."""
Cell = tuple[float, float, str]
"""Height and left edge of a piece of text, and the text."""


class Ruled(msgspec.Struct, kw_only=True):
    """Cells of one grid, top row first, and its place."""

    rows: list[list[str]]
    columns: list[tuple[float, float]]
    bounds: Bounds
    lines: list[Line] = []
    """The lines of text that went into it."""


def grids_on(drawn: Drawn, lines: Sequence[Line], page_area: float) -> list[Ruled]:
    """The ruled tables of a page with two rows and two columns of text or more, upper ones first."""
    across = _joined([(y, x0, x1) for x0, y, x1, _ in drawn.across])
    down = _joined([(x, y0, y1) for x, y0, _, y1 in drawn.down])
    if len(down) < 2 or len(across) < 2 or len(across) + len(down) > MAX_RULES:
        return []
    found = [_grid(part_across, part_down, lines) for part_across, part_down in _touching(across, down)]
    tables = [table for table in found if table is not None and _is_table(table, page_area)]
    tables.sort(key=lambda table: table.bounds[2] * table.bounds[3], reverse=True)
    kept: list[Ruled] = []
    for table in tables:
        if not any(_inside(table.bounds, other.bounds) for other in kept):
            kept.append(table)
    return sorted(kept, key=lambda table: -table.bounds[3])


def joined_across(across: Sequence[Bounds]) -> list[Bounds]:
    """Rules across, those that touch end to end joined."""
    return [(x0, y, x1, y) for y, x0, x1 in _joined([(y, x0, x1) for x0, y, x1, _ in across], 1.0)]


Rule = tuple[float, float, float]
"""Where it stands, and from where to where it runs."""


def _joined(rules: Sequence[Rule], slack: float = SNAP) -> list[Rule]:
    """Rules on one line that touch or overlap become one."""
    result: list[Rule] = []
    for place, start, end in sorted(rules):
        for index in range(len(result) - 1, -1, -1):
            other, low, high = result[index]
            if place - other > slack:
                result.append((place, start, end))
                break
            if start <= high + slack and end >= low - slack:
                result[index] = (other, min(low, start), max(high, end))
                break
        else:
            result.append((place, start, end))
    return result


def _touching(across: Sequence[Rule], down: Sequence[Rule]) -> list[tuple[list[Rule], list[Rule]]]:
    """Groups of rules that hang together."""
    parent = list(range(len(across) + len(down)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    for i, (y, x0, x1) in enumerate(across):
        for j, (x, y0, y1) in enumerate(down):
            if x0 - SNAP <= x <= x1 + SNAP and y0 - SNAP <= y <= y1 + SNAP:
                parent[root(i)] = root(len(across) + j)
    groups: dict[int, tuple[list[Rule], list[Rule]]] = {}
    for index in range(len(parent)):
        group = groups.setdefault(root(index), ([], []))
        if index < len(across):
            group[0].append(across[index])
        else:
            group[1].append(down[index - len(across)])
    return [group for group in groups.values() if len(group[0]) >= 2 and len(group[1]) >= 1]


def _places(values: Sequence[float]) -> list[float]:
    places: list[float] = []
    for value in sorted(values):
        if not places or value - places[-1] > SNAP:
            places.append(value)
    return places


def _grid(across: list[Rule], down: list[Rule], lines: Sequence[Line]) -> Ruled | None:
    """A grid's cells; a side that is left open counts as ruled where the other rules end."""
    xs = _places([x for x, _, _ in down] + [min(r[1] for r in across), max(r[2] for r in across)])
    ys = _places([y for y, _, _ in across] + [min(r[1] for r in down), max(r[2] for r in down)])
    width, height = len(xs) - 1, len(ys) - 1
    if width < 2 or height < 2 or width * height > MAX_UNITS:
        return None
    owner = _owners(xs, ys, across, down)
    texts: dict[int, list[Cell]] = {}
    used: list[Line] = []
    for line in lines:
        row = bisect.bisect(ys, line.middle) - 1
        held = False
        for part in line.parts:
            column = bisect.bisect(xs, (part.x0 + part.x1) / 2) - 1
            if 0 <= row < height and 0 <= column < width:
                texts.setdefault(owner[row * width + column], []).append((line.middle, part.x0, part.text))
                held = True
        if held:
            used.append(line)
    if _hides_rows(texts):
        return None
    said = {unit: _cell_text(found) for unit, found in texts.items()}
    rows = [_row(said, owner[row * width : (row + 1) * width]) for row in range(height - 1, -1, -1)]
    kept = [column for column in range(width) if any(row[column] for row in rows)]
    return Ruled(
        rows=[[row[column] for column in kept] for row in rows if any(row)],
        columns=[(xs[column], xs[column + 1]) for column in kept],
        bounds=(xs[0], ys[0], xs[-1], ys[-1]),
        lines=used,
    )


def _hides_rows(texts: Mapping[int, Sequence[Cell]]) -> bool:
    """Whether figures stand under one another in cells side by side: the rules part sections, not rows."""
    stacks = [[height for height, _, text in found if is_value(text)] for found in texts.values()]
    tall = [heights for heights in stacks if len(heights) >= STACKED]
    return any(
        sum(any(abs(height - other) < 2 for other in second) for height in first) >= STACKED
        for first, second in combinations(tall, 2)
    )


def _row(said: dict[int, str], owners: list[int]) -> list[str]:
    """The cells of a row; one merged over columns is repeated in each, a long one said once."""
    cells = [said.get(unit, "") for unit in owners]
    return [
        "" if column and owners[column - 1] == unit and len(cells[column]) > LONG_MERGED else cells[column]
        for column, unit in enumerate(owners)
    ]


def _owners(xs: list[float], ys: list[float], across: list[Rule], down: list[Rule]) -> list[int]:
    """For each unit of the grid, rows from below, the unit that stands for its merged cell."""
    width, height = len(xs) - 1, len(ys) - 1
    parent = list(range(width * height))

    def root(index: int) -> int:
        while parent[index] != index:
            index = parent[index]
        return index

    for row in range(height):
        y = (ys[row] + ys[row + 1]) / 2
        for column in range(width):
            x = (xs[column] + xs[column + 1]) / 2
            unit = row * width + column
            if column + 1 < width and not _covered(down, xs[column + 1], y):
                parent[root(unit + 1)] = root(unit)
            if row + 1 < height and not _covered(across, ys[row + 1], x):
                parent[root(unit + width)] = root(unit)
    return [root(unit) for unit in range(width * height)]


def _covered(rules: Sequence[Rule], place: float, at: float) -> bool:
    return any(abs(rule[0] - place) <= SNAP and rule[1] <= at <= rule[2] for rule in rules)


def _cell_text(found: list[Cell]) -> str:
    """Pieces of one cell in reading order; what stands at one height is one line."""
    lines: list[list[Cell]] = []
    for piece in sorted(found, key=lambda piece: -piece[0]):
        if lines and lines[-1][0][0] - piece[0] < 2:
            lines[-1].append(piece)
        else:
            lines.append([piece])
    return join_lines([" ".join(text for _, _, text in sorted(line, key=lambda p: p[1])) for line in lines])


def _inside(inner: Bounds, outer: Bounds) -> bool:
    x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return outer[0] <= x <= outer[2] and outer[1] <= y <= outer[3]


def _is_table(table: Ruled, page_area: float) -> bool:
    filled = [row for row in table.rows if any(row)]
    if len(filled) < 2 or max(len({cell for cell in row if cell}) for row in filled) < 2:
        return False
    cells = [cell for row in filled for cell in row if cell]
    longest, average = max(map(len, cells)), sum(map(len, cells)) / len(cells)
    x0, y0, x1, y1 = table.bounds
    layout = (x1 - x0) * (y1 - y0) > LAYOUT_SHARE * page_area and longest > LAYOUT_CELL
    return not layout and not (average > MAX_AVERAGE_CELL and len(filled) < 4)
