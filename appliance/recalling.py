"""What one run takes over from earlier ones, and what it leaves for later ones.

Below the loop's steps, above the caches and the knowledge graph. Arrives: first tries at sub-questions.
Leaves: those that are known already, with their findings; such a one costs no retrieval and no model call.
A run leaves only what anyone would have found who asks the same of the same documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

import msgspec

from appliance.caching import Conclusions
from appliance.domain import Finding, Join, Plan, Retrieval, Strategy, Tool
from appliance.knowing import KnowledgeSession
from appliance.reasoning.memory import confidence
from appliance.reasoning.state import State, Tactic, Try
from appliance.retrieval.rerank import no_reranker
from appliance.store.runs import RunRecord

CACHE, KNOWLEDGE = "cache", "knowledge"
"""Where a finding was known from, as ``finding.recalled`` tells it."""


class Tell(Protocol):
    """Emits an event of the run."""

    def __call__(self, kind: str, **data: object) -> None:
        """Store it."""
        ...


class Recalling:
    """One run's dealings with what is kept. Safe to ask from several threads."""

    def __init__(
        self,
        run: RunRecord,
        conclusions: Conclusions,
        knowledge: KnowledgeSession,
        guided: Callable[[], bool],
    ) -> None:
        """``guided``: whether a person has told the run where to look.

        A question asked afresh recalls nothing, but leaves what it finds. A fork, and a run that was told
        how to search, are there to see what comes of working otherwise: they neither recall nor leave.
        """
        self._run, self._conclusions, self._knowledge, self._guided = run, conclusions, knowledge, guided
        otherwise = run.parent is not None or run.options.strategy is not Strategy.AUTO
        self._recalls = not (otherwise or run.options.fresh)
        self._alike = run.parent is None
        if otherwise:
            conclusions.stop()
            knowledge.stop()

    def leave_nothing(self) -> None:
        """From now on the run finds otherwise than others would: it was interrupted, or lacks a part."""
        self._alike = False
        self._conclusions.stop_keeping()
        self._knowledge.stop_keeping()

    def searched(self, found: Retrieval) -> None:
        """After a search that lacked a part: a later one may have it. No cross-encoder is no such part."""
        language = found.reading.language if found.reading else ""
        if any(missing != no_reranker(language) for missing in found.degraded):
            self.leave_nothing()

    @property
    def alike(self) -> bool:
        """Whether anyone who asks the same would get this run's answer."""
        return self._alike and not self._guided()

    # ------------------------------------------------------------ before
    def recalled(self, hand: Iterable[Try], plan: Plan, tell: Tell) -> tuple[Try, ...]:
        """Return the tries, each first one with its finding where that is known.

        How two sides relate is read from all that was gathered for them: there nothing is recalled.
        """
        related = plan.combine is not None and plan.combine.join is Join.RELATED
        if not self._recalls or related or self._guided():
            return tuple(hand)
        return tuple(self._recalled(one, tell) if _may_be_known(one) else one for one in hand)

    def _recalled(self, one: Try, tell: Tell) -> Try:
        known = self._conclusions.get(one.asked, one.task.tool, task_id=one.task.id)
        origin = CACHE
        if known is None:
            known, origin = self._knowledge.recall(one.asked, task_id=one.task.id), KNOWLEDGE
        if known is None:
            return one
        tell("finding.recalled", **{"task": one.task.id, "from": origin})
        return msgspec.structs.replace(one, recalled=known)

    # ------------------------------------------------------------ after
    def keep(self, state: State, settled: Iterable[Finding]) -> None:
        """Keep what first looks at sub-questions have settled, as conclusions and as edges.

        Not what was recalled, nor another answer than the first: that one is right for this run's chain.
        """
        if self._guided():
            self.leave_nothing()
        hand = {one.task.id: one for one in state["hand"]}
        outcomes = {(one.attempt, one.task_id, one.number): one for one in state["outcomes"]}
        for finding in settled:
            one = hand.get(finding.task_id)
            if one is None or one.recalled is not None or not finding.found or not _keepable(one):
                continue
            self._conclusions.put(finding, one.task.tool)
            self._knowledge.learn(finding, run_id=self._run.id, confidence=confidence(outcomes.get(one.key)))


def _may_be_known(one: Try) -> bool:
    first = bool(one.task.id) and not one.number and one.tactic is Tactic.ASKED
    return first and not one.steps_to and _keepable(one)


def _keepable(one: Try) -> bool:
    """Whether its question alone says what is looked for where."""
    task = one.task
    plain = task.tool is Tool.DOCUMENTS and task.filters is None and not task.quote
    return plain and one.tactic is not Tactic.ANOTHER
