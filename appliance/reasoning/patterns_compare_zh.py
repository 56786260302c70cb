"""Comparisons in Chinese: 「甲和乙谁更年长」 is one look-up for each side.

Arrives: a question. Leaves: a :class:`Shape`, or nothing.
"""

from __future__ import annotations

import re

from appliance.domain import Join, Pattern
from appliance.reasoning.shapes import Shape, joined

_AND = r"(?:和|与|跟|及|还是|、)"
_SIDES = (
    rf"^(?:请问)?(?:在)?(?P<a>[^，。？]+?){_AND}(?P<b>[^，。？]+?)(?:之间|这?两(?:人|者|家公司|部电影|部|个|家|位))?(?:，|中|相比，?|"
    rf"比较?，?|当中|里)?"
)
_WHICH = r"(?P<which>谁|哪一?[个家部位座条款种本首支所国])(?P<noun>[^，的更较最先后出成建上发]{0,4}?)"
_BORN, _DIED = "{}出生于什么时候？", "{}什么时候去世？"
_EVENTS = {
    "出生": _BORN,
    "去世": _DIED,
    "逝世": _DIED,
    "成立": "{}什么时候成立？",
    "创立": "{}什么时候创立？",
    "创办": "{}什么时候创办？",
    "建立": "{}什么时候建立？",
    "建成": "{}什么时候建成？",
    "上映": "{}什么时候上映？",
    "发行": "{}什么时候发行？",
    "出版": "{}什么时候出版？",
    "发布": "{}什么时候发布？",
    "上市": "{}什么时候上市？",
    "生效": "{}什么时候生效？",
    "施行": "{}什么时候施行？",
}
_EVENT = "|".join(_EVENTS)
_DEGREES = {
    "大": ("大小", Join.LARGER),
    "小": ("大小", Join.SMALLER),
    "高": ("高度", Join.LARGER),
    "低": ("高度", Join.SMALLER),
    "长": ("长度", Join.LARGER),
    "短": ("长度", Join.SMALLER),
    "多": ("数量", Join.LARGER),
    "少": ("数量", Join.SMALLER),
    "重": ("重量", Join.LARGER),
    "轻": ("重量", Join.SMALLER),
    "贵": ("价格", Join.LARGER),
    "便宜": ("价格", Join.SMALLER),
    "快": ("速度", Join.LARGER),
    "慢": ("速度", Join.SMALLER),
    "深": ("深度", Join.LARGER),
    "宽": ("宽度", Join.LARGER),
}
_DEGREE = "|".join(_DEGREES)
_WHEN = re.compile(
    rf"{_SIDES}(?:的)?{_WHICH}(?:的(?P<role>导演|作者|创始人|主演|歌手|演唱者))?(?:是)?"
    rf"(?:更|较|最|比较)?(?:(?P<early>早|先)|(?P<late>晚|后|迟))?(?P<event>{_EVENT})"
    rf"(?:时间|日期|年份|得)?(?:更|较|最|比较)?(?:(?P<early2>早|先)|(?P<late2>晚|后|迟))?(?:一些|些|一点)?(?:的|呢)?$"
)
_AGED = re.compile(
    rf"{_SIDES}(?:的)?{_WHICH}(?:的(?P<role>导演|作者|创始人|主演|歌手|演唱者))?(?:的)?(?:年龄|年纪|岁数)?(?:更|较|最|比较)?"
    rf"(?P<how>年长|年轻|老|大|小)(?:一些|些)?(?:呢)?$"
)
_LIVED = re.compile(rf"{_SIDES}{_WHICH}(?:的)?(?:寿命|活得|活的)(?:更|较|最)?(?P<how>长|久|短)(?:呢)?$")
_SIZED = re.compile(
    rf"{_SIDES}(?:的)?(?:{_WHICH})(?:的)?(?P<of>[^，。？更较最]{{0,12}}?)(?:更|较|最|比较)(?P<how>{_DEGREE})(?:一些|些|一点)?"
    rf"(?:呢)?$"
)
_SIZED_OF = re.compile(
    rf"{_SIDES}的(?P<of>[^，。？更较最哪谁]{{1,12}}?)，?(?:谁|哪[个家部位座条款种本])的?(?:更|较|最|比较)?(?P<how>{_DEGREE})(?:一些|些)?"
    rf"(?:呢)?$"
)
_KIND_NAMED = re.compile(
    r"^(?:公司|企业|机构|银行|医院|学校|大学|产品|部门|地区|项目|省份|城市|国家)(?=(?:19|20)\d\d|的)的?"
)
"""What the sides are, before what is asked of them: 哪家公司2023年末的员工."""
_PEOPLE = re.compile(r"(?:员工|职工|雇员|学生|教师|医生|护士|患者|股东|会员|人员)$")
_SAME = re.compile(
    rf"{_SIDES}(?:的(?P<of>[^，。？]{{2,8}}?)(?:是否|是不是|是)?(?:相同|一样|一致)|"
    r"(?:是否|是不是|都?是)?(?:来自|属于|位于|在|出生(?:在|于)|由|毕业于)?(?:同一|相同的?)(?P<measure>[个位家所座支部名])?(?P<what>[^，。？吗的]{1,"
    r"6}))(?:的|人|[^，。？吗]{0,4})?(?:吗|么)?$"
)
_SAME_ASKS = {
    "国家": "{}来自哪个国家？",
    "国籍": "{}的国籍是什么？",
    "作者": "{}的作者是谁？",
    "人": "{}的作者是谁？",
    "导演": "{}的导演是谁？",
    "出生地": "{}的出生地是哪里？",
    "地方": "{}出生在哪里？",
    "省": "{}在哪个省？",
    "省份": "{}在哪个省份？",
    "城市": "{}在哪个城市？",
    "大学": "{}毕业于哪所大学？",
    "公司": "{}属于哪家公司？",
    "朝代": "{}是哪个朝代的？",
}
_BOTH = re.compile(
    rf"{_SIDES}(?:是否|是不是)?(?:都|均)(?P<what>(?:是|有|在|属于|位于|获得过?|来自|毕业于)[^，。？]+?)(?:吗|么)?$"
)


