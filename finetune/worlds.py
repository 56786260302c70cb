"""Synthetic collections with exactly judged questions, Chinese and English: what the selector is trained on.

Arrives: ``worlds.toml`` (names, sentences and paraphrases, all written for this) and a seed. Leaves: a
:class:`World` of short passages in which companies, years, versions and topics differ by little, and
questions whose right passages are known because both were made from the same slots. No evaluation data.

    python -m finetune.worlds OUT --seed 1      # one JSON file a world, to look at
"""

from __future__ import annotations

import argparse
import random
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from finetune.worlds_dated import registers
from finetune.worlds_reports import reports

VOCABULARY = Path(__file__).parent / "worlds.toml"
YEARS = range(2015, 2026)
FORMAL_EN, PLAIN_EN, FORMAL_ZH, PLAIN_ZH = range(4)


class Text(msgspec.Struct, frozen=True, kw_only=True):
    """One passage."""

    id: str
    title: str
    text: str
    language: str


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One question with the passages that answer it."""

    id: str
    question: str
    style: str
    gold: tuple[str, ...]


class World(msgspec.Struct, frozen=True, kw_only=True):
    """One collection."""

    name: str
    texts: tuple[Text, ...]
    questions: tuple[Asked, ...]


class Recipe(msgspec.Struct, frozen=True, kw_only=True):
    """How much of each kind, in which languages."""

    name: str
    languages: tuple[str, ...]
    ask_across: float = 0.0
    """Share of questions put in the language that the passage is not in."""
    companies: int = 30
    years: int = 8
    topics: int = 60
    versions: int = 3
    news: int = 200
    people: int = 60
    dated: int = 0
    """Versions of every topic's rules, by the day, that differ by little; 0: by the year and new."""
    tables: int = 0
    """Firms whose yearly reports are tables; with them a recipe has no filings in sentences."""
    long: bool = False
    """Whether what belongs together stands in one passage: a firm's year, a topic's rules in a version."""


RECIPES = (
    Recipe(name="policies-en", languages=("en",), companies=10, years=3, versions=5, news=60, people=20),
    Recipe(name="filings-en", languages=("en",), companies=26, years=6, topics=15, versions=1, people=10),
    Recipe(name="people-en", languages=("en",), companies=8, years=2, topics=30, versions=1, people=260),
    Recipe(name="filings-zh", languages=("zh",), companies=22, years=6, topics=20, versions=1, people=20),
    Recipe(name="news-zh", languages=("zh",), companies=8, years=2, topics=60, versions=1, news=700),
    Recipe(name="policies-zh", languages=("zh",), companies=8, years=3, versions=4, news=60, people=60),
    Recipe(name="mixed", languages=("en", "zh"), ask_across=0.5, companies=10, years=3, versions=2),
    Recipe(name="pages-en", languages=("en",), companies=40, years=10, topics=40, versions=6, long=True),
    Recipe(name="pages-zh", languages=("zh",), companies=40, years=10, topics=40, versions=6, long=True),
    Recipe(
        name="dated-en",
        languages=("en",),
        dated=24,
        topics=20,
        companies=3,
        years=5,
        news=30,
        people=15,
        long=True,
    ),
    Recipe(
        name="dated-zh",
        languages=("zh",),
        dated=24,
        topics=20,
        companies=3,
        years=5,
        news=30,
        people=15,
        long=True,
    ),
    Recipe(name="registers-en", languages=("en",), dated=48, topics=8, news=10, people=5, tables=1),
    Recipe(name="registers-zh", languages=("zh",), dated=48, topics=8, news=10, people=5, tables=1),
    Recipe(name="reports-en", languages=("en",), tables=40, topics=10, versions=2, news=20, people=10),
    Recipe(name="reports-zh", languages=("zh",), tables=40, topics=10, versions=2, news=20, people=10),
)


