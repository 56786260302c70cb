"""From passages to single statements: a sentence, or one cell of a table with its row, column and unit.

Arrives: passages. Leaves: :class:`Statement` values, in reading order. A cell reads as a sentence would:
``Operating profit, 2022: £57.9 million``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from appliance.domain import Passage, Struct
from appliance.ports import Split

TEXT_CHARS_MAX = 600
CELLS_MAX = 400
"""Of one passage: a table of forty pages is cut into many passages."""
_RULE_ROW = re.compile(r"^\|?[\s:|-]+\|?$")
_NO_VALUE = re.compile(r"^(?:n/?a|nil|none|null|tbd|[-–—*.…]+|不适用|无|暂无|未披露)?$", re.IGNORECASE)
_BULLET = re.compile(r"^(?:[-*•·]|\(?[a-z0-9]{1,2}[.)])\s+")
_HEADING = re.compile(r"^#{1,6}\s")
_BRACKETS = re.compile(r"[(（]([^()（）]{1,30})[)）]")
_CURRENCY = re.compile(r"^\s*([£$€¥￥]|US\$|HK\$|(?:RMB|USD|GBP|EUR|CNY|HKD)\s)\s*(.*)$")
_UNIT = re.compile(
    r"^\s*(?:单位[:：]\s*)?((?:[£$€¥￥]|US\$|RMB|USD|GBP|EUR|CNY|HKD)?\s*"
    r"(?:thousands?|millions?|billions?|mn|bn|m|k|[百千]?[万亿百千]?(?:元|片|人|台|件|港元|美元|英镑|欧元)|[£$€¥￥%‰]"
    r"|hours?|days?|minutes?|seconds?|小时|天|分钟|秒|℃|°C|tonnes?|tons?|吨|mg|kg|mm|cm|km|kWh|MWh))\s*$",
    re.IGNORECASE,
)


class Statement(Struct, frozen=True, kw_only=True):
    """One thing that a passage says."""

    text: str
    """As it reads alone: a sentence, or ``row, column: value unit``."""
    raw: str
    """As it stands in the passage: what a quote shows."""
    passage: Passage
    cell: bool = False

    @property
    def heading(self) -> str:
        """What the statement leaves unsaid: label, title and section of its passage."""
        return " ".join(filter(None, (self.passage.label, self.passage.title, self.passage.section_path)))


def statements_of(passages: Iterable[Passage], split: Split) -> list[Statement]:
    """Every sentence and every filled cell; headings and empty cells are none."""
    return [statement for passage in passages for statement in _of_passage(passage, split)]


def _of_passage(passage: Passage, split: Split) -> list[Statement]:
    made: list[Statement] = []
    header: list[str] = []
    unit, before = "", ""
    for line in passage.text.split("\n"):
        text = line.strip()
        if text.startswith("|") and text.count("|") >= 2:
            if _RULE_ROW.match(text):
                continue
            cells = [cell.strip() for cell in text.strip("|").split("|")]
            if not header:
                header, unit = cells, _unit_of(before, cells[0])
            elif len(made) < CELLS_MAX:
                made.extend(_cells(header, cells, unit, text, passage))
            continue
        header = []
        if text and not _HEADING.match(text):
            made.extend(
                Statement(text=_BULLET.sub("", said)[:TEXT_CHARS_MAX], raw=said, passage=passage)
                for said in (each.strip() for each in split(text))
                if said and said != passage.title
            )
            before = text
    return made


def _cells(
    header: Sequence[str], cells: Sequence[str], unit: str, raw: str, passage: Passage
) -> list[Statement]:
    """One statement a filled cell. The first column names the row."""
    row_unit = _unit_of("", cells[0]) or unit
    label = _without_unit(cells[0])
    made: list[Statement] = []
    for name, cell in zip(header[1:], cells[1:], strict=False):
        if _NO_VALUE.match(cell):
            continue
        value = measured(cell, _unit_of("", name) or row_unit)
        head = ", ".join(filter(None, (label, _without_unit(name))))
        made.append(Statement(text=f"{head}: {value}"[:TEXT_CHARS_MAX], raw=raw, passage=passage, cell=True))
    return made


def measured(cell: str, unit: str) -> str:
    """A bare figure with its table's unit: ``57.9`` and ``£ million`` give ``£57.9 million``."""
    bare = cell.strip()
    if not unit or not re.fullmatch(r"[-−(（]?[\d,.\s]+[)）]?", bare):
        return bare
    if match := _CURRENCY.match(unit):
        return f"{match.group(1)}{bare} {match.group(2)}".strip()
    return f"{bare}{unit}" if re.match(r"[%‰℃°一-鿿]", unit) else f"{bare} {unit}"


def _unit_of(caption: str, head: str) -> str:
    """The unit that a head or a caption gives in brackets, or that is all a head says."""
    for place in (head, caption):
        for inside in reversed(_BRACKETS.findall(place)):
            if match := _UNIT.match(inside):
                return match.group(1)
    if match := _UNIT.match(head):
        return match.group(1)
    stated = re.search(r"单位[:：]\s*([一-鿿]{1,5})", caption)
    return stated.group(1) if stated else ""


def _without_unit(head: str) -> str:
    kept = _BRACKETS.sub(lambda match: "" if _UNIT.match(match.group(1)) else match.group(0), head)
    return "" if _UNIT.match(kept) else kept.strip()
