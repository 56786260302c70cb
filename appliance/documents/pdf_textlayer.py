"""Whether a PDF page's own text can be used, or the page must be read by OCR.

No text, a picture over the page with hardly any text, or gibberish: fonts without a map to Unicode give
private-use or replacement characters, ``(cid:12)``, shifted alphabets or rare characters in random order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from appliance.documents.pdf_drawn import Drawn
from appliance.documents.pdf_lines import Line
from appliance.documents.pdf_space import Sheet

FEW_CHARS = 80
COVERS = 0.6
OUTLINE_PATHS = 80
"""A page without text but with so many drawings may be text turned to outlines."""
MIN_SAMPLE = 60
MAX_UNMAPPED = 0.2
NONSENSE = "a text layer that makes no sense"
_ODD = re.compile("[\ufffd\ue000-\uf8ff\u0080-\u009f]")
_CID = re.compile(r"\(cid:\d+\)")
_HAN = re.compile(r"[㐀-鿿]")
_LATIN = re.compile(r"[A-Za-z]")
_WESTERN = re.compile(r"[\u00a1-\u00bf\u00c0-\u00ff]")
_TOKEN = re.compile(r"\S+")
_WORD = re.compile(r"^[(\[\"“‘']?[A-Za-zÀ-ɏ]+(?:['’\-/–][A-Za-zÀ-ɏ]+)*[)\]\"”’']?[.,;:!?]*[)\"”]?$")
_NUMBER = re.compile(r"^[(\[$€£¥#~<>=+\-–—]*\d[\d.,/:%\-–—]*[)\]%]*[.,;:]?$")
_SYMBOL = re.compile(r"^\W$|^[-–—.…_=]+$")
_VOWEL = re.compile(r"[aeiouyà-ü]", re.I)
_FREQUENCY = dict(
    zip(
        "etaoinshrdlcumwfgypbvkjxqz",
        (12.7, 9.1, 8.2, 7.5, 7.0, 6.7, 6.3, 6.1, 6.0, 4.3, 4.0, 2.8, 2.8, 2.4, 2.4, 2.2, 2.0, 2.0, 1.9, 1.5,
         1.0, 0.8, 0.15, 0.15, 0.1, 0.07), strict=True,
    )
)  # fmt: skip
"""Letters of English text in percent; French, German and Spanish stay above the limit too."""
MIN_LIKENESS = 0.72
_COMMON_HAN = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里"
    "用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实"
    "日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美"
    "相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水"
    "名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期"
    "市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色"
    "路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运增股率费营投收入额元"
    "這個們來為國時會說對於發後過還開關當點業應戰與機無頭見產資額營總計億報號書東車長門馬"
)
MIN_COMMON_HAN = 0.12
MAX_ODD_TOKENS = 0.07
"""Of a layer under a picture: to read a good one again costs time only."""


def why_ocr(lines: Sequence[Line], unmapped: float, drawn: Drawn, sheet: Sheet) -> str:
    """Why the text of a page cannot be used, or "" where it can be, or where there is nothing to read.

    ``unmapped`` is the share of its characters that its fonts do not map to Unicode.
    """
    if unmapped > MAX_UNMAPPED:
        return NONSENSE
    text = " ".join(line.text for line in lines)
    cover = _cover(drawn, sheet)
    if len(text.strip()) < FEW_CHARS and cover >= COVERS:
        return "a picture of a page"
    if not text.strip():
        return "no text layer" if drawn.images or drawn.paths >= OUTLINE_PATHS else ""
    if is_gibberish(text):
        return NONSENSE
    if cover >= COVERS and is_poor(text):
        return "a poor text layer under a picture"
    return ""


def is_gibberish(text: str) -> bool:
    """Whether characters say nothing: odd codes, letters or Chinese characters as no text has them."""
    solid = len(re.sub(r"\s", "", text))
    if not solid:
        return False
    odd = len(_ODD.findall(text)) + sum(map(len, _CID.findall(text)))
    if odd > solid * 0.2:
        return True
    han, latin = _HAN.findall(text), _LATIN.findall(text)
    if (
        len(han) >= MIN_SAMPLE
        and sum(character in _COMMON_HAN for character in han) < len(han) * MIN_COMMON_HAN
    ):
        return True
    western = len(_WESTERN.findall(text))
    if western > MIN_SAMPLE and western > 0.4 * (western + len(latin)):
        return True
    return len(latin) >= 2 * MIN_SAMPLE and len(latin) > solid * 0.5 and likeness(text) < MIN_LIKENESS


def likeness(text: str) -> float:
    """How like English the letters of ``text`` are spread: the cosine of both counts, 0–1."""
    counts = Counter(letter for letter in text.lower() if letter in _FREQUENCY)
    length = sum(count * count for count in counts.values()) ** 0.5
    usual = sum(share * share for share in _FREQUENCY.values()) ** 0.5
    if not length:
        return 0.0
    return sum(counts[letter] * share for letter, share in _FREQUENCY.items()) / (length * usual)


def is_poor(text: str) -> bool:
    """Whether a text layer made by poor OCR: many tokens that are no word, figure or sign."""
    if len(_HAN.findall(text)) * 3 > len(_LATIN.findall(text)):
        return False
    tokens = _TOKEN.findall(text)
    return len(tokens) >= 20 and sum(map(_is_odd, tokens)) > len(tokens) * MAX_ODD_TOKENS


def _is_odd(token: str) -> bool:
    if _NUMBER.match(token) or "//" in token or (_SYMBOL.match(token) and token not in "^~<>_|\\«»■"):
        return False
    if not _WORD.match(token):
        return True
    letters = [character for character in token if character.isalpha()]
    inner = any(a.islower() and b.isupper() for a, b in pairwise(letters))
    return inner or (len(letters) > 3 and not _VOWEL.search(token) and not token.isupper())


def _cover(drawn: Drawn, sheet: Sheet) -> float:
    """The share of the page under its largest picture."""
    areas = [
        max(0.0, min(x1, sheet.width) - max(x0, 0.0)) * max(0.0, min(y1, sheet.height) - max(y0, 0.0))
        for x0, y0, x1, y1 in drawn.images
    ]
    whole = sum(areas) if len(areas) > 3 else max(areas, default=0.0)  # scanners may cut a page into strips
    return min(whole / (sheet.width * sheet.height), 1.0)
