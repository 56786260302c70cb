"""A passage as pieces: rows, sentences, and parts of long sentences, each with what it is read under.

Arrives: a passage, and the text just above it in its document. Leaves: pieces in reading order with their
place in the passage, and for each the others that it cannot be read without.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from appliance.domain import Passage, Struct
from appliance.evidence.clauses import COUNTED, Range, lead, segments
from appliance.evidence.rows import Row, note_mark, note_of, shown
from appliance.evidence.tables import Block, blocks
from appliance.ports import Split

CAPTION_CHARS_MAX = 120
FOLLOWERS_MAX = 8
NEAR_CHARS = 4
"""Between two sentences that follow one another: what lay between them may have been left out."""
_NEEDS_PREVIOUS = re.compile(
    r"^(?:(?:it|its|they|their|this|that|these|those|he|she|his|her|the (?:company|product|device|project))\b"
    r"|其(?!他|中)|该|此|这|它|上述|前者|后者)",
    re.IGNORECASE,
)
_ITEM = re.compile(r"^\s*(?:[-•·●▪*o]\s|\d{1,2}[.)、]|[(（][\d一二三四五六七八九十a-z]{1,3}[)）])")


class Piece(Struct, frozen=True, kw_only=True):
    """What is kept or left out as one."""

    passage: Passage
    rank: int
    """Of its passage, from 0."""
    shown: str
    start: int
    end: int
    """Characters into the passage: of a part of a sentence, that part."""
    whole: Range
    """Of the row or sentence that it is part of."""
    row: Row | None = None
    lead: Range | None = None
    """The opening clause of a parted sentence, where this is a later part of it."""

    @property
    def parted(self) -> bool:
        """Whether it is one part of a longer sentence."""
        return (self.start, self.end) != self.whole

    @property
    def raw(self) -> str:
        """The whole row or sentence as it stands in the passage, line breaks squeezed."""
        return flat(self.passage.text[self.whole[0] : self.whole[1]])


def flat(text: str) -> str:
    """Return the text on one line: between Chinese characters a line break is nothing, else a space."""
    return " ".join(re.sub(r"(?<=[一-鿿，。；：、])\s*\n\s*(?=[一-鿿])", "", text).split())


def pieces_of(passage: Passage, rank: int, split: Split, above: str = "") -> list[Piece]:
    """Return the pieces of a passage in reading order; ``above``: the text before it, for a table header."""
    made: list[Piece] = []
    for block in blocks(passage.text, above):
        if block.row is not None:
            made.append(
                Piece(
                    passage=passage,
                    rank=rank,
                    shown=shown(block.row),
                    start=block.start,
                    end=block.end,
                    whole=(block.start, block.end),
                    row=block.row,
                )
            )
        else:
            made.extend(_sentences(passage, rank, split, block))
    return made


def _sentences(passage: Passage, rank: int, split: Split, block: Block) -> Iterator[Piece]:
    text = passage.text[block.start : block.end].replace("\n", " ")
    at = 0
    for sentence in split(text):
        bare = sentence.strip()
        if not bare:
            continue
        at = text.index(bare, at)
        first = block.start + at
        at += len(bare)
        parts = segments(bare)
        opening = lead(bare, parts)
        for start, end in parts:
            led = (first + opening[0], first + opening[1]) if opening and start >= opening[1] else None
            shown_part = flat(passage.text[first + start : first + end])
            if led:
                shown_part = f"{flat(passage.text[led[0] : led[1]])} … {shown_part}"
            yield Piece(
                passage=passage,
                rank=rank,
                shown=shown_part,
                start=first + start,
                end=first + end,
                whole=(first, first + len(bare)),
                lead=led,
            )


def company(pieces: Sequence[Piece], index: int) -> tuple[int, ...]:
    """Return what a piece cannot be read without: the sentence it leans on, caption, list head, footnotes."""
    piece = pieces[index]
    first = index
    while first and pieces[first - 1].passage.id == piece.passage.id:
        first -= 1
    wanted: list[int] = []
    if piece.row is not None:
        caption = pieces[first]
        markdown = piece.raw.startswith("|")
        if markdown and caption.row is None and len(caption.shown) <= CAPTION_CHARS_MAX:
            wanted.append(first)
        wanted += _notes(pieces, index, piece.row)
        return tuple(wanted)
    if index > first and piece.start == piece.whole[0]:
        if _NEEDS_PREVIOUS.match(piece.shown):
            if piece.start - pieces[index - 1].whole[1] <= NEAR_CHARS:
                wanted.append(index - 1)
        elif _ITEM.match(piece.shown):
            wanted += _list_head(pieces, first, index)
    return tuple(wanted)


def followers(pieces: Sequence[Piece], index: int) -> list[int]:
    """Return what a piece that ends in a colon announces: the counted parts, items or sentences after it."""
    piece = pieces[index]
    if piece.row is not None or not re.search(r"[:：]\s*$", piece.shown):
        return []
    found: list[int] = []
    for i in range(index + 1, min(len(pieces), index + 1 + FOLLOWERS_MAX)):
        here = pieces[i]
        same = here.whole == piece.whole or _ITEM.match(here.shown) or COUNTED.match(here.shown)
        if here.passage.id != piece.passage.id or not (same or (here.row is not None and not piece.parted)):
            break
        found.append(i)
    return found


def _list_head(pieces: Sequence[Piece], first: int, index: int) -> list[int]:
    """The sentence with a colon that a list stands under, a few items up at most."""
    for i in range(index - 1, max(first, index - 9) - 1, -1):
        if pieces[i].row is None and re.search(r"[:：]\s*$", pieces[i].shown):
            return [i]
        if not _ITEM.match(pieces[i].shown):
            return []
    return []


def _notes(pieces: Sequence[Piece], index: int, row: Row) -> list[int]:
    """The footnotes that the row's label or cells refer to, below it in its passage."""
    marks = {mark for mark in map(note_mark, (row.label, *row.cells)) if mark}
    if not marks:
        return []
    found: list[int] = []
    for i in range(index + 1, len(pieces)):
        if pieces[i].passage.id != pieces[index].passage.id:
            break
        if pieces[i].row is None and note_of(pieces[i].shown) in marks:
            found.append(i)
    return found
