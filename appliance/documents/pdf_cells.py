"""Cells of a table without rules: parts fall into columns, headings spread, wrapped labels join."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import msgspec

from appliance.documents.lines import join_lines
from appliance.documents.pdf_columns import Found, Row, Span, is_value, row_parts, steps
from appliance.documents.pdf_lines import Part
from appliance.documents.pdf_space import Bounds

TIGHT = 0.8
"""A step shorter than this share of the usual one binds a wrapped label to its row."""
RULE_BELOW = 8.0
LONG_LABEL = 45
"""Characters after which a label is taken to go on in the next row."""


class Cells(msgspec.Struct, kw_only=True):
    """Rows of cells, heading rows first, all of one width."""

    rows: list[list[str]]
    header_rows: int


def cells_of(rows: Sequence[Row], found: Found, across: Sequence[Bounds]) -> Cells:
    """The cells of the rows ``found.start`` to ``found.end``; a heading over columns is repeated in each."""
    heads: list[tuple[list[str], bool]] = []
    for index in range(found.start, found.body):
        full = index + 1 < found.body and len(row_parts(rows[index + 1])) >= len(found.columns) - 1
        heads.append(_heading(rows[index], found.columns, across, full))
    body_rows = list(rows[found.body : found.end])
    body = _joined([_body(row, found.columns) for row in body_rows], body_rows)
    header = _headings(heads)
    cells = [*header, *body]
    kept = [column for column in range(len(found.columns)) if any(row[column] for row in cells)]
    return Cells(rows=[[row[column] for column in kept] for row in cells], header_rows=len(header))


def _column(part: Part, columns: Sequence[Span]) -> int:
    """The column that a part stands in most, else the nearest."""
    shared = [min(part.x1, x1) - max(part.x0, x0) for x0, x1 in columns]
    return max(range(len(columns)), key=lambda index: (shared[index], -index))


def _body(row: Row, columns: Sequence[Span]) -> list[str]:
    cells = [""] * len(columns)
    parts = row_parts(row)
    for part in parts:
        at = _column(part, columns)
        if part is parts[0] and part.x0 < columns[0][1]:
            at = 0
        elif is_value(part.text) and part.x1 > columns[0][1]:
            at = max(range(len(columns)), key=lambda index: _value_fit(part, columns[index]))
        cells[at] = f"{cells[at]} {part.text}".strip()
    return cells


def _value_fit(part: Part, span: Span) -> float:
    """Figures stand at the right edge of their column."""
    shared = min(part.x1, span[1]) - max(part.x0, span[0])
    return shared - 0.1 * abs(part.x1 - span[1])


def _heading(
    row: Row, columns: Sequence[Span], across: Sequence[Bounds], full_below: bool
) -> tuple[list[str], bool]:
    """The cells of a heading row, and whether one of them spans columns.

    A lone heading wider than its column stands for all, where the row below names each column.
    """
    cells = [""] * len(columns)
    parts = row_parts(row)
    data = [part for part in parts if _column(part, columns) > 0]
    spans = False
    if full_below and len(parts) == len(data) == 1 and len(columns) > 2:
        own = columns[_column(data[0], columns)]
        centre, x0, x1 = (data[0].x0 + data[0].x1) / 2, columns[1][0], columns[-1][1]
        central = abs(centre - (x0 + x1) / 2) < abs(centre - sum(own) / 2) + 0.12 * (x1 - x0)
        if central and data[0].x1 - data[0].x0 > own[1] - own[0]:
            return [*cells[:1], *[data[0].text] * (len(columns) - 1)], True
    for part in parts:
        covered = _covered(part, row, columns, across, data)
        spans |= len(covered) > 1
        for at in covered:
            cells[at] = f"{cells[at]} {part.text}".strip()
    return cells, spans


def _covered(
    part: Part, row: Row, columns: Sequence[Span], across: Sequence[Bounds], data: Sequence[Part]
) -> list[int]:
    """The columns under a heading: by the rule below it, by its width, by even shares of the columns."""
    own = _column(part, columns)
    if own == 0:
        return [0]
    centre = (part.x0 + part.x1) / 2
    bottom = min(line.bottom for line in row)
    below = [
        rule
        for rule in across
        if bottom - RULE_BELOW <= rule[1] <= bottom + 2
        and rule[0] - 2 <= centre <= rule[2] + 2
        and rule[0] > columns[0][0] + 10
        and not any(rule[0] <= (other.x0 + other.x1) / 2 <= rule[2] for other in data if other is not part)
    ]
    for x0, _, x1, _ in below:
        under = [i for i, (c0, c1) in enumerate(columns) if i and x0 - 2 <= (c0 + c1) / 2 <= x1 + 2]
        if under:
            return under
    wide = [i for i, (c0, c1) in enumerate(columns) if i and min(part.x1, c1) - max(part.x0, c0) > 1]
    share, rest = divmod(len(columns) - 1, max(len(data), 1))
    if share > 1 and rest == 0 and part in data and not is_value(part.text):
        first = 1 + data.index(part) * share
        group = list(range(first, first + share))
        middle = (columns[group[0]][0] + columns[group[-1]][1]) / 2
        off = abs(centre - sum(columns[own]) / 2)
        if abs(centre - middle) < off and set(wide) <= set(group):
            return group
    return wide or [own]


def _headings(rows: Sequence[tuple[list[str], bool]]) -> list[list[str]]:
    """Heading rows, the lines of a wrapped one joined; a row with a spanning heading stays by itself."""
    result: list[tuple[list[str], bool]] = []
    for cells, spans in rows:
        if result and not spans and not result[-1][1]:
            last = result[-1][0]
            result[-1] = ([join_lines([a, b]) for a, b in zip(last, cells, strict=True)], False)
        else:
            result.append((list(cells), spans))
    return [cells for cells, _ in result]


def _joined(cells: list[list[str]], rows: Sequence[Row]) -> list[list[str]]:
    """Body rows with wrapped ones joined: a label without figures close above or below its figures."""
    if not cells:
        return []
    usual = steps([row for row, line in zip(rows, cells, strict=True) if any(line[1:])])
    result = [list(cells[0])]
    for (above, below), line in zip(pairwise(rows), cells[1:], strict=True):
        step = above[0].middle - below[0].middle
        size = max(below[0].size, 4.0)
        tight = step < max(usual * TIGHT, size * 0.9) and step < size * 1.6
        last = result[-1]
        if tight and above[0].bold == below[0].bold and _continues(last, line):
            result[-1] = [join_lines([a, b]) for a, b in zip(last, line, strict=True)]
        else:
            result.append(list(line))
    return result


def _continues(above: Sequence[str], below: Sequence[str]) -> bool:
    """Whether two rows that stand close are one: only one of them has figures, or none has."""
    figures_above = any(is_value(cell) for cell in above[1:] if cell)
    figures_below = any(is_value(cell) for cell in below[1:] if cell)
    if figures_above and figures_below:
        return False
    if figures_below:
        wrapped = any(len(cell) > LONG_LABEL for cell in above)
        beside = not any(a and b for a, b in zip(above, below, strict=True))
        return (not above[0] and (wrapped or beside)) or (
            not any(above[1:]) and not above[0].endswith((":", "："))
        )
    if figures_above:
        return not below[0] or below[0][0].islower() or not above[0] or below[0][0] in "(（"
    if not any(above[1:]) and not any(below[1:]):
        return below[0][:1].islower() or len(above[0]) > LONG_LABEL
    return not below[0]
