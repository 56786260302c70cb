"""The verifier of claims on claim-checking data and on changed sentences of the sample library: one table.

    python -m tests.bench.verifier DATA models/weights [--limit 150] [--only SET] [--out FILE]

``DATA`` holds ``halueval_qa`` (question and answer, right and invented, with the passage), ``uhgeval_zh`` (a
true and an invented continuation of a news text) and ``fitz_gov``. That set has no judged claims: sentences
of its passages are taken as they stand, in other words, and changed. ``library`` does the same with texts of
the sample library, every way of :mod:`finetune.entailment_changes`, both languages; ``answers`` changes the
sentences that answer questions of public sets (:mod:`tests.bench.verifier_changes`). Half of the weight of a
balanced accuracy is on claims that should pass. Nothing here is trained on.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import msgspec

from appliance.answers.verifier import Verifier
from appliance.answers.verify import is_han
from appliance.documents.sentences import split_sentences
from appliance.serving.entailment import load_entailment_head
from finetune.entailment import entailment, passage_of
from finetune.entailment_changes import FALSE, TRUE
from tests.bench import verifier_changes

LIBRARY = Path(__file__).parents[1] / "data" / "library"
SEED = 11
LINES = 8
EACH = 2
"""Sentences of a passage that are changed."""


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One claim with its passage."""

    set: str
    kind: str
    claim: str
    text: str
    true: bool
    question: str = ""

    @property
    def language(self) -> str:
        """Of the claim and its question."""
        return "zh" if is_han(self.claim + self.question) else "en"


def rows_of(file: Path) -> list[dict]:
    """The records of a JSON-lines file."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def halueval(data: Path, limit: int) -> Iterator[Case]:
    """Right and invented answers."""
    texts = {row["id"]: row["text"] for row in rows_of(data / "halueval_qa" / "corpus.jsonl")}
    chosen = random.Random(SEED).sample(rows_of(data / "halueval_qa" / "queries.dev.jsonl"), limit)
    for row in chosen:
        for field, true in (("answer", True), ("hallucinated_answer", False)):
            yield Case(
                set="halueval_qa", kind=field, claim=row[field], question=row["question"], true=true,
                text=texts[row["knowledge"]],
            )  # fmt: skip


def uhgeval(data: Path) -> Iterator[Case]:
    """True and invented continuations."""
    for row in rows_of(data / "uhgeval_zh" / "queries.dev.jsonl"):
        for field, true in (("answer", True), ("hallucinated", False)):
            yield Case(set="uhgeval_zh", kind=field, claim=row[field], text=row["context"], true=true)


def fitz_gov(data: Path, limit: int) -> Iterator[Case]:
    """Sentences of passages, left, reworded and changed."""
    rows = rows_of(data / "fitz_gov" / "queries.dev.jsonl")
    texts = [text for row in rows for text in row["contexts"]]
    yield from changed(
        "fitz_gov", [_lines(text) for text in random.Random(SEED).sample(texts, limit)], each=1
    )


def library(limit: int) -> Iterator[Case]:
    """The same of the sample library's plain texts."""
    passages: list[list[str]] = []
    for file in sorted([*LIBRARY.glob("*/*.md"), *LIBRARY.glob("*/*.txt")]):
        body = file.read_text("utf-8").split("---\n", 2)[-1]
        lines = [line for line in _lines(body) if not line.startswith("#")]
        passages += [lines[at : at + LINES] for at in range(0, len(lines), LINES)]
    random.Random(SEED).shuffle(passages)
    yield from changed("library", passages[:limit], each=EACH)


def answers(data: Path, limit: int) -> Iterator[Case]:
    """Sentences that answer questions of public sets, left, reworded and changed."""
    for kind, claim, text, true in verifier_changes.changed(data, limit):
        yield Case(set="answers", kind=kind, claim=claim, text=text, true=true)


def _lines(text: str) -> list[str]:
    return [line.strip().lstrip("-* ") for line in split_sentences(text) if line.strip()]


def changed(name: str, passages: list[list[str]], *, each: int) -> Iterator[Case]:
    """Claims of every kind about sentences of the passages."""
    chance = random.Random(SEED)
    pool = [line for lines in passages for line in lines]
    ways = {**FALSE, **TRUE, "word for word": lambda line, others, chance: line}
    for lines in passages:
        text = "\n".join(lines)
        fit = [line for line in lines if len(line) >= (12 if is_han(line) else 35) and line.count("|") < 2]
        for line in chance.sample(fit, min(each, len(fit))):
            for kind, way in ways.items():
                claim = way(line, chance.sample(pool, min(40, len(pool))), chance)
                if claim and (kind == "word for word" or claim not in text):
                    yield Case(set=name, kind=kind, claim=claim, text=text, true=kind not in FALSE)


def measured(cases: list[Case], verifier: Verifier, show: int = 0) -> dict[str, object]:
    """Shares of right verdicts by set, language and kind, and milliseconds a claim."""
    right: dict[tuple[str, str, str], list[bool]] = defaultdict(list)
    of_true: dict[str, dict[bool, list[bool]]] = defaultdict(lambda: {True: [], False: []})
    times: list[float] = []
    for case in cases:
        started = perf_counter()
        verdict = verifier.verdict(case.claim, [passage_of(case.text)], question=case.question)
        times.append((perf_counter() - started) * 1000)
        good = verdict.supported == case.true
        kind = right[case.set, case.language, case.kind]
        kind.append(good)
        if not good and kind.count(False) <= show:
            print("---", case.set, case.language, case.kind, case.true, "|", case.claim, "|", verdict.faults)
        for group in (f"{case.set} {case.language}", f"all {case.language}"):
            of_true[group][case.true].append(good)
    table = [
        {"set": name, "language": language, "kind": kind, "claims": len(found),
        "right": round(sum(found) / len(found), 4)}
        for (name, language, kind), found in sorted(right.items())
    ]  # fmt: skip
    return {
        "balanced_accuracy": {group: _balanced(parts) for group, parts in sorted(of_true.items())},
        "by_kind": table,
        "per_claim_ms": {
            "median": round(sorted(times)[len(times) // 2], 1),
            "mean": round(sum(times) / len(times), 1),
        },
    }


def _balanced(parts: dict[bool, list[bool]]) -> dict[str, float | int]:
    kept, refused = (sum(one) / max(1, len(one)) for one in (parts[True], parts[False]))
    return {
        "claims": len(parts[True]) + len(parts[False]), "true_kept": round(kept, 4),
        "false_refused": round(refused, 4),
        "balanced": round((kept + refused) / 2, 4),
    }  # fmt: skip


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--limit", type=int, default=150)
    parser.add_argument("--only", default="")
    parser.add_argument("--rules", action="store_true", help="without the head")
    parser.add_argument("--show", type=int, default=0, help="print so many wrong verdicts of each kind")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    sets = {
        "halueval_qa": lambda: halueval(given.data, given.limit), "uhgeval_zh": lambda: uhgeval(given.data),
        "fitz_gov": lambda: fitz_gov(given.data, given.limit // 2), "library": lambda: library(given.limit),
        "answers": lambda: answers(given.data, given.limit),
    }  # fmt: skip
    cases = [case for name, make in sets.items() if given.only in ("", name) for case in make()]
    entails = None if given.rules else entailment(given.weights, load_entailment_head())
    verifier = Verifier(entails, split_sentences)
    result = {"limit": given.limit, "seed": SEED, **measured(cases, verifier, given.show)}
    print(json.dumps(result, indent=1, ensure_ascii=False))
    if given.out:
        given.out.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
