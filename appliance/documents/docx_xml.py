# pyright: basic
"""WordprocessingML read directly: the text of a paragraph as printed, the rows of a table."""

from __future__ import annotations

import re
from typing import Any

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MATH_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_SKIPPED = frozenset(
    (W + "del", W + "moveFrom", W + "instrText", W + "delText", W + "pPr", W + "rPr",
     "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback")
)  # fmt: skip
MAX_ROW_CELLS = 500


def attribute(element: Any, name: str) -> str | None:
    """A ``w:`` attribute."""
    return element.get(W + name)


def paragraph_text(element: Any) -> str:
    """The text as a reader sees it: deletions and field codes left out, tabs and breaks kept."""
    parts: list[str] = []
    _collect(element, parts)
    return "".join(parts)


def _collect(element: Any, parts: list[str]) -> None:
    for child in element:
        tag = child.tag
        if tag in _SKIPPED:
            continue
        if tag in (W + "t", _MATH_TEXT):
            parts.append(child.text or "")
        elif tag in (W + "tab", W + "ptab"):
            parts.append("\t")
        elif tag in (W + "br", W + "cr"):
            parts.append("\n")
        elif tag == W + "noBreakHyphen":
            parts.append("-")
        else:
            if tag == W + "p" and parts and parts[-1] != "\n":
                parts.append("\n")
            _collect(child, parts)


def rows(table: Any) -> tuple[list[list[str]], int]:
    """The cells of each row, a merged one repeated, and how many rows Word repeats as a header.

    Rows that a tracked change deletes are left out.
    """
    found: list[list[str]] = []
    header = 0
    for row in _descend(table, W + "tr"):
        properties = row.find(W + "trPr")
        if properties is not None and properties.find(W + "del") is not None:
            continue
        if _is_on(properties, "tblHeader") and header == len(found):
            header += 1
        line: list[str] = [""] * _number(properties, "gridBefore", 0)
        for cell in _descend(row, W + "tc"):
            line += _cell(cell, found[-1] if found else [], len(line))
        found.append(line[:MAX_ROW_CELLS])
    return found, header


def has_header_look(table: Any) -> bool:
    """Whether the table's style sets its first row off, as Word does unless told otherwise."""
    look = table.find(f"{W}tblPr/{W}tblLook")
    if look is None:
        return False
    first = attribute(look, "firstRow")
    if first is not None:
        return first in ("1", "true", "on")
    value = attribute(look, "val") or ""
    return bool(int(value, 16) & 0x20) if re.fullmatch("[0-9A-Fa-f]{4}", value) else False


def _cell(cell: Any, above: list[str], column: int) -> list[str]:
    properties = cell.find(W + "tcPr")
    down = properties.find(W + "vMerge") if properties is not None else None
    merged = down is not None and attribute(down, "val") in (None, "continue")
    text = "\n".join(filter(None, (paragraph_text(paragraph).strip() for paragraph in cell.iter(W + "p"))))
    if merged and not text and column < len(above):
        text = above[column]
    return [text] * max(1, _number(properties, "gridSpan", 1))


def _number(properties: Any, name: str, default: int) -> int:
    found = properties.find(W + name) if properties is not None else None
    value = attribute(found, "val") if found is not None else None
    return (
        min(int(value), MAX_ROW_CELLS)
        if value and value.isascii() and value.isdigit() and len(value) < 6
        else default
    )


def _is_on(properties: Any, name: str) -> bool:
    found = properties.find(W + name) if properties is not None else None
    return found is not None and attribute(found, "val") not in ("0", "false", "off")


def _descend(parent: Any, tag: str) -> list[Any]:
    found: list[Any] = []
    for child in parent:
        if child.tag == tag:
            found.append(child)
        elif child.tag in (W + "sdt", W + "sdtContent", W + "ins", W + "customXml"):
            found += _descend(child, tag)
    return found
