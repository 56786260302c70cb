"""The ask use-case: one question through the loop, every step stored and told.

Arrives: a question, a principal, a collection. Leaves: a finished run with its answer. Beside wiring,
above the rooms; :mod:`appliance.steps` does what the loop's nodes need done.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from langgraph.checkpoint.base import BaseCheckpointSaver

from appliance.config import Reasoning
from appliance.domain import Principal, RunStatus, scope_of
from appliance.errors import AssayError, CancelledError, UserError
from appliance.ports import EventSink
from appliance.reasoning.graph import Graph, build_graph
from appliance.reasoning.state import Limits, first_state
from appliance.steps import Cancelled, ResearchParts, ResearchSteps
from appliance.store.runs import NewRun, RunRecord, Runs

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
    ) -> None:
        """``parts_of`` and ``model_digests`` take a collection's name."""
        self._parts_of, self._runs, self._events = parts_of, runs, events
        self._checkpointer, self._settings = checkpointer, settings
        self._config_digest, self._model_digests = config_digest, model_digests

    def start(self, question: str, *, principal: Principal, collection: str) -> RunRecord:
        """Return the stored run, not begun. Raises UserError for an empty or an over-long question."""
        # A byte of the command line that is no UTF-8 arrives as half a surrogate pair: no store takes it.
        text = " ".join(question.encode("utf-8", "replace").decode().split())
        if not text:
            raise UserError("the question is empty", hint='write it after the command: assay ask "…"')
        if len(text) > self._settings.max_question_chars:
            raise UserError(
                f"the question has {len(text):,} characters, more than {self._settings.max_question_chars:,}",
                hint="ask one question; put long texts in with assay ingest",
            )
        run = self._runs.create(
            NewRun(
                question=text,
                collection=collection,
                principal=principal,
                config_digest=self._config_digest,
                model_digests=self._model_digests(collection),
            )
        )
        self._events.emit(run.id, "run.started", {"question": text, "collection": collection})
        return run

    def work(
        self, run: RunRecord, *, max_steps: int | None = None, cancelled: Cancelled = lambda: False
    ) -> RunRecord:
        """Carry a run to its end, from wherever it stands; the finished record.

        Raises what stopped it (CancelledError, BackendError …) after storing that it stopped.
        """
        principal = Principal(user=run.user, groups=run.groups)
        scope = scope_of(principal, collection=run.collection)
        try:
            steps = ResearchSteps(run.id, scope, self._parts_of(run.collection), self._events, cancelled)
            state = self._invoke(steps, run, max_steps)
        except AssayError as error:
            stopped = RunStatus.CANCELLED if isinstance(error, CancelledError) else RunStatus.FAILED
            self._events.emit(run.id, "run.stopped", {"status": stopped.value, "error": str(error)})
            self._runs.fail(run.id, stopped, str(error))
            raise
        self._events.emit(run.id, "answer.done", {"status": state["answer"].status.value})
        self._runs.finish(run.id, state["answer"], state["usage"], {"seconds": round(state["seconds"], 3)})
        return self._runs.get(run.id)

    def _invoke(self, steps: ResearchSteps, run: RunRecord, max_steps: int | None) -> dict[str, Any]:
        graph: Graph = build_graph(steps, self._checkpointer)
        limits = self._limits(max_steps)
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
        return cast("dict[str, Any]", graph.invoke(first, config))  # pyright: ignore[reportUnknownMemberType]

    def _limits(self, max_steps: int | None) -> Limits:
        settings = self._settings
        return Limits(
            max_steps=max_steps or settings.max_steps,
            max_seconds=settings.max_seconds,
            max_llm_tokens=settings.max_llm_tokens,
            tries_per_task=settings.tries_per_task,
            max_retrievals=settings.max_retrievals,
            parallel=settings.parallel_tasks,
        )
