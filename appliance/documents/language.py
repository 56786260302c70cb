"""Which of the product's two languages a text is in: text arrives, ``zh``, ``en`` or ``und`` leaves."""

from __future__ import annotations

import re

SAMPLE_CHARS = 20_000
"""Enough to tell; a longer text is sampled from its beginning."""
_HAN = re.compile(r"[㐀-䶿一-鿿豈-﫿]|[\U00020000-\U000323af]")
_KANA_HANGUL = re.compile(r"[぀-ヿ가-힯]")
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]")
_OTHER = re.compile(r"[Ͱ-῿]")
"""Greek, Cyrillic, Hebrew, Arabic, Indic and other alphabets between Latin and punctuation."""
LETTERS_PER_HAN = 3
"""A Han character carries about as much text as three Latin letters."""


def detect_language(text: str) -> str:
    """``zh``, ``en`` or ``und`` by the share of scripts; digits and punctuation do not count.

    Latin script counts as ``en``: the product's other languages share neither script nor models.
    """
    sample = text[:SAMPLE_CHARS]
    han = len(_HAN.findall(sample))
    foreign = len(_KANA_HANGUL.findall(sample))
    latin = len(_LATIN.findall(sample))
    other = len(_OTHER.findall(sample))
    if foreign * 10 > han + foreign and foreign * LETTERS_PER_HAN > latin:
        return "und"
    weighted = han * LETTERS_PER_HAN
    if other > max(weighted, latin):
        return "und"
    if han and weighted * 3 >= latin * 2:
        return "zh"
    return "en" if latin >= 2 else "und"
