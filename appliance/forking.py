"""A run forked: its stored steps up to one of them become a new run, in which something is done otherwise.

Beside research. Arrives: a run, a step, a change. Leaves: a new run, stored and not begun; whoever works on
it goes on from that step. The parent is only read: it may be running, finished or failed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import msgspec
from langgraph.checkpoint.base import BaseCheckpointSaver

from appliance.domain import (
    ForkPoint,
    Principal,
    RunId,
    RunOptions,
    RunStatus,
    Strategy,
)
from appliance.errors import UserError
from appliance.reasoning.forking import ForkChange, update_for
from appliance.reasoning.given_plan import GIVEN_TASKS_MAX
from appliance.reasoning.graph import Graph, Steps, build_graph
from appliance.reasoning.sound import sound_given
from appliance.reasoning.state import Limits, State
from appliance.store.events import EventLog
from appliance.store.history import History, StoredStep
from appliance.store.runs import NewRun, RunRecord, Runs
from appliance.store.sqlite import Database
from appliance.store.steering import Steering

_UNFINISHED = (RunStatus.RUNNING, RunStatus.PAUSED)


class Present(msgspec.Struct, frozen=True, kw_only=True):
    """How this installation works now: a fork goes on with that, whatever its parent was worked on with."""

    config_digest: str
    model_digests: Callable[[str], dict[str, str]]
    """Of a collection's name."""
    limits: Callable[[RunRecord], Limits]
    """A question's bounds from its beginning."""


