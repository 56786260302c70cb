"""A question folded for reading by rules: same length, so that what is found can be cut from the original."""

from __future__ import annotations

import re

_SCRIPT = str.maketrans(
    "時後間與較這個還過種嗎誰麼為現廢換來說幾兩萬億條別區對變從據報節號於個將應數終點發撤銷規產歷們會該實"
    "週訂適總無舊異樣請問學歲訊證處罰國醫藥單價網則準導編題讓當動務業項稱屬標關並聯電車書畫劃統計額資負債"
    "增長減績續類級範圍義譯際術師層領經濟紀錄開間賣買費稅員個",
    "时后间与较这个还过种吗谁么为现废换来说几两万亿条别区对变从据报节号于个将应数终点发撤销规产历们会该实"
    "周订适总无旧异样请问学岁讯证处罚国医药单价网则准导编题让当动务业项称属标关并联电车书画划统计额资负债"
    "增长减绩续类级范围义译际术师层领经济纪录开间卖买费税员个",
)
_KEPT = frozenset("，。？！：；（）")
"""Full-width punctuation stays: Chinese rules end a clause there."""
_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if chr(code) not in _KEPT}
_HAN_DIGITS = str.maketrans("〇○零一二三四五六七八九", "000123456789")
_HAN_YEAR = re.compile(r"(?<![一二三四五六七八九])[一二][〇○零一二三四五六七八九]{3}(?=年)")
_PLAIN = _SCRIPT | _WIDTH | str.maketrans("‘’‐‑–—−　", "''----- ")
HEAD_CHARS = 4_000
TAIL_CHARS = 2_000
"""Of a very long question, the beginning and the end are read: what is asked stands there."""


def fold(text: str) -> str:
    """The text with traditional characters, full-width forms, dashes, Han years made plain; same length."""
    plain = text.translate(_PLAIN)
    return _HAN_YEAR.sub(lambda match: match.group().translate(_HAN_DIGITS), plain)


def excerpt(text: str) -> str:
    """At most 6,000 characters of a question: its beginning and its end."""
    if len(text) <= HEAD_CHARS + TAIL_CHARS:
        return text
    return text[:HEAD_CHARS] + "\n" + text[-TAIL_CHARS:]


def number(text: str) -> int | None:
    """``12``, ``十二``, ``two``, ``两`` as an integer; None for no number. 半 is none."""
    word = text.strip().lower()
    if word.isascii() and word.isdigit():
        return int(word)
    if word in _WORDS:
        return _WORDS[word]
    return _han_number(word)


_WORDS = {
    word: count
    for count, words in enumerate(
        (
            "zero",
            "one a an first 1st",
            "two second 2nd couple",
            "three third 3rd",
            "four fourth 4th",
            "five fifth 5th",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        )
    )
    for word in words.split()
}
_HAN = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0, "首": 1}


def _han_number(word: str) -> int | None:
    tens, ten, units = word.partition("十")
    if not ten:
        return _HAN.get(word)
    high, low = _HAN.get(tens, 1 if not tens else None), _HAN.get(units, 0 if not units else None)
    return None if high is None or low is None else high * 10 + low
