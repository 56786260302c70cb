"""Which section of the new version is which of the old one: by title, numbering and content.

Arrives: the sections of two versions. Leaves: pairs, with whether a section moved or was renamed; sections of
one side only. Numbers are no part of a title here, so a clause that is merely renumbered is found again.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence

from appliance.documents.inline import number_of, plain, similarity, unnumbered, words
from appliance.domain import Section, Struct

SAME_TITLE_SIMILARITY = 0.3
"""Sections of one title in different places are one section if this much of their text is the same."""
RENAMED_SIMILARITY = 0.5
SAME_NUMBER_SIMILARITY = 0.2
_LEAST_BYTES = 16
"""In UTF-8, where a Chinese character has three. Shorter texts are not recognised by their content."""


class Clause(Struct, frozen=True, kw_only=True):
    """A section in the form in which it is compared."""

    at: int
    section: Section
    parent: int
    """Position of the section above it; -1: none."""
    name: str
    """The title without its number; "" for the document's own title and for a title that is only a number."""
    number: str
    trail: tuple[str, ...]
    content: str
    """Body in plain form; of a heading without a body, its own text."""


class Pair(Struct, frozen=True, kw_only=True):
    """One section on both sides."""

    old: Clause
    new: Clause
    moved: bool
    renamed: bool


class Alignment(Struct, frozen=True, kw_only=True):
    """Pairs in the order of the new side, and what only one side has."""

    pairs: tuple[Pair, ...]
    removed: tuple[Clause, ...]
    added: tuple[Clause, ...]


def clauses(sections: Sequence[Section], title: str) -> list[Clause]:
    """The sections of a document called ``title``, in order."""
    made: list[Clause] = []
    open_at: dict[int, int] = {}
    for at, section in enumerate(sections):
        own = plain(section.title)
        number = number_of(section.title)
        bare = bool(number) and number == own
        is_title = own == plain(title) or not own
        name = "" if bare or is_title else unnumbered(section.title).casefold()
        parent = max((open_at[level] for level in open_at if level < section.level), default=-1)
        body = plain("\n".join(block.text for block in section.blocks))
        open_at = {level: place for level, place in open_at.items() if level < section.level}
        open_at[section.level] = at
        made.append(
            Clause(
                at=at,
                section=section,
                parent=parent,
                name=name,
                number=number,
                trail=(*(made[parent].trail if parent >= 0 else ()), name or ("" if is_title else number)),
                content=body or ("" if is_title else unnumbered(section.title)),
            )
        )
    return made


def align(old: Sequence[Clause], new: Sequence[Clause]) -> Alignment:
    """Every section at most once, the surest matches first."""
    found: dict[int, int] = {}
    left, right = list(old), list(new)

    def settle(pairs: Iterator[tuple[Clause, Clause]]) -> None:
        for before, after in pairs:
            if before.at not in found and after.at not in taken:
                found[before.at] = after.at
                taken.add(after.at)
        left[:] = [clause for clause in left if clause.at not in found]
        right[:] = [clause for clause in right if clause.at not in taken]

    taken: set[int] = set()
    settle(_equal(left, right, lambda c: (_tidy(c.trail), c.content)))
    settle(_equal(left, right, lambda c: (c.name, c.content) if c.name or _telling(c) else None))
    settle(_equal(left, right, lambda c: _tidy(c.trail) if c.name or not c.number else None))
    settle(_alike(left, right, SAME_TITLE_SIMILARITY, lambda a, b: bool(a.name) and a.name == b.name))
    settle(_equal(left, right, lambda c: c.content if _telling(c) else None))
    settle(_alike(left, right, RENAMED_SIMILARITY, lambda a, b: _telling(a) and _telling(b)))
    settle(_alike(left, right, SAME_NUMBER_SIMILARITY, _same_number))
    return Alignment(
        pairs=tuple(_pairs(old, new, found)),
        removed=tuple(left),
        added=tuple(right),
    )


def _tidy(trail: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in trail if name)


def _telling(clause: Clause) -> bool:
    return len(clause.content.encode()) >= _LEAST_BYTES


def _same_number(old: Clause, new: Clause) -> bool:
    return bool(old.number) and old.number == new.number and not old.name and not new.name


def _equal(
    old: list[Clause], new: list[Clause], key: Callable[[Clause], Hashable | None]
) -> Iterator[tuple[Clause, Clause]]:
    waiting: defaultdict[Hashable, list[Clause]] = defaultdict(list)
    for clause in old:
        if (mark := key(clause)) is not None:
            waiting[mark].append(clause)
    for clause in new:
        mark = key(clause)
        if mark is not None and waiting.get(mark):
            yield waiting[mark].pop(0), clause


def _alike(
    old: list[Clause], new: list[Clause], least: float, may: Callable[[Clause, Clause], bool]
) -> Iterator[tuple[Clause, Clause]]:
    """Pairs of at least this similarity, the most similar first."""
    vocabularies = {id(clause): frozenset(words(clause.content)) for clause in (*old, *new)}
    scored: list[tuple[float, int, int, Clause, Clause]] = []
    for before in old:
        for after in new:
            if not may(before, after):
                continue
            here, there = vocabularies[id(before)], vocabularies[id(after)]
            # Far cheaper than a comparison in order, and hardly ever below it.
            if here and there and 2 * len(here & there) < least * 0.7 * (len(here) + len(there)):
                continue
            score = similarity(before.content, after.content)
            if score >= least:
                scored.append((-score, abs(before.at - after.at), after.at, before, after))
    for *_, before, after in sorted(scored, key=lambda each: each[:3]):
        yield before, after


def _pairs(old: Sequence[Clause], new: Sequence[Clause], found: dict[int, int]) -> Iterator[Pair]:
    families: defaultdict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for before, after in found.items():
        families[old[before].parent, new[after].parent].append((after, before))
    steady = {after for family in families.values() for after in _in_order(sorted(family))}
    for before, after in sorted(found.items(), key=lambda each: each[1]):
        one, other = old[before], new[after]
        elsewhere = (found.get(one.parent, -1) if one.parent >= 0 else -1) != other.parent
        # A parent that is new, or gone, has not moved its children: they are where they were.
        around = one.parent >= 0 and other.parent >= 0 and one.parent in found
        yield Pair(
            old=one,
            new=other,
            moved=(elsewhere and around) or after not in steady,
            renamed=one.name != other.name,
        )


def _in_order(family: list[tuple[int, int]]) -> list[int]:
    """New positions of the longest run of siblings that keeps its order (patience sorting)."""
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for at, (_, place) in enumerate(family):
        length = bisect_left(tails, place)
        before.append(ends[length - 1] if length else -1)
        if length == len(tails):
            tails.append(place)
            ends.append(at)
        else:
            tails[length], ends[length] = place, at
    kept: list[int] = []
    at = ends[-1] if ends else -1
    while at >= 0:
        kept.append(family[at][0])
        at = before[at]
    return kept
