"""Text of strangers made safe to show: no markup, no control characters, bounded; addresses, dates checked.

Arrives: whatever stood in an answer. Leaves: plain text, an http(s) address, an ISO date, or nothing.
"""

from __future__ import annotations

import datetime
import html
import re
import unicodedata
from email.utils import parsedate_to_datetime
from typing import cast
from urllib.parse import urlsplit

TITLE_CHARS = 300
TEXT_CHARS = 2_000
URL_CHARS = 2_000
READ_CHARS = 20_000
"""Of a raw value, before its markup is taken off: what lies behind is not read."""
ROUNDS = 4
"""Markup may be hidden in entities, and tags in tags; after so many rounds the brackets themselves go."""
EARLIEST = 1000
_UNSEEN = re.compile(r"<(script|style|template|noscript)\b[^>]*>.*?(?:</\1\s*>|$)", re.I | re.S)
_TAG = re.compile(r"<!--.*?(?:-->|$)|</?[a-z][^<>]*>|<[!?][^<>]*>", re.I | re.S)
_DIGITS = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?:[T\s].*)?$", re.S)
_SLASHES = re.compile(r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})(?:\s.*)?$", re.S)
_HAN = re.compile(r"(\d{4})\s*年(?:\s*(\d{1,2})\s*月(?:\s*(\d{1,2})\s*[日号])?)?")
_MONTH_FIRST = re.compile(r"([a-z]{3})[a-z]*\.?\s+(\d{1,2}),?\s+(\d{4})$", re.I)
_DAY_FIRST = re.compile(r"(\d{1,2})\s+([a-z]{3})[a-z]*\.?,?\s+(\d{4})$", re.I)
_MONTHS: tuple[str, ...] = tuple("jan feb mar apr may jun jul aug sep oct nov dec".split())
_JOINERS = "\u200c\u200d"
"""Of category Cf, but part of how Persian, Hindi and others are written."""


def plain_text(value: object, limit: int) -> str:
    """One line of at most ``limit`` characters; empty for what is neither text, number nor a list of them."""
    text = _as_text(value)[:READ_CHARS]
    for _ in range(ROUNDS):
        before, text = text, _TAG.sub(" ", _UNSEEN.sub(" ", html.unescape(text)))
        if text == before:
            break
    else:
        text = text.replace("<", " ").replace(">", " ")
    line = " ".join("".join(_visible(char) for char in unicodedata.normalize("NFC", text)).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def web_address(value: object) -> str:
    """The http(s) address; empty for anything else (another scheme, a user name in it, blanks, too long)."""
    if not isinstance(value, str) or len(value) > URL_CHARS:
        return ""
    address = value.strip()
    if any(char.isspace() or not _visible(char) or char in '<>"\\`' for char in address):
        return ""
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        return ""
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname or parts.username is not None:
        return ""
    return address


def address_key(address: str) -> str:
    """The same for addresses of one page: without scheme, ``www.``, fragment, ``utm_…`` and a last slash."""
    parts = urlsplit(address)
    asked = "&".join(part for part in parts.query.split("&") if part and not part.startswith("utm_"))
    host = (parts.hostname or "").removeprefix("www.")
    return f"{host}:{parts.port or ''}{parts.path.rstrip('/')}?{asked}"


def iso_date(value: object, today: datetime.date) -> str | None:
    """``YYYY``, ``YYYY-MM`` or ``YYYY-MM-DD``; None for what is no date, or one after tomorrow."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    parts = _date_parts(value.strip()[:60]) if isinstance(value, str) else _moment_parts(float(value))
    if not parts:
        return None
    try:
        first = datetime.date(*[*parts, 1, 1][:3])
    except (ValueError, OverflowError):
        return None
    if first.year < EARLIEST or first > today + datetime.timedelta(days=1):
        return None
    return first.isoformat()[: (4, 7, 10)[len(parts) - 1]]


def _date_parts(text: str) -> list[int]:
    for pattern in (_DIGITS, _SLASHES, _HAN):
        if found := pattern.match(text):
            return [int(part) for part in found.groups() if part]
    if found := _MONTH_FIRST.match(text):
        return _named_month(found[3], found[1], found[2])
    if found := _DAY_FIRST.match(text):
        return _named_month(found[3], found[2], found[1])
    try:
        day = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return []
    return [day.year, day.month, day.day]


def _named_month(year: str, month: str, day: str) -> list[int]:
    known = month.lower() in _MONTHS
    return [int(year), _MONTHS.index(month.lower()) + 1, int(day)] if known else []


def _moment_parts(seconds: float) -> list[int]:
    """Of a count of seconds, or milliseconds, since 1970; a small number is a year."""
    if seconds.is_integer() and EARLIEST <= seconds <= 9999:
        return [int(seconds)]
    try:
        day = datetime.datetime.fromtimestamp(seconds / 1000 if seconds > 1e11 else seconds, datetime.UTC)
    except (ValueError, OverflowError, OSError):
        return []
    return [day.year, day.month, day.day]


def _as_text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, list):
        rows = cast("list[object]", value)
        return " … ".join(row for row in rows[:50] if isinstance(row, str))
    return ""


def _visible(char: str) -> str:
    """The character; a blank for a control that separates; nothing for what cannot be seen."""
    kind = unicodedata.category(char)
    if kind == "Cc":
        return " "
    return "" if kind == "Cs" or (kind == "Cf" and char not in _JOINERS) else char
