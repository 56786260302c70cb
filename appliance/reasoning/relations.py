"""What a sub-question asks of whom: its subject, and the rest of its words as a relation. Pure.

Arrives: a question's reading. Leaves: an :class:`Asked`, equal for two questions only if they name the same
thing and ask the same of it in the same words and the same period. Word order counts, because ``who
succeeded X`` is not ``whom did X succeed``; other words of the same meaning are another relation, because a
look-up too many costs seconds, and a wrong shortcut a wrong answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from appliance.domain import Reading, Struct

Fold = Callable[[str], str]
SUBJECT = "·"
_HAN = r"\u3400-\u4dbf\u4e00-\u9fff"
_TOKEN = re.compile(rf"{SUBJECT}|\w+(?:[.\-+%/#&]\w+)*[+#%]*")
_EMPTY_WORDS = frozenset({"a", "an", "the", "s", "please", "请问"})
_EMPTY_HAN = re.compile(r"请问|的|呢")
_HAN_SUBJECT = re.compile(
    rf"(?:^|\s)(?:请问)?(?!请问)([{_HAN}A-Za-z0-9·&-]{{2,20}}?)"
    r"(?:[的之]|是谁|是什么|是哪|是否|何时|何地|由谁|由哪|在哪|位于|成立于|有多少|有几|有哪|属于|为什么|怎么|如何)"
)
"""Read off the plain question: a name that is too long would be missed in documents, so the shortest."""
_AROUND = re.compile(r"^[\s《》「」“”\"'’(（]+|[\s《》「」“”\"'’)）]+$")


class Asked(Struct, frozen=True, kw_only=True):
    """A subject, a relation, a period; the answer is the relation's other end."""

    subject: str
    """As the question writes it."""
    subject_key: str
    relation: str
    """The question with ``·`` for its subject, as written."""
    relation_key: str
    period: str = ""
    """Days that the question speaks of, resolved: ``last year`` of another day is another period."""


def asked_about(reading: Reading, *, fold: Fold, name_key: Fold) -> Asked | None:
    """None where the question names nothing, or nothing that a key can be made of.

    ``fold``: spellings of one word made one; ``name_key``: the same of a name, empty where it says little.
    """
    named = sorted((one.text for one in reading.entities), key=reading.text.find)
    for text in named or _before_what_is_asked(reading):
        name, place = _AROUND.sub("", text), reading.text.find(text)
        key = name_key(name)
        if place < 0 or not key:
            continue
        relation = f"{reading.text[:place]} {SUBJECT} {reading.text[place + len(text) :]}"
        words = _words(fold(relation.replace("’", "'")))
        if words == [SUBJECT]:
            return None
        return Asked(
            subject=name,
            subject_key=key,
            relation=" ".join(relation.split()),
            relation_key=" ".join(words),
            period=_period(reading),
        )
    return None


def _before_what_is_asked(reading: Reading) -> list[str]:
    """Chinese marks no names: where none was read, what stands before 的 or before the asking words."""
    text = reading.text
    for time in reading.times:
        text = text.replace(time.text, " ")
    found = _HAN_SUBJECT.search(text)
    return [found[1]] if found else []


def _words(folded: str) -> list[str]:
    return [word for word in _TOKEN.findall(_EMPTY_HAN.sub("", folded)) if word not in _EMPTY_WORDS]


def _period(reading: Reading) -> str:
    spans = [f"{time.start or ''}/{time.end or ''}{'f' if time.fiscal else ''}" for time in reading.times]
    moving = [f"as of {reading.as_of}"] if reading.recency else []
    return ";".join([*spans, *moving])
