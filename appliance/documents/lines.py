"""Broken lines to running text: joins a paragraph's lines the way its script wants."""

from __future__ import annotations

import re
from collections.abc import Sequence

_WIDE = r"[⺀-鿿豈-﫿︰-﹏＀-｠\U00020000-\U000323af“”‘’…—·]"
_WIDE_END = re.compile(_WIDE + "$")
_WIDE_START = re.compile("^" + _WIDE)
_HAN = re.compile(r"[⺀-鿿豈-﫿、。，！-｠]")
_HYPHENATED = re.compile(r"[^\W\d_]{2,}-$")
_LOWER_START = re.compile(r"^[a-zà-ÿ]")
_COMPOUND_HEADS = frozenset(
    "self non well high low long short co cross pre post multi semi half anti sub".split()
)


def join_lines(lines: Sequence[str]) -> str:
    """One paragraph of the lines: no space between Chinese, a hyphen at a line's end undone."""
    text = ""
    for line in lines:
        line = line.strip()
        if not text:
            text = line
        elif line:
            text = _joined(text, line)
    return text


def _joined(text: str, line: str) -> str:
    if _HYPHENATED.search(text) and _LOWER_START.match(line):
        head = re.split(r"[\s(\[-]", text[:-1])[-1].lower()
        return text + line if head in _COMPOUND_HEADS else text[:-1] + line
    if (
        _WIDE_END.search(text)
        and _WIDE_START.match(line)
        and (_HAN.search(text[-3:]) or _HAN.search(line[:3]))
    ):
        return text + line
    return f"{text} {line}"
