"""Which rows of a table name its columns, which of its columns names the rows, and in what unit it speaks.

Arrives: rows of cell texts of any origin. Leaves: the ``header_rows``, ``header_columns`` and ``unit`` of a
domain Table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

Row = Sequence[str]
_NUMBER = re.compile(
    r"""[(（]?\s*[-+−–]?\s*(?:[A-Z]{0,3}[$€£¥￥]|[A-Z]{3}\s)?\s*[-+−–]?\s*
        (?:\d{1,3}(?:[,，' ]\d{3})+|\d+)?(?:[.,]\d+)?(?:[eE][-+]?\d+)?
        \s*(?:%|％|‰|x|×|bps?|pp|k|m|bn|[万亿]?元?|[€£$]|USD|EUR|CNY|RMB|CHF|GBP)?\s*[)）]?\*{0,3}""",
    re.VERBOSE,
)
_YEAR = re.compile(r"(?:FY\s?)?(?:19|20)\d\d(?:\s?[EAFP]|年度?|年末)?")
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?(?:[ T]\d{1,2}:\d\d(?::\d\d)?)?|\d{4}年\d{1,2}月(?:\d{1,2}日)?"
)
_NOTHING = re.compile(r"[-–—−./*\s　]*|n/?a\.?|n\.?m\.?|nil|null|none|无|無", re.I)
_UNIT = re.compile(
    r"(?:unit|单位|單位|金额单位|币种|currency)s?\s*[:：]\s*(?P<named>[^()（）]{1,30})"
    r"|\(?(?P<words>(?:(?:amounts?|figures|values)\s+)?(?:(?:are\s+)?(?:stated\s+|expressed\s+)?)in\s+"
    r"(?:(?:[A-Z]{2,3}\$?|[$€£¥]|u\.s\.)\s*)?(?:(?:thousands?|millions?|billions?)"
    r"(?:\s+of\s+[\w. ]{1,25}|\s+[A-Z$€£¥]{1,4})?"
    r"|dollars|euros?|per\s?cent|%|RMB|CNY|USD|EUR|CHF|GBP|HKD|JPY|[$€£¥])(?:,?\s*(?:except|unless)[^()]{0,60})?)\)?$"
    r"|^[(（]?(?P<bare>(?:(?:RMB|CNY|USD|US\$|EUR|CHF|GBP|HKD|JPY|[$€£¥])\s?"
    r"(?:thousands?|millions?|billions?|m|bn|k|'?000s?)?"
    r"|[千百十]?[万亿]?(?:元|美元|港元|欧元|人民币)|%|％|percent|kg|km|mm|tonnes?|MWh?|kWh?|GWh?))[)）]?$",
    re.IGNORECASE,
)
MAX_HEADER_ROWS = 5
MAX_HEADER_CHARS = 120
_LOOK_AT = 60
"""Rows that are looked at to tell labels from data."""


def is_number(text: str) -> bool:
    """Whether a cell holds an amount: 1,234.50, (81), 7.5%, $3.2m, 12万元."""
    stripped = text.strip()
    return any(c.isdigit() for c in stripped) and _NUMBER.fullmatch(stripped) is not None


def is_year_or_date(text: str) -> bool:
    """Whether a cell holds a year or a date, which name columns as often as they are data."""
    return _YEAR.fullmatch(text.strip()) is not None or _DATE.fullmatch(text.strip()) is not None


def unit_of(text: str) -> str:
    """The unit that a caption, corner or line states (``In millions of CHF``, ``单位：万元``), or ""."""
    match = _UNIT.search(" ".join(text.split()))
    if match is None:
        return ""
    return " ".join((match["named"] or match["words"] or match["bare"]).split())


def header_row_count(rows: Sequence[Row], *, says_so: bool = False) -> int:
    """How many rows at the top name the columns; 0 where the first row is data already.

    ``says_so``: the file marks a first row as special without saying that it is a header.
    """
    if len(rows) < 2:
        return 0
    first_data = next((n for n, row in enumerate(rows[:_LOOK_AT]) if _has_data(row, rows, n)), None)
    if first_data == 0:
        return 0
    if first_data is None:
        if len(rows) > 2 and _spans(rows[0]) and rows[1][:1] in ([""], ("",), rows[0][:1]):
            return 2
        return 1 if says_so or _names_columns(rows) else 0
    count = 1
    while count < min(first_data, MAX_HEADER_ROWS) and _continues_header(rows, count):
        count += 1
    return count


def header_column_count(rows: Sequence[Row]) -> int:
    """1 where the first column is words and most of the rest is not, else 0."""
    body = rows[1 : _LOOK_AT + 1]
    first = [row[0] for row in body if row and row[0].strip()]
    rest = [cell for row in body for cell in row[1:] if cell.strip()]
    if not first or not rest:
        return 0
    words = sum(not is_number(cell) for cell in first)
    return int(words >= len(first) * 0.8 and sum(map(is_amount, rest)) >= len(rest) * 0.5)


def without_title(rows: tuple[tuple[str, ...], ...]) -> tuple[str, tuple[tuple[str, ...], ...]]:
    """A first row that is one cell over all columns is the table's title: (title, the rows after it)."""
    if len(rows) < 2 or len(rows[0]) < 2 or len(set(rows[0])) > 1 or is_amount(rows[0][0]):
        return "", rows
    return rows[0][0], rows[1:]


def filled_header(rows: tuple[tuple[str, ...], ...], header_rows: int) -> tuple[tuple[str, ...], ...]:
    """The rows with group names of upper header rows spread over the columns that they stand for.

    A single name stands for all columns with a name below; of several, each for the empty cells after it, or
    before it where the last column is named and the first is not.
    """
    if header_rows < 2:
        return rows
    named = [any(row[column] for row in rows[1:header_rows]) for column in range(len(rows[0]))]
    return tuple(_spread(row, named) if n < header_rows - 1 else row for n, row in enumerate(rows))


def _spread(row: tuple[str, ...], named: list[bool]) -> tuple[str, ...]:
    columns = [column for column in range(1, len(row)) if named[column] or row[column]]
    labels = {row[column] for column in columns if row[column]}
    if not columns or not labels:
        return row
    cells = list(row)
    from_right = not row[columns[0]] and bool(row[columns[-1]])
    last = next(iter(labels)) if len(labels) == 1 else ""
    for column in reversed(columns) if from_right else columns:
        last = cells[column] = cells[column] or last
    return tuple(cells)


def tidy_rows(rows: Sequence[Row]) -> tuple[tuple[str, ...], ...]:
    """The rows at one width, each cell on one line, empty rows and columns left out."""
    cells = [[" ".join(cell.split()) for cell in row] for row in rows]
    cells = [row for row in cells if any(row)]
    width = max(map(len, cells), default=0)
    for row in cells:
        row += [""] * (width - len(row))
    kept = [column for column in range(width) if any(row[column] for row in cells)]
    if len(kept) == width:
        return tuple(map(tuple, cells))
    return tuple(tuple(row[column] for column in kept) for row in cells)


def first_words(rows: Sequence[Row]) -> str:
    """The first cell that says something, shortened and quoted: how a report names a table."""
    text = next((cell for row in rows for cell in row if cell.strip()), "")
    return repr(text[:40] + ("…" if len(text) > 40 else ""))


def is_amount(cell: str) -> bool:
    """Whether a cell holds a number, a date or a sign for none of them (—, n/a)."""
    return is_number(cell) or is_year_or_date(cell) or _NOTHING.fullmatch(cell.strip()) is not None


def _has_data(row: Row, rows: Sequence[Row], number: int) -> bool:
    """Whether a row holds amounts; a year or date is one where the cell below is one too."""
    following = rows[number + 1] if number + 1 < len(rows) else ()
    for column, cell in enumerate(row):
        if is_year_or_date(cell):
            below = following[column] if column < len(following) else ""
            if is_year_or_date(below) and below.strip() != cell.strip():
                return True
        elif is_number(cell):
            return True
    return False


def _continues_header(rows: Sequence[Row], number: int) -> bool:
    """Whether a row without amounts after a header row belongs to it: it fills what the first left open."""
    row, above = rows[number], rows[number - 1]
    named = [cell.strip() for cell in row if cell.strip()]
    if not named or max(map(len, named)) > MAX_HEADER_CHARS:
        return False
    spans = _spans(above)
    gaps = sum(not cell.strip() for cell in above) > sum(not cell.strip() for cell in above[:1])
    units = all(unit_of(cell) for cell in named)
    corner = not row[0].strip() or row[0] == above[0]
    only_label = len(named) == 1 and bool(row[0].strip())
    return units or (not only_label and (spans or gaps or corner))


def _spans(row: Row) -> bool:
    """Whether a cell stands over several columns but not over all."""
    return len(set(row)) > 1 and any(a.strip() and a == b for a, b in pairwise(row))


def _names_columns(rows: Sequence[Row]) -> bool:
    """For a table of words: whether the first row is short, full and unlike what follows."""
    first = [cell.strip() for cell in rows[0]]
    body = [cell.strip() for row in rows[1:_LOOK_AT] for cell in row if cell.strip()]
    if len(first) == 2 and any(row[0].rstrip().endswith((":", "：")) for row in rows):
        return False  # a form: labels and what was filled in
    if not all(first[1:]) or len(set(first)) < len(first) or max(map(len, first)) > 60 or not body:
        return False
    return not set(filter(None, first)) & set(body) and not any(
        cell.endswith((".", "。", ";", "；")) for cell in first
    )
