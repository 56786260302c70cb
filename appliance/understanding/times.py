"""Times that a question speaks of: its words and the as-of date arrive, ranges of days and notices leave.

Expressions are found one by one (``times_en``, ``times_zh``), given the year they lack, then joined by the
words between and before them: from … to, since, until, 以来, 之前. Linear in the length of the text.
"""

from __future__ import annotations

import datetime
import re

from appliance.domain import Struct, TimeRange
from appliance.understanding import times_en, times_zh
from appliance.understanding.fold import fold
from appliance.understanding.periods import DAY, Period
from appliance.understanding.time_atoms import Atom, scan

_HAN = re.compile(r"[一-鿿]")
_JOIN = re.compile(
    r"\s*(?:to|through|thru|until|till|up\s+to|up\s+until|-|~|至|到|一直到|直到|到了)\s*(?:the\s+)?", re.I
)
_AND = re.compile(r"\s*(?:and|与|和|跟|同)\s*(?:the\s+)?(?:end\s+of\s+)?", re.I)
_FROM = re.compile(
    r"(?:\bfrom|\bstarting(?:\s+(?:in|on|from))?|\bbeginning(?:\s+(?:in|on))|自从|自|从|由)"
    r"\s*(?:the\s+)?$",
    re.I,
)
_BETWEEN = re.compile(r"\bbetween\s*(?:the\s+)?$", re.I)
_AMID = re.compile(r"\s*(?:之间|期间|间|这段时间|这几年)")
_SINCE = re.compile(r"(?:\bever\s+since|\bsince|自从|自)\s*(?:the\s+)?(?:end\s+of\s+)?$", re.I)
_AFTER = re.compile(r"(?:\bafter|\blater\s+than|\bfollowing|\bpost)\s*-?(?:the\s+)?(?:end\s+of\s+)?$", re.I)
_BEFORE = re.compile(
    r"(?:\bbefore|\bprior\s+to|\bearlier\s+than|\bpre|早于|先于)\s*-?(?:the\s+)?(?:start\s+of\s+)?$", re.I
)
_UNTIL = re.compile(
    r"(?:\buntil|\btill|\bup\s+to|\bup\s+until|\bas\s+of|\bas\s+at|"
    r"\bby(?:\s+the)?(?:\s+end\s+of)?|\bno\s+later\s+than|"
    r"\bthrough|截至|截止到?|截止至|直到|不晚于|到)\s*(?:the\s+)?$",
    re.I,
)
_THEN_SINCE = re.compile(
    r"\s*(?:以来|起至今|起|开始|至今|到现在|到今天|之?后至今|onwards?\b|or\s+later\b|"
    r"and\s+(?:later|after)\b)",
    re.I,
)
_THEN_AFTER = re.compile(r"\s*(?:之后|以后|后(?![期续台])|过后)")
_THEN_BEFORE = re.compile(r"\s*(?:之前|以前|前(?![三两二一十后期五])|or\s+earlier\b)", re.I)
_THEN_UNTIL = re.compile(r"\s*(?:为止|止)")
_LINK = re.compile(
    r"\s*(?:,|，|、)?\s*(?:and|but|yet|且|并且|而且|同时|但|又|以及)?\s*(?:(?:在|于|是)\s*)?", re.I
)
_CONTEXT = 28


