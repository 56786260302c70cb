"""Whether a question asks if something ended (A4): removed, withdrawn, replaced, expired, or still valid.

Not every negated question: "who did not attend" asks of no ending.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from appliance.understanding.fold import fold

_ENDED = (
    r"removed|deleted|dropped|discontinued|withdrawn|revoked|repealed|rescinded|abolished|"
    r"cancell?ed|terminated|"
    r"deprecated|retired|phased\s+out|replaced|superseded|recalled|retracted|suspended|delisted|"
    r"de-listed|scrapped|"
    r"struck\s+off|abandoned|annulled|invalidated|voided|decommissioned|sunset(?:ted)?|pulled|"
    r"taken\s+(?:down|off|out)|"
    r"shut\s+down|wound\s+(?:up|down)|eliminated|lapsed|expired|outdated|obsolete|axed|ditched|"
    r"lifted|waived|killed\s+off|"
    r"ended|stopped|ceased|closed\s+down|got(?:ten)?\s+rid\s+of|done\s+away\s+with|overturned|"
    r"reversed|unpublished"
)
_END = (
    r"remov(?:e|es|ing)|delet(?:e|es|ing)|drop(?:s|ping)?|discontinu(?:e|es|ing)|withdraw(?:s|"
    r"ing|al)?|withdrew|revok(?:e|es|ing)|"
    r"revocation|repeal(?:s|ing)?|rescind(?:s|ing)?|abolish(?:es|ing)?|abolition|cancel(?:s|"
    r"ling|ing|lation)?|terminat(?:e|es|ing|ion)|"
    r"deprecat(?:e|es|ing|ion)|retir(?:e|es|ing)|phas(?:e|es|ing)\s+out|supersed(?:e|es|ing)|"
    r"replac(?:e|es|ing)|"
    r"recall(?:s|ing)?|retract(?:s|ing|ion)?|suspend(?:s|ing)?|suspension|scrap(?:s|ping)?|"
    r"end(?:s|ing)?|stop(?:s|ping)?|"
    r"ceas(?:e|es|ing)|do(?:es|ing)?\s+away\s+with|get(?:s|ting)?\s+rid\s+of|lapse|"
    r"lift|pull|kill\s+off|"
    r"shut(?:s|ting)?\s+down|sunset|eliminat(?:e|es|ing)|axe|ditch"
)
_GAP = r"(?:[\w'’/&.-]+\s+){0,14}?"
_NO_MODAL = r"(?!(?:[\w'’/&.-]+\s+){0,14}?(?:may|can|could|must|shall|should)\s)"
_AUX = (
    r"(?:is|are|was|were|has|have|had|been|being|be|got|get|gets|will|would|'s|ain't|isn't|hasn't|"
    r"wasn't|haven't)"
)
_RULES_EN = re.compile(
    rf"""\bno\ longer\b|\bnot\b[\w\s'’-]{{0,30}}\banymore\b|\bany\s?more\s*\?|\bany\ longer\b|
    \b(?:{_AUX})\s+{_GAP}(?:since\ |already\ |ever\ |now\ |yet\ |been\ |later\ |finally\ |
        officially\ |formally\ )?(?:{_ENDED})\b|
    \b(?:did|does|do|has|have|will|when|why|which|who|what)\s+{_NO_MODAL}{_GAP}(?:{_END}|{_ENDED})\b|
    \bstill\s+(?:\w+\s+){{0,2}}(?:valid|supported|in\s+force|in\s+effect|effective|available|active|
        apply|applies|applicable|
        offered|sold|used|in\s+use|recommended|allowed|permitted|listed|running|works?|working|
        required|on\s+the\s+(?:market|list)|
        produced|made|manufactured|binding|current|exist(?:s|ing)?|maintained|open|stand(?:s)?|
        holds?|covered|approved|
        licen[sc]ed|accepted|mandatory|operating|operational|support|there|legal|being|on\s+sale|
        in\s+production|a\s+thing|good|ok|go|part)\b|
    \bstill\s+(?:support|offer|sell|make|use|cover|allow|accept|recommend|include|have|has|require|
        pay|need|run|produce|get|take)s?\b|
    \bend[\s-]of[\s-](?:life|support|sale|service)\b|\beol\b|\bsunset(?:ting|ted)?\b|
    \b(?:withdrawal|removal|discontinuation|repeal|revocation|termination|retraction|cancellation|
        deprecation|abolition)\ (?:of|notice|date)\b|
    \b(?:gone|missing)\s+from\b|\b(?:out\s+of\s+(?:date|force|print|production)|expired|void)\b|
    \bin\ force\b|\bwhat(?:ever)?\s+(?:happened\s+to|became\s+of|replaced|superseded)\b|
        \bremains?\s+(?:in\s+(?:force|effect)|valid|available|supported)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NOT_EN = re.compile(
    r"\b(?:end(?:s|ed|ing)?\s+(?:up|of|in|with|at|user)|retired?\s+(?:employees|people|staff|"
    r"age)|retirement|replac\w+\s+(?:cost|value|rate|part|cycle)|"
    r"ended\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|\d)|(?:year|quarter|period|"
    r"months?)s?\s+(?:end|ended|ending)\b|"
    r"still\s+(?:ha(?:ve|s|d)\s+to|owe[sd]?)\s+(?:pay|repay|be\s+(?:re)?paid|settle|cough|hand|the|to)\b|"
    r"weekend|year-?end|void\s+fraction)",
    re.IGNORECASE,
)
_RULES_ZH = re.compile(
    r"""不再|已经?不|停止|停用|停产|停售|停办|停供|停更|下架|下线|撤销|撤回|撤市|撤下|召回|废止|废除|
        作废|失效|取消|移除|删除|删掉|剔除|
    (?:已|被|是否|有没有|提前)(?:经|被)?(?:终止|中止|解除)|(?:终止|中止|解除)了|终止(?:没有|没|吗)|
        替代|取代|替换|更换成|淘汰|废了|退市|摘牌|关停|关闭|注销|吊销|撤稿|暂停|过期|已(?:经)?到期|
    (?:还|仍然?|依然|至今|目前)(?:在|是|能|可以?|会|有|算|然|旧|需要?|要|享)?\s?(?:有效|生效|适用|
        执行|支持|可用|在用|使用|用|存在|存续|生产|销售|卖|
        提供|保留|在售|现行|参与|推荐|有人|管用|作数|算数|开放|运营|用得上|得了|买到|维护|更新|上市|
        申请|报销|领取?|收费|要|查到|是会员|属于|适合|进|吗|没|认)|
    是否(?:还|仍|继续|依然|已经?(?:被|失|过|废|停|取|撤|终|删|移))|(?:还|仍)(?:有没有|能不能|行不行|
        在不在|算不算|是不是)|
    (?:有没有|是否|是不是|会不会)(?:已经?)?被?(?:砍|撤|废|停|取消|删|移|下架|换|替|终止|召回|收回)|
        被(?:砍|移出|除名|叫停|推翻|收回)|
    现行有效|是否有效|有没有效|(?:有效|法律)效力|没了|不见了|砍掉|去掉了|拿掉|收回|停了|黄了|不卖了|
        不做了|不支持了|不用了|不管用了|过时|还在(?!哪)|继续(?:有效|执行|适用|支持|使用)""",
    re.VERBOSE,
)
_NOT_ZH = re.compile(
    r"除[^，。？]{1,20}[，,][^？]{0,20}?还(?=能|有|可以|在)|"
    r"扣除|剔除(?:了)?[^，。？]{0,12}(?:影响|因素|后)|不再需要重复|取消订单的(?:流程|步骤)|"
    r"到期收益率|终止日期是|(?:如何|怎么|怎样|如果|怎样才能)(?:才能)?(?:取消|删除|关闭|注销|"
    r"停止|替换|更换|解除|终止|撤销|撤回)"
    r"|替代率|可替代性|关闭[^，。？]{0,6}(?:按钮|开关|提示音)|(?:谁|哪位|哪家)"
    r"[^，。？]{0,6}(?:没有?|未)(?:参加|出席)"
)
_HOW_TO_EN = re.compile(
    r"^\s*(?:how\s+(?:do|can|to|should|would)\s+(?:i|we|you|one)?\s*|steps\s+to\s+|can\s+i\s+|"
    r"how\s+to\s+)",
    re.IGNORECASE,
)
_WORDS_EN = re.compile(
    rf"\b(?:no\s+longer|any\s?more|still|in\s+(?:force|effect)|end[\s-]of[\s-](?:life|support|sale|service)|"
    rf"eol|{_ENDED}|{_END}|withdrawal|removal|discontinuation|void)\b",
    re.IGNORECASE,
)
_WORDS_ZH = re.compile(
    r"不再|停止|停用|停产|停售|停办|停供|停更|下架|下线|撤销|撤回|撤市|召回|废止|废除|作废|失效|取消|移除|删除|"
    r"剔除|终止|中止|解除|替代|取代|替换|淘汰|退市|摘牌|关停|关闭|注销|吊销|撤稿|暂停|过期|到期|收回|有效|生效|现行"
)
_STATE = re.compile(r"\bstill\b|\bno\s+longer\b|\banymore\b|\bbeen\b|\bwas\b|\bwere\b", re.IGNORECASE)


_YES_NO_STILL = re.compile(
    r"^\W*(?:is|are|was|were|do|does|did|can|could|may|might|must|shall|should|has|have|will|would)\b[^?]*\bstill\b|"
    r"^\W*(?:has|have|was|were|is|are)\b[^?]*\b(?:closed|ruled\s+out|switched\s+off|given\s+up|done\s+for)\b|"
    r"(?:还|仍)(?!款|原|债|本|没)[^，。？?]{1,40}[吗么]\s*[？?]?\s*$|"
    r"(?:是不是|是否|有没有)[^，。？?]{0,20}(?:免|停|撤|废|删|关闭|取消)",
    re.IGNORECASE,
)
"""Asked for yes or no: whether a state goes on."""


def asks_of_removal(text: str, *, words: Iterable[str] = ()) -> bool:
    """Whether it asks if, when or why something ended; ``words``: a domain pack's own (废止, recall)."""
    folded = fold(text)
    lowered = folded.lower()
    if any(word and word.lower() in lowered for word in words):
        return True
    chinese, english = _NOT_ZH.sub(" ", folded), _NOT_EN.sub(" ", folded)
    if _RULES_ZH.search(chinese) or _YES_NO_STILL.search(folded):
        return True
    # "How do I cancel …" asks for steps: nothing has ended.
    if _HOW_TO_EN.match(folded) and not _STATE.search(folded):
        return False
    return bool(_RULES_EN.search(english))


def ended_words(folded: str) -> list[tuple[int, int]]:
    """Where a folded question of an ending says so: ``withdrawn``, ``still``, 废止; begin and end."""
    return [match.span() for rules in (_WORDS_EN, _WORDS_ZH, _RULES_ZH) for match in rules.finditer(folded)]
