# pyright: basic
"""Workbooks (XLSX, XLSM, XLSB, XLS, ODS): a section per sheet, its tables as cells, numbers as shown.

calamine reads the values, those of formulas as last computed; :mod:`sheet_look` says how they are shown.
"""

from __future__ import annotations

import datetime
import zipfile
from pathlib import Path
from typing import Any

from appliance.documents.authors import split_names
from appliance.documents.charset import clean_text
from appliance.documents.detect import Format
from appliance.documents.number_formats import shown_number
from appliance.documents.outline import About, Outline
from appliance.documents.package_properties import Properties, package_properties
from appliance.documents.sheet_look import SheetLook, ods_looks, xlsx_looks
from appliance.documents.sheet_tables import SheetReader
from appliance.documents.zip_guard import ZIP_ERRORS, damaged, guard_archive
from appliance.domain import ParsedDocument
from appliance.errors import RefusedFileError

MAX_SHEET_CELLS = 8_000_000
"""Cells of a sheet's rectangle, empty ones counted: calamine and we hold them all."""
MAX_ROWS, MAX_COLUMNS = 1_048_576, 16_384
_WHAT = "a spreadsheet"


def parse_spreadsheet(path: Path, name: str, kind: Format, max_sheets: int) -> ParsedDocument:
    """The sheets of a workbook. Raises RefusedFileError (damaged, password, too many sheets, no text)."""
    looks, properties, warnings = _package(path, name, kind)
    workbook = _opened(path, name)
    sheets = [sheet for sheet in workbook.sheets_metadata if str(sheet.typ).endswith("WorkSheet")]
    if len(sheets) > max_sheets:
        raise RefusedFileError(f"{name} has {len(sheets)} sheets", hint="split it or raise ingest.max_pages")
    outline = Outline()
    for number, sheet in enumerate(sheets, 1):
        look = looks.get(sheet.name, SheetLook())
        where = f"sheet {sheet.name!r}"
        warnings += _doubts(sheet, look, where)
        grid = _grid(workbook, sheet.name, look, where, warnings)
        if grid:
            outline.heading(1, clean_text(sheet.name))
            reader = SheetReader(outline, where, number)
            reader.read(grid)
            warnings += reader.warnings
    return outline.document(
        About(
            name=name,
            format=kind,
            title=properties.title or Path(name).stem,
            title_from="metadata" if properties.title else "file name",
            filed_dates=properties.dates,
            authors=split_names(properties.author),
            authors_from="metadata" if properties.author else "",
            meta={"author": properties.author} if properties.author else {},
            pages=len(sheets),
            warnings=warnings,
        )
    )


def _package(path: Path, name: str, kind: Format) -> tuple[dict[str, SheetLook], Properties, list[str]]:
    from lxml.etree import LxmlError

    if kind is Format.XLS:
        return {}, Properties(), ["number formats of .xls are not read: 7.5% stands as 0.075"]
    guard_archive(path, name, _WHAT)
    try:
        with zipfile.ZipFile(path) as archive:
            properties = package_properties(archive)
            looks = ods_looks(archive) if kind is Format.ODS else xlsx_looks(archive)
    except (*ZIP_ERRORS, OSError, LxmlError) as error:
        raise damaged(name, _WHAT) from error
    for sheet, look in looks.items():
        if (look.last_row + 1) * (look.last_column + 1) > MAX_SHEET_CELLS or look.last_row >= MAX_ROWS:
            raise RefusedFileError(
                f"{name} has a sheet of {look.last_row + 1} rows × {look.last_column + 1} columns"
                f" ({sheet[:40]!r})",
                hint="remove stray cells far from the data, or split the sheet",
            )
    return looks, properties, []


def _opened(path: Path, name: str) -> Any:
    import python_calamine

    try:
        return python_calamine.CalamineWorkbook.from_path(str(path))
    except python_calamine.PasswordError as error:
        raise RefusedFileError(
            f"{name} is protected by a password", hint="save a copy without the password"
        ) from error
    except (python_calamine.CalamineError, OSError, ValueError) as error:
        raise damaged(name, _WHAT) from error


def _doubts(sheet: Any, look: SheetLook, where: str) -> list[str]:
    found: list[str] = []
    if not str(sheet.visible).endswith(".Visible"):
        found.append(f"{where} is hidden in the file and was read all the same")
    if look.unsaved_formulas:
        found.append(f"{where}: {look.unsaved_formulas} formulas were never computed and are empty")
    return found


def _grid(workbook: Any, sheet: str, look: SheetLook, where: str, warnings: list[str]) -> list[list[str]]:
    """The texts of a sheet from its first cell on, merged cells repeated."""
    import python_calamine

    try:
        found = workbook.get_sheet_by_name(sheet)
        if found.total_height * found.total_width > MAX_SHEET_CELLS:
            warnings.append(f"{where} was not read: {found.total_height} rows × {found.total_width} columns")
            return []
        values = found.to_python(skip_empty_area=False)
        merges = [*(found.merged_cell_ranges or []), *look.merges]
    except (python_calamine.CalamineError, ValueError, OverflowError) as error:
        warnings.append(f"{where} was not read: {' '.join(str(error).split())[:120]}")
        return []
    grid = [
        [_shown(value, look, row, column) for column, value in enumerate(line)]
        for row, line in enumerate(values)
    ]
    for (top, left), (bottom, right) in merges:
        if top < len(grid) and left < len(grid[top]) and grid[top][left]:
            for line in grid[top : bottom + 1]:
                line[left : right + 1] = [grid[top][left]] * len(line[left : right + 1])
    return grid if any(any(line) for line in grid) else []


def _shown(value: object, look: SheetLook, row: int, column: int) -> str:
    if value == "" or value is None:
        return look.shown.get((row, column), "")
    if isinstance(value, str):
        return clean_text(value).strip()
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return look.shown.get((row, column)) or shown_number(
            float(value), look.formats.get((row, column), "")
        )
    if isinstance(value, datetime.datetime):
        midnight = value.time() == datetime.time()
        return value.date().isoformat() if midnight else value.isoformat(" ", "seconds").removesuffix(":00")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, datetime.time):
        return value.isoformat("seconds").removesuffix(":00")
    if isinstance(value, datetime.timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02d}" + (f":{seconds:02d}" if seconds else "")
    return clean_text(str(value))
