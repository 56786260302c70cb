"""Titles as keys, and the keys that a text may be naming. Text in; folded keys out.

A key is the title folded, without a bracketed addition at its end and without punctuation:
``Kestrel (software)`` → ``kestrel``, 《研究经费管理办法》 → 研究经费管理办法.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from appliance.store.analysis import STOP_ENGLISH
from appliance.store.folding import HAN, fold

KEY_CHARS = 120
MENTION_WORDS = 8
MENTION_HAN = 14
_ADDITION = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")
_WORD = re.compile(rf"[^\W_{HAN}]+(?:['’][^\W_{HAN}]+)*|[{HAN}]+")
_SIGNS = re.compile(r"[+#&*@]")
_HAN_RUN = re.compile(rf"[{HAN}]+")


def title_key(title: str) -> str:
    """The key of a title; empty for one that says too little to be named by (a number, one letter)."""
    words = _WORD.findall(fold(_ADDITION.sub("", title) or title))
    key = _joined(words)
    least = 2 if _HAN_RUN.search(key) else 3
    return key if len(key) >= least and not key.isdigit() and len(key) <= KEY_CHARS else ""


def name_key(name: str) -> str:
    """The key of a name, as of a title; one with a sign of its own (``C++``, ``R&D``) keeps it."""
    return fold(name).strip() if _SIGNS.search(name) else title_key(name)


def names(text: str, key: str) -> bool:
    """Whether the text may be naming what has this key; rather yes than no: half of the name will do.

    ``Orvane was sold`` may speak of Orvane Works, 泊澜公司 of 泊澜股份公司.
    """
    if _SIGNS.search(key):
        return key in fold(text)
    wanted = _pieces(key)
    return 2 * len(wanted & _pieces(fold(text))) >= len(wanted)


def _pieces(folded: str) -> set[str]:
    """Words, and the character pairs of Han runs."""
    found: set[str] = set()
    for word in _WORD.findall(folded):
        pairs = {word[at : at + 2] for at in range(len(word) - 1)} if _HAN_RUN.match(word) else {word}
        found |= pairs or {word}
    return found


def mentioned_keys(text: str) -> list[str]:
    """Keys that the text may be naming, in its order, the longest at each place first.

    Latin names begin with a capital or a digit; Han names are any run of 2 to 14 characters.
    """
    found: dict[str, None] = {}
    words = [match.group() for match in _WORD.finditer(text)]
    folded = [fold(word) for word in words]
    for start, word in enumerate(words):
        if _HAN_RUN.match(word):
            found.update(dict.fromkeys(_han_keys(folded[start])))
        elif word[0].isupper() or word[0].isdigit():
            found.update(dict.fromkeys(_latin_keys(folded, start)))
    return list(found)


def _latin_keys(folded: list[str], start: int) -> Iterator[str]:
    for end in range(min(start + MENTION_WORDS, len(folded)), start, -1):
        words = folded[start:end]
        if len(words) == 1 and (words[0] in STOP_ENGLISH or len(words[0]) < 3 or words[0].isdigit()):
            continue
        yield _joined(words)


def _han_keys(run: str) -> Iterator[str]:
    for start in range(len(run) - 1):
        for end in range(min(start + MENTION_HAN, len(run)), start + 1, -1):
            yield run[start:end]


def _joined(words: list[str]) -> str:
    """Words with a blank between them, except next to Han characters."""
    return re.sub(rf"(?<=[{HAN}]) | (?=[{HAN}])", "", " ".join(words))
