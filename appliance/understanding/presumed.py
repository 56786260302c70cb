"""What a model proposed to search with, judged by code: nothing that could be an answer gets through.

Arrives: a phrase and the reading it was proposed for. Leaves: why it is refused, or nothing. A figure, a date
or a name passes only where the question or a form of a domain pack has it. Strict on purpose: a good phrase
lost costs little, a presumed answer steers the search.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from appliance.domain import EntityKind, Reading
from appliance.understanding.entities import read_entities
from appliance.understanding.fold import fold

MAX_WORDS = 6
MAX_HAN = 12
_HAN = re.compile(r"[㐀-鿿]")
_FOREIGN = re.compile(r"(?!(?<=\d)\.\d)[^\w\s'’()（）&/·《》-]|_")
_NUMBER = r"[〇零一二三四五六七八九十百千万亿两几半壹贰叁肆伍陆柒捌玖拾]"
_FIGURE = re.compile(
    rf"""[A-Za-z]*\d+(?:\.\d+)*[A-Za-z]*|{_NUMBER}{{2,}}|第{_NUMBER}|百分之|{_NUMBER}(?:个|多|余)?[年月日天周元倍成岁次名人家条款章号届版期季时分秒克米度位份台只件折点]|
    \b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|
    hundreds?|thousands?|[mb]illions?|trillions?|dozens?|half|percent|once|twice|fortnight)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_DATE = re.compile(
    r"""\b(?:january|february|march|april|june|july|august|september|october|
    november|december|(?:in|of|since|until|by)\ may|(?:mon|tues|wednes|thurs|fri|satur|sun)day|today|
    yesterday|tomorrow|tonight|(?:last|next|this)\ (?:year|month|week|quarter))\b|
    (?:周|星期|礼拜)[一二三四五六日天]|[今昨明前后][年天日晚]|[上下本][个]?(?:月|周|季度|半年)|正月|腊月|元旦|春节|国庆""",
    re.IGNORECASE | re.VERBOSE,
)
_DENIES = re.compile(
    r"\b(?:no|not|never|none|nor|neither|without|non|cannot|yes|true|false)\b|\w+n['’]t\b|[不没未勿]|非(?!常)|无(?!线|人|形)|^[是否有对]$",
    re.IGNORECASE,
)
_CAPITAL = re.compile(r"[\w'’&-]*[A-ZÀ-ÖØ-ÞА-Я][\w'’&-]*")
_TITLE = re.compile(r"《[^《》]*》?|[《》]")
_SURNAMES = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石"
    "姚谭廖邹熊陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚"
)
_SURE_SURNAMES = (
    "王李刘陈杨赵吴徐孙胡郭罗宋郑韩冯董萧曹袁邓沈彭吕卢蒋蔡贾魏薛阎潘杜姜姚谭廖邹郝崔邱秦侯邵孟尹黎贺龚"
)
_PERSON = re.compile(
    rf"^[{_SURNAMES}][一-鿿]{{2}}$|^[{_SURE_SURNAMES}][一-鿿]$|[一-鿿]·[一-鿿]|"
    rf"(?:董事长|总裁|总经理|经理|主席|院长|校长|教授|博士|先生|女士|创始人|创办人|负责人|作者|导演|医生|律师|主任)[{_SURNAMES}][一-鿿]{{1,2}}$|"
    rf"^[{_SURNAMES}][一-鿿]{{0,2}}(?:先生|女士|教授|博士|院士|董事长|总裁|主任|医生|律师|老师)$"
)
_WORD = re.compile(r"[㐀-鿿]{1,2}|[^\W\d_㐀-鿿]+|\d+")


def presumed(phrase: str, reading: Reading) -> str:
    """Why the phrase may not be searched with, in a word or two; empty where it may."""
    known = [
        reading.text,
        *(form for term in reading.terms for form in (*term.forms, *term.parts, term.text)),
    ]
    folded = fold(phrase).strip()
    if not folded or _FOREIGN.search(folded):
        return "no words"
    if _too_long(folded):
        return "too long"
    if any(_same(folded, text) for text in known[1:]):
        return "known already"
    if all(_stands_in(word, reading.text) for word in _WORD.findall(folded)):
        return "the question's own words"
    for reason, pattern in _REFUSED:
        if any(not _known(match.group(), known) for match in pattern.finditer(folded)):
            return reason
    return "a name" if _names(folded, known) else ""


_REFUSED = (
    ("a figure", _FIGURE),
    ("a date", _DATE),
    ("a title", _TITLE),
    ("a name", _CAPITAL),
    ("a name", _PERSON),
    ("a denial", _DENIES),
)


def _too_long(phrase: str) -> bool:
    han = len(_HAN.findall(phrase))
    return han > MAX_HAN or len(phrase.split()) > MAX_WORDS or (bool(han) and len(phrase) > 2 * MAX_HAN)


def _names(phrase: str, known: Sequence[str]) -> bool:
    """Names by their form; of small letters, places that are known as such."""
    found = [entity.text for entity in read_entities(phrase)]
    found += [one.text for one in read_entities(phrase.title()) if one.kind is EntityKind.PLACE]
    return any(not _known(name, known) for name in found)


def _known(piece: str, known: Sequence[str]) -> bool:
    return any(_stands_in(piece.strip(), text) for text in known)


def _same(phrase: str, text: str) -> bool:
    return phrase.casefold() == fold(text).casefold()


def _stands_in(piece: str, text: str) -> bool:
    """As whole words and figures."""
    begin = r"(?<![^\W㐀-鿿])(?<!\d\.)" if re.match(r"[^\W㐀-鿿]", piece) else ""
    end = r"(?![^\W㐀-鿿]|\.\d)" if re.search(r"[^\W㐀-鿿]$", piece) else ""
    return bool(re.search(f"{begin}{re.escape(piece)}{end}", fold(text), re.IGNORECASE))
