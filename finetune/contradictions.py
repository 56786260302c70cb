"""Pairs of short passages, contradictory and harmless, made from :mod:`finetune.contradiction_words`.

Arrives: a seed. Leaves: :class:`Pair` values in both languages. Harmless ones look alike: another
period, scope,
entity, metric or unit, the same figure rounded or converted, planned against actual, a change against a
level.
"""

from __future__ import annotations

import random

import msgspec

from finetune.contradiction_words import COUNTED, FILLERS, FIRMS, METRICS, SCOPES, TITLES, YES_NO

YEARS = range(2018, 2026)


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """Two passages (title, text), and whether they contradict each other."""

    one: tuple[str, str]
    other: tuple[str, str]
    contradictory: bool
    kind: str
    question: str = ""
    """What the first passage answers."""


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """What a statement of a figure is made of."""

    metric: int
    firm: int
    value: float
    year: int | None
    quarter: int = 0
    scope: str = ""
    modality: str = ""


def pairs(count: int, seed: int) -> list[Pair]:
    """``count`` pairs, half contradictory."""
    rng = random.Random(seed)
    makers = (_figures, _counts, _yes_no)
    return [rng.choices(makers, (45, 15, 40))[0](rng) for _ in range(count)]


# ------------------------------------------------------------ figures
def _figures(rng: random.Random) -> Pair:
    language = rng.choice(("en", "zh"))
    other_language = language if rng.random() < 0.88 else ("zh" if language == "en" else "en")
    at = rng.randrange(len(FIRMS["en"]))
    metric = rng.randrange(len(METRICS))
    scope_at = rng.randrange(len(SCOPES["en"])) if rng.random() < 0.35 else None
    fact = Fact(
        metric=metric,
        firm=at,
        value=_value(METRICS[metric][2], rng),
        year=rng.choice(YEARS) if rng.random() < 0.65 else None,
    )
    changed, kind, contradictory = _changed(fact, rng)
    sides = [0, 1] if kind == "scope" else [0, 0]
    if kind == "scope" and scope_at is None:
        scope_at = rng.randrange(len(SCOPES["en"]))
    narrowed = kind == "scope" and rng.random() < 0.5
    made: list[tuple[str, str]] = []
    for one, said_in, side in ((fact, language, sides[0]), (changed, other_language, sides[1])):
        scope = (
            SCOPES[said_in][scope_at][side] if scope_at is not None and not (narrowed and side == 0) else ""
        )
        made.append(
            _passage(
                msgspec.structs.replace(one, scope=scope),
                said_in,
                rng,
                change=kind == "change" and one is changed,
            )
        )
    name, firm = rng.choice(METRICS[metric][language == "zh"]), FIRMS[language][at]
    question = f"{firm}的{name}是多少？" if language == "zh" else f"What is the {name} of {firm}?"
    return Pair(
        one=made[0],
        other=made[1],
        contradictory=contradictory,
        kind=f"figure {kind}",
        question=question,
    )


def _changed(fact: Fact, rng: random.Random) -> tuple[Fact, str, bool]:
    apart = fact.value * rng.choice((0.4, 0.7, 0.85, 0.92, 1.08, 1.15, 1.3, 1.9, 2.5, 4.0))
    apart = _shaped(METRICS[fact.metric][2], apart)
    if apart == fact.value:
        apart = fact.value + max(1.0, round(fact.value * 0.3))
    other = msgspec.structs.replace(fact, value=apart)
    if rng.random() < 0.5:
        if fact.year and rng.random() < 0.25:
            return msgspec.structs.replace(other, year=None), "value", True
        return other, "value", True
    return _harmless(fact, other, rng)


