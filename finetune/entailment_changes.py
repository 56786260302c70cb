# pyright: basic
"""A true sentence made false in one respect, or said otherwise, in both languages.

Arrives: a sentence of a passage, sentences of other passages, and a source of chance. Leaves: claims with the
kind of change. What a kind cannot change, it leaves (None). Used to make training claims out of texts that
no evaluation holds, and by the bench on the texts of the sample library.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from appliance.answers.names import BODY, PERSON
from appliance.answers.verify import is_han, names
from appliance.domain.quantities import Quantity, quantities

_UNITS = [
    ("hours", "days"), ("days", "weeks"), ("weeks", "months"), ("months", "years"), ("million", "billion"),
    ("minutes", "hours"), ("kilometres", "metres"), ("km", "m"), ("kg", "g"), ("%", " percentage points"),
    ("pounds", "dollars"), ("£", "$"), ("$", "£"), ("€", "$"), ("°C", "°F"), ("MB", "GB"), ("day", "week"),
    ("month", "year"), ("year", "month"), ("hour", "day"), ("mg", "g"), ("mm", "cm"), ("seconds", "minutes"),
    ("小时", "天"), ("天", "个月"), ("个月", "年"), ("万元", "亿元"), ("亿元", "万元"), ("元", "美元"),
    ("分钟", "小时"),
    ("日", "个月"), ("公里", "米"), ("公斤", "克"), ("克", "公斤"), ("毫米", "厘米"), ("年", "个月"),
    ("工作日", "个月"),
    ("百分之", "千分之"), ("万", "亿"),
]  # fmt: skip
_DENY_EN = [
    (r"\b(is|are|was|were|has been|have been|can|must|will|should|may|does|do|did) not\b", r"\1"),
    (r"\bcannot\b", "can"),
    (r"\bno longer\b", "still"), (r"\bwithout\b", "with"), (r"\bnever\b", "always"),
    (r"\b(is|are|was|were|can|must|will|should|may)\b(?! not)", r"\1 not"),
    (r"\b(has|have|had) (\w+ed)\b", r"\1 not \2"),
]  # fmt: skip
_DENY_ZH = [
    ("不得", "可以"), ("不能", "能"), ("不予", "予以"), ("不再", "仍然"), ("没有", "有"), ("无需",
    "需要"), ("未经", "经"), ("不需要", "需要"),
    ("应当", "无需"), ("必须", "不必"), ("可以", "不得"), ("能够", "不能"), ("需要", "不需要"), ("包括",
    "不包括"), ("属于", "不属于"),
    ("予以", "不予"), ("由(?=[^，。]{2,12}(?:负责|批准|决定))", "不由"), ("是(?![否不])", "不是"),
    ("为(?=\\d)", "不为"), ("已(?!经)", "未"),
    ("将(?=[^军来])", "将不"), ("使用", "不使用"), ("增加", "减少"), ("上升", "下降"), ("增长", "下降"),
]  # fmt: skip
_WIDE_EN = [
    (r"\bsome\b", "all"), (r"\bmost\b", "all"), (r"\bseveral\b", "all"), (r"\bup to\b", "at least"),
    (r"\bat least\b", "at most"),
    (r"\bmore than\b", "less than"), (r"\bno more than\b", "at least"), (r"\bwithin\b", "not before"),
    (r"\busually\b", "always"),
    (r"\bmay\b(?! not)", "always"), (r"\bmight\b", "will"), (r"\bcould\b", "will"), (r"\boften\b", "always"),
    (r"\b(is|are|applies|apply|covers|uses|use) ", r"\1 only "),
]  # fmt: skip
_WIDE_ZH = [
    ("部分", "全部"), ("一些", "所有"), ("有些", "所有"), ("至少", "至多"), ("不超过", "不少于"),
    ("不少于", "不超过"), ("(?<=[\\d元人岁天日年月倍名%])以上", "以下"),
    ("(?<=[\\d元人岁天日年月倍名%])以下", "以上"),
    ("(?<=[\\d元人天日年月])以内", "以上"), ("通常", "始终"), ("一般", "始终"), ("可能", "一定会"),
    ("大多", "全都"), ("可以", "只可以"), ("预计", "已经"), ("适用于", "仅适用于"),
]  # fmt: skip
_SAY_EN = [
    (r"\bis required to\b|\bare required to\b|\bmust\b", "has to"), (r"\busers?\b",
    "people who use it"), (r"\bprior to\b", "before"), (r"\bhowever\b", "but"),
    (r"\bin order to\b", "to"), (r"\bapproximately\b", "about"), (r"\bpurchase\b", "buy"),
    (r"\bobtain\b", "get"), (r"\bdisplays?\b", "shows"),
    (r"\bbegins?\b", "starts"), (r"\bassist\b", "help"), (r"\bemployees\b", "staff"), (r"\bcompany\b",
    "firm"), (r"\bshall\b", "must"),
    (r"\bseveral\b", "a number of"), (r"\breported\b", "recorded"), (r"\bselect\b", "choose"),
    (r"\bautomatically\b", "by itself"),
    (r"\bcame to\b|\bamounted to\b", "was"), (r"\bif you want to\b", "to"), (r"\ballows you to\b",
    "lets you"), (r"\bdeletes?\b", "removes"),
]  # fmt: skip
_SAY_ZH = [
    ("应当", "必须"), ("不得", "不可以"), ("根据", "按照"), ("进行", "开展"), ("购买", "采购"), ("显示",
    "展示"), ("选择", "选取"), ("使用", "采用"), ("以及", "和"),
    ("公司", "该企业"), ("规定", "要求"), ("为了", "为"), ("如果", "若"), ("因此", "所以"), ("达到",
    "为"), ("删除", "移除"), ("包括", "包含"), ("可以", "能够"),
    ("及时", "尽快"), ("施行", "实施"), ("由", "是由"), ("承担", "负担"), ("负责", "主管"), ("规格",
    "参数"), ("自动", "自行"),
]  # fmt: skip


def _substituted(
    text: str, rules: Sequence[tuple[str, str]], chance: random.Random, *, most: int = 1
) -> str | None:
    order = list(rules)
    chance.shuffle(order)
    made = text
    for pattern, new in order:
        changed = re.sub(pattern, new, made, count=1)
        if changed != made:
            made, most = changed, most - 1
            if not most:
                break
    return made if made != text else None


def _plain(one: Quantity) -> bool:
    return (
        one.when is None
        and not one.ranged
        and one.unit not in ("ordinal", "clock")
        and any(c.isdigit() for c in one.text)
    )


def number(text: str, others: Sequence[str], chance: random.Random) -> str | None:
    """One figure replaced by another: of the neighbourhood where there is one, else by a near value."""
    found = [one for one in quantities(text) if _plain(one)]
    if not found:
        return None
    one = chance.choice(found)
    digits = re.search(r"\d[\d,]*(?:\.\d+)?", one.text)
    if digits is None:
        return None
    value = float(digits[0].replace(",", ""))
    near = [
        q
        for o in others
        for q in quantities(o)
        if _plain(q) and q.unit == one.unit and abs(q.value - one.value) > 0.15 * abs(one.value)
    ]
    if near and chance.random() < 0.5:
        return text[: one.span.start] + chance.choice(near).text + text[one.span.end :]
    new = value * chance.choice((1.2, 1.5, 2, 3, 0.5, 0.7, 10)) + (chance.randint(1, 3) if value < 20 else 0)
    decimals = len(digits[0].partition(".")[2])
    shown = f"{new:,.{decimals}f}" if "," in digits[0] else f"{new:.{decimals}f}"
    if shown == digits[0]:
        return None
    at = one.span.start + digits.start()
    return text[:at] + shown + text[at + len(digits[0]) :]


def unit(text: str, others: Sequence[str], chance: random.Random) -> str | None:
    """The unit of one figure replaced by another."""
    for one in chance.sample(found := [q for q in quantities(text) if _plain(q)], len(found)):
        for old, new in _UNITS:
            if one.text.endswith(old) or one.text.startswith(old):
                changed = one.text.replace(old, new)
                made = quantities(changed)
                if made and (made[0].unit, made[0].value) != (one.unit, one.value):
                    return text[: one.span.start] + changed + text[one.span.end :]
    return None


def year(text: str, others: Sequence[str], chance: random.Random) -> str | None:
    """A year or day moved."""
    found = [one for one in quantities(text) if one.when and one.when.year and re.search(r"\d{4}", one.text)]
    if not found:
        return None
    one = chance.choice(found)
    shifted = re.sub(
        r"\d{4}", lambda m: str(int(m[0]) + chance.choice((-3, -2, -1, 1, 2))), one.text, count=1
    )
    return text[: one.span.start] + shifted + text[one.span.end :]


def proper_names(text: str) -> list[str]:
    """Return names that stand in a text, capital first words left out."""
    if is_han(text):
        return [m.group() for p in (PERSON, BODY) for m in p.finditer(text)] + re.findall(
            r"[“《]([^”》]{2,14})[”》]", text
        )
    return [
        n
        for n in names(text)
        if not text.lstrip("-*• ").startswith(n) and n[:1].isupper() and len(n) > 2 and not quantities(n)
    ]


def name(text: str, others: Sequence[str], chance: random.Random) -> str | None:
    """A name replaced by one of another passage."""
    mine = proper_names(text)
    theirs = [
        n
        for o in others
        for n in proper_names(o)
        if n not in text and not any(n in m or m in n for m in mine)
    ]
    if not mine or not theirs:
        return None
    old = chance.choice(mine)
    alike = (
        [n for n in theirs if abs(len(n) - len(old)) <= 2 and n[-1:] == old[-1:]] if is_han(text) else theirs
    )
    return text.replace(old, chance.choice(alike)) if alike else None


def negation(text: str, others: Sequence[str], chance: random.Random) -> str | None:
    """Denied where it states, or stated where it denies."""
    rules = _DENY_ZH if is_han(text) else _DENY_EN
    return _substituted(text, rules, chance)


def scope(text: str, others: Sequence[str], chance: random.Random) -> str | None:
    """Some to all, at least to at most, may to always, plain to only."""
    return _substituted(text, _WIDE_ZH if is_han(text) else _WIDE_EN, chance)


def wrong_source(text: str, others: Sequence[str], chance: random.Random) -> str | None:
    """A sentence of another passage."""
    fit = [one for one in others if is_han(one) == is_han(text) and one != text]
    return chance.choice(fit) if fit else None


def half_true(text: str, others: Sequence[str], chance: random.Random) -> str | None:
    """The first part of the sentence, the last part of another's."""
    other = wrong_source(text, others, chance)
    border = r"[，；]" if is_han(text) else r",\s|\sand\s|;\s|\swhich\s|\sfor\s"
    mine, theirs = list(re.finditer(border, text)), list(re.finditer(border, other or ""))
    if not mine or not theirs or other is None:
        return None
    tail = other[theirs[-1].start() :]
    return text[: mine[-1].start()] + tail if len(tail) >= 6 and tail.strip("，,。.") not in text else None


def reworded(text: str, others: Sequence[str], chance: random.Random) -> str | None:
    """The same in other words; true."""
    return _substituted(text, _SAY_ZH if is_han(text) else _SAY_EN, chance, most=2)


def shortened(text: str, others: Sequence[str], chance: random.Random) -> str | None:
    """A clause that says something by itself; true."""
    clauses = [
        c.strip()
        for c in re.split(
            r"[；;。]|，(?=[^，]{8,}$)" if is_han(text) else r";|, (?=[a-z]+ [a-z]+ [a-z]+)", text
        )
    ]
    fit = [c for c in clauses if len(c) >= (10 if is_han(text) else 35) and c != text.strip()]
    return fit[0] if fit else None


FALSE: dict[str, Callable[[str, Sequence[str], random.Random], str | None]] = {
    "number": number, "unit": unit, "year": year, "name": name, "negation": negation, "scope": scope,
    "wrong source": wrong_source, "half-true": half_true,
}  # fmt: skip
TRUE = {"reworded": reworded, "shortened": shortened}
