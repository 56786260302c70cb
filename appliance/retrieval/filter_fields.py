"""The vocabulary of the filter language: each field's names in both languages, its operators and its values.

Arrives: a word as the caller wrote it. Leaves: a field, or a value in the one spelling that stores compare.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches

from appliance.domain import (
    Authority,
    BlockKind,
    Classification,
    Comparison,
    FilterField,
    SectionType,
    Struct,
    days_of,
)

_DATE = re.compile(r"([12]\d{3})(?:[-/.年](\d{1,2})(?:[-/.月](\d{1,2})日?|月)?|年)?")
_SAME = frozenset((Comparison.IS, Comparison.NOT))
_TEXT = _SAME | {Comparison.CONTAINS}
_ORDER = frozenset(Comparison) - {Comparison.CONTAINS}


class Rule(Struct, frozen=True, kw_only=True):
    """What may be said of one field."""

    comparisons: frozenset[Comparison]
    names: tuple[str, ...]
    """Other names for it."""
    values: Mapping[str, str] | None = None
    """Spelling → value, where only these are known."""
    read: Callable[[str], str] = str
    """The value in one spelling. Raises ValueError that says what is known."""


def _date(text: str) -> str:
    match = _DATE.fullmatch(unicodedata.normalize("NFKC", text))
    if match is None:
        raise ValueError("is no date: write 2023, 2023-05 or 2023-05-01")
    date = "-".join(f"{int(part):02d}" for part in match.groups() if part)
    try:
        days_of(date)
    except ValueError:
        raise ValueError("is a date that no calendar has") from None
    return date


def _count(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text)
    if not re.fullmatch(r"[0-9]{1,6}", plain):
        raise ValueError(
            "is no count of a document's versions (1, 2 …); the label it carries itself is its edition"
        )
    return str(int(plain))


def _named(values: Iterable[str], **others: str) -> dict[str, str]:
    return {**{value: value for value in values}, **{word: value for value, word in _pairs(others)}}


def _pairs(others: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(value.replace("_", "-"), word) for value, words in others.items() for word in words.split()]


_SECTION_TYPES = _named(
    SectionType,
    body="正文",
    abstract="摘要 概要 summary",
    specification="规格 规格参数 技术参数 specifications",
    risk="风险 风险因素 risks",
    financial_statement="财务报表 财务 financial financials",
    policy_clause="条款 政策条款 clause",
    procedure="步骤 流程 操作步骤 procedures",
    change_log="变更记录 修订记录 更新日志 changelog",
    definition="定义 术语 definitions",
    contact="联系方式 contacts",
    reference="参考文献 references",
    appendix="附录 附件",
)
_KINDS = _named(
    BlockKind,
    paragraph="段落 正文 text",
    list="列表",
    table="表格 表",
    code="代码",
    figure="图 图表",
    note="注释 脚注",
)
_LANGUAGES = _named(
    ("zh", "en", "und"),
    zh="中文 汉语 chinese zh-cn",
    en="英文 英语 english en-us en-gb",
    und="other unknown 其他",
)
_AUTHORITIES = _named(Authority, official="官方 正式", internal="内部", draft="草稿 草案", external="外部")
_CLASSES = _named(
    Classification, public="公开", internal="内部", confidential="机密 保密", secret="绝密 秘密"
)
_FORMATS = _named(
    "text markdown html docx pdf image jsonl xlsx xls ods csv pptx eml epub jats".split(),
    text="txt 文本", markdown="md", html="htm", docx="word", image="png jpg jpeg tiff 图片",
    jsonl="record", xlsx="excel", csv="tsv", pptx="powerpoint", eml="mail email 邮件",
)  # fmt: skip

RULES: dict[FilterField, Rule] = {
    FilterField.PUBLISHED: Rule(
        comparisons=_ORDER, names=("发布", "发布日期", "发布时间", "公布", "出版", "日期"), read=_date
    ),
    FilterField.EFFECTIVE: Rule(
        comparisons=_ORDER, names=("in_force", "生效", "生效日期", "有效", "施行"), read=_date
    ),
    FilterField.VERSION: Rule(comparisons=_ORDER, names=("版本",), read=_count),
    FilterField.EDITION: Rule(comparisons=_TEXT, names=("版次", "版本号")),
    FilterField.DOCUMENT: Rule(
        comparisons=_TEXT, names=("document_id", "record", "record_id", "id", "文档", "文件")
    ),
    FilterField.TITLE: Rule(comparisons=_TEXT, names=("标题", "题名")),
    FilterField.SECTION: Rule(comparisons=_TEXT, names=("heading", "章节", "小节")),
    FilterField.SECTION_TYPE: Rule(comparisons=_SAME, names=("章节类型",), values=_SECTION_TYPES),
    FilterField.KIND: Rule(comparisons=_SAME, names=("block", "类型", "种类"), values=_KINDS),
    FilterField.LANGUAGE: Rule(comparisons=_SAME, names=("lang", "语言"), values=_LANGUAGES),
    FilterField.AUTHORITY: Rule(comparisons=_ORDER, names=("权威", "效力"), values=_AUTHORITIES),
    FilterField.CLASSIFICATION: Rule(comparisons=_ORDER, names=("密级",), values=_CLASSES),
    FilterField.OWNER: Rule(comparisons=_TEXT, names=("负责人", "所有者")),
    FilterField.TAG: Rule(comparisons=_TEXT, names=("tags", "标签")),
    FilterField.FORMAT: Rule(comparisons=_SAME, names=("格式",), values=_FORMATS),
}
FIELDS: dict[str, FilterField] = {
    **{str(field): field for field in RULES},
    **{name: field for field, rule in RULES.items() for name in rule.names},
}
"""Every name of every field."""
_INSTEAD = {
    "collection": "the collection is chosen beside the filter: --collection, or the field of that name",
    "type": "did you mean section_type, or kind (paragraph, table …)?",
    "date": "did you mean published, or effective (the days on which it is in force)?",
    "year": "write published=2023",
    "group": "who may read a document is no filter: it always holds",
    "groups": "who may read a document is no filter: it always holds",
}


def field_named(word: str) -> FilterField | None:
    """The field of this name, either language; case, ``-`` and ``_`` are the same."""
    return FIELDS.get(_plain(word).replace("-", "_"))


def instead_of(word: str) -> str:
    """A hint for a field that is not known."""
    plain = _plain(word).replace("-", "_")
    known = f"fields: {', '.join(RULES)}"
    if plain in _INSTEAD:
        return f"{_INSTEAD[plain]}; {known}"
    close = get_close_matches(plain, FIELDS, n=1, cutoff=0.6)
    return f"did you mean {close[0]}? {known}" if close else known


def value_of(field: FilterField, word: str) -> str:
    """The value in the spelling that stores compare. Raises ValueError: what is wrong, and what is known."""
    rule = RULES[field]
    if rule.values is None:
        return rule.read(word)
    plain = _plain(word).removeprefix(".").replace("_", "-")
    if plain in rule.values:
        return rule.values[plain]
    close = get_close_matches(plain, rule.values, n=1, cutoff=0.6)
    raise ValueError("is not known" + (f"; did you mean {close[0]}?" if close else ""))


def _plain(word: str) -> str:
    return unicodedata.normalize("NFKC", word).strip().casefold()
