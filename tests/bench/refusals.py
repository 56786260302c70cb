"""Questions that the collection cannot answer: are they refused, and are those that it can answer not?

    python -m tests.bench.refusals QUERIES.jsonl --data DATA --collection C [--qrels FILE --without-gold]
        [--types A,B] [--limit N] [--out FILE]

``--without-gold``: each question is asked twice, with every document and without its judged ones. A question
that can be answered then has its evidence taken away: whatever is answered instead is made of noise. Without
it a question counts as unanswerable where the file gives it no answer. ``--out`` keeps a line for each
question, so that a stopped run goes on. Printed: of each type the share refused, right, and partly answered.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec

from appliance.config import load_config
from appliance.domain import Retrieval, RunStatus, Scope
from appliance.evaluate import load_qrels, load_queries, spread_over
from appliance.evaluate.queries import Query
from appliance.governance.judging import is_right
from appliance.wiring import Appliance

SPARE = 20
"""Passages looked for beyond those asked for: gold documents may have several."""
REFUSED = (RunStatus.INSUFFICIENT, RunStatus.WITHHELD)


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One question, asked once."""

    id: str
    type: str
    gold: bool
    """Whether its evidence could be found."""
    status: str
    right: bool
    short: str
    calls: int
    seconds: float


class Without:
    """A searcher that never finds some documents."""

    def __init__(self, searcher: Any, records: Sequence[str]) -> None:
        self._searcher, self._records = searcher, frozenset(records)
        self.judge, self.rarity = searcher.judge, searcher.rarity

    def search(self, query: str, scope: Scope, *, k: int, **how: Any) -> Retrieval:
        """As the searcher does, the next best in their place."""
        found = self._searcher.search(query, scope, k=k + SPARE, **how)
        left = [hit for hit in found.hits if hit.passage.record_id not in self._records]
        return msgspec.structs.replace(found, hits=tuple(left[:k]))


def ask(appliance: Appliance, collection: str, query: Query, without: Sequence[str]) -> Result:
    """One question through the loop; ``without``: the records that it may not find."""
    parts, researcher = appliance._research_parts(collection), appliance.researcher
    if without:
        parts.searcher = Without(parts.searcher, without)  # pyright: ignore[reportAttributeAccessIssue]
        parts.neighbours = lambda ids, scope: []
    researcher._parts_of = lambda _: parts
    begun = perf_counter()
    started = researcher.start(query.question, principal=appliance.principal, collection=collection)
    run = researcher.work(started)
    assert run.answer is not None, "a finished run has an answer"
    assert run.usage is not None, "and its cost"
    claims = "\n".join(claim.text for claim in run.answer.claims)
    expected = (query.answer or "", *query.answer_aliases)
    right = is_right(query.question, expected, query.all_of(), run.answer.answer, claims)
    return Result(
        id=query.id,
        type=query.type,
        gold=not without and query.answer is not None,
        status=run.answer.status.value,
        right=query.answer is not None and right,
        short=run.answer.short,
        calls=run.usage.calls,
        seconds=round(perf_counter() - begun, 2),
    )


def table_of(results: Sequence[Result]) -> dict[str, dict[str, float]]:
    """By type and in all, answerable and not: questions, and shares refused, partly answered, right."""
    groups: dict[str, list[Result]] = defaultdict(list)
    for one in results:
        kind = "answerable" if one.gold else "unanswerable"
        groups[f"{one.type} · {kind}"].append(one)
        groups[f"all · {kind}"].append(one)
    return {
        name: {
            "questions": len(rows),
            "refused": round(sum(one.status in REFUSED for one in rows) / len(rows), 3),
            "partial": round(sum(one.status == RunStatus.PARTIAL for one in rows) / len(rows), 3),
            "right": round(sum(one.right for one in rows) / len(rows), 3),
            "calls": round(sum(one.calls for one in rows) / len(rows), 2),
        }
        for name, rows in sorted(groups.items())
    }


def main() -> None:
    """Ask, keep and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("queries", type=Path)
    parser.add_argument("--data", required=True)
    parser.add_argument("--collection", required=True)
    parser.add_argument("--qrels", type=Path)
    parser.add_argument("--without-gold", action="store_true")
    parser.add_argument("--types", default="", help="only these, with commas")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    judged = load_qrels(given.qrels) if given.qrels else {}
    wanted = [one for one in given.types.split(",") if one]
    queries = [one for one in load_queries(given.queries) if not wanted or one.type in wanted]
    if given.without_gold:
        queries = [one for one in queries if judged.get(one.id)]
    known: dict[tuple[str, bool], Result] = {}
    if given.out and given.out.exists():
        lines = [line for line in given.out.read_bytes().splitlines() if line.strip()]
        rows = [msgspec.json.decode(line, type=Result) for line in lines]
        known = {(one.id, one.gold): one for one in rows}
    flags: dict[str, object] = {
        "paths.data": given.data,
        "reasoning.learning": False,
        "cache.enabled": False,
    }
    with Appliance(load_config(flags=flags), command="bench") as appliance:
        for query in spread_over(queries, given.limit):
            for gold in (True, False) if given.without_gold else (query.answer is not None,):
                if (query.id, gold) in known:
                    continue
                without = tuple(judged[query.id]) if given.without_gold and not gold else ()
                result = ask(appliance, given.collection, query, without)
                known[query.id, gold] = result
                if given.out:
                    with given.out.open("ab") as stream:
                        stream.write(msgspec.json.encode(result) + b"\n")
    print(json.dumps(table_of(tuple(known.values())), ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
