"""How often the credibility evaluator withholds what is fine, and lets through what is not.

    export ASSAY__PATHS__MODELS=models/weights
    python -m tests.bench.credibility --out tests/bench/results/credibility.json

Two sets. ``generated``: the held-out sentences of ``finetune/credibility_cases.py``, each an answer of one
claim: what is wrong with it is known. ``sample library``: the expected answers of
``tests/data/questions.jsonl``, all of which must pass: the evidence as the claim, the bare answer as one,
and, harder than anything that happens, the evidence as a claim that cites other questions' evidence.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from appliance.config import Domains, Governance
from appliance.documents import split_sentences
from appliance.domain import (
    Answer,
    Claim,
    ClaimKind,
    Credibility,
    DocumentId,
    Fingerprint,
    Passage,
    PassageId,
    RunStatus,
)
from appliance.governance.credibility import Evaluator
from appliance.questions import QuestionReader
from finetune.credibility_cases import cases
from finetune.credibility_head import embedder, quality

QUESTIONS = Path(__file__).parents[1] / "data" / "questions.jsonl"
SEED = 77


def judged(evaluator: Evaluator, text: str, sources: list[str], field: str) -> Credibility:
    """One claim that cites one passage for each source."""
    marks = [Fingerprint(f"d-{at}#s#0") for at in range(len(sources))]
    passages = {
        mark: Passage(
            id=PassageId(at),
            fingerprint=mark,
            document_id=DocumentId(f"d-{at}"),
            record_id="r",
            collection="c",
            title="T",
            section_path="",
            text=source,
            language="und",
            token_count=1,
        )
        for at, (mark, source) in enumerate(zip(marks, sources, strict=True))
    }
    claim = Claim(text=text, kind=ClaimKind.FACT if marks else ClaimKind.INFERENCE, citations=tuple(marks))
    answer = Answer(status=RunStatus.ANSWERED, answer=text, claims=(claim,))
    return evaluator.judge(answer, passages, field)


def generated(evaluator: Evaluator) -> dict[str, Any]:
    """Shares withheld by kind and language, and how well the score is calibrated."""
    found = cases(SEED, held_out=True, times=8)
    withheld: dict[str, list[bool]] = defaultdict(list)
    scores: list[float] = []
    for case in found:
        told = judged(evaluator, case.text, list(case.sources), case.field)
        scores.append(told.score)
        fine = not (case.stance or case.risk)
        group = f"{case.kind}{', a source says so' if case.sourced else ''}"
        withheld[f"{'fine' if fine else 'at fault'}: {group}: {case.language}"].append(not told.holds)
        withheld[f"{'fine' if fine else 'at fault'}: all: {case.language}"].append(not told.holds)
    labels = np.array([not (case.stance or case.risk) for case in found], float)
    return {
        "answers": len(found),
        "score": quality(np.array(scores), labels),
        "withheld": {name: round(float(np.mean(rows)), 4) for name, rows in sorted(withheld.items())},
    }


def sample_library(evaluator: Evaluator) -> dict[str, Any]:
    """Shares withheld of answers that are right."""
    reader = QuestionReader(Domains())
    rows = [json.loads(line) for line in QUESTIONS.read_text("utf-8").splitlines()]
    rows = [row for row in rows if row.get("evidence")]
    quotes = [[each["quote"] for each in row["evidence"]] for row in rows]
    withheld: dict[str, list[bool]] = defaultdict(list)
    missed: list[str] = []
    spent: list[float] = []
    for at, row in enumerate(rows):
        field = reader.read(row["question"]).domain
        other = [quote for step in (1, 2, 3) for quote in quotes[(at + 7 * step) % len(rows)]]
        whole = " ".join(quotes[at])
        for name, text, sources in (
            ("evidence as the claim", whole, quotes[at]),
            ("bare answer as the claim", row["answer"], quotes[at]),
            ("evidence that cites something else", whole, other),
        ):
            begun = perf_counter()
            told = judged(evaluator, text, sources, field)
            spent.append(perf_counter() - begun)
            withheld[f"{name}: {row['language']}"].append(not told.holds)
            if not told.holds:
                missed.append(f"{name}: {told.score}: {text}")
    return {
        "answers": len(rows),
        "withheld": {name: f"{sum(rows)} of {len(rows)}" for name, rows in sorted(withheld.items())},
        "milliseconds": {
            "p50": round(1e3 * float(np.median(spent)), 1),
            "p95": round(1e3 * float(np.quantile(spent, 0.95)), 1),
        },
        "withheld_texts": missed,
    }


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    evaluator = Evaluator(Governance(), embedder(), split_sentences)
    result = {"generated": generated(evaluator), "sample library": sample_library(evaluator)}
    text = json.dumps(result, indent=1, ensure_ascii=False)
    print(text)
    if chosen.out:
        chosen.out.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
