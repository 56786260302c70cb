"""What is measured, under its many names in both languages, and of which of several like things.

Arrives: text. Leaves: concepts (``revenue`` for turnover and 营收) and heads with their modifiers
(``client``: corporate, 个人). Two figures of different concepts, or of one head with different modifiers, measure
different things.
"""

from __future__ import annotations

import re
from functools import lru_cache

from appliance.evidence.topics import fold

_CONCEPTS = {
    "revenue": r"revenues?|turnover|net sales|sales revenue|营业收入|营收|收入总额|销售收入|销售额",
    "operating profit": r"operating (?:profit|income|result)|profit from operations|营业利润|经营利润",
    "net profit": r"net (?:profit|income)|profit (?:for the (?:year|period)|after tax)|净利润|年度利润|税后利润",
    "gross margin": r"gross (?:profit )?margin|毛利率",
    "research": r"r&d|research(?: and development)? (?:spending|expense|expenditure|cost|budget)s?|研发(?:费用|投入|支出)",
    "cash": r"cash (?:balance|holdings|position)|held (?:[\w.]+ )*in cash|现金余额|货币资金",
    "debt": r"\bdebt\b|borrowings|liabilities|负债|借款",
    "receivables": r"receivables|应收",
    "headcount": r"headcount|employees|workforce|staff (?:numbers?|members)|payroll of|员工|职工|雇员|在职人数",
    "enrolment": r"enroll?(?:ed|ment)|recruited|randomi[sz]ed|participants|subjects|入组|受试者|纳入研究|纳入\w*名",
    "capacity": r"\bcapacity\b|can produce|产能|生产能力",
    "shipments": r"shipments?|shipped|delivered \d|出货|发货|交付量",
    "output": r"\boutput\b|produced|production of|产量",
    "warranty": r"warranty|guarantee|保修|质保",
    "retention": r"retention|retained for|kept for|are kept|保存期|留存|保留期|保存\d",
    "delivery": r"delivery time|time to deliver|lead time|交货|交付周期|送达",
    "hotel": r"hotel|lodging|accommodation|住宿|酒店",
    "meal": r"\bmeals?\b|per diem|伙食|餐费",
    "fee": r"\bfees?\b|\bcharges?\b|费用标准|许可费|授权费|手续费|服务费",
    "price": r"\bprice[ds]?\b|sells? for|costs? \S+ per|retail|售价|标价|定价|价格|零售价",
    "failure": r"failure rate|units that failed|defect rate|故障率|失效|次品率|不良率",
    "share": r"market share|share of the market|市场份额|市场占有率|市占率",
    "vacancy": r"vacancy|space that is empty|空置",
    "battery": r"battery life|on one charge|runtime|running time|续航|充电使用",
    "warm-up": r"warm[- ]?up|预热",
    "emissions": r"emissions?|co2|碳排放|二氧化碳",
    "area": r"floor (?:area|space)|surface area|建筑面积|占地|总面积",
    "dose": r"\bdos(?:e|es|age)\b|剂量|用量",
    "temperature": r"temperature|温度",
    "deaths": r"death toll|\bkilled\b|\bdied\b|\bdeaths?\b|fatalities|lost their lives|死亡|遇难|丧生",
    "injured": r"\binjured\b|\bwounded\b|injuries|受伤|伤者",
    "species": r"\bspecies\b|物种",
    "users": r"active users|\bmaus?\b|users active|subscribers|月活|活跃用户|订阅用户",
    "population": r"\bpopulation\b|residents|inhabitants|常住人口|居民人数|人口",
    "budget": r"\bbudget\b|funding|grant|经费|预算|资助",
    "cost": r"\bcosts?\b|造价|成本|花费|耗资",
    "dividend": r"dividends?|股利|分红|派息",
    "accuracy": r"accuracy|mard|relative difference|准确率|精度|相对误差",
    "activity": r"\bactivity\b|活性",
    "sensitivity": r"sensitivity|灵敏度",
    "unemployment": r"unemployment|jobless|失业",
    "inflation": r"inflation|consumer prices|\bcpi\b|通胀|消费价格",
    "growth": r"gdp growth|economic growth|经济增长|增速",
    "wage": r"\bwages?\b|salar(?:y|ies)|earnings of|hourly|pay of|工资|薪酬|薪资|收入中位",
    "length": r"\blength\b|\blong\b|stretches|长度|全长",
    "height": r"\bheight\b|\btall\b|elevation|高度|海拔|身高",
    "weight": r"\bweigh(?:s|t)\b|重量|体重",
    "wear": r"\bwear(?: time)?\b|worn|佩戴",
    "deadline": r"within \d+ (?:working |business )?days|deadline|期限|之内提交|内提交|日内",
    "visitors": r"visitors|visits|attendance|attended|参观人次|游客|观众|到场",
    "interest": r"interest rate|coupon|利率|票面",
    "age limit": r"aged?\b|years old|minimum age|年龄|周岁",
}  # fmt: skip
_PATTERNS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _CONCEPTS.items()}
_HEADS_ZH = (
    "工厂|大桥|航空|铁路|公路|隧道|水库|博物馆|图书馆|公园|车站|码头|机场|食品|茶业|矿|湖|线|桥|公司|集团|银行|医院|大学|学院|项目|产线|业务|地区|部门|分部|板块|型号|机型|产品|客户|患者|员工|用户|"
    "学生|省|市|县|门店|基地|试验|合同|基金|传感器|系统|软件|平台|车型|线路|航线|期刊|分行|仓库|校区|病房|科室|组|类"
)
_HEADS_EN = (
    "division|segment|plant|factory|region|customers|clients|patients|model|edition|group|arm|business|products|line|"
    "branch|site|hospital|university|college|project|campus|ward|trial|study|contract|fund|store|warehouse|route|"
    "sensor|sensors|system|app|platform|series|county|province|district|unit|team|staff|workers|students|class|grade|"
    "bridge|tunnel|station|ship|vessel|reactor|mine|island|park|library|museum|school"
)
_HEAD_ZH = re.compile(rf"([一-鿿]{{2,6}}?)(?:的)?({_HEADS_ZH})")
_HEAD_EN = re.compile(rf"([a-z0-9][a-z0-9'&-]*) ({_HEADS_EN})\b")
_NO_MODIFIER = frozenset(
    """the a an this that these those its their our his her each every all any some other another same
    new entire
    whole both three two one several many most for of in at on per and or with by such no whose which
    our""".split()
)
_NO_MODIFIER_ZH = re.compile(
    r"[该本各此这那每某全一二三四五六七八九十两几家个名所座条批]$|^(?:全部|所有|其他|整个|上述)"
)


