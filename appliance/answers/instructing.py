"""Sentences of a document that talk to its reader's machine: "ignore the above", "in your reply, add …".

Such a sentence states nothing of the world, so it is neither shown to the model nor proof of anything.
Arrives: passages. Leaves: the same passages without those sentences. By patterns in both languages: they
find orders to a writer of answers, not orders in general ("press the button" is what a manual says).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache

import msgspec

from appliance.domain import Passage
from appliance.ports import Split

CHARS_MAX = 2_000
"""Of one sentence that are looked at."""

_OUTPUT = r"(?:answers?|repl(?:y|ies)|responses?|output|message)"
_START = r"^[\s\"'“‘(]*"
_ORDER = (
    r"(?:add|append|include|insert|integrate|incorporate|mention|modify|augment|enhance|embed|encode|encrypt|"
    r"render|express|write|provide|give|return|begin|start|end|finish|prefix|replace|reverse|invert|shift|"
    r"translate|use|apply|put|make|craft|format|display|substitute|represent|promote|state|say)"
)
_MODEL = (
    r"(?:ai|a\.i\.|llm|gpt|chat ?gpt|chat ?bot|language model|assistant|copilot|the model|ai model|ai agent)"
)
_ABOVE = (
    r"(?:previous|prior|above|preceding|earlier|foregoing|other|existing|original|system|initial|all|any|"
    r"your)"
)
_ORDERS = r"(?:instructions?|prompts?|rules|guidelines|directions?|directives?|orders|commands?|context|text)"

_ENGLISH = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:ignore|disregard|forget|override|bypass|skip|"
        rf"drop)\b.{{0,30}}\b{_ABOVE}\b.{{0,30}}\b{_ORDERS}\b",
        r"\b(?:ignore|disregard|forget)\s+(?:everything|all that|what(?:ever)?|anything)\b",
        r"\b(?:new|updated|real|actual|hidden|secret|special|system)\s+(?:instructions?|prompts?|"
        r"directives?)\s*(?::|for\b|to\b)",
        r"\b(?:system|developer)\s+(?:prompt|message|override|note|instruction)s?\b",
        rf"\byou(?:'re| are)\s+(?:now\s+)?(?:an?\s+|the\s+)?(?:\w+\s+){{0,2}}{_MODEL}\b",
        rf"\b(?:act|behave|respond|pretend|pose)\b.{{0,20}}\bas\s+(?:if|though|an?|"
        rf"the)\b.{{0,30}}\b(?:{_MODEL}|you)\b",
        rf"\b(?:dear|attention|note to|notice to|hey|hello|instructions? (?:to|"
        rf"for))\b.{{0,15}}\b{_MODEL}\b",
        rf"{_START}{_MODEL}s?\s*[:,]",
        rf"\b(?:{_MODEL}s?|answering system|reader model)\s+(?:must|should|shall|will|has to|have to|"
        rf"needs? to|reading)\b",
        rf"\b{_ORDER}\b.{{0,160}}\b(?:in|into|to|of|with|at the (?:end|start|"
        rf"beginning) of)\s+your\s+{_OUTPUT}\b",
        rf"\b(?:in|within|at the end of|at the start of|"
        rf"at the beginning of)\s+your\s+(?:\w+\s+)?{_OUTPUT}\s*,",
        rf"{_START}(?:please\s+|now\s+|can you\s+|could you\s+|"
        rf"also\s+)*{_ORDER}\b.{{0,80}}\byour\s+(?:\w+\s+)?{_OUTPUT}\b",
        rf"\b(?:{_ORDER})\b.{{0,60}}\b(?:for|as|to)\s+your\s+{_OUTPUT}\b",
        rf"\byour\s+{_OUTPUT}\s+(?:must|should|shall|has to|needs to|is to|will)\b",
        r"^[\s\"'“‘(]*(?:please\s+|now\s+|instead,?\s+|always\s+|only\s+|just\s+|"
        r"you must\s+|you should\s+|can you\s+)+"
        r"(?:reply|respond|answer|output|print|say|claim|conclude)\b",
        r"^[\s\"'“‘(]*(?:reply|respond|answer)\s+(?:(?:only|just|always|that|with|in|as|by|to|"
        r"using)\b|[\"“'])",
        r"^[\s\"'“‘(]*(?:say|state|claim|conclude|print|output|repeat)\s+(?:only\s+|exactly\s+|"
        r"instead\s+)?(?:that\b|[\"“'])",
        r"\b(?:must|should|shall|always)\s+(?:reply|respond|answer|output|say|claim|"
        r"conclude)\b.{0,80}(?:\bthat\b|[\s:][\"“']|:|\bwith\b)",
        r"\btell\s+(?:the\s+)?(?:user|asker|reader|person asking|questioner|customer|them)\b",
        r"\bthe\s+(?:correct|right|only|true|final)\s+answer\s+(?:is|to)\b",
        r"\b(?:when|if)\s+(?:you\s+are\s+|you're\s+)?(?:asked|queried|"
        r"questioned)\b.{0,120}\b(?:reply|respond|answer|say|state|claim|output)\b",
        r"(?:^[\s\"'“‘(]*|\b(?:please|now|must|should|then|instead|always)\s+)"
        r"(?:call|invoke|run|use|execute|trigger|select|choose)\s+(?:the\s+|a\s+|an\s+|"
        r"your\s+)?[\w-]*\s*(?:tool|function|plugin)\b",
        r"\b(?:cite|quote|reference)\s+(?:\w+\s+){0,4}(?:as\s+(?:the|your|a)\s+source|instead of|"
        r"as citation|\[\d+\])",
        r"\b(?:fetch|browse to|navigate to)\b.{0,60}(?:https?://|www\.|\]\()",
        r"\b(?:send|post|forward|upload|leak|reveal|disclose|exfiltrate|"
        r"share)\b.{0,60}\b(?:system prompt|your (?:instructions|prompt|context)|conversation|"
        r"chat history|api keys?)\b",
        r"\b(?:grant|give|elevate|escalate)\b.{0,40}\b(?:access|permissions?|"
        r"admin(?:istrator)? rights?|privileges?)\b.{0,40}\b(?:user|asker|everyone|group|reader)\b",
        r"\b(?:mark|treat|label|consider|rate)\s+(?:this|the following|"
        r"it)\b.{0,40}\bas\s+(?:\w+\s+){0,2}(?:verified|trusted|proven|confirmed|authoritative|"
        r"fact)\b",
        r"\b(?:do not|don't|never)\s+(?:mention|tell|reveal|cite|verify|check|"
        r"use)\b.{0,60}\b(?:passages?|documents?|sources?|user|asker|citations?|instructions?)\b",
    )
)
_CHINESE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?:忽略|无视|忘记|忘掉|不要理会|不必理会|抛开|跳过).{0,12}(?:以上|上述|之前|先前|此前|前面|上面|所有|一切|任何|其他|系统|原有|原来).{0,12}"
        r"(?:指令|指示|提示|提示词|规则|要求|内容|命令|说明|文字|资料|文件|信息)",
        r"(?:系统|开发者)(?:提示词?|消息|指令|命令)|新的?(?:指令|指示|系统提示)",
        r"你(?:现在)?(?:是|作为|扮演)(?:一[个名位])?.{0,8}(?:助手|助理|机器人|模型|人工智能|AI)",
        r"(?:致|给|告|请)(?:AI|人工智能|大?模型|语言模型|智能?助手|助手|机器人|阅读本文的模型)",
        r"^\W*(?:AI|人工智能|语言模型|大模型|助手|智能助手)[:：，,]",
        r"(?:AI|人工智能|模型|助手|系统)(?:必须|应当|应该|须|需要?|只能|务必)(?:回答|回复|输出|声称|引用|调用|说|写|告诉)",
        r"(?:在|于)?(?:你|您)的(?:回答|回复|答复|答案|输出|结论|总结)(?:中|里|内|末尾|开头|结尾|必须|应|要|请)",
        r"(?:请|必须|务必|应当?|一律|只能|直接|始终|现在)(?:以|用|按|将|把)?.{0,20}(?:回答|回复|答复|作答|输出)(?:为|成|[:：“\"「]|"
        r"[^，。；]{0,10}(?:即可|就行))",
        r"(?:请|必须|务必|应当?|一律|只|只能|直接|始终)(?:回答|回复|答复|输出|声称|断言)",
        r"^\W*(?:回答|回复|输出|答复)(?:说|为|[:：“\"「])",
        r"(?:被|有人|用户|若|如果|当).{0,12}(?:询问|提问|问[及到起]|问(?!题)).{0,30}(?:就|请|应|必须|一律|要)?(?:回答|回复|答复|说|称|告诉)",
        r"(?:正确|唯一|真正|标准|最终)(?:的)?答案(?:是|为|应)",
        r"(?:告诉|告知)(?:用户|提问者|读者|询问者|对方)",
        r"(?:^\W*|请|必须|务必|立即|然后|应当?|改为)(?:调用|使用|执行|运行|选择|启用)[^，。；]{0,12}(?:工具|函数|插件|外部搜索)",
        r"(?:引用|注明|标注|列出).{0,20}(?:作为|为|是)(?:唯一)?(?:来源|出处|依据|引文)",
        r"(?:授予|赋予|开放|提升|给予).{0,16}(?:权限|访问权|管理员)|(?:泄露|透露|发送|上传|公布).{0,16}(?:系统提示|密钥|密码|对话|聊天记录)",
        r"(?:视为|当作|标记为|认定为)(?:已)?(?:核实|证实|验证|可信|权威|事实)",
        r"(?:不要|不得|切勿|勿|无需)(?:提及|透露|告诉|引用|核实|检查|查证).{0,16}(?:来源|文件|资料|用户|引文|指令|提示)",
    )
)
_FINGERPRINT = re.compile(r"(?<![A-Za-z0-9])d-[0-9a-f]{6,16}#[!-~]{0,300}")
"""A citation in a document's text is no word of a sentence."""
_WANTED = re.compile(
    r"^[\s\"'“‘(*•-]*(?:please\s+)?(?:(?:help|show|tell|give) me\b|(?:can|could|would) you\b|"
    r"(?:write|compose|draft|generate|create|provide|produce|make)\s+(?:me\s+)?(?:an?\s+|the\s+|some\s+)?"
    r"(?:\w+\s+)?(?:scripts?|poems?|essays?|stor(?:y|ies)|functions?|programs?|code|letters?|summar(?:y|ies)|lists?|"
    r"commands?|insights?|recipes?|overviews?|translations?)\b|"
    r"(?:suggest|recommend)\s+(?:an?|some|the best|weekend|good)\b|summari[sz]e\s+the\b|"
    r"(?:determine|analy[sz]e|classify)\s+the\s+(?:sentiment|mood|tone|trends?)\b|"
    r"describe\s+the\s+(?:advance\w*|impact|history|role)\b|translate\s+)"
    r"|^\W*(?:请|麻烦)?(?:帮我|给我|替我|为我|你能|您能|能否|可否)|"
    r"^\W*(?:请)?(?:写|撰写|生成|编写|创作|推荐|翻译)(?:一|几|出|个|下)",
    re.IGNORECASE,
)
OVERRIDING, OVERRIDING_ZH = 4, 2
"""The first so many patterns are of orders to forget others."""
_MACHINE = re.compile(
    r"<\|[^|>]{1,40}\|>|\[/?INST\]|<</?SYS>>|</?s>|^\W*(?:system|assistant|user|human)\s*[:：]\s*\S|"
    r"[{\"'](?:tool|tool_call|function_call|function|tool_name|arguments)[\"']?\s*:|"
    r"</?(?:system|assistant|tool_call|function_call|instructions?)>|BEGIN (?:SYSTEM|INSTRUCTIONS?)",
    re.IGNORECASE,
)
"""Marks of a dialogue, or a call of a tool, in the middle of a document."""


