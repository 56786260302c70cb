"""How a Chinese question that asks of several things is built, and the queries it falls into."""

from __future__ import annotations

import re
from collections.abc import Sequence

from appliance.understanding.fold import fold

_ASKED = re.compile(
    r"多少|什么|谁|哪|几[个家年次项名种位]|如何|怎么|怎样|是否|吗|呢|多[久长大高远]|何时|何地|为何"
)
_AND = (
    r"(?:以及|(?<![参涉普埃奈触顾波危以给共饱温柔缓])(?:和(?!平|谐|解|国|记|尚|气|声|睦|约|县|田)|"
    r"与(?!会|否|此|其)|及(?!时|其|格|笄)|跟(?!踪|进|随)|、))"
)
_TIME_LINK = re.compile(
    r"(?:的?(?:时候)?)?(?:和|与|及|以及|跟|同|、|或者?|还是|，|,|vs\.?|VS|对比|相比(?:于)?|较|"
    r"比|到|至|-|~|/|相较于?|同比|变到)*(?:在)?\s*"
)
_EACH = re.compile(
    r"分别|各自|各(?=是|为|有|在|增|减|上|下|达|占|由|属|录|获|多|什|哪|怎|如|出|卖|花|需|"
    r"要|的|收|实|推|采|开|发|成|位)"
)
_CHANGE = re.compile(
    r"变化|变动|增长|增加|下降|减少|上升|下跌|差异|差别|差距|区别|不同|相比|对比|比较|同比|增幅|"
    r"降幅|改了|改动|修订|调整"
)
_TOGETHER = re.compile(
    r"关系|合作|共同|联合|签署|签订|谈判|战争|联手|之间(?!的?(?:差|区|不|比))|一起|合计|总和|"
    r"加起来|一共|总共|冲突|合并(?!口径)|携手|双方"
)
_ATTRIBUTE = re.compile(
    r"(?:[一-鿿]{0,3}(?:时间|日期|地点|地址|人数|价格|售价|金额|数量|产量|销量|交付量|营收|收入|"
    r"利润|成本|费用|比例|比率|率|额|量|数|"
    r"冠军|亚军|成绩|主演|导演|编剧|作者|主席|市长|校长|主任|负责人|主角|得主|旗手|奖|面积|人口|"
    r"长度|高度|重量|剂量|用法|副作用|"
    r"适应症|禁忌症?|症状|原因|影响|优点|缺点|优势|劣势|条件|流程|期限|标准|范围|定义|特点|措施|"
    r"名称|型号|功能|总部|创始人|电话))"
)
_STOP_LEFT = re.compile(
    r"[，。？！；：,?!;:\s（）()]|的(?=[^，。？]{0,30}$)|(?:请问|对比|比较|相比|关于|对于?|在|"
    r"于|由|被|是|为|向|从|把|将|查询?|介绍|说明|列出|告诉我)"
)
_STOP_RIGHT = re.compile(
    r"[，。？！；：,?!;:\s（）()]|的|分别|各自|各(?=是|为|有)|都|是|为|有|在|谁|哪|什么|多少|"
    r"如何|怎么|相比|比较|之间|哪个|更|差|区别|不同|(?<=[一-鿿])20\d\d"
)


def chinese_facets(text: str, *, times: Sequence[tuple[int, int]], comparison: bool) -> list[str]:
    """The queries, or fewer than two where it asks of one thing."""
    body = text.rstrip("？?。！ ")
    found = _questions(text)
    if len(found) > 1:
        return found
    found = _by_time(body, times)
    if len(found) > 1:
        return found
    for rule in (_compared, _either, _each):
        found = rule(body, times)
        if len(found) > 1:
            return found
    return _clauses(body, times)


