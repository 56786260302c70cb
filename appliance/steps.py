"""What the loop's nodes need done, for one run: hits to evidence, lines to findings, findings to the answer.

Every step is told as an event. Beside wiring, above the rooms. Arrives: tries in hand. Leaves:
what was gathered, outcomes, the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from time import monotonic

import msgspec

from appliance.answers.instructing import admitted
from appliance.answers.plain import shown, shown_finding
from appliance.calls import Cancellable, Cancelled, SharedTally, Tally
from appliance.concluding import Concluder, ConcludingParts
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
    RunStatus,
    Scope,
    Task,
    Usage,
    scope_of,
)
from appliance.errors import CancelledError
from appliance.evidence.contradiction_head import load_contradiction_head
from appliance.evidence.locate import Line, locate
from appliance.evidence.paraphrase import Paraphraser
from appliance.looking_up import LookUp
from appliance.planning import Planner
from appliance.ports import EventSink, PassageReader
from appliance.reasoning.assess import Assessment, assessed
from appliance.reasoning.state import Gathered, Outcome, State, Try, planned
from appliance.recalling import Recalling
from appliance.retrieving import Retriever
from appliance.run_parts import Preceding, ResearchParts
from appliance.second_sources import SecondSources
from appliance.steering import Steered
from appliance.store.runs import RunRecord
from appliance.tooling import Tools, known_already

LEFT_OUT_CHARS = 200
"""Of a sentence that is told as left out."""


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
        self._events, self._cancelled = events, cancelled
        self._model = Cancellable(parts.model, cancelled)
        self._begun, self._before = monotonic(), 0.0
        self._shortening = SharedTally()
        kept, known = parts.conclusions.session(self._scope), parts.knowledge.session(self._scope)
        self.recalling = Recalling(run, kept, known, steered.guided)
        comparer = parts.comparer
        self._looker = LookUp(
            lines=self._lines,
            read=parts.read,
            model=self._model,
            prompts=parts.prompts,
            analyse=parts.analyse,
            rarity=parts.searcher.rarity,
            tell=self._tell,
            found_margin=parts.settings.found_margin,
        )
        self._tools = Tools(
            lines=self._lines,
            read=parts.read,
            looker=self._looker,
            tell=self._tell,
            differ=Differ(comparer, parts.embedder, self._scope) if comparer else None,
            external=parts.external,
        )
        self._retriever = Retriever(
            parts,
            self._scope,
            run.options.strategy,
            steered=steered,
            recalling=self.recalling,
            tools=self._tools,
            tell=self._tell,
        )
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
                disagreeing=self._disagreeing,
                confirmer=Confirmer(parts.verifier.verdict, self._retriever.further, self._tell),
                packs=parts.planning.packs,
                evaluator=parts.evaluator,
            ),
            self._scope,
            self._tell,
        )

    def _disagreeing(self, tally: Tally) -> DisagreeingParts:
        """The head knows the cosines of one encoder; with another one, words alone are compared."""
        parts, head = self._parts, load_contradiction_head()

        def answers(question: str, passage: Passage) -> Finding:
            one = Try(attempt=0, task=Task(id=0, question=question), asked=question)
            return self._looker.look_up(one, [passage], (), tally)[0]

        return DisagreeingParts(
            split=parts.split,
            head=head,
            embedder=parts.embedder if parts.embedder.name == head.card.model else None,
            further=self._retriever.further,
            second=SecondSources(judge=parts.searcher.judge, answers=answers, split=parts.split),
        )

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

    def gather(self, hand: tuple[Try, ...], state: State) -> tuple[tuple[Try, ...], tuple[Gathered, ...]]:
        """Retrieve for every try, at the same time; a calculation needs nothing."""
        return self._retriever.gather(hand, state)

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
