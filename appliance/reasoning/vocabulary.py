"""The words that a remembered plan may hold: grammar, roles, things and verbs of everyone's questions.

Arrives: a word of English, a run of Chinese. Leaves: whether it may stay. What is not listed may not.
"""

from __future__ import annotations

import re

from appliance.reasoning import unfold_zh
from appliance.reasoning.words_en import (
    ADVERBS,
    ASKING,
    BE,
    DETERMINERS,
    DO,
    HAVE,
    MODALS,
    NOUNS,
    PREPOSITIONS,
    RELATIVES,
    is_base,
    is_ing,
    is_listed_past,
    is_third,
)

_MORE = frozenset(
    "and or not no it he she they them him us we you i more most less least fewer than other another all "
    "any some "
    "both each one two three year years date day month time name kind type number many much long old large "
    "big "
    "high tall deep heavy first second third last largest biggest highest longest oldest newest smallest "
    "lowest "
    "latest earliest born birth death place part percent percentage share total average difference change "
    "growth "
    "sales costs cost price profit income expenses salary size weight age value rate amount members "
    "employees "
    "people customers products risks risk s there same different current native main".split()
)
_ENGLISH = NOUNS | DETERMINERS | PREPOSITIONS | RELATIVES | ASKING | BE | HAVE | DO | MODALS | ADVERBS | _MORE
_GRAMMAR_ZH = (
    "什么时候 什么 哪里 哪儿 哪一年 哪一个 哪个 哪家 哪位 哪部 哪座 哪所 哪年 哪国 谁 何时 何地 多少 "
    "几 为什么 怎么 如何 是否 有没有 是不是 "
    "的 是 在 了 有 和 与 或 及 吗 呢 由 被 把 从 到 向 对 于 为 其 该 这 那 个 家 位 部 所 座 年 月 "
    "日 中 里 上 下 之间 之后 之前 最 更 较 "
    "比 都 也 曾 过 并 请问 出生 去世 逝世 毕业 成立 创立 创办 建立 建成 位于 担任 获得 来自 属于 "
    "就读 任教 工作 任职 负责 发明 研制 生产 制造 "
    "供应 使用 采用 上映 发行 出版 发布 上市 生效 导演了 执导 演唱 主演 写 创作 收购 合作 名称 名字 "
    "叫 时间 日期 年份 地点 人口 面积 "
    "高度 长度 重量 价格 数量 经费 预算 员工 营收 收入 利润 净利润 成本 费用 总额 金额 比例 增长 "
    "增加 下降 减少 变化 原因 影响 职业 国籍 代表作 人"
).split()
_LISTS_ZH = (unfold_zh.PEOPLE, unfold_zh.FIRMS, unfold_zh.THINGS, unfold_zh.PLACES)
_CHINESE = frozenset(_GRAMMAR_ZH) | {
    re.sub(r"\W", "", word) for words in _LISTS_ZH for word in words.split("|")
}
_LONGEST = max(map(len, _CHINESE))


def known_english(low: str) -> bool:
    """Whether a word in lower case is vocabulary."""
    if low in _ENGLISH or is_base(low) or is_third(low) or is_ing(low) or is_listed_past(low):
        return True
    return low.endswith("s") and low[:-1] in NOUNS


def split_chinese(run: str) -> list[tuple[str, bool]]:
    """A run that holds Chinese as pieces, longest words first, each with whether it is vocabulary."""
    pieces: list[tuple[str, bool]] = []
    at = 0
    while at < len(run):
        word = next(
            (
                run[at : at + n]
                for n in range(min(_LONGEST, len(run) - at), 0, -1)
                if run[at : at + n] in _CHINESE
            ),
            "",
        )
        if word:
            pieces.append((word, True))
            at += len(word)
        elif pieces and not pieces[-1][1]:
            pieces[-1] = (pieces[-1][0] + run[at], False)
            at += 1
        else:
            pieces.append((run[at], False))
            at += 1
    return pieces
