"""The structural filter of a question (B2): versions and days that name a document, and what is not wanted.

Arrives: a reading and candidates. Leaves: the candidates that fit, and a step for each condition. A condition
that would leave nothing is relaxed, one after the other, and the step says so; a caller's own filter never is
(see :mod:`appliance.retrieval.filtered`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from appliance.domain import ConstraintKind, FilterStep, Passage, Reading, TimeRange
from appliance.retrieval.rewrite import excluded

_DOCUMENT = re.compile(
    r"\b(version|edition|revision|release|list|page|report|article|filing|statement|policy|terms|notice|"
    r"8-?k|10-?[kq]|published|dated|issued|updated|posted|that|the one)\b[^.?!]{0,40}$|"
    r"(版本?|修订|文件|通知|公告|报告|报道|清单|名单|办法|规定|条例|发布|印发|公布|刊登|日期为)[^。？！]{0,12}$",
    re.IGNORECASE,
)
_DOCUMENT_AFTER = re.compile(
    r"^\W{0,3}(version|edition|revision|release|list|report|article|filing|8-?k|notice)\b|"
    r"^[的年月日]{0,2}(版|的?(通知|公告|报告|报道|文件|清单|名单|办法|规定|条例|修订|发布|印发|公布))",
    re.IGNORECASE,
)
_VERSION = re.compile(
    r"\b(?:version|ver\.?|v|rev(?:ision)?\.?|edition)\s*\.?\s*(\d+(?:\.\d+)*)\b|第\s*([0-9一二三四五六七八九十]+)\s*版|"
    r"(\d+(?:\.\d+)*)\s*版",
    re.IGNORECASE,
)
_BETWEEN = 48


def narrowed(reading: Reading, passages: Sequence[Passage]) -> tuple[list[Passage], tuple[FilterStep, ...]]:
    """The candidates that meet the question's own conditions, in their order."""
    left = list(passages)
    steps: list[FilterStep] = []
    for condition, fits in _conditions(reading, passages):
        kept = [passage for passage in left if fits(passage)]
        relaxed = not kept
        steps.append(
            FilterStep(condition=condition, origin="question", kept=len(kept), of=len(left), relaxed=relaxed)
        )
        left = left if relaxed else kept
    return left, tuple(step for step in steps if step.kept < step.of)


def _conditions(reading: Reading, passages: Sequence[Passage]) -> list[tuple[str, Callable[[Passage], bool]]]:
    found: list[tuple[str, Callable[[Passage], bool]]] = []
    days = [time for time in reading.times if names_a_document(reading.text, time)]
    if days and any(_is_of(days, passage) for passage in passages):
        said = " or ".join(dict.fromkeys(time.start or "" for time in days))
        found.append((f"document of {said}", lambda passage: _is_of(days, passage)))
    versions = {one.value or one.text for one in reading.constraints if one.kind is ConstraintKind.VERSION}
    if versions:
        said = " or ".join(sorted(versions))
        found.append((f"version {said}", lambda passage: not _other_version(passage, versions)))
    unwanted = [word for word in excluded(reading) if len(word) > 1]
    if unwanted:
        said = " or ".join(unwanted)
        found.append((f"not {said}", lambda passage: not _titled(passage, unwanted)))
    return found


def names_a_document(text: str, time: TimeRange) -> bool:
    """Whether a day is said of a document (``the list of 2019-11-08``), not of what happened on it."""
    if not time.start or time.start != time.end:
        return False
    at = text.find(time.text)
    if at < 0:
        return False
    before, after = text[max(0, at - _BETWEEN) : at], text[at + len(time.text) :]
    return _DOCUMENT.search(before) is not None or _DOCUMENT_AFTER.search(after) is not None


def _is_of(days: Sequence[TimeRange], passage: Passage) -> bool:
    dates = {passage.published, passage.effective_from}
    head = f"{passage.title} {passage.record_id}"
    return any(day.start in dates or (day.start or "") in head for day in days)


def _other_version(passage: Passage, wanted: set[str]) -> bool:
    """Whether the title names versions, and none of those asked for."""
    named = {next(filter(None, match.groups())) for match in _VERSION.finditer(passage.title)}
    return bool(named) and named.isdisjoint({re.sub(r"^[vV]\.?\s*", "", one) for one in wanted})


def _titled(passage: Passage, words: Sequence[str]) -> bool:
    head = f"{passage.label} {passage.title}".casefold()
    return any(word.casefold() in head for word in words)
