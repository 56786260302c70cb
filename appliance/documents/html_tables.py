# pyright: basic
"""HTML tables: cells with their spans spread out; tables that only lay a page out told apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lxml.html import HtmlElement

from appliance.documents.table_headers import (
    header_column_count,
    header_row_count,
    tidy_rows,
    unit_of,
    without_title,
)
from appliance.domain import Table

MAX_SPAN = 100
MAX_CELLS = 200_000
_Open = dict[int, tuple[int, str]]
"""Column → (rows that the cell still covers, its text)."""


def is_layout(table: HtmlElement) -> bool:
    """Whether a table only arranges a page: one column, one cell, or other tables inside."""
    if (table.get("role") or "") in ("presentation", "none") or table.find(".//table") is not None:
        return True
    rows = table.xpath(".//tr")
    return max((len(row.xpath("./td|./th")) for row in rows), default=0) < 2


def table_rows(table: HtmlElement, words: Callable[[HtmlElement], str]) -> list[list[str]]:
    """The rows of a table; a cell over several rows or columns is repeated in each."""
    rows: list[list[str]] = []
    open_cells: _Open = {}
    cells = 0
    for row in table.xpath(".//tr"):
        line: list[str] = []
        pending, open_cells = open_cells, {}
        for cell in row.xpath("./td|./th"):
            _carry(line, pending, open_cells)
            text = words(cell)
            down = _span(cell, "rowspan")
            for _ in range(_span(cell, "colspan")):
                if down > 1:
                    open_cells[len(line)] = (down - 1, text)
                line.append(text)
        _carry(line, pending, open_cells)
        rows.append(line)
        cells += len(line)
        if cells > MAX_CELLS:
            break
    return rows


def read_table(
    table: Any, words: Callable[[Any], str], *, caption: str = "", notes: tuple[str, ...] = ()
) -> Table:
    """The table as the domain has it; header rows from ``thead`` and ``th`` where they are used."""
    marked = _marked_header(table)
    cells = table_rows(table, words)
    above = tidy_rows(cells[:marked])
    title, rows = without_title(tidy_rows(cells))
    caption = caption or title
    header = len(above) - bool(title) if above else 0
    header = header if header > 0 else header_row_count(rows)
    unit = unit_of(caption) or (unit_of(rows[0][0]) if rows else "")
    return Table(
        rows=rows, header_rows=header, header_columns=header_column_count(rows), caption=caption, unit=unit,
        notes=notes,
    )  # fmt: skip


def _marked_header(table: Any) -> int:
    """How many rows at the top stand in ``thead`` or hold nothing but ``th``."""
    count = 0
    for row in table.xpath(".//tr"):
        parent = row.getparent()
        cells = row.xpath("./td|./th")
        if parent.tag != "thead" and not (cells and all(cell.tag == "th" for cell in cells)):
            break
        count += 1
    return count


def _carry(line: list[str], pending: _Open, open_cells: _Open) -> None:
    """Put the cells that reach down from the row above where the line stands."""
    while len(line) in pending:
        left, text = pending.pop(len(line))
        if left > 1:
            open_cells[len(line)] = (left - 1, text)
        line.append(text)


def _span(cell: HtmlElement, name: str) -> int:
    value = (cell.get(name) or "1").strip()
    return min(max(int(value), 1), MAX_SPAN) if value.isascii() and value.isdigit() and len(value) < 6 else 1
