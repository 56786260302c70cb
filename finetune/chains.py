"""Synthetic collections for multi-hop questions, Chinese and English, to train the continue head on.

Arrives: ``chains.toml`` (facts and questions, all written for this) and a seed. Leaves: a :class:`Web` of
short pages on invented persons, firms, products, schools and towns, and questions of one to four hops whose
sub-questions, results and right pages are known. Some facts are written on no page: what asks for them cannot
be answered. No evaluation data.

    python -m finetune.chains OUT --seed 1      # one JSON file a web, to look at
"""

from __future__ import annotations

import argparse
import random
import tomllib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from finetune.worlds import Maker, Recipe, Text

RELATIONS = Path(__file__).parent / "chains.toml"
WITHHELD = 0.14
"""Share of the facts that are on no page."""
OBLIQUE = 0.55
"""How often a fact or a question is put in other words than the plain ones."""
TYPES = {"product": 1.0, "company": 1.6, "person": 2.0, "school": 0.6, "place": 1.4}
"""How many of each there are, for one product."""
TALKED_OF = 0.4
"""Share of the names that have pages which speak of them and say nothing."""


class Relation(msgspec.Struct, frozen=True, kw_only=True):
    """One property, and how it is said and asked for."""

    name: str
    head: str
    tail: str
    on: str
    en: tuple[str, ...]
    zh: tuple[str, ...]
    noun_en: str
    noun_zh: str
    ask_en: tuple[str, ...]
    ask_zh: tuple[str, ...]
    kind: str

    def said(self, language: str) -> tuple[str, ...]:
        """Its sentences."""
        return self.zh if language == "zh" else self.en

    def asked(self, language: str) -> tuple[str, ...]:
        """Its questions."""
        return self.ask_zh if language == "zh" else self.ask_en


class Hop(msgspec.Struct, frozen=True, kw_only=True):
    """One sub-question; ``{1}`` stands for the result of the first."""

    question: str
    answer: str
    decoy: str
    """A wrong result of the same kind; empty where nothing builds on it."""
    gold: tuple[str, ...]
    """Pages that say it; empty: none does."""
    depends_on: tuple[int, ...] = ()


class Chain(msgspec.Struct, frozen=True, kw_only=True):
    """One question with its sub-questions, in order."""

    id: str
    question: str
    hops: tuple[Hop, ...]


class Web(msgspec.Struct, frozen=True, kw_only=True):
    """One collection."""

    name: str
    texts: tuple[Text, ...]
    chains: tuple[Chain, ...]


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """What is so in a web: ``shown`` is how its page names the result; ``page`` is empty where none does."""

    relation: Relation
    head: str
    tail: str
    shown: str
    page: str


