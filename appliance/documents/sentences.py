"""Sentence borders in Chinese and English text: text arrives, its sentences leave, nothing lost between."""

from __future__ import annotations

import re

_CLOSERS = "”’」』】）》〉)\\]\"'"
_BORDER = re.compile(
    rf"""(?P<line>\n+[ \t　]*)                                   # a line break that the parser kept
       | (?P<wide>(?:[。！？；]+|…{{2,}})[。！？；…]*[{_CLOSERS}]*[ \t　]*)   # Chinese: no space needed
       | (?P<latin>(?:[.!?]+|…)[{_CLOSERS}]*)(?=\s|$)(?P<gap>[ \t　]*)""",
    re.VERBOSE,
)
_ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof sr jr st rev hon gen col sgt capt lt gov sen rep vs cf al ca approx est "
    "no nos fig figs eq eqs sec secs ch vol vols pp art arts para ed eds tab app ref refs "
    "inc ltd co corp plc bros dept univ assn intl "
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun "
    "e.g i.e a.m p.m u.s u.k u.n e.u ph.d m.d b.a m.a d.c viz resp incl excl min max avg".split()
)
_LAST_WORD = re.compile(r"[^\W_](?:[^\s(\[（“\"]*[^\W_])?$")
_LIST_NUMBER = re.compile(r"(?:^|\n)\s*[(（]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})$")
_LOOKBACK = 40


def split_sentences(text: str) -> list[str]:
    """The sentences of ``text`` in order, each with its trailing space: ``"".join(result) == text``.

    Borders: 。！？； and …… ; ``.!?`` before a space and a capital, digit, quote or Han character, unless
    an abbreviation, an initial or a list number ends there; line breaks. Decimals have no space inside.
    """
    sentences: list[str] = []
    start = 0
    for match in _BORDER.finditer(text):
        if match.lastgroup == "gap" and not _ends_sentence(text, start, match):
            continue
        end = match.end()
        if text[start:end].strip():
            sentences.append(text[start:end])
            start = end
    rest = text[start:]
    if rest and sentences and not rest.strip():
        sentences[-1] += rest
    elif rest:
        sentences.append(rest)
    return sentences


def _ends_sentence(text: str, start: int, match: re.Match[str]) -> bool:
    following = text[match.end() : match.end() + 2].lstrip("“‘\"'(（[")
    if following[:1].islower():
        return False
    mark = match["latin"]
    if mark[0] != "." or mark.startswith(".."):
        return True
    before = text[max(start, match.start() - _LOOKBACK) : match.start()]
    if _LIST_NUMBER.search(before) and not text[start : match.start() - len(before)].strip():
        return False
    word = _LAST_WORD.search(before)
    if word is None:
        return True
    last = word.group()
    if len(last) == 1 and last.isalpha() and last.isascii():
        return False
    return last.lower() not in _ABBREVIATIONS
