"""The bare name in what a reader answered: ``Frida Holmgren`` of ``Frida Holmgren's album,``.

A name goes into the next sub-question, and what hangs on it (a role, a bracket, the others of a list) sends
that retrieval astray. Pure functions over the answer's own words: nothing is added.
"""

from __future__ import annotations

import re
from itertools import takewhile

_WORD = r"[A-ZÀ-ÖØ-Þ0-9][\w.'’&!/-]*"
_JOINS = "of|the|de|la|le|les|del|della|di|da|dos|das|do|du|van|von|der|den|und|bin|ibn|al|el|y|e|&|-|–"
_NAME = re.compile(rf"{_WORD}(?:\s+(?:(?:{_JOINS})\s+){{0,3}}{_WORD})*")
_PAIR = re.compile(rf"{_WORD} and {_WORD}(?!\s+[A-ZÀ-ÖØ-Þ])")
_BRACKET = re.compile(r"\s*[(（\[][^)）\]]*(?:[)）\]]|$)")
_OWNED = re.compile(r"['’]s?$")
_LEAD = re.compile(
    r"^(?:(?:the|a|an|near|in|at|of|north|south|east|west|north-?east|north-?west|south-?east|south-?west|central|"
    r"northern|southern|eastern|western|downtown|state|city|town|village|island|county|province|region|"
    r"district|country|municipality|republic|borough)\s+)+(?=[A-ZÀ-ÖØ-Þ])"
)
_LEGAL_COMMA = re.compile(r"\b(Co|Inc|Corp)\.?,(?= (?:Ltd|Limited|Inc|plc|LLC)\b)")
_ARTICLE = re.compile(r"^(?:the|a|an)\s+(?=[A-ZÀ-ÖØ-Þ])", re.IGNORECASE)
_BETWEEN = re.compile(r"\s*(?:,|;|/|、|，|；|\band\b|\bor\b|&|和|与|及)\s*")
_CUT_ZH = re.compile(r"[，。；：,;:（(\[【]")
_YEARS = re.compile(r"\s*[\d–—-]{3,}.*$")
_DIGIT = re.compile(r"\d")
PLACES_MAX = 3
_ROLE = re.compile(r"\s+as\s.*$")
_HAN = re.compile(r"[一-鿿]")


def bare_names(answer: str, *, person: bool) -> tuple[str, ...]:
    """Return the names that an answer lists, each without what hangs on it, in its order; empty where none.

    ``person``: only somebody's name is wanted, so that a comma parts two names. Of anything else the name is
    given with the places after its commas, then with fewer: ``Bath, Somerset, England``, ``Bath, Somerset``.
    """
    text = _BRACKET.sub("", answer).strip(" .,;:\"'“”，。；、")
    if _HAN.search(text):
        head = _CUT_ZH.split(text)[0]
        return tuple(part for part in _BETWEEN.split(head) if part) if person else ((head,) if head else ())
    text = _ARTICLE.sub("", _LEGAL_COMMA.sub(r"\1", text))
    found = _people(text) if person else _thing(text)
    return tuple(dict.fromkeys(name for name in found if len(name) > 1))


def _people(text: str) -> list[str]:
    """Every name of two words and more; where there is none, a single word that opens the text."""
    parts = [_ROLE.sub("", _YEARS.sub("", part)) for part in _BETWEEN.split(text)]
    cut = [_cut(match) for part in parts for match in _NAME.finditer(part)]
    full = [name for name in cut if " " in name and not _DIGIT.search(name)]
    return full or [name for name in cut[:1] if text.startswith(name)]


def _thing(text: str) -> list[str]:
    """The name that opens the text, with the places after its commas, fewer and fewer of them."""
    parts = re.split(r"\s*[,;]\s*", _LEAD.sub("", text))
    first = _NAME.match(parts[0])
    if not first:
        return []
    name = _cut(first)
    if name != parts[0]:
        pair = _PAIR.match(parts[0])
        return [pair.group() if pair else name]
    places = takewhile(lambda part: bool(_NAME.fullmatch(part)) and not _DIGIT.search(part), parts[1:])
    whole = [name, *dict.fromkeys(places)][:PLACES_MAX]
    return [", ".join(whole[:count]) for count in range(len(whole), 0, -1)]


def _cut(match: re.Match[str]) -> str:
    """The name without the ``'s`` of its last word, where it owns what follows it."""
    follows = match.string[match.end() :].strip()
    return (_OWNED.sub("", match.group()) if follows else match.group()).rstrip(".,-–")