class Maker:
    """One world in the making; everything random comes from its own generator."""

    def __init__(self, recipe: Recipe, seed: int) -> None:
        self.recipe, self.random = recipe, random.Random(f"{recipe.name} {seed}")
        self.vocabulary: dict[str, Any] = tomllib.loads(VOCABULARY.read_text("utf-8"))
        self.words: dict[str, list[str]] = {k: v.split("|") for k, v in self.vocabulary["words"].items()}
        for name in ("surname_zh", "given_zh"):
            self.words[name] = list(self.vocabulary["words"][name])
        self.texts: list[Text] = []
        self.asked: list[Asked] = []
        self.used: set[str] = set()
        self.joined: dict[str, int] = {}

    def world(self) -> World:
        """Make it."""
        if self.recipe.dated:
            registers(self, self.recipe.dated)
        if self.recipe.tables:
            reports(self, self.recipe.tables)
        skipped = (self.recipe.dated and policies, self.recipe.tables and filings)
        for part in (policies, filings, people, news):
            if part not in skipped:
                part(self)
        self.random.shuffle(self.texts)
        return World(name=self.recipe.name, texts=tuple(self.texts), questions=tuple(self.asked))

    def pick(self, words: str) -> str:
        """One of a word list."""
        return self.random.choice(self.words[words])

    def number(self, most: int = 98) -> int:
        """2 to ``most``."""
        return self.random.randint(2, most)

    def unique(self, make: Callable[[], str]) -> str:
        """A name that this world does not have yet."""
        while (name := make()) in self.used:
            pass
        self.used.add(name)
        return name

    def company(self, language: str) -> str:
        """An invented firm."""
        if language == "zh":
            return self.unique(lambda: self.pick("place_zh") + self.pick("brand_zh") + self.pick("trade_zh"))
        return self.unique(lambda: f"{self.pick('stem_en')}{self.pick('tail_en')} {self.pick('trade_en')}")

    def person(self, language: str) -> str:
        """An invented person."""
        if language == "zh":
            return self.unique(
                lambda: self.pick("surname_zh") + self.pick("given_zh") + self.pick("given_zh")
            )
        return self.unique(
            lambda: f"{self.pick('first_en')} {self.random.choice('ABCDEFGH')}. {self.pick('last_en')}"
        )

    def place(self, language: str) -> str:
        """An invented town."""
        if language == "zh":
            return self.pick("place_zh") + self.random.choice("市县镇区")
        return f"{self.pick('stem_en')}{self.pick('tail_en')}"

    def code(self) -> str:
        """A product's code."""
        letters = "".join(self.random.sample("ABCDEFGHKLMNPRSTVWX", 2))
        return f"{letters}-{self.random.randint(100, 999)}"

    def add(self, title: str, sentences: list[str], language: str, group: str = "") -> str:
        """Store a passage of these sentences and some filler; its id.

        In a recipe of long passages those of a ``group`` are joined.
        """
        extra = self.random.sample(self.words[f"fill_{language}"], self.random.randint(0, 3))
        name = f"{self.recipe.name}-{len(self.texts)}"
        glue = "" if language == "zh" else " "
        if self.recipe.long and group in self.joined:
            at = self.joined[group]
            before = self.texts[at]
            self.texts[at] = msgspec.structs.replace(
                before, text=glue.join([before.text, *sentences, *extra])
            )
            return before.id
        if group:
            self.joined[group] = len(self.texts)
        self.texts.append(Text(id=name, title=title, text=glue.join([*sentences, *extra]), language=language))
        return name

    def ask(self, style: str, question: str, gold: list[str]) -> None:
        """Store a question."""
        name = f"{self.recipe.name}-q{len(self.asked)}"
        self.asked.append(Asked(id=name, question=question, style=style, gold=tuple(gold)))

    def asking(self, language: str) -> str:
        """The language of a question about a passage in ``language``."""
        return ("en", "zh")[language == "en"] if self.random.random() < self.recipe.ask_across else language

    def detailed(self, kind: str, language: str) -> str:
        """The template of a long and precise question."""
        return self.random.choice(self.vocabulary["detailed"][f"{kind}_{language}"])

    def rows(self, text: str) -> list[list[str]]:
        """Lines of a four-column list."""
        return [[cell.strip() for cell in line.split("|")] for line in text.strip().splitlines()]


def policies(maker: Maker) -> None:
    """Rules on topics, from several angles, in several dated versions."""
    topics = [row for group in maker.vocabulary["topics"].values() for row in maker.rows(group)]
    for topic in maker.random.sample(topics, min(maker.recipe.topics, len(topics))):
        language = maker.random.choice(maker.recipe.languages)
        formal = topic[FORMAL_ZH if language == "zh" else FORMAL_EN]
        fixed = sorted(maker.random.sample(YEARS, maker.recipe.versions)) if maker.recipe.long else []
        for angle in maker.random.sample(sorted(maker.vocabulary["angles"]), 4):
            spec = maker.vocabulary["angles"][angle]
            years = fixed or sorted(
                maker.random.sample(YEARS, maker.random.randint(1, maker.recipe.versions))
            )
            made = [(year, _rule(maker, spec, formal, year, language)) for year in years]
            _ask_rule(maker, spec, topic, made, language)