class Forker:
    """Makes forks."""

    def __init__(
        self,
        database: Database,
        runs: Runs,
        events: EventLog,
        checkpointer: BaseCheckpointSaver[Any],
        now: Present,
    ) -> None:
        """Bind the stores; no model is needed."""
        self._now = now
        self._database, self._runs, self._events = database, runs, events
        self._steering, self._history = Steering(database, events), History(database)
        # Never asked to work: only the graph's shape is needed, to know what comes after a node.
        self._graph: Graph = build_graph(cast(Steps, None), checkpointer)

    def fork(self, run_id: RunId, user: str, *, step: int | None = None, change: ForkChange) -> RunRecord:
        """The new run. Raises NotFoundError (unknown, or another user's), UserError (no such step …)."""
        parent = self._runs.get(run_id, user)
        steps = self._history.steps(parent.id)
        at = self._chosen(parent, steps, step, change)
        with self._database.transaction():
            child = self._runs.create(
                NewRun(
                    question=change.question or parent.question,
                    collection=parent.collection,
                    principal=Principal(user=parent.user, groups=parent.groups),
                    config_digest=self._now.config_digest,
                    model_digests=self._now.model_digests(parent.collection),
                    options=_options(parent.options, change),
                    parent=parent.id,
                    fork=ForkPoint(step=at.number, checkpoint=at.checkpoint, event_seq=at.event_seq),
                )
            )
            self._copy(parent.id, child.id, steps, at)
            self._steering.inherit(parent.id, child.id, at.number)
            self._events.emit(child.id, "run.forked", _told(parent, at, change))
            self._apply(child, at, change)
            if change.guidance is not None:
                self._steering.guide(child.id, change.guidance, user)
        self._events.wake()
        return self._runs.get(child.id)

    def _chosen(
        self, run: RunRecord, steps: tuple[StoredStep, ...], step: int | None, change: ForkChange
    ) -> StoredStep:
        if not steps:
            raise UserError(
                f"run {run.id} has no stored step to fork from",
                hint="it has not begun, or its steps were erased with a document: ask the question again",
            )
        if step is None:
            return self._by_itself(run, steps, change)
        last = steps[-1].number
        most = last if change.restarts or run.status in _UNFINISHED else last - 1
        chosen = [each for each in steps if each.number == step]
        if not chosen or step > most:
            end = f"; step {last} is its end" if step == last else ""
            raise UserError(
                f"run {run.id} cannot be forked from step {step}: choose 0 to {most}{end}",
                hint=f"assay runs show {run.id} lists its steps",
            )
        return chosen[-1]

    def _by_itself(self, run: RunRecord, steps: tuple[StoredStep, ...], change: ForkChange) -> StoredStep:
        """Without a number: an unfinished run's last step; of an ended one the first after its plan was made.

        A new question needs no earlier plan: what was found up to the end is at hand.
        """
        if run.status is not RunStatus.ANSWERED and steps[-1].values.get("answer") is None:
            return steps[-1]
        if change.question is not None:
            return steps[-1]
        planned = [each for each in steps if each.values.get("plan") is not None]
        return planned[0] if planned and len(planned) > 1 else steps[0]

    def _copy(self, parent: RunId, child: RunId, steps: tuple[StoredStep, ...], at: StoredStep) -> None:
        line = msgspec.json.encode(
            [each.checkpoint for each in steps if each.number <= at.number]
            + [steps[0].parent]  # the input that the first step was made of
        ).decode()
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO checkpoints(thread_id, ns, checkpoint_id, parent_id, checkpoint, metadata,"
                " prev_digest, digest, event_seq) SELECT ?2, ns, checkpoint_id, parent_id, checkpoint,"
                " metadata, prev_digest, digest, event_seq FROM checkpoints WHERE thread_id = ?1 AND ns = ''"
                " AND checkpoint_id IN (SELECT value FROM json_each(?3))",
                (parent, child, line),
            )
            # What had been begun after the chosen step is left behind: it is done anew.
            connection.execute(
                "INSERT INTO checkpoint_writes(thread_id, ns, checkpoint_id, task_id, idx, task_path,"
                " channel, value) SELECT ?2, ns, checkpoint_id, task_id, idx, task_path, channel, value"
                " FROM checkpoint_writes WHERE thread_id = ?1 AND ns = '' AND checkpoint_id <> ?4"
                " AND checkpoint_id IN (SELECT value FROM json_each(?3))",
                (parent, child, line, at.checkpoint),
            )
            connection.execute(
                "INSERT INTO events SELECT ?2, seq, kind, at, data FROM events"
                " WHERE run_id = ?1 AND seq <= ?3",
                (parent, child, at.event_seq),
            )
            connection.execute("UPDATE runs SET head = ? WHERE id = ?", (at.digest, child))

    def _apply(self, child: RunRecord, at: StoredStep, change: ForkChange) -> None:
        if change.plan is not None:
            question = change.question or child.question
            repaired = sound_given(change.plan, question, limit=GIVEN_TASKS_MAX)
            change = msgspec.structs.replace(change, plan=repaired)
        config: Any = {"configurable": {"thread_id": child.id}}
        state = cast(State, self._graph.get_state(config).values)
        last_node = at.nodes[-1] if at.nodes else None
        update, node = update_for(state, change, last_node, self._now.limits(child))
        self._graph.update_state(config, update, as_node=node or "__start__")
        if change.plan is not None:
            tasks = [{"id": t.id, "question": t.question, "tool": t.tool.value} for t in change.plan.tasks]
            made: dict[str, object] = {
                "origin": change.plan.origin,
                "attempt": update["attempt"] + 1,
                "tasks": tasks,
                "notes": list(change.plan.notes),
            }
            self._events.emit(child.id, "plan.made", made)


def _options(options: RunOptions, change: ForkChange) -> RunOptions:
    strategy: Strategy = change.strategy or options.strategy
    return RunOptions(max_steps=change.max_steps or options.max_steps, strategy=strategy)


def _told(parent: RunRecord, at: StoredStep, change: ForkChange) -> dict[str, object]:
    told: dict[str, object] = {"parent": parent.id, "step": at.number, "changes": change.said()}
    if parent.status in _UNFINISHED:
        told["note"] = (
            f"run {parent.id} is {parent.status.value}: forked from a finished step of it, {at.number};"
            " it goes on by itself"
        )
    return told