def _harmless(fact: Fact, other: Fact, rng: random.Random) -> tuple[Fact, str, bool]:
    """``other`` made into a look-alike: what differs, and that it is no contradiction."""
    kind = rng.choice(
        (
            "same",
            "period",
            "scope",
            "firm",
            "metric",
            "modality",
            "quarter",
            "change",
            "metric",
            "firm",
            "scope",
            "same",
        )
    )
    if kind == "same":
        return fact, kind, False
    if kind == "period":
        year = (fact.year or 2021) + rng.choice((-1, 1, 2))
        return (
            msgspec.structs.replace(
                other, year=year if fact.year else None, modality="" if fact.year else "planned"
            ),
            kind,
            False,
        )
    if kind == "quarter" and fact.year:
        return msgspec.structs.replace(other, quarter=rng.randrange(1, 5)), kind, False
    if kind == "firm":
        return (
            msgspec.structs.replace(other, firm=(fact.firm + rng.randrange(1, 9)) % len(FIRMS["en"])),
            kind,
            False,
        )
    if kind == "metric":
        unit = METRICS[fact.metric][2]
        near = [at for at, each in enumerate(METRICS) if at != fact.metric and each[2] == unit]
        if near:
            return msgspec.structs.replace(other, metric=rng.choice(near)), kind, False
    if kind == "change" and METRICS[fact.metric][2] == "percent":
        return other, kind, False
    if kind == "scope":
        return other, kind, False
    return msgspec.structs.replace(other, modality="planned"), "modality", False


def _value(unit: str, rng: random.Random) -> float:
    low, high = {
        "money": (5e6, 9e9),
        "people": (40, 90_000),
        "pieces": (20_000, 5e7),
        "months": (6, 120),
        "days": (3, 400),
        "fee": (20, 9000),
        "percent": (1, 95),
        "hours": (2, 90),
        "minutes": (2, 90),
        "tonnes": (300, 4e6),
        "area": (200, 90_000),
        "mg": (5, 900),
        "celsius": (2, 60),
        "count": (30, 20_000),
    }[unit]
    return _shaped(unit, low * (high / low) ** rng.random())


def _shaped(unit: str, value: float) -> float:
    if unit == "money":
        return float(f"{value:.3g}")
    if unit in ("pieces", "tonnes"):
        return float(f"{value:.2g}")
    return round(value, 1) if unit == "percent" else float(max(1, round(value)))


def _written(unit: str, value: float, language: str, rng: random.Random) -> str:
    whole = f"{int(value):,}" if rng.random() < 0.7 else str(int(value))
    zh = language == "zh"
    if unit == "money":
        if zh:
            return f"{value / 1e8:g}亿元" if rng.random() < 0.6 else f"{value / 1e4:g}万元"
        return f"RMB {value / 1e6:g} million" if value < 1e9 else f"RMB {value / 1e9:g} billion"
    if unit in ("pieces", "tonnes") and value >= 1e5:
        noun = {"pieces": ("units", "件"), "tonnes": ("tonnes", "吨")}[unit][zh]
        return (
            f"{value / 1e4:g}万{noun}"
            if zh
            else f"{value / 1e6:g} million {noun}"
            if value >= 1e6
            else f"{whole} {noun}"
        )
    if unit == "percent":
        return f"{value:g}%" if rng.random() < 0.8 or zh else f"{value:g} percent"
    if unit == "months" and value % 12 == 0 and rng.random() < 0.5:
        return f"{value / 12:g}年" if zh else f"{value / 12:g} years"
    if unit == "days" and value % 7 == 0 and rng.random() < 0.4:
        return f"{value / 7:g}周" if zh else f"{value / 7:g} weeks"
    if unit == "fee":
        return f"{whole}元" if zh else f"RMB {whole}"
    nouns = {
        "people": ("people", "人"),
        "pieces": ("units", "件"),
        "months": ("months", "个月"),
        "days": ("days", "天"),
        "hours": ("hours", "小时"),
        "minutes": ("minutes", "分钟"),
        "tonnes": ("tonnes", "吨"),
        "area": ("m²", "平方米"),
        "mg": ("mg", "毫克"),
        "celsius": ("°C", "℃"),
        "count": ("species", "种"),
    }
    return f"{whole}{nouns[unit][1]}" if zh else f"{whole} {nouns[unit][0]}"


