"""``/api/reviews``: answers that were withheld, and what reviewers decide about them."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from litestar import Controller, get, post
from litestar.params import FromPath, FromQuery, JSONBody

from appliance.api.desk import TheDesk
from appliance.api.schemas import CollectionQuery, Limit, Offset, Page, Schema
from appliance.domain import ReviewStatus, RunId
from appliance.views_reviews import ReviewRow, ReviewView, review_row, review_view

RunIdText = FromPath[str]


class DecisionRequest(Schema, frozen=True, kw_only=True):
    """A reviewer's word."""

    decision: Literal["approve", "correct", "reject"]
    answer: Annotated[str, msgspec.Meta(max_length=20_000)] = ""
    """With ``correct``: what the asker is to see in place of the answer."""
    note: Annotated[str, msgspec.Meta(max_length=2_000)] = ""
    """For the asker; with ``reject`` the reason, and then it is required."""


class ReviewsController(Controller):
    """The review queue; for the local operator and the groups named by governance.reviewers."""

    path = "/api/reviews"
    tags = ("reviews",)

    @get(operation_id="listReviews", sync_to_thread=True)
    def page(
        self,
        desk: TheDesk,
        status: FromQuery[ReviewStatus | None] = None,
        collection: CollectionQuery = None,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> Page[ReviewRow]:
        """A page of the reviews whose sources the reviewer may read, the longest waiting first."""
        found = desk.appliance.reviewing.page(
            desk.principal, collection=collection, status=status, limit=limit, offset=offset
        )
        rows = [review_row(each) for each in found.reviews]
        return Page(items=rows, limit=limit, offset=offset, total=found.total)

    @get("/{run_id:str}", operation_id="getReview", sync_to_thread=True)
    def one(self, desk: TheDesk, run_id: RunIdText) -> ReviewView:
        """The whole chain: the answer as written, claims, findings, the score's parts, the run's events."""
        return review_view(desk.appliance.reviewing.show(desk.principal, RunId(run_id)))

    @post("/{run_id:str}/decision", operation_id="decideReview", status_code=200, sync_to_thread=True)
    def decide(self, desk: TheDesk, run_id: RunIdText, data: JSONBody[DecisionRequest]) -> ReviewView:
        """Approve, correct or reject, once; the asker sees it in ``GET /api/questions/{id}``."""
        reviewing, run = desk.appliance.reviewing, RunId(run_id)
        match data.decision:
            case "approve":
                found = reviewing.approve(desk.principal, run, data.note)
            case "correct":
                found = reviewing.correct(desk.principal, run, data.answer, data.note)
            case "reject":
                found = reviewing.reject(desk.principal, run, data.note)
        return review_view(found)
