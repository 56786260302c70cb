"""What two texts say alike, and where they differ: comparison form of a text, and a diff by words.

A Chinese text is compared by characters, any other by words. White space, typographic variants and the number
in front of a clause are no difference.
"""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher

from appliance.domain import Struct

_HAN = r"\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"(?:[{_HAN}]|\d+(?:[.,]\d+)*%?|[^\W\d_{_HAN}]+(?:['’][^\W\d_]+)?|.)\s*", re.DOTALL)
_SENTENCE = re.compile(r".+?(?:[.!?;](?=\s)|[。！？；]|$)\s*", re.DOTALL)
_SPACE = re.compile(r"\s+")
_BESIDE_HAN = re.compile(rf"(?<=[{_HAN}，。；：、！？）》」]) | (?=[{_HAN}，。；：、！？（《「])")
_TYPOGRAPHY = str.maketrans(
    {**dict.fromkeys("‘’‚ʼ", "'"), **dict.fromkeys("“”„", '"'), **dict.fromkeys("‐‑‒–−", "-")}
)
_NUMBER = r"[0-9〇零一二三四五六七八九十百]+"
_LABEL = (
    rf"[-*•·▪](?=\s)|第\s*{_NUMBER}\s*[条條章节節款项項编編篇]|[（(]\s*(?:{_NUMBER}|[a-z]|[ivx]+)\s*[)）]"
    rf"|(?:article|section|clause|chapter|part|item|appendix|annex)\s+(?:\d+(?:\.\d+)*|[ivx]+|[a-z])\b[.:]?"
    rf"|\d{{1,3}}\s*[.)、．](?=\s*\D)|[一二三四五六七八九十]+\s*[、．.]|[a-z]\)"
)
_UNITS = "万亿千百十元角分厘倍个件项次年月日天人米克吨公美港"
_DECIMAL_IN_TEXT = rf"|\d{{1,3}}(?:\.\d+)+\.?(?=\s+[A-Z(\"]|\s*(?![{_UNITS}])[一-鿿])"
"""Not in front of a unit: "1.5 million" and 1.5亿元 are quantities."""
_DECIMAL_IN_TITLE = r"|\d{1,2}(?:\.\d+)*\.?(?=\s+[^\W\d_]|[一-鿿])"
_TEXT_LABEL = re.compile(rf"^(?:(?:(?i:{_LABEL}){_DECIMAL_IN_TEXT})\s*)+")
_TITLE_LABEL = re.compile(rf"^(?:(?:(?i:{_LABEL}){_DECIMAL_IN_TITLE})\s*)+")
MOST_TOKENS = 4_000
"""Of both texts together; longer ones are compared by sentences, then by words inside those that differ."""
_GLUE_CHARS = 2
"""An equal stretch up to this long between two changes reads as part of them."""


class Piece(Struct, frozen=True, kw_only=True):
    """A stretch of an inline diff: ``equal``, ``delete`` (old side only) or ``insert`` (new side only)."""

    op: str
    text: str


def plain(text: str) -> str:
    """The text as it is compared: one spelling of white space, quotes, hyphens and full-width letters."""
    squeezed = _SPACE.sub(" ", unicodedata.normalize("NFKC", text).translate(_TYPOGRAPHY)).strip()
    return _BESIDE_HAN.sub("", squeezed)


def number_of(title: str) -> str:
    """The number in front of a title, in plain form: ``3.2``, ``第五条``, ``(a)``; "" for none."""
    found = _TITLE_LABEL.match(plain(title))
    return found.group().strip() if found else ""


def unnumbered(title: str) -> str:
    """The comparison form of a title without its number; a title that is nothing else keeps it."""
    return _without(_TITLE_LABEL, plain(title))


def unlabelled(text: str) -> str:
    """The comparison form of a paragraph or list item without the number or bullet in front."""
    return _without(_TEXT_LABEL, plain(text))


def _without(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.match(text)
    return (text[found.end() :] if found else "") or text


def words(text: str) -> list[str]:
    """Words, numbers, single Chinese characters and marks, each with the blank after it; nothing left out."""
    return _TOKEN.findall(text)


def inline_diff(old: str, new: str) -> tuple[Piece, ...]:
    """Old and new as one row of pieces: without the deleted ones it is the new text, on one line."""
    return _pieces(_joined(_changes(*(_SPACE.sub(" ", side).strip() for side in (old, new)))))


def _changes(old: str, new: str) -> list[tuple[str, str]]:
    """(old, new) stretches in order; alike where both sides are the same."""
    left, right = words(old), words(new)
    if len(left) + len(right) <= MOST_TOKENS:
        return _matched(left, right)
    stretches: list[tuple[str, str]] = []
    for before, after in _matched(_SENTENCE.findall(old), _SENTENCE.findall(new)):
        small = len(words(before)) + len(words(after)) <= MOST_TOKENS
        stretches += _matched(words(before), words(after)) if small else [(before, after)]
    return stretches


def _matched(left: list[str], right: list[str]) -> list[tuple[str, str]]:
    bare = ([plain(token) for token in side] for side in (left, right))
    codes = SequenceMatcher(None, *bare, autojunk=False).get_opcodes()
    stretches: list[tuple[str, str]] = []
    for op, a, b, c, d in codes:
        after = "".join(right[c:d])
        stretches.append((after if op == "equal" else "".join(left[a:b]), after))
    return stretches


def _joined(stretches: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Changes with next to nothing between them as one."""
    joined: list[tuple[str, str]] = []
    for at, (before, after) in enumerate(stretches):
        inside = 0 < at < len(stretches) - 1 and before == after and len(before.strip()) <= _GLUE_CHARS
        changed = before != after or inside
        if changed and joined and joined[-1][0] != joined[-1][1]:
            joined[-1] = (joined[-1][0] + before, joined[-1][1] + after)
        else:
            joined.append((before, after))
    return joined


def _pieces(stretches: list[tuple[str, str]]) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    for before, after in stretches:
        if before == after:
            pieces.append(Piece(op="equal", text=before))
        else:
            pieces += [Piece(op="delete", text=before)] if before else []
            pieces += [Piece(op="insert", text=after)] if after else []
    return tuple(pieces)


def similarity(old: str, new: str) -> float:
    """Share of words (or Chinese characters) that both have, in order: 0–1; white space does not count."""
    left, right = _marks(old), _marks(new)
    if not left or not right:
        return float(left == right)
    quick = SequenceMatcher(None, left, right, autojunk=len(left) + len(right) > MOST_TOKENS)
    return quick.ratio() if quick.quick_ratio() >= 0.3 else 0.0


def _marks(text: str) -> list[str]:
    return [token for token in words(plain(text).casefold()) if token.strip()]
