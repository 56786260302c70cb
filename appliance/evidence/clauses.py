"""The clauses of a long sentence, and what has to stay together when only some of them are kept.

Arrives: a sentence. Leaves: spans that cover it. A clause that binds its neighbour ("unless …", 「除非…」,
「不含税」) is never parted from it, so that what is kept is never said without its condition.
"""

from __future__ import annotations

import re

from appliance.evidence.bounds import CONDITION, NEGATION

Range = tuple[int, int]
LONG_CHARS, LONG_CHARS_HAN = 400, 160
"""Only longer sentences are parted."""
SEGMENT_CHARS, SEGMENT_CHARS_HAN = 90, 36
"""Clauses are kept together up to about that length."""
LEAD_CHARS_MAX = 90
_HAN = re.compile(r"[一-鿿]")
_BORDER = re.compile(r"[，；;：:](?!\d)\s*|,(?!\d{3}\b)\s*|\s[—–]\s")
_STRONG = re.compile(r"[；;]\s*$")
COUNTED = re.compile(
    r"\s*(?:[一二三四五六七八九十]是|第[一二三四五六七八九十]|[(（][\d一二三四五六七八九十ivx]{1,3}[)）])"
)
_OPENS = re.compile(r"[(（“「《\[]")
_CLOSES = re.compile(r"[)）”」》\]]")
_BINDS_BACK = re.compile(
    r"^\s*(?:unless|if|except|provided|excluding|including|other than|but not|but|only|subject to|until|"
    r"whereas|which|that|who|where|net of|before|after|compared|versus|down|up|or|respectively|"
    r"除非|但|但是|不含|不包括|且|并|其中|除外|如果|若|同比|环比|较|比|即|分别|以及|扣除|剔除|未经|经)",
    re.IGNORECASE,
)
_BINDS_ON = re.compile(
    r"^\s*(?:if|unless|when|where|in the event|provided|subject to|under|for|during|in|as of|at|"
    r"如果|若|除非|凡|当|在|截至|按|经|自|对于|根据|其中)",
    re.IGNORECASE,
)


def is_han(text: str) -> bool:
    """Return whether a text is mostly in Chinese characters."""
    return len(_HAN.findall(text)) * 3 > len(text)


def clauses(sentence: str) -> list[Range]:
    """Return the spans between commas, semicolons, colons and dashes; none inside brackets or a figure."""
    spans: list[Range] = []
    start = 0
    for border in _BORDER.finditer(sentence):
        inside = sentence[start : border.start()]
        if len(_OPENS.findall(inside)) > len(_CLOSES.findall(inside)):
            continue
        if inside.strip():
            spans.append((start, border.end()))
            start = border.end()
    if sentence[start:].strip() or not spans:
        spans.append((start, len(sentence)))
    else:
        spans[-1] = (spans[-1][0], len(sentence))
    return spans


def segments(sentence: str) -> list[Range]:
    """Return the parts of which some may be kept: one for a short sentence, clauses that belong together."""
    han = is_han(sentence)
    if len(sentence) <= (LONG_CHARS_HAN if han else LONG_CHARS):
        return [(0, len(sentence))]
    least = SEGMENT_CHARS_HAN if han else SEGMENT_CHARS
    made: list[Range] = []
    for start, end in clauses(sentence):
        short = made and made[-1][1] - made[-1][0] < least
        ended = made and _STRONG.search(sentence[made[-1][0] : made[-1][1]])
        counted = COUNTED.match(sentence[start:end])
        if made and (_joined(sentence, made[-1], (start, end)) or (short and not ended and not counted)):
            made[-1] = (made[-1][0], end)
            continue
        if short and len(made) > 1:
            made[-2:] = [(made[-2][0], made[-1][1])]
        made.append((start, end))
    return made


def lead(sentence: str, parts: list[Range]) -> Range | None:
    """Return the clause that a sentence opens with, its subject or condition in it; None: too long."""
    start, end = clauses(sentence)[0]
    return (start, end) if len(parts) > 1 and end - start <= LEAD_CHARS_MAX else None


def _joined(sentence: str, before: Range, here: Range) -> bool:
    """Whether a clause binds the one before it, or that one binds it."""
    text = sentence[here[0] : here[1]]
    if re.search(r"[；;]\s*$", sentence[before[0] : before[1]]):
        return False
    if _BINDS_BACK.match(text) and (len(text) <= LEAD_CHARS_MAX or CONDITION.search(text[:40])):
        return True
    bare = sentence[before[0] : before[1]]
    last = re.split(r"[，,；;：:]\s*", bare.rstrip(" ，,；;：:"))[-1]
    if _BINDS_ON.match(last):
        return True
    return bool(NEGATION.match(text.lstrip()) or CONDITION.match(text.lstrip()))
