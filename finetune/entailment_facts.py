# pyright: basic
"""Invented people, works, firms and places with facts in many wordings: premises, claims, questions, answers.

Arrives: a source of chance. Leaves: cases in English and Chinese. A premise tells two or three things in one
wording, the claim one of them in another, or joins two; a wrong one takes a value of a neighbour, invents
one, or answers beside the question. Everything here is written for this; no evaluation set is near it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

Case = tuple[str, str, bool, str]
"""Premise, claim (or question and answer), whether it follows, kind."""
_GIVEN = (
    "Alden Brisa Corvin Dalia Emeric Fenna Gideon Hollis Imre Jorun Kasper Leonie Marlow "
    "Nadia Orrin Petra Quill Rosalind Stellan Tamsin Ulric Vesna"
).split()
_FAMILY = (
    "Abernathy Bellwether Castellan Drummond Eastlake Farrow Greville Hathersage Inglewood "
    "Jessop Kirkbride Lanchester Merriweather Norcott Oakenshaw Pemberley Quennell "
    "Ravensworth Stanhope Thornbury"
).split()
_PLACES = (
    "Harrowgate Lindmoor,Port Calder,Westhaven,Brackley Falls,Norrvik,Sankt Erlen,Costa Verra,Tallin Bay,"
    "Orsova Heights,Millgrove,Dunmere"
).split(",")
_WORKS = (
    "The Glass Orchard,Northern Lanterns,A Quiet Ledger,Salt and Cinder,The Ninth Ferry,House of Reeds,"
    "Paper Harbours,The Last Cartographer,Winter Engine,Silver Lattice"
).split(",")
_TRADES = (
    "novelist,painter,chemist,architect,composer,footballer,journalist,physicist,film director,economist"
).split(",")
_GENRES = "comedy drama thriller documentary musical mystery".split()
_ZH_FAMILY, _ZH_GIVEN = (
    "陆沈韩祁邵温阮闵柯骆凌岑",
    "清远 思齐 明轩 若溪 景行 允文 书瑶 知秋 怀瑾 星河 念慈 子衿".split(),
)
_ZH_PLACES = "临川市 青浦县 云岭镇 海宁市 石门县 东屿市 北岸市 安和县".split()
_ZH_WORKS = (
    "《玻璃果园》 《北方的灯》 《安静的账本》 《盐与灰》 "
    "《第九条渡船》 《纸港》 《最后的制图师》 《冬日引擎》"
).split()
_ZH_TRADES = "小说家 画家 化学家 建筑师 作曲家 记者 物理学家 导演 经济学家".split()
_EN = {
    "maker": (
        ["{w} is a {y} {g} directed by {p}.", "{p} directed the {g} {w}, released in {y}.",
        "Released in {y}, {w} is a {g} by director {p}."],
        ["{w} was directed by {p}.", "The director of {w} is {p}.", "{p} made {w}."],
        "Who directed {w}?", "p"),
    "released": (
        ["{w} is a {y} {g} directed by {p}.", "{p} directed the {g} {w}, released in {y}.",
        "Released in {y}, {w} is a {g} by director {p}."],
        ["{w} came out in {y}.", "{w} dates from {y}.", "{w} was released in {y}."],
        "In which year was {w} released?", "y"),
    "genre": (
        ["{w} is a {y} {g} directed by {p}.", "{p} directed the {g} {w}, released in {y}."],
        ["{w} is a {g}.", "{w} belongs to the genre of {g}."], "What kind of film is {w}?", "g"),
    "birth": (
        ["{p} (born {b} in {c}) is a {t}.", "{p}, a {t}, was born in {c} in {b}.",
        "Born in {c} in {b}, {p} became a {t}."],
        ["{p} was born in {b}.", "The year of birth of {p} is {b}."], "When was {p} born?", "b"),
    "town": (
        ["{p} (born {b} in {c}) is a {t}.", "{p}, a {t}, was born in {c} in {b}.",
        "Born in {c} in {b}, {p} became a {t}."],
        ["{p} comes from {c}.", "{c} is the birthplace of {p}."], "Where was {p} born?", "c"),
    "trade": (
        ["{p} (born {b} in {c}) is a {t}.", "{p}, a {t}, was born in {c} in {b}.",
        "Born in {c} in {b}, {p} became a {t}."],
        ["{p} works as a {t}.", "{p} is a {t} by profession."], "What is the profession of {p}?", "t"),
    "people": (
        ["{c} is a town of {n} inhabitants on the river {r}.", "On the {r} lies {c}, where {n} people live."],
        ["The population of {c} is {n}.", "{c} has {n} inhabitants."], "How many people live in {c}?", "n"),
    "river": (
        ["{c} is a town of {n} inhabitants on the river {r}.", "On the {r} lies {c}, where {n} people live."],
        ["{c} stands on the {r}.", "The {r} flows through {c}."], "On which river is {c}?", "r"),
}  # fmt: skip
_ZH = {
    "maker": (["{w}是{p}于{y}年执导的{g}片。", "{y}年上映的{g}片{w}由{p}执导。"], ["{w}的导演是{p}。",
    "{p}导演了{w}。"], "{w}的导演是谁？", "p"),
    "released": (["{w}是{p}于{y}年执导的{g}片。", "{y}年上映的{g}片{w}由{p}执导。"],
    ["{w}于{y}年推出。", "{w}是{y}年的作品。"], "{w}是哪一年的作品？", "y"),
    "genre": (["{w}是{p}于{y}年执导的{g}片。", "{y}年上映的{g}片{w}由{p}执导。"], ["{w}属于{g}片。"],
    "{w}属于什么类型？", "g"),
    "birth": (["{p}，{b}年生于{c}，{t}。", "{t}{p}{b}年出生在{c}。"], ["{p}出生于{b}年。"],
    "{p}出生于哪一年？", "b"),
    "town": (["{p}，{b}年生于{c}，{t}。", "{t}{p}{b}年出生在{c}。"], ["{p}是{c}人。",
    "{p}的出生地是{c}。"], "{p}出生在哪里？", "c"),
    "trade": (["{p}，{b}年生于{c}，{t}。", "{t}{p}{b}年出生在{c}。"], ["{p}的职业是{t}。",
    "{p}以{t}为业。"], "{p}的职业是什么？", "t"),
    "people": (["{c}位于{r}畔，有居民{n}人。", "{c}人口{n}人，{r}流经此地。"], ["{c}的人口为{n}人。",
    "{c}住着{n}人。"], "{c}有多少人口？", "n"),
    "river": (["{c}位于{r}畔，有居民{n}人。", "{c}人口{n}人，{r}流经此地。"], ["{c}在{r}边上。",
    "流经{c}的河是{r}。"], "{c}在哪条河边？", "r"),
}  # fmt: skip
_TOLD = ("maker", "birth", "people")
_BESIDE_EN = [
    "It is widely regarded as important.",
    "This remains a matter of debate.",
    "Many visitors come every year.",
    "Critics received it warmly.",
]
_BESIDE_ZH = ["广受好评。", "至今仍有争议。", "每年吸引大量游客。", "在业界颇有影响。"]


def _values(chance: random.Random, han: bool) -> dict[str, str]:
    year, born = chance.randint(1950, 2023), chance.randint(1890, 1999)
    common = {"y": str(year), "b": str(born), "n": f"{chance.randint(2, 900) * 130:,}"}
    if han:
        person = chance.choice(_ZH_FAMILY) + chance.choice(_ZH_GIVEN)
        return common | {
            "p": person, "w": chance.choice(_ZH_WORKS), "c": chance.choice(_ZH_PLACES),
            "t": chance.choice(_ZH_TRADES),
            "g": chance.choice("喜剧 剧情 惊悚 纪录 音乐 悬疑".split()),
            "r": chance.choice("洛水 清江 白河 沅溪 汾川".split()),
        }  # fmt: skip
    return common | {
        "p": f"{chance.choice(_GIVEN)} {chance.choice(_FAMILY)}", "w": chance.choice(_WORKS),
        "c": chance.choice(_PLACES),
        "t": chance.choice(_TRADES), "g": chance.choice(_GENRES),
        "r": chance.choice("Arlen Wye Tessel Orne Brathay".split()),
    }  # fmt: skip


def cases(chance: random.Random, count: int) -> Iterator[Case]:
    """Yield ``count`` worlds' worth of cases: four of each, half of them true, half about a question."""
    for _ in range(count):
        han = chance.random() < 0.5
        table = _ZH if han else _EN
        mine, theirs = _values(chance, han), _values(chance, han)
        joint = "" if han else " "
        told = list(_TOLD)
        chance.shuffle(told)
        said = [(kind, chance.choice(table[kind][0])) for kind in told[: chance.randint(2, 3)]]
        other = chance.choice(table[told[0]][0]).format(**theirs)
        lines = [pattern.format(**mine) for _, pattern in said]
        if chance.random() < 0.6:
            lines.insert(chance.randint(0, len(lines)), other)
        premise = joint.join(lines)
        families = {
            "maker": ("maker", "released", "genre"),
            "birth": ("birth", "town", "trade"),
            "people": ("people", "river"),
        }
        kinds = [k for kind, pattern in said for k in families[kind] if "{" + table[k][3] + "}" in pattern]
        yield from _about(chance.choice(kinds), premise, mine, theirs, table, chance, han)
        yield from _about(chance.choice(kinds), premise, mine, theirs, table, chance, han)
        if {"maker", "birth"} <= {kind for kind, _ in said} and mine["c"] != theirs["c"]:
            yield from _two_hops(premise, mine, theirs, chance, han)
        if chance.random() < 0.3 and mine["t"] != theirs["t"] and "birth" in {kind for kind, _ in said}:
            asked = "{p}是{t}吗？" if han else "Is {p} a {t}?"
            yes, no = ("是", "不是") if han else ("yes", "no")
            for values, true in ((mine, True), (mine | {"t": theirs["t"]}, False)):
                turned = chance.random() < 0.5
                answer = (yes if true else no) if turned else (no if true else yes)
                yield premise, f"{asked.format(**values)} {answer}", turned, "yes or no"


