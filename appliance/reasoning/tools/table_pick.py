"""The cells that a calculation needs, picked from a table by the words and periods of its labels.

Arrives: a derivation and a table read. Leaves: figures in the derivation's order, or None where two lines
name the metric equally well, a period is missing or stands twice, or percentages meet amounts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from appliance.reasoning.tools.derivation import Derivation
from appliance.reasoning.tools.grid import Figure, Grid
from appliance.reasoning.tools.match_labels import closeness, words
from appliance.reasoning.tools.periods import Period, periods

COVERED_MIN = 0.75
_WHEN = re.compile(r"\b(?:as (?:at|of)|at|on|for)\b.*")
_MARGIN = 0.05


def operands_from_table(derivation: Derivation, grid: Grid) -> tuple[Figure, ...] | None:
    """Return the cells that a derivation needs, in its order, or None when in doubt."""
    if len(derivation.metrics) == 1:
        return _of_one_metric(derivation, grid)
    picked: list[Figure] = []
    for name in derivation.metrics:
        figure = _cell(name, derivation.periods[0] if derivation.periods else None, grid)
        if figure is None:
            return None
        picked.append(figure)
    return tuple(picked) if _one_kind(picked) and len(set(picked)) == len(picked) else None


def _one_kind(figures: Sequence[Figure]) -> bool:
    """Whether all are percentages or none is, all in one scale: no sum of what a table shows apart."""
    kinds = {(figure.cell.value.unit == "percent", figure.cell.value.scale) for figure in figures}
    return len(kinds) == 1


def _of_one_metric(derivation: Derivation, grid: Grid) -> tuple[Figure, ...] | None:
    """One metric over periods: from a row whose columns are periods, or from a column whose rows are."""
    found: list[tuple[Figure, ...]] = []
    for by_row in (True, False):
        for line in _lines(derivation.metrics[0], grid, by_row=by_row):
            cells = _over_periods(line, derivation, grid, by_row=by_row)
            if cells is not None and _one_kind(cells):
                found.append(cells)
        if found:
            break
    values = {tuple(figure.cell.value.number for figure in cells) for cells in found}
    return found[0] if len(values) == 1 else None


def _lines(name: str, grid: Grid, *, by_row: bool) -> list[list[Figure]]:
    """The rows (columns) that name a metric best: one, or several that do so equally well."""
    wanted = words(name)
    lines: dict[tuple[int, str], list[Figure]] = {}
    for figure in grid.figures:
        if by_row:
            # columns under different names (not periods) are different lines of one row
            other = "" if grid.column_periods[figure.column] else figure.column_label
            lines.setdefault((figure.row, other), []).append(figure)
        else:
            lines.setdefault((figure.column, ""), []).append(figure)
    scored = [(_score(wanted, line[0], by_row=by_row), line) for line in lines.values()]
    best = max((score for score, _ in scored), default=0.0)
    if not best and by_row and "total" in wanted:  # a row called no more than ``Total`` sums what is asked
        totals = [line for line in lines.values() if _is_total(line[0].row_label)]
        return totals if len({line[0].row for line in totals}) == 1 else []
    return [line for score, line in scored if score and score >= best - _MARGIN]


def _is_total(label: str) -> bool:
    return words(_WHEN.sub("", label)) in (frozenset({"total"}), frozenset({"合计"}), frozenset({"总计"}))


def _score(wanted: frozenset[str], figure: Figure, *, by_row: bool) -> float:
    """How well the labels of a line name the metric; 0 where too many of its words are missing."""
    label, other = words(figure.row_label), words(figure.column_label)
    if not by_row:
        label = other
    around = words(figure.section) | other if by_row else other
    covered, exact = closeness(wanted, label, around)
    if covered < COVERED_MIN or not (wanted & label):
        return 0.0
    inside = len(wanted & label) / len(wanted)
    return covered * 2 + exact + inside * 0.5


def _over_periods(
    line: list[Figure], derivation: Derivation, grid: Grid, *, by_row: bool
) -> tuple[Figure, ...] | None:
    """The cells of a line for the derivation's periods; None where one is missing or stands twice."""
    usable = [figure for figure in line if figure.column not in grid.derived]
    when = derivation.periods
    if not when and derivation.every_period:
        parts = [figure for figure in usable if by_row or not _is_total(figure.row_label)]
        parts = [figure for figure in parts if not _is_total(figure.column_label)]
        return tuple(parts) if 1 < len(parts) <= 12 else None
    if not when:
        return _two_in_order(usable, grid) if len(usable) == 2 and by_row else None
    cells: list[Figure] = []
    for period in when:
        fits = [figure for figure in usable if _fits(period, figure, grid, by_row=by_row)]
        if len({figure.cell.value.number for figure in fits}) != 1:
            return None
        cells.append(fits[0])
    return tuple(cells) if len(cells) > 1 else None


def _two_in_order(usable: list[Figure], grid: Grid) -> tuple[Figure, ...] | None:
    """Two columns of one period each, the earlier first."""
    dated = [(grid.column_periods[figure.column], figure) for figure in usable]
    if any(len(when) != 1 for when, _ in dated):
        return None
    dated.sort(key=lambda one: (one[0][0].year, one[0][0].part))
    return tuple(figure for _, figure in dated)


def _fits(period: Period, figure: Figure, grid: Grid, *, by_row: bool) -> bool:
    """Whether a cell is of a period: by its column (row), else by the heading above it."""
    own = grid.column_periods[figure.column] if by_row else grid.row_periods[figure.row]
    own = own or tuple(periods(figure.section))
    return any(period.fits(one) for one in own)


def _cell(name: str, period: Period | None, grid: Grid) -> Figure | None:
    """The one cell that a metric and a period name; None when two different ones do so equally well."""
    wanted = words(name)
    best: list[tuple[float, Figure]] = []
    for figure in grid.figures:
        if figure.column in grid.derived or not _of_period(period, figure, grid):
            continue
        score = max(_score(wanted, figure, by_row=True), _score(wanted, figure, by_row=False) - 0.2)
        if score > 0:
            best.append((score, figure))
    top = max((score for score, _ in best), default=0.0)
    chosen = [figure for score, figure in best if score >= top - _MARGIN]
    if not period and len({figure.row for figure in chosen}) == 1:  # a row of parts: its total is meant
        chosen = [figure for figure in chosen if _is_total(figure.column_label)] or chosen
    same: Sequence[Figure] = chosen[:1] if len({f.cell.value.number for f in chosen}) == 1 else ()
    return same[0] if same else None


def _of_period(period: Period | None, figure: Figure, grid: Grid) -> bool:
    named = (*grid.column_periods[figure.column], *grid.row_periods[figure.row])
    if period is None:
        return True
    return not named or any(period.fits(one) for one in named)
