"""Whether a heading is the chapter, section or article that a question names, however both write it.

``chapter 7``, ``Section VII``, ``7. Incidents``, 第七章, ``第7章 附则``. Pure functions.
"""

from __future__ import annotations

import re

_HAN_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_ASKED = re.compile(
    r"(?:(?P<word>chapter|section|clause|article|part|paragraph|annex|appendix)\s+)?"
    r"(?P<number>\d+(?:\.\d+)*|[IVXLC]+|[A-Z])\b"
    r"|第\s*(?P<zh>[零〇一二三四五六七八九十百\d]+)\s*(?P<unit>[章节節条條款编編部篇])"
    r"|(?P<annex>附[件录錄则則])\s*(?P<of>[零〇一二三四五六七八九十\d]*)",
    re.I,
)
_HEAD = re.compile(
    r"^\s*(?:(?P<word>chapter|section|clause|article|part|paragraph|annex|appendix)\s+"
    r"(?P<named>\d+(?:\.\d+)*|[IVXLC]+|[A-Z])\b"
    r"|(?P<number>\d+(?:\.\d+)*)(?=[\s.、．)]|[一-鿿]|$)|(?P<roman>[IVXLC]+)\.\s"
    r"|第\s*(?P<zh>[零〇一二三四五六七八九十百\d]+)\s*(?P<unit>[章节節条條款编編部篇])"
    r"|(?P<hanlist>[一二三四五六七八九十]+)\s*[、．]"
    r"|(?P<annex>附[件录錄则則])\s*(?P<of>[零〇一二三四五六七八九十\d]*))",
    re.I,
)
_SMALL = frozenset("条條款")
"""Units that number on through all chapters: 第七条 is not chapter 7."""
_SMALL_WORDS = frozenset({"clause", "article", "paragraph"})


def names_section(asked: str, heading: str) -> bool:
    """Return whether ``heading`` (or a text that begins with its number) is the section that is asked for."""
    wanted, here = _read(_ASKED.search(asked)), _read(_HEAD.match(heading))
    if wanted is None or here is None:
        return False
    if wanted[1] and here[1] and wanted[1] != here[1]:
        return False
    return here[0] == wanted[0] or here[0].startswith(f"{wanted[0]}.")


def _read(found: re.Match[str] | None) -> tuple[str, str] | None:
    """The number in plain form, and whether it counts chapters or what is in them; empty where not said."""
    if found is None:
        return None
    groups = found.groupdict()
    if groups.get("annex"):
        return f"附{_plain(groups['of'] or '')}", "annex"
    number = next(
        (groups[name] for name in ("number", "named", "roman", "zh", "hanlist") if groups.get(name)), ""
    )
    word, unit = (groups.get("word") or "").lower(), groups.get("unit") or ""
    if word in ("annex", "appendix"):
        return _plain(number), "annex"
    if not word and not unit:
        return _plain(number), ""
    return _plain(number), "small" if unit in _SMALL or word in _SMALL_WORDS else "large"


def _plain(number: str) -> str:
    if not number or number[0].isdigit():
        return number
    if number[0] in _HAN_DIGITS or number[0] in "十百":
        return str(_han(number))
    upper = number.upper()
    return str(_roman(upper)) if set(upper) <= _ROMAN.keys() else upper


def _han(text: str) -> int:
    total, digit = 0, 0
    for char in text:
        if char in "十百":
            total += (digit or 1) * (10 if char == "十" else 100)
            digit = 0
        else:
            digit = _HAN_DIGITS.get(char, 0)
    return total + digit


def _roman(text: str) -> int:
    values = [_ROMAN[char] for char in text]
    after = [*values[1:], 0]
    return sum(-value if value < later else value for value, later in zip(values, after, strict=True))
