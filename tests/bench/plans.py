"""Plans against gold decompositions: the right number of hops, sub-questions that bring their gold passage.

    python -m tests.bench.plans QUERIES.jsonl --data DATA [--collection C] [--limit N] [--model] [--out FILE]

Rows whose questions have a ``decomposition`` (each step with its ``support`` record) are measured on
retrieval: for every gold step, whether any sub-question of the plan, gold answers in place of its references,
has the step's passage among its first 5 and 10. Questions without one count for hops by their type (two for a
bridge). Without ``--model``: the whole question, the shapes' chains alone, all shapes, and these with the
second plan that the loop makes where the first one finds nothing. With it: the model without and with
examples of the pattern; shapes first, model where they are silent, without and with the second plan. Of two
plans the sub-questions of both count, and the right number of hops of either.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from appliance.config import load_config
from appliance.domain import Plan, Reading, Tool, Usage
from appliance.evaluate.asking import spread_over
from appliance.evaluate.queries import Query
from appliance.prompts import Prompts
from appliance.reasoning.plan import fill, make_plan, simple_plan, unfolded_plan
from appliance.reasoning.planning import Sources, plan_for
from appliance.reasoning.sound import sound
from appliance.wiring import Appliance

DEPTHS = (5, 10)
Plans = tuple[Plan, ...]
Planner = Callable[[Reading], Plans]


class Spent:
    """Adds up the model's calls."""

    def __init__(self) -> None:
        self.usage = Usage()

    def add(self, usage: Usage) -> None:
        """Count one call."""
        self.usage = self.usage.plus(usage)


def planners(app: Appliance, spent: Spent, *, model: bool) -> dict[str, Planner]:
    """The rows of the table."""
    rows: dict[str, Planner] = {
        "whole question": lambda reading: (simple_plan(reading.text),),
        "chains only": lambda reading: (unfolded_plan(reading.text) or simple_plan(reading.text),),
        "all shapes": lambda reading: (plan_for(reading),),
        "all shapes, planned again": lambda reading: (plan_for(reading), plan_for(reading, attempt=1)),
    }
    if not model:
        return rows
    prompts = Prompts()

    def drafted(reading: Reading, examples: str) -> Plan:
        text = prompts.text("plan", reading.language)
        made = make_plan(reading.text, model=app.model, meter=spent, instructions=text, examples=examples)
        return sound(made, reading.text)

    def shaped(reading: Reading, attempts: int = 1) -> Plans:
        library = prompts.text("plan_examples", reading.language)
        sources = Sources(draft=lambda shown: drafted(reading, shown), examples=library)
        return tuple(plan_for(reading, attempt=attempt, sources=sources) for attempt in range(attempts))

    def by_examples(reading: Reading) -> Plan:
        from appliance.reasoning.planning import examples_for

        return drafted(
            reading, examples_for(reading, Sources(examples=prompts.text("plan_examples", reading.language)))
        )

    rows["model"] = lambda reading: (drafted(reading, ""),)
    rows["model, examples by pattern"] = lambda reading: (by_examples(reading),)
    rows["shapes, else model"] = shaped
    rows["shapes, else model, planned again"] = lambda reading: shaped(reading, attempts=2)
    return rows


def hops_wanted(row: dict[str, Any]) -> int | None:
    """How many look-ups the gold plan has; None where nobody said."""
    if row.get("decomposition"):
        return len(row["decomposition"])
    return 2 if row["type"].endswith("bridge") else None


def right_hops(plans: Plans, wanted: int) -> bool:
    """Whether a plan has as many tasks as the gold one."""
    return any(len(plan.tasks) == wanted for plan in plans)


def hits_of(plans: Plans, row: dict[str, Any], search: Callable[[str], list[str]]) -> dict[int, int]:
    """By depth: how many gold steps have their passage among the first of some sub-question."""
    steps = row["decomposition"]
    answers = {number: str(step["answer"]) for number, step in enumerate(steps, start=1)}
    tasks = [task for plan in plans for task in plan.tasks if task.tool is not Tool.CALC]
    asked = [fill(task.question, answers) for task in tasks]
    found = [search(question) for question in asked]
    return {k: sum(any(step["support"] in ranked[:k] for ranked in found) for step in steps) for k in DEPTHS}


def measure(
    rows: list[dict[str, Any]],
    read: Callable[[str], Reading],
    planner: Planner,
    search: Callable[[str], list[str]],
) -> dict[str, Any]:
    """One row of the table."""
    begun = perf_counter()
    plans = [planner(read(row["question"])) for row in rows]
    seconds = (perf_counter() - begun) / len(rows)
    made = list(zip(rows, plans, strict=True))
    right = [right_hops(tried, wanted) for row, tried in made if (wanted := hops_wanted(row))]
    graded = [(row, hits_of(tried, row, search)) for row, tried in made if row.get("decomposition")]
    steps = sum(len(row["decomposition"]) for row, _ in graded)
    told: dict[str, Any] = {
        "questions": len(rows),
        "right hops": round(sum(right) / len(right), 3) if right else None,
        "seconds a plan": round(seconds, 2),
    }
    for k in DEPTHS:
        told[f"steps in top {k}"] = round(sum(hits[k] for _, hits in graded) / steps, 3) if steps else None
        whole = [hits[k] == len(row["decomposition"]) for row, hits in graded]
        told[f"all steps in top {k}"] = round(sum(whole) / len(whole), 3) if whole else None
    by_type: dict[str, list[bool]] = {}
    for row, tried in made:
        if wanted := hops_wanted(row):
            by_type.setdefault(row["type"], []).append(right_hops(tried, wanted))
    told["right hops by type"] = {kind: f"{sum(ok)}/{len(ok)}" for kind, ok in sorted(by_type.items())}
    return told


def main() -> None:
    """Print the table as JSON lines; ``--out`` keeps it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("queries", type=Path)
    parser.add_argument("--data", required=True)
    parser.add_argument("--collection", default="wikihop_mix")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--gold-only", action="store_true", help="questions with a decomposition")
    parser.add_argument("--model", action="store_true")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    rows = [json.loads(line) for line in given.queries.read_text("utf-8").splitlines() if line.strip()]
    rows = [row for row in rows if row.get("decomposition") or (hops_wanted(row) and not given.gold_only)]
    if given.limit:
        kept = spread_over(
            [Query(id=row["id"], question=row["question"], type=row["type"]) for row in rows], given.limit
        )
        rows = [row for row in rows if row["id"] in {query.id for query in kept}]
    table: dict[str, Any] = {}
    with Appliance(load_config(flags={"paths.data": given.data})) as app:
        scope = app.scope(collection=given.collection)
        searcher, known = app.searcher(given.collection), dict[str, list[str]]()

        def search(question: str) -> list[str]:
            if question not in known:
                hits = searcher.search(question, scope, k=max(DEPTHS)).hits
                known[question] = [hit.passage.record_id for hit in hits]
            return known[question]

        spent = Spent()
        for name, planner in planners(app, spent, model=given.model).items():
            before = spent.usage
            table[name] = measure(rows, app.questions.read, planner, search)
            calls = spent.usage.calls - before.calls
            if calls:
                tokens = spent.usage.prompt_tokens - before.prompt_tokens
                cached = spent.usage.cached_tokens - before.cached_tokens
                table[name] |= {
                    "calls": calls,
                    "prompt tokens a call": tokens // calls,
                    "of them cached": cached // calls,
                }
            print(name, json.dumps(table[name]), flush=True)
    if given.out:
        given.out.write_text(json.dumps(table, indent=1), "utf-8")


if __name__ == "__main__":
    main()
