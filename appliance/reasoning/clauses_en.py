"""Where a description in an English question begins and ends, and how to ask for what it describes.

Arrives: a question's words. Leaves: its innermost description ("the company that makes X", "X's wife", "the
state Y was born in") as a span and a question of its own. A clause ends where the verb stands that the
question's auxiliary still waits for ("did … die"), at a comma, or with the question.
"""

from __future__ import annotations

import re

from appliance.domain import Struct
from appliance.reasoning.borders_en import (
    Row,
    clause_end,
    head_end,
    is_ranked,
    low_at,
    open_verb,
    opens_noun,
    text_of,
    verb_group,
)
from appliance.reasoning.words_en import (
    ADVERBS,
    ASKING,
    ATTRIBUTES,
    BE,
    FIRMS,
    NOUNS,
    PEOPLE,
    PREPOSITIONS,
    RELATIVES,
    ROLES,
    THINGS,
    is_ing,
    is_past,
    words_of,
)

_APPOSED = frozenset(
    "state city country province county town kingdom republic university battle treaty bank "
    "island district village".split()
)
_OWNED = (
    ROLES
    | ATTRIBUTES
    | frozenset("country state city company band party studio school university continent".split())
)
_JOINS = frozenset("in of on the at de la von van".split())
"""Small words inside a name; ``and`` may as well join two owners."""
_LINKS = frozenset("of for behind in by from on at".split())
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
        and low_at(words, at + 1) == "of"
    ):
        return _of(text, words, at, at, at + 1)
    if word.low == "who" and before in PREPOSITIONS:
        end = clause_end(words, at + 1, own=1, waits=open_verb(words, at))
        return None if end is None else _made(words, at, end, f"Who {text_of(text, words, at + 1, end)}")
    return None


# ---------------------------------------------------------------- kinds of description
def _headed(text: str, words: Row, at: int) -> Description | None:
    """``the N that …``, ``the N made by …``, ``the N of …``, ``the N they live in``."""
    stop = head_end(words, at + 1)
    if stop == at + 1:
        return None
    head, noun = words[stop - 1], text_of(text, words, at + 1, stop)
    found = _pronoun(text, words, at, stop) or _joined(text, words, at, stop)
    if found is not None or words[at].low != "the" or head.low not in NOUNS:
        return found
    nxt = low_at(words, stop)
    if is_past(nxt) or is_ing(nxt):
        return _participle(text, words, at, stop, noun)
    if stop < len(words) and opens_noun(words[stop]):
        return _reduced(text, words, at, stop, noun)
    return None


def _pronoun(text: str, words: Row, at: int, stop: int) -> Description | None:
    """A relative pronoun after the noun: ``that``, ``, who``, ``under whom``, ``the place in X where``."""
    nxt, after, noun = low_at(words, stop), low_at(words, stop + 1), text_of(text, words, at + 1, stop)
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
        and low_at(words, stop + 2) in RELATIVES
    ):
        return _relative(text, words, at, stop + 2, text_of(text, words, at + 1, stop + 2))
    return None


def _joined(text: str, words: Row, at: int, stop: int) -> Description | None:
    """``the N with …``, ``the X singer``, ``the N of …``."""
    nxt, head = low_at(words, stop), words[stop - 1]
    if nxt == "with" and words[at].low == "the" and head.low in THINGS:
        end = clause_end(words, stop + 1, own=0, waits=open_verb(words, at))
        if end is None:
            return None
        has = text_of(text, words, stop + 1, end)
        return _made(words, at, end, f"Which {text_of(text, words, at + 1, stop)} has {has}")
    if head.low in ROLES and stop - at > 2 and words[stop - 2].name and nxt != "of":
        owner = text_of(text, words, at + 1, stop - 1)
        return _made(words, at, stop, f"{_asking(head.low)} the {head.text} of {owner}")
    if nxt == "of" or (nxt in _LINKS and (head.low in ROLES or is_ranked(words, at + 1, stop))):
        return _of(text, words, at, at + 1, stop)
    return None


def _relative(text: str, words: Row, at: int, rel: int, noun: str) -> Description | None:
    end = clause_end(words, rel + 1, own=1, waits=open_verb(words, at))
    if end is None or end == rel + 1:
        return None
    link, rest = words[rel].low, text_of(text, words, rel + 1, end)
    if link == "whose":
        verb = any(each.low in BE for each in words[rel + 1 : end])
        return _made(words, at, end, f"Which {noun}'s {rest}" if verb else f"Which {noun} has a {rest}")
    subject = verb_group(words, rel + 1) == rel + 1 or words[rel + 1].low in ADVERBS
    if link in ("where", "when"):
        return _made(words, at, end, _turned(text, words, rel + 1, end, f"In which {noun}"))
    if subject:
        return _made(words, at, end, f"Which {noun} {rest}")
    return _made(words, at, end, f"Which {noun} is it that {rest}")