def _rule(maker: Maker, spec: dict[str, list[str]], formal: str, year: int, language: str) -> str:
    zh = language == "zh"
    sentence = maker.random.choice(spec[language]).format(
        f=formal,
        F=formal[0].upper() + formal[1:],
        n=maker.number(),
        r=maker.pick(f"roles_{language}"),
        x=maker.pick(f"things_{language}"),
        k=maker.code(),
    )
    month = maker.random.randint(1, 12)
    title = (
        f"{formal}({year}年{month}月版)" if zh else f"{formal.capitalize()}, version of {year}-{month:02d}"
    )
    if maker.random.random() < 0.3:
        title = "规定" if zh else "Rules"
    return maker.add(
        title, [f"自{year}年起," if zh else f"As of {year}:", sentence], language, f"{formal} {year}"
    )


def _ask_rule(
    maker: Maker, spec: dict[str, list[str]], topic: list[str], made: list[tuple[int, str]], language: str
) -> None:
    asking = maker.asking(language)
    zh = asking == "zh"
    formal, plain = (topic[FORMAL_ZH], topic[PLAIN_ZH]) if zh else (topic[FORMAL_EN], topic[PLAIN_EN])
    templates = spec[f"ask_{asking}"]
    everything = [name for _, name in made]
    chance = maker.random.random()
    if len(made) == 1 or chance < 0.35:
        template, wording = maker.random.choice(templates), plain if maker.random.random() < 0.6 else formal
        maker.ask("colloquial" if wording == plain else "topic", template.format(c=wording), everything)
        if maker.random.random() < 0.3:
            long = (
                "我们部门昨天开会时谈到这件事,大家说法不一,我也翻了不少旧文件,还是没弄清楚,想请教一下:"
                if zh
                else "We had a long meeting about this yesterday, everybody said something else, and I went "
                "through many old circulars without finding it, so let me ask here: "
            )
            maker.ask("rambling", long + template.format(c=plain), everything)
    elif chance < 0.75:
        year, name = maker.random.choice(made)
        if maker.recipe.long:
            asked = maker.random.choice(templates).format(c="它" if zh else "it").rstrip("?？")
            detailed = maker.detailed("rule", asking).format(c=formal, y=year, q=asked)
            maker.ask("detailed rule", detailed, [name])
        words = f"按{year}年版," if zh else f"In the version of {year}: "
        maker.ask("version", words + maker.random.choice(templates).format(c=formal), [name])
    else:
        (first, one), (second, two) = made[0], made[-1]
        words = f"{formal}从{first}年到{second}年有什么变化?"
        maker.ask(
            "change",
            words if zh else f"What changed about {formal} between {first} and {second}?",
            [one, two],
        )


def filings(maker: Maker) -> None:
    """Figures of companies by year: pages that differ by a name, a year and a number."""
    metrics = maker.rows(maker.vocabulary["metrics"]["list"])
    for _ in range(maker.recipe.companies):
        language = maker.random.choice(maker.recipe.languages)
        company = maker.company(language)
        for metric in metrics:
            starts = YEARS[: 1 if maker.recipe.long else len(YEARS) - maker.recipe.years + 1]
            start = maker.random.choice(starts)
            years = range(start, start + maker.recipe.years)
            pages = {year: _page(maker, company, metric, year, language) for year in years}
            if maker.random.random() < min(1.0, 12 / maker.recipe.companies):
                _ask_page(maker, company, metric, pages, language)


def _page(maker: Maker, company: str, metric: list[str], year: int, language: str) -> str:
    zh = language == "zh"
    sentences = [
        maker.random.choice(maker.vocabulary["metrics"][language]).format(
            c=company,
            m=metric[FORMAL_ZH if zh else FORMAL_EN],
            y=year,
            v=f"{maker.random.uniform(1, 9000):,.2f}",
            w=f"{maker.random.uniform(1, 9000):,.2f}",
        )
    ]
    title = f"{company}{year}年年度报告" if zh else f"{company} annual report {year}"
    return maker.add(title if maker.random.random() < 0.7 else "", sentences, language, f"{company} {year}")


def _ask_page(maker: Maker, company: str, metric: list[str], pages: dict[int, str], language: str) -> None:
    asking = maker.asking(language)
    zh, plain = asking == "zh", maker.random.random() < 0.4
    words = metric[(PLAIN_ZH if zh else PLAIN_EN) if plain else (FORMAL_ZH if zh else FORMAL_EN)]
    year = maker.random.choice(sorted(pages))
    short = company[:4] if language == "zh" else company.split()[0]
    name = short if maker.random.random() < 0.3 else company
    if maker.random.random() < 0.2 and year + 1 in pages:
        question = (
            f"{name}{year}年和{year + 1}年的{words}相比变化多大?"
            if zh
            else f"How did {words} of {name} develop between {year} and {year + 1}?"
        )
        maker.ask("comparison", question, [pages[year], pages[year + 1]])
        return
    if maker.recipe.long and not plain:
        detailed = maker.detailed("figure", asking).format(c=name, m=words, y=year)
        maker.ask("detailed figure", detailed, [pages[year]])
    template = maker.random.choice(maker.vocabulary["metrics"][f"ask_{asking}"])
    maker.ask("plain figure" if plain else "figure", template.format(c=name, m=words, y=year), [pages[year]])


