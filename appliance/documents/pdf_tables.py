# pyright: basic
"""Ruled tables of a PDF through pdfplumber: only on pages where pdfium sees rules both ways."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec
import pypdfium2.raw as raw

from appliance.documents.lines import join_lines
from appliance.documents.pdf_lines import Line
from appliance.documents.tables import markdown_table

MIN_RULES = 3
THIN = 3.0
MAX_AVERAGE_CELL = 150
LAYOUT_SHARE, LAYOUT_CELL = 0.5, 500
"""A box over half the page with such a long cell lays the page out; it is no table."""
MAX_OBJECTS = 20_000
MAX_TABLE_PAGES = 400
"""Past so many pages with rules the rest is read as text: a warning says so."""


class RuledTable(msgspec.Struct, frozen=True, kw_only=True):
    """One table: its Markdown and its box, y growing upwards."""

    text: str
    x0: float
    x1: float
    bottom: float
    top: float

    def holds(self, line: Line) -> bool:
        """Whether a line of text stands inside the table."""
        x = (line.x0 + line.x1) / 2
        return self.x0 - 2 <= x <= self.x1 + 2 and self.bottom - 2 <= line.middle <= self.top + 2


def has_rules(page: Any) -> bool:
    """Whether a page draws at least three rules or boxes in each direction."""
    across = down = 0
    for thing in page.get_objects(filter=(raw.FPDF_PAGEOBJ_PATH,), max_depth=3):
        left, bottom, right, top = thing.get_bounds() if hasattr(thing, "get_bounds") else thing.get_pos()
        width, height = right - left, top - bottom
        if height <= THIN and width > 20:
            across += 1
        elif width <= THIN and height > 6:
            down += 1
        elif width > 20 and height > 6:
            across, down = across + 1, down + 1
        if across >= MIN_RULES and down >= MIN_RULES:
            return True
    return False


class RuledTables:
    """Opens pdfplumber at the first page that needs it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._document: Any = None
        self._pages = 0
        self.warnings: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        if self._document is not None:
            self._document.close()

    def on_page(self, index: int) -> list[RuledTable]:
        """The tables of a page with two rows and two columns or more. A failing page is told in warnings."""
        self._pages += 1
        if self._pages > MAX_TABLE_PAGES:
            if self._pages == MAX_TABLE_PAGES + 1:
                self.warnings.append(f"tables from page {index + 1} on were read as text")
            return []
        try:
            return self._found(index)
        except MemoryError:
            raise
        except Exception as error:  # pdfminer raises what it likes on odd pages; the text is read anyway
            self.warnings.append(f"the tables of page {index + 1} were read as text ({type(error).__name__})")
            return []

    def _found(self, index: int) -> list[RuledTable]:
        if self._document is None:
            import logging

            import pdfplumber

            logging.getLogger("pdfminer").setLevel(logging.ERROR)
            self._document = pdfplumber.open(self._path)
        page = self._document.pages[index]
        tables = [self._table(page, found) for found in page.find_tables()]
        page.close()
        return [table for table in tables if table is not None]

    def _table(self, page: Any, found: Any) -> RuledTable | None:
        rows = [[join_lines((cell or "").split("\n")) for cell in row] for row in found.extract()]
        filled = [row for row in rows if any(row)]
        if len(filled) < 2 or max(sum(bool(cell) for cell in row) for row in filled) < 2:
            return None
        longest = max(len(cell) for row in filled for cell in row)
        average = sum(len(cell) for row in filled for cell in row) / sum(
            bool(cell) for row in filled for cell in row
        )
        x0, top, x1, bottom = found.bbox
        share = (x1 - x0) * (bottom - top) / (page.width * page.height)
        if (average > MAX_AVERAGE_CELL and len(filled) < 4) or (
            share > LAYOUT_SHARE and longest > LAYOUT_CELL
        ):
            return None
        height = page.bbox[3]
        return RuledTable(text=markdown_table(rows), x0=x0, x1=x1, bottom=height - bottom, top=height - top)


def table_line(table: RuledTable, page: int) -> Line:
    """A table as one line, so that layout puts it where it stands."""
    return Line(
        text=table.text,
        page=page,
        x0=table.x0,
        x1=table.x1,
        bottom=table.bottom,
        top=table.top,
        is_table=True,
    )
