"""Spellings of one word made one: full width, case, Latin accents, traditional characters.

Text in, text out. The character table is OpenCC's own (``TSCharacters``, first choice of each line).
OpenCC's phrase table, left out, would change a character (乾, 覆, 藉 …) in 20 of 1,098 Chinese passages;
both sides of a search fold alike.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib.resources import files

HAN = r"\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
"""Inside of a regular expression's character class."""
_HAN = re.compile(f"[{HAN}]")
_QUOTES = {0x2018: "'", 0x2019: "'", 0x02BC: "'", 0x2010: "-", 0x2011: "-", 0x2012: "-", 0x2212: "-"}
_LATIN = (range(0xC0, 0x250), range(0x1E00, 0x1F00))


def fold(text: str) -> str:
    """The folded text; folding it again changes nothing."""
    if text.isascii():
        return text.lower()
    for _ in range(4):
        folded = _once(text)
        if folded == text:
            break
        text = folded
    return text


def _once(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).lower().translate(_accents())
    if _HAN.search(text):
        text = text.translate(_simplified())
    return unicodedata.normalize("NFKC", text)


@cache
def _accents() -> dict[int, str]:
    """Accented Latin letters → their base letter; typographic quotes and hyphens → ASCII."""
    table = dict(_QUOTES)
    for code in (code for block in _LATIN for code in block):
        base = unicodedata.normalize("NFKD", chr(code))[0]
        if base.isascii() and base.isalpha():
            table[code] = base.lower()
    return table


@cache
def _simplified() -> dict[int, str]:
    """Traditional → simplified, followed to the end of a chain so that folding is idempotent."""
    lines = files("opencc").joinpath("dictionary/TSCharacters.txt").read_text("utf-8").splitlines()
    pairs = {fields[0]: fields[1] for fields in (line.split() for line in lines) if len(fields) > 1}
    table: dict[int, str] = {}
    for traditional in pairs:
        simple, seen = traditional, set[str]()
        while simple in pairs and simple not in seen:
            seen.add(simple)
            simple = pairs[simple]
        table[ord(traditional)] = simple
    return table
