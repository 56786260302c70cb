"""Guidance joined over time and held against the question: the question's own words come first.

Arrives: guidance in the order in which it was given, and the question's reading. Leaves: one guidance to
search by, and a sentence for each thing that question and guidance say differently.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from appliance.domain import ConstraintKind, Guidance, Reading, Struct, TimeRange, Wish, WishAim
from appliance.understanding.guidance_words import source_kinds


class Fitted(Struct, frozen=True, kw_only=True):
    """What is left of the guidance where the question speaks for itself."""

    guidance: Guidance
    conflicts: tuple[str, ...] = ()


def together(given: Sequence[Guidance]) -> Guidance:
    """All guidance as one: what is said later replaces what it contradicts."""
    wishes: list[Wish] = []
    for guidance in given:
        for wish in guidance.wishes:
            same = [kept for kept in wishes if kept in guidance.wishes]
            wishes = [kept for kept in wishes if kept in same or not _replaces(wish, kept)]
            wishes.append(wish)
    return Guidance(
        text=" · ".join(guidance.text for guidance in given),
        wishes=tuple(dict.fromkeys(wishes)),
        terms=_joined(guidance.terms for guidance in given),
        collections=_joined(guidance.collections for guidance in given),
        avoided_collections=_joined(guidance.avoided_collections for guidance in given),
        notices=_joined(guidance.notices for guidance in given),
    )


def fitted(guidance: Guidance, reading: Reading) -> Fitted:
    """The guidance as far as the question is silent; what it says itself holds, and the conflict is told."""
    wishes: list[Wish] = []
    conflicts: list[str] = []
    for wish in guidance.wishes:
        clash = _clash_of_names(wish, reading)
        if clash:
            conflicts.append(_told(wish, clash))
            continue
        if clash := _clash_of_times(wish, reading.times):
            conflicts.append(_told(wish, clash))
            if wish.aim is not WishAim.AVOID and wish.undated:
                wishes.append(msgspec.structs.replace(wish, ways=wish.undated, times=()))
            continue
        wishes.append(wish)
    left = msgspec.structs.replace(guidance, wishes=tuple(wishes))
    return Fitted(guidance=left, conflicts=tuple(conflicts))


def _told(wish: Wish, said: str) -> str:
    return (
        f"the question says {said}, the guidance “{wish.text}”: the question holds;"
        " the guidance is kept and applies where the question says nothing"
    )


def _clash_of_times(wish: Wish, asked: tuple[TimeRange, ...]) -> str:
    """The question's words for days that the wish would keep out of reach; empty where it keeps none."""
    if not wish.times or not asked:
        return ""
    if wish.aim is WishAim.AVOID:
        shut = all(any(_within(day, time) for time in wish.times) for day in asked)
    else:
        shut = not any(_overlap(day, time) for day in asked for time in wish.times)
    return ", ".join(day.text for day in asked) if shut else ""


def _clash_of_names(wish: Wish, reading: Reading) -> str:
    sources = [each.value or each.text for each in reading.constraints if each.kind is ConstraintKind.SOURCE]
    unwanted = [
        each.value or each.text for each in reading.constraints if each.kind is ConstraintKind.EXCLUSION
    ]
    if not wish.names:
        return ""
    if wish.aim is WishAim.AVOID:
        return next((f"to use “{source}”" for source in sources if _speaks_of(wish, source)), "")
    if shut := next((each for each in unwanted if _speaks_of(wish, each)), ""):
        return f"to leave out “{shut}”"
    if wish.aim is WishAim.ONLY and sources and not any(_speaks_of(wish, source) for source in sources):
        return f"to use “{sources[0]}”"
    return ""


def _speaks_of(wish: Wish, text: str) -> bool:
    folded = text.casefold()
    patterns = {kind.name: kind.pattern for kind in source_kinds()}
    return any(
        patterns[name].search(text) is not None if name in patterns else name.casefold() in folded
        for name in wish.names
    )


def _replaces(later: Wish, earlier: Wish) -> bool:
    """Whether the later wish takes the earlier one back: ``ignore news`` … ``look in the news``."""
    wants = (later.aim is not WishAim.AVOID, earlier.aim is not WishAim.AVOID)
    if wants[0] != wants[1]:
        if later.names and set(later.names) & set(earlier.names):
            return _meet(later.times, earlier.times)
        return not later.names and not earlier.names and _meet(later.times, earlier.times)
    if wants == (True, True) and later.times and earlier.times and later.names == earlier.names:
        return not _meet(later.times, earlier.times)
    return False


def _meet(some: tuple[TimeRange, ...], others: tuple[TimeRange, ...]) -> bool:
    """No days on either side are all days."""
    return not some or not others or any(_overlap(one, other) for one in some for other in others)


def _overlap(one: TimeRange, other: TimeRange) -> bool:
    return (one.start or "") <= (other.end or "9999") and (other.start or "") <= (one.end or "9999")


def _within(inner: TimeRange, outer: TimeRange) -> bool:
    return (outer.start or "") <= (inner.start or "") and (inner.end or "9999") <= (outer.end or "9999")


def _joined(parts: Iterable[Sequence[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for part in parts for word in part))
