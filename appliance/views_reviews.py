"""What the doors show of the review queue: rows, and one review with all that led to it.

Arrives: stored reviews and events. Leaves: Structs that encode to the JSON of
``assay reviews`` and of ``/api/reviews``.
"""

from __future__ import annotations

import msgspec

from appliance.domain import (
    Claim,
    Contradiction,
    Credibility,
    Event,
    Finding,
    Fingerprint,
    ReviewStatus,
    RunId,
    RunStatus,
)
from appliance.reviewing import Reviewed
from appliance.store.reviews import ReviewRecord


class ReviewRow(msgspec.Struct, frozen=True, kw_only=True):
    """One review in the list; addressed by its run."""

    run_id: RunId
    collection: str
    question: str
    user: str
    """Who asked."""
    status: ReviewStatus
    score: float
    opened_at: str
    decided_at: str
    decided_by: str
    note: str


class ReviewView(msgspec.Struct, frozen=True, kw_only=True):
    """One review: the answer as it was written, what it rests on, how it was judged, how it came about."""

    review: ReviewRow
    would_be: RunStatus
    """The status that the answer had before it was withheld."""
    answer: str
    short: str
    claims: tuple[Claim, ...]
    missing: tuple[str, ...]
    contradictions: tuple[Contradiction, ...]
    evidence: tuple[Fingerprint, ...]
    credibility: Credibility | None
    findings: tuple[Finding, ...]
    events: tuple[Event, ...]


def review_row(record: ReviewRecord) -> ReviewRow:
    """The review as it is listed."""
    judged = record.chain.answer.credibility
    return ReviewRow(
        run_id=record.run_id,
        collection=record.collection,
        question=record.question,
        user=record.user,
        status=record.status,
        score=judged.score if judged else 0.0,
        opened_at=record.opened_at,
        decided_at=record.decided_at,
        decided_by=record.decided_by,
        note=record.note,
    )


def review_view(found: Reviewed) -> ReviewView:
    """The review as a reviewer sees it."""
    answer = found.review.chain.answer
    return ReviewView(
        review=review_row(found.review),
        would_be=answer.status,
        answer=answer.answer,
        short=answer.short,
        claims=answer.claims,
        missing=answer.missing,
        contradictions=answer.contradictions,
        evidence=answer.evidence,
        credibility=answer.credibility,
        findings=found.review.chain.findings,
        events=found.events,
    )
