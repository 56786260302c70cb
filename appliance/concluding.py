"""The end of a run: findings to an answer, and the evidence of the whole run, ranked.

Beside steps. Arrives: the last state and what was found. Leaves: the answer, judged; the findings it was made
of. A draft of what is proven is told first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from appliance.answers.abstain import abstained
from appliance.answers.conclude import conclude
from appliance.answers.highlight import Split, spans_by_citation
from appliance.answers.instructing import without_instructions
from appliance.answers.plain import shown_answer
from appliance.calls import Tally
from appliance.confirming import Confirmer
from appliance.disagreeing import DisagreeingParts, disagreements, note, with_other_values
from appliance.domain import (
    Answer,
    Claim,
    Contradiction,
    DomainPack,
    Finding,
    Fingerprint,
    Passage,
    PassageId,
    Plan,
    Reading,
    Scope,
    Struct,
    citations_of,
)
from appliance.governance.credibility import Evaluator
from appliance.ports import Embedder, LanguageModel, PassageReader, Tell
from appliance.prompts import Prompts
from appliance.reasoning.combine import combine
from appliance.reasoning.gathering import ranked_evidence
from appliance.reasoning.memory import confidences, memory_of
from appliance.reasoning.state import State, planned
from appliance.relating import Related, related


class ConcludingParts(msgspec.Struct, frozen=True, kw_only=True):
    """What the end of a run works with."""

    reader: PassageReader
    embedder: Embedder
    model: LanguageModel
    prompts: Prompts
    read: Callable[[str], Reading]
    """The reader of questions."""
    listed: int
    """Passages of the evidence list."""
    split: Split
    disagreeing: Callable[[Tally], DisagreeingParts]
    """What conflicts are found with; the tally counts what the model reads for it."""
    confirmer: Confirmer
    packs: Mapping[str, DomainPack] = {}
    evaluator: Evaluator | None = None
    """Judges the answer before it is shown; None: it is shown as it is."""


class Concluded(Struct, frozen=True, kw_only=True):
    """The answer, and the findings as they stand in it."""

    answer: Answer
    findings: tuple[Finding, ...]


class Concluder:
    """Concludes one run."""

    def __init__(self, parts: ConcludingParts, scope: Scope, tell: Tell) -> None:
        """``scope``: what the asker may read."""
        self._parts, self._scope, self._tell = parts, scope, tell

    def conclude(self, state: State, findings: tuple[Finding, ...], tally: Tally) -> Concluded:
        """Write the answer: first a draft of what is proven, then the whole."""
        parts, plan, earlier = self._parts, planned(state), state["earlier"]
        passages = self._gathered(state)
        cited = citations_of(claim for one in (*findings, *earlier) for claim in one.claims)
        passages |= self._cited(cited, passages)
        findings, unconfirmed = self._confirmed(plan, findings, passages)
        earlier, unsure = self._confirmed(Plan(tasks=()), earlier, passages)
        self._draft(state, findings, passages)
        findings, relation = self._related(state, findings, passages)
        cited = citations_of(claim for one in (*findings, *earlier) for claim in one.claims)
        passages |= self._cited(cited, passages)
        findings, conflicts = self._disagreeing(plan, findings, passages, tally)
        language = parts.read(state["question"]).language
        dates = {one.fingerprint: one.published or "" for one in passages.values()}
        answer = conclude(
            state["question"],
            plan,
            findings,
            earlier=earlier,
            model=parts.model,
            meter=tally,
            instructions=parts.prompts.text("conclude", language),
            dropped=self._dropped,
            published=dates,
            combined=relation or combine(plan, findings, language),
        )
        answer = _with_contradictions(answer, conflicts, passages.values(), language)
        missing = self._missing(state, (*findings, *earlier), answer.missing, passages)
        texts = {one.fingerprint: one.text for one in passages.values()}
        answer = shown_answer(answer)
        claims = tuple(_dated(self._with_spans(claim, texts), dates) for claim in answer.claims)
        answer = msgspec.structs.replace(
            answer,
            evidence=self._evidence(state, (*findings, *earlier), passages),
            missing=missing,
            claims=claims,
            unconfirmed=tuple(dict.fromkeys((*unconfirmed, *unsure))),
            caution=self._caution(state["question"]) if claims else "",
        )
        return Concluded(answer=self._judged(state["question"], answer, passages), findings=findings)

    def _disagreeing(
        self, plan: Plan, findings: tuple[Finding, ...], passages: dict[PassageId, Passage], tally: Tally
    ) -> tuple[tuple[Finding, ...], tuple[Contradiction, ...]]:
        """The findings as they hold, and what stands against them, told; ``passages`` learns what is read."""
        parts = self._parts
        read = [without_instructions(one, parts.split)[0] for one in passages.values()]
        needed = {need for task in plan.tasks for need in task.depends_on}
        final = () if plan.combine else {task.id for task in plan.tasks} - needed
        compared = disagreements(findings, read, parts.disagreeing(tally), final=final)
        more = [one.id for one in compared.passages if one.id not in passages]
        passages |= {one.id: one for one in parts.reader.passages(more, self._scope)}
        for each in compared.contradictions:
            self._tell("contradiction.found", **_told(each))
        return compared.findings, compared.contradictions

    def _evidence(
        self, state: State, findings: Sequence[Finding], passages: dict[PassageId, Passage]
    ) -> tuple[Fingerprint, ...]:
        """All that the run gathered, what is cited first."""
        numbers = {one.fingerprint: number for number, one in passages.items()}
        cited = citations_of(claim for one in findings for claim in one.claims)
        proven = [numbers[fingerprint] for fingerprint in cited if fingerprint in numbers]
        ranked = ranked_evidence(state["gathered"], proven, self._parts.listed)
        return tuple(passages[number].fingerprint for number in ranked if number in passages)

    def _caution(self, question: str) -> str:
        """What the question's field wants said, in its language."""
        reading = self._parts.read(question)
        pack = self._parts.packs.get(reading.domain)
        return "" if pack is None else pack.caution_zh if reading.language == "zh" else pack.caution

    def _confirmed(
        self, plan: Plan, findings: tuple[Finding, ...], passages: dict[PassageId, Passage]
    ) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
        """The findings as they can be vouched for, and what cannot; ``passages`` learns what is cited now."""
        made = self._parts.confirmer.confirm(
            plan, findings, {one.fingerprint: one for one in passages.values()}
        )
        passages |= {one.id: one for one in made.passages}
        return made.findings, made.unconfirmed

    def _draft(self, state: State, findings: tuple[Finding, ...], passages: dict[PassageId, Passage]) -> None:
        """Tell what is proven so far; of what may not be shown unseen, only how much there is."""
        claims = [claim for one in findings for claim in one.claims]
        if not claims:
            return
        if not self.lets(state["question"], findings, passages.values()):
            self._tell("answer.draft", claims=[], held=len(claims))
            return
        sure = confidences(state["outcomes"], state["attempt"])
        memory = memory_of(
            planned(state),
            findings,
            confidences=sure,
            names_in=lambda text: self._parts.read(text).entities,
        )
        told = [claim.text for claim in claims]
        self._tell("answer.draft", claims=told, memory=msgspec.to_builtins(memory))

    def lets(self, question: str, findings: Iterable[Finding], passages: Iterable[Passage]) -> bool:
        """Whether what was found may be told before the answer is judged: by its stance and risk."""
        if self._parts.evaluator is None:
            return True
        claims = [claim for one in findings for claim in one.claims]
        known = {one.fingerprint: one for one in passages}
        return self._parts.evaluator.lets(claims, known, self._parts.read(question).domain)

    def _judged(self, question: str, answer: Answer, passages: dict[PassageId, Passage]) -> Answer:
        """The answer with its credibility; an abstention says nothing that could be judged."""
        evaluator = self._parts.evaluator
        if evaluator is None or not answer.answer:
            return answer
        known = {one.fingerprint: one for one in passages.values()}
        judged = evaluator.judge(answer, known, self._parts.read(question).domain)
        told = {name: getattr(judged, name) for name in ("score", "facts", "stance", "risk", "threshold")}
        self._tell("answer.judged", **told, domain=judged.domain, shown=judged.holds)
        return msgspec.structs.replace(answer, credibility=judged)

    def _missing(
        self,
        state: State,
        findings: Sequence[Finding],
        missing: tuple[str, ...],
        passages: dict[PassageId, Passage],
    ) -> tuple[str, ...]:
        """For each thing that was not found: what was looked for, where, and what would be needed."""
        told = {one.missing: one for one in findings if one.missing}
        rows: list[str] = []
        for each in missing:
            finding = told.get(each)
            if finding is None:
                rows.append(each)
                continue
            asked, looked = (0, finding.task_id), list[PassageId]()
            for one in state["gathered"]:
                if one.task_id in asked and (one.task_id == 0 or one.attempt == state["attempt"]):
                    looked.extend(one.passages)
            found = [passages[number] for number in dict.fromkeys(looked) if number in passages]
            reading = self._parts.read(finding.question)
            rows.append(abstained(finding, found, self._scope.collection or "", reading))
        return tuple(dict.fromkeys(rows))

    def _with_spans(self, claim: Claim, texts: Mapping[Fingerprint, str]) -> Claim:
        """The claim with where in each of its passages the support stands; recorded spans stay."""
        if len(claim.spans) == len(claim.citations):
            return claim
        cited = [texts.get(mark) for mark in claim.citations]
        spans = spans_by_citation(claim.text, cited, quote=claim.quote, split=self._parts.split)
        return msgspec.structs.replace(claim, spans=spans)

    def _cited(
        self, cited: tuple[Fingerprint, ...], passages: dict[PassageId, Passage]
    ) -> dict[PassageId, Passage]:
        """Cited passages that no retrieval of this run brought: those of recalled findings are among them."""
        known = {one.fingerprint for one in passages.values()}
        more = [self._parts.reader.by_fingerprint(each, self._scope) for each in cited if each not in known]
        return {one.id: one for one in more}

    def _related(
        self, state: State, findings: tuple[Finding, ...], passages: dict[PassageId, Passage]
    ) -> tuple[tuple[Finding, ...], Related | None]:
        """How changes between versions relate to the other document that is asked about."""

        def brought(task_id: int) -> list[Passage]:
            """For the task itself, then for the whole question: that knows of both sides."""
            wanted = [(state["attempt"], task_id), (0, 0)]
            history = sorted(
                (each for each in state["gathered"] if (each.attempt, each.task_id) in wanted),
                key=lambda each: wanted.index((each.attempt, each.task_id)),
            )
            ids = dict.fromkeys(number for each in history for number in each.passages)
            return [passages[number] for number in ids if number in passages]

        split = self._parts.split
        gathered = {
            task.id: [without_instructions(one, split)[0] for one in brought(task.id)]
            for task in planned(state).tasks
        }
        return related(planned(state), findings, gathered, embedder=self._parts.embedder)

    def _gathered(self, state: State) -> dict[PassageId, Passage]:
        ids = list(dict.fromkeys(number for one in state["gathered"] for number in one.passages))
        return {one.id: one for one in self._parts.reader.passages(ids, self._scope)}

    def _dropped(self, text: str, missing: list[str]) -> None:
        self._tell("claim.dropped", text=text, not_in_passage=missing)


def _dated(claim: Claim, dates: Mapping[Fingerprint, str]) -> Claim:
    return msgspec.structs.replace(
        claim, as_of=max((dates.get(each, "") for each in claim.citations), default="")
    )


def _told(each: Contradiction) -> dict[str, object]:
    """What the event says of a contradiction."""
    return {
        "about": each.about,
        "conflict": "figure" if each.values else "sign",
        "values": list(each.values),
        "sides": [{"text": side.text, "fingerprint": side.citations[0]} for side in each.sides],
        "resolved": each.resolved,
        "by": each.by,
        "chosen": each.chosen,
    }


def _with_contradictions(
    answer: Answer, found: tuple[Contradiction, ...], passages: Iterable[Passage], language: str
) -> Answer:
    """The answer that tells both sides of every contradiction."""
    if not found:
        return answer
    dates = {one.fingerprint: one.effective_from or one.published or "" for one in passages}
    notes = [
        note(each, [dates.get(side.citations[0], "") for side in each.sides], language) for each in found
    ]
    between = "" if language == "zh" else " "
    return msgspec.structs.replace(
        answer,
        answer=between.join(filter(None, (answer.answer, *notes))),
        short=with_other_values(answer.short, found),
        contradictions=found,
    )