def _passage(fact: Fact, language: str, rng: random.Random, *, change: bool) -> tuple[str, str]:
    zh = language == "zh"
    names, unit = METRICS[fact.metric][zh], METRICS[fact.metric][2]
    firm, metric = FIRMS[language][fact.firm], rng.choice(names)
    value = _written(unit, fact.value, language, rng)
    period = _period(fact, zh)
    if zh:
        firm_metric = f"{fact.scope}的{metric}" if fact.scope else metric
        planned = rng.choice(("计划", "预算", "目标")) if fact.modality else ""
        forms = (
            f"{firm}{period}{firm_metric}{planned}为{value}。",
            f"{period}，{firm}{firm_metric}{planned}达到{value}。"
            if period
            else f"{firm}的{firm_metric}{planned}是{value}。",
            f"{firm}公布，{period}{firm_metric}{planned}为{value}。",
            f"{period}{firm_metric}{planned}：{value}。",
            f"据年报，{firm}{firm_metric}{planned}约为{value}{f'（{period}）' if period else ''}。",
        )
        text = rng.choice(forms)
        text = f"{firm}{period}{firm_metric}同比增长{value}。" if change else text
    else:
        of = f" of {fact.scope}" if fact.scope else ""
        planned = rng.choice(("planned ", "budgeted ", "target ")) if fact.modality else ""
        when = f" in {period}" if period else ""
        forms = (
            f"{firm}'s {planned}{metric}{of} was {value}{when}.",
            f"The {planned}{metric}{of} at {firm} came to {value}{when}.",
            f"{firm} reported {planned}{metric}{of} of {value}{f' for {period}' if period else ''}.",
            f"{f'In {period}, the' if period else 'The'} {planned}{metric}{of} amounted to {value}.",
            f"According to the company, {planned}{metric}{of} stands at about {value}"
            f"{f' ({period})' if period else ''}.",
        )
        text = rng.choice(forms)
        text = f"{firm}'s {metric}{of} rose by {value}{when}." if change else text
    title = rng.choice(
        (f"{firm}年报", f"{firm}新闻稿", f"{firm}")
        if zh
        else (f"{firm} annual report", f"{firm} press release", firm)
    )
    if firm in text and rng.random() < 0.4:
        title = rng.choice(TITLES[language])
    if rng.random() < 0.2 and unit == "money" and fact.year and not change and not fact.quarter:
        text = _table(fact, metric, zh, rng)
    return title, _surrounded(text, language, rng)


def _table(fact: Fact, metric: str, zh: bool, rng: random.Random) -> str:
    million, year = fact.value / 1e6, fact.year or 2020
    label = (
        f"{fact.scope}{metric}" if zh and fact.scope else f"{metric}, {fact.scope}" if fact.scope else metric
    )
    label = f"{label}（计划）" if zh and fact.modality else f"planned {label}" if fact.modality else label
    head = "项目（百万元）" if zh else "Item (RMB million)"
    before = f"{million * rng.uniform(0.6, 0.95):.4g}"
    return f"| {head} | {year} | {year - 1} |\n|---|---|---|\n| {label} | {million:g} | {before} |\n"


def _period(fact: Fact, zh: bool) -> str:
    if not fact.year:
        return ""
    if fact.quarter:
        return f"{fact.year}年第{'一二三四'[fact.quarter - 1]}季度" if zh else f"Q{fact.quarter} {fact.year}"
    return f"{fact.year}年" if zh else str(fact.year)


def _surrounded(text: str, language: str, rng: random.Random) -> str:
    if text.startswith("|") or rng.random() < 0.6:
        return text
    beside = rng.choice(FILLERS[language])
    return f"{beside} {text}" if rng.random() < 0.5 else f"{text} {beside}"


