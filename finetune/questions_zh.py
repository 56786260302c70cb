"""Chinese sentences turned into questions: a constituent is replaced by its question word where it stands.

Arrives: a declarative sentence. Leaves: a question such as 「处多少罚款？」, or nothing where no rule fits.
Chinese asks in place, so the words need no reordering; only the clause of the gap and at most its neighbours
are kept, so that a question does not repeat the whole sentence.
"""

from __future__ import annotations

import random
import re

_NUMBER = "[0-9０-９一二三四五六七八九十百千万亿两〇零]+"
_UNIT = (
    "个|名|人|架|辆|艘|家|项|条|次|种|件|只|日|天|周|个月|月|年|元|万元|亿元|小时|分钟|秒|倍|米|公里|吨|行|列|页|字符|"
    "像素|步|级|岁|位|枚|点"
)
_RULES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (rf"{_NUMBER}(?:年)?{_NUMBER}?月{_NUMBER}日", ("什么时候", "哪一天", "何时")),
    (rf"(?:百分之{_NUMBER}|[0-9.]+[%％])", ("多少", "百分之多少")),
    (rf"(?<=处){_NUMBER}(?:年|日|万元|元)?以[上下][^，。；]{{0,12}}?(?=罚款|有期徒刑|拘留)", ("多少",)),
    (rf"(?<![第]){_NUMBER}(?=(?:{_UNIT}))", ("多少", "几")),
    (
        r"(?<=由)[^，。；由的]{2,14}?(?=负责|组织|规定|制定|决定|批准|管理|承担|提出|作出|确定|主持|处理)",
        ("谁", "哪个部门", "什么机构"),
    ),
    (r"(?<=应当)[^，。；]{4,30}$", ("怎么做", "做什么", "怎么办")),
    (r"(?<=可以)[^，。；]{4,30}$", ("做什么", "怎么做")),
    (r"(?<=不得)[^，。；]{3,30}$", ("做什么", "有哪些行为")),
    (r"(?<=是指)[^。；]{4,60}$", ("什么",)),
    (r"(?<=[^不但就也还可仅总只要正于而])是[^。；，否]{3,40}$", ("是什么", "是什么意思")),
    (r"(?<=用于)[^。；，]{3,30}$", ("什么", "做什么")),
    (r"(?<=在)[^，。；在]{2,14}?(?=中|里|上|举行|召开|设立)", ("哪里", "哪个地方", "什么地方")),
    (r"(?<=为)[^，。；为]{2,20}$", ("什么", "多少")),
    (r"(?<=包括)[^。；]{4,60}$", ("哪些", "什么", "哪些内容")),
    (r"^(?:点击|选择|使用|打开|按|单击)[^，。；]{2,30}(?=，)", ("怎样", "如何", "用什么办法")),
    (r"^(?:因为|由于)[^，。；]{3,40}，", ("为什么",)),
)
_COMPILED = [(re.compile(pattern), words) for pattern, words in _RULES]
_LEADS = ("",) * 4 + ("请问",) * 2 + ("想知道", "根据文件，", "按照规定，", "根据材料，", "根据报道，")
_ENDS = ("？", "？", "?", "", " ", "呢？")
_HAN = re.compile("[\u4e00-\u9fff]")


def sentences(text: str) -> list[str]:
    """Return the sentences of a text."""
    return [part.strip() for part in re.findall(r"[^。！？；\n]+", text) if part.strip()]


def question(sentence: str, chance: random.Random, *, context: str = "") -> str:
    """Return a question about one constituent of ``sentence``, or "" where no rule fits."""
    sentence = sentence.strip("，、：: ")
    rules = list(_COMPILED)
    chance.shuffle(rules)
    for pattern, words in rules:
        found = list(pattern.finditer(sentence))
        if not found:
            continue
        gap = chance.choice(found)
        asked = sentence[: gap.start()] + chance.choice(words) + sentence[gap.end() :]
        asked = _around(asked, gap.start(), chance)
        if 6 <= len(asked) <= 70 and len(_HAN.findall(asked)) >= 5:
            return chance.choice(_LEADS) + context + asked + chance.choice(_ENDS)
    return ""


def _around(text: str, place: int, chance: random.Random) -> str:
    """The clause at ``place`` with up to two before it and one after."""
    clauses = re.split("(?<=，)", text)
    passed = at = 0
    for index, clause in enumerate(clauses):
        if passed <= place <= passed + len(clause):
            at = index
        passed += len(clause)
    first, last = max(0, at - chance.randint(0, 2)), at + 1 + chance.randint(0, 1)
    return "".join(clauses[first:last]).strip("，、：: ")
