"""Model calls, plans, findings, claims, answers and the events of a run."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from appliance.domain.credibility import Credibility, Review
from appliance.domain.identity import Fingerprint, Struct
from appliance.domain.planning import Combine, Pattern, TaskFilters, VersionPair
from appliance.domain.verifying import Span


class Usage(Struct, frozen=True, kw_only=True):
    """What model calls cost."""

    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    """Of the prompt tokens, those whose state was reused from an earlier call."""
    completion_tokens: int = 0

    def plus(self, other: Usage) -> Usage:
        """The sum of two usages."""
        return Usage(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
        )


class Prompt(Struct, frozen=True, kw_only=True):
    """One chat request: a fixed system part (kept as a cached prefix) and the part that varies."""

    system: str
    user: str


class Completion(Struct, frozen=True, kw_only=True):
    """A model's reply."""

    text: str
    usage: Usage
    finish_reason: str = "stop"
    """``stop`` or ``length``."""
    margin: float | None = None
    """Log-odds of the first free choice of the reply against the best other one; None: not told."""


class Tool(StrEnum):
    """What carries a sub-task out."""

    DOCUMENTS = "documents"
    CALC = "calc"
    TABLE = "table"
    """A calculation over the cells of one table, picked by code."""
    DIFF = "diff"
    """Two versions of a document, section by section."""
    EXTERNAL = "external"
    """Search services outside the appliance."""


class AnswerKind(StrEnum):
    """What an answer has to look like."""

    NUMBER = "number"
    DATE = "date"
    PERSON = "person"
    YES_NO = "yes-no"
    LIST = "list"
    EXPLANATION = "explanation"
    CHANGE = "change"
    """What differs between two versions or states."""
    OTHER = "other"


class Task(Struct, frozen=True, kw_only=True):
    """One sub-task of a plan. ``{1}`` in its question stands for the result of task 1."""

    id: int
    question: str
    tool: Tool = Tool.DOCUMENTS
    depends_on: tuple[int, ...] = ()
    versions: VersionPair | None = None
    """For a difference: of which document, between what."""
    filters: TaskFilters | None = None
    """Where to look first; None: anywhere."""
    quote: bool = False
    """Its sentences are wanted as they stand: no model reads them."""


class Plan(Struct, frozen=True, kw_only=True):
    """Sub-tasks in an order in which they can be done."""

    tasks: tuple[Task, ...]
    origin: str = "model"
    """``model``, ``repaired``, or without a model: ``simple`` (one task), ``rules`` (by its shape),
    ``table`` (a calculation over one table) and ``remembered`` (a plan that worked for such a question)."""
    pattern: Pattern = Pattern.SIMPLE
    combine: Combine | None = None
    """How code joins the results; None: the writer of the answer does."""
    notes: tuple[str, ...] = ()
    """What was changed or left out of the plan, and why."""

    def goals(self) -> list[int]:
        """Return the tasks that no other task builds on: their results answer the question."""
        used = {need for task in self.tasks for need in task.depends_on}
        return [task.id for task in self.tasks if task.id not in used]


class Answering(StrEnum):
    """How a question is answered: as ever, or as what the loop is measured against."""

    LOOP = "loop"
    ONE_SHOT = "one-shot"
    """One look-up, tried once."""
    CLOSED_BOOK = "closed-book"
    """The model alone."""


class ClaimKind(StrEnum):
    """A claim is a fact that a passage states, or an inference from such facts."""

    FACT = "fact"
    INFERENCE = "inference"


class Support(StrEnum):
    """What checking a claim against its passages by code found."""

    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"


class Claim(Struct, frozen=True, kw_only=True):
    """One sentence of the answer with its own citations."""

    text: str
    kind: ClaimKind
    citations: tuple[Fingerprint, ...]
    support: Support = Support.SUPPORTED
    quote: str = ""
    """The sentence of the first cited passage that carries the claim, verbatim."""
    spans: tuple[tuple[Span, ...], ...] = ()
    """By citation, in their order: where in that passage the support stands; none: no sentence stands out."""
    as_of: str = ""
    """Newest publication date of the cited passages, ISO; empty where they have none."""


def citations_of(claims: Iterable[Claim]) -> tuple[Fingerprint, ...]:
    """Return the passages that these claims cite, in their order, each once."""
    return tuple(dict.fromkeys(citation for claim in claims for citation in claim.citations))


class Finding(Struct, frozen=True, kw_only=True):
    """What one sub-task found: a short answer with its proof, or what is missing."""

    task_id: int
    question: str
    """The question as it was asked, results of earlier tasks filled in."""
    found: bool
    answer: str = ""
    """The short result that dependent tasks take over: a name, a number, a phrase."""
    others: tuple[str, ...] = ()
    """Further names that the passage lists beside it: tried in its place when what was built on it fails."""
    claims: tuple[Claim, ...] = ()
    missing: str = ""


class Contradiction(Struct, frozen=True, kw_only=True):
    """Two passages that disagree on the same thing."""

    about: str
    sides: tuple[Claim, ...]
    values: tuple[str, ...] = ()
    """What each side gives, as written; empty where one denies what the other says."""
    resolved: bool = False
    by: str = ""
    """What decided it: ``authority``, ``date``, ``version`` or ``support`` (a further source agrees)."""
    chosen: int | None = None
    """The side that holds, from 0; None: undecided."""


class RunStatus(StrEnum):
    """How a run stands or ended."""

    RUNNING = "running"
    PAUSED = "paused"
    """Held at a step boundary by a person; goes on when it is resumed."""
    ANSWERED = "answered"
    PARTIAL = "partial"
    INSUFFICIENT = "insufficient"
    WITHHELD = "withheld"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Answer(Struct, frozen=True, kw_only=True):
    """The end of a run. ``ask --json`` prints it with the run's id, steps, timings and usage."""

    status: RunStatus
    answer: str
    short: str = ""
    """The bare result: a name, a figure, a date, yes or no; several joined by ``; ``."""
    claims: tuple[Claim, ...] = ()
    missing: tuple[str, ...] = ()
    caution: str = ""
    """What the question's field wants said under every answer."""
    unconfirmed: tuple[str, ...] = ()
    """Sentences that the passages they cited do not carry: never part of the answer."""
    contradictions: tuple[Contradiction, ...] = ()
    sources_as_of: str | None = None
    """Newest publication date among the cited passages."""
    evidence: tuple[Fingerprint, ...] = ()
    """What the run gathered, best first, cited or not."""
    credibility: Credibility | None = None
    """How it was judged; None: there was nothing to judge, or judging is switched off."""
    review: Review | None = None
    """Where it was withheld: whether a person has decided, and what."""


class Event(Struct, frozen=True, kw_only=True):
    """The only output of a run: CLI progress, SSE, trace page, audit and tests read this stream."""

    seq: int
    kind: str
    """``run.started plan.made task.started passages.found finding.made task.assessed strategy.changed
    claim.dropped finding.recalled contradiction.found answer.draft answer.judged answer.cached answer.done
    review.decided …``"""
    at: str
    """UTC, ISO 8601."""
    data: dict[str, object] = {}
