"""The end of a run: findings to an answer, and the evidence of the whole run, ranked.

Beside steps. Arrives: the last state and what was found. Leaves: the answer; the findings it was made of. A
draft of what is proven is told first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from appliance.answers.conclude import conclude
from appliance.calls import Tally
from appliance.disagreeing import DisagreeingParts, disagreements, note, with_other_values
from appliance.domain import (
    Answer,
    Contradiction,
    Entity,
    Finding,
    Fingerprint,
    Passage,
    PassageId,
    Scope,
    Struct,
    citations_of,
)
from appliance.ports import Embedder, LanguageModel, PassageReader
from appliance.prompts import Prompts
from appliance.reasoning.combine import combine
from appliance.reasoning.gathering import ranked_evidence
from appliance.reasoning.memory import confidences, memory_of
from appliance.reasoning.state import State, planned
from appliance.relating import Related, related

Tell = Callable[..., None]
"""An event's kind, and its data by name."""


class ConcludingParts(msgspec.Struct, frozen=True, kw_only=True):
    """What the end of a run works with."""

    reader: PassageReader
    embedder: Embedder
    model: LanguageModel
    prompts: Prompts
    language: Callable[[str], str]
    """Of a question."""
    names_in: Callable[[str], Sequence[Entity]]
    listed: int
    """Passages of the evidence list."""
    disagreeing: DisagreeingParts


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
        drafted = [claim.text for one in findings for claim in one.claims]
        if drafted:
            sure = confidences(state["outcomes"], state["attempt"])
            memory = memory_of(plan, findings, confidences=sure, names_in=parts.names_in)
            self._tell("answer.draft", claims=drafted, memory=msgspec.to_builtins(memory))
        passages = self._gathered(state)
        findings, relation = self._related(state, findings, passages)
        cited = citations_of(claim for one in (*findings, *earlier) for claim in one.claims)
        passages |= self._cited(cited, passages)
        language = parts.language(state["question"])
        compared = disagreements(findings, list(passages.values()), parts.disagreeing)
        findings = compared.findings
        passages |= {one.id: one for one in compared.passages}
        for each in compared.contradictions:
            self._tell("contradiction.found", **_told(each))
        answer = conclude(
            state["question"],
            plan,
            findings,
            earlier=earlier,
            model=parts.model,
            meter=tally,
            instructions=parts.prompts.text("conclude", language),
            dropped=self._dropped,
            published={one.fingerprint: one.published or "" for one in passages.values()},
            combined=relation or combine(plan, findings, language),
        )
        answer = _with_contradictions(answer, compared.contradictions, passages.values(), language)
        cited = citations_of(claim for one in (*findings, *earlier) for claim in one.claims)
        numbers = {one.fingerprint: number for number, one in passages.items()}
        proven = [numbers[fingerprint] for fingerprint in cited if fingerprint in numbers]
        ranked = ranked_evidence(state["gathered"], proven, parts.listed)
        evidence = tuple(passages[number].fingerprint for number in ranked if number in passages)
        return Concluded(answer=msgspec.structs.replace(answer, evidence=evidence), findings=findings)

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

        gathered = {task.id: brought(task.id) for task in planned(state).tasks}
        return related(planned(state), findings, gathered, embedder=self._parts.embedder)

    def _gathered(self, state: State) -> dict[PassageId, Passage]:
        ids = list(dict.fromkeys(number for one in state["gathered"] for number in one.passages))
        return {one.id: one for one in self._parts.reader.passages(ids, self._scope)}

    def _dropped(self, text: str, missing: list[str]) -> None:
        self._tell("claim.dropped", text=text, not_in_passage=missing)


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