def _by_time(text: str, times: Sequence[tuple[int, int]]) -> list[str]:
    """The parts of ``2022年和2023年的…``, ``2021年的…比2020年…``: the same question for each time."""
    spans = _with_inner(text, sorted(times))
    folded = fold(text)
    for place in range(len(spans) - 1):
        run = [spans[place]]
        for later in spans[place + 1 :]:
            gap = folded[run[-1][1] : later[0]]
            if len(gap) > 8 or not gap or not _TIME_LINK.fullmatch(gap):
                break
            run.append(later)
        if len(run) > 1:
            before, after = text[: run[0][0]], text[run[-1][1] :]
            before = re.sub(r"(?:从|自|在|与|和|相比于?|对比|比较)$", "", before)
            after = re.sub(r"^(?:年)?(?:之间|期间|间|相比|相较|比较|比|两年)", "", after)
            return [_EACH.sub("", f"{before}{_yeared(text[b:e])}{after}") for b, e in run]
    return _by_than(text, spans)


def _yeared(words: str) -> str:
    return f"{words}年" if re.fullmatch(r"(?:19|20)\d\d", words) else words


_THAN = re.compile(r"(?:相比|相较于?|比起|较|比|和|与|跟|同|对比)(?:于|了)?$")


def _by_than(text: str, spans: list[tuple[int, int]]) -> list[str]:
    """The parts of ``2021年的净利润比2020年增长了多少``: what stands between the times is asked of both."""
    if len(spans) < 2 or (not _CHANGE.search(text) and "比" not in text):
        return []
    (b1, e1), (b2, e2) = spans[0], spans[1]
    middle = _THAN.sub("", text[e1:b2].rstrip())
    if middle == text[e1:b2].rstrip() or not 1 < len(middle) < 40 or re.search(r"[？?。；]", middle):
        return []
    lead = text[:b1]
    return [f"{lead}{text[b1:e1]}{middle}", f"{lead}{text[b2:e2]}{middle}"]


_INNER = re.compile(r"\s*(?:至|到|-|~|—|和|与)\s*")


