"""Two labels by rules: a comparison is asked for; the newest state is wanted."""

from __future__ import annotations

import re

from appliance.understanding.fold import fold

_COMPARED_EN = re.compile(
    r"""\bcompar(?:e[ds]?|ing|isons?|able)\b|\bdiffer(?:s|ed|ence|ences|ent|ently)?\b|\bversus\b|
        \bvs\b|\d\ against\b|\bagainst\ (?:the|its|last|that|those)\b|\bas\ opposed\ to\b|
    \bin\ contrast\b|\bcontrast(?:ing|s|ed)?\b|\bunlike\b|\brelative\ to\b|\bboth\b[^?]{0,160}\band\b|
    \b(?:higher|lower|larger|smaller|longer|shorter|earlier|later|bigger|greater|more|fewer|less|
        older|younger|better|worse|
       faster|slower|heavier|lighter|cheaper|taller|safer|stronger|first|oldest|youngest|longest|
        most|best)\b[^?]{0,80},?\ (?:or|than)\b|
    \bthan\b|\bwhich\ (?:one|of\ (?:the\ two|these|them)|is\ \w+er)\b|\b(?:same|similar|
        identical)\b[^?]{0,60}\b(?:as|to)\b|\bare\b[^?]{0,200}\band\b[^?]{0,200}\b(?:both|same|
        either)\b|
    \b(?:more|higher|lower)\b[^?]{0,200}\bthan\b|\bchange[ds]?\b[^?]{0,200}\b(?:between|from|since|
        over)\b|\bbetween\b[^?]{0,200}\band\b[^?]{0,200}\b(?:change|differ|consisten|inconsisten|
        gap)|
    \b(?:grow|grew|grown|growth|increase[ds]?|decrease[ds]?|rise|rose|risen|fall|fell|fallen|
        drop(?:ped)?|decline[ds]?)\b[^?]{0,200}\b(?:from|between|since|over|year|compared|to)\b|
    \byear[\s-](?:over|on)[\s-]year\b|\byoy\b|\bqoq\b|\bwhat(?:'s|\ has|\ is|\ have)?\ changed\b|
        \bhow\ (?:has|have|did)\ [^?]{0,200}\bchange\b|\b(?:in)?consisten(?:t|cy)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_COMPARED_ZH = re.compile(
    r"相比|比较(?!好|大|高|小|多|少|常见|合适|快|低|重)|对比|相差|差异|差别|差距|区别|不同(?!意)"
    r"|异同|比起|较(?:上年|去年|之前|同期|上期|年初)|同比|环比|(?<!百分)比(?!例|率|重|赛|如|方|"
    r"特|亚|尔|利|价|选|对一下)[^，。？]{1,16}(?:多|少|高|低|大|小|长|短|早|晚|快|慢|好|差|贵|"
    r"便宜|增|减|强|重|轻|安全|涨|升|降)|"
    r"(?:哪个|哪家|哪一个|哪种|哪款|谁)[^，。？]{0,8}(?:更|比较|最先|先)|更(?:高|低|大|小|多|少|"
    r"早|晚|长|短|好|快|慢|贵|便宜|安全|划算|严)|还是[^，。？]{1,20}(?:更|高|低|大|小|多|好|长|"
    r"快|先|早)|"
    r"(?:增长|增加|下降|减少|上升|上涨|下跌|提高|降低)了?(?:多少|几|百分之)|变化|变动|有何变|"
    r"改了(?:什么|哪)|是否(?:一致|相同|一样)|(?:一样|相同)(?:吗|么|多|高|大|长)|多多少|少多少|"
    r"(?<![身升海标])(?:高|低|快|慢|差)(?:了|出)?多少|两版|前后两|哪些地方(?:不|变)|(?:vs|VS|PK|pk)"
)
_NO_COMPARISON = re.compile(
    r"\b(?:other|rather|no\s+(?:later|earlier|more|less|fewer)|(?:more|less|fewer|greater|"
    r"higher|lower)(?=\s+than\s+(?:\$|€|£)?\d))\s+than\b",
    re.IGNORECASE,
)
_BESIDES_ZH = re.compile(r"除[^，。？]{1,20}[，,][^？]{0,20}?还(?=能|有|可以|在)")
_NEWEST_EN = re.compile(
    r"\b(?:latest|newest|current(?!\s+(?:assets?|liabilit\w+|ratio|account|transformer|density|"
    r"draw|sensor|rating|consumption|leakage|transducer|transmission))|currently|"
    r"most\s+recent(?:ly)?|up[\s-]to[\s-]date|as\s+of\s+(?:now|today)|right\s+now|nowadays|"
    r"these\s+days|at\s+(?:present|the\s+moment)|presently|to\s+date|today(?!'s\s+date)|"
    r"now(?!\s+that)|present[\s-]day|still|in\s+force|newly|just\s+(?:released|published|"
    r"announced)|recent(?:ly)?|lately|from\s+now\s+on|as\s+(?:things|matters)\s+stand|as\s+it\s+stands)\b",
    re.IGNORECASE,
)
_RULE_EN = (
    r"(?:rules?|rulebook|polic(?:y|ies)|regulations?|laws?|statutes?|directives?|guidelines?|guidance|formulary|"
    r"standards?|provisions?|requirements?|procedures?|regime|terms|contract|agreement|addendum|handbook|manual|"
    r"edition|version|release|wording|charter|code\s+of\s+conduct|price\s+list|tariffs?|scheme)"
)
_NEW_RULE_EN = re.compile(
    rf"\b(?:the|these|its|their|our|your|any|[\w-]+['’]s?)\s+(?:brand[\s-])?new(?:est)?\s+(?:[a-z][\w-]*\s+){{0,2}}?{_RULE_EN}\b"
    rf"(?!\s+(?:numbers?|control|of\s+thumb))|"
    rf"\b(?:updated|revised|amended|reworked|renewed|rewritten|replaced)\s+(?:[a-z][\w-]*\s+){{0,2}}?{_RULE_EN}\b|"
    rf"\b{_RULE_EN}\s+as\s+(?:last\s+)?(?:amended|revised|updated)\b|"
    r"\b(?:since|after|under|following)\s+the\s+(?:(?:last|latest|recent)\s+)?"
    r"(?:revision|amendments?|update|overhaul|reform|rewrite)\b|"
    rf"\b(?:since|after|now\s+that)\s+(?:the\s+)?{_RULE_EN}\s+(?:was|were|has\s+been|have\s+been)\s+"
    r"(?:changed|revised|amended|updated|rewritten)\b|"
    rf"\b(?:since|after|now\s+that)\s+(?:the\s+)?{_RULE_EN}\s+changed\b",
    re.IGNORECASE,
)
"""The state after a rule was renewed: rules, not names (New York) or things (a new drug)."""
_PAST_STILL = re.compile(r"\b(?:did|had|was|were)\b[^?.]{0,80}?\bstill\b", re.IGNORECASE)
"""A past state: what was still owed at a year's end is not what is so today."""
_RULE_ZH = (
    r"(?:规定|规则|规章|规范|制度|办法|条例|细则|政策|法律|指南|目录|标准|章程|合同|协议|条款|规程|手册|"
    r"说明书|方案|价目)"
)
_NEWEST_ZH = re.compile(
    r"最新|(?<![发出表体呈重])现行|(?<![项科题书篇])目前|当前|(?<![出呈体表展实发重浮闪涌再])现在|"
    r"现阶段|现如今|如今|最近一[期次版]|近期|"
    r"最近(?![一二三四五六七八九十两半\d])|刚(?:刚)?(?:发布|出|公布)|眼下|当下|今日(?!头条)|今天|截至目前|时至今日|"
    r"现任|现今|现时|新版|还(?:有效|在|能|支持|可以|用)|仍(?:然|在|有效|可|适用|支持)|时下|"
    r"这会儿|新出的|往后(?=[^，。？]{0,12}(?:怎么|多少|要|按))|"
    r"新规(?![划格模])|(?<!最)新法(?![国官院人兰])|新政(?!府|权)|"
    rf"(?<![更创革最])新(?:的|出台的|修订的|颁布的|公布的|发布的)?"
    rf"(?:管理|实施|考核|报销|收费|采购|招聘|数据|安全|财务|保护|使用|服务)?{_RULE_ZH}(?!化)|"
    r"(?:改版|修订|修改|修正|调整|更新|变更|改革|改|换版)(?:之|以)后|(?:改版|修订|修改|修正|调整|更新|变更|换版)后|"
    rf"(?:修订|更新|调整|修改)(?:过)?的{_RULE_ZH}|(?:改|调整|更新)(?:完|过|了)(?:之后|以后)"
)


def compares(text: str) -> bool:
    """Whether two or more things, times or versions are set against each other."""
    folded = _NO_COMPARISON.sub(" ", fold(text))
    return bool(_COMPARED_EN.search(folded) or _COMPARED_ZH.search(folded))


_OLDEST_EN = re.compile(
    r"\b(?:for\s+the\s+first\s+time|first\s+(?:appear|mention|introduc|publish|list|nam|announc|includ|add)\w*|"
    r"(?:appear|mention|introduc|publish|list|nam|announc|includ|add)\w*\s+first|earliest|oldest\s+version|"
    r"original(?:ly)?\s+(?:version|published|introduced))\b",
    re.IGNORECASE,
)
_OLDEST_ZH = re.compile(r"首次|第一次|最早|最初|首度|初次|首版|第一版")


def wants_oldest(text: str) -> bool:
    """Whether the first state is wanted: ``appear for the first time``, 最早, 首次."""
    folded = fold(text)
    return bool(_OLDEST_EN.search(folded) or _OLDEST_ZH.search(folded))


def wants_newest(text: str) -> bool:
    """Whether the newest state is wanted: ``latest``, ``under the new rules``, 最新, 现行, 修订后."""
    folded = _PAST_STILL.sub(" ", _BESIDES_ZH.sub(" ", fold(text)))
    return any(rule.search(folded) for rule in (_NEWEST_EN, _NEW_RULE_EN, _NEWEST_ZH))
