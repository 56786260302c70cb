"""Words of a question as a lexicon compares them: Han characters one by one, Latin words by their singular.

Text in, :class:`Unit` list out, each with its place in the text as it was written. The folding of width,
case, accents and traditional characters is handed in: search folds alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

import msgspec

HAN = r"々〇\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
"""Inside of a regular expression's character class."""
BREAK = "|"
"""The key of a sentence's end: no form reaches across it."""
_UNIT = re.compile(
    rf"(?P<han>[{HAN}])"
    rf"|(?P<word>[^\W_{HAN}]+(?:'[a-z]+)?)"
    rf"|(?P<stop>[.!?;:。…]+(?=\s|$|[{HAN}])|,(?=\s*[{HAN}])|[\n\r]+)"
)
_DOUBLE_S = ("ss", "us", "is")
_BRITISH = (
    (re.compile(r"(?<=[a-z]{3})is(?=(?:e|ed|es|ing|ation|er)$)"), "iz"),
    (re.compile(r"(?<=[a-z]{3})our$"), "or"),
    (re.compile(r"[ao]e(?=[a-z]{2})"), "e"),
    (re.compile(r"(?<=[a-z]{3})tre$"), "ter"),
    (re.compile(r"(?<=[a-z]{2})ll(?=(?:ed|ing|er)$)"), "l"),
    (re.compile(r"mme$"), "m"),
)
_VOWEL = re.compile("[aeiouy]")
Fold = Callable[[str], str]


class Unit(msgspec.Struct, frozen=True, gc=False):
    """One Han character, one word, or a break."""

    key: str
    start: int
    """Of the text as written; ``end`` is after its last character."""
    end: int
    upper: bool = False
    """All its letters are capitals."""
    raw: str = ""
    """The folded word before its plural is taken off; empty for the rest."""

    @property
    def han(self) -> bool:
        """Whether it is a Han character."""
        return not self.raw and self.key != BREAK


def read_units(text: str, fold: Fold) -> list[Unit]:
    """The units of a text in its order."""
    folded, places = _folded(text, fold)
    found: list[Unit] = []
    for match in _UNIT.finditer(folded):
        start, end = places[match.start()], places[match.end() - 1] + 1
        value = match.group()
        if match.lastgroup == "word":
            upper = text[start:end].isupper()
            found.append(Unit(key=normal(value), start=start, end=end, upper=upper, raw=value))
        else:
            found.append(Unit(key=value if match.lastgroup == "han" else BREAK, start=start, end=end))
    return found


def _folded(text: str, fold: Fold) -> tuple[str, list[int] | range]:
    """The folded text, and for each of its characters the place in the original."""
    if text.isascii():
        return fold(text), range(len(text))
    pieces = [fold(character) for character in text]
    places = [place for place, piece in enumerate(pieces) for _ in piece]
    return "".join(pieces), places


@lru_cache(maxsize=1 << 15)
def normal(word: str) -> str:
    """The singular in American spelling: ``liabilities`` → ``liability``, ``amortisation`` → ``…ization``.

    Applied to both sides, so it only has to be regular, not right.
    """
    word = word.split("'")[0] if word.endswith("'s") else word
    if not word.isascii() or len(word) < 4:
        return word
    word = _singular(word)
    if len(word) > 4:
        for pattern, replacement in _BRITISH:
            word = pattern.sub(replacement, word)
    return word


@lru_cache(maxsize=1 << 15)
def root(word: str) -> str:
    """What ``measure``, ``measures``, ``measured`` and ``measuring`` share (after Porter 1980, 1a–1c)."""
    word = normal(word)
    if not word.isascii() or len(word) < 4:
        return word
    for ending in ("ing", "ed"):
        stem = word[: -len(ending)]
        if word.endswith(ending) and len(stem) > 2 and _VOWEL.search(stem) and not word.endswith("eed"):
            word = stem[:-1] if stem[-1] == stem[-2] and stem[-1] not in "lsz" else stem
            break
    if word.endswith("e") and len(word) > 3:
        return word[:-1]
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 and word[-2] not in "aeiou" else word


def _singular(word: str) -> str:
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith(_DOUBLE_S):
        return word[:-1]
    return word
