"""How well a label names what a question asks for, by words of English and pairs of Chinese characters."""

from __future__ import annotations

import re

_WORD = re.compile(r"[a-z0-9][a-z0-9&'’-]*|[一-鿿]+")
_FOOTNOTE = re.compile(r"\s?[(\[]\d{1,2}[)\]]|(?<=[a-z]{3})\d(?!\w)|[¹²³⁰⁴-⁹*†‡]+")
_STOP = frozenset(
    "the a an of in on at for to from by and or as is was were are be its their his her our company "
    "between during year years ended amount amounts value what which per us u.s that this with net-of both "
    "total-of level fiscal".split()
)
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ed", "es", "s", "y", "e")


def words(text: str) -> frozenset[str]:
    """Return the words that carry meaning, endings off; Chinese as pairs of characters."""
    found: set[str] = set()
    text = _FOOTNOTE.sub("", text)
    for word in _WORD.findall(text.lower().replace("&", " and ")):
        if "一" <= word[0] <= "鿿":
            found |= {word[at : at + 2] for at in range(max(1, len(word) - 1))}
        else:
            for part in re.split(r"[-'’]", word):
                if len(part) > 1 and part not in _STOP:
                    found.add(_stem(part))
    return frozenset(found)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def closeness(wanted: frozenset[str], label: frozenset[str], around: frozenset[str]) -> tuple[float, float]:
    """Return the share of the wanted words that are there, and of the label's words that are wanted.

    A total may be asked for by that name where its row is not called one: the word costs little then.
    """
    held = label | around
    needed = wanted - {"total"} if "total" not in held else wanted
    if not needed:
        return 0.0, 0.0
    covered = len(needed & held) / len(needed) - 0.1 * (needed != wanted)
    exact = len(wanted & label) / len(label) if label else 0.0
    return covered, exact
