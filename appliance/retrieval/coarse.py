"""Coarse rank: what a document is, against what the question asks for. Multiplies the fused scores (B2, B4).

Arrives: a reading, candidates, a domain pack. Leaves: per passage a factor around 1 and its parts by name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date

from appliance.config import Retrieval as Settings
from appliance.domain import (
    Authority,
    ConstraintKind,
    DomainPack,
    Passage,
    PassageId,
    Reading,
    SectionType,
    Struct,
    TimeRange,
    years_in,
)
from appliance.retrieval.rewrite import excluded

_AUTHORITY = {
    Authority.OFFICIAL: 1.05,
    Authority.INTERNAL: 1.0,
    Authority.EXTERNAL: 0.97,
    Authority.DRAFT: 0.9,
}
_NOTICE = re.compile(
    r"change ?log|release notes?|what.s new|notice|amendment|revision|errata|corrigend|repeal|withdraw|"
    r"recall|supersed|discontinu|deprecat|变更|更新|修订|修正|勘误|公告|通知|通告|废止|停用|停止|召回|更正|版本说明|作废",
    re.IGNORECASE,
)
_ENDED = re.compile(
    r"\b(remov|withdraw|discontinu|deprecat|no longer|repeal|revok|supersed|replac|terminat|cease|abolish|"
    r"retired?\b|rescind|phased? out|not supported|end of (life|support|sale))|"
    r"移除|取消|废止|停用|停止|不再|撤销|撤回|作废|终止|下架|淘汰|替代|取代|删除|失效|暂停",
    re.IGNORECASE,
)
REPORTING_DELAY_DAYS = 460
"""A report on a period appears within about 15 months of its end."""

RENEWED = 1.4
"""For a passage that announces a change, where the newest state is asked for."""


class Factors(Struct, frozen=True, kw_only=True):
    """What multiplies a passage's score."""

    freshness: float = 1.0
    authority: float = 1.0
    boosts: dict[str, float] = {}

    def product(self) -> float:
        """All of them together."""
        total = self.freshness * self.authority
        for factor in self.boosts.values():
            total *= factor
        return total


def factors_of(
    reading: Reading, passages: Sequence[Passage], pack: DomainPack | None, settings: Settings
) -> dict[PassageId, Factors]:
    """Per passage its factors; nothing weighs where the configuration says so."""
    if not settings.coarse:
        return {passage.id: Factors() for passage in passages}
    ages = _ages(passages)
    wanted = frozenset(kind for term in reading.terms for kind in term.section_types)
    weight = settings.recency_weight if reading.recency or reading.earliest else settings.freshness_weight
    if reading.earliest and not reading.recency:
        ages = {passage: 1.0 - age for passage, age in ages.items()}
    return {
        passage.id: Factors(
            freshness=1.0 - weight * ages.get(passage.id, 0.5) if ages else 1.0,
            authority=_authority(passage, pack),
            boosts=_boosts(reading, passage, wanted, pack),
        )
        for passage in passages
    }


def _ages(passages: Sequence[Passage]) -> dict[PassageId, float]:
    """0 for the newest candidate, 1 for the oldest; candidates without a date are left out."""
    days = {p.id: day for p in passages if (day := _day(p.published or p.effective_from)) is not None}
    newest, oldest = max(days.values(), default=0), min(days.values(), default=0)
    if newest == oldest:
        return {}
    return {passage: (newest - day) / (newest - oldest) for passage, day in days.items()}


def _day(value: str | None) -> int | None:
    if not value:
        return None
    year, month, day = (int(part) for part in f"{value}-01-01".split("-")[:3])
    return date(year, month, day).toordinal()


def _authority(passage: Passage, pack: DomainPack | None) -> float:
    if passage.authority is not None:
        return _AUTHORITY[passage.authority]
    title = passage.title.casefold()
    for rank in pack.sources if pack else ():
        if any(word.casefold() in title for word in rank.title):
            return rank.factor
    return 1.0


def _boosts(
    reading: Reading, passage: Passage, wanted: frozenset[SectionType], pack: DomainPack | None
) -> dict[str, float]:
    found = {
        "section type": 1.15 if passage.section_type in wanted else 1.0,
        "period": _period(reading.times, passage),
        "removal notice": _removal(passage, pack) if reading.removal else 1.0,
        "change notice": _renewed(reading, passage, pack),
        "source": _source(reading, passage),
        "excluded": _excluded(reading, passage),
    }
    return {name: factor for name, factor in found.items() if factor != 1.0}


def _removal(passage: Passage, pack: DomainPack | None) -> float:
    """A4: what announces the end of a thing comes before what merely describes it."""
    words = pack.removal if pack else ()
    announces = _announces_change(passage, pack)
    ended = _ENDED.search(passage.text) is not None or _any_of(words, passage.text)
    return {(True, True): 1.6, (True, False): 1.15, (False, True): 1.2, (False, False): 0.9}[announces, ended]


def _renewed(reading: Reading, passage: Passage, pack: DomainPack | None) -> float:
    """A5: what is so now stands in what changed it; a text that was changed still tells the old state."""
    if not reading.recency or reading.removal:  # an ending asked for has weights of its own
        return 1.0
    return RENEWED if _announces_change(passage, pack) else 1.0


def _announces_change(passage: Passage, pack: DomainPack | None) -> bool:
    head = f"{passage.title} {passage.section_path}"
    if passage.section_type is SectionType.CHANGE_LOG or _NOTICE.search(head):
        return True
    return _any_of(pack.change_titles if pack else (), head)


def _any_of(words: Sequence[str], text: str) -> bool:
    folded = text.casefold()
    return any(word.casefold() in folded for word in words)


def _period(times: Sequence[TimeRange], passage: Passage) -> float:
    """Whether the passage's document is about, or of, one of the periods asked for."""
    if not times:
        return 1.0
    named = {int(year) for year in years_in(f"{passage.title} {passage.label} {passage.section_path}")}
    published = _day(passage.published)
    known = bool(named) or published is not None
    for time in times:
        start, end = _day(time.start) or 0, _last_day(time.end)
        years = range(date.fromordinal(max(start, 1)).year, date.fromordinal(min(end, _FAR)).year + 1)
        if any(year in years for year in named):
            return 1.15
        if published is not None and start <= published <= end + REPORTING_DELAY_DAYS * time.fiscal:
            return 1.1
    return 0.9 if known else 1.0


_FAR = date(2999, 12, 31).toordinal()


def _last_day(value: str | None) -> int:
    return _day(value) or _FAR


def _source(reading: Reading, passage: Passage) -> float:
    """The question names the document or publisher that is to be used."""
    sources = [one for one in reading.constraints if one.kind is ConstraintKind.SOURCE]
    if not sources:
        return 1.0
    head = f"{passage.label} {passage.title} {passage.record_id}".casefold()
    return 1.2 if any((one.value or one.text).casefold() in head for one in sources) else 1.0


def _excluded(reading: Reading, passage: Passage) -> float:
    head = f"{passage.label} {passage.title} {passage.section_path}".casefold()
    return 0.7 if any(word.casefold() in head for word in excluded(reading)) else 1.0


def pack_of(reading: Reading, packs: Mapping[str, DomainPack]) -> DomainPack | None:
    """The pack of the question's domain."""
    return packs.get(reading.domain)
