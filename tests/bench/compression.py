"""How much of located passages is kept, and how many of the facts that bear on the question.

    python -m tests.bench.compression FOLDER… --data DATA [--budget 240] [--passages FILE] …

FOLDER holds ``queries.dev.jsonl`` and ``qrels.dev.tsv`` (or ``questions.jsonl`` and ``qrels.tsv``: the sample
library); its name, or ``NAME=FOLDER``, is the collection that holds its documents. A question's passages are
the first five of the product's own search; where none of them is of a judged document, the judged document's
passages stand in place of the last. ``--passages`` keeps what was found, so that a second run measures only.

``--budget``: tokens of a question's lines; ``--share``: that part of its passages' tokens instead.

Printed for each set, and none of them can be reached by definition alone but the first:

- ``kept``: tokens of the lines, headings included, of all tokens of the passages.
- ``sentence facts``: facts of the sentences and rows that were kept which stand in what is shown of them.
  It is what the guard promises: shortening a sentence loses no figure, unit, date, name, denial, condition.
- ``answer facts``: figures and names of the gold answer (in the sample library, of the gold quote; in TAT-QA,
  of the gold calculation) that stand in the passages, and of those the share that stands in the lines;
  ``by question``: the mean of the questions' shares, in which one answer of twenty facts counts as any other.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from appliance.answers.find import render
from appliance.config import load_config
from appliance.domain import Passage
from appliance.evidence.facts import FactKind, facts, lost, squeeze
from appliance.evidence.locate import Line
from appliance.wiring import Appliance
from tests.bench.located import Locator

BEARING = (FactKind.NUMBER, FactKind.DATE, FactKind.NAME)
PASSAGES = 5


def questions(folder: Path) -> list[dict[str, Any]]:
    """The questions that have a judged document, with its records under ``judged``."""
    name, judgements = ("queries.dev.jsonl", "qrels.dev.tsv")
    if not (folder / name).is_file():
        name, judgements = "questions.jsonl", "qrels.tsv"
    judged: dict[str, list[str]] = defaultdict(list)
    for line in (folder / judgements).read_text("utf-8").splitlines()[1:]:
        query, record, _ = line.split("\t")
        judged[query].append(record)
    read = [json.loads(line) for line in (folder / name).read_text("utf-8").splitlines()]
    return [{**one, "judged": judged[one["id"]]} for one in read if judged[one["id"]]]


def wanted(query: dict[str, Any]) -> str:
    """The gold text whose facts have to be left: quotes, a calculation, or the answer."""
    if quotes := [one["quote"] for one in query.get("evidence", ()) if "quote" in one]:
        return "\n".join(quotes)
    if derivation := query.get("derivation"):
        return re.sub(r"[^\d.,]+", " | ", derivation)
    return re.sub(r"(?m)(?:^|[\n。；])\s*\d{1,2}[、.)](?!\d)", " ", str(query["answer"]))


def plain(text: str) -> set[str]:
    """Digits of the figures of a text: a gold answer seldom writes sign and unit as the table does."""
    found = {re.sub(r"[,\s]", "", one) for one in re.findall(r"\d[\d,]*(?:, ?\d{3})*(?:\.\s?\d+)?", text)}
    return {one.rstrip("0").rstrip(".") if "." in one else one for one in found} - {""}


def answer_facts(gold: str) -> set[str]:
    """Figures by their digits, names and dates as squeezed text."""
    found = {squeeze(one.text) for one in facts(gold) if one.kind is FactKind.NAME}
    return found | {f"#{digits}" for digits in plain(gold)}


def holds(text: str, fact: str) -> bool:
    """Whether a text has the figure or the name."""
    return fact[1:] in plain(text) if fact.startswith("#") else fact in squeeze(text)


class Measured:
    """Sums over the questions of one set."""

    def __init__(self) -> None:
        self.full = self.kept = self.said = self.left = 0
        self.facts = self.facts_lost = 0
        self.shares: list[float] = []
        self.sizes: list[int] = []
        self.seconds: list[float] = []
        self.missed: list[tuple[str, list[str]]] = []

    def add(
        self, query: dict[str, Any], passages: Sequence[Passage], lines: Sequence[Line], count: Any
    ) -> None:
        """One question's passages and lines."""
        size = count(render(lines))
        self.sizes.append(size)
        self.kept += size
        self.full += sum(count(f"{one.title} {one.section_path}\n{one.text}") for one in passages)
        for line in lines:
            self.facts += len(facts(line.raw))
            self.facts_lost += len(lost(line.raw, f"{line.shown}\n"))
        whole, shown = "\n".join(one.text for one in passages), render(lines)
        there = [fact for fact in answer_facts(wanted(query)) if holds(whole, fact)]
        gone = [fact for fact in there if not holds(shown, fact)]
        if there:
            self.shares.append(1 - len(gone) / len(there))
        self.said += len(there)
        self.left += len(there) - len(gone)
        if gone:
            self.missed.append((query["id"], gone))

    def row(self) -> dict[str, Any]:
        """The figures of the set."""
        ordered = sorted(self.sizes)
        return {
            "questions": len(self.sizes),
            "kept": round(self.kept / (self.full or 1), 3),
            "tokens": round(self.kept / (len(self.sizes) or 1)),
            "tokens p95": ordered[int(0.95 * (len(ordered) - 1))] if ordered else 0,
            "of": round(self.full / (len(self.sizes) or 1)),
            "sentence facts": round(1 - self.facts_lost / (self.facts or 1), 4),
            "answer facts": round(self.left / (self.said or 1), 4),
            "by question": round(sum(self.shares) / (len(self.shares) or 1), 4),
            "answer facts n": self.said,
            "ms": round(1000 * sum(self.seconds) / (len(self.seconds) or 1)),
        }


def measure(
    locator: Locator, queries: Sequence[dict[str, Any]], budget_tokens: int, count: Any, share: float = 0.0
) -> Measured:
    """Every question's passages, located and compressed."""
    measured = Measured()
    for query in queries:
        passages = locator.passages(query)
        if share:
            budget_tokens = round(share * sum(count(one.text) for one in passages))
        begun = perf_counter()
        lines = locator.lines(query, passages, budget_tokens)
        measured.seconds.append(perf_counter() - begun)
        measured.add(query, passages, lines, count)
    return measured


def main() -> None:
    """Print a table, a row for each set and budget."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    asked.add_argument("folders", nargs="+")
    asked.add_argument("--data", required=True)
    asked.add_argument("--budget", type=int, nargs="+", default=[240])
    asked.add_argument("--share", type=float, default=0.0)
    asked.add_argument("--passages", type=Path)
    asked.add_argument("--limit", type=int, default=0)
    asked.add_argument("--json", type=Path)
    asked.add_argument("--missed", action="store_true", help="print what was lost")
    given = asked.parse_args()
    rows: list[dict[str, Any]] = []
    with Appliance(load_config(flags={"paths.data": given.data})) as appliance:
        for named in given.folders:
            name, _, path = named.rpartition("=")
            folder = Path(path)
            locator = Locator(appliance, name or folder.name, given.passages)
            queries = questions(folder)[: given.limit or None]
            for budget in given.budget:
                measured = measure(
                    locator,
                    queries,
                    budget,
                    lambda text: appliance.embedder().count_tokens([text])[0],
                    given.share,
                )
                rows.append({"set": name or folder.name, "budget": given.share or budget, **measured.row()})
                print(json.dumps(rows[-1]), flush=True)
                for one in measured.missed if given.missed else ():
                    print("   ", *one)
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