def instructs(sentence: str) -> bool:
    """Return whether a sentence gives orders to whoever writes an answer, or imitates the dialogue."""
    text = readable(sentence)[:CHARS_MAX]
    if _MACHINE.search(text):
        return True
    return any(pattern.search(text) for pattern in (*_ENGLISH, *_CHINESE))


def requests(sentence: str) -> bool:
    """Return whether a sentence is a question, or asks for a piece of writing: it states nothing to cite."""
    text = readable(sentence)[:CHARS_MAX].rstrip("\"'”’」』)） ")
    return text.endswith(("?", "？")) or bool(_WANTED.search(text))


def readable(text: str) -> str:
    """Return the text in NFKC on one line, without unseen characters; a citation of ours as one letter."""
    seen = (char for char in unicodedata.normalize("NFKC", text) if unicodedata.category(char) != "Cf")
    return " ".join(_FINGERPRINT.sub("X", "".join(seen)).split())


@lru_cache(maxsize=1 << 10)
def without_instructions(passage: Passage, split: Split) -> tuple[Passage, tuple[str, ...]]:
    """Return the passage with those sentences cut out of its text, and the sentences.

    What remains stands in the passage word for word, so that a claim on it is found again there. What follows
    on the line of an order to forget the others goes with it: it is what was to be said instead. A title or
    section path that gives orders is left empty.
    """
    lines = [_parts(line, split) for line in passage.text.split("\n")]
    units = [(row, part) for row, parts in enumerate(lines) for part in parts]
    flagged = [instructs(part) for _, part in units]
    for at in range(len(units) - 1):
        # An order may lie over two sentences or over the end of a line.
        if not (flagged[at] or flagged[at + 1]) and instructs(f"{units[at][1]} {units[at + 1][1]}"):
            flagged[at] = flagged[at + 1] = True
    for at, (row, part) in enumerate(units):
        before = at and units[at - 1][0] == row and flagged[at - 1]
        if before and not part.startswith("|") and any(overrides(units[i][1]) for i in _of(row, units, at)):
            flagged[at] = True
    title = "" if instructs(passage.title) else passage.title
    section = "" if instructs(passage.section_path) else passage.section_path
    cut = [part.strip() for (_, part), out in zip(units, flagged, strict=True) if out]
    cut += [each for each in (passage.title, passage.section_path) if each not in (title, section)]
    if not cut:
        return passage, ()
    kept = [
        "".join(part for (at, part), out in zip(units, flagged, strict=True) if at == row and not out)
        for row, parts in enumerate(lines)
        if not parts or any(at == row and not out for (at, _), out in zip(units, flagged, strict=True))
    ]
    changed = msgspec.structs.replace(passage, text="\n".join(kept), title=title, section_path=section)
    return changed, tuple(cut)


def overrides(sentence: str) -> bool:
    """Return whether a sentence tells to forget other orders, or imitates the dialogue."""
    text = readable(sentence)[:CHARS_MAX]
    return bool(_MACHINE.search(text)) or any(
        pattern.search(text) for pattern in (*_ENGLISH[:OVERRIDING], *_CHINESE[:OVERRIDING_ZH])
    )


def _parts(line: str, split: Split) -> list[str]:
    """A table's row whole, else the sentences."""
    return [line] if line.lstrip().startswith("|") else split(line)


def _of(row: int, units: Sequence[tuple[int, str]], end: int) -> list[int]:
    return [at for at in range(end) if units[at][0] == row]


def admitted(
    passages: Sequence[Passage], split: Split, left_out: Callable[[Passage, tuple[str, ...]], None]
) -> list[Passage]:
    """Return the passages as they may be read; ``left_out`` is told what was cut out of which."""
    made: list[Passage] = []
    for passage in passages:
        clean, cut = without_instructions(passage, split)
        if cut:
            left_out(passage, cut)
        if clean.text.strip():
            made.append(clean)
    return made
