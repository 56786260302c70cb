"""What an answer has to look like, by rules; and how sure the rule is."""

from __future__ import annotations

import re

from appliance.domain import AnswerKind

_YES_NO = re.compile(
    r"^(is|are|was|were|does|do|did|has|have|had|can|could|may|must|will|would|should|am)\b|(吗|"
    r"与否)[？?]?$|是否|有没有|能否|可否|"
    r"是不是|能不能|可不可以|会不会|要不要|行不行|算不算|对不对|还有没有|需不需要",
    re.I,
)
_NUMBER = re.compile(
    r"\bhow (many|much|long|old|often|far|high|big|large|tall|deep|fast|heavy|wide)\b|"
    r"what (percentage|share|amount|number|proportion|fraction|percent)\b|"
    r"多少|几(个|人|年|天|次|家|项|名|款|种|条|倍|成|元|块|小时|分钟|周|片|岁|台|页|位)|多(长|"
    r"久|大|高|远|重|快|宽|深)",
    re.I,
)
_DATE = re.compile(
    r"^when\b|\b(on|in|by|since|from|until) (what|which) (date|day|year|month)\b|\b(what|which)"
    r" (year|date|day|month)\b|"
    r"\bwhen (did|does|do|was|were|is|are|will|has|can|should|must)\b|"
    r"什么时候|何时|哪一?(年|天|日|月)|几月|几号|啥时候|多会儿",
    re.I,
)
_PERSON = re.compile(
    r"^who(se|m|'s|s)?\b|谁|哪位|何人|"
    r"\b(?:which|what)\s+(?:(?!(?:is|was|are|were|did|does|of)\b)[\w'’-]+\s+){0,2}?(?:person|man|woman|"
    r"act(?:or|ress)|singer|musician|composer|songwriter|rapper|painter|artist|author|writer|novelist|poet|"
    r"playwright|director|producer|filmmaker|journalist|politician|senator|president|minister|governor|mayor|"
    r"king|queen|emperor|prince|princess|monarch|scientist|physicist|chemist|philosopher|inventor|"
    r"engineer|architect|explorer|footballer|player|athlete|cyclist|boxer|swimmer|coach|comedian|professor|"
    r"judge|lawyer|doctor|physician|founder)\b(?!['’])",
    re.I,
)
_NAMED_THING = re.compile(
    r"\b(?:which|what)\s+(?!is\b|was\b|are\b|were\b|will\b|did\b|does\b|do\b|has\b|have\b|had\b|can\b)"
    r"[a-z]{3,}|哪(?:一?(?:个|家|座|所|部|款|支|届|类|种|条)|里|儿|国|省|市|县|区|州)",
    re.I,
)
_CHANGE = re.compile(
    r"\bwhat(?:'s|\s+has|\s+have|\s+is|\s+was|"
    r"\s+were)?\s+(?:been\s+)?(?:the\s+)?(?:\w+\s+){0,2}(?:chang|differen|amend|updat|revis|"
    r"added|new\b)|"
    r"\bwhich\s+(?:\w+\s+){1,4}(?:were|was|have\s+been|has\s+been|got)\s+(?:\w+\s+)?(?:added|"
    r"removed|dropped|changed|amended|updated|replaced|revised|deleted)|"
    r"\b(?:changes?|differences?|amendments?|revisions?)\s+(?:between|from|in|to|since|made)\b|"
    r"\bhow\s+(?:has|have|did|does|do|is|are)\b.{1,120}?\b(?:change[ds]?|differ(?:ent)?|"
    r"evolve[ds]?|compare[ds]?)\b|"
    r"(?:有|做了|作了)?(?:什么|哪些|何|啥)(?:变化|变动|改动|调整|修订|修改|不同|区别|差异|更新)|"
    r"(?:改|修改|修订|调整|变更|新增|删除|删|增加)了(?:什么|哪些|哪几|啥)|"
    r"变化(?:是什么|有哪些)|区别(?:是什么|在哪|有哪些)|(?:有(?:何|啥|什么)|的)(?:区别|异同|不同)"
    r"|改了哪|动了(?:什么|哪|啥)|变了(?:什么|哪|啥)|差别",
    re.I,
)
_LIST = re.compile(
    r"^(?:please\s+)?(?:list|name|enumerate|give\s+me\s+(?:a\s+list|all)|show\s+(?:me\s+)?all)"
    r"\b|\bwhat\s+are\s+(?:(?:all|some)\s+(?:of\s+)?)?(?:the\s+)?(?:\w+\s+){0,4}\w+s\b|"
    r"\bwhich\s+(?:of\s+)?(?:the\s+)?(?:\w+\s+){0,2}?(?!is\b|was\b|has\b|does\b|this\b|"
    r"business\b|process\b|class\b|address\b)\w+(?:s|ies|ors|people)\s+(?:are|were|have|do|did|"
    r"can|must|may|should|will|need|count|qualify|apply|require|got|get|fall|had|went)\b|"
    r"\bwhat\s+(?:kinds?|types?|sorts?)\s+of\b|\bwhat\s+(?:\w+\s+){0,2}?\w+(?:ments|tions|ies|"
    r"ons|ers|ors|cts|nts|sks|ees|rds|ms|ces|ses|ps|ts)\s+(?:are|were|do|does|did|have|must|can|"
    r"should|will|need)\b|"
    r"\bwho\s+(?:are|were)\s+(?:all\s+)?(?:the\s+)?\w+|"
    r"哪些|都[^，。？]{0,6}(?:什么|啥|谁|哪)|全(?:部)?列|(?:列出|列举|列一下|罗列|盘点)|"
    r"分别(?:是|有|为)(?:什么|谁|哪)|都有(?:什么|谁|啥)|"
    r"有(?:什么|啥)(?!关系|用|意义|区别|变化|影响|不同|好处吗)|包括(?:什么|哪)|哪几(?:个|种|项|"
    r"类|家|点|款|条|位)|清单|名单",
    re.I,
)
_EXPLAIN = re.compile(
    r"\btalk\s+me\s+through\b|\bon\s+what\s+(?:grounds|basis)\b|\bany\s+reasons?\b|"
    r"\bin\s+plain\s+(?:words|english)\b|(?:说|给)[^，。？]{0,3}(?:原因|理由)|理由是?[？?]?$|"
    r"^(?:why|explain|describe|summari[sz]e|outline|discuss)\b|\bwhy\b|\bhow\s+(?:do|does|did|"
    r"can|could|should|is|are|was|were|to|come|would|will|has|have|might)\b|"
    r"\bhow's\b|\bwhat\s+(?:does|do|did)\b.{1,80}\bmean\b|\b(?:meaning|definition|reasons?|"
    r"cause|mechanism|purpose|rationale|procedure|process)\s+(?:of|for|behind|to)\b|"
    r"\bwhat\s+(?:caused|causes|led|drove|drives|explains|happens|happened|is\s+meant|steps)\b|"
    r"\b(?:explain|describe|walk\s+me\s+through|tell\s+me\s+about|give\s+an?\s+overview|"
    r"summari[sz]e)\b|"
    r"为什么|为何|为啥|如何|怎么(?!样了)|怎样|怎么办|什么意思|是什么意思|什么是|什么叫|概括|"
    r"小结|归纳|啥意思|(?:原因|目的|"
    r"含义|定义|原理|机制|意义|流程|步骤|作用|寓意|依据|思路)(?:是什么|是啥|在于|有哪|何在)|"
    r"介绍|说明一?下?|解释|阐述|描述|概述|总结|讲讲|说说|谈谈|咋(?!样)|凭什么|何以|起因|"
    r"什么原因|啥原因|怎么回事",
    re.I,
)
_QUANTITY = re.compile(
    r"\b(?:what\s+(?:is|was|were|are)|what'?s)"
    r"\s+(?:the\s+)?(?:[\w'’&.$-]+\s+){0,8}?(?:revenues?|sales|"
    r"income|profits?|margins?|ebitda\w*|eps|earnings|ratio|rate|return|average|price|cost|fee|"
    r"amount|total|number|percentage|dose|dosage|weight|height|length|size|temperature|voltage|"
    r"capacity|limit|threshold|salary|expenditures?|capex|cash\s+flow|assets|"
    r"liabilities|debt|budget|population|area|distance|speed|power|score|age|"
    r"deadline\s+in\s+days|market\s+cap\w*|dividend|turnover|growth|yield|incidence|prevalence|"
    r"mortality|survival|accuracy|duration|frequency|penalty|fine|tax|interest|headcount|"
    r"revenue|value|pressure|concentration|sample\s+size|storage\s+life)\b|"
    r"(?:营收|收入|利润|净利|毛利率|净利率|市值|股价|价格|金额|比例|占比|比率|利率|税率|费率|"
    r"增速|增长率|增幅|销量|产量|人口|面积|体重|身高|长度|高度|温度|电压|容量|"
    r"剂量|用量|有效率|死亡率|发病率|患病率|费用|成本|预算|总额|数量|人数|浓度|得分|分数|准确率|"
    r"票房|负债|资产|现金流|研发投入|罚款|上限|下限|额度|工资|补贴标准)(?:是什么|为|"
    r"怎么样)?[？?]?$",
    re.I,
)
_ALL_WHO = re.compile(r"都(?:有|是|包括)谁|有谁")
_PLURAL = re.compile(
    r"\bwhich\s+(?:of\s+(?:the|these|our|their)\s+)?(?:[\w'’-]+\s+){0,3}?(?!this\b|has\b|was\b|"
    r"is\b|does\b)[a-z]+(?:[^su\W]s|ies|people|children)\b"
    r"(?!\s+(?:is|was|has|does)\b)|"
    r"^(?:all|everything|any|signs|symptoms|side\s+effects|reasons|steps|types|examples|risks|"
    r"requirements|contraindications|"
    r"events|members|antibiotics|drugs|grants|acquisitions|papers)\b",
    re.I,
)
_LATE_YES_NO = re.compile(
    r"\b(?:do|does|did|is|are|was|were|has|have|can|could|should|will|must|may)\s+(?:we|i|you|"
    r"they|he|she|it|that|this|there|"
    r"any|all|my|our|their|his|her|the|a|an|anyone|anybody|someone|overtime)\b",
    re.I,
)
_ANY_WH = re.compile(r"\b(?:who|whose|whom|what|which|when|where|why|how|whats|hows)\b", re.I)
_TOTAL = re.compile(
    r"合计|总计|(?:余额|单价|几个点|毛利|净利|净额|总额)[^，。？?]{0,6}[？?]?$|\b(?:count|"
    r"in\s+total|total|figures?|sum)\s*(?:please|pls)?\s*\??$",
    re.I,
)
_A_PLACE_OR_FIRM = re.compile(
    r"\b(?:what|which)(?:'s|\s+is|\s+was)\s+the\s+(?:[a-z-]+\s+){0,3}(?:city|town|village|country|county|province|"
    r"continent|river|lake|mountain|island|company|firm|university|hospital|team|club)\s*"
    r"(?:\?|$|\b(?:by|in|of|that|which|where|with|on|at|to|whose)\b)",
    re.I,
)
"""Named by what it is foremost in: the largest city by population is no figure."""
RULES = (
    (_ALL_WHO, AnswerKind.LIST),
    (_CHANGE, AnswerKind.CHANGE),
    (_YES_NO, AnswerKind.YES_NO),
    (_NUMBER, AnswerKind.NUMBER),
    (_DATE, AnswerKind.DATE),
    (_PERSON, AnswerKind.PERSON),
)
_ASIDE_DATE = re.compile(
    r"(?:^|[,:;—–-]\s*)when\b(?=[^,]{0,40}\??$)|\bby\s+when\b|\bwhen'd\b|"
    r"^(?:[\w'’-]+\s+){0,3}?(?:birthday|deadline|(?:due|release|expiry|"
    r"start|end|effective|issue|founding|opening)\s+date|date)\b|(?:日期|生日|截止时间|成立时间|"
    r"上映时间|发布时间|生效时间|到期日)[^，。？?]{0,3}[？?]?$",
    re.I,
)
_ASIDE_PERSON = re.compile(
    r"[,:;—–-]\s*who(?:se|m|s|'s)?\b|\bwhom\b|^(?:the\s+)?(?:(?:lead|first|principal|"
    r"corresponding|chief)\s+)?(?:author|investigator|inventor|founder|"
    r"director|signatory|name\s+of\s+the\s+(?:head|author|person|judge|director|founder|ceo))\b|"
    r"(?:一作|负责人|创始人|作者|主演|导演|主任|院长|总裁|董事长|财务总监)[？?]?$",
    re.I,
)
_FIGURE = re.compile(
    r"^(?:[\w'’.&%$-]+[\s,]+){0,5}?(?:revenues?|sales|income|profits?|margins?|ebitda|eps|"
    r"earnings|ratio|rate|price|cost|fees?|amount|total|number|percentage|dose|"
    r"dosage|weight|height|length|size|temperature|voltage|capacity|limit|threshold|salary|"
    r"capex|debt|budget|population|distance|speed|score|age|dividend|"
    r"growth|yield|incidence|prevalence|mortality|accuracy|duration|frequency|headcount|value|"
    r"pressure|concentration|half[\s-]life|days|count|bleu|f1)\b",
    re.I,
)
_VERBAL = re.compile(
    r"\b(?:is|are|was|were|do|does|did|has|have|can|could|should|will|would|list|all)\b", re.I
)
MAX_PHRASE_WORDS = 14
SOFT_RULES = (
    (_A_PLACE_OR_FIRM, AnswerKind.OTHER),
    (_ASIDE_DATE, AnswerKind.DATE),
    (_ASIDE_PERSON, AnswerKind.PERSON),
    (_LIST, AnswerKind.LIST),
    (_PLURAL, AnswerKind.LIST),
    (_EXPLAIN, AnswerKind.EXPLANATION),
    (_QUANTITY, AnswerKind.NUMBER),
    (_TOTAL, AnswerKind.NUMBER),
)
_LEAD = re.compile(
    r"^\s*(?:(?:hi|hello|hey|please|so|ok|okay|well|and|also|just|um|hm+)[,!. ]+|(?:can|could|"
    r"would)\s+(?:you|someone|anyone)\s+(?:please\s+)?(?:tell\s+me|explain|say|show\s+me|check|"
    r"clarify|let\s+me\s+know)\s*(?:if|whether)?\s*|"
    r"(?:do\s+you\s+know|any\s+idea|i\s+(?:want|need|would\s+like|'d\s+like)\s+to\s+know|"
    r"i\s+wonder|i'm\s+wondering|tell\s+me|wondering)\s*(?:if|whether)?[, ]*|(?:请问|你好|您好|"
    r"麻烦问下|想问(?:一?下)?|问一?下|想知道|帮我查(?:一?下)?|请教(?:一?下)?|我想了解(?:一?下)?)"
    r"[，,：: ]*)",
    re.I,
)
_WHETHER = re.compile(
    r"^\s*(?:(?:can|could|would)\s+(?:you|someone)[^,?]{0,30}|do\s+you\s+know\s*|i\s+(?:wonder|"
    r"want\s+to\s+know|need\s+to\s+know)\s*|tell\s+me\s*|wondering\s*)\b(?:if|whether)\b",
    re.I,
)


