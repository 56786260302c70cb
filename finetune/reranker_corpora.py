# pyright: basic
"""Passages and questions that the Chinese cross-encoder learns from; none of any evaluation set.

Arrives: ``sections.jsonl`` of :mod:`finetune.aligned_text` (free documentation, English and Chinese alike), a
database of Chinese statutes (law texts have no copyright: Copyright Law of the PRC, article 5), and
:mod:`finetune.worlds`. Leaves: :class:`Pool` s, each with passages and questions whose passage is known.
A twelfth of the pages and statutes is held out: they decide, and no group of theirs is trained on.
"""

from __future__ import annotations

import json
import random
import sqlite3
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from finetune.questions_zh import question, sentences
from finetune.worlds import RECIPES, Maker

Texts = dict[str, str]
"""Language → text."""
HELD_OUT_PERCENT = 7
PASSAGE_CHARS = 520
ASK_EN = ("How do I {h}?", "What is {h}?", "{h}", "{h}", "{h}", "Tell me about {h}", "How does {h} work?")
ASK_ZH = ("如何{h}？", "{h}是什么？", "{h}", "{h}", "{h}", "{h}有什么作用？", "{h}怎么用？")
WORLD_SEEDS = (101, 102)


@dataclass(frozen=True)
class Asked:
    """A question, the index of its passage, and that passage as it is shown for this question."""

    kind: str
    query: Texts
    at: int
    shown: Texts
    held: bool


@dataclass
class Pool:
    """Passages of one collection, from which a question's negatives are taken, too."""

    passages: list[Texts] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    right: dict[int, set[int]] = field(default_factory=dict)
    """Further right passages of a question, by its place in ``asked``."""


def held_out(key: str) -> bool:
    """Whether a page or statute is held out."""
    return zlib.crc32(key.encode()) % 100 < HELD_OUT_PERCENT


def documentation(path: Path, chance: random.Random, *, most: int = 5500) -> Pool:
    """Headings, removed sentences and questions in place about aligned documentation."""
    pages: dict[str, list[dict]] = {}
    for line in path.read_text("utf-8").splitlines():
        section = json.loads(line)
        pages.setdefault(section["source"] + section["id"].split("#")[0], []).append(section)
    pool, kinds = Pool(), {"docs_head": 0.4, "docs_sent": 0.33, "docs_quiz": 0.27}
    left = {kind: int(share * most) for kind, share in kinds.items()}
    ready: list[tuple[str, Asked]] = []
    for page, sections in pages.items():
        for parts in _cut(sections, chance):
            title, at = sections[0]["heads"], len(pool.passages)
            pool.passages.append(_both(title, parts))
            for number in range(len(parts)):
                ready += [(one.kind, one) for one in _ask(page, title, parts, number, at, chance)]
    chance.shuffle(ready)
    for kind, one in ready:
        if left[kind] > 0:
            left[kind] -= 1
            pool.asked.append(one)
    return pool


def _cut(sections: list[dict], chance: random.Random) -> Iterator[list[tuple]]:
    """Runs of (heads or None, English, Chinese) of 50 to 330 Chinese characters."""
    parts: list[tuple] = []
    goal = chance.randint(50, 330)
    for section in sections:
        for number, (english, chinese) in enumerate(section["paragraphs"]):
            parts.append((section["heads"] if number == 0 else None, english, chinese))
            if sum(len(part[2]) for part in parts) >= goal:
                yield parts
                parts, goal = [], chance.randint(50, 330)
    if sum(len(part[2]) for part in parts) >= 25:
        yield parts


def _both(
    title: list[str], parts: list[tuple], *, drop: int = -1, headless: int = -1, titled: bool = True
) -> Texts:
    shown: Texts = {}
    for column, language in enumerate(("en", "zh")):
        lines = [title[column]] if titled else []
        for number, (heads, *texts) in enumerate(parts):
            if heads and number != headless and heads[column] != title[column]:
                lines.append(heads[column])
            if number != drop:
                lines.append(texts[column])
        shown[language] = "\n".join(lines)
    return shown


