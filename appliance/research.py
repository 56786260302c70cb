"""The ask use-case: one question through the loop, every step stored and told.

Arrives: a question, a principal, a collection. Leaves: a finished run with its answer. Beside wiring,
above the rooms: it hands retrieval's hits to evidence, evidence's lines to answers, and their findings
to the loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from langgraph.checkpoint.base import BaseCheckpointSaver

from appliance.answers.conclude import conclude
from appliance.answers.find import Question, find
from appliance.config import Reasoning
from appliance.domain import (
    Answer,
    Completion,
    Finding,
    Fingerprint,
    PassageId,
    Plan,
    Principal,
    Prompt,
    Reading,
    RunId,
    RunStatus,
    Scope,
    Task,
    Tool,
    Usage,
    scope_of,
)
from appliance.errors import AssayError, CancelledError, UserError
from appliance.evidence.locate import Analyse, Split, locate
from appliance.ports import Embedder, EventSink, LanguageModel, PassageReader
from appliance.prompts import Prompts
from appliance.reasoning.calc import calculate
from appliance.reasoning.graph import Graph, build_graph
from appliance.reasoning.plan import make_plan, simple_plan, unfolded_plan
from appliance.reasoning.state import Limits, first_state
from appliance.retrieval.search import Searcher
from appliance.store.runs import NewRun, RunRecord, Runs

Cancelled = Callable[[], bool]
RECURSION_LIMIT = 100


class Tally:
    """Adds up what a step's model calls cost."""

    def __init__(self) -> None:
        """Start at nothing."""
        self.usage = Usage()

    def add(self, usage: Usage) -> None:
        """Count one call."""
        self.usage = self.usage.plus(usage)


class ResearchParts:
    """What a run works with: the models, the readers and the prompts. Built once by wiring."""

    def __init__(
        self,
        *,
        searcher: Searcher,
        reader: PassageReader,
        embedder: Embedder,
        model: LanguageModel,
        prompts: Prompts,
        settings: Reasoning,
        analyse: Analyse,
        split: Split,
        read: Callable[[str], Reading],
    ) -> None:
        """Hold the parts."""
        self.searcher, self.reader, self.embedder, self.model = searcher, reader, embedder, model
        self.prompts, self.settings = prompts, settings
        self.analyse, self.split, self.read = analyse, split, read


