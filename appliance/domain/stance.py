"""How a sentence commits itself: what it denies, how far it goes (all, some, only), whether it is sure.

Arrives: a sentence of either language. Leaves: cues with the words they govern. Pure functions.
"""

from __future__ import annotations

import re
from enum import StrEnum
from itertools import pairwise

from appliance.domain.identity import Struct

_NOT = re.compile(
    r"(?i)\b(?:no longer|not(?!\s+(?:only|just|merely)\b)|never|without|cannot|neither|nor|none|nobody|"
    r"nothing|"
    r"no(?!\.|\s\d|\s(?:later|earlier|more|less|fewer)\s+than)|[a-z]+n['’]t)\b"
    r"|(?:不再|没有|不能|不得|不可|不会|不应|不必|不予|不属于|无法|无需|无须|并非|不是|未曾|尚未|从未|毫无|"
    r"不(?![同仅但过久管论断良锈动少足妨低超高大晚迟多])|(?<!有)没(?!有)|未(?![来必婚成])|"
    r"(?<![是除])非(?![常洲农标金货经全遗]))"
)
_AGAINST = re.compile(
    r"(?i)\b(?:lack(?:s|ed|ing)?|fail(?:s|ed)? to|refus(?:e|es|ed|ing)|exclud(?:e|es|ed|ing)|"
    r"prohibit(?:s|ed|ing)?|"
    r"forbid(?:s|den)?|bann?(?:s|ed)|except|exempt(?:s|ed)?|den(?:y|ies|ied)|reject(?:s|ed)?|abolish(?:ed|es)?|"
    r"withdrawn?|cancel(?:led|s)?|discontinued|unable|unlikely)\b|"
    r"禁止|拒绝|除外|不含|缺乏|免除|免于|豁免|取消|废止|否认|停止|撤销|严禁"
)
_OPPOSITES = tuple(
    (re.compile(rf"(?i)\b(?:{a})\b" if a.isascii() else a),
    re.compile(rf"(?i)\b(?:{b})\b" if b.isascii() else b))
    for a, b in (
        ("increas(?:e|es|ed|ing)|rose|rise[sn]?|grew|grow[sn]?|gain(?:s|ed)?|higher|up",
         "decreas(?:e|es|ed|ing)|fell|fall(?:s|en)?|declin(?:e|es|ed|ing)|dropp?(?:s|ed)?|lower|down"),
        ("allow(?:s|ed)?|permit(?:s|ted)?|may|can", "prohibit(?:s|ed)?|forbid(?:s|den)?|bann?ed|cannot"),
        ("includ(?:e|es|ed|ing)", "exclud(?:e|es|ed|ing)"),
        ("approv(?:e|es|ed|al)|accept(?:s|ed)?", "reject(?:s|ed)?|refus(?:e|es|ed)"),
        ("before", "after"), ("above|more than|at least", "below|less than|at most"),
        ("mandatory|must|required", "optional|voluntary"), ("profit", "loss"), ("with", "without"),
        ("open(?:s|ed)?", "clos(?:e|es|ed)"), ("won|win(?:s)?", "lost|lose[s]?"), ("first", "last"),
        ("always", "never"), ("success(?:ful|fully)?|succeed(?:s|ed)?", "unsuccessful(?:ly)?|fail(?:s|ed)?"),
        ("higher|largest|highest|most", "lower|smallest|lowest|least"),
        ("增加|增长|上升|上涨|提高|扩大|上调", "减少|下降|下跌|降低|缩小|下滑|下调|回落"),
        ("允许|可以|准许", "禁止|不得|不准|严禁"), ("应当|必须|需要", "无需|不必|无须|可以不"),
        ("包括|包含", "不包括|不含"),
        ("批准|同意|通过", "否决|拒绝|驳回|不同意"), ("之前|以前", "之后|以后"), ("盈利", "亏损"),
        ("高于|超过", "低于|不足"),
        ("有效", "无效|失效"), ("最高|最大|最多", "最低|最小|最少"), ("成功", "失败"), ("合格",
        "不合格"), ("开放", "关闭|封闭"),
    )
)  # fmt: skip
_ALL = re.compile(
    r"(?i)\b(?:all|every|each|always|entire(?:ly)?|any|everyone|whole)\b|全部|所有|一律|任何|全体|每[个名家位项次人]|均|(?<![首大])都(?!市|会|城|江)|始终"
)
_PART = re.compile(
    r"(?i)\b(?:some|several|part(?:ly|ially)?|sometimes|few|most(?:ly)?|majority|many|usually|often|certain|generally)\b"
    r"|部分|有些|个别|一些|某些|大多|多数|有时|少数|通常|一般"
)
_ONLY = re.compile(r"(?i)\b(?:only|solely|exclusively|merely|sole)\b|仅|只(?=[有能可限在对由是适允])|唯一")
_SURE = re.compile(
    r"(?i)\b(?:always|definitely|certainly|undoubtedly|guarantee[sd]?)\b|一定会|必然|必定|始终|肯定会"
)
_HEDGE = re.compile(
    r"(?i)\b(?:(?-i:may)(?! \d)|might|could|possibly|perhaps|probably|likely|reportedly|"
    r"allegedly|expects?|expected|plans?|planned|intends?|suggests?|appears?|seems?|proposed|projected|estimated|would|potential(?:ly)?)\b"
    r"|可能|或将|也许|或许|据称|预计|计划|拟|有望|大概|疑似|似乎|估计|建议|倾向"
)
_MODAL = re.compile(
    r"(?i)\b(?:can|able|allowed|permitted|entitled|eligible|free to)\b|可以|能够|允许|有权|可"
)
_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]+|[一-鿿]")
_LIGHT = frozenset(
    "a an the be been being is are was were has have had do does did to of in on at by for it that this "
    "any".split()
)


