"""Two versions of a table: rows that came, went or changed, cell by cell.

Arrives: table blocks, with cells where the parser gave them, else Markdown rows. Leaves: changes by row.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from appliance.documents.inline import plain, similarity
from appliance.documents.tables import split_table
from appliance.domain import Block, Struct

SAME_ROW_SIMILARITY = 0.5
SAME_TABLE_SIMILARITY = 0.4
_CELL = re.compile(r"(?<!\\)\|")


class CellChange(Struct, frozen=True, kw_only=True):
    """One cell, by the name of its column."""

    column: str
    old: str
    new: str


class RowChange(Struct, frozen=True, kw_only=True):
    """One row: ``added``, ``removed`` or ``changed``."""

    change: str
    row: str
    """Its first cell."""
    cells: tuple[CellChange, ...]


class TableChange(Struct, frozen=True, kw_only=True):
    """One table: ``added``, ``removed`` or ``changed``."""

    change: str
    caption: str = ""
    columns_added: tuple[str, ...] = ()
    columns_removed: tuple[str, ...] = ()
    rows: tuple[RowChange, ...] = ()


class _Grid(Struct, frozen=True, kw_only=True):
    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    text: str

    def named(self, row: Sequence[str]) -> dict[str, str]:
        """Cells by column; columns without a name, or with one that another has, by their number."""
        names = self.names()
        return {names[at]: cell for at, cell in enumerate(row[: len(names)])}

    def names(self) -> list[str]:
        width = max((len(row) for row in (self.header, *self.rows)), default=0)
        given = [plain(name) for name in self.header] + [""] * width
        return [
            name if name and given.count(name) == 1 else f"column {at + 1}"
            for at, name in enumerate(given[:width])
        ]


def table_changes(old: Sequence[Block], new: Sequence[Block]) -> list[TableChange]:
    """What differs between the tables of one section, in the order of the new side, removed ones last."""
    left, right = [_grid(block) for block in old], [_grid(block) for block in new]
    partner = _partners(left, right)
    changes: list[TableChange] = []
    for at, grid in enumerate(right):
        if at not in partner:
            changes.append(TableChange(change="added", caption=grid.caption, rows=_all(grid, "added")))
        elif found := _changed(left[partner[at]], grid):
            changes.append(found)
    gone = [grid for at, grid in enumerate(left) if at not in partner.values()]
    return changes + [
        TableChange(change="removed", caption=grid.caption, rows=_all(grid, "removed")) for grid in gone
    ]


def _partners(old: list[_Grid], new: list[_Grid]) -> dict[int, int]:
    """New position → old position, the most alike first; one table on each side is the same table."""
    if len(old) == len(new) == 1:
        return {0: 0}
    scored = sorted(
        (-_likeness(before, after), abs(b - a), a, b)
        for b, before in enumerate(old)
        for a, after in enumerate(new)
    )
    partner: dict[int, int] = {}
    for score, _, a, b in scored:
        if -score >= SAME_TABLE_SIMILARITY and a not in partner and b not in partner.values():
            partner[a] = b
    return partner


def _likeness(old: _Grid, new: _Grid) -> float:
    if old.text == new.text:
        return 3.0
    caption = bool(old.caption) and plain(old.caption) == plain(new.caption)
    header = set(old.names()) & set(new.names())
    keys = {_key(row) for row in old.rows} & {_key(row) for row in new.rows}
    return (
        caption
        + 0.5 * len(header) / max(len(old.names()), len(new.names()), 1)
        + 0.5 * len(keys) / max(len(old.rows), len(new.rows), 1)
    )


def _changed(old: _Grid, new: _Grid) -> TableChange | None:
    before, after = old.names(), new.names()
    rows = _rows(old, new)
    added = tuple(name for name in after if name not in before)
    removed = tuple(name for name in before if name not in after)
    if not (rows or added or removed):
        return None
    return TableChange(
        change="changed", caption=new.caption, columns_added=added, columns_removed=removed, rows=tuple(rows)
    )


def _rows(old: _Grid, new: _Grid) -> list[RowChange]:
    left, right = list(old.rows), list(new.rows)
    for row in list(right):
        same = next((other for other in left if _plain(other) == _plain(row)), None)
        if same is not None:
            left.remove(same)
            right.remove(row)
    changes: list[RowChange] = []
    for row in right:
        partner = _row_partner(row, left, right)
        if partner is None:
            changes.append(_whole(new, row, "added"))
            continue
        left.remove(partner)
        if cells := _cells(old.named(partner), new.named(row)):
            changes.append(RowChange(change="changed", row=row[0] if row else "", cells=cells))
    return changes + [_whole(old, row, "removed") for row in left]


def _row_partner(
    row: tuple[str, ...], old: list[tuple[str, ...]], new: list[tuple[str, ...]]
) -> tuple[str, ...] | None:
    """The old row that has the same first cell, where that names one row only; else the most alike."""
    keyed = [other for other in old if _key(other) == _key(row)]
    if len(keyed) == 1 and sum(_key(other) == _key(row) for other in new) == 1 and _key(row):
        return keyed[0]
    scored = [(similarity(" ".join(other), " ".join(row)), other) for other in keyed or old]
    best = max(scored, key=lambda each: each[0], default=(0.0, row))
    return best[1] if best[0] >= SAME_ROW_SIMILARITY else None


def _cells(old: dict[str, str], new: dict[str, str]) -> tuple[CellChange, ...]:
    """Cells that differ in columns that both tables have: a new column is told once, not by row."""
    return tuple(
        CellChange(column=name, old=old[name], new=new[name])
        for name in new
        if name in old and plain(old[name]) != plain(new[name])
    )


def _all(grid: _Grid, change: str) -> tuple[RowChange, ...]:
    return tuple(_whole(grid, row, change) for row in grid.rows)


def _whole(grid: _Grid, row: tuple[str, ...], change: str) -> RowChange:
    old, new = (1, 0) if change == "removed" else (0, 1)
    return RowChange(
        change=change,
        row=row[0] if row else "",
        cells=tuple(
            CellChange(column=name, old=cell * old, new=cell * new) for name, cell in grid.named(row).items()
        ),
    )


def _key(row: Sequence[str]) -> str:
    return plain(row[0]).casefold() if row else ""


def _plain(row: Sequence[str]) -> tuple[str, ...]:
    return tuple(plain(cell) for cell in row)


def _grid(block: Block) -> _Grid:
    if block.table is not None:
        head = block.table.header_rows
        header = block.table.rows[head - 1] if head else ()
        rows = block.table.rows[head:]
        caption = block.table.caption
    else:
        first, lines = split_table(block.text)
        header = _split(first.split("\n")[0]) if first else ()
        rows, caption = tuple(_split(line) for line in lines), ""
    return _Grid(caption=caption, header=header, rows=rows, text=plain(block.text))


def _split(line: str) -> tuple[str, ...]:
    cells = _CELL.split(line.strip().removeprefix("|").removesuffix("|"))
    return tuple(cell.strip().replace("\\|", "|") for cell in cells)
