"""Whether two statements that seem to contradict each other speak of two things after all. By code.

Where a trained head sees much in common, these tell that it is not enough: the pages are about two like
things, a statement says nothing but a figure, two changes are measured from different bases, a state of some
past year is held against today's, neither bears on what is asked. Arrives: two
frames, the figures or the axis, what is asked. Leaves: true where the pair must not be told.
"""

from __future__ import annotations

import re

from appliance.domain.quantities import Quantity
from appliance.evidence.concepts import concepts_of
from appliance.evidence.frames import Figure, Frame
from appliance.evidence.polarity import AXES
from appliance.evidence.topics import fold, names_of, overlap, stem, words_of

WORDS_MIN = 2
"""Content words without which a statement that names no metric says nothing by itself."""
TITLE_WORDS_MAX = 7
"""Longer titles are headlines, and name no single subject."""
ASKED_MIN = 0.25
"""Share of what is asked that the better of two statements, with its heading, must have."""
_HAN = re.compile("[一-鿿]")
_BASES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"环比|较上[月季]|"
        r"quarter[- ](?:on|over)[- ]quarter|month[- ](?:on|over)[- ]month|sequential",
        r"同比|较上年|上年同期|去年同期|year[- ](?:on|over)[- ]year|annually|a year (?:earlier|ago)",
    )
)
_SHARE = re.compile(
    r"占(?:比|全部|总|全国|公司|收入|营收|[^，。,]{0,24}(?:比重|比例|的?$))|比重|% of (?:total|all|the)|share of",  # noqa: E501
    re.IGNORECASE,
)
_PART = re.compile(
    r"其中|分(?:领域|行业|地区|产品|业务|季度)|细分|单独|"
    r"\bof which\b|\bamong them\b|\bof these\b",
    re.IGNORECASE,
)
_CIRCUMSTANCE = re.compile(
    r"\b(?:group|school|family|season|weekends?|weekdays?|winter|summer|peak|off-peak|night|holidays?)\b|"
    r"团体|团队票|学校|家庭|周末|工作日|冬季|夏季|高峰|夜间|节假日",
    re.IGNORECASE,
)
"""Prices and counts differ by these; said on one side only, they set two figures apart."""
_RATE_ZH = re.compile(r"([一-鿿]{0,2}(?:率|占比|比重|比例|增速|增幅|降幅|跌幅|涨幅|利率))")
_RATE_EN = re.compile(r"\b([a-z]+ (?:rate|share|margin|yield|ratio|growth))\b", re.IGNORECASE)
FEW = 13
"""Below it a bare number counts whatever stands behind it, and that must be the same."""
SHORT = 6
"""Content words up to which every word of a sentence counts."""
_DIRECTIONS = re.compile("|".join(sign.pattern for signs in AXES.values() for sign in signs), re.IGNORECASE)
KNOWS, KNOWS_NOT = 0.7, 0.4
"""Shares of what is asked in two whole passages from which only one of them is about it."""
_KIND_OF_PAGE = re.compile(
    r"\b(?:report|digest|circular|sheet|briefing|overview|article|notice|page|list|release|news|bulletin|summary|"
    r"annual|minutes|study|trial|guide|handbook|faq|intranet|leaflet|memo|draft|policy|rules?|fact)\b|\d",
    re.IGNORECASE,
)


def unlike_figures(
    one: Frame, other: Frame, values: tuple[Quantity, Quantity], asked: frozenset[str]
) -> bool:
    """Whether two figures measure two things."""
    if _always_unlike(one, other, asked):
        return True
    mine, theirs = (_of(frame, value) for frame, value in zip((one, other), values, strict=True))
    if mine is None or theirs is None:
        return False
    if values[0].unit == "percent" and any(value.text.endswith("百分点") for value in values):
        return True  # by how much a rate moved: of which rate, the clause seldom says
    clauses = [_around(frame, figure.quantity) for frame, figure in ((one, mine), (other, theirs))]
    if _other_base(clauses[0], clauses[1]) or _other_rate(clauses[0], clauses[1]):
        return True
    if _one_has(_PART, one, other) or _one_has(_CIRCUMSTANCE, one, other) or _few(mine, theirs):
        return True
    if values[0].unit == "percent" and bool(_SHARE.search(clauses[0])) != bool(_SHARE.search(clauses[1])):
        return True
    return _nothing_shared(mine, theirs, one, other)


def unlike_signs(one: Frame, other: Frame, axis: str, asked: frozenset[str]) -> bool:
    """Whether two statements point opposite ways of two things, or of one thing at two times."""
    if _always_unlike(one, other, asked):
        return True
    if axis == "state" and bool(one.moments) != bool(other.moments):
        return True
    return _other_object(one, other)


