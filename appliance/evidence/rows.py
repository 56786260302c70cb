"""Rows of tables, as Markdown or as a PDF's text gives them, with header, unit and heading in reach.

Arrives: a line of a passage and what stands above it. Leaves: the row's label and cells, or what kind of line
it is instead. ``Purchases of property (1,577) (1,373)`` under ``(Millions) 2018 2017`` is a row as well.
"""

from __future__ import annotations

import re

from appliance.domain import Struct

_CELL = (
    r"(?:[£$€¥]?\s?[(（]?[-−–+]?\s?[£$€¥]?\d[\d,]*(?:\.\d+)?[)）]?\s?(?:%|x|pts?|bps)?|"
    r"[—–-]|n/?a|n/?m|NM|N/A|不适用)"
)
_LOOSE = re.compile(rf"^(?P<label>\S.*?)?(?P<cells>(?:(?:^|\s+)[£$€¥]?\s?{_CELL}(?=\s|$))+)$", re.IGNORECASE)
_CELLS = re.compile(rf"[£$€¥]?\s?{_CELL}(?=\s|$)", re.IGNORECASE)
_PERIOD = re.compile(
    r"(?<!\d)(?:FY\s?)?(?:19|20)\d\d(?!\d)(?:\s*年(?:\s*\d{1,2}\s*月(?:\s*\d{1,2}\s*日)?|度|末)?)?|本期|上期|本报告期|期末|期初",
    re.IGNORECASE,
)
_RULE = re.compile(r"^\|?[\s:|-]+\|?$")
_UNIT = re.compile(
    r"[£$€¥%‰]|元|million|billion|thousand|pound|dollar|euro|yuan|单位|万|亿|人|hours?|days?|minutes?|小时|天|分钟|℃|°C",
    re.IGNORECASE,
)
_UNIT_LINE = re.compile(
    r"[(（][^()（）]*(?:million|thousand|billion|dollars|RMB|元|per share)[^()（）]*[)）]|单位\s*[:：]\s*\S+|"
    r"\bin (?:millions|thousands|billions)\b[^.;]{0,40}",
    re.IGNORECASE,
)
_NOTE_MARK = re.compile(r"(?:[*†‡§]{1,3}|[(（]\d{1,2}[)）]|\b[a-e]/|注\s?\d*|[¹²³⁴⁵])$")
_NOTE_LINE = re.compile(
    r"^\s*(?P<mark>[*†‡§]{1,3}|[(（]\d{1,2}[)）]|[a-e]/|注\s?\d*|[¹²³⁴⁵])\s*[:：.]?\s*\S{2,}"
)
_GENERIC = re.compile(
    r"^(?:total|other|net|subtotal|合计|小计|总计|其他|其中)[^\w]*(?:[—–-]\s*net)?$", re.IGNORECASE
)
LABEL_CHARS_MAX = 160
_CORNER_CHARS_MAX = 16
MONTHS = re.compile(
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december)$", re.I
)


class Row(Struct, frozen=True, kw_only=True):
    """One row with what it is read under."""

    label: str
    cells: tuple[str, ...]
    header: tuple[str, ...] = ()
    """A name for each cell; empty where the columns' names are not known."""
    unit: str = ""
    """Of the whole table: ``£ million``, ``百万元``, ``in millions, except per share data``."""
    heading: str = ""
    """The block of rows that a bare ``Total`` stands in."""


def is_rule(line: str) -> bool:
    """Return whether a line is the rule under a Markdown header."""
    return _RULE.match(line) is not None


def is_markdown(line: str) -> bool:
    """Return whether a line is a row of a Markdown table."""
    return line.startswith("|") and line.count("|") >= 2


def markdown_cells(line: str) -> tuple[str, ...]:
    """Return the cells of a Markdown row."""
    return tuple(cell.strip() for cell in line.strip().strip("|").split("|"))


