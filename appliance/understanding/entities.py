"""Names in a question, roughly: a question and where its times stand arrive, entities leave."""

from __future__ import annotations

import re
from collections.abc import Sequence

from appliance.domain import Entity, EntityKind
from appliance.understanding.fold import fold

_WORK = re.compile(r"《([^《》\n]{1,80})》")
_ORG_EN = re.compile(
    r"\b(?:Inc|Corp|Corporation|Ltd|LLC|PLC|GmbH|AG|SA|NV|BV|Co|Company|Group|Holdings|Bank|"
    r"University|College|Institute|Hospital|Clinic|"
    r"Laborator(?:y|ies)|Labs|Agency|Ministry|Department|Commission|Committee|Council|Court|"
    r"Foundation|Association|Society|Organi[sz]ation|Union|Times|News|"
    r"Airlines|Motors|Pharma\w*|Technologies|Systems|Partners|Party|Club|School|Center|Centre|"
    r"Authority|Federation|Industries|Securities|Insurance)\b\.?"
)
_PLACE_EN = re.compile(
    r"\b(?:City|County|Province|State|Island|River|Lake|Mount|Mountain|Valley|Street|Avenue|Bay|"
    r"Republic|Kingdom|Ocean|Sea|Park|Airport|Bridge|"
    r"China|Beijing|Shanghai|Shenzhen|Hong\ Kong|Taiwan|Japan|Tokyo|Germany|Berlin|France|Paris|"
    r"London|UK|Britain|England|Scotland|Wales|Ireland|"
    r"USA?|America|California|Texas|New\ York|Canada|India|Russia|Europe|Asia|Africa|Australia|"
    r"Brazil|Mexico|Italy|Spain|Singapore|Korea|Vietnam|Switzerland|Sweden|Norway|Netherlands|"
    r"EU)\b"
)
_WORK_EN = re.compile(
    r"\b(?:Act|Law|Regulations?|Directive|Code|Treaty|Convention|Policy|Guidelines?|Handbook|"
    r"Agreement|Statement|Standard|Rules|Constitution|Prize|Award)\b"
)
_TITLE_EN = re.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|Prof|Professor|President|CEO|Sir|Judge|Senator|King|Queen|Chairman|"
    r"Minister|Rep|Gov)\.?\s+$"
)
_WORD = r"(?:[A-Z][\w&.'’+-]*[\w+]|[A-Z])"
_NAME = re.compile(
    rf"(?<![\w'’-]){_WORD}(?:\s+(?:(?:of|the|de|la|von|van|der|del|for|and\s+the)"
    rf"\s+){{0,2}}(?:{_WORD}|\d{{1,4}}(?![\w.,%-]))){{0,7}}"
)
_LOWER_PRODUCT = re.compile(r"(?<![\w-])(?:i|e|m)[A-Z][A-Za-z]+(?:\s(?:\d{1,3}|[A-Z]\w*)){0,3}")
_COMMON = frozenset(
    "what which who whom whose when where why how is are was were do does did has have had can "
    "could will would should may might must the a an in on at by "
    "for from to of and or if then than as per according between comparing compare considering "
    "given based after before since until during please list name "
    "explain describe tell give show find i we you it they he she this that these those there "
    "any all both each also not no yes under over about with "
    "without while whereas fy q1 q2 q3 q4 h1 h2 january february march april may june july "
    "august september october november december jan feb mar apr jun jul "
    "aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday usd eur "
    "rmb cny ok hi hello thanks summarize let's besides except "
    "apart other excluding only your our my their its so but because who's what's using use "
    "answer round hey asap fyi id am pm tbd".split()
)
_SUFFIXES_ZH = (
    (
        EntityKind.ORGANISATION,
        r"有限责任公司|股份有限公司|有限公司|集团公司|公司|集团|银行|大学|学院|医院|研究院|研究所|"
        r"委员会|法院|检察院|证监会|药监局|管理局|总局|"
        r"事务所|基金会|协会|学会|出版社|中学|小学|税务局|卫健委|发改委|财政部|教育部|工信部|科技部|"
        r"证券|保险|基金|电视台|日报|实验室|俱乐部|联合会",
    ),
    (
        EntityKind.WORK,
        r"条例|办法|细则|民法典|刑法|劳动法|劳动合同法|公司法|证券法|专利法|著作权法|商标法|药典|"
        r"宪法|规定|准则|白皮书|指南|章程|合同法|法",
    ),
    (EntityKind.PLACE, r"自治区|省|市|县|区|镇|村|街道|国|州|港|机场|山|河|湖|岛"),
)
_EDGE_ZH = re.compile(
    r"请问|想问|告诉|比较|对比|根据|按照|依据|关于|对于|有关|以及|还是|是否|如何|怎么|为什么|"
    r"什么|哪些|哪家|哪个|哪一|多少|目前|现在|最新|现行|"
    r"公布|发布|规定|签订|签署|新修订|修订|"
    r"[的了和与及跟在对由被是为从向于把将给让同、，。？！；：,?!;:\s“”\"'「」《》（）()0-9年月日号，]|"
    r""
    r""
    r""
    r"[一-鿿]{0,2}(?:去年|今年|前年|上季度)|那家|这家|该|本|我们|我|你|他|她"
)
_TAIL_ZH = re.compile(r"|".join(f"(?:{words})" for _, words in _SUFFIXES_ZH))
_SURNAMES = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁"
    "魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎"
    "易常武乔贺赖龚文"
)
_PERSON_ZH = re.compile(
    rf"(?P<name>[{_SURNAMES}][一-鿿]{{1,2}}?)(?=(?:先生|女士|教授|博士|院士|主任|经理|总裁|"
    rf"董事长|医生|律师|老师|法官|局长|市长|主席|校长|书记|同志|工程师)|(?:是谁|何时|出生|担任|"
    rf"任职|创办|创立|提出|离职|毕业|写的|导演的|主演))"
)
_NOT_NAME = re.compile(r"[一二三四五六七八九十\d]|什么|哪|如何|公司|多少")
MAX_ENTITIES = 12


