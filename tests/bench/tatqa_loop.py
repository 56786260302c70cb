"""Questions over tables and text through the whole loop: exact match and F1, the scale as the gold says.

    python -m tests.bench.tatqa_loop FOLDER --data DATA [--collection C] [--limit N] [--open] [--out FILE]

FOLDER holds ``queries.dev.jsonl`` and ``corpus.jsonl`` (TAT-QA in the form of queries and passages). Each
report page (a table and its paragraphs) is ingested as one document, the first time. As the benchmark means
it, a question is asked of its own page: retrieval is restricted to that; ``--open``: it searches all pages.
``--out``: a line for each question as it is answered; named again, those are kept, so that a stopped run
goes on.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec

from appliance.config import load_config
from appliance.domain import DocumentId, PassageId, Retrieval, Scope
from appliance.errors import AssayError
from appliance.governance.overlap import exact_match, token_f1
from appliance.reasoning.tools.amounts import Amount, read_amount
from appliance.reasoning.tools.rounding import rounded
from appliance.reasoning.tools.scales import factor
from appliance.wiring import Appliance

NUMERIC = ("arithmetic", "count")


class Within:
    """A searcher that looks at some documents only."""

    def __init__(self, searcher: Any, documents: Sequence[DocumentId]) -> None:
        self._searcher, self._documents = searcher, tuple(documents)
        self.judge, self.rarity = searcher.judge, searcher.rarity

    def narrowed(self, scope: Scope) -> Scope:
        """The scope within the documents."""
        return msgspec.structs.replace(scope, documents=self._documents)

    def search(self, query: str, scope: Scope, **how: Any) -> Retrieval:
        """As the searcher does."""
        return self._searcher.search(query, self.narrowed(scope), **how)


def graded(query: dict[str, Any], short: str) -> dict[str, float]:
    """``em``, ``f1`` (value and scale) and ``value`` (whatever the scale) of a bare answer, 0–1 each."""
    if query["type"] in NUMERIC:
        value, scaled = numeric(query, short)
        return {"em": float(scaled), "f1": float(scaled), "value": float(value)}
    expected = [str(one) for one in query["answer_list"]]
    joined = " ".join(expected)
    wanted = (query["answer"], joined, "; ".join(expected))
    made = {"em": float(exact_match(short, wanted)), "f1": token_f1(short.replace(";", " "), (joined,))}
    amounts = [read_amount(one) for one in expected]
    said = [read_amount(one) for one in re.split(r";| and |, (?=\D)", short)]
    value = 0.0
    if all(amounts) and len(said) == len(amounts) and all(said):  # figures: by value, whatever their form
        pairs = [(one, gold) for one, gold in zip(said, amounts, strict=True) if one and gold]
        value = float(all(unscaled(one) == unscaled(gold) for one, gold in pairs))
        scales = [one.scale.lower().removesuffix("s") in ("", query["scale"]) for one, _ in pairs]
        right = float(value and all(scales))
        made = {"em": max(made["em"], right), "f1": max(made["f1"], right)}
    return {**made, "value": max(made["em"], value)}


def numeric(query: dict[str, Any], short: str) -> tuple[bool, bool]:
    """Whether the figure is the gold's, to two decimals in its scale, and whether its scale is, too."""
    said = read_amount(short)
    if said is None:
        return False, False
    gold = rounded(Fraction(str(query["answer"]).replace(",", "")), 2)
    percent = query["scale"] == "percent"
    value = rounded(unscaled(said), 2) == gold
    scale = "percent" if said.unit == "percent" else said.scale.lower().removesuffix("s")
    full = rounded(said.number / (1 if percent or not query["scale"] else factor(query["scale"])), 2) == gold
    return value, (value and scale == query["scale"]) or (full and not percent and bool(said.scale))


def unscaled(amount: Amount) -> Fraction:
    """The figure as written, without its scale word."""
    return amount.number / (factor(amount.scale) if amount.scale else 1)


