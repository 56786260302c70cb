"""The facts of a text: figures with units, dates, names, denials and conditions, in Chinese and English.

Arrives: a text. Leaves: its facts, each with a key that is the same however the fact is written. The guard of
compression asks with it what a shorter text lost, and the measure of retention how many of them are left.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from enum import StrEnum

from appliance.domain import Struct
from appliance.evidence.amounts import DATE, NUMBER, date_key, number_key
from appliance.evidence.bounds import CONDITION, NEGATION


class FactKind(StrEnum):
    """What a fact is."""

    NUMBER = "number"
    DATE = "date"
    NAME = "name"
    NEGATION = "negation"
    CONDITION = "condition"


class Fact(Struct, frozen=True, kw_only=True):
    """One thing that a text says, as written there."""

    kind: FactKind
    text: str
    key: str
    """Equal for the same fact in another form: ``1577 million usd`` of ``$1,577.0m``."""
    start: int
    end: int
    """Characters into the text."""


_LATIN = r"A-Za-zÀ-ÖØ-öø-ÿ"
_NAME = re.compile(
    rf"(?<![{_LATIN}\d])(?:[A-ZÀ-ÖØ-Þ][{_LATIN}\d&’'.-]*[{_LATIN}\d]|[A-Z]|[a-z]+[A-Z][{_LATIN}\d]*)"
    rf"(?:(?:\s|\s(?:of|the|and|de|van|von)\s(?=[A-ZÀ-ÖØ-Þ]))[A-ZÀ-ÖØ-Þ][{_LATIN}\d&’'-]*)*"
)
_CODE = re.compile(
    r"(?<![A-Za-z\d])(?=[A-Za-z\d./-]*\d)(?=[A-Za-z\d./-]*[A-Za-z])"
    r"[A-Za-z\d]+(?:[./-][A-Za-z\d]+)*"
)
_TITLED = re.compile(r"《([^》]{1,60})》|「([^」]{2,40})」|[“\"]([^”\"]{2,60})[”\"]")
_HAN_NAME = re.compile(
    r"(?:(?![了的在是与和及由为被])[一-鿿（）()]){2,16}?(?:有限公司|股份公司|公司|集团|银行|大学|学院|医院|研究院|研究所|委员会|监督管理局|总局|"
    r"管理局|交易所|董事会|监事会)"
)
_HAN_PERSON = re.compile(
    r"(?<![一-鿿])[一-鿿]{2,4}(?=先生|女士|董事|监事|教授|院士|博士|总经理|董事长|主任)|"
    r"(?<=先生|女士|主任|教授|院士)[一-鿿]{2,3}(?![一-鿿])"
)
_OPENERS = frozenset(
    """a an the in on at by for from to of and or but as if is are was were it its this that these those he
    she they his her their there our we i you your not no when where which who what why how during after
    before since until while although however therefore thus each all any some most more less total other net
    both such under over with without per between about based according unless note table contents""".split()
)
_SENTENCE_START = re.compile(r"(?:^|[.!?:;•\n|]\s*|[“\"(]\s*)$")
SHOUTING_MIN = 0.7
"""Share of capitals among the Latin letters from which capitals mark no names."""
_SHOUTING_LETTERS_MIN = 12


def facts(text: str, language: str = "") -> tuple[Fact, ...]:
    """Return the facts of a text in their order.

    Figures carry sign, unit, currency and scale word; ``n/a`` is no figure. Capitals that only open a
    sentence, or fill a text written in capitals, are no names. ``language`` narrows nothing:
    both are looked for, since reports mix them.
    """
    folded = unicodedata.normalize("NFKC", text)
    if len(folded) != len(text):
        text = folded
    found = [*_figures(folded), *_bounds(folded)]
    taken = [(one.start, one.end) for one in found if one.kind in (FactKind.NUMBER, FactKind.DATE)]
    found += [one for one in _names(folded) if not any(a <= one.start and one.end <= b for a, b in taken)]
    return tuple(sorted(found, key=lambda one: (one.start, one.end, one.kind)))


def lost(kept: str, shown: str) -> tuple[Fact, ...]:
    """Return the facts of ``kept`` that ``shown`` does not hold; nothing where all of them are there."""
    held = {one.key for one in facts(shown)}
    squeezed = squeeze(shown)
    return tuple(
        one
        for one in facts(kept)
        if one.key not in held and not (one.kind is not FactKind.NUMBER and squeeze(one.text) in squeezed)
    )


def squeeze(text: str) -> str:
    """Return the text in NFKC and lower case without white space: a line break changes no fact."""
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text).lower())


def _figures(text: str) -> Iterator[Fact]:
    last = 0
    for match in DATE.finditer(text):
        yield from _numbers(text, last, match.start())
        last = match.end()
        yield _fact(FactKind.DATE, match, date_key(match))
    yield from _numbers(text, last, len(text))


def _numbers(text: str, start: int, end: int) -> Iterator[Fact]:
    for match in NUMBER.finditer(text, start, end):
        yield _fact(FactKind.NUMBER, match, number_key(match))


def _bounds(text: str) -> Iterator[Fact]:
    for kind, pattern in ((FactKind.NEGATION, NEGATION), (FactKind.CONDITION, CONDITION)):
        for match in pattern.finditer(text):
            yield _fact(kind, match, squeeze(match.group()))


def _names(text: str) -> Iterator[Fact]:
    patterns = [_CODE, _TITLED, _HAN_NAME, _HAN_PERSON]
    if not shouts(text):
        patterns.insert(0, _NAME)
    seen: list[tuple[int, int]] = []
    for pattern in patterns:
        for match in pattern.finditer(text):
            if any(a <= match.start() < b for a, b in seen) or (
                pattern is _NAME and _only_opens(text, match)
            ):
                continue
            seen.append(match.span())
            yield _fact(FactKind.NAME, match, squeeze(next((g for g in match.groups() if g), match.group())))


def shouts(text: str) -> bool:
    """Return whether a text is written in capitals: they then mark no names."""
    letters = [letter for letter in text if letter.isascii() and letter.isalpha()]
    return (
        len(letters) >= _SHOUTING_LETTERS_MIN
        and sum(letter.isupper() for letter in letters) / len(letters) >= SHOUTING_MIN
    )


def _only_opens(text: str, match: re.Match[str]) -> bool:
    """Whether capitals are there because a sentence starts, or the word is no name at all."""
    words = match.group().split()
    if len(words) > 1 and words[0].lower() not in _OPENERS:
        return False
    if words[0].lower() in _OPENERS:
        return len(words) == 1 or len(words[1:]) < 1
    if len(words[0]) == 1:
        return True
    rest = words[0][1:]
    if any(letter.isupper() or letter.isdigit() for letter in rest):
        return False
    return bool(_SENTENCE_START.search(text[: match.start()]))


def _fact(kind: FactKind, match: re.Match[str], key: str) -> Fact:
    return Fact(
        kind=kind, text=match.group(), key=f"{kind.value}:{key}", start=match.start(), end=match.end()
    )
