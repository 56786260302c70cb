"""Words that narrow a statement, and words that only say who states it, in both languages.

Two figures of one metric that are narrowed differently do not contradict each other.
"""

from __future__ import annotations

import re


def _axis(**values: str) -> dict[str, re.Pattern[str]]:
    return {value: re.compile(pattern) for value, pattern in values.items()}


QUALIFIERS: dict[str, dict[str, re.Pattern[str]]] = {
    "modality": _axis(
        planned=r"\b(?:planned|(?<!over )(?<!within )(?<!under )budget(?:ed)?|forecasts?|forecasted|targets?|targeted|project(?:ed|ions?)|guidance|"
        r"proposed|intended|originally approved|approved (?:budget|cost|spend\w*)|expects? to|was approved|"
        r"outlook|estimated to (?:reach|cost))\b|(?<!按)(?<!照)计划|(?<!超)预算|目标|预计|预测|拟|指引|概算|批复|规划|申请经费",
        actual=r"\b(?:actual(?:ly)?|spent|realised|realized|recorded|outturn|final cost|came to|turned out)\b|"
        r"实际|决算|实现|最终|已支出|支出了",
    ),
    "statistic": _axis(
        mean=r"\b(?:average|mean|averaged)\b|平均|均值",
        median=r"\bmedian\b|中位",
        maximum=r"\b(?:maximum|peak(?:ed)?|record high|highest|up to|at most|no more than)\b|最高|最大|峰值|至多|不超过|上限",
        minimum=r"\b(?:minimum|lowest|at least|no less than)\b|最低|最小|至少|不低于|不少于|下限",
        total=r"\b(?:cumulative|in total|combined|altogether)\b|累计|合计|总计",
    ),
    "tax": _axis(
        without=r"\b(?:excluding|excl\.?|before|net of|exclusive of|without) (?:of )?(?:vat|tax|taxes|gst|fees|tips)\b|"
        r"\b(?:pre-tax|before tax)\b|不含税|税前|未税",
        including=r"\b(?:including|incl\.?|after|inclusive of|with) (?:vat|tax|taxes|gst|fees|tips)\b|\bafter-tax\b|"
        r"(?<!不)含税|税后",
    ),
    "basis": _axis(
        gross=r"\bgross\b|毛(?:利|额|重)|总额",
        net=r"\bnet\b|净(?:利|额|重|值)",
        operating=r"\boperating\b|营业利润|经营",
    ),
    "adjustment": _axis(
        adjusted=r"\b(?:adjusted|underlying|non-gaap|excluding exceptional|before exceptional|ex-items)\b|扣非|"
        r"扣除非经常|调整后",
        reported=r"\b(?:as reported|statutory|(?<!non-)gaap|including exceptional)\b|法定|归母",
    ),
    "age": _axis(
        adults=r"\b(?:adults?|aged 18)\b|成人|成年",
        children=r"\b(?:child(?:ren)?|p(?:a)?ediatric|infants?|adolescents?|teen\w*|minors?)\b|儿童|婴|青少年|未成年|小儿",
        elderly=r"\b(?:elderly|older (?:adults|people|patients)|seniors?|65\+|over 65)\b|老年|老人",
    ),
    "sex": _axis(
        female=r"\b(?:women|female|woman|girls?)\b|女性|妇女|女",
        male=r"\b(?:men|male|man|boys?)\b|男性|男",
    ),
    "staff": _axis(
        full_time=r"\bfull[- ]time\b|全职|正式员工",
        part_time=r"\bpart[- ]time\b|兼职",
        contract=r"\b(?:contractors?|agency staff|temporary)\b|外包|劳务派遣|合同工|临时",
    ),
    "care": _axis(
        inpatient=r"\binpatients?\b|住院",
        outpatient=r"\boutpatients?\b|门诊",
    ),
    "market": _axis(
        home=r"\b(?:domestic|at home|in the home market)\b|国内|境内|内销|本地",
        abroad=r"\b(?:overseas|foreign|export|international|abroad)\b|国外|海外|境外|出口|外销",
    ),
    "place": _axis(
        inside=r"\b(?:in capital cities|in capitals|inside the city|urban|indoors?|onshore)\b|城市|市区|室内|省会|一线城市",
        outside=r"\b(?:elsewhere|outside capital|outside the city|rural|outdoors?|offshore|other cities)\b|"
        r"农村|郊区|室外|其他城市|其他地区",
    ),
    "span": _axis(
        quarter=r"\b(?:quarter(?:ly)?|q[1-4]|three months)\b|季度|一季|二季|三季|四季",
        half=r"\b(?:half[- ]year(?:ly)?|first half|second half|h[12]|six months)\b|半年",
        year=r"\b(?:annual(?:ly)?|full[- ]year|per year|a year|yearly|twelve months|per annum)\b|全年|年度|每年|年产",
        month=r"\b(?:monthly|per month|a month)\b|每月|月度|月产|当月",
        week=r"\b(?:weekly|per week|a week)\b|每周",
        day=r"\b(?:daily|per day|a day|per night)\b|每天|每日|日产|日均|每晚",
    ),
    "side": _axis(
        opening=r"\b(?:beginning of the (?:year|period)|opening balance|at the start of|1 january)\b|年初|期初",
        closing=r"\b(?:end of the (?:year|period)|closing balance|at the end of|31 december|year[- ]end)\b|年末|期末|年底",
    ),
    "arm": _axis(
        treated=r"\b(?:treatment (?:group|arm)|intervention group|treated patients)\b|治疗组|试验组|干预组",
        control=r"\b(?:control (?:group|arm)|placebo(?: group| arm)?)\b|对照组|安慰剂",
    ),
    "state": _axis(
        standard=r"\b(?:standard mode|normal mode|in normal use)\b|标准模式|正常模式|普通模式",
        economy=r"\b(?:eco(?:nomy)? mode|power[- ]saving mode|low[- ]power mode|standby)\b|省电模式|节能模式|待机",
        fast=r"\b(?:boost mode|turbo mode|high[- ]performance mode|fast mode)\b|高性能模式|快速模式",
        idle=r"\b(?:at rest|when idle|empty)\b|静息|空载",
        loaded=r"\b(?:under load|at full load|loaded)\b|满载|负载",
    ),
    "scope": _axis(
        group=r"\b(?:consolidated|the group)\b|合并|集团",
        parent=r"\b(?:parent company|company only|standalone)\b|母公司|本部",
    ),
    "trade": _axis(
        retail=r"\bretail (?:division|business|customers|sales|segment|banking)\b|零售(?!价)",
        wholesale=r"\bwholesale\b|批发",
    ),
    "client": _axis(
        corporate=r"\b(?:corporate|business|institutional) (?:clients?|customers?)\b|企业客户|机构客户|对公",
        private=r"\b(?:private|individual|personal|retail) (?:clients?|customers?)\b|个人客户|零售客户|对私",
    ),
    "load": _axis(passenger=r"\bpassenger\b|客运|乘客", freight=r"\bfreight\b|\bcargo\b|货运|货物"),
    "compass": _axis(
        north=r"\bnorth(?:ern)?\b|北方|北部|华北",
        south=r"\bsouth(?:ern)?\b|南方|南部|华南",
        east=r"\beast(?:ern)?\b|东部|东方|华东",
        west=r"\bwest(?:ern)?\b|西部|西方|西北|西南",
    ),
    "size": _axis(
        standard=r"\bstandard (?:model|version|edition|size)\b|标准(?:型|版|款)",
        small=r"\b(?:compact|mini|lite|small) (?:model|version|edition|size)\b|紧凑型|迷你|轻便|小型",
        large=r"\b(?:pro|plus|large|premium|deluxe) (?:model|version|edition|size)\b|专业版|旗舰|豪华|大型",
    ),
    "material": _axis(
        steel=r"\bsteel\b|钢",
        copper=r"\bcopper\b|铜",
        aluminium=r"\balumin(?:i)?um\b|铝",
        plastic=r"\bplastic\b|塑料",
        wood=r"\bwood(?:en)?\b|木制",
    ),
    "comparison": _axis(
        before=r"\b(?:before the (?:change|revision|upgrade)|previously|formerly|initially|used to|until then|"
        r"at first)\b|此前|原先|原为|之前|过去|最初",
        after=r"\b(?:now|currently|as of today|since then|has since)\b|现在|目前|如今|现为|现行",
    ),
}
HARD_AXES = frozenset({"tax", "adjustment", "arm", "state", "care", "side", "comparison"})
"""Where only one of two statements says so, it still is another figure more often than not."""
SPECIAL = frozenset(
    {
        ("modality", "planned"), ("age", "children"), ("age", "elderly"), ("sex", "female"), ("sex", "male"),
        ("staff", "part_time"), ("staff", "contract"), ("arm", "control"), ("state", "economy"), ("state", "fast"),
        ("span", "quarter"), ("span", "half"), ("care", "outpatient"), ("size", "small"), ("size", "large"),
        ("scope", "parent"), ("market", "abroad"), ("comparison", "before"), ("tax", "without"),
    }
)  # fmt: skip
"""Special cases: they contradict no statement that does not name them."""

