"""Words of a question that deny or say that something ended: a search without them asks the opposite.

Arrives: a question, and whether it asks of an ending. Leaves: pieces of its text, in order.
"""

from __future__ import annotations

import re

from appliance.understanding.fold import fold
from appliance.understanding.removal import ended_words

MAX_CUES = 6
_NOT_EN = re.compile(
    r"\b(?:no\s+longer|not(?!\s+only\b)|never|without|cannot|neither|nor|none|nobody|nothing|"
    r"no(?!\.\s?\d|\s\d|\s+later\b|\s+earlier\b|\s+more\b|\s+less\b)|[a-z]+n't)\b(?:\s+[a-z][\w-]*)?",
    re.IGNORECASE,
)
_NOT_ZH = re.compile(
    r"(?:不再|没有|不能|不得|不可|不会|不应|不必|不予|不属于|无法|无需|并非|不是|禁止|未曾|尚未|从未|"
    r"(?<![是能可会要用对算行])不(?![同仅但过久管论断良锈动少足妨])|(?<!有)没(?!有)|未(?![来必婚成])|"
    r"(?<![是除])非(?![常洲农标金货经全遗]))[一-鿿]{0,2}"
)
_ASKS_EITHER = re.compile(
    r"(?:是不是|有没有|能不能|会不会|可不可以|要不要|算不算|在不在|行不行|用不用|对不对)"
)


def cues_of(text: str, *, removal: bool) -> tuple[str, ...]:
    """At most six as written: ``not cover``, 不包括; with ``removal`` also ``withdrawn``, 废止."""
    folded = fold(text)
    # 有没有 asks whether; it denies nothing.
    plain = _ASKS_EITHER.sub(lambda match: "#" * len(match.group()), folded)
    spans = [match.span() for pattern in (_NOT_EN, _NOT_ZH) for match in pattern.finditer(plain)]
    if removal:
        spans += ended_words(folded)
    pieces = (text[begin:end].strip() for begin, end in sorted(spans))
    return tuple(dict.fromkeys(piece for piece in pieces if piece))[:MAX_CUES]
