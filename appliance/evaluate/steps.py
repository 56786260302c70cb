"""What every step of the funnel contributes, in quality and in milliseconds: one table.

Arrives: the configured funnel, judged questions, a way to search with other settings. Leaves: a
:class:`StepsReport`, a row for each step; every row has all that the rows above it have, up to the funnel as
it is configured.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from appliance.config import Retrieval as Settings
from appliance.domain import Retrieval, Strategy
from appliance.evaluate.queries import Query
from appliance.evaluate.replay import Replay
from appliance.evaluate.retrieval import RetrievalReport, Search, evaluate_retrieval
from appliance.governance.metrics import mean

STAGES = (
    "reading", "encoder", "dense", "lexical", "store", "own", "reranker", "stability", "links",
)  # fmt: skip
KS = (5, 10)
CHANGE = "recall@5"
CONFIGURED = "as configured"


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One row: a funnel that ends here."""

    name: str
    strategy: Strategy
    settings: Settings
    reads: bool = True
    """Whether it needs more of the question than its language: if not, reading it is not charged."""


class StepResult(msgspec.Struct, frozen=True, kw_only=True):
    """One row, measured."""

    name: str
    report: RetrievalReport
    change_points: float | None
    """Of recall@5 against the row above, in points of 100; None in the first row."""
    total_p50_ms: float
    added_ms: dict[str, float]
    """Mean milliseconds by stage, less those of the first row: they add up to ``total``."""


class StepsReport(msgspec.Struct, frozen=True, kw_only=True):
    """All rows. Means add up over stages; medians, which ``report.timings`` has too, do not."""

    queries: int
    skipped: int
    steps: tuple[StepResult, ...]
    degraded: tuple[str, ...]


Opening = Callable[[Step], Search]
"""A step → its search."""
StepsProgress = Callable[[str, int, int], None]
"""Told the step, and how many of how many questions of it are done."""


def steps_of(configured: Settings) -> tuple[Step, ...]:
    """The growing funnel. A part that the configuration has switched off has no row."""
    names = {
        "+ rewrites and facets": ("rewrites", "facets"),
        "+ sections": ("section_k",),
        "+ title and closeness": (
            "title_weight",
            "closeness_weight",
            "rerank_closeness_weight",
            "phrase_weight_zh",
        ),
        "+ the question's filters": ("question_filter",),
        "+ coarse rank": ("coarse",),
        "+ cross-encoder": ("rerank_k",),
        "+ stability": ("stability_rewrites",),
        "+ links": ("link_passages",),
    }
    off = {name: False if isinstance(getattr(configured, name), bool) else 0
           for group in names.values() for name in group}  # fmt: skip
    settings = msgspec.structs.replace(configured, **off)
    rows = [
        Step(name="dense only", strategy=Strategy.DENSE, settings=settings, reads=False),
        Step(name="lexical only", strategy=Strategy.LEXICAL, settings=settings, reads=False),
        Step(name="fusion", strategy=Strategy.HYBRID, settings=settings, reads=False),
    ]
    for name, fields in names.items():
        grown = msgspec.structs.replace(settings, **{field: getattr(configured, field) for field in fields})
        if grown != settings and (grown.rerank_k or name != "+ stability"):
            rows.append(Step(name=name, strategy=Strategy.HYBRID, settings=grown))
        settings = grown
    return (*rows, Step(name=CONFIGURED, strategy=Strategy.AUTO, settings=configured))


def evaluate_steps(
    opening: Opening,
    steps: Sequence[Step],
    queries: Sequence[Query],
    qrels: Mapping[str, Mapping[str, float]],
    *,
    replay: Replay | None = None,
    ks: Sequence[int] = KS,
    progress: StepsProgress = lambda name, done, total: None,
) -> StepsReport:
    """The same questions through every step; ``replay``: the one that the cross-encoder is wrapped in.

    Raises UserError when no question is judged.
    """
    replay, wanted = replay or Replay(), sorted({*ks, *KS})
    results: list[StepResult] = []
    first: dict[str, float] = {}
    for step in steps:
        told = _Telling(opening(step), step, replay)
        report = evaluate_retrieval(
            told.search,
            queries,
            qrels,
            ks=wanted,
            progress=lambda done, total, name=step.name: progress(name, done, total),
        )
        means = told.means()
        first = first or means
        before = results[-1].report.overall[CHANGE] if results else None
        results.append(
            StepResult(
                name=f"{step.name}, selector" if told.selected else step.name,
                report=report,
                change_points=None if before is None else round(100 * (report.overall[CHANGE] - before), 2),
                total_p50_ms=report.timings["total"].p50_ms,
                added_ms={part: round(means[part] - first.get(part, 0.0), 2) for part in means},
            )
        )
    last = results[-1].report
    degraded = dict.fromkeys(part for result in results for part in result.report.degraded)
    return StepsReport(
        queries=last.queries, skipped=last.skipped, steps=tuple(results), degraded=tuple(degraded)
    )


class _Telling:
    """A search that keeps its timings; the first one, which warms up, is not among them."""

    def __init__(self, search: Search, step: Step, replay: Replay) -> None:
        self._search, self._step, self._replay = search, step, replay
        self._rows: list[dict[str, float]] = []
        self.selected = False

    def search(self, query: Query, wanted: int) -> Retrieval:
        """The retrieval, charged for what was replayed and not for what the step does not need."""
        found = self._replay.charged(self._search(query, wanted))
        timings = dict(found.timings_ms)
        reading_ms = timings.pop("reading", 0.0)
        if self._step.reads:
            timings["reading"] = reading_ms
        else:
            timings["total"] = timings.get("total", 0.0) - reading_ms
        self._rows.append(timings)
        self.selected |= found.weights is not None and found.weights.origin == "selector"
        return msgspec.structs.replace(found, timings_ms=timings)

    def means(self) -> dict[str, float]:
        """Mean milliseconds by stage and in total; a search without a stage counts 0 for it."""
        rows = self._rows[1:]
        parts = dict.fromkeys((*STAGES, *(part for row in rows for part in row)))
        return {part: mean([row.get(part, 0.0) for row in rows]) for part in parts}
