"""What the doors show of a run: the JSON of ``ask --json``, one code for the CLI and the API.

Arrives: a stored run and its events. Leaves: Structs that encode to the stable shapes.
Searches are shown by ``views_search``.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from appliance.domain import (
    Claim,
    ClaimKind,
    Credibility,
    Event,
    Fingerprint,
    Review,
    RunId,
    RunStatus,
    Span,
    Support,
    Tool,
    Usage,
)
from appliance.redacting import told as redacted
from appliance.store.runs import RunRecord


class View(msgspec.Struct, frozen=True, kw_only=True):
    """Base of what is shown."""


class ClaimView(View, frozen=True, kw_only=True):
    """One sentence of the answer with the passages that carry it."""

    text: str
    kind: ClaimKind
    citations: tuple[Fingerprint, ...]
    support: Support
    spans: tuple[tuple[Span, ...], ...] = ()
    """By citation: the characters of that passage's text that carry the claim."""
    as_of: str = ""
    """Newest date of the cited passages."""


class ContradictionView(View, frozen=True, kw_only=True):
    """Two passages that disagree on the same thing."""

    about: str
    sides: tuple[ClaimView, ...]
    values: tuple[str, ...] = ()
    """What each side gives; empty where one denies what the other says."""
    resolved: bool = False
    by: str = ""
    """``authority``, ``date``, ``version`` or ``support``; empty while undecided."""
    chosen: int | None = None
    """The side that holds, from 0."""


class StepView(View, frozen=True, kw_only=True):
    """One sub-task of one plan: what was asked, with what, and what came of it."""

    attempt: int
    """1 for the first plan, 2 for the one that followed it."""
    task: int
    question: str
    tool: Tool
    found: bool | None = None
    """Null: not done (yet)."""
    answer: str = ""
    missing: str = ""
    passages: tuple[Fingerprint, ...] = ()
    degraded: tuple[str, ...] = ()


class CachedView(View, frozen=True, kw_only=True):
    """Where a kept answer comes from."""

    run_id: RunId
    """The run that gave it; it may be another person's."""
    asked_at: str = ""
    """UTC, ISO 8601."""


class AnswerView(View, frozen=True, kw_only=True):
    """``ask --json``; the status is ``running`` and the answer empty until the run has ended."""

    run_id: RunId
    question: str
    collection: str
    status: RunStatus
    answer: str = ""
    short: str = ""
    """The bare result: a name, a figure, yes or no."""
    claims: tuple[ClaimView, ...] = ()
    missing: tuple[str, ...] = ()
    caution: str = ""
    """What the question's field wants said under every answer."""
    unconfirmed: tuple[str, ...] = ()
    """Sentences that could not be confirmed: no part of the answer."""
    contradictions: tuple[ContradictionView, ...] = ()
    steps: tuple[StepView, ...] = ()
    sources_as_of: str | None = None
    evidence: tuple[Fingerprint, ...] = ()
    """What the run gathered, best first, cited or not."""
    timings: dict[str, float] = {}
    usage: Usage = Usage()
    cached: CachedView | None = None
    """The run whose answer this is; null: the run's own."""
    credibility: Credibility | None = None
    """How the answer was judged before it was shown; null: there was nothing to judge."""
    review: Review | None = None
    """Where it was withheld: whether a person has decided, who, and what they say."""
    error: str = ""
    """Why the run failed or who stopped it, in one line."""


def answer_view(run: RunRecord, events: Iterable[Event]) -> AnswerView:
    """The run as ``ask --json`` prints it; ``events`` are all of the run's, in order."""
    told = redacted(run, events)
    view = AnswerView(
        run_id=run.id,
        question=run.question,
        collection=run.collection,
        status=run.status,
        steps=_steps(told),
        cached=_cached(told),
        timings=run.timings,
        usage=run.usage or Usage(),
        error=run.error,
    )
    answer = run.answer
    # A resumed run still has the answer of its first end in its row, until it ends again.
    if answer is None or run.status is not answer.status:
        return view
    return msgspec.structs.replace(
        view,
        answer=answer.answer,
        short=answer.short,
        claims=_claims(answer.claims),
        missing=answer.missing,
        caution=answer.caution,
        unconfirmed=answer.unconfirmed,
        contradictions=tuple(
            ContradictionView(
                about=each.about,
                sides=_claims(each.sides),
                values=each.values,
                resolved=each.resolved,
                by=each.by,
                chosen=each.chosen,
            )
            for each in answer.contradictions
        ),
        sources_as_of=answer.sources_as_of,
        evidence=answer.evidence,
        credibility=answer.credibility,
        review=answer.review,
    )


def _cached(events: Iterable[Event]) -> CachedView | None:
    told = [event.data for event in events if event.kind == "answer.cached"]
    return msgspec.convert(told[-1], CachedView) if told else None


def _claims(claims: tuple[Claim, ...]) -> tuple[ClaimView, ...]:
    return tuple(
        ClaimView(
            text=each.text,
            kind=each.kind,
            citations=each.citations,
            support=each.support,
            spans=each.spans,
            as_of=each.as_of,
        )
        for each in claims
    )


class _Planned(msgspec.Struct):
    id: int
    question: str
    tool: Tool


class _PlanMade(msgspec.Struct):
    attempt: int
    tasks: list[_Planned]


class _Shown(msgspec.Struct):
    fingerprint: Fingerprint


class _TaskNews(msgspec.Struct):
    """``task.started``, ``passages.found`` or ``finding.made``: each has some of these."""

    task: int
    question: str | None = None
    found: bool | None = None
    answer: str | None = None
    missing: str | None = None
    passages: tuple[_Shown, ...] | None = None
    degraded: tuple[str, ...] | None = None

    def changes(self) -> dict[str, object]:
        given = {name: value for name, value in msgspec.structs.asdict(self).items() if value is not None}
        del given["task"]
        if self.passages is not None:
            given["passages"] = tuple(shown.fingerprint for shown in self.passages)
        return given


def _steps(events: Iterable[Event]) -> tuple[StepView, ...]:
    # A killed run repeats its unfinished step after it is resumed: the later news of a task replaces the
    # earlier, and a plan made again replaces the steps of that plan.
    steps: dict[tuple[int, int], StepView] = {}
    attempt = 0
    for event in events:
        if event.kind == "plan.made":
            made = msgspec.convert(event.data, _PlanMade)
            attempt = made.attempt
            steps = {key: step for key, step in steps.items() if key[0] != attempt}
            for each in made.tasks:
                steps[attempt, each.id] = StepView(
                    attempt=attempt, task=each.id, question=each.question, tool=each.tool
                )
        elif event.kind in ("task.started", "passages.found", "finding.made"):
            news = msgspec.convert(event.data, _TaskNews)
            if step := steps.get((attempt, news.task)):
                steps[attempt, news.task] = msgspec.structs.replace(step, **news.changes())
    return tuple(steps.values())
