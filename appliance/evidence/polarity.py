"""Which way a statement points: increase or decrease, allowed or forbidden, effective or not.

Arrives: a sentence in either language. Leaves: axis → +1 or -1. A negation turns the word that follows it; an
axis on which the sentence points both ways is left out.
"""

from __future__ import annotations

import re
from functools import lru_cache

_PLUS_MINUS: dict[str, tuple[str, str]] = {
    "direction": (
        r"increas(?:e|es|ed|ing)|rais(?:e|es|ed)|ris(?:e|es|en|ing)|rose|grew|grow(?:s|n|ing|th)|climb(?:s|ed)|surg(?:e|ed|es)|"
        r"expand(?:s|ed)|gain(?:s|ed)|增长|增加|上升|提高|上涨|扩大|回升|走高",
        r"decreas(?:e|es|ed|ing)|lower(?:s|ed)|f[ae]ll(?:s|en|ing)?|declin(?:e|es|ed|ing)|drop(?:s|ped|ping)?|shr[aiu]nk(?:s|ing)?|"
        r"contract(?:ed|s)|reduc(?:e|es|ed|tion)|下降|减少|降低|下跌|下滑|萎缩|缩减|走低",
    ),
    "permission": (
        r"allow(?:s|ed)?|permit(?:s|ted)?|authori[sz]ed?|lawful|legal(?:ly)?|may (?:be \w+ed|be (?:taken|sent|resold|kept)|take|use|bring|enter|send|share|store|carry|claim|work|apply|keep|install)|"
        r"允许|准许|可以|许可|合法|准予",
        r"prohibit(?:s|ed)?|forbid(?:s|den)?|forbade|ban(?:s|ned)?|unlawful|illegal(?:ly)?|disallow(?:s|ed)?|must not|may not|"
        r"禁止|严禁|不准|不得|非法|违法|不予许可",
    ),
    "approval": (
        r"approv(?:e|es|ed|al)|adopt(?:s|ed)|pass(?:es|ed)|upheld|grant(?:s|ed)|clear(?:s|ed) the|completed (?:the|a|its) \w*\s?"
        r"(?:merger|acquisition|takeover|deal|sale)|ratif(?:y|ied)|accepted|批准|通过|核准|同意|获批|授予|采纳|获准",
        r"reject(?:s|ed|ion)?|block(?:s|ed)|den(?:y|ies|ied)|veto(?:ed|es)?|refus(?:e|es|ed)|overturn(?:s|ed)?|abandon(?:s|ed)|"
        r"terminat(?:e|es|ed)|turned down|declined to|否决|驳回|拒绝|未获批|撤销|放弃|终止|不同意",
    ),
    "support": (
        r"support(?:s|ed)|availab(?:le|ility)|offer(?:s|ed)|provid(?:e|es|ed)|retain(?:s|ed)?|remain(?:s|ed)? in (?:use|place|force)|"
        r"still (?:works?|possible|valid|sold|supported)|continues to|includ(?:es|ed)|支持|提供|保留|仍可|继续|包括|可使用|有效",
        r"remov(?:e|es|ed|al)|discontinu(?:e|es|ed)|withdr[ae]w(?:n|s)?|no longer|cancel(?:s|led|ed)?|unsupported|"
        r"unavailable|drop(?:s|ped) support|phased out|repeal(?:ed|s)?|exclud(?:es|ed)|cease(?:s|d)?|ended support|"
        r"取消|移除|停止|停用|下线|不再|撤销|废止|停售|剔除|终止支持|失效",
    ),
    "duty": (
        r"requir(?:e|es|ed)|mandatory|compulsory|obligatory|must(?! not)|ha(?:s|ve) to|obliged|必须|应当|须|强制|有义务|需要",
        r"optional|voluntary|exempt(?:s|ed)?|waiv(?:e|es|ed)|need not|not needed|without needing|可选|自愿|免除|豁免|无需|无须|不必",
    ),
    "effect": (
        r"effective|efficacious|beneficial|benefit(?:s|ed)?|improv(?:e|es|ed|ement)|help(?:s|ed)|protect(?:s|ive)|works?|"
        r"significant(?:ly)?|superior|outperform(?:s|ed)?|succe(?:eds|eded|ssful|ssfully)|sav(?:es|ed)|viable|feasible|"
        r"capable of|can sustainably|boost(?:s|ed)?|enhanc(?:e|es|ed)|有效|有益|改善|显著|优于|成功|可行|有助于|提升了",
        r"ineffective|useless|harm(?:s|ed)|worsen(?:s|ed)?|insignificant|negligible|inferior|underperform(?:s|ed)?|"
        r"fail(?:s|ed|ure)?|insufficient|unviable|infeasible|undermin(?:e|es|ed)|catastrophic|misleading|flawed|"
        r"irrelevant|overstat(?:es|ed)|inflated|impossible|minimal|little|far below|no better|ineffectual|"
        r"无效|无益|恶化|不显著|劣于|失败|不可行|没有帮助|不足|微乎其微",
    ),
    "safety": (
        r"(?<!un)safe(?:r|ly|ty)?|harmless|well[- ]tolerated|certified|meeting all|compliant|complies|安全|无害|耐受性良好|合格|达标|合规",
        r"unsafe|danger(?:s|ous)?|harmful|toxic|hazard(?:s|ous)?|carcinogen(?:s|ic)?|contaminat(?:ed|ion)|damag(?:e|es|ing)|"
        r"risk(?:s|y)?|recall(?:ed)?|violat(?:es|ed|ion)|危险|有害|有毒|致癌|污染|损害|风险|超标|违规|不合格",
    ),
    "link": (
        r"associated with|link(?:s|ed)?(?: [\w ]{1,40}?)? (?:to|with)|caus(?:e|es|ed)|contribut(?:e|es|ed)|leads? to|led to|evidence (?:of|that|for)|"
        r"correlat(?:e|es|ed)|相关|导致|引起|造成|有关|证据表明",
        r"unrelated|no (?:link|association|evidence|correlation|relationship|difference|effect)|rul(?:e|es|ed) out|"
        r"无关|没有关联|不会导致|没有证据|不影响",
    ),
    "advice": (
        r"recommend(?:s|ed)?|advis(?:e|es|ed)(?! against)|endors(?:e|es|ed)|favou?r(?:s|ed)?|urg(?:e|es|ed)|first-line|推荐|建议|提倡|主张",
        r"advis(?:e|es|ed) against|recommend(?:s|ed)? against|discourag(?:e|es|ed)|oppos(?:e|es|ed)|contraindicated|"
        r"caution(?:s|ed)? against|warn(?:s|ed)?|不推荐|不建议|反对|禁忌|不宜|慎用",
    ),
    "level": (
        r"higher|highest|larger|above|exceed(?:s|ed)?|more than|greater|better|faster|longer|stronger|earlier|高于|超过|大于|多于|优于|快于|长于|早于",
        r"lower|lowest|smaller|below|less than|fewer|worse|slower|shorter|weaker|later|低于|少于|小于|不及|慢于|短于|晚于",
    ),
    "profit": (
        r"profit(?:s|able)?|surplus|盈利|盈余|扭亏",
        r"loss(?:es)?(?: of| for)?|loss-making|deficit|亏损|赤字|转亏",
    ),
    "state": (
        r"open(?:s|ed)?|active|operational|in operation|running|reopen(?:s|ed)?|in force|开放|运营|在用|启用|投产|恢复|生效",
        r"clos(?:e|es|ed|ure)|inactive|shut(?:s)?(?: down)?|suspend(?:s|ed)?|dormant|expired|out of service|关闭|停产|停运|暂停|失效|歇业",
    ),
    "verdict": (
        r"guilty|convicted|liable|at fault|infring(?:es|ed)|有罪|侵权|负有责任|应承担",
        r"acquitted|not guilty|innocent|cleared of|exonerated|not liable|did not infringe|无罪|不侵权|不承担|无责任",
    ),
    "timing": (
        r"on schedule|proceeding as planned|on time|ahead of schedule|on track|within budget|met the deadline|按期|如期|提前|按计划",
        r"delayed|behind schedule|late|overdue|over budget|missed the deadline|postponed|延期|推迟|滞后|逾期|超预算",
    ),
    "truth": (
        r"confirm(?:s|ed)?|verif(?:y|ies|ied)|true|genuine|authentic|证实|属实|确认|真实",
        r"refut(?:e|es|ed)|disput(?:e|es|ed)|false|fake|debunk(?:s|ed)?|disprov(?:e|es|ed)|contradict(?:s|ed|ing)?|"
        r"否认|不实|虚假|辟谣|伪造|质疑",
    ),
}  # fmt: skip
_NOT_EN = (
    r"\b(?:not|no|never|neither|nor|without|cannot|can't|isn't|aren't|wasn't|weren't|don't|doesn't|didn't|won't|hasn't|"
    r"haven't|hardly|rarely|failed to|fails to|unable to|lacks?|lacked|few|insufficient|nothing)\s+(?:[\w'-]+\s+){0,6}$"
)
_NOT_ZH = r"(?:不|未(?!休|来|成年|婚|完成|用|知|名|必|满)|没有|没|无|并非|非|尚未|从未|不再|无法|未能|不能|难以|并未|不会|否)[一-鿿]{0,3}$|(?:没有|并无|缺乏|无)证据[一-鿿]{0,16}$"
_NEGATED = re.compile(f"{_NOT_EN}|{_NOT_ZH}", re.IGNORECASE)
_NOT_ONLY = re.compile(
    r"\bnot only\b|\bno (?:less|fewer|more|later|earlier) than\b|不仅|不少于|不低于|不超过|不晚于|不多于",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|never|neither|cannot|no longer|without|no)\b|n't\b|不(?!仅|少于|低于|超过|晚于|同|断|良|锈|久)|未(?!来)|没有|并非|无(?!论|线|人机|锡)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[,;:，；：。.!?]\s|\b(?:but|while|although|though|whereas|however)\b|但|而(?!且)|虽然|尽管",
    re.IGNORECASE,
)


