"""How far two statements speak of the same thing: entity, period, scope, words.

Arrives: two frames. Leaves: a :class:`Likeness`, and relations between the periods of two figures. Figures of
other periods, scopes or versions do not contradict each other.
"""

from __future__ import annotations

import re
from enum import StrEnum

from appliance.domain import Passage, Struct
from appliance.domain.quantities import When, same
from appliance.domain.quantities.shape import Quantity
from appliance.domain.verifying import Span
from appliance.evidence.concepts import concepts_of, heads_clash
from appliance.evidence.frames import Figure, Frame
from appliance.evidence.qualifier_words import HARD_AXES, QUALIFIERS, STOP_ENGLISH
from appliance.evidence.topics import clash, fold, names_of, one_sided, overlap, said_of, stem, words_of

_HAN = re.compile(r"[一-鿿]")
_KIND_OF_TEXT = re.compile(
    r"\b(?:annual|quarterly|interim|financial|press|statistical|study|trial|board|news|daily|weekly|official|internal|"
    r"public|summary|abstract|digest|release|report|reports|statement|notes?|notice|register|leaflet|handbook|manual|"
    r"minutes|meeting|yearbook|letter|wire|paper|page|policy|guide|faq|frequently|asked|questions|answers|article|"
    r"announcement|document|file|visitors|members|patients|places|week|review|journal|book|site|website|introduction|"
    r"overview|background|results|facts|figures|data|general|information|section|annex|appendix|chapter)\b|"
    r"年度报告|年报|季报|半年报|新闻稿|新闻|公告|须知|名录|手册|纪要|会议|年鉴|统计|摘要|摘编|快讯|要闻|一周|常见问题|问答|说明|"
    r"报告|简介|介绍|指南|通知|文件|董事会|研究|资料|概况|来访|单位|会员|患者|致|信|附录|章|节"
)
"""What kind of text a heading says it is; whom it is about is the rest."""
_CODE = re.compile(r"\d")
_LEAD = re.compile(rf"[一-鿿]{{2,}}|\b(?!(?:{'|'.join(sorted(STOP_ENGLISH))})\b)[a-z][a-z-]+")
_DATES = re.compile(
    r"\d+\s*年(?:度|末|底|初)?|\d+\s*月|\d+\s*日|第?[一二三四]季度|[上下]半年|去年|今年|目前|该|本|在|截至|共"
)
_VERSION = re.compile(
    r"\b(?:19|20)\d{2}\b|\bv(?:ersion)?[ .]?\d+(?:\.\d+)*|\d+(?:\.\d+)+|第?[一二三四五六七八九十\d]+版",
    re.IGNORECASE,
)
_TITLE_CODE = re.compile(
    r"(?<![\w.])(?!(?:19|20)\d\d(?!\w))[a-z]*-?\d+[a-z]*(?![\w.%])|(?<=[一-鿿])\d{1,3}(?=[型号])"
)
"""In folded text: a code or number that names one thing of several."""


class Periods(StrEnum):
    """How the periods of two figures stand to each other."""

    SAME = "same"
    OPEN = "open"
    """One side, or neither, says."""
    OTHER = "other"


class Likeness(Struct, frozen=True, kw_only=True):
    """How far two statements speak of the same thing; shares 0–1."""

    cover: float
    """Of the content words of the poorer side, those that the other has."""
    jaccard: float
    shared_names: int
    strange: float
    """Names on both sides that the other knows nothing of: the smaller number of the two, at most 3."""
    residue: float
    """Words on both sides that the other, its heading and what stands before it do not have.

    The smaller share.
    """
    headings: float
    """Overlap of what the two headings say."""
    apart: bool
    """Each heading names something that the other side knows nothing of: perhaps another firm."""
    leads: bool
    """Each begins with something that the other side knows nothing of.

    Another subject, more often than not.
    """
    softly: bool
    """Only one side is narrowed along some axis."""
    narrowed: bool
    """Only one side is narrowed along a hard axis."""
    across: bool
    """The two are in different languages."""
    concepts: int
    """1: both measure the same, -1: different things, 0: one does not say."""
    heads: int
    """Heads with different modifiers: see :func:`heads_clash`."""
    close: float
    """Cosine of the two, 0 where no embedder was asked."""


def likeness(one: Frame, other: Frame, close: float = 0.0) -> Likeness | None:
    """How far the two speak of the same thing; None where their scopes or versions tell that they do not."""
    if clash(one.topic, other.topic) or apart(one.statement.passage, other.statement.passage):
        return None
    if _of_another(one, other):
        return None
    mine, theirs = one.topic.words, other.topic.words
    left = mine - theirs - other.around
    right = theirs - mine - one.around
    names = one.topic.names & other.topic.names
    return Likeness(
        cover=overlap(mine, theirs),
        jaccard=len(mine & theirs) / len(mine | theirs) if mine | theirs else 0.0,
        shared_names=min(3, len(names)),
        strange=float(min(3, len(_strange(one, other)), len(_strange(other, one)))),
        residue=min(len(left) / len(mine) if mine else 0.0, len(right) / len(theirs) if theirs else 0.0),
        headings=overlap(one.heading.words | one.heading.names, other.heading.words | other.heading.names),
        apart=not _same_subject(one, other) and _foreign_heading(one, other) and _foreign_heading(other, one),
        leads=_foreign_lead(one, other) and _foreign_lead(other, one),
        softly=one_sided(one.topic, other.topic, frozenset(QUALIFIERS)),
        narrowed=one_sided(one.topic, other.topic, HARD_AXES),
        across=bool(_HAN.search(one.statement.text)) != bool(_HAN.search(other.statement.text)),
        concepts=_concepts(one, other),
        heads=min(2, heads_clash(one.statement.text, other.statement.text)),
        close=close,
    )


