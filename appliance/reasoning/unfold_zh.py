"""Nested descriptions in Chinese, from the left: 「X的供应商，其股东是谁」 is two look-ups.

Arrives: a question without its question mark. Leaves: the look-ups in order, or nothing.
"""

from __future__ import annotations

import re

LOOKUPS_MAX = 5
PEOPLE = (
    "发明人|负责人|主持人|创始人|创办人|作者|研制者|首席研究员|董事长|总经理|"
    "校长|院长|主任|所长|队长|导演|编剧|主编|得主|获奖者|父亲|母亲|妻子|丈夫|配偶|儿子|女儿|哥哥|"
    "姐姐|弟弟|妹妹|"
    "老师|学生|主演|男主角|女主角|演唱者|原唱|歌手|主唱|作曲者|作曲|作词者|作词|画家|译者|设计者|"
    "建造者|提出者|发现者|校长|市长|省长|总统|"
    "总理|国王|皇帝|主教练|教练|队员|岳父|岳母|祖父|外祖父|女婿|继任者|前任"
)
FIRMS = (
    "供应商|制造商|生产商|厂商|厂家|客户|权利人|专利权人|股东|母公司|子公司|"
    "承担单位|开发商|承包商|运营商|经销商|出版社|发行方|投资方|资助方|委托方"
)
THINGS = (
    "公司|企业|集团|机构|大学|学校|学院|医院|研究所|研究院|实验室|项目|课题|"
    "计划|专利|产品|设备|装置|软件|系统|型号|标准|合同|协议|材料|零件|电极|"
    "传感器|电池|国家|城市|省份|电影|小说|论文|书"
)
PLACES = (
    "首都|省会|首府|出生地|故乡|家乡|籍贯|母校|总部所在地|总部|所在城市|"
    "所在省份|所在省|所在国家|所在国|国籍|所属国家|所属公司|所属球队|发源地|主办城市"
)
_NOUN = rf"(?:{PEOPLE}|{FIRMS}|{THINGS})"
_FOLLOWS = (
    r"(?=的|，|,|是由|由谁|规定|向|为谁|在哪|位于|成立|毕业|当年|总部|于\d|出生|去世|逝世|是在|"
    r"是哪[一]?[年国]|何时|什么时候|"
    r"导演了|执导了|写了|创办了|曾|获得|担任|来自|属于|有多少|叫什么)"
)
_ROLE = re.compile(rf"^(?P<all>.{{2,60}}?(?P<noun>{PEOPLE}|{FIRMS}|(?<=的)(?:{PLACES}))){_FOLLOWS}")
_DID = re.compile(
    r"^(?P<all>(?:演唱|执导|导演|主演|创作|创办|创立|撰写|编写|写|发明|发现|设计|建造|拍摄|出版|发行|"
    r"制造|生产|收购|赢得|获得|提出|翻译|击败|"
    rf"举办|主办|开发|研制|资助|供应)(?:了|过)?.{{1,40}}?的(?P<noun>[^，的]{{0,4}}?(?:人|{PEOPLE}|"
    rf"{FIRMS}|{THINGS}))){_FOLLOWS}"
)
_OWN = re.compile(
    rf"^(?P<all>.{{2,40}}?(?:毕业|就读|任教|工作|出生|去世|逝世|所在|所属|位于|效力|加入|创办|创立|"
    rf"执导|出演|主演|演唱|拍摄)的"
    rf"(?P<noun>{THINGS}|球队|俱乐部|地方|省|市|县|乐队|专辑|歌曲|岛|河流)){_FOLLOWS}"
)
_RELATIVE = re.compile(rf"^(?P<all>.{{2,60}}?的(?:那[家个位款项部])?(?P<noun>[^，的]{{0,4}}?{_NOUN}))(?=，)")
_THAT = re.compile(rf"^(?P<all>.{{2,60}}?的)那(?P<measure>[家个位款项部])(?P<noun>{_NOUN})")
_USED = re.compile(rf"^(?P<owner>.{{2,40}}?)所(?P<verb>用|属|使用|采用|含|获)的?(?P<noun>{THINGS})(?=的)")
_INTRODUCED = re.compile(
    rf"^(?P<before>.{{2,60}}?)一(?P<measure>[家个位款项部种])(?P<noun>[^，]{{0,6}}?{_NOUN})，"
    r"(?:该|这[家个位款项部种]?|那[家个位款项部种])"
)
_COMPARES = re.compile(
    r"相比|比较|对比|相差|差异|差额|之差|差多少|多多少|少多少|合计|之和|增长|增加|下降|减少|上升|"
    r"百分之|比例是|占|除以|更|较|都(?!柏林|灵|市)(?<!首都)(?<!成都)|分别"
)
_ASKS = re.compile(r"哪|谁|什么|多少|几|如何|怎|是否|吗")
_PREFACED = re.compile(r"^(?:根据|按照|依据|关于|对于)")
_MEASURES = (
    ("公司|企业|集团|机构|大学|学校|学院|医院|研究所|研究院", "哪家"),
    ("专利|标准|协议|合同", "哪项"),
    ("电影|小说|书", "哪部"),
)


