# pyright: basic
"""What calamine leaves out of a workbook: number formats and extents (XLSX), shown texts and merges (ODS).

Arrives: the package. Leaves: a :class:`SheetLook` per sheet name.
"""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from typing import Any

import msgspec
from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

from appliance.documents.number_formats import BUILT_IN, is_date_format, number_format
from appliance.documents.safe_xml import child, children, descendants, local, parse_xml
from appliance.documents.zip_guard import read_part

_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_O = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_T = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_SHOWN_TYPES = frozenset(("float", "percentage", "currency"))
Merge = tuple[tuple[int, int], tuple[int, int]]
"""First and last (row, column), both from 0 and both inside."""


class SheetLook(msgspec.Struct, kw_only=True):
    """How one sheet shows what it stores; rows and columns count from 0."""

    formats: dict[tuple[int, int], str] = {}
    """Number format of each cell that has one."""
    shown: dict[tuple[int, int], str] = {}
    """Text of cells as the program showed them: errors (XLSX), numbers (ODS)."""
    merges: list[Merge] = []
    last_row: int = -1
    last_column: int = -1
    unsaved_formulas: int = 0
    """Formulas that no program has computed."""


def xlsx_looks(archive: zipfile.ZipFile) -> dict[str, SheetLook]:
    """Looks by sheet name. Raises RefusedFileError, LxmlError and what is in ZIP_ERRORS."""
    codes = _style_codes(read_part(archive, "xl/styles.xml"))
    looks: dict[str, SheetLook] = {}
    for name, part in _sheet_parts(archive):
        if part in archive.namelist():
            with archive.open(part) as file:
                looks[name] = _xlsx_sheet(file, codes)
    return looks


def _sheet_parts(archive: zipfile.ZipFile) -> Iterator[tuple[str, str]]:
    workbook = read_part(archive, "xl/workbook.xml")
    relations = read_part(archive, "xl/_rels/workbook.xml.rels")
    if workbook is None or relations is None:
        return
    targets = {
        relation.get("Id"): relation.get("Target") or ""
        for relation in parse_xml(relations, "workbook.xml.rels")
    }
    for sheet in descendants(parse_xml(workbook, "workbook.xml"), "sheet"):
        target = targets.get(sheet.get(_R + "id"), "")
        yield sheet.get("name") or "", posixpath.normpath(posixpath.join("/xl", target)).lstrip("/")


def _style_codes(data: bytes | None) -> list[str]:
    """The number format of each cell style, "" where it says nothing about numbers."""
    if data is None:
        return []
    root = parse_xml(data, "styles.xml")
    own = {found.get("numFmtId"): found.get("formatCode") or "" for found in descendants(root, "numFmt")}
    codes: list[str] = []
    for style in children(child(root, "cellXfs") if child(root, "cellXfs") is not None else (), "xf"):
        number = style.get("numFmtId") or "0"
        code = own.get(number) or BUILT_IN.get(int(number) if number.isdigit() else 0, "")
        codes.append(code if code and not is_date_format(code) and number_format(code) else "")
    return codes


def _xlsx_sheet(file: Any, codes: list[str]) -> SheetLook:
    look = SheetLook()
    row = column = -1
    for event, element in etree.iterparse(
        file, events=("start", "end"), resolve_entities=False, no_network=True, load_dtd=False
    ):
        name = local(element)
        if event == "start":
            if name == "row":
                row, column = _index(element.get("r"), row + 1), -1
            elif name == "c":
                at = _reference(element.get("r"))
                row, column = at or (row, column + 1)
        elif name == "c":
            _note_cell(look, element, row, column, codes)
        elif name == "row":
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
    return look


def _note_cell(look: SheetLook, element: Any, row: int, column: int, codes: list[str]) -> None:
    value = child(element, "v")
    text = (value.text or "") if value is not None else ""
    filled = bool(text)
    if child(element, "f") is not None and not filled:
        look.unsaved_formulas += 1
    if not filled and child(element, "is") is None:
        return
    look.last_row, look.last_column = max(look.last_row, row), max(look.last_column, column)
    if element.get("t") == "e" and filled:
        look.shown[row, column] = text
    style = element.get("s") or ""
    code = codes[int(style)] if style.isdigit() and int(style) < len(codes) else ""
    if code and element.get("t") in (None, "n"):
        look.formats[row, column] = code


def _index(text: str | None, default: int) -> int:
    return int(text) - 1 if text and text.isascii() and text.isdigit() and len(text) < 9 else default


def _reference(text: str | None) -> tuple[int, int] | None:
    """``B3`` to (2, 1)."""
    letters = (text or "").rstrip("0123456789")
    digits = (text or "")[len(letters) :]
    if not letters.isascii() or not letters.isalpha() or len(letters) > 3 or not digits or len(digits) > 8:
        return None
    column = 0
    for letter in letters.upper():
        column = column * 26 + ord(letter) - 64
    return int(digits) - 1, column - 1


def ods_looks(archive: zipfile.ZipFile) -> dict[str, SheetLook]:
    """Looks by sheet name. Raises RefusedFileError and what is in ZIP_ERRORS."""
    root = parse_xml(read_part(archive, "content.xml") or b"", "content.xml")
    return {table.get(_T + "name") or "": _ods_sheet(table) for table in root.iter(_T + "table")}


def _ods_sheet(table: Any) -> SheetLook:
    look = SheetLook()
    row = 0
    for line in table.iter(_T + "table-row"):
        down, column = _repeat(line, "number-rows-repeated"), 0
        for cell in line.iterchildren(_T + "table-cell", _T + "covered-table-cell"):
            across = _repeat(cell, "number-columns-repeated")
            if len(cell):
                _note_ods_cell(look, cell, (row, column), (row + down - 1, column + across - 1))
            column += across
        row += down
    return look


def _note_ods_cell(look: SheetLook, cell: Any, first: tuple[int, int], last: tuple[int, int]) -> None:
    look.last_row, look.last_column = max(look.last_row, last[0]), max(look.last_column, last[1])
    wide, high = _repeat(cell, "number-columns-spanned"), _repeat(cell, "number-rows-spanned")
    if wide > 1 or high > 1:
        look.merges.append((first, (first[0] + high - 1, first[1] + wide - 1)))
    if (
        cell.get(_O + "value-type") in _SHOWN_TYPES
        and (last[0] - first[0] + 1) * (last[1] - first[1] + 1) <= 10_000
    ):
        text = " ".join("".join(part.itertext()) for part in children(cell, "p")).strip()
        for row in range(first[0], last[0] + 1):
            for column in range(first[1], last[1] + 1):
                look.shown[row, column] = text


def _repeat(element: Any, name: str) -> int:
    value = element.get(_T + name) or "1"
    return max(1, int(value)) if value.isascii() and value.isdigit() and len(value) < 8 else 1