def _compiled(words: str) -> re.Pattern[str]:
    latin = [each for each in _split(words) if not re.search("[一-鿿]", each)]
    han = [each for each in _split(words) if re.search("[一-鿿]", each)]
    parts = ([rf"(?<![A-Za-z])(?:{'|'.join(latin)})(?![A-Za-z])"] if latin else []) + han
    return re.compile("|".join(parts), re.IGNORECASE)


def _split(words: str) -> list[str]:
    """Alternatives at the top level of a pattern."""
    parts: list[str] = []
    depth, held = 0, ""
    for char in words:
        depth += (char == "(") - (char == ")")
        if char == "|" and not depth:
            parts.append(held)
            held = ""
        else:
            held += char
    return [*parts, held]


AXES = {axis: (_compiled(plus), _compiled(minus)) for axis, (plus, minus) in _PLUS_MINUS.items()}


@lru_cache(maxsize=1 << 14)
def signs_of(text: str) -> dict[str, int]:
    """Axis → +1 or -1, where the text points one way; do not change what is returned."""
    text = _NOT_ONLY.sub(lambda match: " " * len(match.group()), text)
    found: dict[str, set[int]] = {}
    for axis, (plus, minus) in AXES.items():
        taken: list[tuple[int, int]] = []
        for sign, pattern in ((-1, minus), (1, plus)):
            for match in pattern.finditer(text):
                if any(match.start() < end and begin < match.end() for begin, end in taken):
                    continue
                taken.append(match.span())
                found.setdefault(axis, set()).add(-sign if _negated(text, match.start()) else sign)
    return {axis: signs.pop() for axis, signs in found.items() if len(signs) == 1}


def _negated(text: str, at: int) -> bool:
    clause = _CLAUSE.split(text[:at])[-1][-60:]
    return bool(_NEGATED.search(clause))


def negations(text: str) -> int:
    """How many words of negation a text has; ``not only``, ``no later than`` and the like are none."""
    return len(_NEGATION.findall(_NOT_ONLY.sub(" ", text)))


def negated_words(text: str) -> str:
    """What stands behind the negations of a text, up to the end of their clause."""
    text = _NOT_ONLY.sub(" ", text)
    return " ".join(_CLAUSE.split(text[match.end() :])[0][:60] for match in _NEGATION.finditer(text))