class ResearchSteps:
    """The loop's steps for one run; every one emits what it did."""

    def __init__(
        self, run_id: RunId, scope: Scope, parts: ResearchParts, events: EventSink, cancelled: Cancelled
    ) -> None:
        """Bind the parts to a run and to what its asker may read."""
        self._run_id, self._scope, self._parts = run_id, scope, parts
        self._events, self._cancelled = events, cancelled
        self._model = _Cancellable(parts.model, cancelled)

    def plan(self, question: str, attempt: int) -> tuple[Plan, Usage]:
        """Split the question; on the second attempt, the other way round."""
        reading = self._read(question)
        tally = Tally()
        unfolded = unfolded_plan(question)
        if unfolded is not None:
            plan = unfolded if attempt == 0 else simple_plan(question)
        elif reading.simple == (attempt == 0):
            plan = simple_plan(question)
        else:
            instructions = self._parts.prompts.text("plan", reading.language)
            plan = make_plan(question, model=self._model, meter=tally, instructions=instructions)
        tasks = [{"id": t.id, "question": t.question, "tool": t.tool.value} for t in plan.tasks]
        self._tell("plan.made", origin=plan.origin, attempt=attempt + 1, tasks=tasks)
        return plan, tally.usage

    def gather(self, task: Task, asked: str) -> tuple[PassageId, ...]:
        """Retrieve passages for a task; a calculation needs none."""
        self._tell("task.started", task=task.id, question=asked, tool=task.tool.value)
        if task.tool is Tool.CALC:
            return ()
        retrieval = self._parts.searcher.search(asked, self._scope, k=self._parts.settings.passages_per_task)
        passages = [hit.passage for hit in retrieval.hits]
        shown = [
            {"fingerprint": p.fingerprint, "title": p.title, "section": p.section_path} for p in passages
        ]
        self._tell("passages.found", task=task.id, passages=shown, degraded=list(retrieval.degraded))
        return tuple(passage.id for passage in passages)

    def find(
        self, task: Task, asked: str, passages: tuple[PassageId, ...], findings: tuple[Finding, ...]
    ) -> tuple[Finding, Usage]:
        """Read the passages, or compute."""
        tally = Tally()
        if task.tool is Tool.CALC:
            finding = calculate(task, findings)
        else:
            finding = self._look_up(task, asked, passages, tally)
        self._tell(
            "finding.made",
            task=task.id,
            found=finding.found,
            answer=finding.answer,
            claims=[claim.text for claim in finding.claims],
            missing=finding.missing,
        )
        return finding, tally.usage

    def conclude(
        self, question: str, plan: Plan, findings: tuple[Finding, ...], earlier: tuple[Finding, ...]
    ) -> tuple[Answer, Usage]:
        """Write the answer."""
        tally = Tally()
        reading = self._read(question)
        answer = conclude(
            question,
            plan,
            findings,
            earlier=earlier,
            model=self._model,
            meter=tally,
            instructions=self._parts.prompts.text("conclude", reading.language),
            dropped=self._dropped,
            published=self._published((*findings, *earlier)),
        )
        return answer, tally.usage

    def _look_up(self, task: Task, asked: str, passages: tuple[PassageId, ...], tally: Tally) -> Finding:
        parts = self._parts
        reading = self._read(asked)
        lines = locate(
            asked,
            parts.reader.passages(passages, self._scope),
            embedder=parts.embedder,
            analyse=parts.analyse,
            split=parts.split,
            judge=parts.searcher.judge,
            budget_tokens=parts.settings.evidence_tokens,
        )
        return find(
            Question(task_id=task.id, text=asked, years=reading.years, kind=reading.kind),
            lines,
            model=self._model,
            meter=tally,
            instructions=parts.prompts.text("find", reading.language),
            analyse=parts.analyse,
            dropped=self._dropped,
        )

    def _read(self, question: str) -> Reading:
        return self._parts.read(question)

    def _published(self, findings: tuple[Finding, ...]) -> dict[Fingerprint, str]:
        cited = {c for finding in findings for claim in finding.claims for c in claim.citations}
        passages = [self._parts.reader.by_fingerprint(c, self._scope) for c in sorted(cited)]
        return {passage.fingerprint: passage.published or "" for passage in passages}

    def _dropped(self, text: str, missing: list[str]) -> None:
        self._tell("claim.dropped", text=text, not_in_passage=missing)

    def _tell(self, kind: str, **data: object) -> None:
        if self._cancelled():
            raise CancelledError("the run was cancelled", hint="assay runs resume goes on from here")
        self._events.emit(self._run_id, kind, data)


class _Cancellable:
    """A language model that every call of a run can be stopped in."""

    def __init__(self, model: LanguageModel, cancelled: Cancelled) -> None:
        self._model, self._cancelled = model, cancelled
        self.name, self.digest = model.name, model.digest

    def complete(
        self,
        prompt: Prompt,
        *,
        max_tokens: int,
        schema: type[object] | None = None,
        cancelled: Cancelled | None = None,
    ) -> Completion:
        stop = cancelled or self._cancelled
        return self._model.complete(prompt, max_tokens=max_tokens, schema=schema, cancelled=stop)

    def count_tokens(self, text: str) -> int:
        return self._model.count_tokens(text)


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
            graph = build_graph(steps, self._checkpointer)
            state = self._invoke(graph, run, max_steps)
        except AssayError as error:
            stopped = RunStatus.CANCELLED if isinstance(error, CancelledError) else RunStatus.FAILED
            self._events.emit(run.id, "run.stopped", {"status": stopped.value, "error": str(error)})
            self._runs.fail(run.id, stopped, str(error))
            raise
        self._events.emit(run.id, "answer.done", {"status": state["answer"].status.value})
        self._runs.finish(run.id, state["answer"], state["usage"], {"seconds": round(state["seconds"], 3)})
        return self._runs.get(run.id)

    def _invoke(self, graph: Graph, run: RunRecord, max_steps: int | None) -> dict[str, Any]:
        config: Any = {"configurable": {"thread_id": run.id}, "recursion_limit": RECURSION_LIMIT}
        begun = bool(graph.get_state(config).values)
        if begun:
            self._runs.reopen(run.id)
            self._events.emit(run.id, "run.resumed", {})
        limits = Limits(
            max_steps=max_steps or self._settings.max_steps,
            max_seconds=self._settings.max_seconds,
            max_llm_tokens=self._settings.max_llm_tokens,
        )
        first: Any = None if begun else first_state(run.question, limits)
        return cast("dict[str, Any]", graph.invoke(first, config))  # pyright: ignore[reportUnknownMemberType]
