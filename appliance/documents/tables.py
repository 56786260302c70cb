"""Rows of cells to the Markdown table that a table block holds, and back into header and rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SPACE = re.compile(r"\s+")
_SEPARATOR = re.compile(r"^\|(?:\s*:?-+:?\s*\|)+$")


def markdown_table(rows: Sequence[Sequence[str]], header_rows: int = 1) -> str:
    """A Markdown table, header first; empty columns and rows left out. "" when no cell has text.

    Several header rows are joined, column by column; without one the header's cells are empty. A row that is
    one cell merged over all columns says it once.
    """
    header = [[_cell(cell) for cell in row] for row in rows[:header_rows]]
    body = [[_cell(cell) for cell in row] for row in rows[header_rows:]]
    header = [row for row in header if any(row)]
    if header_rows and not header:
        header, body = body[:1], body[1:]
    lines = [_joined(header), *(_said_once(row) for row in body if any(row))]
    if not any(map(any, lines)):
        return ""
    width = max(len(row) for row in lines)
    padded = [row + [""] * (width - len(row)) for row in lines]
    kept = [column for column in range(width) if any(row[column] for row in padded)]
    shown = ["| " + " | ".join(row[column] for column in kept) + " |" for row in padded]
    return "\n".join([shown[0], "|" + "---|" * len(kept), *shown[1:]])


def _joined(header: list[list[str]]) -> list[str]:
    """One name per column out of several header rows: ``2023 / Sales``."""
    width = max(map(len, header), default=0)
    columns = [[row[column] for row in header if column < len(row)] for column in range(width)]
    return [" / ".join(filter(None, dict.fromkeys(column))) for column in columns]


def _said_once(row: list[str]) -> list[str]:
    if len(row) > 1 and len(set(row)) == 1 and not any(character.isdigit() for character in row[0]):
        return [row[0]] + [""] * (len(row) - 1)
    return row


def split_table(text: str) -> tuple[str, list[str]]:
    """The header of a table block (its first row and the separator) and the rows after it."""
    lines = text.split("\n")
    for index in range(1, min(len(lines), 4)):
        if _SEPARATOR.match(lines[index]):
            return "\n".join(lines[: index + 1]), lines[index + 1 :]
    return "", lines


def _cell(text: str) -> str:
    return _SPACE.sub(" ", text).strip().replace("|", "\\|")
