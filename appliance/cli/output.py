"""Print values: JSON for programs, tables and lines for people."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from rich.console import Console


_TERMINAL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters, and those that turn the direction of what follows."""


def print_json(value: object) -> None:
    """One value as indented UTF-8 JSON on stdout."""
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")


def console() -> Console:
    """Stdout for people: no wrapping of piped text, no guessing at numbers and paths."""
    from rich.console import Console

    if sys.stdout.isatty():
        return Console(highlight=False, emoji=False)
    return Console(highlight=False, emoji=False, width=200, soft_wrap=True)


def say(text: str = "", style: str | None = None) -> None:
    """One line on stdout; square brackets are text, not markup."""
    console().print(harmless(text), style=style, markup=False)


def harmless(text: str) -> str:
    """Return a document's text without what a terminal would obey; lines and tabs stay."""
    return _TERMINAL.sub("", text)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table at a terminal, tab-separated lines in a pipe."""
    if not sys.stdout.isatty():
        for row in rows:
            sys.stdout.write("\t".join(_cell(cell) for cell in row) + "\n")
        return
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(escape(_cell(cell)) for cell in row))
    console().print(table)


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else harmless(str(value))


def short_hash(fingerprint: str) -> str:
    """The first 8 digits of a fingerprint's hash: enough for ``assay passage``."""
    return fingerprint.rsplit("#", 1)[-1][:8]