def read_entities(text: str, *, times: Sequence[tuple[int, int]] = ()) -> tuple[Entity, ...]:
    """At most 12 names as written, in order; kinds are guesses by form."""
    found: list[tuple[int, Entity]] = [
        (match.start(), Entity(text=match.group(1), kind=EntityKind.WORK)) for match in _WORK.finditer(text)
    ]
    blank = list(text)
    for begin, end in (*times, *(match.span() for match in _WORK.finditer(text))):
        blank[begin:end] = ["\n"] * (end - begin)
    plain = "".join(blank)
    found += _latin(plain)
    found += _han(plain)
    unique: dict[str, Entity] = {}
    for _, entity in sorted(found, key=lambda each: each[0]):
        unique.setdefault(entity.text, entity)
    return tuple(unique.values())[:MAX_ENTITIES]


def _latin(text: str) -> list[tuple[int, Entity]]:
    found: list[tuple[int, Entity]] = []
    for match in (*_NAME.finditer(text), *_LOWER_PRODUCT.finditer(text)):
        words, begin = match.group().split(), match.start()
        while words and words[0].lower().strip("'’.") in _COMMON:
            begin += len(words[0]) + 1
            words = words[1:]
        while words and words[-1].lower() in _COMMON:
            words = words[:-1]
        name = re.sub(r"['’]s$", "", " ".join(words)).strip(".,'’")
        if len(name) < 2 or name.isdigit():
            continue
        found.append((begin, Entity(text=name, kind=_latin_kind(name, text[:begin]))))
    return found


def _latin_kind(name: str, before: str) -> EntityKind:
    if _WORK_EN.search(name):
        return EntityKind.WORK
    if _ORG_EN.search(name):
        return EntityKind.ORGANISATION
    if _PLACE_EN.search(name):
        return EntityKind.PLACE
    if _TITLE_EN.search(before[-14:]) or re.match(r"(?:Mr|Mrs|Ms|Dr|Prof|Judge|President)\b", name):
        return EntityKind.PERSON
    if re.search(r"\d|[a-z][A-Z]", name):
        return EntityKind.PRODUCT
    if re.search(r"\b(?:company|firm|supplier|bank|at|by)\s+$", before[-12:], re.I) and " " not in name:
        return EntityKind.ORGANISATION
    return EntityKind.OTHER


def _han(text: str) -> list[tuple[int, Entity]]:
    found: list[tuple[int, Entity]] = []
    folded = fold(text)
    begin = 0
    for edge in (*_EDGE_ZH.finditer(folded), None):
        end = edge.start() if edge else len(folded)
        piece = folded[begin:end]
        tail = None
        for match in _TAIL_ZH.finditer(piece):
            tail = match
        if tail is not None and 2 <= tail.end() <= 24 and tail.start() > 0:
            name = text[begin : begin + tail.end()]
            kind = next(kind for kind, words in _SUFFIXES_ZH if re.fullmatch(words, tail.group()))
            if not _NOT_NAME.match(name) and (kind is not EntityKind.PLACE or len(name) <= 7):
                found.append((begin, Entity(text=name, kind=kind)))
        begin = edge.end() if edge else end
    for match in _PERSON_ZH.finditer(folded):
        name = text[match.start("name") : match.end("name")]
        found.append((match.start(), Entity(text=name, kind=EntityKind.PERSON)))
    return found
