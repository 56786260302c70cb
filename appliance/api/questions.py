"""``/api/questions``: ask, follow, stop, go on."""

from __future__ import annotations

from typing import Annotated

from litestar import Controller, get, post
from litestar.params import FromPath, HeaderParameter, JSONBody
from litestar.response import ServerSentEvent

from appliance.api.desk import TheDesk
from appliance.api.following import follow
from appliance.api.schemas import AskRequest, Limit, Offset, Page, RunRow, RunState, run_row
from appliance.domain import RunId, RunStatus
from appliance.views import AnswerView, answer_view

LastEventId = Annotated[int, HeaderParameter(name="Last-Event-ID", ge=0)]
RunIdText = FromPath[str]


class QuestionsController(Controller):
    """Runs: one per question."""

    path = "/api/questions"
    tags = ("questions",)

    @post(operation_id="ask", status_code=202, sync_to_thread=True)
    def ask(self, desk: TheDesk, data: JSONBody[AskRequest]) -> RunState:
        """Put a question in the queue; its id is for the other routes."""
        run = desk.questions.ask(data.question, data.collection, data.max_steps)
        return RunState(run_id=run.id, status=run.status)

    @get(operation_id="listQuestions", sync_to_thread=True)
    def page(self, desk: TheDesk, limit: Limit = 50, offset: Offset = 0) -> Page[RunRow]:
        """A page of the asker's runs, newest first."""
        runs = desk.appliance.runs.list(desk.principal.user, limit=limit, offset=offset)
        return Page(items=[run_row(run) for run in runs], limit=limit, offset=offset)

    @get("/{run_id:str}", operation_id="getQuestion", sync_to_thread=True)
    def one(self, desk: TheDesk, run_id: RunIdText) -> AnswerView:
        """The run as ``assay ask --json`` prints it; ``status`` is ``running`` until it has ended."""
        run = desk.appliance.runs.get(RunId(run_id), desk.principal.user)
        return answer_view(run, desk.appliance.events.after(run.id))

    @get("/{run_id:str}/events", operation_id="followQuestion", sync_to_thread=True)
    def events(self, desk: TheDesk, run_id: RunIdText, last_event_id: LastEventId = 0) -> ServerSentEvent:
        """The run's events as server-sent events: those stored, then new ones, to the end of the run.

        A client that comes back with ``Last-Event-ID`` misses none and sees none twice.
        """
        run = desk.appliance.runs.get(RunId(run_id), desk.principal.user)
        return ServerSentEvent(follow(desk, run.id, last_event_id))

    @post("/{run_id:str}/cancel", operation_id="cancelQuestion", status_code=202, sync_to_thread=True)
    def cancel(self, desk: TheDesk, run_id: RunIdText) -> RunState:
        """Stop a run at its next step, or take it out of the queue."""
        desk.questions.cancel(RunId(run_id))
        return RunState(run_id=RunId(run_id), status=desk.appliance.runs.get(RunId(run_id)).status)

    @post("/{run_id:str}/resume", operation_id="resumeQuestion", status_code=202, sync_to_thread=True)
    def resume(self, desk: TheDesk, run_id: RunIdText) -> RunState:
        """Go on with a run that failed or was cancelled, from its last finished step."""
        desk.questions.resume(RunId(run_id))
        return RunState(run_id=RunId(run_id), status=RunStatus.RUNNING)
