"""Words that every rewrite keeps: versions, codes, quotes, sources, exclusions, conditions of a question."""

from __future__ import annotations

import re

from appliance.domain import Constraint, ConstraintKind, Struct
from appliance.understanding.fold import fold

MAX_WORDS_CHARS = 80
"""A source, an exclusion or a condition longer than this is a sentence."""
_I = re.IGNORECASE

_STANDARD = (
    r"(?:GB|GBZ|GB/T|DB\d\d|YY|YY/T|HJ|JB|JGJ|CJJ|QB|NY|SL|DL|TB|ISO|IEC|ISO/IEC|IEEE|EN|DIN|BS|"
    r"ASTM|ANSI|RFC|UL|IAS|IFRS|"
    r"ASC|SFAS|NIST|FIPS|ITU|3GPP|CFR|ICH|SOP|CVE|KB|PEP)"
)
_CODES = (
    re.compile(
        rf"(?<![A-Za-z0-9]){_STANDARD}(?:/[TZ])?(?:\s(?:SP\s)?|"
        rf"-)?[A-Z]?\d[\d.]*(?:[-:]\d[\d-]*)*(?![A-Za-z])"
    ),
    re.compile(r"[一-鿿]{0,6}[〔\[【(（]\s?(?:19|20)\d\d\s?[〕\]】)）]\s?(?:第\s?)?\d{1,5}\s?号"),
    re.compile(
        r"(?:\bno\.?|\bnumber|\b(?:contract|patent|part|order|invoice|ticket|case|batch|lot|serial|"
        r"sku|item|model|"
        r"document|project|grant|policy|error|code)(?:\s(?:no\.?|number|id|code))?|编号|合同号|"
        r"专利号|批号|批次|型号|单号|"
        r"工单号?|货号|料号|文号|证号|订单号?|案号|项目号|错误码|代码|注册号)\s?(?:[:：#]|为|是)?\s?"
        r"(?P<code>(?=[A-Za-z./_-]{0,12}\d)[A-Za-z0-9][A-Za-z0-9./_-]{2,39}[A-Za-z0-9])(?![A-Za-z0-9])",
        _I,
    ),
    re.compile(
        r"(?<![A-Za-z0-9])US\s?\d{1,2},\d{3},\d{3}(?:\s?[AB]\d)?|(?<![A-Za-z0-9])"
        r"\d{1,2},\d{3},\d{3}\s?B[12]"
    ),
    re.compile(
        r"(?<![\w.@/-])(?=[A-Za-z]{0,12}[-/_]?\d|[A-Za-z0-9]{1,12}[-_/][A-Za-z0-9]{0,8}\d)"
        r"[A-Za-z0-9]+(?:[-_/][A-Za-z0-9]+)*(?![\w@])"
    ),
)
_NO_CODE = re.compile(
    r"(?:fy|q|h)\d.*|\d+(?:st|nd|rd|th|s|k|m|g|b|x|%|d|h|mg|kg|ml|km|gb|mb|tb|hz|kw|mah|bn|mn|"
    r"am|pm|p|w|v|a|c|f|cm|mm)|"
    r"[\d/_-]+|[1-4][qh]\d*|v\d+|\d+-[a-z]+(?:-[a-z]+)*|\d{4}[a-z]+|(?:19|20)\d\d.*",
    _I,
)
_VERSIONS = (
    re.compile(
        r"\b(?:version|ver\.?|release|revision|rev\.?|firmware|build|amendment|edition)"
        r"\s+(?:no\.?\s*)?(?P<value>v?\d+(?:\.\d+){0,3}[a-z]?|[A-D])\b(?![-/]\d)",
        _I,
    ),
    re.compile(
        r"\b(?P<value>\d{1,3}(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|"
        r"ninth|tenth)\s+(?:edition|revision|version|release)\b",
        _I,
    ),
    re.compile(r"(?<![A-Za-z0-9])(?P<value>[vV]\d+(?:\.\d+){0,3})(?![A-Za-z0-9])"),
    re.compile(r"\b(?P<value>(?:19|20)\d\d)\s+(?:version|edition|revision|release|amendment)\b", _I),
    re.compile(
        r"(?P<value>第\s?(?:\d+|[一二三四五六七八九十]{1,3})|\d+(?:\.\d+){1,3}|(?:19|20)\d\d|"
        r"\d{1,2}(?:\.0)?)\s?(?:版本?(?!块|权|面|图|式)|修订版)"
    ),
    re.compile(r"(?:版本|固件)(?:号)?\s?(?P<value>[vV]?\d+(?:\.\d+){0,3})"),
    re.compile(
        r"\b(?:iOS|Android|Windows|macOS|Ubuntu|Debian|RHEL|CentOS|Python|Java|JDK|Node(?:\.js)?|"
        r"PHP|Ruby|Go|Chrome|Firefox|Office|"
        r"PostgreSQL|MySQL|Oracle|Kubernetes|Spring\ Boot|React|Vue|Angular|Django|ICD|DSM|"
        r"HarmonyOS|鸿蒙|安卓)[\s-]?"
        r"(?P<value>\d{1,4}(?:\.\d+){0,3})(?![\w%])",
        re.I,
    ),
    re.compile(
        r"\b(?!(?:pH|Section|Clause|Article|Item|Table|Figure|Annex|USD|EUR|RMB)\b)"
        r"[A-Z][A-Za-z]{2,24}\s(?P<value>\d{1,3}\.\d{1,3}(?:\.\d{1,3})?)(?![\w%]|\s?(?:million|"
        r"billion|%|percent|mg|kg|mm|cm|m\b|bn))"
    ),
    re.compile(r"(?<![\d.A-Za-z])(?P<value>\d{1,3}\.\d{1,3}\.\d{1,4})(?![\d.])"),
)
_QUOTED = re.compile(
    r"《([^《》\n]{1,80})》|「([^「」\n]{1,80})」|『([^『』\n]{1,80})』|“([^“”\n]{1,80})”|"
    r"(?<!\w)\"([^\"\n]{1,80})\"|"
    r"(?<![A-Za-z0-9])[‘']((?:[^‘’'\n]|'(?=\w)){2,80})[’'](?![A-Za-z0-9])"
)
_NAMED = (
    r"(?-i:[A-Z][\w&.'’-]*(?:,?\s(?:(?:and|or|of|the)\s)?[A-Z][\w&.'’-]*){0,6}(?=\s+[a-z]|"
    r"[?,;.]|$))"
    r"(?!\s(?:effects?|items?|costs?|charges?|business|operations|segments?|sales|revenues?))"
)
_VERB = (
    r"(?:what|which|who|how|when|where|that|is|are|was|were|does|did|do|has|have|had|can|could|"
    r"may|might|must|should|will|"
    r"would|needs?|gets?|got|in\s+(?:19|20)\d\d|during|contribut\w+|reported|relative|compared)"
)
_DOCUMENTS = (
    r"article|report|annual\s+report|quarterly\s+report|filing|10-?[KQ]|8-?K|press\s+release|"
    r"statement|policy|guideline|"
    r"manual|handbook|paper|study|trial|memo|minutes|notice|agreement|contract|list|version|"
    r"document|leaflet|label|post|"
    r"story|piece|prospectus|white\s?paper|balance\s+sheet|income\s+statement|"
    r"cash\s+flow\s+statement|datasheet|transcript"
)
_SOURCES = (
    re.compile(
        r"\b(?:according\s+to|using(?:\s+only)?(?=\s+the\s)|as\s+per|per\s+the|based\s+on|"
        r"as\s+(?:stated|described|reported|"
        r"set\s+out)\s+(?:in|by)|citing)\s+"
        r"(?:the\s+)?(?P<value>[^,;?!:\n]{2,80}?)(?=[,;?!:\n]|\.(?:\s|$)|$|\s(?:what|which|who|how|"
        r"when|where|does|did|is|was|are|and\s+(?:is|was|the))\b)",
        _I,
    ),
    re.compile(
        r"\b(?:in|from|by)\s+(?:the\s+)?(?P<value>(?:[A-Z0-9][\w'&.|-]*\s(?:-\s)?){0,6}(?:article|"
        r"report|filing|press\s+release|"
        r"annual\s+report|10-?[KQ]|8-?K|guidelines?|handbook|manual|prospectus|balance\s+sheet|"
        r"cash\s+flow\s+statement|"
        r"income\s+statement|datasheet|minutes|white\s?paper))\b"
    ),
    re.compile(
        r"\b(?:the\s+)(?P<value>(?!article|report)['‘]?[A-Z][\w.&|' ’-]{1,50}?['’]?\s(?:article|"
        r"report|story|piece))\b(?=\s+(?:on|about|of|that|which|from|published|suggests?|claims?|"
        r"describing|discussing|regarding|titled|indicates?|says?))"
    ),
    re.compile(r"\bas\s+reported\s+by\s+(?:both\s+)?(?P<value>[^,;?!:.\n]{2,80})", _I),
    re.compile(
        r"(?:根据|依据|依照|按照|据|参照|参考)(?P<value>[^，。？！；：,?\n]{2,40}?)(?:的?(?:规定|"
        r"要求|记载|显示|披露|报道|数据|说法|描述|介绍|统计))?(?=[，。？！；：,?\n]|$)"
    ),
    re.compile(
        r"(?P<value>(?:《[^《》\n]{1,60}》|[^，。？！；,?\s的]{2,20}(?:年报|公告|白皮书|指南|说明书|"
        r"通知|报告|手册|章程|合同|协议)))(?:中|里|里面|上)(?:的|，|,|有|对|是|规定|提到|如何|怎么|"
        r"写|说)"
    ),
    re.compile(
        r"在(?P<value>[^，。？！；,?\n]{2,30}?(?:年报|公告|白皮书|指南|说明书|通知|报告|手册|章程|"
        r"合同|协议))(?:中|里|里面|上)"
    ),
)
_EXCLUSIONS = (
    re.compile(
        rf"\b(?:other\s+than|except(?:\s+for)?|excluding|excl\.|apart\s+from|aside\s+from|besides|"
        rf"not\s+including|not\s+counting|leaving\s+out|but\s+not|without\s+counting|ignoring|"
        rf"exclude)\s+(?P<value>{_NAMED}|[^,;?!:\n]{{2,80}}?(?=[,;?!:\n]|\.(?:\s|$)|$|\s{_VERB}\b))",
        _I,
    ),
    re.compile(
        r"(?:除了|除开|除去|除(?![以非此])|撇开|抛开)(?P<value>[^，。？！；,?\n]{1,40}?)(?:以外|"
        r"之外|外(?=[，,的还都其有])|，|,)"
    ),
    re.compile(
        r"(?:不包括|不包含|不含|不算|不计|排除|剔除|扣除|不考虑|去掉)(?!税|糖|有)"
        r"(?P<value>[^，。？！；,?\n的]{1,30}?)(?=[，。？！；,?\n的]|在内|后|之后|时|$)"
    ),
)
_CONDITIONS = (
    re.compile(
        r"\b(?:at|below|above|under|up\s+to)\s+(?P<value>-?\d[\d.,]*\s?(?:°\s?[CF]|"
        r"degrees(?:\s+(?:celsius|fahrenheit))?|℃|bar|kPa|MPa|psi|V|volts?|A|Hz|kHz|MHz|GHz|rpm|m|"
        r"km/h|mph|atm|lux|dB|W|kW|%\s+(?:humidity|load)))(?![A-Za-z])",
        _I,
    ),
    re.compile(
        r"\bunder\s+(?P<value>(?:normal|standard|extreme|load|pressure|vacuum|low|high|full|heavy|"
        r"partial|the\s+same|laboratory|fasting|ideal|non-?standard|IFRS|GAAP|US\s+GAAP|warranty)"
        r"\b(?:\s+(?!is|are|was|what|which|how)\w+){0,2})",
        _I,
    ),
    re.compile(
        r"\b(?:in|with)\s+(?P<value>(?:standard|eco|boost|standby|safe|offline|sleep|airplane|demo|"
        r"debug|manual|automatic|night|turbo)\s+mode)\b",
        _I,
    ),
    re.compile(
        r"\b(?:for|in|among|with)\s+(?P<value>(?:(?:elderly|adult|pediatric|paediatric|pregnant|"
        r"diabetic|breastfeeding|renal|hepatic|obese|older|younger|healthy|new|part-time|full-time|"
        r"temporary|retired|foreign|female|male|minor|remote|hourly|salaried|tenured|postdoctoral|"
        r"undergraduate|graduate|international)\s+)+(?:patients?|adults?|women|men|children|"
        r"employees|staff|workers|students|people|residents|customers|users|volunteers|faculty|"
        r"researchers|persons?|taxpayers|seniors)(?:\s+(?:with|under|over|aged|on)"
        r"\s+[\w-]+(?:\s[\w-]+)?)?)",
        _I,
    ),
    re.compile(
        r"\b(?P<value>(?:before|after|net\s+of|excluding|including|pre-?|post-?)[\s-]?(?:tax(?:es)?|"
        r"vat|gst|interest\s+and\s+tax(?:es)?))\b",
        _I,
    ),
    re.compile(
        r"\b(?P<value>on\s+an?\s+(?:empty|full)\s+stomach|on\s+a\s+(?:consolidated|standalone|"
        r"constant[\s-]currency|like-for-like|non-gaap|per[\s-]share|diluted)\s+basis)\b",
        _I,
    ),
    re.compile(
        r"\b(?:provided|assuming|if|when|where|unless)\s+(?:that\s+)?(?P<value>(?:the|a|an|no|there|"
        r"i|we|you|it|they)\s[^,;?!.\n]{3,60}?)(?=[,;?!.\n]|$|\s(?:do|does|can|could|is|are|will|"
        r"must|should|"
        r"may)\s(?:we|i|you|they|it|he|she|the|a|my|our)\s)",
        _I,
    ),
    re.compile(
        r"(?P<value>不含税|含税|税前|税后|合并口径|母公司口径|同比口径|按不变价|常温下?|高温下?|"
        r"低温下?|空腹(?:时|状态下)?|满载(?:时|状态下)?|待机(?:时|状态下)?|标准模式下?|孕期|哺乳期|"
        r"试用期内?|保修期内?|扣非后?|非工作日|节假日)"
    ),
    re.compile(
        r"(?:在|当|于)(?P<value>[^，。？！；,?\n]{2,30}?(?:情况下|条件下|状态下|模式下|环境下|"
        r"温度下|情形下|前提下|时候?(?=[，,])))"
    ),
    re.compile(
        r"(?P<value>-?\d[\d.]*\s?(?:℃|°C|摄氏度|度|伏|V|Hz|赫兹|千帕|兆帕|kPa|MPa|bar)"
        r"(?:以[上下])?(?:时|下|条件下|环境下|情况下))",
        _I,
    ),
    re.compile(r"(?:如果|若|假如|假设|要是)(?P<value>[^，。？！；,?\n]{3,40})(?=[，。？！；,?\n]|$)"),
    re.compile(
        r"(?:对于?|针对)(?P<value>[^，。？！；,?\n的]{0,8}(?:患者|孕妇|儿童|老年人|老人|员工|学生|"
        r"合同工|临时工|残疾人|新生儿|未成年人|退休人员|外籍人士|纳税人|用户))"
    ),
)