_SAY = (
    r"(?:reports?|reported|found|finds|says?|said|states?|stated|shows?|showed|concludes?|concluded|estimates?|"
    r"estimated|claims?|claimed|notes?|noted|argues?|argued|suggests?|suggested|indicates?|indicated|puts?|"
    r"announced|announces|documented|asserts?|asserted|confirms?|confirmed|reveals?|revealed|determined|cites?|cited|lists?|gives?)"
)
ATTRIBUTION = (
    re.compile(
        r"^(?:according to|based on|as (?:reported|stated|noted) (?:by|in)|per)\b[^,，:：]{2,120}[,，:：]\s*",
        re.I,
    ),
    re.compile(rf"^[^.;。]{{3,160}}?\b{_SAY}(?: that\b|:)\s*(?=\S)", re.I),
    re.compile(r"^[^.;。]{3,120}?\b(?:puts?|estimates?|estimated)\s+(?=[a-zA-Z][^.]{3,80}\bat\b)", re.I),
    re.compile(r",?\s*(?:according to|as reported by|said|reported by)\s[^,.;]{2,80}(?=[.;]?\s*$)", re.I),
    re.compile(r"^(?:根据|依据|按照|据|按)[^，,：:]{1,40}[，,：:]\s*"),
    re.compile(r"^[^，,。：:；]{1,40}?(?:显示|称|指出|表示|认为)[，,：:]?\s*"),
    re.compile(r"^[^，,。：:；]{1,40}?(?:披露|报道|记载|写明|宣布|公布|透露)[，,：:]\s*"),
)
"""Who says it, in front or behind. Each is cut once, where enough of the statement is left."""

STOP_ENGLISH = frozenset(
    """a an and are as at be been being but by did do does for from had has have he her his how i if in
    into is
    it its me my no nor not of on or our she so such than that the their them then there these they this
    those to
    too was we were what when where which who whom whose why will with would you your about
    approximately around
    nearly almost over under more less up down per each every all any some also only just both between during
    after before since until while when where including include includes included within without its can could
    may might must should shall january february march april june july august september october november
    december
    year years month months day days quarter half million billion thousand percent per cent one two three four
    five six seven eight nine ten us according however new other same still very most many much us""".split()
)
STOP_HAN = "的了和与及或是在之其也都而等被把将对于为有个约近达共已并由从到向这那该此年月日号万亿元百千第"
