"""What a statement speaks of: its words, names, periods and the qualifiers that narrow it.

Arrives: text in either language. Leaves: sets that two statements are held against each other by. Pure
functions.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from appliance.domain import Struct
from appliance.evidence.qualifier_words import ATTRIBUTION, QUALIFIERS, SPECIAL, STOP_ENGLISH, STOP_HAN

STEM = 5
"""Letters of an English word that count: enough to meet "expense" and "expenditures"."""
_WORD = re.compile(r"[a-z][a-z'-]*[a-z]|[a-z]")
_HAN_RUN = re.compile(r"[一-鿿]+")
_LATIN = r"A-Za-zÀ-ÖØ-öø-ÿ0-9"
_NAME = re.compile(
    rf"(?<![{_LATIN}])(?:[A-ZÀ-ÖØ-Þ][{_LATIN}&’'-]*[{_LATIN}]|[A-Z](?=\d)|[A-Za-z]+-?\d[{_LATIN}-]*)"
)
_NAMED = re.compile(r"[《「『“]([^》」』”]{2,40})[》」』”]")
_ORDINAL = re.compile(
    r"\b(first|second|third|fourth|fifth|sixth|\d+(?:st|nd|rd|th))[ -](generation|edition|phase|stage|round|"
    r"series|line|article|amendment)\b|\b(generation|version|edition|phase|stage|type|v|grade|class|model|"
    r"article|section|clause|tier|level|group|arm)[ -]?([0-9]+(?:\.\d+)*|[ivx]+|[a-d])\b|"
    r"第?\s*([一二三四五六七八九十]+|\d+)\s*(代|版|期|阶段|轮|批|届|条|章|级|类|型|组|号线|号产线|号楼|号机)",
    re.IGNORECASE,
)
_ORDINAL_WORDS = {"first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5", "sixth": "6"}
_HAN_DIGITS = {char: str(at) for at, char in enumerate("一二三四五六七八九十", start=1)}
_ROMAN = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6"}
_KINDS = {
    "代": "generation", "版": "version", "edition": "version", "v": "version", "期": "phase", "阶段": "phase",
    "stage": "phase", "轮": "round", "条": "article", "clause": "article", "section": "article",
    "级": "grade", "类": "class", "型": "type", "组": "group", "arm": "group",
}  # fmt: skip


class Topic(Struct, frozen=True, kw_only=True):
    """What a text speaks of."""

    words: frozenset[str]
    """Content words, cut to :data:`STEM` letters, and pairs of Han characters; no figures."""
    names: frozenset[str]
    ordinals: frozenset[str]
    """``generation 2``, ``version 1.0``, ``group a``."""
    qualifiers: frozenset[tuple[str, str]]
    """``("modality", "planned")``: see :data:`QUALIFIERS`."""


def fold(text: str) -> str:
    """The text in NFKC and lower case, white space squeezed."""
    return " ".join(unicodedata.normalize("NFKC", text).lower().replace("’", "'").split())


@lru_cache(maxsize=1 << 14)
def topic_of(text: str) -> Topic:
    """What the text speaks of, who says so left out."""
    said = said_of(text)
    return Topic(
        words=words_of(said),
        names=names_of(said),
        ordinals=ordinals_of(said),
        qualifiers=qualifiers_of(said),
    )


def said_of(text: str) -> str:
    """The text without who says it: ``According to the FAQ, the cap is £140`` → ``the cap is £140``."""
    said = text
    for pattern in ATTRIBUTION:
        cut = pattern.sub("", said, count=1)
        if len(cut) >= 12 or (_HAN_RUN.search(cut) and len(cut) >= 6):
            said = cut
    return said


@lru_cache(maxsize=1 << 15)
def words_of(text: str) -> frozenset[str]:
    """Content words and Han pairs; figures, dates and stop words left out."""
    folded = fold(text)
    found = {stem(word) for word in _WORD.findall(folded) if word not in STOP_ENGLISH and len(word) > 1}
    for run in _HAN_RUN.findall(folded):
        for part in re.split(f"[{STOP_HAN}]", run):
            found.update(part[at : at + 2] for at in range(len(part) - 1))
    return frozenset(found)


def stem(word: str) -> str:
    """An English word cut to what its forms share."""
    bare = re.sub(r"'s$|'$", "", word)
    return (re.sub(r"(?:ies|es|s)$", "", bare) if len(bare) > 4 else bare)[:STEM]


def names_of(text: str) -> frozenset[str]:
    """Capitalised words beyond the sentence's first, codes, and quoted titles; folded."""
    found: set[str] = {fold(name) for name in _NAMED.findall(text)}
    for match in _NAME.finditer(text):
        name = re.sub(r"['’]s$", "", match.group())
        opens = not text[: match.start()].strip(" \t“\"'(") or text[: match.start()].rstrip()[-1:] in ".!?:"
        plain = name[1:].islower() and "-" not in name
        if fold(name) in STOP_ENGLISH or (opens and plain and fold(name) in _OPENERS) or len(name) < 2:
            continue
        if fold(name) in _MONTHS or re.fullmatch(r"(?:Q|H|FY|CY)\d+", name):
            continue
        found.add(fold(name))
    return frozenset(found)