class ConstraintsRead(Struct, frozen=True, kw_only=True):
    """The constraints in order of their kinds, and where codes stand: digits there are no times."""

    constraints: tuple[Constraint, ...] = ()
    codes: tuple[tuple[int, int], ...] = ()


def read_constraints(text: str) -> ConstraintsRead:
    """Read what binds the answer, by rules; values are cut from the text as asked."""
    folded = fold(text)
    codes, spans = _codes(text, folded)
    found = [*_versions(text, folded), *codes, *_quoted(text)]
    for kind, patterns in (
        (ConstraintKind.SOURCE, _SOURCES),
        (ConstraintKind.EXCLUSION, _EXCLUSIONS),
        (ConstraintKind.CONDITION, _CONDITIONS),
    ):
        found.extend(_by(kind, patterns, text, folded))
    unique = {(each.kind, each.value or each.text): each for each in reversed(found)}
    return ConstraintsRead(constraints=tuple(reversed(unique.values())), codes=spans)


def _codes(text: str, folded: str) -> tuple[list[Constraint], tuple[tuple[int, int], ...]]:
    spans: list[tuple[int, int]] = []
    found: list[Constraint] = []
    for pattern in _CODES:
        group = "code" if "code" in pattern.groupindex else 0
        for match in pattern.finditer(folded):
            begin, end = match.span(group)
            value = folded[begin:end]
            if any(low < end and begin < high for low, high in spans) or not _is_code(
                value, pattern is _CODES[-1]
            ):
                continue
            spans.append((begin, end))
            whole = text[match.start() : match.end()].strip()
            found.append(Constraint(kind=ConstraintKind.CODE, text=whole, value=text[begin:end].strip()))
    return found, tuple(spans)