def _of_another(one: Frame, other: Frame) -> bool:
    """Whether the names tell that the two are about different things.

    Codes, firms, places, in text or heading.
    """
    if _other_code(one, other) and _other_code(other, one):
        return True
    mine, theirs = _strange(one, other), _strange(other, one)
    if mine and theirs and (_CODE.search(" ".join(mine)) or not one.topic.names & other.topic.names):
        return True
    if bool(_HAN.search(one.statement.text)) != bool(_HAN.search(other.statement.text)):
        known = [fold(f"{each.statement.text} {each.statement.heading}") for each in (one, other)]
        named = [each.topic.names | names_of(each.statement.heading) for each in (one, other)]
        return not any(name in known[1] for name in named[0]) and not any(
            name in known[0] for name in named[1]
        )
    leads = _foreign_lead(one, other) and _foreign_lead(other, one)
    return leads and heads_clash(one.statement.text, other.statement.text) > 0


def _other_code(one: Frame, other: Frame) -> bool:
    """Whether the title bears a number, no year, that the other's title and text lack: model 003, Lot B7."""
    if any(_CODE.search(name) for name in one.topic.names & other.topic.names):
        return False  # both texts name the code that they speak of
    own = set(_TITLE_CODE.findall(fold(one.statement.passage.title)))
    known = fold(f"{other.statement.passage.title} {other.statement.text}")
    return bool(own) and not own & set(_TITLE_CODE.findall(known))


def _concepts(one: Frame, other: Frame) -> int:
    mine, theirs = concepts_of(one.statement.text), concepts_of(other.statement.text)
    return (1 if mine & theirs else -1) if mine and theirs else 0


def _foreign_heading(one: Frame, other: Frame) -> bool:
    """Whether the heading names something of which neither the other's heading nor its text has a word."""
    own = words_of(_KIND_OF_TEXT.sub(" ", fold(one.statement.heading)))
    return bool(own) and not own & (other.heading.words | other.topic.words | other.around)


def _same_subject(one: Frame, other: Frame) -> bool:
    """Whether the texts themselves name what they are about.

    A shared name, or the word that one begins with.
    """
    if one.topic.names & other.topic.names:
        return True
    return any(_named_lead(a, b) for a, b in ((one, other), (other, one)))


def _named_lead(one: Frame, other: Frame) -> bool:
    """Whether the other text holds what this one begins with, and that is no metric."""
    text = _DATES.sub(" ", fold(said_of(one.statement.text)))
    match = _LEAD.search(text)
    if match is None or concepts_of(
        text[match.start() : match.start() + (6 if _HAN.match(match.group()) else 24)]
    ):
        return False
    lead = match.group()[:2] if _HAN.match(match.group()) else match.group()
    return lead in fold(other.statement.text)


def _foreign_lead(one: Frame, other: Frame) -> bool:
    """Whether the other side, its heading and surroundings lack the words that the statement begins with."""
    match = _LEAD.search(_DATES.sub(" ", fold(said_of(one.statement.text))))
    if match is None:
        return False
    lead = match.group()[:2] if _HAN.match(match.group()) else stem(match.group())
    known = fold(f"{other.statement.text} {other.statement.heading}")
    return lead not in known and lead not in other.around


def _strange(one: Frame, other: Frame) -> frozenset[str]:
    """Names in the statement that the other one, its heading and its surroundings do not hold."""
    known = fold(f"{other.statement.text} {other.statement.heading} {other.statement.passage.text}")
    return frozenset(name for name in one.topic.names if name not in known)


def apart(one: Passage, other: Passage) -> bool:
    """Whether the two passages hold at different times.

    Validity that does not meet, versions of one title.
    """
    if one.effective_to and other.effective_from and one.effective_to < other.effective_from:
        return True
    if other.effective_to and one.effective_from and other.effective_to < one.effective_from:
        return True
    mine, theirs = (set(_VERSION.findall(fold(each.title))) for each in (one, other))
    if not mine or not theirs or mine & theirs or one.document_id == other.document_id:
        return False
    bare = [words_of(_VERSION.sub(" ", each.title)) for each in (one, other)]
    return overlap(bare[0], bare[1]) >= 0.99 and len(bare[0] ^ bare[1]) <= 1


def periods(mine: Figure, theirs: Figure, one: Frame, other: Frame) -> Periods:
    """How the periods of two figures stand to each other.

    A heading's year counts where the text gives none.
    """
    if mine.prior != theirs.prior:
        return Periods.OTHER
    if mine.when is not None and theirs.when is not None:
        return Periods.SAME if same_period(mine.when, theirs.when) else Periods.OTHER
    if mine.when is None and theirs.when is None:
        return Periods.OPEN
    told, silent = (mine, other) if mine.when is not None else (theirs, one)
    if told.when is None or not told.when.year or not silent.heading_years:
        return Periods.OPEN
    return Periods.SAME if told.when.year in silent.heading_years else Periods.OPEN


def same_period(one: When, other: When) -> bool:
    """Whether two moments are one period: a quarter is not its year, a day is taken to lie in its year."""
    if one.year and other.year and one.year != other.year and one.until is None and other.until is None:
        return False
    mine, theirs = (each.months() if each.day is None else None for each in (one, other))
    if (mine is None) != (theirs is None) and one.day is None and other.day is None:
        return False
    return same(_moment(one), _moment(other))


def _moment(when: When) -> Quantity:
    year = float(when.year or 0)
    return Quantity(
        value=year, low=year, high=float(when.until or year), when=when, span=Span(start=0, end=0)
    )
