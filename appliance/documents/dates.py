"""When a document was published: metadata and the head of its text arrive, a date and its origin leave."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence

_MONTHS = {
    month: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul",
            "august aug", "september sept sep", "october oct", "november nov", "december dec",
        ),
        start=1,
    )
    for month in names.split()
}  # fmt: skip
_MONTH = "(?P<month{0}>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\.?"
_HAN_DIGITS = str.maketrans("〇○零一二三四五六七八九", "000123456789")
_YEAR = r"(?P<year{0}>(?:1[5-9]|2[01])\d\d)"
_FORMS = (
    _YEAR + r"\s*年\s*(?P<m{0}>\d{{1,2}})\s*月(?:\s*(?P<d{0}>\d{{1,2}})\s*[日号])?",
    _YEAR + r"(?P<sep{0}>[-/.])(?P<m{0}>\d{{1,2}})(?P=sep{0})(?P<d{0}>\d{{1,2}})(?!\d)",
    r"(?P<d{0}>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?" + _MONTH + r",?\s+" + _YEAR + r"(?!\d)",
    _MONTH + r"\s+(?P<d{0}>\d{{1,2}})(?:st|nd|rd|th)?,?\s+" + _YEAR + r"(?!\d)",
    _MONTH + r",?\s+" + _YEAR + r"(?!\d)",
    _YEAR + r"-(?P<m{0}>\d{{2}})(?![\d-])",
    r"(?:D:)?" + _YEAR + r"(?P<m{0}>[01]\d)(?P<d{0}>[0-3]\d)(?=\D|\d{{4,6}}|$)",
)
_DATES = tuple(re.compile(r"(?<![\d.])" + form.format(""), re.IGNORECASE) for form in _FORMS)
_ONLY_YEAR = re.compile(r"\s*((?:1[5-9]|2[01])\d\d)\s*年?\s*$")
_ANY = (
    "(?:"
    + "|".join(re.sub(r"\?P<\w+>", "?:", f.format("").replace("(?P=sep)", "[-/.]")) for f in _FORMS)
    + ")"
)
_LABELS = (
    r"(?:发布|发表|公布|出版|刊登|签发|印发|发文)(?:时间|日期)\s*[:：]?\s*",
    r"(?:發布|發表|發佈|公佈|出版)(?:時間|日期)\s*[:：]?\s*",
    r"(?:date\s+(?:published|of\s+(?:issue|publication|release))|(?:publication|release|issue|posted|published)"
    r"\s+date|(?:first\s+)?(?:published|posted|released|issued)(?:\s+on)?)\s*[:：]?\s*(?:on\s+)?",
    r"(?:^|\n)[ \t*_#>|-]*(?:日期|时间|時間|date|dated)\s*[:：]\s*[*_]*",
    r"(?:报告|提交|填报|申报|编制|签署|报送|会议|報告|提交)(?:时间|日期|時間)\s*[:：]?\s*",
    r"(?:submitted|approved|minutes|report)(?:\s+(?:on|of|dated))?\s*[:：]?\s*",
    r"(?:更新|修订|修訂|生效|施行|版本)(?:时间|日期|時間)\s*[:：]?\s*",
    r"(?:effective(?:\s+date)?|last\s+(?:updated|modified|revised)|(?:updated|revised|version)(?:\s+on|\s+date)?)"
    r"\s*[:：]?\s*(?:on\s+)?",
)
_LABEL_WORDS = (
    ("时间", "日期"),
    ("時間", "日期"),
    ("publi", "release", "issue", "posted"),
    ("日期", "时间", "時間", "date"),
    ("时间", "日期", "時間"),
    ("submitted", "approved", "minutes", "report"),
    ("时间", "日期", "時間"),
    ("effective", "updated", "modified", "revised", "version"),
)
"""A label is only looked for where one of its words stands: most texts have none."""
_LABELLED = tuple(
    (words, re.compile(rf"{label}[*_]*(?P<found>{_ANY})", re.IGNORECASE))
    for words, label in zip(_LABEL_WORDS, _LABELS, strict=True)
)
_A_YEAR = re.compile(r"(?:1[5-9]|2[01])\d\d")
_RELEASED_ZH = re.compile(
    rf"(?P<found>{_ANY})[^。，,；;\n\d]{{0,16}}(?:发布|公布|印发|發布|公佈)", re.IGNORECASE
)
_LONE_LINE = re.compile(rf"(?:^|\n)[ \t*_(（]*(?P<found>{_ANY})[ \t*_)）]*(?=\n|$)", re.IGNORECASE)
WHOLE_DATE = re.compile(r"(?<!\d)(?:1[5-9]|2[01])\d\d([-/.年])\s?\d{1,2}(?:\1|\s?月\s?)\d{1,2}(?!\d)")
"""Year, month and day: sure enough to be taken from a title."""
PLACEHOLDERS = frozenset(("1900-01-01", "1970-01-01", "1980-01-01", "2000-01-01"))
"""Days that programs write when they know none."""
HEAD_CHARS = 3_000
OPENING_CHARS = 600


def iso_date(value: str) -> str | None:
    """``YYYY``, ``YYYY-MM`` or ``YYYY-MM-DD`` for a date written in Chinese, English, ISO or PDF form.

    None for no date, an impossible one (31 February) or an ambiguous one (01/02/2024).
    """
    value = _western_digits(value)
    for pattern in _DATES:
        match = pattern.search(value)
        if match is not None:
            return _iso(match)
    year = _ONLY_YEAR.match(value)
    return year.group(1) if year else None


def published_date(
    stated: Sequence[tuple[str, str]],
    head: str,
    filed: Sequence[tuple[str, str]] = (),
    *,
    labels_only: bool = False,
) -> tuple[str | None, str]:
    """The date and where it was read, or (None, "").

    First what the author ``stated`` (front matter, page metadata), then the ``head`` of the text, then what
    the program that wrote the file ``filed`` in it. ``stated`` and ``filed`` are (value, origin) pairs.
    """
    for value, origin in stated:
        found = iso_date(value)
        if found:
            return found, origin
    found = date_in_text(head, labels_only=labels_only)
    if found:
        return found, "text"
    for value, origin in filed:
        found = iso_date(value)
        if found and found not in PLACEHOLDERS:
            return found, origin
    return None, ""


def date_in_text(text: str, *, labels_only: bool = False) -> str | None:
    """The date of publication in the head of a text: "发布时间：2024-01-10", "Published: 12 March 2023".

    Labels with a colon count in the first 3,000 characters. In the first 600 also running words
    ("published on 12 March 2023", 于2023年4月18日发布) and a date alone on its line, unless ``labels_only``.
    """
    head = _western_digits(text[:HEAD_CHARS])
    if not _A_YEAR.search(head):
        return None
    opening = head[:OPENING_CHARS]
    for found in (*_labelled(head, colon=True), *(() if labels_only else _in_words(opening))):
        date = iso_date(found)
        if date:
            return date
    return None


def _labelled(head: str, *, colon: bool) -> Iterator[str]:
    lowered = head.lower()
    for words, pattern in _LABELLED:
        if any(word in lowered for word in words):
            for match in pattern.finditer(head):
                label = match.group()[: match.start("found") - match.start()]
                if not colon or ":" in label or "：" in label:
                    yield match["found"]


def _in_words(opening: str) -> Iterator[str]:
    yield from _labelled(opening, colon=False)
    for pattern in (_RELEASED_ZH, _LONE_LINE):
        for match in pattern.finditer(opening):
            yield match["found"]


def _western_digits(text: str) -> str:
    text = re.sub(r"[〇○零一二三四五六七八九]{4}(?=年)", lambda m: m.group().translate(_HAN_DIGITS), text)
    return re.sub(
        r"(?<=[年月])([一二三四五六七八九十]{1,3})(?=[月日])", lambda m: _han_number(m.group()), text
    )


def _han_number(text: str) -> str:
    if "十" not in text:
        return text.translate(_HAN_DIGITS)
    tens, _, units = text.partition("十")
    return (tens.translate(_HAN_DIGITS) or "1") + (units.translate(_HAN_DIGITS) or "0")


def _iso(match: re.Match[str]) -> str | None:
    parts = match.groupdict()
    month = int(parts["m"]) if parts.get("m") else _MONTHS.get((parts.get("month") or "").lower(), 0)
    day = int(parts["d"]) if parts.get("d") else None
    try:
        date = datetime.date(int(parts["year"]), month, day or 1)
    except ValueError:
        return None
    return date.isoformat() if day else date.isoformat()[:7]
