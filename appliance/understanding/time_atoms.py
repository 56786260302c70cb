"""One time expression found in a folded question, before bounds and neighbours are looked at."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable

from appliance.domain import Struct
from appliance.understanding.periods import Period

ByYear = Callable[[int], Period | None]


class Atom(Struct, frozen=True, kw_only=True):
    """Where it stands and what it means; neither ``period`` nor ``by_year``: it cannot be (13月)."""

    begin: int
    end: int
    period: Period | None = None
    by_year: ByYear | None = None
    """For ``Q3``, 5月3日: the year has to come from elsewhere."""
    gives_year: bool = False
    """A neighbour without a year takes this one's."""
    now: bool = False
    vague: bool = False
    """Only a time when the words around it say so: ``May``, ``March``."""

    def impossible(self) -> bool:
        """It is written like a date, and the calendar does not have it."""
        return self.period is None and self.by_year is None


Reader = Callable[[re.Match[str], datetime.date], Atom | None]
Rule = tuple[re.Pattern[str], Reader]


def scan(text: str, rules: Iterable[Rule], as_of: datetime.date) -> list[Atom]:
    """The expressions in a text by position; where two rules fit, the earlier rule's stands."""
    taken = bytearray(len(text))
    atoms: list[Atom] = []
    for pattern, read in rules:
        for match in pattern.finditer(text):
            begin, end = match.span()
            if begin == end or any(taken[begin:end]):
                continue
            atom = read(match, as_of)
            if atom is not None:
                atoms.append(atom)
                taken[atom.begin : atom.end] = b"\x01" * (atom.end - atom.begin)
    return sorted(atoms, key=lambda atom: atom.begin)


def fixed(match: re.Match[str], period: Period | None, *, gives_year: bool = True) -> Atom:
    """An expression that names its year."""
    return Atom(begin=match.start(), end=match.end(), period=period, gives_year=gives_year)


def yearless(match: re.Match[str], by_year: ByYear, *, vague: bool = False) -> Atom:
    """An expression that needs a year; impossible in every year: neither period nor rule."""
    possible = by_year(2024) is not None
    return Atom(
        begin=match.start(), end=match.end(), by_year=by_year if possible else None, vague=vague and possible
    )


def full_year(text: str, as_of: datetime.date) -> int:
    """``2022`` or ``22``: two digits mean the century in which the year is not far ahead."""
    value = int(text)
    if len(text) > 2:
        return value
    century = as_of.year // 100 * 100
    return century + value if century + value <= as_of.year + 10 else century - 100 + value
