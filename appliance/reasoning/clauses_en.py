"""Where a description in an English question begins and ends, and how to ask for what it describes.

Arrives: a question's words. Leaves: its innermost description ("the company that makes X", "X's wife", "the
state Y was born in") as a span and a question of its own. A clause ends where the verb stands that the
question's auxiliary still waits for ("did … die"), at a comma, or with the question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from appliance.domain import Struct
from appliance.reasoning.words_en import (
    ADVERBS,
    ASKING,
    ATTRIBUTES,
    BE,
    DETERMINERS,
    DO,
    FIRMS,
    HAVE,
    MODALS,
    NOUNS,
    PEOPLE,
    PREPOSITIONS,
    RELATIVES,
    ROLES,
    THINGS,
    Word,
    is_base,
    is_ing,
    is_past,
    is_third,
    words_of,
)

Row = Sequence[Word]
_AUXILIARIES = BE | HAVE | DO | MODALS
_HEAD_WORDS = 6
_APPOSED = frozenset(
    "state city country province county town kingdom republic university battle treaty bank "
    "island district village".split()
)
_OWNED = (
    ROLES
    | ATTRIBUTES
    | frozenset("country state city company band party studio school university continent".split())
)
_LINKS = frozenset("of for behind in by from on at".split())
_SUPERLATIVE = re.compile(
    r"^(?:\w+est|most|least|first|second|third|last|only|main|top|best|next|current|former)$"
)
_SAID = re.compile(
    r"(?:suggest|claim|indicate|impl[yi]e?|stat|say|report|argue|show|mean|believe|note)e?[sd]?$"
)
_ONLY_ASKS = re.compile(
    r"^(?:what|who|which(?: \w+)?|whom|where|in which \w+)?\s*(?:is|was|are|were)?\s*(?:the name of\s*)?$",
    re.IGNORECASE,
)


class Description(Struct, frozen=True, kw_only=True):
    """A part of a question that names something by what it is."""

    start: int
    end: int
    """Characters of the question."""
    asked: str
    """The question that finds it, without its question mark."""


def innermost(text: str) -> Description | None:
    """The last description that is a step towards what is asked; None where there is none."""
    words = words_of(text)
    for at in range(len(words) - 1, -1, -1):
        found = _described_at(text, words, at)
        if found is None:
            continue
        before, after = text[: found.start].strip(), text[found.end :].strip()
        if not (_ONLY_ASKS.match(before) and not after):
            return found
    return None


def _described_at(text: str, words: Row, at: int) -> Description | None:
    word = words[at]
    if word.name:
        return _possessed(text, words, at)
    if word.low in ("the", "a", "an") or (word.low == "whose" and at == 0):
        return _headed(text, words, at)
    before = words[at - 1].low if at else ""
    if (
        word.low in ROLES | ATTRIBUTES
        and (before in PREPOSITIONS or before in BE)
        and _low(words, at + 1) == "of"
    ):
        return _of(text, words, at, at, at + 1)
    if word.low == "who" and before in PREPOSITIONS:
        end = _end(words, at + 1, own=1, waits=_waits(words, at))
        return None if end is None else _made(words, at, end, f"Who {_text(text, words, at + 1, end)}")
    return None


# ---------------------------------------------------------------- kinds of description
def _headed(text: str, words: Row, at: int) -> Description | None:
    """``the N that …``, ``the N made by …``, ``the N of …``, ``the N they live in``."""
    stop = _head_end(words, at + 1)
    if stop == at + 1:
        return None
    head, noun = words[stop - 1], _text(text, words, at + 1, stop)
    found = _pronoun(text, words, at, stop) or _joined(text, words, at, stop)
    if found is not None or words[at].low != "the" or head.low not in NOUNS:
        return found
    nxt = _low(words, stop)
    if is_past(nxt) or is_ing(nxt):
        return _participle(text, words, at, stop, noun)
    if stop < len(words) and _opens_noun(words[stop]):
        return _reduced(text, words, at, stop, noun)
    return None


def _pronoun(text: str, words: Row, at: int, stop: int) -> Description | None:
    """A relative pronoun after the noun: ``that``, ``, who``, ``under whom``, ``the place in X where``."""
    nxt, after, noun = _low(words, stop), _low(words, stop + 1), _text(text, words, at + 1, stop)
    if nxt == "," and after in ("who", "which", "whose") and words[at].low == "the":
        return _relative(text, words, at, stop + 1, noun)
    if nxt in RELATIVES and not (nxt == "that" and _SAID.search(words[stop - 1].low)):
        return _relative(text, words, at, stop, noun)
    if nxt in PREPOSITIONS and after in ("which", "whom"):
        return _under_which(text, words, at, stop, noun)
    if (
        nxt in ("in", "of")
        and stop + 2 < len(words)
        and words[stop + 1].name
        and _low(words, stop + 2) in RELATIVES
    ):
        return _relative(text, words, at, stop + 2, _text(text, words, at + 1, stop + 2))
    return None


def _joined(text: str, words: Row, at: int, stop: int) -> Description | None:
    """``the N with …``, ``the X singer``, ``the N of …``."""
    nxt, head = _low(words, stop), words[stop - 1]
    if nxt == "with" and words[at].low == "the" and head.low in THINGS:
        end = _end(words, stop + 1, own=0, waits=_waits(words, at))
        if end is None:
            return None
        has = _text(text, words, stop + 1, end)
        return _made(words, at, end, f"Which {_text(text, words, at + 1, stop)} has {has}")
    if head.low in ROLES and stop - at > 2 and words[stop - 2].name and nxt != "of":
        owner = _text(text, words, at + 1, stop - 1)
        return _made(words, at, stop, f"{_asking(head.low)} the {head.text} of {owner}")
    if nxt == "of" or (nxt in _LINKS and (head.low in ROLES or _ranked(words, at + 1, stop))):
        return _of(text, words, at, at + 1, stop)
    return None


def _relative(text: str, words: Row, at: int, rel: int, noun: str) -> Description | None:
    end = _end(words, rel + 1, own=1, waits=_waits(words, at))
    if end is None or end == rel + 1:
        return None
    link, rest = words[rel].low, _text(text, words, rel + 1, end)
    if link == "whose":
        verb = any(each.low in BE for each in words[rel + 1 : end])
        return _made(words, at, end, f"Which {noun}'s {rest}" if verb else f"Which {noun} has a {rest}")
    subject = _verb_group(words, rel + 1) == rel + 1 or words[rel + 1].low in ADVERBS
    if link in ("where", "when"):
        return _made(words, at, end, _turned(text, words, rel + 1, end, f"In which {noun}"))
    if subject:
        return _made(words, at, end, f"Which {noun} {rest}")
    return _made(words, at, end, f"Which {noun} is it that {rest}")


def _under_which(text: str, words: Row, at: int, prep: int, noun: str) -> Description | None:
    end = _end(words, prep + 2, own=1, waits=_waits(words, at))
    if end is None:
        return None
    return _made(
        words, at, end, _turned(text, words, prep + 2, end, f"{words[prep].text.capitalize()} which {noun}")
    )


def _turned(text: str, words: Row, first: int, end: int, opening: str) -> str:
    """``X was born`` → ``was X born``; other verbs stay: ``is it that X died``."""
    verb = next((n for n in range(first, end) if words[n].low in BE), None)
    if verb is None or verb == first or words[verb].low not in ("is", "was", "are", "were"):
        return f"{opening} is it that {_text(text, words, first, end)}"
    subject, rest = _text(text, words, first, verb), _text(text, words, verb + 1, end)
    return f"{opening} {words[verb].text} {subject} {rest}".rstrip()


def _participle(text: str, words: Row, at: int, verb: int, noun: str) -> Description | None:
    """``the component used in X``, ``the country containing X``."""
    low, after = words[verb].low, _low(words, verb + 1)
    if is_past(low) and after not in PREPOSITIONS:
        return None
    followed = verb + 1 < len(words) and _opens_noun(words[verb + 1])
    if not is_past(low) and not followed and after not in PREPOSITIONS:
        return None
    waits = _waits(words, at)
    if waits == "finite" and _end(words, verb + 1, own=0, waits="finite") == len(words):
        return None  # it was the question's own verb
    end = _end(words, verb + 1, own=0, waits=waits)
    if end is None or end <= verb + 1:
        return None
    rest = _text(text, words, verb + 1, end)
    linked = "was" if is_past(low) else "is"
    return _made(words, at, end, f"Which {noun} {linked} {words[verb].text} {rest}")


def _reduced(text: str, words: Row, at: int, subject: int, noun: str) -> Description | None:
    """``the city CKIS-FM serves``, ``the state X was born in``."""
    verb = _verb_group(words, subject)
    if verb is None or verb == subject:
        return None
    if any(word.low in PREPOSITIONS - {"of"} or word.low in ASKING | {","} for word in words[subject:verb]):
        return None
    waits = _waits(words, at)
    end = _end(words, subject, own=1, waits=waits)
    if end is None or (waits == "finite" and end == len(words)):
        return None
    if waits == "base" and end == len(words):
        return None
    return _made(words, at, end, _turned(text, words, subject, end, f"Which {noun}"))


def _of(text: str, words: Row, start: int, head: int, link: int) -> Description | None:
    """``the director of X``, ``the largest city in {1}``."""
    last = words[link - 1].low
    if last not in NOUNS:
        return None
    if link + 1 >= len(words):
        return None
    after = words[link + 1]
    if last in _APPOSED and after.name and not after.text.startswith("{"):
        return None
    if last not in ROLES | ATTRIBUTES and last in NOUNS and not _ranked(words, head, link):
        inside = _text(text, words, link + 1, len(words))
        if "{" not in inside and not after.name and after.low != "the":
            return None
    end = _end(words, link + 1, own=0, waits=_waits(words, start))
    if end is None or end == link + 1:
        return None
    noun, rest = _text(text, words, head, link), _text(text, words, link + 1, end)
    return _made(words, start, end, f"{_asking(last)} the {noun} {words[link].text} {rest}")


def _possessed(text: str, words: Row, at: int) -> Description | None:
    """``X's wife``, ``{1}'s record label``."""
    if at + 2 >= len(words) or words[at + 1].text not in ("'s", "’s", "'", "’"):
        return None
    stop = _head_end(words, at + 2)
    while stop > at + 2 and words[stop - 1].low not in _OWNED:
        stop -= 1
    if stop == at + 2:
        return None
    last, noun = words[stop - 1].low, _text(text, words, at + 2, stop)
    start = at - 1 if at and words[at - 1].low == "the" else at
    asked = f"{_asking(last)} the {noun} of {words[at].text}"
    return Description(start=words[start].start, end=words[stop - 1].end, asked=asked)


# ---------------------------------------------------------------- where things end
def _end(words: Row, first: int, *, own: int, waits: str) -> int | None:
    """The index after a description's last word; None where its own verb is missing."""
    at = first
    if own:
        verb = _verb_group(words, first)
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
    return comma + 1 < len(words) and words[comma + 1].name and _low(words, comma + 2) not in ("'s", ",")


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
        after = _low(words, at + 1)
        return low not in NOUNS or at + 1 >= len(words) or after in PREPOSITIONS | DETERMINERS
    if waits == "participle":
        if low in PREPOSITIONS and at + 1 == len(words) and before not in BE:
            return True
        ends = at + 1 >= len(words) or _low(words, at + 1) in PREPOSITIONS
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


