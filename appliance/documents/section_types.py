"""What a section is for, read from its headings, its place and its first words: a pure function.

The vocabulary, Chinese and English, lies in ``section_types.toml`` beside this file.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files

import msgspec

from appliance.domain import SectionType

SAMPLE_CHARS = 2_000
"""So much of a section's text is looked at."""
_EDGES = " \t#*_:：。.,，;；-–—|[]【】《》<>"
_RULED_BY_CLAUSE = (SectionType.PROCEDURE, SectionType.SPECIFICATION, SectionType.ABSTRACT)
"""A clause that rules one of these is still a clause; a clause of definitions is definitions."""
OPENING_LINES = 5
OPENING_CHARS = 80
_OPENINGS = (SectionType.FINANCIAL_STATEMENT, SectionType.RISK)
_SPACE = re.compile(r"\s+")


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One rule of the vocabulary, as the file explains it."""

    type: SectionType
    whole: list[str] = []
    within: list[str] = []
    document: list[str] = []
    text: list[str] = []
    least: int = 1
    until: float = 1.0


class _Clause(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    heading: list[str]
    numbered: list[str]
    document: list[str]
    duty: list[str]


class _Numbering(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    patterns: list[str]


class _Vocabulary(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    rule: list[Rule]
    clause: _Clause
    numbering: _Numbering


class _Compiled:
    """A rule with its patterns joined."""

    def __init__(self, rule: Rule) -> None:
        self.type, self.least, self.until = rule.type, rule.least, rule.until
        self.whole, self.within = _any(rule.whole), _any(rule.within)
        self.document, self.text = _any(rule.document), _any(rule.text, line=True)


class _Words:
    """The vocabulary, ready for use."""

    def __init__(self, vocabulary: _Vocabulary) -> None:
        self.rules = [_Compiled(rule) for rule in vocabulary.rule]
        self.clause = _any(vocabulary.clause.heading)
        self.numbered = _any(vocabulary.clause.numbered)
        self.policy = _any(vocabulary.clause.document)
        self.duty = _any(vocabulary.clause.duty)
        self.number = _any(vocabulary.numbering.patterns)


def section_type(trail: Sequence[str], position: float, sample: str) -> SectionType:
    """The type of the section whose titles from the top down are ``trail``.

    ``position``: where it begins, as a share (0–1) of the document; ``sample``: its first text. Its own
    heading decides, then that it is a numbered clause, then the headings above it, nearest first, then the
    document's title, then its text. Without a heading a line among the first may be one: a page of a filing.
    """
    if not trail:
        return _by_opening(sample) or SectionType.BODY
    words = _words()
    own = _by_heading(trail[-1], position, False)
    numbered = words.clause.match(_plain(trail[-1])) is not None
    if own is not None and not (numbered and own in _RULED_BY_CLAUSE):
        return own
    clause = numbered or _is_clause(trail, sample)
    if numbered:
        return SectionType.POLICY_CLAUSE
    for depth in range(len(trail) - 2, -1, -1):
        above = _by_heading(trail[depth], position, depth == 0)
        if above is not None:
            return above
    if clause:
        return SectionType.POLICY_CLAUSE
    return _by_title(trail[0]) or _by_text(sample[:SAMPLE_CHARS], position) or SectionType.BODY


@lru_cache(maxsize=4_096)
def _by_heading(heading: str, position: float, strict: bool) -> SectionType | None:
    """``strict``: only what the heading is as a whole, not what it mentions."""
    words = _words()
    plain = _plain(heading)
    bare = _bare(plain)
    for rule in words.rules:
        if position <= rule.until and (rule.whole.fullmatch(bare) or rule.whole.fullmatch(plain)):
            return rule.type
    if not strict:
        for rule in words.rules:
            if position <= rule.until and rule.within.search(bare):
                return rule.type
    return None


def _by_opening(sample: str) -> SectionType | None:
    """A page cut out of a larger document begins with the heading of what it holds."""
    for line in sample.splitlines()[:OPENING_LINES]:
        found = _by_heading(line, 0.5, True) if len(line) <= OPENING_CHARS else None
        if found in _OPENINGS:
            return found
    return None


def _by_title(title: str) -> SectionType | None:
    plain = _plain(title)
    return next((rule.type for rule in _words().rules if rule.document.search(plain)), None)


def _by_text(sample: str, position: float) -> SectionType | None:
    plain = unicodedata.normalize("NFKC", sample).lower()
    for rule in _words().rules:
        if position <= rule.until and sum(1 for _ in rule.text.finditer(plain)) >= rule.least:
            return rule.type
    return None


def _is_clause(trail: Sequence[str], sample: str) -> bool:
    words = _words()
    heading = _plain(trail[-1])
    if not words.policy.search(_plain(trail[0])):
        return False
    numbered = bool(words.numbered.match(heading)) and len(trail) > 1
    return numbered or bool(words.duty.search(sample[:SAMPLE_CHARS].lower()))


def _plain(heading: str) -> str:
    folded = unicodedata.normalize("NFKC", heading).lower().replace("’", "'")
    return _SPACE.sub(" ", folded).strip(_EDGES)


def _bare(plain: str) -> str:
    """Without the number in front."""
    for _ in range(2):
        match = _words().number.match(plain)
        if match is None or match.end() == len(plain):
            break
        plain = plain[match.end() :].strip(_EDGES)
    return plain


def _any(patterns: Sequence[str], *, line: bool = False) -> re.Pattern[str]:
    """One pattern for all; for none one that never matches."""
    joined = "|".join(f"(?:{pattern})" for pattern in patterns) or r"(?!)"
    return re.compile(f"^(?:{joined})" if line and patterns else joined, re.MULTILINE)


@cache
def _words() -> _Words:
    text = files("appliance.documents").joinpath("section_types.toml").read_text("utf-8")
    return _Words(msgspec.convert(tomllib.loads(text), _Vocabulary))
