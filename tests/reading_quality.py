"""How well questions are read: the written test set against ``read_question``; printed as a table.

``python tests/reading_quality.py [--split dev|test|all] [--misses]``: accuracy by label and language, and the
median time of a reading. A label is right when it is equal; times when the ranges are the same; constraints
when every one written down is found with its kind. Where no word of a question belongs to a field
(``domain_open``), its domain is not judged.
"""

from __future__ import annotations

import argparse
import datetime
import json
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from appliance.config import Domains
from appliance.documents import detect_language
from appliance.domain import Reading
from appliance.store.analysis import fold
from appliance.understanding.domains import load_packs
from appliance.understanding.label_head import load_label_head
from appliance.understanding.lexicon import Lexicon
from appliance.understanding.reading import read_question

QUESTIONS = Path(__file__).parent / "data" / "understanding" / "questions.jsonl"
AS_OF = datetime.date(2026, 12, 2)
LABELS = ("domain", "kind", "comparison", "removal", "recency", "times", "constraints")


def questions(split: str) -> list[dict[str, object]]:
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if split in ("all", row["split"])]


def verdicts(row: dict[str, object], reading: Reading) -> dict[str, bool]:
    """Label by label, whether the reading agrees with what is written down."""
    found = {(str(each.kind), each.value or each.text) for each in reading.constraints}
    wanted = {(each["kind"], each["value"]) for each in row["constraints"]}  # type: ignore[union-attr]
    return {
        "domain": bool(row["domain_open"]) or reading.domain == row["domain"],
        "kind": str(reading.kind) == row["kind"],
        "comparison": reading.comparison == row["comparison"],
        "removal": reading.removal == row["removal"],
        "recency": reading.recency == row["recency"],
        "times": [[each.start, each.end] for each in reading.times] == row["times"],
        "constraints": all(any(k == kind and _agree(v, value) for k, v in found) for kind, value in wanted),
    }


def _agree(found: str, wanted: str) -> bool:
    return found == wanted or (len(found) <= len(wanted) + 12 and (found in wanted or wanted in found))


def measure(split: str) -> Iterator[tuple[dict[str, object], Reading, dict[str, bool], float]]:
    head, lexicon = load_label_head(), Lexicon(load_packs(Domains()), fold=fold)
    for row in questions(split):
        began = time.perf_counter()
        reading = read_question(
            str(row["question"]), language_of=detect_language, as_of=AS_OF, lexicon=lexicon, head=head
        )
        yield row, reading, verdicts(row, reading), (time.perf_counter() - began) * 1000


def accuracy(split: str) -> dict[tuple[str, str], float]:
    """(label, language) → share right; language ``all`` is both."""
    tallies: dict[tuple[str, str], list[bool]] = {}
    for row, _, right, _ in measure(split):
        for label, value in right.items():
            if label == "domain" and row["domain_open"]:
                continue
            for language in (str(row["language"]), "all"):
                tallies.setdefault((label, language), []).append(value)
    return {key: sum(values) / len(values) for key, values in tallies.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--split", default="test", choices=("dev", "test", "all"))
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    shares, spent = accuracy(options.split), []
    for row, reading, right, elapsed in measure(options.split):
        spent.append(elapsed)
        for label in [label for label, value in right.items() if not value] if options.misses else []:
            got = (
                [(t.text, t.start, t.end) for t in reading.times]
                if label == "times"
                else getattr(reading, label)
            )
            if label == "constraints":
                got = [(str(c.kind), c.value or c.text) for c in reading.constraints]
            print(f"{row['id']} {label}: {got} ≠ {row[label]} | {row['question']}")
    for label in LABELS:
        print(f"{label:<12}" + "".join(f"  {lang} {shares[label, lang]:.3f}" for lang in ("en", "zh", "all")))
    print(f"{len(spent)} questions, median {statistics.median(spent):.2f} ms, highest {max(spent):.1f} ms")


if __name__ == "__main__":
    main()
