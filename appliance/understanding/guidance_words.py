"""The words of guidance: what tells to look, to look nowhere else, or not to look; and kinds of sources.

The kinds, Chinese and English, lie in ``guidance_sources.toml`` beside this file.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

import msgspec

from appliance.domain import Comparison, Condition, FilterField, Filters, Struct, Way

_I = re.IGNORECASE

NOT_ONLY = re.compile(r"\bnot\s+(?:only|just)\b|不仅仅?|不只|不光|不单", _I)
AVOID_EN = re.compile(
    r"\b(?:ignor(?:e|ing)|skip(?:ping)?|exclud(?:e|ing)|disregard(?:ing)?|avoid(?:ing)?|omit(?:ting)?|"
    r"leav(?:e|ing)\s+out|rule\s+out|drop(?:ping)?|without|except(?:\s+for)?|other\s+than|stay\s+away\s+from|"
    r"(?:do\s+not|don['’]?t|never|no\s+need\s+to|stop|not)\s+"
    r"(?:us(?:e|ing)|look(?:ing)?(?:\s+(?:at|in|into))?|read(?:ing)?|trust(?:ing)?|consider(?:ing)?|"
    r"includ(?:e|ing)|search(?:ing)?(?:\s+in)?|check(?:ing)?|cit(?:e|ing)|tak(?:e|ing)|"
    r"rely(?:ing)?\s+on|bother\s+with|want|need)|"
    r"nothing\s+(?:from|of)|no\s+more|not\s+(?:in|from|the)|no)\b",
    _I,
)
AVOID_EN_AFTER = re.compile(
    r"\s*\b(?:should|must|can|may|need\s+to|is|are)\s+(?:not\s+be\s+(?:used|read|trusted|considered|cited)|"
    r"(?:to\s+)?be\s+(?:ignored|skipped|excluded|left\s+out|disregarded|avoided)|irrelevant|useless|off[\s-]limits)\b",
    _I,
)
LEAVE_OUT = re.compile(r"\b(?:leave|rule|filter|take)\s+(?P<object>.{2,80}?)\s+out\b", _I)
AVOID_ZH = re.compile(
    r"忽略|无视|跳过|略过|排除|剔除|去掉|撇开|抛开|避开|除去|除开|除了|不考虑|不参考|不采用|不采信|不包括|不含|不看|不用看|不查|不搜|"
    r"(?:不要|别|勿|请勿|不必|无需|无须|不需要?|不用|不能|不可|不应|不应该|不得)(?:再|去)?(?:使用|看|用|管|查|找|搜索?|读|引用?|参考|参照|采用|采信|采纳|"
    r"理会|考虑|包括|包含|纳入|相信|关注)"
)
ONLY_EN = re.compile(
    r"\b(?:only|solely|exclusively|nothing\s+(?:but|else(?:\s+than)?)|"
    r"just(?=\s+(?:the|in|at|use|look|read|check|search|from|\d))|"
    r"(?:limit(?:ed)?|restrict(?:ed)?|confine[ds]?|narrow(?:ed)?(?:\s+down)?)\s+(?:(?:it|this|yourself|the\s+search)\s+)?to|"
    r"stick\s+(?:to|with)|stay\s+(?:in|within|with))\b",
    _I,
)
ONLY_ZH = re.compile(
    r"只限于?|仅限于?|限定?[在于]|局限于|只需|只要(?=看|查|用|找)|只能?|仅仅?|唯|单单|就(?=看|查|用|找)|单(?=看|查|用)"
)
WANT_EN = re.compile(
    r"\b(?:(?:have\s+a\s+|take\s+a\s+)?(?:closer\s+)?look(?:\s+(?:in|into|at|inside|up|through|for|it\s+up\s+in))?|"
    r"(?:please\s+)?us(?:e|ing)|see|check|consult|read|search(?:\s+(?:in|for|through|within))?|"
    r"refer\s+to|focus(?:ing)?(?:\s+(?:on|in))?|concentrate\s+on|prefer(?:ably)?|consider|try|start\s+with|begin\s+with|"
    r"rely\s+on|trust|go\s+(?:to|through|by)|find\s+(?:it\s+)?in|stay\s+with|include|take|switch\s+to|want|need|"
    r"pay\s+attention\s+to|prioriti[sz]e|work\s+with)\b",
    _I,
)
WANT_ZH = re.compile(
    r"(?:优先|重点|主要|着重|先|再|多|请|改|可以|应该|应|要|去)?(?:使用|查看|查阅|查找|检索|搜索|翻阅|阅读|参考|参照|采用|依据|根据|"
    r"聚焦于?|集中(?:在|于)?|关注|考虑|侧重|优先|看看?|查查?|用|找|翻|搜|读)"
)
WITHIN_ZH = re.compile(
    r"(?:在|从|到|去)(?P<object>[^，。；,;]{1,60}?)(?:里面?|中间?|内|上)?(?:去|来|再)?"
    r"(?:查找|查阅|检索|搜索|寻找|找|查|看|搜|翻)"
)
AS_GIVEN_ZH = re.compile(r"以(?P<object>[^，。；,;]{1,60}?)为(?:准|主|依据|先)")
PASSIVE_ZH = re.compile(r"^(?:把|将|对)?(?P<object>.{1,60}?)(?:都|全部|全|通通|一律|统统)?$")
_COLLECTION = (
    r"\b(?:in\s+|from\s+|at\s+)?(?:the\s+)?(?:collection\s+(?P<after>[\w./-]{1,60})|"
    r"(?P<before>[\w./-]{1,60})\s+collection)\b|"
    r"(?P<zh>[\w./-]{1,30}?)\s*(?:这个|那个)?(?:知识库|文档库|文库|资料库|集合)"
)
COLLECTION = re.compile(_COLLECTION, _I)

FILLER_EN = re.compile(
    r"^(?:(?:please|now|also|instead|rather|then|maybe|perhaps|you\s+(?:should|can|must|may)|i\s+want\s+you\s+to|"
    r"let['’]?s|try\s+to|make\s+sure\s+to|and|but|so|the|a|an|any|all|every|each|some|more|other|those|these|"
    r"this|that|in|at|on|from|of|to|into|inside|within|by|its|their|our|for|anything|everything|what|"
    r"information|about|answer|it)\b[\s:]*)+",
    _I,
)
TAIL_EN = re.compile(
    r"(?:\s+(?:please|instead|too|as\s+well|first|anymore|any\s+more|now|again|only|alone|at\s+all|for\s+(?:this|now|it)|"
    r"here|there|altogether|entirely|completely|from\s+now\s+on|any\s+longer))+$",
    _I,
)
HEAD_ZH = re.compile(
    r"^(?:请|麻烦|帮我|现在|另外|还有|再|也|先|到|在|从|于|去|一下|下|那些|这些|那个|这个|所有|全部|任何|有关|关于|的|了|以|是)+"
)
TAIL_ZH = re.compile(
    r"(?:的内容|的部分|的数据|的信息|这部分|这一部分|部分|里面|里|中|内|上面|的话|即可|就行了?|就好了?|就可以了?|吧|了|啊|呢|"
    r"以外|之外|外|一下|掉|的)+$"
)
_GENERIC_EN = (
    r"reports?|documents?|docs?|files?|papers?|articles?|sources?|materials?|data|records?|texts?|pages?|"
    r"publications?|information|ones?|stuff|things?|versions?|editions?|the|a|an|of|in|from|for|and|or|"
    r"any|all|that|which|is|are|were|was|published|dated|written|issued|years?|content"
)
_GENERIC_ZH = (
    r"报告|文件|文档|资料|材料|数据|文章|内容|来源|出处|记录|文本|版本|版|发布|"
    r"发表|公布|年份|年度|那份|这份|份|那篇|这篇|篇|的|年|度"
)
GENERIC_ENDS = re.compile(
    rf"^(?:(?:{_GENERIC_EN})\b|{_GENERIC_ZH})\s*|\s*(?:\b(?:{_GENERIC_EN})|{_GENERIC_ZH})$", _I
)
"""Words that name no document by themselves, at the beginning and at the end."""


class SourceKind(Struct, frozen=True, kw_only=True):
    """A kind of source as people name it, and what it is in the store."""

    name: str
    pattern: re.Pattern[str]
    way: Way


class _Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry of the file, as it explains itself."""

    name: str
    en: str
    zh: str = ""
    titled: tuple[str, ...] = ()
    title: tuple[str, ...] = ()
    is_: dict[FilterField, tuple[str, ...]] = msgspec.field(
        default_factory=dict[FilterField, tuple[str, ...]], name="is"
    )


