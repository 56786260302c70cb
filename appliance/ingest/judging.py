"""A parse that yields nothing useful is a failure: no words, words that are none, or pages left empty.

Arrives: a ParsedDocument. Leaves: a RefusedFileError with the reason, or the report for people.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping

from appliance.domain import Block, BlockKind, ParsedDocument, ParseReport, SectionType
from appliance.errors import RefusedFileError

SAMPLE_CHARS = 40_000
MOST_BROKEN = 0.2
"""Share of characters that stand for nothing: replacement, private use, unassigned, control, ``(cid:9)``."""
MOST_RARE_HAN = 0.5
MOST_UNSPEAKABLE = 0.5
FEWEST_TO_JUDGE = 60
"""Han characters, or words of Latin letters, below which statistics say nothing."""
LEAST_PAGES = 0.5
_PAGED = ("pdf", "tiff", "image")
"""Formats whose pages are pictures or print: an empty one was not read. (An empty sheet is just empty.)"""
_CID = re.compile(r"\(cid:\d+\)")
_WORD = re.compile(r"[A-Za-z]{3,}")
_VOWEL = re.compile(r"[aeiouyAEIOUY]")
_BROKEN = {"Cn", "Co", "Cc", "Cs"}


def judge(document: ParsedDocument, name: str) -> None:
    """Raises RefusedFileError when nobody could find or read anything of the document."""
    text = _sample(document)
    if not any(character.isalnum() for character in text):
        raise RefusedFileError(f"{name} has no text in it", hint="check that it is the right file")
    if reason := gibberish(text):
        raise RefusedFileError(
            f"the text of {name} is unreadable: {reason}",
            hint="its fonts or its encoding are damaged: export it again, or scan it for OCR",
        )
    if document.format in _PAGED and document.pages and document.pages > 2:
        pages = len(_pages_with_text(document))
        if pages < LEAST_PAGES * document.pages:
            raise RefusedFileError(
                f"only {pages} of the {document.pages} pages of {name} have text",
                hint="the others are pictures that could not be read: get a better scan",
            )


def gibberish(text: str) -> str:
    """Why the text cannot be a person's writing; empty: it can be.

    Tables of figures, code and any script count as writing; only what no reader could use does not.
    """
    shown = [character for character in text if not character.isspace()]
    if not shown:
        return ""
    broken = sum(c == "\ufffd" or unicodedata.category(c) in _BROKEN for c in shown)
    broken += sum(len(match[0]) for match in _CID.finditer(text))
    if broken > MOST_BROKEN * len(shown):
        return f"{broken / len(shown):.0%} of its characters stand for nothing"
    han = [c for c in shown if "\u3400" <= c <= "\u9fff"]
    if len(han) >= FEWEST_TO_JUDGE and 2 * len(han) > len(shown):
        rare = sum(not _is_in_use(c) for c in han) / len(han)
        if rare > MOST_RARE_HAN:
            return f"{rare:.0%} of its Chinese characters are in no common use"
    words = _WORD.findall(text)
    if len(words) >= FEWEST_TO_JUDGE and sum(map(len, words)) > len(shown) / 2:
        unspeakable = sum(not _VOWEL.search(word) for word in words) / len(words)
        if unspeakable > MOST_UNSPEAKABLE:
            return f"{unspeakable:.0%} of its words have no vowel"
    return ""


def report_of(document: ParsedDocument, seconds: Mapping[str, float]) -> ParseReport:
    """What a person wants to know of a parse."""
    types = Counter(section.type for section in document.sections)
    del types[SectionType.BODY]
    return ParseReport(
        format=document.format,
        title=document.title,
        title_from=document.title_from,
        language=document.language,
        pages=document.pages,
        sections=len(document.sections),
        tables=sum(block.kind is BlockKind.TABLE for block in _blocks(document)),
        section_types={kind.value: count for kind, count in sorted(types.items())},
        doubts=document.warnings,
        seconds=dict(seconds),
    )


def _is_in_use(character: str) -> bool:
    """Whether a standard of simplified or of traditional Chinese has the character."""
    for standard in ("gb2312", "big5"):
        try:
            character.encode(standard)
        except UnicodeEncodeError:
            continue
        return True
    return False


def _blocks(document: ParsedDocument) -> Iterator[Block]:
    for section in document.sections:
        yield from section.blocks


def _sample(document: ParsedDocument) -> str:
    parts: list[str] = []
    length = 0
    for section in document.sections:
        for text in (section.title, *(block.text for block in section.blocks)):
            parts.append(text)
            length += len(text)
        if length > SAMPLE_CHARS:
            break
    # A record or a mail may be all title.
    return "\n".join(parts or [document.title])[:SAMPLE_CHARS]


def _pages_with_text(document: ParsedDocument) -> set[int]:
    pages: set[int] = set()
    for block in _blocks(document):
        if block.page is not None:
            pages.update(range(block.page, (block.page_last or block.page) + 1))
    return pages
