"""A passage cut into what a claim can stand in: sentences and table rows, each with what lends it meaning.

Arrives: a passage and a splitter of sentences. Leaves: pieces whose offsets point into ``Passage.text``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

from appliance.domain import Passage
from appliance.domain.quantities import Quantity, quantities, stated_scale
from appliance.domain.wording import words_of
from appliance.ports import Split

"""Sentences of a text, nothing lost between: ``"".join(split(text)) == text``."""
_CLAUSE = re.compile(r"[,;，；、]|\b(?:and|while|whereas|but)\b|[而但和与](?=[一-鿿])")
_RULE = re.compile(r"^[\s|:+-]+$")


class Piece:
    """A sentence or a row of a passage."""

    def __init__(
        self, text: str, start: int, *, header: Sequence[str] = (), cells: Sequence[str] = ()
    ) -> None:
        """``start``: of ``text`` in the passage; ``header`` and ``cells`` of a table's row."""
        self.text, self.start, self.end = text, start, start + len(text)
        self.header, self.cells = tuple(header), tuple(cells)

    @cached_property
    def words(self) -> dict[str, float]:
        """Of its text, and of the header above it."""
        return words_of(" ".join((*self.header, self.text)))

    @cached_property
    def figures(self) -> tuple[Quantity, ...]:
        """Of its text, and the moments of the header."""
        return (*quantities(self.text), *(one for head in self.header for one in quantities(head)))

    @cached_property
    def parts(self) -> tuple[Piece, ...]:
        """Its cells under their headings, or its clauses."""
        if self.cells:
            heads = (*self.header, *[""] * len(self.cells))
            lead = self.cells[0]
            return tuple(
                Piece(f"{heads[at]} {cell}" if at == 0 else f"{lead} {heads[at]}: {cell}", self.start)
                for at, cell in enumerate(self.cells)
            )
        borders = [
            0,
            *(m.start() for m in _CLAUSE.finditer(self.text) if not _inside(self.text, m)),
            len(self.text),
        ]
        cut = [self.text[a:b] for a, b in pairwise(borders) if self.text[a:b].strip()]
        return tuple(Piece(one, self.start) for one in cut)


def _inside(text: str, mark: re.Match[str]) -> bool:
    """Whether a comma stands between digits."""
    around = text[max(0, mark.start() - 1) : mark.end() + 1]
    return bool(re.fullmatch(r"\d[,，]\d", around))


class Source:
    """A passage, cut, with what its head lends to every piece."""

    def __init__(self, passage: Passage, split: Split) -> None:
        self.passage = passage
        self.head = " ".join((passage.title, passage.section_path, passage.label, passage.published or ""))
        self.scale = stated_scale(f"{self.head} {passage.text[:600]}")
        self.pieces = tuple(_cut(passage.text, split))

    @cached_property
    def words(self) -> dict[str, float]:
        """Of head and text."""
        return words_of(f"{self.head} {self.passage.text}")

    @cached_property
    def head_figures(self) -> tuple[Quantity, ...]:
        """Of title, section and date."""
        return quantities(self.head)

    def around(self, piece: Piece) -> str:
        """The piece with its neighbours."""
        at = self.pieces.index(piece)
        return " ".join(one.text for one in self.pieces[max(0, at - 1) : at + 2])


def _cut(text: str, split: Split) -> list[Piece]:
    pieces: list[Piece] = []
    header: tuple[str, ...] = ()
    start = 0
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        if bare.count("|") >= 2 or "\t" in bare:
            cells = tuple(cell.strip() for cell in re.split(r"\||\t", bare.strip("|")))
            if not _RULE.match(bare):
                pieces.append(Piece(line.rstrip("\n"), start, header=header, cells=cells))
                header = header or cells
        else:
            header = ()
            at = start
            for sentence in split(line) if bare else ():
                lead = len(sentence) - len(sentence.lstrip())
                if sentence.strip():
                    pieces.append(Piece(sentence.strip(), at + lead))
                at += len(sentence)
        start += len(line)
    return pieces or [Piece(text, 0)]
