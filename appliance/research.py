"""The ask use-case: one question through the loop, every step stored and told.

Arrives: a question, a principal, a collection. Leaves: a finished run with its answer. Beside wiring,
above the rooms; :mod:`appliance.steps` does what the loop's nodes need done.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from time import monotonic
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver

from appliance.budgets import DayBudgets
from appliance.caching import AnswerCache, KeptAnswer
from appliance.calls import Cancelled
from appliance.config import Reasoning
from appliance.domain import Principal, RunOptions, RunStatus, Usage, citations_of, scope_of
from appliance.errors import AssayError, CancelledError, PausedError, UserError
from appliance.ports import EventSink
from appliance.reasoning.asked_again import asked_again, at_rest
from appliance.reasoning.graph import build_graph
from appliance.reasoning.state import Limits, first_state
from appliance.reviewing import Withholding
from appliance.run_parts import ResearchParts
from appliance.steering import Steered
from appliance.steps import ResearchSteps
from appliance.store.runs import NewRun, RunRecord, Runs
from appliance.store.sqlite import Database

_PLAIN = RunOptions()
_ROUNDS: dict[str, Any] = {"stream_mode": "values", "durability": "sync"}
"""The state comes once a round, between two steps; each step is on disk before the next begins."""
RECURSION_LIMIT = 400
"""Far above what the limits of a question allow: these end a run, not LangGraph."""


class Researcher:
    """Starts, resumes and finishes runs."""

    def __init__(
        self,
        *,
        parts_of: Callable[[str], ResearchParts],
        runs: Runs,
        events: EventSink,
        checkpointer: BaseCheckpointSaver[Any],
        settings: Reasoning,
        config_digest: str,
        model_digests: Callable[[str], dict[str, str]],
        budgets: DayBudgets,
        steer: Callable[[RunRecord], Steered],
        kept: AnswerCache,
        database: Database,
        withholding: Withholding,
    ) -> None:
        """``parts_of`` and ``model_digests`` take a collection's name; ``steer``: a run's steering."""
        self._withholding = withholding
        self._budgets, self._steer, self._kept, self._database = budgets, steer, kept, database
        self._parts_of, self._runs, self._events = parts_of, runs, events
        self._checkpointer, self._settings = checkpointer, settings
        self._config_digest, self._model_digests = config_digest, model_digests

    def start(
        self, question: str, *, principal: Principal, collection: str, options: RunOptions = _PLAIN
    ) -> RunRecord:
        """Return the stored run, not begun; ended where the answer of an earlier one holds for it, too.

        Raises UserError for an empty or an over-long question, OverBudgetError when the asker's day is spent.
        """
        # A byte of the command line that is no UTF-8 arrives as half a surrogate pair: no store takes it.
        text = " ".join(question.encode("utf-8", "replace").decode().split())
        if not text:
            raise UserError("the question is empty", hint='write it after the command: assay ask "…"')
        if len(text) > self._settings.max_question_chars:
            raise UserError(
                f"the question has {len(text):,} characters, more than {self._settings.max_question_chars:,}",
                hint="ask one question; put long texts in with assay ingest",
            )
        self._budgets.check(principal.user)
        new = NewRun(
            question=text,
            collection=collection,
            principal=principal,
            config_digest=self._config_digest,
            model_digests=self._model_digests(collection),
            options=options,
        )
        begun, scope = monotonic(), scope_of(principal, collection=collection)
        key = None if options.fresh else self._kept.key(text, scope, options.max_steps, options.strategy)
        kept = self._kept.get(key, scope)
        with self._database.transaction():
            run = self._runs.create(new)
            self._events.emit(run.id, "run.started", {"question": text, "collection": collection})
            return run if kept is None else self._told_again(run, kept, begun)

    def _told_again(self, run: RunRecord, kept: KeptAnswer, begun: float) -> RunRecord:
        """The run, ended with the answer of an earlier one."""
        marks = citations_of(kept.answer.claims)
        told: dict[str, object] = {"run_id": kept.run_id, "asked_at": kept.asked_at, "citations": len(marks)}
        self._events.emit(run.id, "answer.cached", told)
        self._events.emit(run.id, "answer.done", {"status": kept.answer.status.value})
        self._runs.finish(run.id, kept.answer, Usage(), {"seconds": round(monotonic() - begun, 4)})
        return self._runs.get(run.id)

    def work(
        self, run: RunRecord, *, max_steps: int | None = None, cancelled: Cancelled = lambda: False
    ) -> RunRecord:
        """Carry a run to its end, from wherever it stands; the finished record. One with its answer has it.

        Raises what stopped it (PausedError, CancelledError, BackendError …) after storing that it stopped.
        """
        if run.status is RunStatus.ANSWERED or (run.answer is not None and run.answer.review is not None):
            return run
        steps_most, strategy = max_steps or run.options.max_steps, run.options.strategy
        scope = scope_of(Principal(user=run.user, groups=run.groups), collection=run.collection)
        key = self._kept.key(run.question, scope, steps_most, strategy)
        steered = self._steer(run)
        try:
            parts = self._parts_of(run.collection)
            steps = ResearchSteps(run, parts, self._events, cancelled, steered)
            state = self._carry(steps, run, self.limits(run, max_steps), steered)
        except PausedError:
            self._runs.hold(run.id)
            raise
        except AssayError as error:
            steered.stopped()
            stopped = RunStatus.CANCELLED if isinstance(error, CancelledError) else RunStatus.FAILED
            self._events.emit(run.id, "run.stopped", {"status": stopped.value, "error": str(error)})
            self._runs.fail(run.id, stopped, str(error))
            raise
        steered.ended()
        language = steps.language(run.question)
        answer = self._withholding.shown(run, state["answer"], state["findings"], language)
        self._events.emit(run.id, "answer.done", {"status": answer.status.value})
        whole = steps.recalling.alike and not state["stopped_by"]
        self._runs.finish(run.id, answer, state["usage"], {"seconds": round(state["seconds"], 3)})
        self._kept.put(key, answer, run.id, asked_at=run.created_at, complete=whole)
        return self._runs.get(run.id)

    def _carry(
        self, steps: ResearchSteps, run: RunRecord, limits: Limits, steered: Steered
    ) -> dict[str, Any]:
        graph: Any = build_graph(steps, self._checkpointer)
        config: Any = {
            "configurable": {"thread_id": run.id},
            "recursion_limit": RECURSION_LIMIT,
            "max_concurrency": limits.parallel,
        }
        known = graph.get_state(config).values
        if known:
            steps.begun_after(known["seconds"])
            self._runs.reopen(run.id)
            self._events.emit(run.id, "run.resumed", {})
        first: Any = None if known else first_state(run.question, limits)
        guided = steered.boundary()
        while True:
            state, guided = self._rounds(graph.stream(first, config, **_ROUNDS), known, steered, guided)
            update = asked_again(state) if guided else None
            if update is None:
                return state
            # Something was given up before this guidance came: it is looked for once more.
            graph.update_state(config, update, as_node="plan")
            first, known, guided = None, state, False

    def _rounds(self, stream: Any, known: Any, steered: Steered, guided: bool) -> tuple[Any, bool]:
        """The state, and whether new guidance asks for a look back: after the last round, or before it."""
        state: Any = known
        with closing(stream):
            for state in stream:
                if state.get("answer") is not None:
                    continue
                guided = steered.boundary() or guided
                if guided and at_rest(state):
                    if asked_again(state):
                        return state, True
                    guided = False
        return state, False

    def limits(self, run: RunRecord, max_steps: int | None = None) -> Limits:
        """Bounds of a question from its beginning: the configured ones, at most what is left of the day."""
        settings, left = self._settings, self._budgets.left(run.user)
        return Limits(
            max_steps=max_steps or run.options.max_steps or settings.max_steps,
            max_seconds=_least(settings.max_seconds, left.seconds),
            max_llm_tokens=int(_least(settings.max_llm_tokens, left.llm_tokens)),
            tries_per_task=settings.tries_per_task,
            max_retrievals=int(_least(settings.max_retrievals, left.retrievals)),
            parallel=settings.parallel_tasks,
        )


def _least(most: float, left: float | None) -> float:
    return most if left is None else min(most, left)