def _ask(
    page: str, title: list[str], parts: list[tuple], number: int, at: int, chance: random.Random
) -> Iterator[Asked]:
    heads, english, chinese = parts[number]
    held = held_out(page)
    if heads and 2 <= len(heads[1]) <= 30:
        form = chance.randrange(len(ASK_EN))
        query = {"en": ASK_EN[form].format(h=heads[0]), "zh": ASK_ZH[form].format(h=heads[1])}
        if chance.random() < 0.5 and title[1] != heads[1]:
            query = {"en": f"{query['en']} {title[0]}", "zh": f"{title[1]} {query['zh']}"}
        headless = number if chance.random() < 0.5 else -1
        shown = _both(title, parts, headless=headless, titled=chance.random() < 0.6)
        yield Asked("docs_head", query, at, shown, held)
    if 15 <= len(chinese) <= 90 and len(parts) > 1:
        drop = number if chance.random() < 0.7 else -1
        yield Asked("docs_sent", {"en": english, "zh": chinese}, at, _both(title, parts, drop=drop), held)
    made = [text for part in sentences(chinese) if (text := question(part, chance))]
    if made:
        query = {"en": english[:200], "zh": chance.choice(made)}
        yield Asked("docs_quiz", query, at, _both(title, parts), held)


def statutes(path: Path, chance: random.Random, *, passages: int = 7000, most: int = 4500) -> Pool:
    """Questions in place about runs of articles."""
    laws: dict[str, list[tuple[str, str]]] = {}
    with sqlite3.connect(path) as database:
        for law, number, text in database.execute(
            "SELECT law_name, article_no, article_text FROM articles ORDER BY id"
        ):
            laws.setdefault(law, []).append((number, text))
    runs: list[tuple[str, list[tuple[str, str]]]] = []
    for law, articles in laws.items():
        goal, run = 0, []
        for article in articles:
            run.append(article)
            if sum(len(text) for _, text in run) >= goal:
                runs.append((law, run))
                goal, run = chance.choice((40, 90, 150, 220, 320, 420)), []
    chance.shuffle(runs)
    pool = Pool()
    for law, run in runs[:passages]:
        head = f"{law}\n" if chance.random() < 0.67 else ""
        shown = (head + "\n".join(f"{number} {text}" for number, text in run))[:PASSAGE_CHARS]
        pool.passages.append({"zh": shown})
        lines = [line for _, text in run for line in sentences(text) if len(line) >= 10]
        context = law.removeprefix("中华人民共和国") + "中，" if chance.random() < 0.15 else ""
        for line in chance.sample(lines, min(3, len(lines))):
            asked = question(line, chance, context=context)
            if asked and line[:12] in shown and len(pool.asked) < most:
                at = len(pool.passages) - 1
                pool.asked.append(Asked("law_quiz", {"zh": asked}, at, {"zh": shown}, held_out(law)))
                break
    return pool


def invented(chance: random.Random, *, most: int = 2500) -> Iterator[Pool]:
    """The judged questions of the generated worlds."""
    share = {"zh": 0.165, "en": 0.05, "mixed": 0.1}
    for recipe in RECIPES:
        spoken = recipe.languages[0] if len(recipe.languages) == 1 else "mixed"
        for seed in WORLD_SEEDS:
            world = Maker(recipe, seed).world()
            at = {text.id: index for index, text in enumerate(world.texts)}
            pool = Pool([{"any": f"{one.title}\n{one.text}".strip()[:600]} for one in world.texts])
            asked = [one for one in world.questions if one.style != "code"]
            chance.shuffle(asked)
            for one in asked[: int(most * share[spoken] / len(WORLD_SEEDS))]:
                right = {at[name] for name in one.gold}
                first = min(right)
                pool.right[len(pool.asked)] = right
                held = seed == WORLD_SEEDS[-1] and zlib.crc32(one.question.encode()) % 100 < 12
                kind, query = f"worlds_{spoken}", {"any": one.question}
                pool.asked.append(Asked(kind, query, first, pool.passages[first], held))
            yield pool