def _two_hops(premise: str, mine: dict, theirs: dict, chance: random.Random, han: bool) -> Iterator[Case]:
    """What joins two sentences: the town of a work's director."""
    asked = (
        "{w}的导演出生在哪里？"
        if han
        else chance.choice(
            ("Where was the director of {w} born?", "{w} was directed by a person born in which town?")
        )
    )
    full = "{w}的导演生于{c}。" if han else "The director of {w} was born in {c}."
    whole, put = chance.random() < 0.4, chance.random() < 0.7
    wrong = mine | {"c": theirs["c"]}
    beside = [mine[k] for k in ("p", "b", "t") if mine[k] in premise]
    for values, true in ((mine, True), (wrong, False)):
        said = full.format(**values) if whole or not put else values["c"]
        if not true and put and beside and chance.random() < 0.3:
            said = chance.choice(beside)
        yield premise, f"{asked.format(**mine)} {said}" if put else said, true, "two hops"


def _about(
    kind: str, premise: str, mine: dict, theirs: dict, table: dict, chance: random.Random, han: bool
) -> Iterator[Case]:
    _, claims, asked, slot = table[kind]
    swapped = mine | {slot: theirs[slot]}
    if theirs[slot] == mine[slot]:
        return
    question = asked.format(**mine)
    if chance.random() < 0.5:
        yield premise, chance.choice(claims).format(**mine), True, "paraphrase"
        wrong = chance.choice(claims).format(**swapped)
        if chance.random() < 0.25:
            wrong = (
                premise.split("。" if han else ". ")[0]
                + ("，" if han else ". ")
                + chance.choice(_BESIDE_ZH if han else _BESIDE_EN)
            )
        yield premise, wrong, False, "neighbour's value"
        return
    full = chance.random() < 0.4
    right = chance.choice(claims).format(**mine) if full else mine[slot]
    false = chance.choice(claims).format(**swapped) if full else theirs[slot]
    if chance.random() < 0.25:  # stands in the premise, and is no answer
        beside = [v for k, v in mine.items() if k != slot and v in premise]
        false = chance.choice(beside) if beside else false
    yield premise, f"{question} {right}", True, "answer"
    yield premise, f"{question} {false}", False, "wrong answer"


