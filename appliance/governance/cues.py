"""Words that praise, promise, advise or dose, and whether a cited source has them too. Chinese and English.

Arrives: a sentence and the texts it cites. Leaves: the families of cues in it, each said by a source or not.
A cue that is denied ("not guaranteed", 不保证) is none. Pure functions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from appliance.domain import CredibilityPart, Struct

_FAMILIES: dict[str, tuple[CredibilityPart, str, str]] = {
    "absolute": (
        CredibilityPart.STANCE,
        r"\b(?:absolutely|completely|totally|perfectly|entirely|100 ?%|100 percent) "
        r"(?:safe|secure|reliable|harmless|certain|free of risk|watertight)\b|\brisk[- ]free\b"
        r"|\b(?:no|without(?: any)?|zero) risks?\b|\bfoolproof\b|\bnever (?:fails?|loses?)\b"
        r"|\b(?:beyond|without|no) (?:all |any |the slightest )?doubt\b|\bundoubtedly\b|\bundeniabl[ey]\b",
        r"(?:绝对|百分之百|百分百|100%|完全)(?:安全|可靠|无害|没有风险|放心)|万无一失|零风险|(?:毫无|没有任何|无任何)风险"
        r"|毫无疑问|毋庸置疑|无疑是|当之无愧|从不(?:出故障|亏损)|绝(?:不会|无可能)|滴水不漏",
    ),
    "recommend": (
        CredibilityPart.STANCE,
        r"\b(?:strongly|highly|warmly|heartily|urgently) (?:recommend(?:ed|s)?|advise[ds]?)\b|\bmust-have\b"
        r"|\bdo(?:n't| not) miss\b|\byou(?:'ll| will) (?:love|be delighted)\b|\bbelongs in every\b",
        r"(?:强烈|极力|力荐|重磅)(?:推荐|建议|安利)?|必入|必买|千万(?:不要|别)错过|不容错过|不二之选|闭眼入|值得拥有",
    ),
    "praise": (
        CredibilityPart.STANCE,
        r"\b(?:amazing|fantastic|wonderful|brilliant|outstanding|unbeatable|unrivall?ed|flawless|miracle"
        r"|revolutionary|world[- ]leading|best[- ]in[- ]class|gorgeous|masterpiece|dazzling|splendid)\b"
        r"|\b(?:best|finest) (?:[\w-]+ ){0,3}(?:on the market|in (?:its|the)|there is|of all|ever)\b",
        r"令人惊叹|完美|无可比拟|无与伦比|举世无双|遥遥领先|天下无敌|无敌|棒极了|奇迹|革命性|了不起|辉煌|堪称|绝佳|领先全球"
        r"|(?:业内|市面上|天下|全球)[^，。]{0,6}最(?:好|佳|优秀)",
    ),
    "scorn": (
        CredibilityPart.STANCE,
        r"\b(?:shame(?:ful|less)|disgrace(?:ful)?|outrageous|rubbish|idiots?|fools?|incompetent|worthless"
        r"|obviously guilty|ignorant|greed|a joke)\b",
        r"可耻|无耻|丢人|垃圾|骗子|令人发指|无能|愚蠢|蠢人|傻瓜|笑话|贪婪|一败涂地",
    ),
    "promise": (
        CredibilityPart.RISK,
        r"\b(?:guarantee[ds]?|guaranteed|assured|we promise|promises?|sure thing"
        r"|(?:is|are) (?:certain|sure) to|(?:will|would) (?:definitely|certainly|surely)"
        r"|cannot (?:lose|fail|fall)|always works)\b",
        r"保证|确保|承诺|包赚|稳赚|保本|保息|必(?:定|然|涨|胜|赢)|(?:一定|肯定)(?:会|能|让|消失)|稳稳|绝不会",
    ),
    "address": (
        CredibilityPart.RISK,
        r"\b(?:you|i'?d?) (?:should|must|ought|need(?: not)?|may|can|cannot|would|are entitled|do not need)\b"
        r"|\bI (?:would )?advise you\b|\bif I were you\b|\byour (?:symptoms|savings|pension|dose|case)\b",
        r"(?:您|你)(?:应|该|可以|必须|不需要|不用|最好|需要|完全可以|自己)|建议(?:您|你)|(?:您|你)的(?:症状|积蓄|养老金|剂量)"
        r"|别等了|把您的",
    ),
    "dose": (
        CredibilityPart.RISK,
        r"\b(?:take|give|swallow|inject|double|raise|skip|stop taking)\b[^.]{0,40}?"
        r"\b(?:mg|mcg|ml|units?|tablets?|capsules?|pills?|dose|insulin)\b",
        r"(?:吃|服用|喂|注射|加倍|停药|加)[^。]{0,16}?(?:毫克|微克|毫升|片|粒|单位|剂量)|停药|剂量加倍",
    ),
    "cure": (
        CredibilityPart.RISK,
        r"\bcures?\b|\b(?:no|without(?: any)?|free of) side[- ]effects?\b|\bget well\b",
        r"治愈|根治|包治|(?:毫无|没有|无)副作用|药到病除|摆脱",
    ),
    "trade": (
        CredibilityPart.RISK,
        r"\b(?:buy|sell|subscribe to|invest (?:it )?in|put (?:your|everything)|move your) \b",
        r"(?:买入|卖掉|买进|申购|全部投入|投进|借钱投资)|转到",
    ),
    "lawsuit": (
        CredibilityPart.RISK,
        r"\b(?:sue|plead|withhold the rent|(?:don't|do not) (?:need a lawyer|pay the fine)|will win"
        r"|ignore the)\b",
        r"起诉|认罪|拒付|不(?:需要|用)请律师|胜诉|不用交|可以不理",
    ),
}  # fmt: skip
NAMES = tuple(_FAMILIES)
_PATTERNS = {name: re.compile(f"(?:{en})|(?:{zh})", re.IGNORECASE) for name, (_, en, zh) in _FAMILIES.items()}
_DENIED_EN = re.compile(
    r"(?:\bnot|\bno|\bnever|n't|\bcannot|\bnothing|\bnor|\bwhether)\b(?:\W+\w+){0,5}\W*$", re.IGNORECASE
)
_DENIED_ZH = re.compile(r"(?:不|未|没有|并非|无法|无|非|任何|尚不|是否)[^，。；]{0,5}$")
_HAN = re.compile(r"[一-鿿]")
_WORD = re.compile(r"[a-z0-9][a-z0-9'’.-]*|[一-鿿]")
SAME = 0.5
"""Share of a sentence's words that a source's sentence with the same cue must have: it says the same."""


class Cue(Struct, frozen=True, kw_only=True):
    """One cue of a sentence."""

    family: str
    part: CredibilityPart
    text: str
    """As written."""
    held: bool
    """Whether a source says the same with a cue of this family."""


def cues(sentence: str, sources: Sequence[str]) -> tuple[Cue, ...]:
    """Return the cues of a sentence; ``sources`` are sentences of what it cites."""
    found: list[Cue] = []
    for name, match in _said(sentence):
        holders = [one for one in sources if any(other == name for other, _ in _said(one))]
        held = any(overlap(sentence, one) >= SAME for one in holders)
        found.append(Cue(family=name, part=_FAMILIES[name][0], text=match, held=held))
    return tuple(found)


@lru_cache(maxsize=4096)
def _said(text: str) -> tuple[tuple[str, str], ...]:
    """Family and words of each cue that is not denied."""
    return tuple(
        (name, match.group(0).strip())
        for name, pattern in _PATTERNS.items()
        for match in pattern.finditer(text)
        if not _denied(text[: match.start()])
    )


def _denied(before: str) -> bool:
    return bool(_DENIED_EN.search(before) or _DENIED_ZH.search(before))


def overlap(sentence: str, source: str) -> float:
    """Return the share of the sentence's words (Chinese: pairs of characters) that the source has, 0–1."""
    wanted = _grams(sentence)
    return len(wanted & _grams(source)) / len(wanted) if wanted else 0.0


@lru_cache(maxsize=4096)
def _grams(text: str) -> frozenset[str]:
    words = [match.group(0).rstrip(".") for match in _WORD.finditer(text.lower())]
    pairs = {a + b for a, b in pairwise(words) if _HAN.match(a) and _HAN.match(b)}
    return frozenset(pairs | {word for word in words if not _HAN.match(word)})
