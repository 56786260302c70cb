"""Questions with their contexts: is a second context's other answer told, and only where it should be?

    python -m tests.bench.second_sources QUERIES.jsonl --data DATA --collection C
        [--limit N] [--show N] [--out FILE]

A line of QUERIES has ``question``, ``contexts`` and ``expected_mode``: ``disputed`` against ``trustworthy``,
others are left out. All contexts are read first, as a run reads its passages, then each other context that
:mod:`appliance.second_sources` would ask, by itself. The collection lends its word statistics only. ``--out``
keeps a line for each question, so that a stopped run goes on.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from appliance.calls import Tally
from appliance.config import load_config
from appliance.domain import Finding, Passage, Task
from appliance.evidence.statements import Statement
from appliance.looking_up import LookUp
from appliance.reasoning.state import Try
from appliance.second_sources import SecondSources
from appliance.wiring import Appliance
from tests.bench.contradictions import passage, rates
from tests.bench.located import Locator

MODES = ("disputed", "trustworthy")


class Asking:
    """Reads contexts as a run reads passages, and asks second sources."""

    def __init__(self, appliance: Appliance, collection: str) -> None:
        parts = appliance._research_parts(collection)
        self._split, self._judge = parts.split, parts.searcher.judge
        locator, budget = Locator(appliance, collection), parts.settings.evidence_tokens
        self._look = LookUp(
            lines=lambda asked, passages: locator.lines({"question": asked}, list(passages), budget),
            read=parts.read,
            model=parts.model,
            prompts=parts.prompts,
            analyse=parts.analyse,
            rarity=parts.searcher.rarity,
            tell=lambda kind, **data: None,
            found_margin=parts.settings.found_margin,
        )

    def ask(self, query: dict[str, Any]) -> dict[str, Any]:
        """The answer, the values told against it, and the calls of the model: of both parts."""
        # Numbers that no passage of the collection has.
        passages = [passage(-1 - at, "", text) for at, text in enumerate(query["contexts"])]
        first, second = Tally(), Tally()
        found = self._answer(query["question"], passages, first)
        told: list[list[str]] = []
        if found.found and len(found.claims) == 1:
            claim = found.claims[0]
            cited = next(each for each in passages if each.fingerprint == claim.citations[0])
            stated = Statement(text=claim.quote, raw=claim.quote, passage=cited)
            sources = SecondSources(
                judge=self._judge,
                answers=lambda question, one: self._answer(question, [one], second),
                split=self._split,
            )
            told = [list(each.values) for each in sources.conflicts(found, stated, passages)]
        return {
            "id": query["id"],
            "type": query["type"],
            "disputed": query["expected_mode"] == "disputed",
            "answer": found.answer,
            "told": told,
            "calls": first.usage.calls,
            "calls for second sources": second.usage.calls,
        }

    def _answer(self, question: str, passages: list[Passage], tally: Tally) -> Finding:
        one = Try(attempt=0, task=Task(id=1, question=question), asked=question)
        return self._look.look_up(one, passages, (), tally)[0]


def spread(queries: list[dict[str, Any]], limit: int | None) -> list[dict[str, Any]]:
    """The first of each mode in turn, up to ``limit``."""
    by_mode = [[each for each in queries if each["expected_mode"] == mode] for mode in MODES]
    most = max(map(len, by_mode), default=0)
    turns = [rows[at] for at in range(most) for rows in by_mode if at < len(rows)]
    return turns[:limit]


def table_of(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Precision and recall, what was told by type, and calls a question."""
    told = Counter(row["type"] for row in rows if row["told"])
    asked = Counter(row["type"] for row in rows)
    return {
        **rates((bool(row["told"]), row["disputed"]) for row in rows),
        "told by type": {kind: f"{told[kind]}/{asked[kind]}" for kind in sorted(asked)},
        **{
            name: round(sum(row[name] for row in rows) / (len(rows) or 1), 2)
            for name in ("calls", "calls for second sources")
        },
    }


def main() -> None:
    """Ask, keep and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("queries", type=Path)
    parser.add_argument("--data", required=True)
    parser.add_argument("--collection", required=True)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--show", type=int, default=0, help="print so many that were judged wrong")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    queries = [json.loads(line) for line in given.queries.read_text("utf-8").splitlines() if line.strip()]
    known: list[dict[str, Any]] = []
    if given.out and given.out.exists():
        known = [json.loads(line) for line in given.out.read_text("utf-8").splitlines()]
    done = {row["id"] for row in known}
    flags: dict[str, object] = {"paths.data": given.data, "reasoning.learning": False, "cache.enabled": False}
    with Appliance(load_config(flags=flags), command="bench") as appliance:
        asking = Asking(appliance, given.collection)
        for query in spread([each for each in queries if each["expected_mode"] in MODES], given.limit):
            if query["id"] in done:
                continue
            known.append(asking.ask(query))
            if given.out:
                with given.out.open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps(known[-1], ensure_ascii=False) + "\n")
    for row in [each for each in known if bool(each["told"]) != each["disputed"]][: given.show]:
        print(json.dumps(row, ensure_ascii=False))
    print(json.dumps(table_of(known), ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
