"""What a run remembers between steps. Small values and ids only: passages stay in the store.

Channels with a reducer are written by several steps at once; the others have one writer at a time.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, TypedDict

from appliance.domain import (
    Answer,
    AnswerKind,
    Finding,
    Fingerprint,
    PassageId,
    Plan,
    Struct,
    Task,
    Tool,
    Usage,
)


class Limits(Struct, frozen=True, kw_only=True):
    """Bounds of one question. Reaching one ends in a partial answer, not in an error."""

    max_steps: int
    """Sub-questions worked on, over all plans."""
    max_seconds: float
    max_llm_tokens: int
    tries_per_task: int = 3
    """Ways to look for one sub-question before it counts as not found."""
    max_retrievals: int = 40
    parallel: int = 2
    """Sub-questions in hand at once."""


class Tactic(StrEnum):
    """How a sub-question is looked for; each try of a task has another one."""

    ASKED = "as asked"
    DEEPER = "deeper"
    """Passages that no earlier try has read: the next ones, and the neighbours of the best."""
    REWORDED = "other words"
    """The words that carry it, by the other route."""
    ANOTHER = "another answer"
    """Reading again without the passage that gave the first answer: what was built on it failed."""


class Try(Struct, frozen=True, kw_only=True):
    """One try at a task: what is asked, how, and what was found to read."""

    attempt: int
    """Of the plan, from 0."""
    task: Task
    asked: str
    """Its question with earlier results filled in."""
    number: int = 0
    tactic: Tactic = Tactic.ASKED
    passages: tuple[PassageId, ...] = ()
    """What this try reads, best first."""
    bridge: bool = False
    """Its result is only used in later tasks."""
    excluded: tuple[Fingerprint, ...] = ()
    """What it must not read."""
    steps_to: tuple[str, ...] = ()
    """Results on the way that an earlier plan found: none of them is what is asked."""
    recalled: Finding | None = None
    """What an earlier run found out: nothing is gathered and nothing is read."""

    @property
    def key(self) -> tuple[int, int, int]:
        """Which try of which task of which plan."""
        return self.attempt, self.task.id, self.number


class Standing(Struct, frozen=True, kw_only=True):
    """How the passages of a retrieval stand to one another: best score, and best of those not read next.

    Each pair is None where nothing was scored in that way.
    """

    judged: tuple[float, float] | None = None
    """The cross-encoder's log-odds."""
    close: tuple[float, float] | None = None
    """Cosines."""


class Gathered(Struct, frozen=True, kw_only=True):
    """What one retrieval brought: the history that novelty, the evidence list and the audit read."""

    attempt: int
    task_id: int
    """0: the whole question."""
    number: int
    asked: str
    tactic: Tactic
    passages: tuple[PassageId, ...]
    """Best first."""
    fresh: int
    """How many of them no earlier retrieval of the run had brought."""
    standing: Standing = Standing()


class Outcome(Struct, frozen=True, kw_only=True):
    """What reading for one try came to."""

    attempt: int
    task_id: int
    number: int
    finding: Finding
    relevance: float | None = None
    """The cross-encoder's log-odds of the best line, where one judged it."""
    asked_model: bool = True
    """False where code decided alone."""
    refused: bool = False
    """The model had an answer, and the checks did not let it through."""
    kind: AnswerKind = AnswerKind.OTHER
    """What an answer has to look like."""
    language: str = ""
    """Of the question asked."""
    tool: Tool = Tool.DOCUMENTS
    """What carried it out: where the planned tool could not be used, another one."""


STATE_TYPES = (Limits, Tactic, Try, Standing, Gathered, Outcome)
"""For the serializer of checkpoints."""
Update = dict[str, Any]
"""What a node changes of the state."""


def appended(known: tuple[Any, ...], more: tuple[Any, ...]) -> tuple[Any, ...]:
    """The reducer of histories."""
    return (*known, *more)


class State(TypedDict):
    """The channels of the graph; every step's update is checkpointed."""

    question: str
    limits: Limits
    plan: Plan | None
    attempt: int
    """0 for the first plan; 1 after the question was split the other way round."""
    hand: tuple[Try, ...]
    """The tries in hand: independent of one another, read at once."""
    gathered: Annotated[tuple[Gathered, ...], appended]
    outcomes: Annotated[tuple[Outcome, ...], appended]
    findings: tuple[Finding, ...]
    """Of the present plan, one for each task done."""
    earlier: tuple[Finding, ...]
    """What the first plan found before it failed."""
    stopped_by: str
    """Which limit, or whose judgement, ended the loop early; empty when none did."""
    usage: Annotated[Usage, Usage.plus]
    seconds: float
    """Of work, over all processes that carried the run."""
    answer: Answer | None


def first_state(question: str, limits: Limits) -> State:
    """Return the state in which a run begins."""
    return State(
        question=question,
        limits=limits,
        plan=None,
        attempt=0,
        hand=(),
        gathered=(),
        outcomes=(),
        findings=(),
        earlier=(),
        stopped_by="",
        usage=Usage(),
        seconds=0.0,
        answer=None,
    )


def planned(state: State) -> Plan:
    """Return the plan of a state in which planning is done."""
    assert state["plan"] is not None, "no node but plan runs before planning"
    return state["plan"]