def _other_object(one: Frame, other: Frame) -> bool:
    """Whether each of two short English sentences names a thing that the other lacks."""
    texts = [frame.statement.text for frame in (one, other)]
    if any(_HAN.search(text) for text in texts):
        return False
    bare = [words_of(_DIRECTIONS.sub(" ", text)) for text in texts]
    left = [bare[0] - other.topic.words - other.around, bare[1] - one.topic.words - one.around]
    return all(left) and all(len(words) <= SHORT for words in bare)


def _always_unlike(one: Frame, other: Frame, asked: frozenset[str]) -> bool:
    if any(_says_nothing(frame) for frame in (one, other)):
        return True
    return _other_pages(one, other) or _beside_the_question(one, other, asked)


def _says_nothing(frame: Frame) -> bool:
    return len(frame.topic.words) < WORDS_MIN and not concepts_of(frame.statement.text)


def _other_pages(one: Frame, other: Frame) -> bool:
    """Whether each title names a subject that the other side nowhere has, and the texts share no name."""
    if one.topic.names & other.topic.names:
        return False
    return _own_subject(one, other) and _own_subject(other, one)


def _own_subject(one: Frame, other: Frame) -> bool:
    """A title of capitalised words alone, the first of which the other side lacks."""
    title = one.statement.passage.title.strip()
    words = re.findall(r"[^\W\d_][\w'’.-]*", title)
    if not words or len(words) > TITLE_WORDS_MAX or _KIND_OF_PAGE.search(title) or _HAN.search(title):
        return False
    named = [word for word in words if word[0].isupper()]
    if len(named) * 2 <= len(words) or not names_of(f"The {title}"):
        return False
    return fold(named[0]) not in fold(f"{other.statement.heading} {other.statement.text}")


def _beside_the_question(one: Frame, other: Frame, asked: frozenset[str]) -> bool:
    """Whether neither statement has much of what is asked; across languages words do not tell."""
    if not asked:
        return False
    held = [frame.topic.words | frame.around for frame in (one, other)]
    if any(_han(each) != _han(asked) for each in held):
        return False
    if max(len(asked & each) / len(asked) for each in held) < ASKED_MIN:
        return True
    whole = [
        len(asked & (frame.heading.words | words_of(frame.statement.passage.text))) / len(asked)
        for frame in (one, other)
    ]
    return min(whole) <= KNOWS_NOT and max(whole) >= KNOWS


def _han(words: frozenset[str]) -> bool:
    return sum(bool(_HAN.match(word)) for word in words) * 2 > len(words)


def _of(frame: Frame, value: Quantity) -> Figure | None:
    return next((each for each in frame.figures if each.quantity is value), None)


def _around(frame: Frame, value: Quantity) -> str:
    """The figure's clause as written, up to the commas beside it."""
    text = frame.statement.text
    at = text.find(value.text)
    if at < 0:
        return text
    left = max((text.rfind(mark, 0, at) for mark in ",，;；。"), default=-1) + 1
    right = min(
        (found for mark in ",，;；。" if (found := text.find(mark, at + len(value.text))) >= 0), default=-1
    )
    return text[left : right if right > 0 else len(text)]


def _other_base(one: str, other: str) -> bool:
    bases = [{at for at, base in enumerate(_BASES) if base.search(each)} for each in (one, other)]
    return bool(bases[0] and bases[1]) and not bases[0] & bases[1]


def _other_rate(one: str, other: str) -> bool:
    """Whether both name a rate, and not the same."""
    for pattern in (_RATE_ZH, _RATE_EN):
        mine, theirs = (set(pattern.findall(each.lower())) for each in (one, other))
        if mine and theirs and not any(a[-2:] == b[-2:] for a in mine for b in theirs):
            return True
    return False


def _one_has(pattern: re.Pattern[str], one: Frame, other: Frame) -> bool:
    return bool(pattern.search(one.statement.text)) != bool(pattern.search(other.statement.text))


def _few(mine: Figure, theirs: Figure) -> bool:
    """Whether one of two bare numbers is small, and they do not count the same."""
    if mine.quantity.unit or theirs.quantity.unit:
        return False
    nouns = [stem(each.quantity.noun.lower()) for each in (mine, theirs)]
    small = min(abs(mine.quantity.value), abs(theirs.quantity.value)) < FEW
    return small and (not nouns[0] or nouns[0] != nouns[1])


def _nothing_shared(mine: Figure, theirs: Figure, one: Frame, other: Frame) -> bool:
    """Whether the clauses of both figures, in one language, share neither word nor concept."""
    texts = [frame.statement.text for frame in (one, other)]
    if bool(_HAN.search(texts[0])) != bool(_HAN.search(texts[1])):
        return False
    if concepts_of(texts[0]) & concepts_of(texts[1]):
        return False
    words = [figure.clause or words_of(text) for figure, text in zip((mine, theirs), texts, strict=True)]
    known = [frame.topic.words | frame.around for frame in (one, other)]
    return not overlap(words[0], known[1]) and not overlap(words[1], known[0])