class TimesRead(Struct, frozen=True, kw_only=True):
    """What a question's times mean, where they stand, and what could not be taken as said."""

    times: tuple[TimeRange, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    """Begin and end of each in the text."""
    notices: tuple[str, ...] = ()


class _Bound(Struct, frozen=True, kw_only=True):
    begin: int
    end: int
    period: Period
    open: bool = False
    """A ``since`` or ``before`` that a neighbour may close."""


def read_times(text: str, *, as_of: datetime.date, hidden: tuple[tuple[int, int], ...] = ()) -> TimesRead:
    """The times of a question in order, resolved against ``as_of``; ``hidden`` spans (codes) hold none."""
    folded = _hide(fold(text), hidden)
    rules = times_zh.RULES + times_en.RULES if _HAN.search(folded) else times_en.RULES
    atoms = _with_years(_meant(scan(folded, rules, as_of), folded), as_of)
    notices = [_no_date(text[a.begin : a.end]) for a in atoms if a.impossible()]
    joined = _bounds([a for a in atoms if not a.impossible()], folded, as_of)
    kept: list[_Bound] = []
    for bound in _merged(joined, folded):
        period = bound.period
        if period.start and period.end and period.start > period.end:
            notices.append(_contradicts(text[bound.begin : bound.end]))
        else:
            kept.append(bound)
    times = [_range(text, bound) for bound in kept]
    first = {(t.start, t.end): place for place, t in reversed(list(enumerate(times)))}
    order = sorted(first.values())
    return TimesRead(
        times=tuple(times[place] for place in order),
        spans=tuple((kept[place].begin, kept[place].end) for place in range(len(kept))),
        notices=tuple(dict.fromkeys(notices)),
    )


def _hide(folded: str, hidden: tuple[tuple[int, int], ...]) -> str:
    for begin, end in hidden:
        folded = folded[:begin] + "#" * (end - begin) + folded[end:]
    return folded


def _meant(atoms: list[Atom], text: str) -> list[Atom]:
    """Without ``may`` and ``march`` that are no months, and without a ``now`` that only means today."""
    kept: list[Atom] = []
    for atom in atoms:
        before = text[max(0, atom.begin - _CONTEXT) : atom.begin]
        if atom.vague and not _PREPOSED.search(before):
            continue
        kept.append(atom)
    return kept


_PREPOSED = re.compile(
    r"\b(?:in|since|until|till|by|from|before|after|during|through|to|and|between|of|early|late|"
    r"mid|end\s+of)[\s-]+$",
    re.I,
)


def _with_years(atoms: list[Atom], as_of: datetime.date) -> list[Atom]:
    """Year-less expressions take the next one's year, else the last one's, else the as-of date's."""
    done: list[Atom] = []
    for place, atom in enumerate(atoms):
        if atom.by_year is None:
            done.append(atom)
            continue
        source = next((a for a in atoms[place + 1 : place + 2] if a.gives_year and a.period), None) or next(
            (a for a in reversed(done) if a.gives_year and a.period), None
        )
        if source and source.period and source.period.start:
            period = atom.by_year(source.period.start.year)
        else:
            period = _latest(atom, as_of)
        done.append(Atom(begin=atom.begin, end=atom.end, period=period, gives_year=source is not None))
    return done


def _latest(atom: Atom, as_of: datetime.date) -> Period | None:
    assert atom.by_year is not None
    candidates = (
        atom.by_year(number) for number in (as_of.year, as_of.year - 1, as_of.year - 2, as_of.year - 4)
    )
    possible = [period for period in candidates if period]
    return next((p for p in possible if p.start and p.start <= as_of), possible[0] if possible else None)


def _bounds(atoms: list[Atom], text: str, as_of: datetime.date) -> list[_Bound]:
    bounds: list[_Bound] = []
    place = 0
    while place < len(atoms):
        atom = atoms[place]
        follower = atoms[place + 1] if place + 1 < len(atoms) else None
        joined = _range_of(atom, follower, text) if follower else None
        if joined is not None:
            bounds.append(joined)
            place += 2
            continue
        bound = _one(atom, text)
        if bound is not None:
            bounds.append(bound)
        place += 1
    return bounds


def _range_of(first: Atom, second: Atom, text: str) -> _Bound | None:
    """``from A to B``, ``between A and B``, ``A至B``, ``A到现在``."""
    gap = text[first.end : second.begin]
    if len(gap) > 16 or first.now or not first.period or not second.period:
        return None
    before, after = text[max(0, first.begin - _CONTEXT) : first.begin], text[second.end : second.end + 6]
    between, start = _BETWEEN.search(before), _FROM.search(before) or _SINCE.search(before)
    low, high = first.period, second.period
    if _AND.fullmatch(gap) and (between or _AMID.match(after)):
        if low.start and high.start and low.start > high.start:
            low, high = high, low
    elif not (_JOIN.fullmatch(gap) or (second.now and not gap.strip())):
        return None
    begin = between or start
    end = second.end + (len(m.group()) if (m := _AMID.match(after)) else 0)
    return _Bound(
        begin=first.begin - len(begin.group()) if begin else first.begin,
        end=end,
        period=Period(start=low.start, end=high.end, fiscal=low.fiscal or high.fiscal),
    )


def _one(atom: Atom, text: str) -> _Bound | None:
    period = atom.period
    assert period is not None
    before, after = text[max(0, atom.begin - _CONTEXT) : atom.begin], text[atom.end : atom.end + 16]
    for pattern, make in _BY_PREFIX:
        match = pattern.search(before)
        if match and not (atom.now and make is not _until):
            tail = next((m for p in (_THEN_SINCE, _THEN_UNTIL) if (m := p.match(after))), None)
            end = atom.end + (len(tail.group()) if tail else 0)
            return _Bound(begin=atom.begin - len(match.group()), end=end, period=make(period), open=True)
    if atom.now:
        return None
    for pattern, make in _BY_SUFFIX:
        match = pattern.match(after)
        if match:
            return _Bound(begin=atom.begin, end=atom.end + match.end(), period=make(period), open=True)
    return _Bound(begin=atom.begin, end=atom.end, period=period)


def _since(period: Period) -> Period:
    return Period(start=period.start, fiscal=period.fiscal)


def _after(period: Period) -> Period:
    return Period(start=period.end + DAY if period.end else period.start, fiscal=period.fiscal)


def _before(period: Period) -> Period:
    return Period(end=period.start - DAY if period.start else period.end, fiscal=period.fiscal)


def _until(period: Period) -> Period:
    return Period(end=period.end, fiscal=period.fiscal)


_BY_PREFIX = ((_SINCE, _since), (_FROM, _since), (_AFTER, _after), (_BEFORE, _before), (_UNTIL, _until))
_BY_SUFFIX = (
    (_THEN_SINCE, _since),
    (_THEN_AFTER, _after),
    (_THEN_BEFORE, _before),
    (_THEN_UNTIL, _until),
)


def _merged(bounds: list[_Bound], text: str) -> list[_Bound]:
    """Neighbouring open bounds made one: ``after 2020 and before 2024``."""
    done: list[_Bound] = []
    for bound in bounds:
        last = done[-1] if done else None
        if last and last.open and bound.open and _LINK.fullmatch(text[last.end : bound.begin]):
            start, end = last.period.start or bound.period.start, last.period.end or bound.period.end
            if (last.period.start is None) != (bound.period.start is None):
                fiscal = last.period.fiscal or bound.period.fiscal
                period = Period(start=start, end=end, fiscal=fiscal)
                done[-1] = _Bound(begin=last.begin, end=bound.end, period=period)
                continue
        done.append(bound)
    return done


def _range(text: str, bound: _Bound) -> TimeRange:
    period = bound.period
    return TimeRange(
        text=text[bound.begin : bound.end].strip(),
        start=period.start.isoformat() if period.start else None,
        end=period.end.isoformat() if period.end else None,
        fiscal=period.fiscal,
    )


def _no_date(words: str) -> str:
    return (
        f"“{words}”不是日历上有的时间，未按时间处理"
        if _HAN.search(words)
        else f"“{words}” is no date in any calendar; not used"
    )


def _contradicts(words: str) -> str:
    if _HAN.search(words):
        return f"“{words}”的起止时间互相矛盾，未按时间处理"
    return f"“{words}” contradicts itself: it ends before it begins; not used"
