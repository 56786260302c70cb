"""What the loop's nodes need done, for one run: hits to evidence, lines to findings, findings to the answer.

Every step is told as an event. Beside wiring, above the rooms. Arrives: tries in hand. Leaves:
what was gathered, outcomes, the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import monotonic

import msgspec

from appliance.answers.conclude import conclude
from appliance.answers.find import Question, find
from appliance.calls import Cancellable, Cancelled, Tally
from appliance.config import Reasoning
from appliance.domain import (
    Answer,
    Finding,
    Passage,
    PassageId,
    Pattern,
    Plan,
    Principal,
    Reading,
    Scope,
    Strategy,
    Task,
    Tool,
    Usage,
    citations_of,
    scope_of,
)
from appliance.errors import CancelledError
from appliance.evidence.locate import Analyse, Line, Split, locate
from appliance.ports import Embedder, EventSink, LanguageModel, PassageReader
from appliance.prompts import Prompts
from appliance.reasoning.assess import Assessment, assessed
from appliance.reasoning.calc import calculate
from appliance.reasoning.combine import combine
from appliance.reasoning.continuing import Continuing
from appliance.reasoning.gathering import DEEPER_TIMES, ranked_evidence, reading_list, standing_of
from appliance.reasoning.plan import make_plan, simple_plan
from appliance.reasoning.planning import Sources, plan_for
from appliance.reasoning.state import Gathered, Outcome, Standing, State, Tactic, Try, planned
from appliance.reasoning.tools.derive import derive
from appliance.retrieval.fuse import log_odds
from appliance.retrieval.search import Searcher
from appliance.steering import Steered
from appliance.store.runs import RunRecord


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
        neighbours: Callable[[Sequence[PassageId], Scope], list[PassageId]],
        continuing: Continuing,
    ) -> None:
        """Hold the parts."""
        self.searcher, self.reader, self.embedder, self.model = searcher, reader, embedder, model
        self.prompts, self.settings = prompts, settings
        self.analyse, self.split, self.read, self.neighbours = analyse, split, read, neighbours
        self.continuing = continuing


class ResearchSteps:
    """The loop's steps for one run; every one emits what it did."""

    def __init__(
        self,
        run: RunRecord,
        parts: ResearchParts,
        events: EventSink,
        cancelled: Cancelled,
        steered: Steered,
    ) -> None:
        """Bind the parts to a run, to what its asker may read, and to what people say to it."""
        asker = Principal(user=run.user, groups=run.groups)
        self._run_id, self._scope, self._parts = run.id, scope_of(asker, collection=run.collection), parts
        self._strategy, self._steered = run.options.strategy, steered
        self._events, self._cancelled = events, cancelled
        self._model = Cancellable(parts.model, cancelled)
        self._begun, self._before = monotonic(), 0.0

    def begun_after(self, seconds: float) -> None:
        """Other processes have worked on the run for so long."""
        self._before = seconds

    def seconds(self) -> float:
        """Seconds of work on this run so far."""
        return self._before + monotonic() - self._begun

    def plan(self, question: str, attempt: int) -> tuple[Plan, Usage]:
        """Split the question; on the second attempt, the other way round."""
        reading = self._parts.read(question)
        tally = Tally()
        prompts = self._parts.prompts

        def draft(examples: str) -> Plan:
            return make_plan(
                question,
                model=self._model,
                meter=tally,
                instructions=prompts.text("plan", reading.language),
                examples=examples,
            )

        if self._parts.settings.planning:
            sources = Sources(
                draft=draft, derive=_derived, examples=prompts.text("plan_examples", reading.language)
            )
            plan = _looked_up(plan_for(reading, attempt=attempt, sources=sources))
        else:
            plan = simple_plan(question)
        tasks = [{"id": t.id, "question": t.question, "tool": t.tool.value} for t in plan.tasks]
        told: dict[str, object] = {"origin": plan.origin, "pattern": plan.pattern.value}
        self._tell("plan.made", attempt=attempt + 1, tasks=tasks, notes=list(plan.notes), **told)
        return plan, tally.usage

    # ------------------------------------------------------------ gather
    def gather(self, hand: tuple[Try, ...], state: State) -> tuple[tuple[Try, ...], tuple[Gathered, ...]]:
        """Retrieve for every try, at the same time; a calculation needs nothing."""
        for one in hand:
            self._announce(one)
        looked = [one for one in hand if _looks(one)]
        with ThreadPoolExecutor(max_workers=max(1, len(looked))) as pool:
            found = list(pool.map(self._retrieve, looked))
        seen = {passage for each in state["gathered"] for passage in each.passages}
        brought: list[Gathered] = []
        for one, (passages, standing) in zip(looked, found, strict=True):
            fresh = len(set(passages) - seen)
            brought.append(
                Gathered(
                    attempt=one.attempt,
                    task_id=one.task.id,
                    number=one.number,
                    asked=one.asked,
                    tactic=one.tactic,
                    passages=passages,
                    fresh=fresh,
                    standing=standing,
                )
            )
        history = (*state["gathered"], *brought)
        most = self._parts.settings.passages_per_task
        tries = [
            msgspec.structs.replace(one, passages=self._readable(reading_list(one, history, most)))
            if one.task.tool is Tool.DOCUMENTS
            else one
            for one in hand
            if one.task.id
        ]
        return tuple(tries), tuple(brought)

    def _readable(self, passages: tuple[PassageId, ...]) -> tuple[PassageId, ...]:
        return self._steered.admitted(passages, self._scope)

    def _announce(self, one: Try) -> None:
        if not one.task.id:
            return
        if not one.number:
            self._tell("task.started", task=one.task.id, question=one.asked, tool=one.task.tool.value)
        else:
            self._tell("strategy.changed", task=one.task.id, question=one.asked, tactic=one.tactic.value)

    def _retrieve(self, one: Try) -> tuple[tuple[PassageId, ...], Standing]:
        parts, most = self._parts, self._parts.settings.passages_per_task
        query, k, strategy = one.asked, most * 2, self._strategy
        if one.tactic is Tactic.DEEPER:
            k = most * DEEPER_TIMES
        elif one.tactic is Tactic.REWORDED:
            query = self._reworded(one.asked)
            strategy = Strategy.LEXICAL if strategy is Strategy.AUTO else strategy
        retrieval = self._steered.search(parts.searcher.search, query, self._scope, k=k, strategy=strategy)
        found = tuple(hit.passage.id for hit in retrieval.hits)
        if one.tactic is Tactic.DEEPER:
            beside = parts.neighbours(found[:2], self._scope)
            found = (*found[:most], *beside, *found[most:])
        shown = [
            {
                "fingerprint": hit.passage.fingerprint,
                "title": hit.passage.title,
                "section": hit.passage.section_path,
            }
            for hit in retrieval.hits[:most]
        ]
        told: dict[str, object] = {"passages": shown, "degraded": list(retrieval.degraded)}
        if guided := [step for step in retrieval.filters if step.origin == "guidance"]:
            told["guided"] = [{"by": step.condition, "kept": step.kept, "of": step.of} for step in guided]
        if notices := [each for each in retrieval.notices if each.startswith("guidance")]:
            told["notices"] = notices
        self._tell("passages.found", task=one.task.id, tactic=one.tactic.value, **told)
        return tuple(dict.fromkeys(found)), standing_of(retrieval.hits, most * (one.number + 1), log_odds)

    def _reworded(self, asked: str) -> str:
        """The words that carry the question."""
        reading = self._parts.read(asked)
        named = [entity.text for entity in reading.entities]
        forms = [form for term in reading.terms for form in term.forms[:2]]
        return " ".join(dict.fromkeys((*named, *reading.keywords, *forms))) or asked

    # ------------------------------------------------------------ read
    def read(self, one: Try, findings: tuple[Finding, ...]) -> tuple[Outcome, Usage]:
        """Read the passages of a try, or compute."""
        tally = Tally()
        relevance: float | None = None
        if one.task.tool is Tool.CALC:
            finding = calculate(one.task, findings)
        else:
            lines = self._lines(one)
            relevance = max((line.relevance for line in lines if line.relevance is not None), default=None)
            finding = self._look_up(one, lines, tally)
        self._tell(
            "finding.made",
            task=one.task.id,
            found=finding.found,
            answer=finding.answer,
            claims=[claim.text for claim in finding.claims],
            missing=finding.missing,
            tactic=one.tactic.value,
            relevance=None if relevance is None else round(relevance, 3),
        )
        reading = self._parts.read(one.asked)
        outcome = Outcome(
            attempt=one.attempt,
            task_id=one.task.id,
            number=one.number,
            finding=finding,
            relevance=relevance,
            asked_model=bool(tally.usage.calls),
            refused=bool(tally.dropped) and not finding.found,
            kind=reading.kind,
            language=reading.language,
        )
        return outcome, tally.usage

    def _lines(self, one: Try) -> list[Line]:
        parts = self._parts
        return locate(
            one.asked,
            [
                passage
                for passage in parts.reader.passages(one.passages, self._scope)
                if passage.fingerprint not in one.excluded
            ],
            embedder=parts.embedder,
            analyse=parts.analyse,
            split=parts.split,
            judge=parts.searcher.judge,
            budget_tokens=parts.settings.evidence_tokens,
        )

    def _look_up(self, one: Try, lines: list[Line], tally: Tally) -> Finding:
        parts = self._parts
        reading = parts.read(one.asked)

        def dropped(text: str, missing: list[str]) -> None:
            tally.dropped += 1
            self._dropped(text, missing)

        return find(
            Question(
                task_id=one.task.id,
                text=one.asked,
                years=reading.years,
                kind=reading.kind,
                bridge=one.bridge,
                steps_to=one.steps_to,
            ),
            lines,
            model=self._model,
            meter=tally,
            instructions=parts.prompts.text("find", reading.language),
            analyse=parts.analyse,
            dropped=dropped,
        )

    # ------------------------------------------------------------ assess, conclude
    def assess(self, state: State) -> Assessment:
        """Judge what was read, and tell what is kept, what goes round again, and why."""
        made = assessed(state, self._parts.continuing.verdict)
        self._tell(
            "task.assessed",
            settled=[{"task": one.task_id, "found": one.found} for one in made.settled],
            again=[{"task": one.task.id, "tactic": one.tactic.value} for one in made.again],
            verdicts=[msgspec.to_builtins(one) for one in made.verdicts],
        )
        return made

    def conclude(self, state: State, findings: tuple[Finding, ...]) -> tuple[Answer, Usage]:
        """Write the answer: first a draft of what is proven, then the whole."""
        tally = Tally()
        question, earlier = state["question"], state["earlier"]
        language = self._parts.read(question).language
        drafted = [claim.text for one in findings for claim in one.claims]
        if drafted:
            self._tell("answer.draft", claims=drafted)
        passages = self._gathered_passages(state)
        dates = {one.fingerprint: one.published or "" for one in passages.values()}
        cited = citations_of(claim for one in (*findings, *earlier) for claim in one.claims)
        for fingerprint in sorted(set(cited) - dates.keys()):
            dates[fingerprint] = self._parts.reader.by_fingerprint(fingerprint, self._scope).published or ""
        answer = conclude(
            question,
            planned(state),
            findings,
            earlier=earlier,
            model=self._model,
            meter=tally,
            instructions=self._parts.prompts.text("conclude", language),
            dropped=self._dropped,
            published=dates,
            combined=combine(planned(state), findings, language),
        )
        numbers = {one.fingerprint: number for number, one in passages.items()}
        proven = [numbers[fingerprint] for fingerprint in cited if fingerprint in numbers]
        ranked = ranked_evidence(state["gathered"], proven, self._parts.settings.evidence_listed)
        evidence = tuple(passages[number].fingerprint for number in ranked if number in passages)
        return msgspec.structs.replace(answer, evidence=evidence), tally.usage

    def _gathered_passages(self, state: State) -> dict[PassageId, Passage]:
        ids = list(dict.fromkeys(number for one in state["gathered"] for number in one.passages))
        return {one.id: one for one in self._parts.reader.passages(ids, self._scope)}

    def _dropped(self, text: str, missing: list[str]) -> None:
        self._tell("claim.dropped", text=text, not_in_passage=missing)

    def _tell(self, kind: str, **data: object) -> None:
        if self._cancelled():
            raise CancelledError("the run was cancelled", hint="assay runs resume goes on from here")
        self._events.emit(self._run_id, kind, data)


def _looks(one: Try) -> bool:
    """Whether a try needs a retrieval: not for a calculation, nor to read again what is there."""
    return one.task.tool is Tool.DOCUMENTS and one.tactic is not Tactic.ANOTHER


def _derived(question: str) -> Plan | None:
    """The plan of a calculation that names all its operands."""
    found = derive(question)
    if found is None or not found.complete():
        return None
    looked = [lookup.asked(chinese=found.chinese) for lookup in found.lookups()]
    tasks = [Task(id=number, question=asked) for number, asked in enumerate(looked, start=1)]
    needs = tuple(task.id for task in tasks)
    last = Task(id=len(tasks) + 1, question=found.expression(), tool=Tool.CALC, depends_on=needs)
    return Plan(tasks=(*tasks, last), origin="rules", pattern=Pattern.CALCULATION)


def _looked_up(plan: Plan) -> Plan:
    """The plan with every task but calculations as a look-up in the documents.

    Versions are documents of the collection, and what stands in both is read there.
    """
    tasks = [
        task if task.tool is Tool.CALC else msgspec.structs.replace(task, tool=Tool.DOCUMENTS)
        for task in plan.tasks
    ]
    return msgspec.structs.replace(plan, tasks=tuple(tasks))
