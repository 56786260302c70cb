"""Withheld answers: into the queue at the end of a run, and out of it by a person's decision.

Beside research. Arrives: an answer that was withheld; later a reviewer's word. Leaves: what the asker sees
instead, and what the reviewer sees: the answer, its claims, findings, score and the run's events.
"""

from __future__ import annotations

import msgspec

from appliance.config import Governance
from appliance.domain import (
    Answer,
    Event,
    Finding,
    Principal,
    Review,
    ReviewStatus,
    RunId,
    RunStatus,
    scope_of,
)
from appliance.errors import ForbiddenError, UserError
from appliance.governance.notices import rejected_notice, withheld_notice
from appliance.store.collections import utc_now
from appliance.store.events import EventLog
from appliance.store.reviews import Chain, ReviewRecord, Reviews
from appliance.store.runs import RunRecord

LOCAL = Principal().user
MAX_CHARS = 20_000
"""Of a reviewer's own answer; a note has a tenth of that."""


class ReviewPage(msgspec.Struct, frozen=True, kw_only=True):
    """Part of the queue."""

    reviews: tuple[ReviewRecord, ...]
    total: int


class Reviewed(msgspec.Struct, frozen=True, kw_only=True):
    """One review with what led to it."""

    review: ReviewRecord
    events: tuple[Event, ...]


def must_review(principal: Principal, settings: Governance) -> None:
    """Raises ForbiddenError unless the principal is the local operator or in a group of reviewers."""
    if principal.user == LOCAL or set(principal.groups) & set(settings.reviewers):
        return
    groups = ", ".join(settings.reviewers) or "none yet: governance.reviewers is empty"
    raise ForbiddenError(f"{principal.user} may not review answers", hint=f"groups that may: {groups}")


class Withholding:
    """The end of a run whose answer is not to be shown."""

    def __init__(self, reviews: Reviews) -> None:
        """``reviews``: where it is put."""
        self._reviews = reviews

    def shown(self, run: RunRecord, answer: Answer, findings: tuple[Finding, ...], language: str) -> Answer:
        """Put an answer that does not hold in the queue; what the asker gets for it."""
        if answer.credibility is None or answer.credibility.holds:
            return answer
        self._reviews.open(run.id, run.collection, Chain(answer=answer, findings=findings, language=language))
        return withheld(answer, language)


def withheld(answer: Answer, language: str) -> Answer:
    """The asker's view: no word of the answer, only that a person is looking, and the passages found."""
    judged = answer.credibility
    return Answer(
        status=RunStatus.WITHHELD,
        answer=withheld_notice(language),
        evidence=answer.evidence,
        sources_as_of=answer.sources_as_of,
        credibility=judged and msgspec.structs.replace(judged, doubts=()),
        review=Review(),
    )


class Reviewing:
    """The review queue for those who may decide."""

    def __init__(self, reviews: Reviews, events: EventLog, settings: Governance) -> None:
        """``settings``: who may."""
        self._reviews, self._events, self._settings = reviews, events, settings

    def page(
        self,
        principal: Principal,
        *,
        collection: str | None = None,
        status: ReviewStatus | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> ReviewPage:
        """The longest waiting first. Raises ForbiddenError."""
        must_review(principal, self._settings)
        scope = scope_of(principal, collection=collection)
        return ReviewPage(
            reviews=tuple(self._reviews.list(scope, status=status, limit=limit, offset=offset)),
            total=self._reviews.count(scope, status=status),
        )

    def show(self, principal: Principal, run: RunId) -> Reviewed:
        """The whole chain. Raises ForbiddenError, NotFoundError (unknown, or not for this reviewer)."""
        must_review(principal, self._settings)
        review = self._reviews.get(run, scope_of(principal))
        return Reviewed(review=review, events=tuple(self._events.after(run)))

    def approve(self, principal: Principal, run: RunId, note: str = "") -> Reviewed:
        """The asker gets the answer as it was written. Raises as ``show``, UserError (decided already)."""
        answer = self.show(principal, run).review.chain.answer
        return self._decide(principal, run, answer, ReviewStatus.APPROVED, _text(note, "note"))

    def correct(self, principal: Principal, run: RunId, text: str, note: str = "") -> Reviewed:
        """The asker gets the reviewer's words, marked as theirs, with the passages found.

        Raises as ``approve``, UserError (no text, too long).
        """
        words = _text(text, "answer", MAX_CHARS)
        if not words:
            raise UserError("the corrected answer is empty", hint="write what the asker is to see")
        before = self.show(principal, run).review.chain.answer
        corrected = Answer(
            status=RunStatus.ANSWERED,
            answer=words,
            evidence=before.evidence,
            sources_as_of=before.sources_as_of,
        )
        return self._decide(principal, run, corrected, ReviewStatus.CORRECTED, _text(note, "note"))

    def reject(self, principal: Principal, run: RunId, reason: str) -> Reviewed:
        """The answer stays withheld; the asker gets the reason.

        Raises as ``approve``, UserError (no reason, too long).
        """
        words = _text(reason, "reason")
        if not words:
            raise UserError("the reason is empty", hint="the asker sees it: say why, and what would help")
        chain = self.show(principal, run).review.chain
        shown = withheld(chain.answer, chain.language)
        told = msgspec.structs.replace(shown, answer=rejected_notice(chain.language, words))
        return self._decide(principal, run, told, ReviewStatus.REJECTED, words)

    def _decide(
        self, principal: Principal, run: RunId, answer: Answer, status: ReviewStatus, note: str
    ) -> Reviewed:
        at = utc_now()
        review = Review(status=status, by=principal.user, at=at, note=note)
        self._reviews.decide(run, msgspec.structs.replace(answer, review=review), principal.user, at)
        return self.show(principal, run)


def _text(given: str, what: str, most: int = MAX_CHARS // 10) -> str:
    """Lines stripped of blanks at their ends. Raises UserError: too long."""
    words = given.encode("utf-8", "replace").decode().strip()
    if len(words) > most:
        raise UserError(f"the {what} has {len(words):,} characters, more than {most:,}", hint="shorten it")
    return words