@lru_cache(maxsize=1 << 14)
def concepts_of(text: str) -> frozenset[str]:
    """What the text measures; several where it names several."""
    folded = fold(text)
    return frozenset(name for name, pattern in _PATTERNS.items() if pattern.search(folded))


@lru_cache(maxsize=1 << 14)
def heads_of(text: str) -> dict[str, frozenset[str]]:
    """Head → its modifiers: ``{"plant": {"norham"}}``; do not change what is returned."""
    folded = fold(text)
    found: dict[str, set[str]] = {}
    for modifier, head in _HEAD_EN.findall(folded):
        if modifier not in _NO_MODIFIER:
            found.setdefault(head.removesuffix("s"), set()).add(modifier)
    for match in _HEAD_ZH.finditer(folded):
        modifier = re.split("[的在为是和与于]", match.group(1))[-1]
        if len(modifier) >= 2 and not _NO_MODIFIER_ZH.search(modifier):
            found.setdefault(match.group(2), set()).add(modifier[-2:])
    return {head: frozenset(modifiers) for head, modifiers in found.items()}


def heads_clash(one: str, other: str) -> int:
    """How many heads both texts have with modifiers that are none of the other's."""
    mine, theirs = heads_of(one), heads_of(other)
    texts = fold(one), fold(other)
    return sum(
        not mine[head] & theirs[head]
        and not any(each in texts[1] for each in mine[head])
        and not any(each in texts[0] for each in theirs[head])
        for head in mine.keys() & theirs.keys()
    )