def _waits(words: Row, at: int) -> str:
    """What the words before a description leave open: ``base``, ``participle``, ``finite`` or nothing."""
    state = ""
    for n in range(at):
        low, before = words[n].low, _low(words, n - 1)
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


def _verb_group(words: Row, first: int) -> int | None:
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
        elif low in ("or", "and") and (is_past(_low(words, at + 1)) or is_third(_low(words, at + 1))):
            at += 2
        else:
            break
    return at


def _head_end(words: Row, first: int) -> int:
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
            if is_past(low) and (_low(words, at + 1) in PREPOSITIONS or words[at - 1].low in NOUNS):
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


def _opens_noun(word: Word) -> bool:
    return word.name or word.low in DETERMINERS or word.low in ("he", "she", "it", "they", "prohibition")


def _ranked(words: Row, first: int, stop: int) -> bool:
    return any(_SUPERLATIVE.match(word.low) for word in words[first:stop] if word.low)


def _asking(noun: str) -> str:
    if noun in PEOPLE:
        return "Who is"
    return "Which company or person is" if noun in FIRMS else "What is"


def _low(words: Row, at: int) -> str:
    if not 0 <= at < len(words):
        return ""
    return words[at].low


def _text(text: str, words: Row, first: int, end: int) -> str:
    return text[words[first].start : words[end - 1].end] if end > first else ""


def _made(words: Row, start: int, end: int, asked: str) -> Description:
    return Description(start=words[start].start, end=words[end - 1].end, asked=" ".join(asked.split()))
