"""Rules in many dated versions that differ by a sentence or two: the part of a world where days decide.

Arrives: a :class:`~finetune.worlds.Maker`. Leaves: its texts and questions, one page for each version of the
rules on a topic; most sentences stay as they were, as in real policies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from finetune.worlds import Maker

PLACES_EN = ("in the version of {d}", "as published on {d}", "according to the text dated {d}")
PLACES_ZH = ("{d}版", "按照{d}发布的文本", "以{d}的版本为准")
CHANGES = 0.2
"""How often a sentence is another one in the next version."""


def registers(maker: Maker, versions: int) -> None:
    """All topics, each with so many versions."""
    topics = [row for group in maker.vocabulary["topics"].values() for row in maker.rows(group)]
    for topic in maker.random.sample(topics, min(maker.recipe.topics, len(topics))):
        language = maker.random.choice(maker.recipe.languages)
        _register(maker, topic, language, versions)


def _register(maker: Maker, topic: list[str], language: str, versions: int) -> None:
    zh = language == "zh"
    formal, plain = (topic[2], topic[3]) if zh else (topic[0], topic[1])
    years = maker.random.sample(range(2016, 2026), 4)
    days = sorted(
        {(maker.random.choice(years), maker.random.randint(1, 12), maker.number(28)) for _ in range(versions)}
    )
    held: dict[str, tuple[str, list[int]]] = {}
    pages: list[str] = []
    for at, day in enumerate(days):
        for angle, spec in maker.vocabulary["angles"].items():
            if angle not in held or maker.random.random() < CHANGES:
                sentence = maker.random.choice(spec[language]).format(
                    f=formal,
                    F=formal[0].upper() + formal[1:],
                    n=maker.number(),
                    r=maker.pick(f"roles_{language}"),
                    x=maker.pick(f"things_{language}"),
                    k=maker.code(),
                )
                held[angle] = (sentence, [*held.get(angle, ("", []))[1], at])
        title = (
            f"{formal} {_said(day, language)}" if zh else f"{formal.capitalize()} ({_said(day, language)})"
        )
        pages.append(maker.add(title, [sentence for sentence, _ in held.values()], language))
    for angle, spec in maker.vocabulary["angles"].items():
        asked = maker.random.choice(spec[f"ask_{language}"]).format(c=formal).rstrip("?？")
        at = maker.random.randrange(len(days))
        place = maker.random.choice(PLACES_ZH if zh else PLACES_EN).format(d=_said(days[at], language))
        question = f"{place},{asked}?" if zh else f"{asked[0].upper()}{asked[1:]}, {place}?"
        maker.ask("dated version", question, [pages[at]])
        changed = held[angle][1]
        if len(changed) > 1:
            first, second = changed[-2], changed[-1]
            two = [_said(days[one], language) for one in (first, second)]
            words = (
                f"{formal}在{two[0]}和{two[1]}两个版本之间有什么变化?"
                if zh
                else f"What changed in the rules on {formal} between {two[0]} and {two[1]}?"
            )
            maker.ask("dated change", words, [pages[first], pages[second]])
    if maker.random.random() < 0.7:
        template = maker.random.choice(maker.vocabulary["angles"]["approver"][f"ask_{language}"])
        maker.ask("colloquial", template.format(c=plain), pages)


def _said(day: tuple[int, int, int], language: str) -> str:
    year, month, number = day
    return f"{year}年{month}月{number}日" if language == "zh" else f"{year}-{month:02d}-{number:02d}"
