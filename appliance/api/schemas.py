"""What the routes take and give, beyond the shapes that the command line prints too (``appliance.views``)."""

from __future__ import annotations

from typing import Annotated, Generic, Literal, TypeVar

import msgspec
from litestar.datastructures import UploadFile
from litestar.params import QueryParameter

from appliance.domain import (
    DEFAULT_COLLECTION,
    IngestJob,
    JobState,
    MetadataChange,
    RunId,
    RunStatus,
    Strategy,
)
from appliance.errors import UserError
from appliance.reasoning.forking import ForkChange
from appliance.reasoning.given_plan import GivenPlan, plan_of
from appliance.store.runs import RunRecord

Item = TypeVar("Item")
_NAME = r"^\S(.*\S)?$"
CollectionName = Annotated[str, msgspec.Meta(min_length=1, max_length=128, pattern=_NAME)]
PriorityName = Literal["low", "normal", "high"]
CollectionQuery = Annotated[str | None, QueryParameter(min_length=1, max_length=128, pattern=_NAME)]
Limit = Annotated[int, QueryParameter(ge=1, le=500, description="How many at most.")]
Offset = Annotated[int, QueryParameter(ge=0, le=1_000_000, description="How many to leave out first.")]

DueQuery = Annotated[
    str | None,
    QueryParameter(pattern=r"^\d{4}-\d{2}-\d{2}$", description="Only those to be reviewed by this day."),
]
_VERSION = "Without it: the version before the newer one."
OldVersion = Annotated[int | None, QueryParameter(name="from", ge=1, description=_VERSION)]
NewVersion = Annotated[
    int | None, QueryParameter(name="to", ge=1, description="Without it: the current one.")
]


class Schema(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base: frozen, unknown keys refused."""


class ErrorBody(Schema, frozen=True, kw_only=True):
    """Every error."""

    error: str
    hint: str
    kind: str


class Page(Schema, Generic[Item], frozen=True, kw_only=True):
    """Part of a list."""

    items: list[Item]
    limit: int
    offset: int
    total: int | None = None
    """Of the whole list, where it is counted."""


# ---------------------------------------------------------------- documents
class UploadForm(Schema, frozen=True, kw_only=True):
    """``multipart/form-data``: one or more files, and the collection they go to."""

    files: list[UploadFile]
    collection: CollectionName | None = None
    priority: PriorityName = "normal"
    metadata: str | None = None
    """What is said of the files, as JSON with the fields of ``PATCH /api/documents/{id}``."""


def metadata_change(text: str | None) -> MetadataChange:
    """The form's field ``metadata``. Raises UserError that names the field at fault."""
    try:
        return msgspec.json.decode(text, type=MetadataChange) if text else MetadataChange()
    except msgspec.MsgspecError as error:
        raise UserError(f"metadata: {error}", hint="/schema lists its fields under MetadataChange") from error


class Queued(Schema, frozen=True, kw_only=True):
    """The files are on disk and in the queue; ``GET /api/jobs`` tells how far they are."""

    job_ids: list[int]
    collection: str


class JobRow(Schema, frozen=True, kw_only=True):
    """One file of the ingest queue."""

    id: int
    collection: str
    record_id: str
    """The file's name."""
    state: JobState
    documents: int
    passages: int
    error: str
    priority: str
    attempts: int
    enqueued_at: str
    started_at: str
    finished_at: str


def job_row(job: IngestJob) -> JobRow:
    """The job as it is shown."""
    return JobRow(
        id=job.id,
        collection=job.collection,
        record_id=job.record_id,
        state=job.state,
        documents=job.documents,
        passages=job.passages,
        error=job.error,
        priority=job.priority.name.lower(),
        attempts=job.attempts,
        enqueued_at=job.enqueued_at,
        started_at=job.started_at,
        finished_at=job.finished_at,
    )


# ---------------------------------------------------------------- search and questions
class SearchRequest(Schema, frozen=True, kw_only=True):
    """One search."""

    question: str
    collection: CollectionName = DEFAULT_COLLECTION
    k: Annotated[int, msgspec.Meta(ge=1, le=200)] = 10
    strategy: Strategy = Strategy.AUTO
    filter: str | None = None
    """Conditions that every result meets: ``published>=2023 and section_type=risk``."""
    as_of: str = ""
    """The day (ISO) that relative dates of the question are counted from; empty: today."""
    domain: str = ""
    """The domain pack to read the question with; empty: the one that fits."""
    explain: bool = False
    """Whether rows carry their trace, and the result the rewrites, weights and filters."""
    external: bool = False
    """Ask the configured external sources, too."""


class AskRequest(Schema, frozen=True, kw_only=True):
    """One question."""

    question: str
    collection: CollectionName = DEFAULT_COLLECTION
    max_steps: Annotated[int, msgspec.Meta(ge=1, le=20)] | None = None
    fresh: bool = False
    """Work on it again, though an answer may be kept."""


class GuidanceRequest(Schema, frozen=True, kw_only=True):
    """Words for a run: where to look, or where not to."""

    text: str


class ForkRequest(Schema, frozen=True, kw_only=True):
    """What a fork does otherwise than its run; nothing: the same once more from that step."""

    step: int | None = None
    """After which step of the run; without it the fork chooses: see ``GET /api/questions/{id}/story``."""
    question: str | None = None
    guidance: str | None = None
    plan: GivenPlan | None = None
    strategy: Literal["dense", "lexical", "hybrid"] | None = None
    max_steps: Annotated[int, msgspec.Meta(ge=1, le=20)] | None = None

    def change(self) -> ForkChange:
        """What is changed. Raises UserError: a plan that cannot be carried out."""
        return ForkChange(
            question=self.question,
            guidance=self.guidance,
            plan=plan_of(self.plan) if self.plan else None,
            strategy=Strategy(self.strategy) if self.strategy else None,
            max_steps=self.max_steps,
        )


class RunState(Schema, frozen=True, kw_only=True):
    """A run and how it stands."""

    run_id: RunId
    status: RunStatus


class RunRow(Schema, frozen=True, kw_only=True):
    """One run in the list."""

    run_id: RunId
    question: str
    collection: str
    status: RunStatus
    created_at: str
    finished_at: str | None
    error: str
    parent: RunId | None
    """The run that it was forked from."""


def run_row(run: RunRecord) -> RunRow:
    """The run as it is listed."""
    return RunRow(
        run_id=run.id,
        question=run.question,
        collection=run.collection,
        status=run.status,
        created_at=run.created_at,
        finished_at=run.finished_at,
        error=run.error,
        parent=run.parent,
    )
