"""``/api/questions``: ask, follow, steer, stop, go on, fork, compare; ``/api/budget``: what is left today."""

from __future__ import annotations

from typing import Annotated

from litestar import Controller, get, post
from litestar.params import FromPath, FromQuery, HeaderParameter, JSONBody
from litestar.response import ServerSentEvent

from appliance.api.desk import TheDesk
from appliance.api.following import follow
from appliance.api.schemas import (
    AskRequest,
    ForkRequest,
    GuidanceRequest,
    Limit,
    Offset,
    Page,
    RunRow,
    RunState,
    run_row,
)
from appliance.branches import Branches, branches_of
from appliance.budgets import Budget
from appliance.domain import RunId, RunOptions, RunStatus, SteerRow
from appliance.story import RunStory, story_of
from appliance.views import AnswerView, answer_view

LastEventId = Annotated[int, HeaderParameter(name="Last-Event-ID", ge=0)]
RunIdText = FromPath[str]


class QuestionsController(Controller):
    """Runs: one per question."""

    path = "/api/questions"
    tags = ("questions",)

    @post(operation_id="ask", status_code=202, sync_to_thread=True)
    def ask(self, desk: TheDesk, data: JSONBody[AskRequest]) -> RunState:
        """Put a question in the queue; its id is for the other routes. A kept answer is there at once."""
        run = desk.questions.ask(
            data.question, data.collection, RunOptions(max_steps=data.max_steps, fresh=data.fresh)
        )
        return RunState(run_id=run.id, status=run.status)

    @get(operation_id="listQuestions", sync_to_thread=True)
    def page(
        self,
        desk: TheDesk,
        status: FromQuery[list[RunStatus] | None] = None,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> Page[RunRow]:
        """A page of the asker's runs, newest first."""
        runs, user, chosen = desk.appliance.runs, desk.principal.user, status or []
        found = runs.list(user, statuses=chosen, limit=limit, offset=offset)
        total = runs.count(user, statuses=chosen)
        return Page(items=[run_row(run) for run in found], limit=limit, offset=offset, total=total)

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

    @get("/{run_id:str}/story", operation_id="getQuestionStory", sync_to_thread=True)
    def story(self, desk: TheDesk, run_id: RunIdText) -> RunStory:
        """All that is stored of the run: steps, events, costs, what was said to it, and whether it holds."""
        run = desk.appliance.runs.get(RunId(run_id), desk.principal.user)
        return story_of(desk.appliance, run)

    @get("/{run_id:str}/compare/{other:str}", operation_id="compareQuestions", sync_to_thread=True)
    def compare(self, desk: TheDesk, run_id: RunIdText, other: RunIdText) -> Branches:
        """Two runs held against each other: where they part, plans, passages, findings, claims, cost."""
        runs, user = desk.appliance.runs, desk.principal.user
        return branches_of(desk.appliance, runs.get(RunId(run_id), user), runs.get(RunId(other), user))

    @post("/{run_id:str}/guidance", operation_id="guideQuestion", status_code=202, sync_to_thread=True)
    def guide(self, desk: TheDesk, run_id: RunIdText, data: JSONBody[GuidanceRequest]) -> SteerRow:
        """Say where to look, or where not to; the run takes it up at its next step boundary, once."""
        return desk.questions.guide(RunId(run_id), data.text)

    @post("/{run_id:str}/fork", operation_id="forkQuestion", status_code=202, sync_to_thread=True)
    def fork(self, desk: TheDesk, run_id: RunIdText, data: JSONBody[ForkRequest]) -> RunState:
        """Go on from a step of the run otherwise, as a new run; the first one stays as it is."""
        run = desk.questions.fork(RunId(run_id), data.step, data.change())
        return RunState(run_id=run.id, status=run.status)

    @post("/{run_id:str}/pause", operation_id="pauseQuestion", status_code=202, sync_to_thread=True)
    def pause(self, desk: TheDesk, run_id: RunIdText) -> RunState:
        """Hold a run at its next step boundary; ``resume`` goes on with it. Its event stream ends there."""
        desk.questions.pause(RunId(run_id))
        return RunState(run_id=RunId(run_id), status=desk.appliance.runs.get(RunId(run_id)).status)

    @post("/{run_id:str}/cancel", operation_id="cancelQuestion", status_code=202, sync_to_thread=True)
    def cancel(self, desk: TheDesk, run_id: RunIdText) -> RunState:
        """Stop a run at its next step, or take it out of the queue."""
        desk.questions.cancel(RunId(run_id))
        return RunState(run_id=RunId(run_id), status=desk.appliance.runs.get(RunId(run_id)).status)

    @post("/{run_id:str}/resume", operation_id="resumeQuestion", status_code=202, sync_to_thread=True)
    def resume(self, desk: TheDesk, run_id: RunIdText) -> RunState:
        """Go on with a run that is paused, failed or was cancelled, from its last finished step."""
        desk.questions.resume(RunId(run_id))
        return RunState(run_id=RunId(run_id), status=RunStatus.RUNNING)


@get("/api/budget", operation_id="getBudget", tags=["questions"], sync_to_thread=True)
def budget(desk: TheDesk) -> Budget:
    """What the asker has spent today, what is left, and when the next day begins."""
    return desk.appliance.budgets.of(desk.principal.user)
