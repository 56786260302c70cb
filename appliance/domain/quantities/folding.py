"""Text with full-width and traditional forms made plain, every character in its place."""

from __future__ import annotations

import unicodedata

_KEPT = "℃℉°²³µ\u00a0\u2009\u202f"
_PLAIN = {
    "萬": "万",
    "億": "亿",
    "兩": "两",
    "點": "点",
    "號": "号",
    "個": "个",
    "歲": "岁",
    "−": "-",
    "﹣": "-",
}


def plain(text: str) -> str:
    """Return ``text`` in NFKC where one character stays one: its spans are spans of ``text``."""
    return "".join(map(_fold, text))


def _fold(one: str) -> str:
    if one in _PLAIN:
        return _PLAIN[one]
    if one.isascii() or "\u4e00" <= one <= "\u9fff" or one in _KEPT:
        return one
    folded = unicodedata.normalize("NFKC", one)
    return folded if len(folded) == 1 else one
