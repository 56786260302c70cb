"""``/api/jobs``: the ingest queue, looked at, followed and steered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Annotated, TypeVar

import msgspec
from litestar import Controller, get, post
from litestar.params import FromPath, QueryParameter
from litestar.response import ServerSentEvent
from litestar.response.sse import ServerSentEventMessage

from appliance.api.desk import Desk, TheDesk
from appliance.api.schemas import JobRow, Limit, Offset, Page, job_row
from appliance.domain import JobState
from appliance.store.job_control import JobControl, JobDetail, QueueStatus

Seen = TypeVar("Seen", JobDetail, QueueStatus)
LOOK_S = 0.5
HEARTBEAT_LOOKS = 30
OPEN = (JobState.QUEUED, JobState.PAUSED, JobState.STORED)
States = Annotated[list[JobState] | None, QueryParameter(name="state", description="Only these; repeatable.")]


class JobsController(Controller):
    """Jobs: one per file."""

    path = "/api/jobs"
    tags = ("jobs",)

    @get(operation_id="listJobs", sync_to_thread=True)
    def page(
        self, desk: TheDesk, states: States = None, limit: Limit = 50, offset: Offset = 0
    ) -> Page[JobRow]:
        """A page of the jobs, newest first."""
        jobs, total = _control(desk).page(states or (), limit=limit, offset=offset)
        return Page(items=[job_row(job) for job in jobs], limit=limit, offset=offset, total=total)

    @get("/status", operation_id="queueStatus", sync_to_thread=True)
    def status(self, desk: TheDesk) -> QueueStatus:
        """How far the queue is, and the time left by stage."""
        return _control(desk).status()

    @get("/events", operation_id="followQueue", sync_to_thread=True)
    def events(self, desk: TheDesk) -> ServerSentEvent:
        """The queue's status as server-sent events, whenever it changes."""
        control = _control(desk)
        return ServerSentEvent(_follow(desk, control.status, lambda _: False))

    @get("/{job:int}", operation_id="getJob", sync_to_thread=True)
    def one(self, desk: TheDesk, job: FromPath[int]) -> JobDetail:
        """One job with its parse report and the records that were not taken."""
        return _control(desk).show(job)

    @get("/{job:int}/events", operation_id="followJob", sync_to_thread=True)
    def job_events(self, desk: TheDesk, job: FromPath[int]) -> ServerSentEvent:
        """One job as server-sent events, whenever it changes, until it has ended."""
        control = _control(desk)
        control.show(job)
        return ServerSentEvent(
            _follow(desk, lambda: control.show(job), lambda detail: detail.job.state not in OPEN)
        )

    @post("/{job:int}/cancel", operation_id="cancelJob", status_code=202, sync_to_thread=True)
    def cancel(self, desk: TheDesk, job: FromPath[int]) -> JobRow:
        """Take a job out of the queue; what is stored already stays."""
        return job_row(_control(desk).cancel(job))

    @post("/{job:int}/retry", operation_id="retryJob", status_code=202, sync_to_thread=True)
    def retry(self, desk: TheDesk, job: FromPath[int]) -> JobRow:
        """Queue a job that was refused, failed or cancelled once more."""
        return job_row(_control(desk).retry(job))

    @post("/{job:int}/pause", operation_id="pauseJob", status_code=202, sync_to_thread=True)
    def pause_one(self, desk: TheDesk, job: FromPath[int]) -> JobRow:
        """Hold one job back."""
        return job_row(_control(desk).pause(job))

    @post("/{job:int}/resume", operation_id="resumeJob", status_code=202, sync_to_thread=True)
    def resume_one(self, desk: TheDesk, job: FromPath[int]) -> JobRow:
        """Queue a paused job again."""
        return job_row(_control(desk).resume(job))

    @post("/pause", operation_id="pauseQueue", status_code=202, sync_to_thread=True)
    def pause(self, desk: TheDesk) -> QueueStatus:
        """Hold the whole queue; what is in hand is finished."""
        _control(desk).pause_all()
        return _control(desk).status()

    @post("/resume", operation_id="resumeQueue", status_code=202, sync_to_thread=True)
    def resume(self, desk: TheDesk) -> QueueStatus:
        """Let the whole queue go on."""
        _control(desk).resume_all()
        return _control(desk).status()


def _control(desk: Desk) -> JobControl:
    return JobControl(desk.appliance.database)


async def _follow(
    desk: Desk, look: Callable[[], Seen], ended: Callable[[Seen], bool]
) -> AsyncIterator[ServerSentEventMessage]:
    """The value whenever it differs from the one before; comments while it does not."""
    loop = asyncio.get_running_loop()
    before, quiet = "", 0
    while not desk.closing.is_set():
        found = await loop.run_in_executor(desk.followers, look)
        data = msgspec.json.encode(found).decode()
        quiet += 1
        if data != before:
            before, quiet = data, 0
            yield ServerSentEventMessage(event="status", data=data)
        elif quiet % HEARTBEAT_LOOKS == 0:
            yield ServerSentEventMessage(data=None, comment="no change")
        if ended(found):
            yield ServerSentEventMessage(event="end", data=data)
            return
        await asyncio.sleep(LOOK_S)