def loose_cells(line: str) -> tuple[str, tuple[str, ...]] | None:
    """Return label and cells of a line that ends in figures, or None: prose ends in a figure seldom.

    One cell makes a row only where it is no year, day or page: ``December 31, 2019`` is none.
    """
    match = _LOOSE.match(line.strip())
    if match is None:
        return None
    label = (match["label"] or "").strip().rstrip("$£€¥ ")
    cells = _cells(match["cells"])
    if len(label) > LABEL_CHARS_MAX or not any(re.search(r"\d", cell) for cell in cells):
        return None
    if label and not re.search(r"[^\W\d_]", label):
        label, cells = "", _cells(line)  # figures alone: the label is on the line above
        if len(cells) < 2:
            return None
    bare = [cell for cell in cells if re.search(r"\d", cell)]
    years = all(re.fullmatch(r"(?:19|20)\d\d", cell) for cell in bare)
    if all(re.fullmatch(r"\(\d{1,2}\)", cell) for cell in bare):
        return None  # footnote marks
    if years or (len(bare) == 1 and not re.search(r"[,.%)$£€¥]", bare[0])):
        return None
    if MONTHS.search(label) or re.search(r"[.;。；]$", label):
        return None
    return label, cells


def _cells(text: str) -> tuple[str, ...]:
    return tuple(re.sub(r"([$£€¥])\s+", r"\1", cell.strip()) for cell in _CELLS.findall(text))


def periods(line: str) -> tuple[str, ...]:
    """Return the years and days that a line names: what a header of figures consists of."""
    return tuple(match.group().strip() for match in _PERIOD.finditer(line))


def is_header(line: str) -> bool:
    """Return whether a line names columns: periods, and hardly another figure beside them."""
    found = periods(line)
    rest = _PERIOD.sub("", line)
    rest = re.sub(r"(?:\b[A-Z][a-z]{2,8}\.?\s)?\b\d{1,2}\b,?", "", rest)
    return (
        bool(found)
        and len(rest) <= 60
        and not re.search(r"\d|[.。;；]\s*$", rest)
        and (
            len(found) > 1
            or bool(re.search(r"ended|as of|at |december|june|march|september|年度|截至", line, re.I))
        )
    )


def unit_of(caption: str, corner: str = "") -> str:
    """Return the unit that a table's corner cell or caption gives in brackets."""
    for place in (corner, caption):
        for inside in reversed(re.findall(r"[(（]([^()（）]{1,60})[)）]", place)):
            if _UNIT.search(inside):
                return inside.strip()
    if len(corner) <= _CORNER_CHARS_MAX and _UNIT.search(corner):
        return corner
    found = _UNIT_LINE.search(caption)
    return found.group().strip("()（） ") if found else ""


def names_unit(line: str) -> bool:
    """Return whether a line states the unit of the figures below it."""
    return len(line) <= 160 and _UNIT_LINE.search(line) is not None


def note_mark(text: str) -> str:
    """Return the footnote mark that a label or a cell ends in: ``(1)``, ``*``; empty where there is none."""
    found = _NOTE_MARK.search(text.strip())
    return found.group().strip() if found else ""


def note_of(line: str) -> str:
    """Return the mark that a footnote begins with; empty for any other line."""
    found = _NOTE_LINE.match(line)
    return found["mark"].strip() if found else ""


def _bare_figure(name: str) -> bool:
    """Whether a column's name is a figure: the table's first row was none of names."""
    return bool(re.fullmatch(r"[\d,.\s%()（）-]+", name)) and not _PERIOD.search(name)


def is_names(cells: tuple[str, ...]) -> bool:
    """Return whether a row within a table names columns anew: three cells or more, no figure in any."""
    full = [cell for cell in cells if cell]
    return len(full) >= 3 and not any(re.search(r"\d", cell) or re.fullmatch(_CELL, cell) for cell in full)


def shown(row: Row) -> str:
    """Return the row as the reader model sees it: ``Revenue (£ million) — 2023: 41.2; 2022: 38.0``."""
    generic = row.heading and _GENERIC.match(row.label)
    label = f"{row.heading}: {row.label}" if generic else row.label
    unit = f" ({row.unit})" if row.unit and row.unit not in label else ""
    if row.header and len(row.header) == len(row.cells):
        pairs = [
            f"{name}: {cell}" if name and not _bare_figure(name) else cell
            for name, cell in zip(row.header, row.cells, strict=True)
            if cell
        ]
    else:
        pairs = [cell for cell in row.cells if cell]
        if row.header:
            pairs.append(f"columns {' '.join(row.header)}")
    if not pairs:
        return f"{label}{unit}"
    return f"{label}{unit} — {'; '.join(pairs)}" if label else "; ".join(pairs)
