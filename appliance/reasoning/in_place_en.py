"""English questions whose question word stands in its place: ``Terra is a song by a singer from what state``.

Arrives: such a question. Leaves: its two look-ups, ``Terra is an album by which singer?`` and ``{1} is from
what state?``; nothing where the sentence is of another shape. No tagger: nouns are known by a list.
"""

from __future__ import annotations

import re

from appliance.reasoning.words_en import ASKING, BE, DO, HAVE, MODALS, NOUNS, PREPOSITIONS

_DETERMINERS = frozenset(("a", "an", "the", "another", "one"))
_OPENING = ASKING | BE | DO | HAVE | MODALS
_FINITE = BE | HAVE | DO | MODALS
_CLAUSES = frozenset(("that", "which", "who", "whose"))
NOUN_WORDS_MAX = 5
"""Between the article and the noun that is described."""
HEAD_WORDS_MIN = 2
_SENTENCES = re.compile(r"[a-z]{2,}[\"”']?[.?!][\"”']?\s+[A-Z]")


def in_place(question: str) -> list[str]:
    """Return the look-ups, the second with ``{1}`` for the result of the first; empty for another shape."""
    text = question.strip().rstrip(" ?.")
    words = text.split()
    if not words or words[0].lower() in _OPENING or _SENTENCES.search(text):
        return []
    asked = [at for at, word in enumerate(words) if _asks(words, at, word)]
    if len(asked) != 1:
        return []
    for noun in range(asked[0] - 2, HEAD_WORDS_MIN, -1):
        article = _article(words, noun)
        if article is None or not _describes(words[noun + 1 : asked[0]]):
            continue
        if not any(word.lower() in _FINITE or word.endswith("ed") for word in words[:article]):
            return []
        described = " ".join(words[article + 1 : noun + 1])
        return [
            f"{' '.join(words[:article])} which {described}?",
            f"{_said(words[noun], words[noun + 1 :])}?",
        ]
    return []


def _asks(words: list[str], at: int, word: str) -> bool:
    """``which`` asks, unless it only joins a clause: ``in which``, or with a verb after it."""
    if word.lower() == "how":
        return at + 1 < len(words) and words[at + 1].lower() in ("many", "much")
    if word.lower() == "what":
        return True
    follows = words[at + 1].lower() if at + 1 < len(words) else ""
    return word.lower() == "which" and follows not in _OPENING | PREPOSITIONS and not follows.endswith("ed")


def _article(words: list[str], noun: int) -> int | None:
    """Where the article of a described noun stands; None where the word is none, or begins the sentence."""
    if re.split(r"[-/]", words[noun].lower())[-1] not in NOUNS:
        return None
    for at in range(noun - 1, max(HEAD_WORDS_MIN, noun - NOUN_WORDS_MAX) - 1, -1):
        if words[at].lower() in _DETERMINERS:
            return at
        if words[at].lower() in PREPOSITIONS or words[at].endswith((",", ";")):
            return None
    return None


def _describes(words: list[str]) -> bool:
    """Whether the words up to the question word are a description that ends the sentence."""
    first = words[0].lower()
    if first in _CLAUSES:
        return True
    opens = first in PREPOSITIONS or first.endswith(("ed", "ing"))
    return opens and not any(word.lower() in _FINITE or word.endswith(",") for word in words[1:])


def _said(noun: str, rest: list[str]) -> str:
    """The description as a sentence about ``{1}``."""
    first = rest[0].lower()
    if first == "whose":
        return f"{{1}}'s {' '.join(rest[1:])}"
    if first in _CLAUSES:
        return f"{{1}} {' '.join(rest[1:])}"
    return f"{{1}} is the {noun} {' '.join(rest)}" if first == "of" else f"{{1}} is {' '.join(rest)}"
