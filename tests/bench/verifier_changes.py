"""Sentences that answer questions of public sets, changed in one respect, for :mod:`tests.bench.verifier`.

Names and verbs are found by a part-of-speech tagger for Chinese (jieba) and by capitals inside a sentence for
English: on purpose not by the patterns that the verifier looks for names with. Nothing here is trained on.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import jieba.posseg

from appliance.answers.verify import is_han
from appliance.documents.sentences import split_sentences
from finetune.entailment_changes import FALSE, TRUE

SETS = {"zh": ("zh_wiki_rc", "crud_news_zh", "rgb_zh"), "en": ("wikihop_mix", "multihoprag_evidence")}
SEED = 23
TEXT_CHARS = 1200
_CAPITAL = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+(?: [A-Z][a-z]+)*")
_PAST = re.compile(r"\b(was|were|is|are|had|has|can|will|could|would)\b(?! not)")
_DID = {"won": "win", "became": "become", "wrote": "write", "began": "begin", "said": "say", "took": "take"}
_PERSONAL = frozenset("我们 你们 他们 她们 自己".split())

Way = Callable[[str, Sequence[str], random.Random], str | None]


def tagged_names(text: str) -> list[tuple[str, str]]:
    """Names with their kind; only those that the tagger knows and does not guess."""
    if not is_han(text):
        return [(match.group(), "name") for match in _CAPITAL.finditer(text)]
    return [
        (each.word, each.flag[:2])
        for each in jieba.posseg.lcut(text)
        if each.flag[:2] in ("nr", "ns", "nt")
        and len(each.word) > 1
        and each.word in jieba.dt.FREQ
        and each.word not in _PERSONAL
    ]


def name(text: str, others: Sequence[str], chance: random.Random) -> str | None:
    """A name replaced by one of the same kind from another passage."""
    mine = tagged_names(text)
    if not mine:
        return None
    old, kind = chance.choice(mine)
    theirs = sorted(
        {
            new
            for other in others
            for new, its in tagged_names(other)
            if its == kind and new not in text and new not in old and old not in new
        }
    )
    return text.replace(old, chance.choice(theirs)) if theirs else None


def negation(text: str, others: Sequence[str], chance: random.Random) -> str | None:
    """Its first verb denied."""
    del others, chance
    if is_han(text):
        return _denied_verb(text)
    for word, bare in _DID.items():
        if f" {word} " in text:
            return text.replace(f" {word} ", f" did not {bare} ", 1)
    changed = _PAST.sub(r"\1 not", text, count=1)
    return changed if changed != text else None


def _denied_verb(text: str) -> str | None:
    if re.search(r"[不没未无非]", text):
        return None
    said = ""
    words = [(each.word, each.flag) for each in jieba.posseg.lcut(text)]
    for at, (word, flag) in enumerate(words):
        before = words[at - 1][1] if at else "x"
        if flag == "v" and (len(word) > 1 or word in "是有在为") and before[0] in "nrtsdx" and said:
            return (
                f"{said}{'没' if word == '有' else '不' if word in '是在为' else '并未'}{text[len(said) :]}"
            )
        said += word
    return None


CHANGES: dict[str, Way] = {
    "number": FALSE["number"], "year": FALSE["year"], "unit": FALSE["unit"], "name": name,
    "negation": negation, "negation by opposite": FALSE["negation"],
    "scope": FALSE["scope"], "half-true": FALSE["half-true"],
}  # fmt: skip
"""Way by kind; claims made by any of these are false."""


def passages(data: Path, language: str, limit: int) -> list[tuple[list[str], list[str]]]:
    """(sentences of a gold passage, those of them that hold the answer), at random, ``limit`` a language."""
    chance = random.Random(SEED)
    found: list[tuple[list[str], list[str]]] = []
    for folder in SETS[language]:
        texts = {row["id"]: row["text"] for row in _rows(data / folder / "corpus.jsonl")}
        answers = {row["id"]: str(row["answer"]) for row in _rows(data / folder / "queries.dev.jsonl")}
        pairs = (data / folder / "qrels.dev.tsv").read_text("utf-8").splitlines()[1:]
        for line in chance.sample(pairs, len(pairs)):
            query, text, *_ = line.split("\t")
            if text in texts and query in answers and is_han(texts[text]) == (language == "zh"):
                lines = [one.strip() for one in split_sentences(texts[text][:TEXT_CHARS]) if one.strip()]
                fit = [one for one in lines if (12 if language == "zh" else 35) <= len(one) <= 300]
                found.append((lines, [one for one in fit if answers[query] in one] or fit[:1]))
    found = [each for each in found if each[1]]
    return chance.sample(found, min(limit, len(found)))


def _rows(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def changed(data: Path, limit: int) -> Iterator[tuple[str, str, str, bool]]:
    """(kind, claim, text, whether it is true) of both languages."""
    for language in SETS:
        chance = random.Random(SEED)
        chosen = passages(data, language, limit)
        pool = [line for lines, _ in chosen for line in lines]
        ways: dict[str, Way] = {**CHANGES, **TRUE, "word for word": lambda line, others, chance: line}
        for lines, fit in chosen:
            text, line = "\n".join(lines), chance.choice(fit)
            for kind, way in ways.items():
                claim = way(line, chance.sample(pool, min(40, len(pool))), chance)
                if claim and (kind == "word for word" or claim not in text):
                    yield kind, claim, text, kind not in CHANGES
