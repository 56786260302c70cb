"""Lay descriptions found in a question, loosely: most of a phrase's words, near each other, in any order.

English phrases are compared by the roots of their content words, Chinese ones by pairs of characters with the
grammatical ones left out; ``everyday.toml`` says which everyday words count as the same. Each word counts by
its rarity among all phrases (inverse document frequency: Spärck Jones 1972), and only phrases that share one
of their rarest words with the question are looked at (prefix filter: Chaudhuri et al. 2006), so that the work
follows the question's length, not the number of phrases.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise

import msgspec

from appliance.understanding.wording import BREAK, HAN, Unit, root

NOT = "¬"
"""The key of a negation: a phrase that has one needs one."""
SHARE_EN = 0.64
SHARE_ZH = 0.5
"""Of a phrase's weight that has to be in the question."""
_STOP_EN = frozenset(
    """a an the this that these those it its is are was were be been being am do does did doing have has had
    having i me my mine we us our you your he him his she her they them their who whom whose which what when
    where why how to of in on at by for from with as and or but if so than then too very can could will would
    shall should may might must need needs able get gets getting got let lets just about into over out up off
    there here some any all each every also only own such more most one ones other another someone somebody
    something anyone anything kind sort type way called name term word go goes going use used using put
    takes take taking""".split()
)
_STOP_HAN = frozenset(
    "的了吗呢吧啊呀嘛哦地得着过个把被让使就能可以会要用是在有么什怎和跟与及还都也很太这那哪里些我你他她它们"
    "为对从到向于而且但如果时候后种叫做请问样"
)
_NEGATIONS = frozenset({"without", "no", "not", "never", "none", "cannot", "avoid"})


class Symbol(msgspec.Struct, frozen=True, gc=False):
    """What is compared: a root, or a pair of characters; and the units that it covers."""

    key: str
    first: int
    last: int


class Phrase(msgspec.Struct, frozen=True, gc=False):
    """One lay description, ready to be compared."""

    owner: int
    """What it stands for: the caller's number."""
    weights: dict[str, float]
    total: float
    span: int
    """Symbols of the question within which its words have to lie."""
    share: float


class Sighting(msgspec.Struct, frozen=True, gc=False):
    """A phrase found: units ``first`` to ``last`` of the question, with the share of its weight."""

    owner: int
    first: int
    last: int
    share: float
    evidence: float
    """What was found, in weight, times its share: says which of two phrases fits better."""


class LoosePhrases:
    """All lay descriptions of the packs."""

    def __init__(self, phrases: Iterable[tuple[int, Sequence[Unit]]]) -> None:
        """``phrases``: the owner's number and the phrase read into units."""
        read = [(owner, *_symbols_of(units)) for owner, units in phrases]
        counted = Counter(key for _, keys, _ in read for key in keys)
        self._phrases: list[Phrase] = []
        self._starts: dict[str, list[int]] = defaultdict(list)
        for owner, keys, han in read:
            if len(keys) >= 2:
                self._add(owner, keys, counted, len(read), han)

    def _add(self, owner: int, keys: frozenset[str], counted: Counter[str], phrases: int, han: bool) -> None:
        weights = {key: math.log(1 + phrases / counted[key]) for key in keys}
        share = SHARE_ZH if han else SHARE_EN
        # With few words each of them is the meaning.
        share = 0.99 if len(keys) == 2 else max(share, 0.70) if len(keys) == 3 else share
        span = round(len(keys) * 1.5) + 4
        total = sum(weights.values())
        number = len(self._phrases)
        self._phrases.append(Phrase(owner, weights, total, span, share))
        missing_allowed = (1 - share) * total
        for key in sorted(keys, key=lambda each: (-weights[each], each)):
            self._starts[key].append(number)
            missing_allowed -= weights[key]
            if missing_allowed < 0:
                break

    def find(self, units: Sequence[Unit]) -> list[Sighting]:
        """Every phrase that the question has, best first."""
        places: dict[str, list[Symbol]] = defaultdict(list)
        order: dict[Symbol, int] = {}
        for number, symbol in enumerate([*english_symbols(units), *han_symbols(units)]):
            places[symbol.key].append(symbol)
            order[symbol] = number
        numbers = {number for key in places for number in self._starts.get(key, ())}
        found = [self._sighting(self._phrases[number], places, order) for number in sorted(numbers)]
        return sorted(
            (each for each in found if each is not None),
            key=lambda each: (-each.evidence, each.first - each.last, each.first, each.owner),
        )

    def _sighting(
        self, phrase: Phrase, places: dict[str, list[Symbol]], order: dict[Symbol, int]
    ) -> Sighting | None:
        hits = sorted((order[symbol], symbol) for key in phrase.weights for symbol in places.get(key, ()))
        best: Sighting | None = None
        for start, (place, _) in enumerate(hits):
            window = [
                symbol for where, symbol in hits[start : start + phrase.span] if where - place < phrase.span
            ]
            keys = {symbol.key for symbol in window}
            share = sum(phrase.weights[key] for key in keys) / phrase.total
            if share < phrase.share or (NOT in phrase.weights and NOT not in keys) or len(keys) < 2:
                continue
            if best is None or share > best.share:
                first, last = min(symbol.first for symbol in window), max(symbol.last for symbol in window)
                best = Sighting(phrase.owner, first, last, share, share * share * phrase.total)
        return best


def _symbols_of(units: Sequence[Unit]) -> tuple[frozenset[str], bool]:
    """A phrase's keys, and whether they are pairs of Han characters."""
    han = han_symbols(units)
    return frozenset(symbol.key for symbol in han or english_symbols(units)), bool(han)


def english_symbols(units: Sequence[Unit]) -> list[Symbol]:
    """Roots of the content words; a negation is one of them."""
    classes = _everyday()[0]
    found: list[Symbol] = []
    for place, unit in enumerate(units):
        if unit.han or unit.key == BREAK or unit.raw in _STOP_EN:
            continue
        negated = unit.raw in _NEGATIONS or unit.raw.endswith("n't")
        key = root(unit.raw)
        found.append(Symbol(NOT if negated else classes.get(key, key), place, place))
    return found


def han_symbols(units: Sequence[Unit]) -> list[Symbol]:
    """Pairs of neighbouring characters, everyday words counted as one, grammatical characters left out."""
    _, same, pattern = _everyday()
    places = [place for place, unit in enumerate(units) if unit.han]
    text = "".join(units[place].key for place in places)
    singles = [
        Symbol(same.get(match.group(), match.group()), places[match.start()], places[match.end() - 1])
        for match in pattern.finditer(text)
        if match.group() not in _STOP_HAN
    ]
    return [Symbol(one.key + two.key, one.first, two.last) for one, two in pairwise(singles)]


@cache
def _everyday() -> tuple[dict[str, str], dict[str, str], re.Pattern[str]]:
    """Root → the first of its meaning; Han word → the same; and what cuts a Han text into such words."""
    rows = tomllib.loads(files("appliance.understanding").joinpath("everyday.toml").read_text("utf-8"))
    english = {root(word): root(row[0]) for row in rows["en"] for word in row if " " not in word}
    chinese = {word: row[0] for row in rows["zh"] for word in row}
    words = sorted(chinese, key=len, reverse=True)
    return english, chinese, re.compile("|".join(map(re.escape, words)) + f"|[{HAN}]")
