"""Rows of cells to the Markdown table that a table block holds, and back into header and rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SPACE = re.compile(r"\s+")
_SEPARATOR = re.compile(r"^\|(?:\s*:?-+:?\s*\|)+$")


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, header first; empty columns and rows left out. "" when no cell has text."""
    cells = [[_cell(cell) for cell in row] for row in rows]
    cells = [row for row in cells if any(row)]
    if not cells:
        return ""
    width = max(len(row) for row in cells)
    padded = [row + [""] * (width - len(row)) for row in cells]
    kept = [column for column in range(width) if any(row[column] for row in padded)]
    lines = ["| " + " | ".join(row[column] for column in kept) + " |" for row in padded]
    return "\n".join([lines[0], "|" + "---|" * len(kept), *lines[1:]])


def split_table(text: str) -> tuple[str, list[str]]:
    """The header of a table block (its first row and the separator) and the rows after it."""
    lines = text.split("\n")
    for index in range(1, min(len(lines), 4)):
        if _SEPARATOR.match(lines[index]):
            return "\n".join(lines[: index + 1]), lines[index + 1 :]
    return "", lines


def _cell(text: str) -> str:
    return _SPACE.sub(" ", text).strip().replace("|", "\\|")