_MONTHS = frozenset(
    "january february march april may june july august september october november december jan feb mar apr "
    "jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday".split()
)
_OPENERS = frozenset(
    """revenue profit net gross total operating sales income cash cost costs expenses research employees staff
    capacity output production average annual daily monthly quarterly hotel travel meal meals customers users
    patients adults children participants trade receivables inventory goodwill population unemployment
    inflation
    growth dividend interest tax headcount storage warm-up sensors devices values data results studies
    evidence
    however although recent new independent analysis researchers scientists experts officials regulators
    critics
    several many most some both according approximately about around nearly over under more less during after
    before since until while when where if unless there no not all only every each one two three four five six
    capital adjusted basic diluted overall current visitors tourists students employees' members subscribers
    applications claims appeals complaints refunds deliveries orders returns payment payments access use
    remote clinical controlled additionally meanwhile furthermore moreover conversely nevertheless""".split()
)
"""Words that often open a sentence and are no names."""


def ordinals_of(text: str) -> frozenset[str]:
    """Which generation, version, phase, article … a text speaks of: ``generation 2`` for 第二代."""
    found: set[str] = set()
    for word, noun, first, number, han, measure in _ORDINAL.findall(unicodedata.normalize("NFKC", text)):
        kind = (noun or first or measure).lower()
        value = (word or number or han).lower()
        value = _ORDINAL_WORDS.get(value) or re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", value)
        value = _HAN_DIGITS.get(value) or _ROMAN.get(value) or value
        found.add(f"{_KINDS.get(kind, kind)} {value}")
    return frozenset(found)


def qualifiers_of(text: str) -> frozenset[tuple[str, str]]:
    """The values that a text takes on the axes along which the same metric has several figures."""
    folded = fold(text)
    return frozenset(
        (axis, value)
        for axis, values in QUALIFIERS.items()
        for value, pattern in values.items()
        if pattern.search(folded)
    )


def clash(one: Topic, other: Topic) -> bool:
    """Whether both are narrowed, along one axis, to different things: planned and actual.

    A special case (for children) and a statement that does not name it are narrowed to different things, too.
    """
    if (one.qualifiers ^ other.qualifiers) & SPECIAL:
        return True
    for axis in {axis for axis, _ in one.qualifiers} & {axis for axis, _ in other.qualifiers}:
        mine = {value for at, value in one.qualifiers if at == axis}
        theirs = {value for at, value in other.qualifiers if at == axis}
        if not mine & theirs:
            return True
    return _ordinals_clash(one.ordinals, other.ordinals)


def one_sided(one: Topic, other: Topic, axes: frozenset[str]) -> bool:
    """Whether only one of the two is narrowed along one of these axes."""
    mine, theirs = ({axis for axis, _ in each.qualifiers} for each in (one, other))
    return bool((mine ^ theirs) & axes)


def _ordinals_clash(one: frozenset[str], other: frozenset[str]) -> bool:
    for kind in {each.split()[0] for each in one} & {each.split()[0] for each in other}:
        mine = {each for each in one if each.split()[0] == kind}
        theirs = {each for each in other if each.split()[0] == kind}
        if not mine & theirs:
            return True
    return False


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of the smaller set that the larger one holds, 0–1; 0 where one is empty."""
    return len(one & other) / min(len(one), len(other)) if one and other else 0.0