def unfold_chinese(text: str) -> list[str]:
    """Return the look-ups of a nested question, ``{1}`` for the result of the first."""
    if _PREFACED.match(text) or (_COMPARES.search(text) and "持股比例" not in text):
        return []
    year = re.search(r"(?:19|20)\d\d年", text)
    lookups: list[str] = []
    while len(lookups) < LOOKUPS_MAX - 1:
        step = _first(text, len(lookups) + 1)
        if step is None:
            break
        lookup, text = step
        lookups.append(lookup)
    if year:
        text = text.replace("当年", year.group())
    return [*lookups, f"{text}？"] if lookups else []


def _first(text: str, number: int) -> tuple[str, str] | None:
    """The first description as a question, and the text with ``{number}`` in its place."""
    if match := _INTRODUCED.match(text):
        asked = f"{match['before']}哪{match['measure']}{match['noun']}？"
        return asked, _rest(text[match.end() :], number, match["noun"])
    if match := _USED.match(text):
        asked = f"{match['owner']}所{match['verb']}的{match['noun']}{_which(match['noun'])}？"
        return asked, _rest(text[match.end() :], number)
    if match := _THAT.match(text):
        asked = f"{match['all']}是哪{match['measure']}{match['noun']}？"
        return asked, _rest(text[match.end() :], number)
    found = [match for pattern in (_DID, _OWN, _ROLE, _RELATIVE) if (match := pattern.match(text))]
    if not found:
        return None
    match = min(found, key=lambda match: match.end())
    if _ASKS.search(match["all"]):
        return None
    if re.fullmatch(r"的?(?:名称|名字)?(?:是|叫)?(?:谁|什么|哪.{1,3})?", text[match.end() :]):
        return None  # what is asked, not a step towards it
    return f"{match['all']}{_which(match['noun'])}？", _rest(text[match.end() :], number)


def _which(noun: str) -> str:
    if re.search(rf"(?:{PEOPLE}|{FIRMS}|人)$", noun):
        return "是谁"
    if re.search(rf"(?:{PLACES}|地方)$", noun):
        return "是哪里" if re.search(r"[都会府地乡方部]$", noun) else "是哪个"
    return next((f"是{word}" for ending, word in _MEASURES if re.search(rf"(?:{ending})$", noun)), "是哪个")


def _rest(after: str, number: int, noun: str = "") -> str:
    """What is left to ask: ``，其X`` and ``该项目的X`` speak of the result."""
    after = re.sub(r"^，(?:其|该[^，的]{0,4}(?=的))", "的", after)
    if noun:
        after = after.removeprefix(noun).removeprefix(noun[-2:])
    return f"{{{number}}}{after.removeprefix('，')}" if after[:1] != "的" else f"{{{number}}}{after}"
