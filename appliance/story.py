"""A run's whole story: its steps with what they did and cost, what people said, whether its record holds.

Arrives: a stored run, its steps, its events. Leaves: one value that encodes to ``assay runs show --json`` and
to ``GET /api/questions/{id}/story``, one code for both doors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from appliance.domain import ChainReport, Event, ForkPoint, RunId, RunOptions, SteerRow, Usage
from appliance.redacting import told
from appliance.store.history import History, StoredStep
from appliance.store.runs import RunRecord
from appliance.views import View
from appliance.wiring import Appliance


class Cost(View, frozen=True, kw_only=True):
    """What a step, or all of them, took."""

    seconds: float = 0.0
    usage: Usage = Usage()


class StepStory(View, frozen=True, kw_only=True):
    """One stored step."""

    step: int
    nodes: tuple[str, ...]
    """What ran in it; empty for the question's arrival and for a change by a fork."""
    at: str
    cost: Cost
    events: tuple[Event, ...]
    digest: str


class RunStory(View, frozen=True, kw_only=True):
    """Everything that is stored of a run, its answer apart."""

    user: str
    created_at: str
    finished_at: str | None
    options: RunOptions
    config_digest: str
    model_digests: dict[str, str]
    parent: RunId | None
    fork: ForkPoint | None
    forks: tuple[RunId, ...]
    steps: tuple[StepStory, ...]
    after: tuple[Event, ...]
    """Events since the last stored step."""
    said: tuple[SteerRow, ...]
    """What people said to it."""
    cost: Cost
    own_cost: Cost
    """Without what its parent had spent before they parted."""
    chain: ChainReport


def story_of(appliance: Appliance, run: RunRecord) -> RunStory:
    """The story of a stored run. Raises DamagedError: a step that is no JSON."""
    history = History(appliance.database)
    steps, events = history.steps(run.id), told(run, appliance.events.after(run.id))
    rows = _steps(steps, events)
    last = rows[-1] if rows else None
    end = steps[-1].event_seq if steps else 0
    cost = cost_of(steps[-1]) if steps else Cost()
    parted = [step for step in steps if run.fork and step.checkpoint == run.fork.checkpoint]
    return RunStory(
        user=run.user,
        created_at=run.created_at,
        finished_at=run.finished_at,
        options=run.options,
        config_digest=run.config_digest,
        model_digests=run.model_digests,
        parent=run.parent,
        fork=run.fork,
        forks=tuple(appliance.runs.forks_of(run.id)),
        steps=rows,
        after=tuple(event for event in events if event.seq > end) if last else tuple(events),
        said=appliance.steering.rows(run.id),
        cost=cost,
        own_cost=less(cost, cost_of(parted[0])) if parted else cost,
        chain=history.verify(run.id),
    )


def cost_of(step: StoredStep) -> Cost:
    """What the run had cost when the step was stored."""
    usage: Any = step.values.get("usage") or {}
    plain: dict[str, int] = usage.get("v", {})
    return Cost(seconds=float(step.values.get("seconds") or 0.0), usage=msgspec.convert(plain, Usage))


def less(cost: Cost, before: Cost) -> Cost:
    """The difference."""
    names = Usage.__struct_fields__
    usage = {name: getattr(cost.usage, name) - getattr(before.usage, name) for name in names}
    return Cost(seconds=round(cost.seconds - before.seconds, 6), usage=msgspec.convert(usage, Usage))


def _steps(steps: Sequence[StoredStep], events: Sequence[Event]) -> tuple[StepStory, ...]:
    rows: list[StepStory] = []
    before, seen = Cost(), 0
    for step in steps:
        cost = cost_of(step)
        rows.append(
            StepStory(
                step=step.number,
                nodes=step.nodes,
                at=step.at,
                cost=less(cost, before),
                events=tuple(event for event in events if seen < event.seq <= step.event_seq),
                digest=step.digest,
            )
        )
        before, seen = cost, max(seen, step.event_seq)
    return tuple(rows)