def compared_chinese(question: str) -> Shape | None:
    """The look-ups of a comparison in Chinese; None where it is none that code can put together."""
    text = "".join(question.split()).rstrip("?？。 ").replace(",", "，")
    for reader in (_by_when, _by_age, _by_life, _by_same, _by_both, _by_size):
        if shape := reader(text):
            return shape
    return None


def _sides(match: re.Match[str]) -> tuple[str, str]:
    return match["a"].strip("，"), match["b"].strip("，")


def _pair(asks: str, sides: tuple[str, str], join: Join) -> Shape:
    return joined(Pattern.COMPARISON, [asks.format(side) for side in sides], join, sides)


def _through(role: str, asks: str, sides: tuple[str, str], join: Join) -> Shape:
    """``哪部电影的导演…``: who the directors are comes first."""
    lookups = [f"{side}的{role}是谁？" for side in sides] + [asks.format("{1}"), asks.format("{2}")]
    return joined(Pattern.COMPARISON, lookups, join, sides, of=(3, 4))


def _by_when(text: str) -> Shape | None:
    match = _WHEN.match(text)
    if match is None:
        return None
    early, late = match["early"] or match["early2"], match["late"] or match["late2"]
    if not (early or late):
        return None
    join, asks = (Join.EARLIER if early else Join.LATER), _EVENTS[match["event"]]
    if match["role"]:
        return _through(match["role"], asks, _sides(match), join)
    return _pair(asks, _sides(match), join)


def _by_age(text: str) -> Shape | None:
    match = _AGED.match(text)
    if match is None or not (
        match["which"] in ("谁", "哪位", "哪一位") or match["role"] or "年" in match["how"]
    ):
        return None
    join = Join.LATER if match["how"] in ("年轻", "小") else Join.EARLIER
    if match["role"]:
        return _through(match["role"], _BORN, _sides(match), join)
    return _pair(_BORN, _sides(match), join)


def _by_life(text: str) -> Shape | None:
    match = _LIVED.match(text)
    if match is None:
        return None
    sides = _sides(match)
    lookups = [asks.format(side) for side in sides for asks in (_BORN, _DIED)]
    return joined(Pattern.COMPARISON, lookups, Join.SHORTER if match["how"] == "短" else Join.LONGER, sides)


def _by_size(text: str) -> Shape | None:
    match = _SIZED_OF.match(text) or _SIZED.match(text)
    if match is None:
        return None
    usual, join = _DEGREES[match["how"]]
    of = _KIND_NAMED.sub("", match["of"].strip("的，"))
    if of in ("", "人", "河", "山", "湖", "楼", "桥", "车", "城市", "国家", "公司", "大"):
        of = usual
    a, b = _sides(match)
    if (later := re.search(r"((?:19|20)\d\d年度?)$", b)) and not re.search(r"\d\d年", a):
        a = f"{a}{later.group()}"
    year = re.match(r"^((?:19|20)\d\d年度?)", a)
    if year and not re.match(r"^(?:19|20)\d\d年", b):
        b = f"{year.group()}{b}"
    asks = "有多少人" if _PEOPLE.search(of) and match["how"] in "多少" else "是多少"
    dated = bool(re.match(r"(?:19|20)\d\d", of))
    said = [f"{side} " if dated and side[-1:].isascii() else side for side in (a, b)]
    lookups = [f"{side}{'' if dated else '的'}{of}{asks}？" for side in said]
    return joined(Pattern.COMPARISON, lookups, join, (a, b))


def _by_same(text: str) -> Shape | None:
    match = _SAME.match(text)
    if match is None:
        return None
    what = (match["of"] or match["what"]).strip()
    return _pair(_SAME_ASKS.get(what, f"{{}}的{what}是什么？"), _sides(match), Join.SAME)


def _by_both(text: str) -> Shape | None:
    match = _BOTH.match(text)
    return _pair(f"{{}}{match['what']}吗？", _sides(match), Join.BOTH) if match else None
