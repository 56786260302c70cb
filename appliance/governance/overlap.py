"""How near a short answer is to the expected one: exact match and token F1, as question-answering sets count.

SQuAD's rules (Rajpurkar et al. 2016): lower case, no articles, no punctuation; for Chinese each character is
a token (CMRC 2018). Arrives: texts. Leaves: 0–1.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

_TOKEN = re.compile(r"[㐀-䶿一-鿿豈-﫿]|[^\W_㐀-䶿一-鿿豈-﫿]+(?:[.,]\d+)*")
_ARTICLES = frozenset({"a", "an", "the"})


def tokens(text: str) -> list[str]:
    """Words and figures (thousands separators out), single Chinese characters; no articles."""
    folded = unicodedata.normalize("NFKC", text).lower()
    folded = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", folded)
    return [token for token in _TOKEN.findall(folded) if token not in _ARTICLES]


def exact_match(answer: str, expected: Sequence[str]) -> bool:
    """Whether the tokens are those of one of the expected answers."""
    given = tokens(answer)
    return bool(given) and any(given == tokens(one) for one in expected)


def token_f1(answer: str, expected: Sequence[str]) -> float:
    """The best F1 of the tokens over the expected answers."""
    return max((_f1(tokens(answer), tokens(one)) for one in expected), default=0.0)


def contained(text: str, expected: Sequence[str]) -> bool:
    """Whether the tokens of one of the expected answers stand in the text, side by side."""
    given = " ".join(tokens(text))
    wanted = [" ".join(tokens(one)) for one in expected]
    return any(one and f" {one} " in f" {given} " for one in wanted)


def _f1(given: list[str], wanted: list[str]) -> float:
    shared = sum((Counter(given) & Counter(wanted)).values())
    return 2 * shared / (len(given) + len(wanted)) if shared else 0.0