def kind_of(text: str) -> AnswerKind | None:
    """The kind by rules; None where no rule speaks."""
    if _WHETHER.match(text):
        return AnswerKind.YES_NO
    asked = _asking(text)
    for pattern, kind in (*RULES, *SOFT_RULES):
        if pattern.search(asked):
            return kind
    if _is_figure(asked):
        return AnswerKind.NUMBER
    if _LATE_YES_NO.search(asked) and not _ANY_WH.search(asked):
        return AnswerKind.YES_NO
    return None


def asks_which(text: str) -> bool:
    """Return whether a thing of a named kind is wanted, where no rule of :func:`kind_of` speaks.

    ``In which county`` asks for neither a figure nor a date; those that do have their rules.
    """
    return bool(_NAMED_THING.search(_asking(text)))


def _is_figure(text: str) -> bool:
    """``net debt 2023``: a noun phrase that names a figure."""
    short = len(text.split()) <= MAX_PHRASE_WORDS
    return bool(short and _FIGURE.search(text) and not _ANY_WH.search(text) and not _VERBAL.search(text))


def _asking(text: str) -> str:
    """The question without the politeness before it, which begins like a yes-no question."""
    for _ in range(3):
        lead = _LEAD.match(text)
        if lead is None or lead.end() >= len(text) - 3:
            return text
        text = text[lead.end() :]
    return text
