"""What questions cost through the loop: calls, tokens, seconds by hops, and the share that no model took.

The rows ``1 plans`` and ``2 plans`` tell what a second plan adds: one is made only where the first one found
nothing that was asked for, so that all that is right there would have been refused without it.

    python -m tests.bench.cost QUERIES.jsonl --data DATA [--collection C] [--qrels FILE] [--limit N]
        [--out FILE] [--repeat]

Every model call is timed; calls that overlap count once. ``--out`` keeps a line a question, those of ``assay
eval answers`` with more, so that a stopped run goes on. ``--repeat``: with the caches on, each question is
asked once more, and the second time is measured.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec

from appliance.config import load_config
from appliance.domain import Answering, RunId
from appliance.evaluate import evaluate_answers, load_qrels, load_queries, spread_over, summarise
from appliance.evaluate.asking import asking
from appliance.evaluate.report import AnswerResult
from appliance.governance.metrics import mean, percentile
from appliance.wiring import Appliance

TIMED = frozenset({"complete", "embed_queries", "embed_passages", "rerank"})


class Row(AnswerResult, frozen=True, kw_only=True):
    """A question's result with what it cost."""

    tasks: int = 0
    """Sub-questions of its last plan."""
    plans: int = 1
    """Plans made, one after the other."""
    llm_s: float = 0.0
    encoders_s: float = 0.0
    """Seconds in which an encoder worked and the language model did not."""
    repeated_ms: float | None = None


class Clock:
    """Intervals in which a model of some kind worked."""

    def __init__(self) -> None:
        self.spans: list[tuple[float, float, str]] = []

    def timed(self, model: Any, kind: str) -> Any:
        """The model, its calls timed."""
        return _Timed(model, kind, self.spans)

    def seconds(self, *kinds: str) -> float:
        """In which any of these worked."""
        total, end = 0.0, 0.0
        for begun, done, kind in sorted(self.spans):
            if kind in kinds:
                total += max(0.0, done - max(begun, end))
                end = max(end, done)
        return total


class _Timed:
    def __init__(self, model: Any, kind: str, spans: list[tuple[float, float, str]]) -> None:
        self._model, self._kind, self._spans = model, kind, spans

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._model, name)
        return self._around(found) if name in TIMED else found

    def _around(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def made(*given: Any, **named: Any) -> Any:
            begun = perf_counter()
            try:
                return call(*given, **named)
            finally:
                self._spans.append((begun, perf_counter(), self._kind))

        return made


def timed(appliance: Appliance, collection: str) -> Clock:
    """Put a clock around every model of the appliance."""
    clock = Clock()
    name = appliance._embedder_of(collection)
    appliance._embedders[name] = clock.timed(appliance.embedder(name), "encoder")
    appliance.__dict__["rerankers"] = tuple(clock.timed(one, "encoder") for one in appliance.rerankers)
    appliance.__dict__["model"] = clock.timed(appliance.model, "llm")
    return clock


def measured(
    appliance: Appliance,
    collection: str,
    queries: Sequence[Any],
    keep: Callable[[Row], None],
    *,
    qrels: Any,
    repeat: bool,
) -> None:
    """Ask each question, and once more where wanted; ``keep`` gets each row at once."""
    clock = timed(appliance, collection)
    ask = asking(appliance, Answering.LOOP, collection=collection, max_steps=None, cancelled=lambda: False)
    ask("warm up: who wrote this?")

    def row(result: AnswerResult) -> None:
        llm, both = clock.seconds("llm"), clock.seconds("llm", "encoder")
        plans = [one.data for one in appliance.events.after(RunId(result.run_id)) if one.kind == "plan.made"]
        again: float | None = None
        if repeat and result.run_id:
            begun = perf_counter()
            ask(result.question)
            again = round((perf_counter() - begun) * 1000, 2)
        keep(
            Row(
                **msgspec.structs.asdict(result),
                tasks=len(plans[-1]["tasks"]) if plans else 0,  # pyright: ignore[reportArgumentType]
                plans=len(plans) or 1,
                llm_s=round(llm, 3),
                encoders_s=round(both - llm, 3),
                repeated_ms=again,
            )
        )
        clock.spans.clear()

    clock.spans.clear()
    scope = appliance.scope(collection=collection)
    evaluate_answers(ask, appliance.passages, scope, queries, keep=row, qrels=qrels)


def table_of(rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """By type, by sub-questions of the plan, by plans made, and in all."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for one in rows:
        for name in (one.type, f"plan of {one.tasks}", f"{one.plans} plans", "all"):
            groups[name].append(one)
    made: dict[str, dict[str, Any]] = {}
    for name, those in sorted(groups.items()):
        seconds = [one.seconds for one in those]
        whole, shares = sum(seconds) or 1.0, summarise(those).overall
        again = [one.repeated_ms for one in those if one.repeated_ms is not None]
        answerable = [one for one in those if one.answerable]
        made[name] = {
            "questions": len(those),
            "calls": round(mean([one.llm_calls for one in those]), 2),
            "prompt_tokens": round(mean([one.prompt_tokens for one in those])),
            "of_them_cached": round(mean([one.cached_tokens for one in those])),
            "output_tokens": round(mean([one.completion_tokens for one in those])),
            "seconds_p50": round(percentile(seconds, 50), 2),
            "seconds_p95": round(percentile(seconds, 95), 2),
            "llm_share": round(sum(one.llm_s for one in those) / whole, 4),
            "encoders_share": round(sum(one.encoders_s for one in those) / whole, 4),
            "rest_share": round(1 - sum(one.llm_s + one.encoders_s for one in those) / whole, 4),
            "exact": shares.exact,
            "f1": shares.f1,
            "contained": shares.contained,
            "refused": round(sum(one.refused for one in answerable) / (len(answerable) or 1), 3),
            "evidence": shares.evidence,
            **({"repeated_ms_p50": percentile(again, 50), "repeated_ms_max": max(again)} if again else {}),
        }
    return made


def main() -> None:
    """Ask, keep and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("queries", type=Path)
    parser.add_argument("--data", required=True)
    parser.add_argument("--collection", default="default")
    parser.add_argument("--qrels", type=Path)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--repeat", action="store_true")
    given = parser.parse_args()
    asked = spread_over(load_queries(given.queries), given.limit)
    known: dict[str, Row] = {}
    if given.out and given.out.exists():
        lines = [line for line in given.out.read_bytes().splitlines() if line.strip()]
        known = {one.id: one for one in (msgspec.json.decode(line, type=Row) for line in lines)}

    def keep(row: Row) -> None:
        known[row.id] = row
        if given.out:
            with given.out.open("ab") as stream:
                stream.write(msgspec.json.encode(row) + b"\n")

    flags: dict[str, object] = {"paths.data": given.data, "reasoning.learning": False}
    if not given.repeat:
        flags["cache.enabled"] = False
    with Appliance(load_config(flags=flags), command="bench") as appliance:
        waiting = [one for one in asked if one.id not in known]
        qrels = load_qrels(given.qrels) if given.qrels else None
        measured(appliance, given.collection, waiting, keep, qrels=qrels, repeat=given.repeat)
    rows = [known[one.id] for one in asked if one.id in known]
    print(json.dumps(table_of(rows), ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