class Reach(StrEnum):
    """How far a sentence goes."""

    ALL = "all"
    PART = "part"
    ONLY = "only"
    SURE = "sure"


class Denial(Struct, frozen=True, kw_only=True):
    """A word that denies, and the words right after it."""

    cue: str
    governs: tuple[str, ...]
    """Up to three words (cut to five letters) or the next four Han characters as pairs."""
    start: int


def denials(text: str) -> tuple[Denial, ...]:
    """Return what a text denies."""
    found: list[Denial] = []
    for match in (*_NOT.finditer(text), *_AGAINST.finditer(text)):
        if (
            match.group() in "不没"
            and text[match.start() - 1 : match.start()] == text[match.end() : match.end() + 1]
        ):
            continue  # 是不是, 能不能: asks, denies nothing
        found.append(Denial(cue=match.group(), governs=_governed(text[match.end() :]), start=match.start()))
    return tuple(sorted(found, key=lambda one: one.start))


def _governed(after: str) -> tuple[str, ...]:
    after = re.split(r"[,.;:，。；：]", after, maxsplit=1)[0]
    words: list[str] = []
    for word in _WORD.findall(after)[:8]:
        folded = word.lower()
        if folded not in _LIGHT:
            words.append(folded[:5])
        if len(words) == 4:
            break
    if words and "\u4e00" <= words[0] <= "\u9fff":
        return tuple(a + b for a, b in pairwise(words)) or tuple(words)
    return tuple(words[:3])


def opposed(one: str, other: str) -> tuple[str, str] | None:
    """Return a word of ``one`` and its opposite in ``other`` where neither text has both; else None."""
    for left, right in _OPPOSITES:
        for mine, theirs in ((left, right), (right, left)):
            a, b = mine.search(one), theirs.search(other)
            if a and b and not theirs.search(one) and not mine.search(other):
                return a.group(), b.group()
    return None


def reaches(text: str) -> frozenset[Reach]:
    """Return which words of reach a text has."""
    pairs = ((Reach.ALL, _ALL), (Reach.PART, _PART), (Reach.ONLY, _ONLY), (Reach.SURE, _SURE))
    return frozenset(reach for reach, pattern in pairs if pattern.search(text))


def hedged(text: str) -> str:
    """Return the word by which a text is unsure (may, 预计); empty where it states."""
    found = _HEDGE.search(text)
    return found.group() if found else ""


def modal(text: str) -> bool:
    """Return whether a text speaks of being able or allowed, as ``may`` also does."""
    return _MODAL.search(text) is not None
