"""What several documents say alike, kept once: near-duplicate passages, boilerplate, a table in two reports.

Arrives: passages or their pieces. Leaves: those that stay, from the source that the question names, else the
most authoritative, else the newest; for each, where else it stands. Passages that differ in one figure, name
or denial are no duplicates, however alike: two quarters' reports, two companies' clauses.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from appliance.domain import Authority, Fingerprint, Passage, PassageId, Struct
from appliance.evidence.facts import facts, squeeze
from appliance.evidence.pieces import Piece

SHINGLE_WORDS, SHINGLE_HAN = 3, 4
ALIKE_MIN = 0.85
"""Share of shingles in common (Broder 1997: resemblance) from which two passages may be the same."""
REPEATED_CHARS_MIN = 24
"""A shorter sentence ("Yes.") is not boilerplate for standing in two documents."""
_FURNITURE = re.compile(
    r"^(?:[-–—\s]*\d{1,4}[-–—\s]*|table of contents|page \d+(?: of \d+)?|"
    r"第\s*\d+\s*页(?:\s*[,，/共]\s*\d+\s*页)?|"
    r"目\s*录|"
    r"(?:see|the) accompanying notes.{0,90}|\(?continued\)?|（续）|F-\d+)$",
    re.IGNORECASE,
)
_UNRANKED = len(Authority)


class Standing(Struct, frozen=True, kw_only=True):
    """Which of two sources that say the same is cited."""

    words: frozenset[str]
    """Of the question."""
    analyse: Callable[[str], list[str]]

    @classmethod
    def of(cls, question: str, analyse: Callable[[str], list[str]]) -> Standing:
        """The standing of sources for a question."""
        return cls(words=frozenset(analyse(question)), analyse=analyse)

    def named(self, passage: Passage) -> frozenset[str]:
        """The words of the question that name this passage's document: company, year, edition."""
        head = f"{passage.label} {passage.title} {passage.section_path} {(passage.published or '')[:4]}"
        return self.words & frozenset(self.analyse(head))

    def order(self, passage: Passage) -> tuple[int, int, int, int, int]:
        """Smaller is cited: named most, most authoritative, in force, newest, latest version."""
        authority = passage.authority.level if passage.authority is not None else _UNRANKED
        day = int(re.sub(r"\D", "", passage.published or "")[:8].ljust(8, "0") or 0)
        return (-len(self.named(passage)), authority, int(not passage.current), -day, -passage.version)


class Distinct(Struct, frozen=True, kw_only=True):
    """Passages that stay, in their order, and the near-duplicates that each stands for."""

    passages: tuple[Passage, ...]
    left_out: dict[PassageId, tuple[Passage, ...]]


def distinct_passages(passages: Sequence[Passage], standing: Standing) -> Distinct:
    """Return the passages without near-duplicates; the one that stays takes the best place of its group."""
    groups: list[list[Passage]] = []
    shingled = {passage.id: shingles(passage.text) for passage in passages}
    for passage in passages:
        for group in groups:
            if all(_same(one, passage, shingled, standing) for one in group):
                group.append(passage)
                break
        else:
            groups.append([passage])
    kept = [min(group, key=standing.order) for group in groups]
    left_out = {
        best.id: tuple(one for one in group if one.id != best.id)
        for best, group in zip(kept, groups, strict=True)
        if len(group) > 1
    }
    return Distinct(passages=tuple(kept), left_out=left_out)


def _same(
    one: Passage, other: Passage, shingled: Mapping[PassageId, frozenset[str]], standing: Standing
) -> bool:
    alike = resemblance(shingled[one.id], shingled[other.id]) >= ALIKE_MIN
    return alike and _may_stand_for(one, other, standing) and _says(one.text) == _says(other.text)


def _says(text: str) -> set[str]:
    return {fact.key for fact in facts(text)}


def _may_stand_for(one: Passage, other: Passage, standing: Standing) -> bool:
    """Not where the question names both sources, each by its own word: it compares them."""
    a, b = standing.named(one), standing.named(other)
    return a <= b or b <= a


def shingles(text: str) -> frozenset[str]:
    """Return runs of three words, and of four Chinese characters, of a text in lower case."""
    folded = text.lower()
    words = re.findall(r"[a-z0-9][a-z0-9.,'-]*", folded)
    made = {
        " ".join(words[i : i + SHINGLE_WORDS]) for i in range(max(1, len(words) - SHINGLE_WORDS + 1)) if words
    }
    for run in re.findall(r"[一-鿿]+", folded):
        made |= {run[i : i + SHINGLE_HAN] for i in range(max(1, len(run) - SHINGLE_HAN + 1))}
    return frozenset(made)


def resemblance(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the Jaccard index of two sets of shingles, 0–1; 0 where both are empty."""
    union = len(one | other)
    return len(one & other) / union if union else 0.0


def distinct_pieces(
    pieces: Sequence[Piece], standing: Standing
) -> tuple[list[Piece], dict[tuple[PassageId, int], tuple[Fingerprint, ...]]]:
    """Return the pieces that stay, and by (passage, start of its sentence) the passages that say the same.

    Page numbers and running heads go; a sentence or row that stands in several passages stays in one.
    """
    alike: defaultdict[str, list[int]] = defaultdict(list)
    for index, piece in enumerate(pieces):
        if piece.row is not None or len(piece.raw) >= REPEATED_CHARS_MIN:
            alike[squeeze(piece.shown)].append(index)
    dropped = {i for i, piece in enumerate(pieces) if piece.row is None and _FURNITURE.match(piece.raw)}
    support: dict[tuple[PassageId, int], tuple[Fingerprint, ...]] = {}
    for group in alike.values():
        rest: list[int] = [i for i in group if i not in dropped]
        while len(rest) > 1:
            best = _best(rest, pieces, standing)
            kept = pieces[best].passage
            same = [i for i in rest if _may_stand_for(kept, pieces[i].passage, standing)]
            dropped |= {i for i in same if i != best}
            marks = dict.fromkeys(pieces[i].passage.fingerprint for i in same)
            support[kept.id, pieces[best].whole[0]] = tuple(one for one in marks if one != kept.fingerprint)
            rest = [i for i in rest if i not in same]
    return [piece for i, piece in enumerate(pieces) if i not in dropped], support


def _best(indexes: Sequence[int], pieces: Sequence[Piece], standing: Standing) -> int:
    def order(index: int) -> tuple[tuple[int, ...], int]:
        return standing.order(pieces[index].passage), index

    return min(indexes, key=order)
