"""Plain text: paragraphs between blank lines, wrapped lines joined, headings by rules that rarely err."""

from __future__ import annotations

import re

from appliance.documents.charset import decode_text
from appliance.documents.detect import Format
from appliance.documents.headings import numbering_rank, reads_like_heading
from appliance.documents.lines import join_lines
from appliance.documents.outline import About, Outline
from appliance.domain import BlockKind, ParsedDocument

_LIST_ITEM = re.compile(r"^\s*(?:[-*•·●○▪◦‣]\s+|[(（]?\d{1,3}[.)）、]\s*|[(（][a-zA-Z][)）]\s+)\S")
_UNDERLINE = re.compile(r"^(={3,}|-{3,})$")
_BLANK_LINES = re.compile(r"\n[ \t　]*(?:\n[ \t　]*)+")
_SPACED_COLUMNS = re.compile(r"\S(?: {3,}|\t+)\S")
_ENDS_PARAGRAPH = re.compile(r"[。！？；：.!?:;…][”’」』）)\"']*$")
_INDENTED = re.compile(r"^(?:　{1,2}| {2,4}|\t)\S")
UNDERLINE_RANKS = {"=": 1, "-": 2}
TITLE_CHARS = 80
TITLE_LINES = 3
CAPITALS_RANK = 6


def parse_text(data: bytes, name: str) -> ParsedDocument:
    """The sections of a text file. Raises RefusedFileError (binary, unknown encoding, no text)."""
    outline, title = read_text(decode_text(data, name))
    return outline.document(About(name=name, format=Format.TEXT, title=title, title_from="first line"))


def read_text(text: str) -> tuple[Outline, str]:
    """An outline of plain text and its title: a first paragraph of one short line, or ""."""
    outline = Outline()
    paragraphs = [part.strip("\n") for part in _BLANK_LINES.split(text) if part.strip()]
    title = ""
    for index, paragraph in enumerate(paragraphs):
        lines = paragraph.split("\n")
        following = paragraphs[index + 1] if index + 1 < len(paragraphs) else ""
        heading = _heading(lines, paragraphs[index - 1] if index else "", following)
        if heading:
            rank, heading_text, rest = heading
            outline.heading(rank, heading_text)
            title = title or (heading_text if index == 0 else "")
            lines = rest
        elif index == 0 and following and len(lines) <= TITLE_LINES and all(map(_is_title, lines)):
            title = join_lines(lines)
        if lines:
            _add_lines(outline, lines)
    return outline, title


def _is_title(line: str) -> bool:
    return len(line.strip()) <= TITLE_CHARS and reads_like_heading(line.strip())


def _heading(lines: list[str], before: str, following: str) -> tuple[int, str, list[str]] | None:
    """(rank, title, lines left) when the paragraph is or begins with a heading."""
    first = lines[0].strip()
    if len(lines) > 1 and _UNDERLINE.match(lines[1].strip()) and reads_like_heading(first):
        return UNDERLINE_RANKS[lines[1].strip()[0]], first, lines[2:]
    rank = numbering_rank(first)
    if rank is None and len(lines) == 1 and following and _is_capitals(first):
        return CAPITALS_RANK, first, []
    if rank is None or not reads_like_heading(first):
        return None
    if rank <= 3:
        return rank, first, lines[1:]
    if len(lines) > 1 or not following:
        return None
    # Numbered lines right after one another, nothing between them, are a list.
    is_list = any("\n" not in near and numbering_rank(near.strip()) == rank for near in (before, following))
    return None if is_list else (rank, first, [])


def _is_capitals(line: str) -> bool:
    """Whether a line stands out as a heading by capitals ("WHAT IS NEW") or brackets (【概述】)."""
    letters = [character for character in line if character.isalpha()]
    in_brackets = line.startswith("【") and line.endswith("】") and len(line) <= 30
    return in_brackets or (
        len(letters) >= 4
        and line.isupper()
        and all(letter.isascii() for letter in letters)
        and _is_title(line)
    )


def _add_lines(outline: Outline, lines: list[str]) -> None:
    items = sum(bool(_LIST_ITEM.match(line)) for line in lines)
    if items >= 2 or (items == 1 and len(lines) == 1):
        outline.block("\n".join(line.rstrip() for line in lines), BlockKind.LIST)
    elif _is_wrapped(lines):
        for paragraph in _indented_paragraphs(lines):
            outline.block(join_lines(paragraph))
    else:
        outline.block("\n".join(line.strip() for line in lines))


def _is_wrapped(lines: list[str]) -> bool:
    """Whether line breaks come from a margin: all but the last about as long, few ending a sentence."""
    if len(lines) < 2 or any(_SPACED_COLUMNS.search(line.strip()) for line in lines):
        return False
    body = [len(line.rstrip()) for line in lines[:-1]]
    longest = max(len(line.rstrip()) for line in lines)
    full = sum(length >= longest * 0.75 for length in body)
    ended = sum(bool(_ENDS_PARAGRAPH.search(line.rstrip())) for line in lines[:-1])
    return 20 <= longest <= 130 and full >= len(body) * 0.8 and ended <= len(body) * 0.5


def _indented_paragraphs(lines: list[str]) -> list[list[str]]:
    paragraphs: list[list[str]] = []
    for line in lines:
        if not paragraphs or (_INDENTED.match(line) and _ENDS_PARAGRAPH.search(paragraphs[-1][-1].rstrip())):
            paragraphs.append([])
        paragraphs[-1].append(line)
    return paragraphs