class Weaver:
    """One web in the making; ``across``: share of questions put in the language that the pages are not in."""

    def __init__(self, name: str, languages: tuple[str, ...], *, size: int, seed: int, across: float) -> None:
        """``size``: products of each language."""
        self.maker = Maker(Recipe(name=name, languages=languages), seed)
        self.random = random.Random(f"{name} {seed}")
        self.name, self.across = name, across
        vocabulary = tomllib.loads(RELATIONS.read_text("utf-8"))
        self.relations = msgspec.convert(vocabulary["relations"], tuple[Relation, ...])
        self.talk: dict[str, list[str]] = vocabulary["talk"]
        self.texts: list[Text] = []
        self.facts: dict[tuple[str, str], Fact] = {}
        self.known: dict[tuple[str, str], list[str]] = {}
        self.famous: dict[tuple[str, str], list[str]] = {}
        for language in languages:
            self._write(language, size)
            for kind in TYPES:
                self._talk_of(kind, language)

    def web(self, count: int) -> Web:
        """The web with so many questions."""
        chains = [chain for number in range(count) if (chain := self._chain(f"{self.name}-q{number}"))]
        return Web(name=self.name, texts=tuple(self.texts), chains=tuple(chains))

    def _name(self, kind: str, language: str) -> str:
        maker, zh = self.maker, language == "zh"
        if kind == "company":
            return maker.company(language)
        if kind == "person":
            return maker.person(language)
        if kind == "school":
            ends = ("学院", "师范学校", "工艺学校") if zh else ("Academy", "College", "School of Crafts")
            return maker.unique(
                lambda: f"{maker.place(language)}{'' if zh else ' '}{maker.random.choice(ends)}"
            )
        return maker.unique(maker.code if kind == "product" else lambda: maker.place(language))

    def _write(self, language: str, size: int) -> None:
        for kind, times in TYPES.items():
            # Towns are few: those of Chinese are 16 names with four endings.
            most = 48 if kind == "place" else 10_000
            self.known[kind, language] = [
                self._name(kind, language) for _ in range(min(most, int(size * times)))
            ]
        pages: dict[str, list[str]] = {}
        numbers = {
            name: f"{self.name}-{language}-{number}"
            for number, name in enumerate(name for kind in TYPES for name in self.known[kind, language])
        }
        for relation in self.relations:
            for head in self.known[relation.head, language]:
                self._state(relation, head, language, pages, numbers)
        for name, page in numbers.items():
            sentences = pages.get(page, [])
            self.random.shuffle(sentences)
            fill = self.random.sample(self.maker.words[f"fill_{language}"], self.random.randint(0, 2))
            text = ("" if language == "zh" else " ").join([*sentences, *fill]) or name
            title = name if self.random.random() < 0.6 else ""
            self.texts.append(Text(id=page, title=title, text=text, language=language))

    def _talk_of(self, kind: str, language: str) -> None:
        """Pages among which the one that says something is hard to find, as in any real collection."""
        names = self.known[kind, language]
        self.famous[kind, language] = self.random.sample(names, int(len(names) * TALKED_OF))
        templates, glue = self.talk[f"{kind}_{language}"], "" if language == "zh" else " "
        for name in self.famous[kind, language]:
            for _ in range(self.random.randint(5, 12)):
                chosen = self.random.sample(templates, self.random.randint(1, 3))
                years, numbers = self.random.randint(1950, 2024), self.random.randint(2, 400)
                text = glue.join(each.format(h=name, y=years, n=numbers) for each in chosen)
                page = f"{self.name}-{language}-t{len(self.texts)}"
                title = name if self.random.random() < 0.6 else ""
                self.texts.append(Text(id=page, title=title, text=text, language=language))

    def _state(
        self,
        relation: Relation,
        head: str,
        language: str,
        pages: dict[str, list[str]],
        numbers: dict[str, str],
    ) -> None:
        chance = self.random
        if relation.tail == "year":
            tail = str(chance.randint(1880, 2024))
        elif relation.tail == "number":
            tail = str(chance.randint(120, 90_000))
        else:
            tail = chance.choice([name for name in self.known[relation.tail, language] if name != head])
        shown = tail
        if relation.tail == "company" and relation.on == "head" and chance.random() < 0.35:
            shown = tail[:4] if language == "zh" else tail.split()[0]
        page = "" if chance.random() < WITHHELD else numbers[head if relation.on == "head" else tail]
        if page:
            sentence = self._words(relation.said(language))
            pages.setdefault(page, []).append(sentence.format(h=head, t=shown))
        fact = Fact(relation=relation, head=head, tail=tail, shown=shown, page=page)
        self.facts[relation.name, head] = fact

    def _words(self, templates: tuple[str, ...]) -> str:
        return self.random.choice(templates[1:]) if self.random.random() < OBLIQUE else templates[0]

    def _chain(self, name: str) -> Chain | None:
        """A walk over facts; one in six instead asks the same of two."""
        chance = self.random
        language = chance.choice(self.maker.recipe.languages)
        asking = ("en", "zh")[language == "en"] if chance.random() < self.across else language
        if chance.random() < 1 / 6:
            return self._sides(name, language, asking)
        kind = chance.choice(("product", "product", "company", "person", "school"))
        at, phrase = chance.choice(self.famous[kind, language]), ""
        hops: list[Hop] = []
        facts: list[Fact] = []
        for number in range(chance.choice((1, 2, 2, 3, 3, 4))):
            options = [each for each in self.relations if each.head == kind]
            if not options:
                break
            relation = chance.choice(options)
            fact = self.facts[relation.name, at]
            question = self._words(relation.asked(asking))
            hops.append(
                self._hop(fact, question.format(h=f"{{{number}}}" if number else at), language, number)
            )
            phrase = (relation.noun_zh if asking == "zh" else relation.noun_en).format(h=phrase or at)
            facts.append(fact)
            at, kind = fact.tail, relation.tail
            if kind in ("year", "number"):
                break
        whole = f"{phrase}是什么?" if asking == "zh" else f"What is {phrase}?"
        return Chain(id=name, question=whole, hops=tuple(hops))

    def _hop(self, fact: Fact, question: str, language: str, needs: int) -> Hop:
        same = self.known.get((fact.relation.tail, language), [])
        return Hop(
            question=question,
            answer=fact.shown,
            decoy=self.random.choice([each for each in same if each != fact.tail]) if same else "",
            gold=(fact.page,) if fact.page else (),
            depends_on=(needs,) if needs else (),
        )

    def _sides(self, name: str, language: str, asking: str) -> Chain:
        relation = self.random.choice([each for each in self.relations if each.tail in ("year", "number")])
        pair = self.random.sample(self.known[relation.head, language], 2)
        noun = relation.noun_zh if asking == "zh" else relation.noun_en
        words = "比较{a}和{b}。" if asking == "zh" else "Compare {a} with {b}."
        hops = [
            self._hop(
                self.facts[relation.name, at], self._words(relation.asked(asking)).format(h=at), language, 0
            )
            for at in pair
        ]
        whole = words.format(a=noun.format(h=pair[0]), b=noun.format(h=pair[1]))
        return Chain(id=name, question=whole, hops=tuple(hops))


def webs(seed: int, count: int = 60) -> Iterator[Web]:
    """All of them, with ``count`` questions each."""
    yield Weaver("chains-en", ("en",), size=110, seed=seed, across=0.0).web(count)
    yield Weaver("chains-zh", ("zh",), size=110, seed=seed, across=0.0).web(count)
    yield Weaver("chains-mixed", ("en", "zh"), size=45, seed=seed, across=0.4).web(count)


def main() -> None:
    """Write them out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    for web in webs(chosen.seed):
        (chosen.out / f"{web.name}.json").write_bytes(msgspec.json.encode(web))
        hops = sum(len(chain.hops) for chain in web.chains)
        lost = sum(not hop.gold for chain in web.chains for hop in chain.hops)
        print(f"{web.name}: {len(web.texts):,} pages, {len(web.chains)} questions, {hops} hops, {lost} lost")


if __name__ == "__main__":
    main()
