"""Sentences with what is wrong with them, and with what they cite: the credibility head's cases.

Arrives: ``credibility_sentences.toml`` and a seed. Leaves: cases of both languages. A sentence cites either
nothing that bears on it, or its subject in other words, or a source that says just the same (then nothing is
wrong with it), or one that denies it. And to a sentence that its source does have, a writer adds a clause.
What is measured on has patterns and names of its own.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from appliance.documents import split_sentences
from finetune.chains import webs
from finetune.worlds import worlds

SENTENCES = Path(__file__).parent / "credibility_sentences.toml"
FIELDS = {"medical": "medical", "finance": "finance", "legal": "legal", "general": ""}
FAULTS = {"neutral": (0, 0), "hedged": (0, 0), "stance": (1, 0), "risk": (0, 1), "both": (1, 1)}
EVERY = 4
"""Each fourth pattern is only measured on."""
_SLOT = re.compile(r"\{(\w+)\}")
_SAYS = {
    "en": ("The document says: {}", "{}", "As the report puts it, {}", "In short: {}"),
    "zh": ("文件写道：{}", "{}", "报告称：{}", "简言之，{}"),
}
_DENIES = {
    "en": "It would be wrong to say that this holds: not every claim of the advertisement was confirmed.",
    "zh": "上述说法并不成立：广告中的说法未得到证实。",
}


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One sentence as judged."""

    text: str
    sources: tuple[str, ...]
    """Sentences of what it cites."""
    field: str
    language: str
    kind: str
    """``neutral`` … ``both``; ``risk clause`` and the like; ``prose``: of a generated collection."""
    pattern: str
    """What it was made from."""
    sourced: bool
    """Whether a source says the same: then it is no fault of the answer."""
    stance: int
    risk: int


def cases(seed: int, *, held_out: bool, times: int) -> list[Case]:
    """Return ``times`` cases of every pattern on this side of the split."""
    told = tomllib.loads(SENTENCES.read_text("utf-8"))
    chance = random.Random(seed)
    found = list(_prose(chance, seed, held_out=held_out, most=80 * times))
    for language in ("en", "zh"):
        fillers = {name: _half(words, held_out) for name, words in told["fillers"][language].items()}
        for name, field in FIELDS.items():
            kinds = {kind: _side(rows, held_out) for kind, rows in told[language][name].items()}
            for kind, rows in kinds.items():
                for row in rows:
                    for _ in range(times):
                        found.append(_case(chance, row, kinds, fillers, language, field, kind))
            tails = {kind: _side(rows, held_out) for kind, rows in told["tails"][language].items()}
            found += _tailed(chance, kinds, tails, fillers, language, field, times)
    chance.shuffle(found)
    return found


def _tailed(
    chance: random.Random,
    kinds: dict[str, list[str]],
    tails: dict[str, list[str]],
    fillers: dict[str, list[str]],
    language: str,
    field: str,
    times: int,
) -> Iterator[Case]:
    """What the source says, and a clause behind it that the source does not have."""
    for kind, rows in tails.items():
        for row in rows:
            for _ in range(max(1, times // 3)):
                case = _case(
                    chance, chance.choice(kinds["neutral"]), kinds, fillers, language, field, "neutral"
                )
                names = {slot: chance.choice(words) for slot, words in fillers.items()}
                end = case.text[-1]
                text = (
                    f"{case.text[:-1]}{_SLOT.sub(lambda slot, names=names: names[slot.group(1)], row)}{end}"
                )
                stance, risk = FAULTS[kind]
                yield msgspec.structs.replace(
                    case,
                    text=text,
                    sources=(*case.sources, case.text),
                    kind=f"{kind} clause",
                    pattern=row,
                    sourced=False,
                    stance=stance,
                    risk=risk,
                )


def _prose(chance: random.Random, seed: int, *, held_out: bool, most: int) -> Iterator[Case]:
    """Plain sentences of generated collections, ``most`` a language: nothing is wrong with any of them.

    Measured on are collections of people and news; trained on, all the others.
    """
    texts = [text for web in webs(seed, 1) for text in web.texts] if not held_out else []
    for world in worlds(seed):
        if (world.name.partition("-")[0] in ("people", "news")) == held_out:
            texts += world.texts
    for language in ("en", "zh"):
        rows = sorted(
            {row.strip() for text in texts if text.language == language for row in split_sentences(text.text)}
        )
        for row in chance.sample(rows, min(most, len(rows))):
            sourced = chance.random() < 0.6
            others = tuple(chance.sample(rows, 3))
            yield Case(
                text=row,
                sources=(*others, row) if sourced else others,
                field=chance.choice(("", "", *FIELDS.values())),
                language=language,
                kind="prose",
                pattern=row,
                sourced=sourced,
                stance=0,
                risk=0,
            )


def _case(
    chance: random.Random,
    row: str,
    kinds: dict[str, list[str]],
    fillers: dict[str, list[str]],
    language: str,
    field: str,
    kind: str,
) -> Case:
    names = {slot: chance.choice(words) for slot, words in fillers.items()}
    text = _filled(row, names)
    others = [_filled(chance.choice(kinds["neutral"]), names) for _ in range(chance.randint(1, 4))]
    draw = chance.random()
    sourced = draw < (0.6 if kind in ("neutral", "hedged") else 0.3)
    if sourced:
        others.insert(chance.randrange(len(others) + 1), _said(chance, text, language))
    elif draw > 0.9:
        others.append(_DENIES[language])
    elif draw > 0.8:
        others = []
    stance, risk = (0, 0) if sourced else FAULTS[kind]
    return Case(
        text=text,
        sources=tuple(others),
        field=field if chance.random() < 0.85 else "",
        language=language,
        kind=kind,
        pattern=row,
        sourced=sourced,
        stance=stance,
        risk=risk,
    )


def _said(chance: random.Random, text: str, language: str) -> str:
    words = text if chance.random() < 0.6 else _shortened(text)
    return chance.choice(_SAYS[language]).format(words)


def _shortened(text: str) -> str:
    """Without its last clause, where it has more than one: a source in slightly other words."""
    parts = re.split(r"(?<=[,，:：])", text)
    return "".join(parts[:-1]).rstrip(",，:： ") + text[-1] if len(parts) > 2 else text


def _filled(row: str, names: dict[str, str]) -> str:
    text = _SLOT.sub(lambda slot: names[slot.group(1)], row)
    return text[:1].upper() + text[1:]


def _half(words: list[str], held_out: bool) -> list[str]:
    middle = 2 * len(words) // 3
    return words[middle:] if held_out else words[:middle]


def _side(rows: list[str], held_out: bool) -> list[str]:
    return [row for at, row in enumerate(rows) if (at % EVERY == EVERY - 1) == held_out]


def show(found: list[Case]) -> Iterator[str]:
    """One line a case, to look at."""
    for case in found:
        yield f"{case.kind}{' sourced' if case.sourced else ''}\t{case.text}\t{' | '.join(case.sources)}"