def people(maker: Maker) -> None:
    """Persons, their firms, products and spouses: questions that name one and ask of another."""
    spec = maker.vocabulary["people"]
    for _ in range(maker.recipe.people):
        language = maker.random.choice(maker.recipe.languages)
        person, other, company = maker.person(language), maker.person(language), maker.company(language)
        slots = {"p": person, "q": other, "c": company, "k": maker.code(), "b": maker.place(language)}
        tail = "" if language == "en" else "_zh"

        def say(kind: str, subject: str, slots: dict[str, str] = slots, language: str = language) -> str:
            key = f"{kind}_{language}" if kind else language
            line = maker.random.choice(spec[key]).format(**slots, y=maker.random.choice(YEARS))
            return maker.add(subject, [line], language, f"{subject} of {slots['p']}")

        born, founded = say("", person), say("work", company)
        made, wed = say("made", company), say("wed", person)
        if maker.random.random() < 0.8 * min(1, 90 / maker.recipe.people) + 0.2:
            asking = maker.asking(language)
            maker.ask("name", maker.random.choice(spec[f"ask_birth_{asking}"]).format(**slots), [born])
            at = maker.random.randrange(3)
            gold = ([founded, born], [made, founded, born], [founded, wed])[at]
            maker.ask(f"hops{tail}", spec[f"ask_hop_{asking}"][at].format(**slots), gold)
            if maker.random.random() < 0.4:
                maker.ask("code", f"{slots['k']}", [made])


def news(maker: Maker) -> None:
    """Events of companies on days; several papers report the same."""
    events = maker.rows(maker.vocabulary["news"]["list"])
    told = 0
    companies = {lang: [maker.company(lang) for _ in range(45)] for lang in maker.recipe.languages}
    while told < maker.recipe.news:
        language = maker.random.choice(maker.recipe.languages)
        zh = language == "zh"
        company, event = maker.random.choice(companies[language]), maker.random.choice(events)
        year, month = maker.random.choice(YEARS), maker.random.randint(1, 12)
        slots = {"n": maker.number(), "b": maker.place(language), "d": maker.company(language)}
        headline = event[FORMAL_ZH if zh else FORMAL_EN].format(**slots)
        day = f"{year}年{month}月{maker.number(28)}日" if zh else f"{maker.number(28)}/{month}/{year}"
        gold: list[str] = []
        for template in maker.random.sample(maker.vocabulary["news"][language], maker.random.randint(1, 2)):
            title = f"{company}{headline}" if zh else f"{company} {headline}"
            text = template.format(d8=day, c=company, h=headline, n=slots["n"])
            gold.append(maker.add(title if maker.random.random() < 0.5 else "", [text], language))
            told += 1
        if maker.recipe.long and maker.random.random() < 0.5:
            detailed = maker.detailed("news", language).format(c=company, h=headline, d8=day)
            maker.ask("detailed news", detailed, gold)
        if maker.random.random() < min(1.0, 130 / maker.recipe.news):
            _ask_news(maker, company, event, (year, month), gold, language)


def _ask_news(
    maker: Maker, company: str, event: list[str], when: tuple[int, int], gold: list[str], language: str
) -> None:
    asking = maker.asking(language)
    zh = asking == "zh"
    words = event[PLAIN_ZH if zh else PLAIN_EN]
    year, month = when
    questions = (
        (
            f"{company} {words} {year}",
            f"{year}年{month}月{company}出了什么事,是不是{words}?",
            f"{company}{words}",
        )
        if zh
        else (
            f"{company} {words} {year}",
            f"What happened at {company} in {month}/{year}, was it {words}?",
            f"Tell me about {words} at {company}",
        )
    )
    maker.ask("news", maker.random.choice(questions), gold)


def worlds(seed: int) -> Iterator[World]:
    """All of them."""
    for recipe in RECIPES:
        yield Maker(recipe, seed).world()


def main() -> None:
    """Write them out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    for world in worlds(chosen.seed):
        (chosen.out / f"{world.name}.json").write_bytes(msgspec.json.encode(world))
        styles = sorted({asked.style for asked in world.questions})
        print(f"{world.name}: {len(world.texts):,} passages, {len(world.questions)} questions: {styles}")


if __name__ == "__main__":
    main()
