"""Whether a line of plain text numbers a heading, and how deep: shared by the text, PDF and Word parsers."""

from __future__ import annotations

import re

MAX_HEADING_CHARS = 84
"""A Chinese character counts as two."""
_WIDE = re.compile("[\u2e80-\u9fff\uff00-\uff60]")
_NUMBER = "[0-9０-９〇零一二三四五六七八九十百]+"
_PLAIN = (
    (1, re.compile(rf"第{_NUMBER}[篇编卷](?=[\s　:：]|[^\W\d_])|(?:part|book)\s+(?:[ivx]+|\d+)\b", re.I)),
    (2, re.compile(rf"第{_NUMBER}章|chapter\s+(?:[ivx]+|\d+)\b"
                   r"|附[录件錄]\s*[A-Z0-9一二三四五六七八九十]?(?=[\s　:：]|$)"
                   r"|(?:appendix|annex|schedule)\s+[A-Z0-9]{1,3}\b", re.I)),
    (3, re.compile(rf"第{_NUMBER}节|第{_NUMBER}節|(?:item|section)\s+\d+[a-z]?(?:\.\d+)*[.:\s]", re.I)),
    (4, re.compile(rf"第{_NUMBER}条(?=[\s　])|article\s+(?:[ivx]+|\d+)\b", re.I)),
    (5, re.compile(r"[一二三四五六七八九十]{1,3}\s*[、．.](?=\s*\S)")),
    (6, re.compile(r"[(（][一二三四五六七八九十]{1,3}[)）](?=\s*\S)")),
)  # fmt: skip
_DECIMAL = re.compile(
    r"(?P<number>\d{1,2}(?:\.\d{1,3}){0,4})(?P<dot>[.、．)]?)(?P<gap>[\s　]*)(?=[^\W\d_]|[(（“\"])"
)
_ENDS_LIKE_PROSE = re.compile(r"[。！？；，、：!?;,…]$|[^A-Z.]\.$|[^\d]:$")
_LEADERS = re.compile(r"(?:\.\s?){4,}|…{2,}|·{4,}|_{3,}")
DECIMAL_RANK = 7
"""Rank of "1 Title"; each further component is one deeper."""


def numbering_rank(line: str) -> int | None:
    """How deep the numbering in front of ``line`` puts it (1 = part, 7 = "1.", 8 = "1.1"), or None."""
    for rank, pattern in _PLAIN:
        if pattern.match(line):
            return rank
    match = _DECIMAL.match(line)
    if match is None:
        return None
    components = match["number"].count(".") + 1
    if components == 1 and not match["dot"] and not match["gap"]:
        return None
    if components > 1 and not match["gap"] and line[match.end() : match.end() + 1].isascii():
        return None
    if match["dot"] == ")":
        return None
    return DECIMAL_RANK - 1 + components


def contents_entry(line: str) -> str:
    """The title in a line of a table of contents, which leaders part from its page; "" for any other line."""
    found = _LEADERS.search(line)
    return line[: found.start()].strip() if found else ""


def reads_like_heading(line: str) -> bool:
    """Short, with letters, and not ending the way prose, a list lead-in or a contents line does."""
    return (
        0 < len(line) + len(_WIDE.findall(line)) <= MAX_HEADING_CHARS
        and any(character.isalpha() for character in line)
        and not _ENDS_LIKE_PROSE.search(line)
        and not _LEADERS.search(line)
    )
