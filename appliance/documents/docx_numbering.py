# pyright: basic
"""Automatic numbers of Word paragraphs, counted the way Word prints them: "3.2", "第三条", "(b)"."""

from __future__ import annotations

import re
from typing import Any

from appliance.documents.docx_styles import number_of
from appliance.documents.docx_xml import W, attribute

_HAN = "零一二三四五六七八九"
_PLACE = re.compile(r"%(\d)")
_CHINESE = frozenset(
    (
        "chineseCounting", "chineseCountingThousand", "taiwaneseCountingThousand", "ideographTraditional",
        "japaneseCounting", "taiwaneseCounting", "ideographDigital",
    )
)  # fmt: skip
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
          (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
BULLET = "•"
_Level = tuple[str, str, int]
"""(format, text template, start)"""


class Numbering:
    """Counters per list; :meth:`label` must be called for every paragraph in order."""

    def __init__(self, element: Any) -> None:
        self._levels: dict[str, dict[int, _Level]] = {}
        self._abstract: dict[str, str] = {}
        self._counters: dict[str, dict[int, int]] = {}
        if element is None:
            return
        abstract = {attribute(a, "abstractNumId"): a for a in element.iter(W + "abstractNum")}
        for number in element.iter(W + "num"):
            number_id = attribute(number, "numId")
            link = number.find(W + "abstractNumId")
            target = attribute(link, "val") if link is not None else None
            if number_id and target in abstract:
                self._levels[number_id] = _levels(abstract[target])
                restarts = number.find(W + "lvlOverride") is not None
                self._abstract[number_id] = f"{target}/{number_id}" if restarts else str(target)

    def label(self, paragraph: Any, from_style: tuple[str, int] | None) -> str:
        """The printed number, ``•`` for a bullet, "" for a paragraph outside every list."""
        own = number_of(paragraph.find(W + "pPr"))
        found = own or from_style
        if found is None or found[0] == "0" or found[0] not in self._levels:
            return ""
        number_id, depth = found
        levels = self._levels[number_id]
        if depth not in levels:
            return ""
        if levels[depth][0] == "bullet":
            return BULLET
        counters = self._counters.setdefault(self._abstract[number_id], {})
        counters[depth] = counters.get(depth, levels[depth][2] - 1) + 1
        for deeper in [level for level in counters if level > depth]:
            del counters[deeper]
        return _PLACE.sub(lambda match: _place(int(match[1]) - 1, levels, counters), levels[depth][1]).strip()


def _place(level: int, levels: dict[int, _Level], counters: dict[int, int]) -> str:
    style, _, start = levels.get(level, ("decimal", "", 1))
    return _written(counters.get(level, start), style)


def _levels(abstract: Any) -> dict[int, _Level]:
    found: dict[int, _Level] = {}
    for level in abstract.findall(W + "lvl"):
        depth = attribute(level, "ilvl")
        if depth and depth.isdigit():
            values = {key: _value(level, key) for key in ("numFmt", "lvlText", "start")}
            start = values["start"]
            found[int(depth)] = (
                values["numFmt"] or "decimal",
                values["lvlText"],
                int(start) if start.isdigit() else 1,
            )
    return found


def _value(level: Any, key: str) -> str:
    found = level.find(W + key)
    return (attribute(found, "val") if found is not None else "") or ""


def _written(number: int, style: str) -> str:
    if style in _CHINESE:
        return _chinese(number)
    if style in ("lowerLetter", "upperLetter") and number > 0:
        letters = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letters if style == "lowerLetter" else letters.upper()
    if style in ("lowerRoman", "upperRoman") and 0 < number < 4000:
        roman = ""
        for value, sign in _ROMAN:
            count, number = divmod(number, value)
            roman += sign * count
        return roman if style == "lowerRoman" else roman.upper()
    return "" if style == "none" else f"{number:02d}" if style == "decimalZero" else str(number)


def _chinese(number: int) -> str:
    if not 0 <= number < 1000:
        return str(number)
    hundreds, rest = divmod(number, 100)
    tens, units = divmod(rest, 10)
    text = _HAN[hundreds] + "百" if hundreds else ""
    if tens:
        text += ("" if tens == 1 and not hundreds else _HAN[tens]) + "十"
    elif hundreds and units:
        text += "零"
    return text + (_HAN[units] if units or not text else "")