# ------------------------------------------------------------ counts
def _counts(rng: random.Random) -> Pair:
    """A place has so many of something."""
    language = rng.choice(("en", "zh"))
    firm, second = rng.sample(FIRMS[language], 2)
    noun, other_noun = rng.sample(COUNTED[language], 2)
    value = rng.randrange(4, 4000)
    apart = max(1, round(value * rng.choice((0.5, 0.8, 0.95, 1.04, 1.15, 1.6, 3.0)))) + 1
    form = rng.choice(("value", "value", "value", "same", "firm", "noun", "period"))
    year, year_after = rng.sample(YEARS, 2)
    first = _counted(firm, value, noun, year if form == "period" else None, language, rng)
    then = {
        "value": (firm, apart, noun, None),
        "same": (firm, value, noun, None),
        "firm": (second, apart, noun, None),
        "noun": (firm, apart, other_noun, None),
        "period": (firm, apart, noun, year_after),
    }[form]
    sides = [first, _counted(*then, language, rng)]
    made = [(rng.choice(TITLES[language]), _surrounded(text, language, rng)) for text in sides]
    question = f"{firm}有多少{noun}？" if language == "zh" else f"How many {noun} does {firm} have?"
    return Pair(
        one=made[0],
        other=made[1],
        contradictory=form == "value",
        kind=f"count {form}",
        question=question,
    )


def _counted(firm: str, value: int, noun: str, year: int | None, language: str, rng: random.Random) -> str:
    if language == "zh":
        when = f"{year}年" if year else ""
        tail = rng.choice(("", "", "，并设有停车场", "，由市里管理"))
        return rng.choice(
            (
                f"{when}{firm}有{value}{noun}{tail}。",
                f"{when}{firm}共有{value}{noun}{tail}。",
                f"{when}{firm}拥有{value}{noun}。",
            )
        )
    when = f" in {year}" if year else ""
    tail = rng.choice(("", "", " and a car park", ", run by the city"))
    return rng.choice(
        (
            f"{firm} has {value} {noun}{tail}{when}.",
            f"There are {value} {noun} at {firm}{when}.",
            f"{firm} operates {value} {noun}{when}.",
        )
    )


# ------------------------------------------------------------ yes or no
def _yes_no(rng: random.Random) -> Pair:
    language = rng.choice(("en", "zh"))
    plus, minus, beside = rng.choice(YES_NO[language])
    one, two = rng.sample(FIRMS[language], 2)
    form = rng.choice(("opposed", "opposed", "agree", "beside", "beside", "entity", "period"))
    first = rng.choice((plus, minus))
    second = minus if first is plus else plus
    if form == "opposed":
        texts, subjects, contradictory = (rng.choice(first), rng.choice(second)), (one, one), True
    elif form == "agree":
        texts, subjects, contradictory = (rng.choice(first), rng.choice(first)), (one, one), False
    elif form == "beside":
        texts, subjects, contradictory = (rng.choice(first), rng.choice(beside)), (one, one), False
    else:
        texts, subjects, contradictory = (rng.choice(first), rng.choice(second)), (one, two), False
    made = [text.replace("{X}", subject) for text, subject in zip(texts, subjects, strict=True)]
    if form == "period":
        years = rng.sample(YEARS, 2)
        made = [text.replace("{X}", one) for text in texts]
        made = [
            f"{year}年，{text}"
            if language == "zh"
            else f"In {year}, {text[0].lower()}{text[1:]}"
            if text[:3] in ("The", "No ", "A r")
            else f"In {year}, {text}"
            for year, text in zip(years, made, strict=True)
        ]
    titles = [
        rng.choice(
            (
                subject,
                f"{subject}公告" if language == "zh" else f"Notes on {subject}",
                rng.choice(TITLES[language]),
            )
        )
        for subject in subjects
    ]
    sides = [(title, _surrounded(text, language, rng)) for title, text in zip(titles, made, strict=True)]
    question = rng.choice(plus).replace("{X}", one).rstrip(".。") + ("吗？" if language == "zh" else "?")
    return Pair(
        one=sides[0],
        other=sides[1],
        contradictory=contradictory,
        kind=f"yes-no {form}",
        question=question,
    )
