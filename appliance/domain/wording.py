"""The content words of a text in both languages, weighed: what two wordings of one thing share.

Pure functions; English words are cut to six letters, Chinese text gives pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata

_HAN = re.compile(r"[一-鿿]+")
_LATIN = re.compile(r"[a-zà-öø-ÿ][a-z0-9à-öø-ÿ'-]*|(?<![\d.,])\d[\d.,]*\d|\d")
_STOP = frozenset(
    """a an the in on at by for from to of and or but as is are was were be been it its this that these those
    he she they his her their there not no which who whom what when where why how during with than then also
    has have had do does did will would shall should may can must into under over between about such so if
    one s""".split()
)
_STOP_HAN = frozenset(
    "的是 是一 了一 在中 一个 这是 也是 并在 的一 以及 对于 关于 进行 其中 由于 根据 为了 之间 因为 所以 "
    "如果 那么 哪个 什么 多少".split()
)
_LETTER = re.compile(r"\b(?:[B-HJ-Z]|A(?=\s(?:has|had|is|was|reported|sold|made|paid|costs?)\b|['’]s|:))\b")


def folded(text: str) -> str:
    """Return the text in NFKC, lower case, white space squeezed."""
    return " ".join(unicodedata.normalize("NFKC", text).lower().replace("’", "'").split())


def words_of(text: str) -> dict[str, float]:
    """Return the content words (cut to 6 letters), figures and Han pairs of a text, each with its weight."""
    plain = folded(text)
    found: dict[str, float] = {}
    for run in _HAN.findall(plain):
        pairs = [run[at : at + 2] for at in range(len(run) - 1)] or [run]
        found |= {pair: 0.5 for pair in pairs if pair not in _STOP_HAN}
    found |= {letter: 1.0 for letter in _LETTER.findall(text)}  # capital: the A of "A has 5, B has 7"
    for word in _LATIN.findall(plain):
        if word not in _STOP:
            bare = re.sub(r"(?:'s|s)$", "", word) if len(word) > 3 else word
            found[bare[:6]] = 1.0 if len(word) > 2 else 0.6
    return found


def covered(words: dict[str, float], held: dict[str, float]) -> float:
    """Return the weighted share of ``words`` that ``held`` has (1.0 of none)."""
    whole = sum(words.values())
    return sum(weight for word, weight in words.items() if word in held) / whole if whole else 1.0
