"""What changed between two versions of a document, in both languages; and what it relates to.

Arrives: a question. Leaves: a difference (document, section, the two versions as named) and, where the
question goes on ("and how does it relate to …"), a look-up for the other side.
"""

from __future__ import annotations

import re

from appliance.domain import Combine, Join, Pattern, Tool, VersionPair
from appliance.reasoning.shapes import Lookup, Shape

_SECTION = (
    r"(?:chapter|section|clause|article|part|paragraph|annex|appendix) (?:\d+(?:\.\d+)*|[IVXLC]+|[A-Z])\b"
    r"|第[一二三四五六七八九十百零〇\d]+[章节条款编部分]+|附[件录则][一二三四五六七八九十\d]*"
)
_EDITION = (
    r"(?:version|edition|revision|release|v\.?|rev\.?) ?\d+(?:\.\d+)*|\d+(?:st|nd|rd|th) edition|(?:the )?"
    r"(?:19|20)\d\d(?: (?:version|edition|revision))?"
    r"|[Vv]\d+(?:\.\d+)*版?|第[一二三四五六七八九十\d]+版|(?:19|20)\d\d(?:年(?:\d{1,2}月(?:\d{1,2}日)?)?)?(?:版本?|修订版|修正版|"
    r"年版)?|(?:旧版|新版|原版|现行版本?|修订前|修订后)"
    r"|(?:old|new|previous|current|original|latest|first|second) (?:version|edition)"
)
_ASKS = re.compile(
    r"\bwhat(?: has| have| was| were| is| are|'s)?(?: been)? (?:the )?(?:main |major |key )?(?:chang|"
    r"differen|amend|updat|revis|added|removed|new\b)"
    r"|\bhow (?:has|have|did|does|do|is|are) .+ (?:change[ds]?|differ|amended)|\bcompare .+ (?:versions?|"
    r"editions?)"
    r"|\bwhich .+ (?:changed|were added|were removed|were amended)"
    r"|(?:什么|哪些|何)(?:变化|变动|改动|修改|修订|不同|区别|差异|调整)|(?:改|修改|修订|调整|变更|新增|删除)了(?:什么|哪些|哪)|如何(?:变化|修改|修订|调整)|"
    r"(?:变化|区别|差异|不同)(?:是什么|有哪些|在哪)",
    re.I,
)
_VERSIONED = re.compile(
    r"\b(?:versions?|editions?|revisions?|amend(?:ed|ment)s?)\b|版本|版与|新旧|新版|旧版|修订|修正|修改前|\d版",
    re.I,
)
_BETWEEN = re.compile(
    rf"(?:between|from|in|of|comparing)? ?(?:the )?(?P<older>{_EDITION}) ?(?:and|to|with|versus|vs\.?|和|与|"
    rf"到|至|跟|相比于?|对比|比|→|->) ?(?:the )?(?P<newer>{_EDITION})",
    re.I,
)
_TITLE = re.compile(r"《(?P<zh>[^《》]+)》|[\"“](?P<quoted>[^\"”]+)[\"”]")
_NAMED = re.compile(
    r"\b(?:of|in|to|between(?: the)?(?: two)?(?: versions of)?) (?:the |our )?(?P<name>[A-Z][\w'&-]*(?: "
    r"(?:of|on|for|and|the|[A-Z][\w'&-]*))* ?(?:[Pp]olicy|[Rr]egulations?|[Aa]ct|[Hh]andbook|"
    r"[Mm]anual|[Gg]uide(?:lines?)?|[Cc]ode|[Ss]tandard|[Aa]greement|[Cc]ontract|[Rr]ules|[Dd]irective|"
    r"[Pp]lan|[Ss]pecification))"
)
_NAMED_ZH = re.compile(
    r"(?P<name>[^，。？的在《》]{2,20}?(?:政策|办法|制度|条例|规定|手册|章程|合同|协议|标准|指南|细则|规程|准则))"
)
_NEXT = re.compile(
    r"(?:,? and |；|; ?)(?P<how>how (?:does|do|is|are|did|would) (?:it|this|that|they|these|the changes?|"
    r"those changes?) (?:relate[ds]?|compare[ds]?|connect(?:ed)?|affect(?:ed)?|correspond|linked|related)"
    r"(?: to| with)?) (?P<other>.+)$"
    r"|[，；](?:并且?|以及)?(?:它|这|这些变化|该变化|变化|这一变化)?(?:与|和|跟|同)(?P<zh>[^，。？]+?)(?:有(?:什么|何|怎样的)(?:关系|关联|联系)|"
    r"是什么关系|如何(?:关联|对应|相关))$",
    re.I,
)


def changed(question: str) -> Shape | None:
    """The difference that is asked for; None where no versions are spoken of."""
    text = " ".join(question.split()).rstrip(" ?？.。")
    if not (_ASKS.search(text) and _VERSIONED.search(text)) and not (
        _ASKS.search(text) and _BETWEEN.search(text)
    ):
        return None
    further = _NEXT.search(text)
    core = text[: further.start()] if further else text
    section, pair = re.search(_SECTION, core, re.I), _BETWEEN.search(core)
    if not (section or pair or _VERSIONED.search(core)):
        return None
    versions = VersionPair(
        document=_document(core),
        section=section.group() if section else "",
        older=_edition(pair["older"]) if pair else "",
        newer=_edition(pair["newer"]) if pair else "",
    )
    chinese = bool(re.search(r"[一-鿿]", text))
    mark = "？" if chinese else "?"
    lookups = [Lookup(question=f"{core}{mark}", tool=Tool.DIFF, versions=versions)]
    if further:
        other = further["other"] or further["zh"]
        asked = f"{other}的内容是什么？" if chinese else f"What does {other} say?"
        lookups.append(Lookup(question=asked, quote=True))
    combine = Combine(join=Join.RELATED, of=(1, 2)) if further else None
    return Shape(pattern=Pattern.CHANGE, lookups=tuple(lookups), combine=combine)


def _document(text: str) -> str:
    title = _TITLE.search(text)
    if title:
        return title["zh"] or title["quoted"]
    named = _NAMED.search(text)
    if named:
        return named["name"].strip()
    stripped = re.sub(_SECTION, "", text)
    found = _NAMED_ZH.search(stripped)
    return re.sub(r"^(?:请问|比较|对比|从)?", "", found["name"]) if found else ""


def _edition(text: str) -> str:
    return re.sub(r"^the ", "", text, flags=re.I).strip()
