"""CSV and TSV: the delimiter that gives the most even rows, then tables as on any sheet."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

from appliance.documents.charset import decode_text
from appliance.documents.detect import Format
from appliance.documents.outline import About, Outline
from appliance.documents.sheet_tables import SheetReader
from appliance.domain import ParsedDocument
from appliance.errors import RefusedFileError

_DELIMITERS = (",", "\t", ";", "|")
_SAMPLE_LINES = 60
MAX_CELLS = 8_000_000
MAX_COLUMNS = 16_384


def parse_delimited(data: bytes, name: str) -> ParsedDocument:
    """The rows of a delimited text as tables. Raises RefusedFileError (binary, encoding, too wide)."""
    text = decode_text(data, name)
    delimiter = sniff_delimiter(text, name)
    grid = _rows(text, delimiter, name)
    outline = Outline()
    reader = SheetReader(outline, "the table")
    reader.read(grid)
    return outline.document(
        About(
            name=name,
            format=Format.CSV,
            title=Path(name).stem,
            title_from="file name",
            warnings=[*_doubts(grid), *reader.warnings],
        )
    )


def sniff_delimiter(text: str, name: str) -> str:
    """The delimiter under which most rows of the beginning have one width, above 1; the suffix's else."""
    lines = text.split("\n", _SAMPLE_LINES)[:_SAMPLE_LINES]
    best, best_evenness = "\t" if name.lower().endswith((".tsv", ".tab")) else ",", 0.0
    for delimiter in _DELIMITERS:
        try:
            widths = [len(row) for row in csv.reader(lines, delimiter=delimiter) if any(row)]
        except csv.Error:
            continue
        width, count = Counter(widths).most_common(1)[0] if widths else (0, 0)
        evenness = count / len(widths) if width > 1 else 0.0
        if evenness > best_evenness + 0.05:
            best, best_evenness = delimiter, evenness
    return best


def _rows(text: str, delimiter: str, name: str) -> list[list[str]]:
    csv.field_size_limit(16 << 20)
    rows: list[list[str]] = []
    cells = 0
    try:
        for row in csv.reader(text.splitlines(keepends=True), delimiter=delimiter):
            rows.append([cell.strip() for cell in row])
            cells += len(row)
            if cells > MAX_CELLS or len(row) > MAX_COLUMNS:
                raise RefusedFileError(f"{name} has more than {MAX_CELLS:,} cells", hint="split it")
    except csv.Error as error:
        raise RefusedFileError(
            f"{name} cannot be read as a table: line {len(rows) + 1}, {error}", hint="check its quotes"
        ) from error
    width = max(map(len, rows), default=0)
    if width * len(rows) > MAX_CELLS * 2:
        raise RefusedFileError(f"{name} has rows of {width} columns", hint="check its delimiters and quotes")
    return [row + [""] * (width - len(row)) for row in rows]


def _doubts(grid: list[list[str]]) -> list[str]:
    bare = sum(len(row) == 1 for row in grid)
    return ["no delimiter was found: the lines stand as text"] if grid and bare == len(grid) else []
