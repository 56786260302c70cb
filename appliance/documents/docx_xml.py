# pyright: basic
"""WordprocessingML read directly: the text of a paragraph as printed, the rows of a table."""

from __future__ import annotations

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
        elif tag == W + "tab":
            parts.append("\t")
        elif tag in (W + "br", W + "cr"):
            parts.append("\n")
        elif tag == W + "noBreakHyphen":
            parts.append("-")
        else:
            if tag == W + "p" and parts and parts[-1] != "\n":
                parts.append("\n")
            _collect(child, parts)


def rows(table: Any) -> list[list[str]]:
    """The cells of each row, spans spread: a cell over rows repeated, a cell over columns said once."""
    found: list[list[str]] = []
    for row in _descend(table, W + "tr"):
        line: list[str] = []
        for cell in _descend(row, W + "tc"):
            line += _cell(cell, found[-1] if found else [], len(line))
        found.append(line[:MAX_ROW_CELLS])
    return found


def _cell(cell: Any, above: list[str], column: int) -> list[str]:
    properties = cell.find(W + "tcPr")
    span, merged = 1, False
    if properties is not None:
        width = properties.find(W + "gridSpan")
        value = attribute(width, "val") if width is not None else None
        span = min(int(value), MAX_ROW_CELLS) if value and value.isdigit() else 1
        down = properties.find(W + "vMerge")
        merged = down is not None and attribute(down, "val") in (None, "continue")
    text = "\n".join(filter(None, (paragraph_text(paragraph).strip() for paragraph in cell.iter(W + "p"))))
    if merged and not text and column < len(above):
        text = above[column]
    return [text] + [""] * (span - 1)


def _descend(parent: Any, tag: str) -> list[Any]:
    found: list[Any] = []
    for child in parent:
        if child.tag == tag:
            found.append(child)
        elif child.tag in (W + "sdt", W + "sdtContent", W + "ins", W + "customXml"):
            found += _descend(child, tag)
    return found
