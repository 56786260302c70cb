"""Headings and blocks in reading order become sections with trails, and a finished document.

Every parser writes into an :class:`Outline`; :meth:`Outline.document` adds language, title and date.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

import msgspec

from appliance.documents.dates import published_date
from appliance.documents.detect import Format
from appliance.documents.headings import numbering_rank
from appliance.documents.language import detect_language
from appliance.documents.section_types import SAMPLE_CHARS, section_type
from appliance.documents.tables import markdown_table
from appliance.domain import Block, BlockKind, Box, ParsedDocument, Section, Table
from appliance.errors import RefusedFileError

_SPACE = re.compile(r"\s+")
MAX_TITLE_CHARS = 300
_LANGUAGE_SAMPLE = 20_000


class About(msgspec.Struct, frozen=True, kw_only=True):
    """What a parser knows of a document beside its text."""

    name: str
    format: Format
    title: str = ""
    stated_dates: Sequence[tuple[str, str]] = ()
    """(value, origin) that the author gave."""
    filed_dates: Sequence[tuple[str, str]] = ()
    """(value, origin) that the writing program left in the file."""
    meta: dict[str, str] = {}
    warnings: Sequence[str] = ()
    title_from: str = ""
    authors: Sequence[str] = ()
    authors_from: str = ""
    edition: str = ""
    edition_from: str = ""
    pages: int | None = None


class Outline:
    """Collects headings and blocks; a heading of rank r closes every open one of rank ≥ r."""

    def __init__(self) -> None:
        self._sections: list[tuple[tuple[str, ...], list[Block]]] = [((), [])]
        self._open: list[tuple[int, str]] = []

    def heading(self, rank: int, title: str) -> None:
        """Start a section. Ranks only need an order: 1, 3, 7 nest as three levels."""
        title = squeeze(title)[:MAX_TITLE_CHARS]
        if not title:
            return
        while self._open and self._open[-1][0] >= rank:
            self._open.pop()
        self._open.append((rank, title))
        self._sections.append((tuple(name for _, name in self._open), []))

    def block(
        self,
        text: str,
        kind: BlockKind = BlockKind.PARAGRAPH,
        page: int | None = None,
        *,
        page_last: int | None = None,
        box: Box | None = None,
    ) -> None:
        """Append a block to the section that is open."""
        text = text.strip("\n").rstrip() if kind is BlockKind.CODE else text.strip()
        if text:
            self._sections[-1][1].append(Block(text=text, kind=kind, page=page, page_last=page_last, box=box))

    def table(
        self, table: Table, page: int | None = None, *, page_last: int | None = None, box: Box | None = None
    ) -> None:
        """Append a table: its cells as they are, and its text as Markdown rows."""
        text = markdown_table(table.rows, table.header_rows)
        if text:
            block = Block(
                text=text, kind=BlockKind.TABLE, page=page, page_last=page_last, box=box, table=table
            )
            self._sections[-1][1].append(block)

    def sections(self) -> tuple[Section, ...]:
        """All sections in order; text before the first heading is level 0 and left out when empty."""
        kept = [(trail, blocks) for trail, blocks in self._sections if trail or blocks]
        return tuple(
            Section(
                title=trail[-1] if trail else "",
                level=len(trail),
                trail=trail,
                blocks=tuple(blocks),
                type=section_type(trail, index / len(kept), _sample(blocks)),
            )
            for index, (trail, blocks) in enumerate(kept)
        )

    def document(self, about: About) -> ParsedDocument:
        """The finished document. Raises RefusedFileError when there is no text in it."""
        sections = self.sections()
        if not sections:
            raise RefusedFileError(f"{about.name} has no text in it", hint="check that it is the right file")
        head = "\n".join(_lines(sections))[:_LANGUAGE_SAMPLE]
        published, origin = published_date(
            about.stated_dates, head, about.filed_dates, labels_only=about.format is Format.JSONL
        )
        titles = (
            (squeeze(about.title)[:MAX_TITLE_CHARS], about.title_from or "file"),
            (_first_title(sections), "heading"),
            (PurePath(about.name).stem, "file name"),
        )
        title, title_from = next(pair for pair in titles if pair[0])
        return ParsedDocument(
            title=title,
            title_from=title_from,
            sections=sections,
            format=about.format.value,
            language=detect_language(head),
            published=published,
            published_from=origin,
            meta=about.meta,
            warnings=tuple(about.warnings),
            authors=tuple(about.authors),
            authors_from=about.authors_from,
            edition=about.edition,
            edition_from=about.edition_from,
            pages=about.pages,
        )


def _sample(blocks: Sequence[Block]) -> str:
    parts: list[str] = []
    for block in blocks:
        parts.append(block.text[:SAMPLE_CHARS])
        if sum(map(len, parts)) >= SAMPLE_CHARS:
            break
    return "\n".join(parts)


def squeeze(text: str) -> str:
    """``text`` on one line with single spaces."""
    return _SPACE.sub(" ", text).strip()


def _first_title(sections: Sequence[Section]) -> str:
    title = next((section.title for section in sections if section.level == 1), "")
    return "" if numbering_rank(title) else title


def _lines(sections: Sequence[Section]) -> list[str]:
    lines: list[str] = []
    length = 0
    for section in sections:
        for line in (section.title, *(block.text for block in section.blocks)):
            lines.append(line)
            length += len(line)
            if length > _LANGUAGE_SAMPLE:
                return lines
    return lines
