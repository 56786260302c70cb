"""Where a noun phrase, a clause and a description end in an English question, by its row of words.

Arrives: words and a position. Leaves: the position after the part. A clause ends where the verb stands that
the question's auxiliary still waits for ("did … die"), at a comma, or with the question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from appliance.reasoning.words_en import (
    ADVERBS,
    ASKING,
    BE,
    DETERMINERS,
    DO,
    HAVE,
    MODALS,
    NOUNS,
    PREPOSITIONS,
    RELATIVES,
    Word,
    is_base,
    is_ing,
    is_past,
    is_third,
)

Row = Sequence[Word]
_AUXILIARIES = BE | HAVE | DO | MODALS
_HEAD_WORDS = 6
_SUPERLATIVE = re.compile(
    r"^(?:\w+est|most|least|first|second|third|last|only|main|top|best|next|current|former)$"
)


def clause_end(words: Row, first: int, *, own: int, waits: str) -> int | None:
    """The index after a description's last word; None where its own verb is missing."""
    at = first
    if own:
        verb = verb_group(words, first)
        if verb is None:
            return None
        at = _group_end(words, verb)
    while at < len(words):
        word = words[at]
        if word.text in ",;:—" and not _place_goes_on(words, at):
            break
        if _is_awaited(words, at, waits):
            break
        if own and word.low in BE | DO and words[at - 1].low not in ("and", "or", *RELATIVES):
            break
        if (
            at > first
            and word.low in ASKING - {"when", "where", "how", "why"}
            and words[at - 1].low not in PREPOSITIONS
        ):
            break
        at += 1
    while at > first and words[at - 1].text in ",;:":
        at -= 1
    return at if at > first else None


def _place_goes_on(words: Row, comma: int) -> bool:
    """``Leland, North Carolina``; not ``…, the leader of``."""
    return comma + 1 < len(words) and words[comma + 1].name and low_at(words, comma + 2) not in ("'s", ",")


def _is_awaited(words: Row, at: int, waits: str) -> bool:
    """Whether the verb that the question still waits for stands here."""
    low = words[at].low
    before = words[at - 1].low if at else ""
    if not low or before in DETERMINERS or before in ("to", "'s", "’s"):
        return False
    if waits == "base":
        if not is_base(low) or before in PREPOSITIONS - {"for", "in", "to", "by", "on", "from", "of"}:
            return False
        if before in PREPOSITIONS and not _stranded(words, at - 1):
            return False
        after = low_at(words, at + 1)
        return low not in NOUNS or at + 1 >= len(words) or after in PREPOSITIONS | DETERMINERS
    if waits == "participle":
        if low in PREPOSITIONS and at + 1 == len(words) and before not in BE:
            return True
        ends = at + 1 >= len(words) or low_at(words, at + 1) in PREPOSITIONS
        return (
            is_past(low)
            and ends
            and before not in BE | HAVE
            and (before not in PREPOSITIONS or _stranded(words, at - 1))
        )
    if waits == "finite":
        return low in _AUXILIARIES or (
            (is_past(low) or is_third(low)) and before not in PREPOSITIONS | BE | HAVE | {"and", "or", ","}
        )
    return False


def _stranded(words: Row, prep: int) -> bool:
    """A preposition left at the end of a clause: ``was born in`` before the question's verb."""
    return prep > 0 and is_past(words[prep - 1].low)


def open_verb(words: Row, at: int) -> str:
    """What the words before a description leave open: ``base``, ``participle``, ``finite`` or nothing."""
    state = ""
    for n in range(at):
        low, before = words[n].low, low_at(words, n - 1)
        if (
            n > (2 if before in PREPOSITIONS else 0)
            and low in RELATIVES
            and before not in PREPOSITIONS - {"in", "of", "to", "under", "by", "for"}
        ):
            state = "clause"
        elif low in DO | MODALS and state != "none":
            state = "base"
        elif state == "base" and is_base(low) and low not in NOUNS and before not in DETERMINERS:
            state = "none"
        elif low in BE and state in ("", "participle"):
            state = "participle"
        elif (
            n
            and state in ("", "clause")
            and (low in _AUXILIARIES or ((is_past(low) or is_third(low)) and low not in NOUNS))
        ):
            state = "none"
    if state == "clause":
        return "finite"
    if state == "participle" and at and words[at - 1].low not in BE | PREPOSITIONS | DETERMINERS:
        return "participle" if words[at - 1].text == "," else "none"
    return state or "finite"


def verb_group(words: Row, first: int) -> int | None:
    """Where the first verb of a clause stands, within eight words of its beginning."""
    for at in range(first, min(len(words), first + 9)):
        low = words[at].low
        before = words[at - 1].low if at > first else ""
        if not low or before in DETERMINERS or before in ("'s", "’s"):
            continue
        if low in _AUXILIARIES:
            return at
        if (is_past(low) or is_third(low)) and before not in PREPOSITIONS:
            if low in NOUNS and at == first:
                continue
            return at
        if is_base(low) and low not in NOUNS and before not in PREPOSITIONS and at > first - 1:
            return at
    return None


def _group_end(words: Row, verb: int) -> int:
    """The index after a verb with its auxiliaries, adverbs and a second verb joined by ``or``/``and``."""
    at = verb + 1
    while at < len(words):
        low = words[at].low
        if (
            (low in _AUXILIARIES and words[at - 1].low in _AUXILIARIES | ADVERBS)
            or low in ADVERBS
            or (words[at - 1].low in _AUXILIARIES | ADVERBS | {"got"} and (is_past(low) or is_ing(low)))
        ):
            at += 1
        elif low in ("or", "and") and (is_past(low_at(words, at + 1)) or is_third(low_at(words, at + 1))):
            at += 2
        else:
            break
    return at


def head_end(words: Row, first: int) -> int:
    """The index after the words of a noun phrase that begins at ``first``."""
    at = first
    while at < len(words) and at - first < _HEAD_WORDS:
        word, low = words[at], words[at].low
        if not word.name and (
            not word.text[0].isalnum()
            or low in PREPOSITIONS | RELATIVES | _AUXILIARIES | DETERMINERS | ASKING
            or low in ("and", "or", "to")
        ):
            break
        if at > first and not word.name and low not in NOUNS:
            if is_past(low) and (low_at(words, at + 1) in PREPOSITIONS or words[at - 1].low in NOUNS):
                break
            if is_ing(low) and words[at - 1].low in NOUNS:
                break
            if (is_third(low) or is_base(low)) and words[at - 1].low in NOUNS:
                break
        if word.name and at > first and words[at - 1].low in NOUNS:
            break
        if word.name and word.text.startswith("{"):
            break
        at += 1
    return at


def opens_noun(word: Word) -> bool:
    """Whether a noun phrase may begin with this word."""
    return word.name or word.low in DETERMINERS or word.low in ("he", "she", "it", "they")


def is_ranked(words: Row, first: int, stop: int) -> bool:
    """Whether the words rank: ``the largest city``, ``the first director``."""
    return any(_SUPERLATIVE.match(word.low) for word in words[first:stop] if word.low)


def low_at(words: Row, at: int) -> str:
    """The word in lower case; empty for a name and beyond the ends."""
    if not 0 <= at < len(words):
        return ""
    return words[at].low


def text_of(text: str, words: Row, first: int, end: int) -> str:
    """The words from ``first`` up to ``end`` as written."""
    return text[words[first].start : words[end - 1].end] if end > first else ""
