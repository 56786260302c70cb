"""The lexical analyser: text of a passage or a query in, the tokens that BM25 counts out.

Folds width, case, accents and traditional characters; cuts Han runs with jieba's search mode; stems
English lightly; keeps numbers, versions, codes, addresses and "iOS 17" whole (and their parts beside them).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from appliance.store.folding import HAN, fold
from appliance.store.segmentation import cut_for_search

__all__ = ["analyse", "fold", "index_terms", "title_terms"]

TERMS = 2
"""Grows when :func:`index_terms` changes: indexes built before are built again when they are opened."""
_LETTER = rf"[^\W_{HAN}]"
_ATOM = rf"{_LETTER}+(?:\.(?:\d+|x(?!{_LETTER})))*%?"
_TOKEN = re.compile(
    rf"(?P<url>(?:https?://|www\.)[a-z0-9._~:/?#@!$&*+=%-]*[a-z0-9/])"
    rf"|(?P<email>[a-z0-9][a-z0-9._+-]*@[a-z0-9-]+(?:\.[a-z0-9-]+)+)"
    rf"|(?P<han>[{HAN}]+)"
    rf"|(?P<thousands>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?%?(?!{_LETTER}))"
    rf"|(?P<acronym>(?:[a-z]\.){{2,}}(?:[a-z](?!{_LETTER}))?)"
    rf"|(?P<special>c\+\+|[a-z]{{1,3}}&[a-z]{{1,3}}(?!{_LETTER})|[cf]\#(?!{_LETTER}))"
    rf"|(?P<word>{_ATOM}(?:[-_/]{_ATOM})*)"
)
_PARTS = re.compile(_ATOM)
_HAN_RUNS = re.compile(f"[{HAN}]{{2,}}")
_CONTRACTION = re.compile(r"(?<=[^\W\d_])(?:n't|'(?:s|re|ve|ll|d|m))\b")
_NUMBER_SLASH = re.compile(r"\d[\d/]*/\d+")
_NUMBERED = re.compile(r"\d+(?:\.\d+)*[a-z]?")
_VOWEL = re.compile("[aeiouy]")

STOP_ENGLISH = frozenset(
    """a an and are as at be been being but by did do does for from had has have he her his how i if in into
    is it its me my no nor not of on or our she so such than that the their them then there these they this
    those to too was we were what when where which who whom whose why will with would you your""".split()
)
STOP_HAN = frozenset("的了和与及或是在之其也都而等被把将对于吗呢吧啊这那着就个")


def analyse(text: str) -> list[str]:
    """Tokens in the order of the text, compounds followed by their parts; the same for the same text."""
    folded = _CONTRACTION.sub("", fold(text))
    return [token for found in _tokens(folded) for token in found]


def index_terms(text: str) -> list[str]:
    """What BM25 counts: the tokens of :func:`analyse` and every pair of neighbouring Han characters.

    Words alone miss where the dictionary cuts passage and question differently; pairs alone lose whole
    words. Both together were best on every Chinese set measured (nDCG@10 +1 to +3 points over words).
    """
    runs = _HAN_RUNS.findall(fold(text))
    return [*analyse(text), *(run[at : at + 2] for run in runs for at in range(len(run) - 1))]


@lru_cache(maxsize=1 << 14)
def title_terms(title: str) -> tuple[str, ...]:
    """:func:`index_terms` of a title or a question: those of a collection come again and again."""
    return tuple(index_terms(title))


def _tokens(folded: str) -> Iterator[list[str]]:
    """Tokens of each match; a name followed by a number ("ios 17") adds the two in one."""
    before, end = "", -1
    for match in _TOKEN.finditer(folded):
        kind, value = match.lastgroup, match.group()
        if kind == "han":
            yield [word for word in cut_for_search(value) if word not in STOP_HAN]
        elif kind == "word":
            tokens = list(_word(value))
            joins = (
                before and match.start() == end + 1 and _NUMBERED.fullmatch(value) and folded[end] in " \t"
            )
            yield [*tokens, before + value] if joins and len(value) <= 6 else tokens
        else:
            yield _OTHERS[kind or ""](value)
        plain = kind == "word" and value.isascii() and value.isalpha() and len(value) > 1
        before = value if plain and value not in STOP_ENGLISH else ""
        end = match.end()


@lru_cache(maxsize=1 << 16)
def _word(value: str) -> tuple[str, ...]:
    """``2023-q4`` → itself joined, then its parts; ``12.5%`` → itself and ``12.5``; ``running`` → ``run``."""
    if value.isalpha():
        return () if value in STOP_ENGLISH else (stem(value),)
    parts = _PARTS.findall(value)
    if len(parts) > 1:
        return _compound(value, parts)
    return (value, value[:-1]) if value.endswith("%") else _versioned(value)


def _versioned(value: str) -> tuple[str, ...]:
    """``v2.1`` → itself and ``2.1``."""
    plain = value[1:] if value[0] == "v" and value[1:2].isdigit() else ""
    return (value, plain) if plain else (value,)


def _compound(value: str, parts: list[str]) -> tuple[str, ...]:
    """A hyphen stays between digits (a date, a range) and goes elsewhere: CGM-200 = CGM200 = CGM 200."""
    if _NUMBER_SLASH.fullmatch(value):
        value = value.replace("/", "-")
    pieces = [token for part in parts for token in _word(part)]
    if "/" in value:
        return tuple(pieces)
    joined = re.sub(r"(?<!\d)[-_]+|[-_]+(?!\d)", "", value)
    return (joined, *pieces) if len(parts) == 2 or any(map(str.isdigit, value)) else tuple(pieces)


def _thousands(value: str) -> list[str]:
    plain = value.replace(",", "")
    return [plain, plain[:-1]] if plain.endswith("%") else [plain]


def _address(value: str) -> list[str]:
    """An address whole, then its words."""
    parts = [part for part in _PARTS.findall(value) if part not in {"http", "https", "www"}]
    return [value, *(token for part in parts for token in _word(part))]


def _acronym(value: str) -> list[str]:
    return [value.replace(".", "")]


def _as_is(value: str) -> list[str]:
    return [value]


_OTHERS = {
    "url": _address,
    "email": _address,
    "thousands": _thousands,
    "acronym": _acronym,
    "special": _as_is,
}


def stem(word: str) -> str:
    """Plural, -ed and -ing taken off, final y → i (steps 1a–1c of Porter 1980); other scripts unchanged."""
    if len(word) < 4 or not word.isascii():
        return word
    word = _without_ending(_singular(word))
    if len(word) > 3 and word[-1] == "y" and word[-2] not in "aeiou":
        return word[:-1] + "i"
    return word


def _singular(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word[-1] == "s" and word[-2] not in "su" and not word.endswith("is"):
        return word[:-1]
    return word


def _without_ending(word: str) -> str:
    for ending in ("ing", "ed"):
        root = word[: -len(ending)]
        if word.endswith(ending) and len(root) > 1 and _VOWEL.search(root) and not word.endswith("eed"):
            break
    else:
        return word
    if root.endswith(("at", "bl", "iz")):
        return root + "e"
    if len(root) > 2 and root[-1] == root[-2] and root[-1] not in "lszaeiou":
        return root[:-1]
    short = len(root) == 3 and root[1] in "aeiouy" and root[0] not in "aeiou" and root[2] not in "aeiouwxy"
    return root + "e" if short else root
