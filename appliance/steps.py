"""What the loop's nodes need done, for one run: hits to evidence, lines to findings, findings to the answer.

Every step is told as an event. Beside wiring, above the rooms. Arrives: tries in hand. Leaves:
what was gathered, outcomes, the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import monotonic

import msgspec

from appliance.answers.instructing import admitted
from appliance.answers.plain import shown, shown_finding
from appliance.answers.verifier import Verifier
from appliance.caching import ConclusionCache
from appliance.calls import Cancellable, Cancelled, SharedTally, Tally
from appliance.comparing import Comparer
from appliance.concluding import Concluder, ConcludingParts
from appliance.config import Reasoning
from appliance.confirming import Confirmer
from appliance.differing import Differ
from appliance.disagreeing import DisagreeingParts
from appliance.domain import (
    Answer,
    Finding,
    Passage,
    PassageId,
    Plan,
    Principal,
    Reading,
    Retrieval,
    RunStatus,
    Scope,
    Strategy,
    Tool,
    Usage,
    scope_of,
)
from appliance.errors import CancelledError
from appliance.evidence.contradiction_head import load_contradiction_head
from appliance.evidence.locate import Analyse, Line, Split, locate
from appliance.evidence.paraphrase import Paraphraser
from appliance.governance.credibility import Evaluator
from appliance.knowing import KnowledgeGraph
from appliance.looking_up import LookUp
from appliance.planning import Planner, PlanningParts
from appliance.ports import Embedder, EventSink, LanguageModel, PassageReader
from appliance.prompts import Prompts
from appliance.reasoning.assess import Assessment, assessed
from appliance.reasoning.continuing import Continuing
from appliance.reasoning.gathering import DEEPER_TIMES, looking, reading_list, standing_of
from appliance.reasoning.state import Gathered, Outcome, Standing, State, Tactic, Try, planned
from appliance.recalling import Recalling
from appliance.retrieval.fuse import log_odds
from appliance.retrieval.search import Searcher
from appliance.steering import Steered
from appliance.store.runs import RunRecord
from appliance.tooling import External, Tools, known_already

LEFT_OUT_CHARS = 200
"""Of a sentence that is told as left out."""
Preceding = Callable[[Sequence[PassageId], Scope], dict[PassageId, PassageId]]


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
        conclusions: ConclusionCache,
        knowledge: KnowledgeGraph,
        verifier: Verifier,
        planning: PlanningParts = PlanningParts(),  # noqa: B008 - a frozen value
        comparer: Comparer | None = None,
        external: External | None = None,
        evaluator: Evaluator | None = None,
        preceding: Preceding | None = None,
    ) -> None:
        """Hold the parts; ``comparer`` and ``external`` None: the tools that need them are not there.

        ``evaluator`` None: answers are not judged.
        ``preceding``: the passage just before each, for the header of a table that was cut in two.
        """
        self.searcher, self.reader, self.embedder, self.model = searcher, reader, embedder, model
        self.prompts, self.settings = prompts, settings
        self.analyse, self.split, self.read, self.neighbours = analyse, split, read, neighbours
        self.continuing, self.planning = continuing, planning
        self.comparer, self.external, self.evaluator = comparer, external, evaluator
        self.conclusions, self.knowledge, self.verifier = conclusions, knowledge, verifier
        self.preceding = preceding


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
        self._shortening = SharedTally()
        kept, known = parts.conclusions.session(self._scope), parts.knowledge.session(self._scope)
        self.recalling = Recalling(run, kept, known, steered.guided)
        self._planner = Planner(
            parts.planning,
            self._scope,
            read=parts.read,
            model=self._model,
            prompts=parts.prompts,
            split=parts.settings.planning,
        )
        self._concluder = Concluder(
            ConcludingParts(
                reader=parts.reader,
                embedder=parts.embedder,
                model=self._model,
                prompts=parts.prompts,
                read=parts.read,
                listed=parts.settings.evidence_listed,
                split=parts.split,
                disagreeing=self._disagreeing(),
                confirmer=Confirmer(parts.verifier.verdict, self._further, self._tell),
                evaluator=parts.evaluator,
            ),
            self._scope,
            self._tell,
        )
        comparer = parts.comparer
        self._tools = Tools(
            lines=self._lines,
            read=parts.read,
            looker=LookUp(
                lines=self._lines,
                read=parts.read,
                model=self._model,
                prompts=parts.prompts,
                analyse=parts.analyse,
                rarest=parts.searcher.rarest_word,
                tell=self._tell,
            ),
            tell=self._tell,
            differ=Differ(comparer, parts.embedder, self._scope) if comparer else None,
            external=parts.external,
        )

    def _disagreeing(self) -> DisagreeingParts:
        """The head knows the cosines of one encoder; with another one, words alone are compared."""
        parts, head = self._parts, load_contradiction_head()
        return DisagreeingParts(
            split=parts.split,
            head=head,
            embedder=parts.embedder if parts.embedder.name == head.card.model else None,
            further=self._further,
        )

    def _further(self, query: str) -> list[Passage]:
        """What one more look finds."""
        k, search = self._parts.settings.passages_per_task, self._parts.searcher.search
        found = self._steered.search(search, query, self._scope, k=k, strategy=self._strategy)
        self.recalling.searched(found)
        return admitted([hit.passage for hit in found.hits], self._parts.split, lambda _, __: None)

    def begun_after(self, seconds: float) -> None:
        """Other processes have worked on the run for so long, perhaps on other documents."""
        self._before = seconds
        self.recalling.leave_nothing()

    def seconds(self) -> float:
        """Seconds of work on this run so far."""
        return self._before + monotonic() - self._begun

    def plan(self, question: str, attempt: int) -> tuple[Plan, Usage]:
        """Split the question; on the second attempt, the other way round."""
        plan, usage, routes = self._planner.plan(question, attempt)
        tasks = [{"id": t.id, "question": t.question, "tool": t.tool.value} for t in plan.tasks]
        told: dict[str, object] = {"origin": plan.origin, "pattern": plan.pattern.value}
        if routes:
            told["routes"] = {str(number): one.utilities for number, one in routes.items()}
        self._tell("plan.made", attempt=attempt + 1, tasks=tasks, notes=list(plan.notes), **told)
        return plan, usage

    # ------------------------------------------------------------ gather
    def gather(self, hand: tuple[Try, ...], state: State) -> tuple[tuple[Try, ...], tuple[Gathered, ...]]:
        """Retrieve for every try, at the same time; a calculation needs nothing."""
        for one in hand:
            self._announce(one)
        hand = self.recalling.recalled(hand, planned(state), self._tell)
        looked = looking(hand, state["gathered"])
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
        tries = tuple(self._with_passages(one, history) for one in hand if one.task.id)
        return tries, tuple(brought)

    def _with_passages(self, one: Try, history: tuple[Gathered, ...]) -> Try:
        """The try with what it reads: code looks through twice as many tables as a model reads passages."""
        if one.task.tool is Tool.CALC or one.recalled is not None:
            return one
        most = self._parts.settings.passages_per_task * (2 if one.task.tool is Tool.TABLE else 1)
        return msgspec.structs.replace(one, passages=self._readable(reading_list(one, history, most)))

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
        self.recalling.searched(retrieval)
        found = (*self._compared(one, retrieval), *(hit.passage.id for hit in retrieval.hits))
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

    def _compared(self, one: Try, retrieval: Retrieval) -> tuple[PassageId, ...]:
        """Passages of the two versions that a task compares, where it does; they are told as found."""
        documents = [hit.passage.document_id for hit in retrieval.hits]
        if name := self._tools.name_of(one, documents):
            k = self._parts.settings.passages_per_task * DEEPER_TIMES
            more = self._steered.search(self._parts.searcher.search, name, self._scope, k=k)
            documents += [hit.passage.document_id for hit in more.hits]
        difference = self._tools.compare(one, tuple(dict.fromkeys(documents)))
        if difference is None:
            return ()
        cited = [each for change in difference.changes for each in (*change.before, *change.after)]
        return tuple(dict.fromkeys(each.id for each in (*cited, *difference.section)))

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
        passages = self._parts.reader.passages(one.passages, self._scope)
        passages = admitted(passages, self._parts.split, self._left_out(one))
        carried = known_already(one) or self._tools.carry_out(one, passages, findings, tally)
        finding, relevance = shown_finding(carried.finding), carried.relevance
        told: dict[str, object] = {"answer": finding.answer, "claims": [c.text for c in finding.claims]}
        if not self._concluder.lets(one.asked, (finding,), passages):
            told = {"answer": "", "claims": [], "held": True}
        self._tell(
            "finding.made",
            task=one.task.id,
            found=finding.found,
            missing=finding.missing,
            tactic=one.tactic.value,
            relevance=None if relevance is None else round(relevance, 3),
            **told,
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
            tool=carried.tool,
        )
        return outcome, tally.usage.plus(self._shortening.taken())

    def _left_out(self, one: Try) -> Callable[[Passage, tuple[str, ...]], None]:
        """Tell which sentences of a passage are no evidence: they give orders to the reader's machine."""

        def tell(passage: Passage, cut: tuple[str, ...]) -> None:
            words = [shown(each)[:LEFT_OUT_CHARS] for each in cut]
            self._tell("orders.left_out", task=one.task.id, fingerprint=passage.fingerprint, sentences=words)

        return tell

    def _lines(self, asked: str, passages: Sequence[Passage]) -> list[Line]:
        parts, paraphrase = self._parts, None
        if parts.settings.paraphrase:
            instructions = partial(parts.prompts.text, "shorten")
            paraphrase = Paraphraser(self._model, instructions, self._shortening)
        return locate(
            asked,
            passages,
            embedder=parts.embedder,
            analyse=parts.analyse,
            split=parts.split,
            judge=parts.searcher.judge,
            budget_tokens=parts.settings.evidence_tokens,
            reading=parts.read(asked),
            above=above(passages, parts.preceding, parts.reader, self._scope),
            paraphrase=paraphrase,
        )

    # ------------------------------------------------------------ assess, conclude
    def assess(self, state: State) -> Assessment:
        """Judge what was read, and tell what is kept, what goes round again, and why."""
        made = assessed(state, self._parts.continuing.verdict)
        self.recalling.keep(state, made.settled)
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
        concluded = self._concluder.conclude(state, findings, tally)
        used = {one.task_id: one.tool for one in state["outcomes"] if one.attempt == state["attempt"]}
        judged = concluded.answer.credibility
        worked = concluded.answer.status is RunStatus.ANSWERED and bool(concluded.answer.claims)
        worked = worked and (judged is None or judged.holds)
        self._planner.learn(state["question"], planned(state), concluded.findings, used, worked=worked)
        return concluded.answer, tally.usage

    def language(self, question: str) -> str:
        """``zh``, ``en`` or ``und``."""
        return self._parts.read(question).language

    def _tell(self, kind: str, **data: object) -> None:
        if self._cancelled():
            raise CancelledError("the run was cancelled", hint="assay runs resume goes on from here")
        self._events.emit(self._run_id, kind, data)


def above(
    passages: Sequence[Passage], preceding: Preceding | None, reader: PassageReader, scope: Scope
) -> dict[PassageId, str]:
    """Return the text just before each passage in its document, where there is one."""
    before = preceding([one.id for one in passages], scope) if preceding else {}
    texts = {one.id: one.text for one in reader.passages(tuple(set(before.values())), scope)}
    return {number: texts[earlier] for number, earlier in before.items() if earlier in texts}