def ingest(folder: Path, data: str, collection: str) -> None:
    """Each page as a document, its table before its paragraphs."""
    found: dict[str, list[tuple[bool, str]]] = defaultdict(list)
    for line in (folder / "corpus.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        found[record["meta"]["context"]].append((record["meta"]["kind"] != "table", record["text"]))
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "pages.jsonl"
        with file.open("w", encoding="utf-8") as stream:
            for context, texts in found.items():
                page = "\n\n".join(text for _, text in sorted(texts, key=lambda each: each[0]))
                stream.write(json.dumps({"id": context, "title": "", "text": page}) + "\n")
        run = [sys.executable, "-m", "appliance.cli", "--data", data, "ingest", str(file)]
        subprocess.run([*run, "--collection", collection], check=True)


def pages(appliance: Appliance, collection: str) -> dict[str, DocumentId]:
    """By page, its document; empty where nothing is ingested yet."""
    scope = appliance.scope(collection=collection)
    listed = appliance.repositories.documents.list(scope, limit=10_000)
    return {one.record_id: one.id for one in listed}


def ask(
    appliance: Appliance, collection: str, query: dict[str, Any], page: Sequence[DocumentId]
) -> dict[str, Any]:
    """One question through the loop; ``page``: the documents it may find, none for all of them."""
    researcher = appliance.researcher
    parts = appliance._research_parts(collection)
    if page:
        searcher: Any = Within(parts.searcher, page)
        near = parts.neighbours

        def neighbours(ids: Sequence[PassageId], scope: Scope) -> list[PassageId]:
            return near(ids, searcher.narrowed(scope))

        parts.searcher, parts.neighbours = searcher, neighbours
    researcher._parts_of = lambda _: parts
    begun = perf_counter()
    told: dict[str, Any] = {"id": query["id"], "type": query["type"], "from": query["answer_from"]}
    try:
        started = researcher.start(query["question"], principal=appliance.principal, collection=collection)
        run = researcher.work(started)
    except AssayError as error:
        return {**told, "error": str(error), "em": 0.0, "f1": 0.0, "value": 0.0}
    assert run.answer is not None, "a finished run has an answer"
    assert run.usage is not None, "and its cost"
    kinds = [event.kind for event in appliance.events.after(run.id)]
    return {
        **told,
        **graded(query, run.answer.short),
        "question": query["question"],
        "gold": f"{query['answer']} {query['scale']}".strip(),
        "derivation": query.get("derivation", ""),
        "short": run.answer.short,
        "status": run.answer.status.value,
        "computed": "table.computed" in kinds,
        "calls": run.usage.calls,
        "seconds": round(perf_counter() - begun, 2),
        "run": run.id,
    }


def table_of(results: Sequence[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """By type and in all: questions, EM, F1, value alone, computed without a model, refused, seconds."""
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for one in results:
        for name in (one["type"], f"arithmetic from {one['from']}" * (one["type"] == "arithmetic"), "all"):
            if name:
                groups[name].append(one)
    made: dict[str, dict[str, float]] = {}
    for name, rows in sorted(groups.items()):
        free = [one for one in rows if not one.get("calls", 1)]
        seconds = sorted(one.get("seconds", 0.0) for one in rows)
        made[name] = {
            "questions": len(rows),
            **{key: round(sum(one[key] for one in rows) / len(rows), 3) for key in ("em", "f1", "value")},
            "without the model": len(free),
            "of them right": sum(one["em"] for one in free),
            "refused": sum(one.get("status") == "insufficient" for one in rows),
            "seconds p50": seconds[len(seconds) // 2],
        }
    return made


def main() -> None:
    """Ask, keep and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", required=True)
    parser.add_argument("--collection", default="tatqa")
    parser.add_argument("--limit", type=int, default=120)
    parser.add_argument("--open", action="store_true")
    parser.add_argument("--types", default="", help="only these, with commas")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    rows = [json.loads(line) for line in (given.folder / "queries.dev.jsonl").read_text("utf-8").splitlines()]
    rows = [row for row in rows if not given.types or row["type"] in given.types.split(",")]
    count = min(given.limit, len(rows))
    rows = [rows[number * len(rows) // count] for number in range(count)]
    known: dict[str, dict[str, Any]] = {}
    if given.out and given.out.exists():
        kept = [json.loads(line) for line in given.out.read_text("utf-8").splitlines() if line.strip()]
        known = {one["id"]: one for one in kept}
    flags = {"paths.data": given.data, "cache.enabled": False, "reasoning.learning": False}
    with Appliance(load_config(flags=flags)) as appliance:
        there = bool(pages(appliance, given.collection))
    if not there:
        ingest(given.folder, given.data, given.collection)
    results: list[dict[str, Any]] = []
    with Appliance(load_config(flags=flags)) as appliance:
        page_of = pages(appliance, given.collection)
        for row in rows:
            made = known.get(row["id"])
            if made is None:
                page = () if given.open else [page_of[row["context"]]]
                made = ask(appliance, given.collection, row, page)
                if given.out:
                    with given.out.open("a", encoding="utf-8") as stream:
                        stream.write(json.dumps(made, ensure_ascii=False) + "\n")
            results.append(made)
            print(
                len(results), made["type"], made["em"], made.get("short"), "|", made.get("gold"), flush=True
            )
    print("retrieval over", "the whole collection" if given.open else "the question's own page")
    for name, figures in table_of(results).items():
        print(name, json.dumps(figures))


if __name__ == "__main__":
    main()