class _Vocabulary(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    kind: tuple[_Entry, ...]


@cache
def source_kinds() -> tuple[SourceKind, ...]:
    """The kinds, in the order of the file."""
    text = (files("appliance.understanding") / "guidance_sources.toml").read_text("utf-8")
    entries = msgspec.convert(tomllib.loads(text), _Vocabulary).kind
    return tuple(_kind(entry) for entry in entries)


def _kind(entry: _Entry) -> SourceKind:
    way = [_is(field, *values) for field, values in entry.is_.items()]
    if titles := entry.titled or entry.title:
        way.append(titled(*titles))
    if entry.titled:
        way.extend((recorded(*entry.titled), _is(FilterField.TAG, *entry.titled)))
    pattern = "|".join(filter(None, (entry.en, entry.zh)))
    return SourceKind(name=entry.name, pattern=re.compile(pattern, _I), way=tuple(way))


def titled(*words: str) -> Filters:
    """The title has one of the words."""
    return _has(FilterField.TITLE, *words)


def recorded(*words: str) -> Filters:
    """The document's id or record id has one of the words."""
    return _has(FilterField.DOCUMENT, *words)


def _is(field: FilterField, *values: str) -> Filters:
    return (Condition(field=field.value, comparison=Comparison.IS, values=values),)


def _has(field: FilterField, *values: str) -> Filters:
    return (Condition(field=field.value, comparison=Comparison.CONTAINS, values=values),)