def _under_which(text: str, words: Row, at: int, prep: int, noun: str) -> Description | None:
    end = clause_end(words, prep + 2, own=1, waits=open_verb(words, at))
    if end is None:
        return None
    return _made(
        words, at, end, _turned(text, words, prep + 2, end, f"{words[prep].text.capitalize()} which {noun}")
    )


def _turned(text: str, words: Row, first: int, end: int, opening: str) -> str:
    """``X was born`` → ``was X born``; other verbs stay: ``is it that X died``."""
    verb = next((n for n in range(first, end) if words[n].low in BE), None)
    if verb is None or verb == first or words[verb].low not in ("is", "was", "are", "were"):
        return f"{opening} is it that {text_of(text, words, first, end)}"
    subject, rest = text_of(text, words, first, verb), text_of(text, words, verb + 1, end)
    return f"{opening} {words[verb].text} {subject} {rest}".rstrip()


def _participle(text: str, words: Row, at: int, verb: int, noun: str) -> Description | None:
    """``the component used in X``, ``the country containing X``."""
    low, after = words[verb].low, low_at(words, verb + 1)
    if is_past(low) and after not in PREPOSITIONS:
        return None
    followed = verb + 1 < len(words) and opens_noun(words[verb + 1])
    if not is_past(low) and not followed and after not in PREPOSITIONS:
        return None
    waits = open_verb(words, at)
    if waits == "finite" and clause_end(words, verb + 1, own=0, waits="finite") == len(words):
        return None  # it was the question's own verb
    end = clause_end(words, verb + 1, own=0, waits=waits)
    if end is None or end <= verb + 1:
        return None
    rest = text_of(text, words, verb + 1, end)
    linked = "was" if is_past(low) else "is"
    return _made(words, at, end, f"Which {noun} {linked} {words[verb].text} {rest}")


def _reduced(text: str, words: Row, at: int, subject: int, noun: str) -> Description | None:
    """``the city CKIS-FM serves``, ``the state X was born in``."""
    verb = verb_group(words, subject)
    if verb is None or verb == subject:
        return None
    if any(word.low in PREPOSITIONS - {"of"} or word.low in ASKING | {","} for word in words[subject:verb]):
        return None
    waits = open_verb(words, at)
    end = clause_end(words, subject, own=1, waits=waits)
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
    if last not in ROLES | ATTRIBUTES and last in NOUNS and not is_ranked(words, head, link):
        inside = text_of(text, words, link + 1, len(words))
        if "{" not in inside and not after.name and after.low != "the":
            return None
    end = clause_end(words, link + 1, own=0, waits=open_verb(words, start))
    if end is None or end == link + 1:
        return None
    noun, rest = text_of(text, words, head, link), text_of(text, words, link + 1, end)
    return _made(words, start, end, f"{_asking(last)} the {noun} {words[link].text} {rest}")


def _possessed(text: str, words: Row, at: int) -> Description | None:
    """``X's wife``, ``{1}'s record label``."""
    if at + 2 >= len(words) or words[at + 1].text not in ("'s", "’s", "'", "’"):
        return None
    stop = head_end(words, at + 2)
    while stop > at + 2 and words[stop - 1].low not in _OWNED:
        stop -= 1
    if stop == at + 2:
        return None
    last, noun = words[stop - 1].low, text_of(text, words, at + 2, stop)
    owner = _owner(words, at)
    start = owner - 1 if owner and words[owner - 1].low == "the" else owner
    asked = f"{_asking(last)} the {noun} of {text_of(text, words, owner, at + 1)}"
    return Description(start=words[start].start, end=words[stop - 1].end, asked=asked)


def _owner(words: Row, at: int) -> int:
    """Where the owner's name begins, which small words may join: ``Terra in Pace``."""
    while at >= 2 and words[at].name and words[at - 1].low in _JOINS and words[at - 2].name:
        at -= 2
    return at


def _asking(noun: str) -> str:
    if noun in PEOPLE:
        return "Who is"
    return "Which company or person is" if noun in FIRMS else "What is"


def _made(words: Row, start: int, end: int, asked: str) -> Description:
    return Description(start=words[start].start, end=words[end - 1].end, asked=" ".join(asked.split()))
