"""A table block to lines of figures: which row and column words, which period, which scale each has.

Arrives: Markdown (or rows of cells) and the words around the table. Leaves: figures with their labels.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from appliance.domain import Struct
from appliance.reasoning.tools.cells import Cell, read_cell
from appliance.reasoning.tools.periods import Period, periods
from appliance.reasoning.tools.scales import caption_scale
from appliance.reasoning.tools.units import PREFIX, is_currency, unit_named

ROWS_MAX, COLUMNS_MAX = 400, 60
_RULE = re.compile(r"^\|(?:\s*:?-+:?\s*\|)+$")
_SPLIT = re.compile(r"(?<!\\)\|")
_MONEY = re.compile(rf"(?<![A-Za-z])({PREFIX}|美元|港元|欧元|人民币)")
_CHANGE = re.compile(
    r"\b(?:change|changes|variance|variation|increase|vs\.?|versus|over)\b|%|变动|增减|同比", re.I
)
_UNSCALED = re.compile(
    r"\bper (?:\w+ )?(?:share|unit|ADS|employee)|\bEPS\b|\b(?:rate|percent\w*|ratio|yield|volatility|life|"
    r"expectancy)\b|每股|率|比例|占比",
    re.I,
)
"""Rows that a caption's scale does not speak of."""
_PERCENT = re.compile(r"(?:^|[(\s])%|\bpercent(?:age)?s?\b|百分比|占比|（%）", re.I)


class Figure(Struct, frozen=True, kw_only=True):
    """One cell with a figure and what stands around it."""

    row: int
    column: int
    cell: Cell
    row_label: str
    section: str
    """Heading rows above, innermost last."""
    column_label: str


class Grid(Struct, frozen=True, kw_only=True):
    """A table read."""

    figures: tuple[Figure, ...]
    column_periods: dict[int, tuple[Period, ...]]
    row_periods: dict[int, tuple[Period, ...]]
    derived: frozenset[int]
    """Columns that the table itself computed (``Change``, ``% CHANGE``, ``2019 vs 2018``)."""
    scale: str = ""


def rows_of(text: str) -> list[list[str]]:
    """Return the cells of the first Markdown table of ``text``, its rule left out; [] without one."""
    rows: list[list[str]] = []
    for line in text.split("\n"):
        line = line.strip()
        if line.startswith("|") and line.endswith("|") and len(line) > 1:
            if not _RULE.match(line):
                rows.append([cell.replace("\\|", "|").strip() for cell in _SPLIT.split(line[1:-1])])
        elif rows:
            break
    return [row[:COLUMNS_MAX] for row in rows[:ROWS_MAX]]


def read_grid(rows: Sequence[Sequence[str]], around: str = "") -> Grid:
    """Return the figures of a table; ``around`` is its caption and the words before it."""
    width = max(map(len, rows), default=0)
    table = [[*row, *[""] * (width - len(row))] for row in rows]
    top = _header_rows(table)
    labels = [_column_label(table[:top], column) for column in range(width)]
    corner = " ".join(row[0] for row in table[:top])
    scale = caption_scale(corner) or caption_scale(" ".join(dict.fromkeys(labels))) or caption_scale(around)
    unit = _unit(corner) or _unit(around)
    figures, row_labels = _figures(table, top, labels, (scale, unit))
    return Grid(
        figures=tuple(figures),
        column_periods={column: tuple(periods(labels[column])) for column in range(1, width)},
        row_periods={row: tuple(periods(label)) for row, label in row_labels.items()},
        derived=frozenset(c for c in range(1, width) if _is_derived(labels[c])),
        scale=scale,
    )


def _is_derived(label: str) -> bool:
    return bool(_CHANGE.search(label)) and (
        len(periods(label)) != 1 or bool(re.search("chang|vari|%", label, re.I))
    )


def _unit(text: str) -> str:
    """The currency that a caption names."""
    found = _MONEY.search(text)
    name = unit_named(found[1]) if found else ""
    return name if is_currency(name) else ""


def _header_rows(table: list[list[str]]) -> int:
    """How many rows on top hold names, periods and units rather than figures."""
    for number, row in enumerate(table):
        cells = [cell for cell in row[1:] if cell]
        figures = [cell for cell in cells if not _is_heading(cell)]
        if figures:
            return max(number, 0)
        if row[0] and not cells and number and any(any(above[1:]) for above in table[:number]):
            return number
    return len(table)


def _is_heading(cell: str) -> bool:
    return read_cell(cell) is None or bool(
        re.fullmatch(r"(?:FY)?\s?(?:19|20)\d{2}\s?(?:年度?)?(?:\s?\(?\d?\)?)", cell)
    )


def _column_label(header: list[list[str]], column: int) -> str:
    """The names over a column; a name spans the empty cells to its right, but for the lowest row."""
    parts: list[str] = []
    for number, row in enumerate(header):
        at = column
        if number < len(header) - 1:
            while at > 1 and not row[at]:
                at -= 1
            if at == 0 or (at == 1 and not row[1]):
                at = column
        parts.append(row[at])
    return " ".join(dict.fromkeys(part for part in parts if part))


def _figures(
    table: list[list[str]], top: int, labels: list[str], caption: tuple[str, str]
) -> tuple[list[Figure], dict[int, str]]:
    figures: list[Figure] = []
    row_labels: dict[int, str] = {}
    section = ""
    scale, unit = caption
    for number, row in enumerate(table[top:], start=top):
        if row[0] and not any(row[1:]):
            section = row[0]
            continue
        row_labels[number] = row[0]
        bare = bool(_UNSCALED.search(f"{section} {row[0]}"))
        here = caption_scale(row[0]) or scale
        for column in range(1, len(row)):
            own = "" if bare else caption_scale(labels[column]) or here
            percent = "percent" if _PERCENT.search(f"{row[0]} {labels[column]}") else ""
            cell = read_cell(row[column], scale="" if percent else own, unit=percent or unit)
            if cell is not None:
                figures.append(
                    Figure(
                        row=number, column=column, cell=cell, row_label=row[0], section=section,
                        column_label=labels[column],
                    )
                )  # fmt: skip
    return figures, row_labels
