"""Who publishes a record and for which period, out of its own metadata. Metadata in; one line or a date out.

Records of news, filings and registers name publisher, company and period beside the text: questions do too
(``the TechCrunch article on …``), so the line is searched with the title.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_NAMING = (
    "source", "publisher", "outlet", "media", "journal", "newspaper", "site", "site_name",
    "company", "issuer", "organisation", "organization", "agency", "department",
    "doc_type", "document_type", "form", "period", "fiscal_year",
    "来源", "媒体", "出版社", "期刊", "公司", "公司名称", "机构", "发布机构", "部门", "报告期", "文件类型",
)  # fmt: skip
_DATED = (
    "published", "published_at", "published_on", "publish_date", "publication_date", "publish_time", "date",
    "version_date", "release_date", "issued", "issued_at", "发布时间", "发布日期", "日期", "出版日期",
)  # fmt: skip
_NOTHING = frozenset(("", "null", "none", "nan", "n/a", "unknown", "-"))
LABEL_CHARS = 160
_VALUE_CHARS = 80
_ADDRESS = re.compile(r"://|^[\w.+-]+@|^[0-9a-f]{16,}$|\.(jsonl?|md|pdf|txt|html?|docx?)$", re.IGNORECASE)


def label_of(meta: Mapping[str, str], title: str) -> str:
    """``TechCrunch``, ``3M · 10k · 2018``: naming values that the title does not hold; empty where none."""
    fields = {name.strip().casefold(): value for name, value in meta.items()}
    found: list[str] = []
    for name in _NAMING:
        value = " ".join(fields.get(name, "").split())
        if value.casefold() in _NOTHING or len(value) > _VALUE_CHARS or _ADDRESS.search(value):
            continue
        if value not in found and value.casefold() not in title.casefold():
            found.append(value)
    return " · ".join(found)[:LABEL_CHARS]


def dates_of(meta: Mapping[str, str]) -> list[tuple[str, str]]:
    """Dates that the metadata state, most trusted first, each with ``metadata`` as its origin."""
    fields = {name.strip().casefold(): value for name, value in meta.items()}
    return [(fields[name], "metadata") for name in _DATED if fields.get(name, "").strip()]