def _with_inner(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    if not _CHANGE.search(text):
        return spans
    done: list[tuple[int, int]] = []
    for begin, end in spans:
        words = text[begin:end]
        lead = re.match(r"(?:自从|自|从|由)?", words)
        inner = next(
            (m for m in _INNER.finditer(words) if _digits(words[: m.start()]) and _digits(words[m.end() :])),
            None,
        )
        if inner and lead and "现在" not in words:
            tail = re.search(r"(?:之间|期间|间)$", words)
            done += [
                (begin + lead.end(), begin + inner.start()),
                (begin + inner.end(), tail.start() + begin if tail else end),
            ]
        else:
            done.append((begin, end))
    return done


def _digits(text: str) -> bool:
    return bool(re.search(r"\d|[去今前上本]年|[上本]季|[上下]半年", text))


_COMPARED = re.compile(
    r"(?:^|(?<=[，,：:\s]))(?:请)?(?:帮我)?(?:对比|比较|相比)(?:一下|"
    r"下)?(?P<a>[^，。？,?]{1,40}?)(?:和|与|跟|同|、|以及|vs|VS)(?P<b>[^，。？,?]{1,60})"
    r"(?P<tail>.*)$"
)
_DIFFERENCE = re.compile(
    r"(?P<a>[^，。？,?]{1,40}?)(?:和(?!平|谐)|(?<!参)与(?!会)|跟|vs\.?|VS|相比于?|相对于|比起|"
    r"相较于?)(?P<b>[^，。？,?]{1,40}?)(?:之间|两者|相比|比起来)?(?:的|，|"
    r",)?(?:在(?P<in>[^，。？,?]{1,20}?)(?:上|方面|中)?)?(?:的|，|,)?(?:有(?:什么|何|啥|哪些)?|"
    r"主要)?(?:的)?"
    r"(?P<tail>(?:区别|差异|差别|不同|异同|差距|(?:哪[个家种款位]?|谁|孰)[^，。？,?]{0,6}(?:更|"
    r"最|先|比较|高|低|优|强|早|晚|好|大)|(?:有)?(?:什么|何|哪些)(?:不同|区别))"
    r"[^，。？,?]{0,20})$"
)


def _compared(text: str, times: Sequence[tuple[int, int]]) -> list[str]:
    """The parts of ``对比A和B的…``, ``A与B的…有什么区别``."""
    match = _COMPARED.search(text)
    if match:
        first, second = match["a"], match["b"]
        rest = match["tail"].strip("，,：: ")
        shared = second.partition("的")[2] if "的" in second and "的" not in first else ""
        return [
            f"{part}，{rest}" if rest else part
            for part in (f"{first}的{shared}" if shared else first, second)
        ]
    match = _DIFFERENCE.search(text)
    if match is None or _TOGETHER.search(text):
        return []
    lead = text[: match.start()]
    about = match["in"] or ""
    first, second = match["a"], match["b"]
    shared = second.partition("的")[2] if "的" in second and "的" not in first else ""
    head = f"{first}的{shared}" if shared else first
    word = "" if re.match(r"区别|差|不同|异同|有", match["tail"]) else match["tail"]
    return [f"{lead}{part}{about}{word}" for part in (head, second)]


_OR = re.compile(
    r"^(?P<stem>[^，。？,?：:]{2,40}?)[，,：:](?:是)?(?P<a>[^，。？,?]{1,30}?)(?:还是|或者?)"
    r"(?P<b>[^，。？,?]{1,30})$"
)
_OR_MORE = re.compile(
    r"^(?P<lead>.*?)(?P<a>[^，。？,?]{1,24}?)(?:，|,)?还是(?P<b>[^，。？,?]{1,24}?)"
    r"(?P<tail>更?(?:早|晚|高|低|大|小|长|短|好|快|慢|贵|便宜|多|少|安全|划算|先|靠谱|重|轻)"
    r"[^，。？,?]{0,12})$"
)


def _either(text: str, times: Sequence[tuple[int, int]]) -> list[str]:
    """The parts of ``谁更早成立，A还是B``, ``A还是B更高``."""
    match = _OR.match(text)
    if match:
        stem = re.sub(r"^(?:哪(?:个|家|一个|种|款|位)|谁)", "", match["stem"])
        return [f"{match['a']}{stem}", f"{match['b']}{stem}"]
    match = _OR_MORE.match(text)
    if match:
        return [f"{match['lead']}{each}{match['tail']}" for each in (match["a"], match["b"])]
    return []


def _each(text: str, times: Sequence[tuple[int, int]]) -> list[str]:
    """The parts of ``A和B的…分别是多少``, ``…的导演和编剧是谁``: one query for each item."""
    if _TOGETHER.search(text):
        return []
    blanked = list(fold(text))
    for begin, end in times:
        blanked[begin:end] = ["，"] * (min(end, len(text)) - begin)
    for quoted in re.finditer(r"《[^《》]*》|“[^“”]*”|「[^「」]*」", text):
        blanked[quoted.start() : quoted.end()] = ["某"] * (quoted.end() - quoted.start())
    plain = "".join(blanked)
    each = _EACH.search(plain)
    for join in re.finditer(_AND, plain):
        items = _items(text, plain, join, bool(each))
        if len(items) > 1:
            return [_EACH.sub("", item) for item in items]
    return []


def _items(text: str, plain: str, join: re.Match[str], each: bool) -> list[str]:
    left, right = plain[: join.start()], plain[join.end() :]
    begin = max((m.end() for m in _STOP_LEFT.finditer(left)), default=0)
    stop = _STOP_RIGHT.search(right)
    end = join.end() + (stop.start() if stop else len(right))
    first, second = plain[begin : join.start()], plain[join.end() : end]
    if not first or not second or len(first) > 24 or len(second) > 24:
        return []
    tail = _ATTRIBUTE.search(first)
    if not each and not _worth(first, second, plain, end):
        return []
    attribute = next((m for m in _ATTRIBUTE.finditer(second) if m.end() == len(second)), None)
    if attribute and not (tail and tail.end() == len(first)) and len(second) > len(first):
        # 特斯拉和比亚迪交付量: the second item is as long as the first, what follows is asked of both.
        end = join.end() + _cut(first, second, attribute.start())
    elif tail and tail.end() == len(first) and tail.start() > 0 and begin == 0:
        begin += _attribute_start(first)
    return [
        f"{text[:begin]}{item}{text[end:]}" for item in (text[begin : join.start()], text[join.end() : end])
    ]


def _cut(first: str, second: str, attribute: int) -> int:
    """Where the second item ends in 比亚迪交付量: items asked alike are as long, else at the attribute."""
    return len(first) if 2 <= len(first) <= len(second) - 2 else max(attribute, 1)


def _attribute_start(first: str) -> int:
    match = re.search(
        r"(?:上映|发布|发售|首次|开始|结束|成立|会议)?(?:时间|日期|地点|价格|人数|主演|导演|编剧|"
        r"冠军|名称|原因|率|量|额|数)$",
        first,
    )
    return match.start() if match and match.start() > 0 else 0


def _worth(first: str, second: str, plain: str, end: int) -> bool:
    """Whether, without 分别, two items are asked of each by itself: two attributes, or names before one."""
    if _ASKED.search(first + second):
        return False
    both = all(any(m.end() == len(item) for m in _ATTRIBUTE.finditer(item)) for item in (first, second))
    rest = plain[end:]
    asks = rest.startswith("的") and any(
        m.end() == len(rest) or rest[m.end() :].startswith(("是", "有", "为", "各", "多"))
        for m in _ATTRIBUTE.finditer(rest)
    )
    alike = (abs(len(first) - len(second)) <= 1 and len(first) <= 5) or all(
        re.search(r"[A-Za-z某]", item) for item in (first, second)
    )
    tail = any(m.end() == len(second) for m in _ATTRIBUTE.finditer(second)) and not rest
    return both or (asks and alike) or tail


def _questions(text: str) -> list[str]:
    """Several sentences that each ask."""
    parts = [part.strip() for part in re.split(r"[？?；;。\n]+", text)]
    parts = [part for part in parts if len(part) > 3 and _ASKED.search(part)]
    return _carry(parts) if len(parts) > 1 else []


_CLAUSE = re.compile(
    r"[，,；;]\s*(?:并且|而且|以及|且|另外|同时|还有|又)?|(?:并且|而且|以及|且)(?=[^，,]{2,})"
)


def _clauses(text: str, times: Sequence[tuple[int, int]]) -> list[str]:
    """The parts of ``芯片是什么，起售价多少``: clauses that each ask."""
    cuts = list(_CLAUSE.finditer(text))
    begins, ends = [0, *(cut.end() for cut in cuts)], [*(cut.start() for cut in cuts), len(text)]
    parts: list[str] = []
    open_part = ""
    for begin, end in zip(begins, ends, strict=True):
        piece = text[begin:end].strip()
        open_part = f"{open_part}，{piece}" if open_part else piece
        if _ASKED.search(piece):
            parts.append(open_part)
            open_part = ""
    if open_part and parts:
        parts[-1] = f"{parts[-1]}，{open_part}"
    if len(parts) < 2 or any(len(part) < 4 for part in parts):
        return []
    if re.search(r"(?:如果|若|要是|假如)", parts[0]) or (
        re.match(r"(?:请问|你好|那|就是说)", parts[0]) and len(parts[0]) < 8
    ):
        return []
    return _carry(parts)


def _carry(parts: list[str]) -> list[str]:
    """Later parts that do not say of what they ask get the first part's subject."""
    topic = _topic(parts[0])
    return [
        part if not place or not topic or _own(part, topic) else f"{topic}{_pronounless(part)}"
        for place, part in enumerate(parts)
    ]


def _pronounless(part: str) -> str:
    return re.sub(r"^(?:它们?|他们?|她们?|其|该公司|该|这家公司|两国|两者)(?:的)?", "", part)


def _topic(part: str) -> str:
    before = part[: m.start()] if (m := _ASKED.search(part)) else part
    head = re.split(r"，|,", before)
    lead = "，".join(head[:-1])
    last = re.split(r"的|分别|是|有|在|为|由|成立|达到|于|怎", head[-1])[0]
    topic = f"{lead}，{last}" if lead and last else (last or lead)
    return topic if 1 < len(topic) <= 40 else ""


def _own(part: str, topic: str) -> bool:
    """Whether a part names its own subject: the topic, a quoted or Latin name, or enough words."""
    if topic[:3] in part or re.search(r"《|“|[A-Z][A-Za-z]{2,}", part):
        return True
    return len(part) > 14 and not re.match(r"它|他|她|其|该|这|那|两国|两者|平均|增长率|贸易", part)