_TAILS_EN = (
    ", according to most accounts",
    " after a long dispute",
    ", which surprised many",
    " on an island in the north",
    "",
)
_TAILS_ZH = ("，据多数记载", "，经过长期争论", "，令许多人意外", "，位于北方的一座岛上", "")


def inventions(chance: random.Random, count: int) -> Iterator[Case]:
    """Yield answers out of nowhere beside right ones: what a writer invents seldom stands in the passage."""
    for _ in range(count):
        han = chance.random() < 0.5
        table = _ZH if han else _EN
        mine, theirs = _values(chance, han), _values(chance, han)
        told = [(kind, chance.choice(table[kind][0])) for kind in chance.sample(_TOLD, 3)]
        premise = ("" if han else " ").join(pattern.format(**mine) for _, pattern in told)
        kind = chance.choice([k for k in table if any("{" + table[k][3] + "}" in p for _, p in told)])
        _, claims, asked, slot = table[kind]
        if theirs[slot] == mine[slot] or theirs[slot] in premise or mine[slot] not in premise:
            continue
        question = asked.format(**mine)
        for values, true in ((mine, True), (mine | {slot: theirs[slot]}, False)):
            full = chance.random() < 0.5
            said = chance.choice(claims).format(**values) if full else values[slot]
            tail = chance.choice(_TAILS_ZH if han else _TAILS_EN) if full and not true else ""
            yield (
                premise,
                f"{question} {said.rstrip('.。')}{tail}",
                true,
                "answer" if true else "invented answer",
            )