def _is_code(value: str, bare: bool) -> bool:
    if not bare:
        return not re.fullmatch(r"(?:19|20)\d\d", value)
    digits = sum(character.isdigit() for character in value)
    letters = sum(character.isalpha() for character in value)
    if not digits or not letters or _NO_CODE.fullmatch(value):
        return False
    # X1 and G20 are names; a code has several digits or parts, and its letters are capitals or few.
    parts = re.split(r"[-_/]", value)
    return digits >= 3 or (len(parts) > 1 and digits >= 2 and value.upper() == value)


def _versions(text: str, folded: str) -> list[Constraint]:
    found: list[Constraint] = []
    taken: list[tuple[int, int]] = []
    for pattern in _VERSIONS:
        for match in pattern.finditer(folded):
            begin, end = match.span()
            if any(low < end and begin < high for low, high in taken):
                continue
            taken.append((begin, end))
            value = text[match.start("value") : match.end("value")]
            found.append(Constraint(kind=ConstraintKind.VERSION, text=text[begin:end], value=value))
    return found


def _quoted(text: str) -> list[Constraint]:
    found: list[Constraint] = []
    for match in _QUOTED.finditer(text):
        value = next(group for group in match.groups() if group).strip()
        if value:
            found.append(Constraint(kind=ConstraintKind.QUOTED, text=match.group(), value=value))
    return found


def _by(
    kind: ConstraintKind, patterns: tuple[re.Pattern[str], ...], text: str, folded: str
) -> list[Constraint]:
    found: list[Constraint] = []
    taken: list[tuple[int, int]] = []
    for pattern in patterns:
        for match in pattern.finditer(folded):
            begin, end = match.span("value")
            value = text[begin:end].strip(" 的")
            if not value or any(low < end and begin < high for low, high in taken):
                continue
            taken.append((begin, end))
            whole = text[match.start() : match.end()].strip(" ,，")
            found.append(Constraint(kind=kind, text=whole, value=value))
    return found
