"""``assay ask`` and ``assay demo``: the run's events as they come, then the answer with its sources."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from appliance.cli.ingesting import CollectionOption, JsonOption
from appliance.cli.output import print_json
from appliance.cli.session import interruptible, session_of
from appliance.cli.transcript import print_answer, print_event
from appliance.errors import CancelledError, PausedError

if TYPE_CHECKING:
    from appliance.domain import Event
    from appliance.store.runs import RunRecord
    from appliance.wiring import Appliance

POLL_S = 0.1
FAILED = 1


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(ask)
    app.command()(demo)


def ask(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="The question.")],
    collection: CollectionOption = "default",
    max_steps: Annotated[int | None, typer.Option(min=1, help="Rounds of search at most.")] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Work on it again, though an answer may be kept.")
    ] = False,
    trace: Annotated[bool, typer.Option("--trace", help="Print every event whole.")] = False,
    json: JsonOption = False,
) -> int:
    """Ask a question. Paused, stopped or killed, `assay runs resume` goes on with it."""
    from appliance.domain import RunOptions

    with session_of(context).appliance() as appliance, interruptible() as cancelled:
        run = appliance.researcher.start(
            question,
            principal=appliance.principal,
            collection=collection,
            options=RunOptions(max_steps=max_steps, fresh=fresh),
        )
        finished = follow(
            appliance,
            run,
            max_steps=max_steps,
            cancelled=cancelled,
            show=None if json else lambda event: print_event(event, whole=trace),
        )
        finish(appliance, finished, json=json)
    return 0


def demo(context: typer.Context) -> int:
    """Load the sample library, ask it a three-hop question and check every citation."""
    from appliance.cli.demo import run_demo

    with session_of(context).appliance() as appliance, interruptible() as cancelled:
        return 0 if run_demo(appliance, cancelled) else FAILED


def follow(
    appliance: Appliance,
    run: RunRecord,
    *,
    max_steps: int | None,
    cancelled: Callable[[], bool],
    show: Callable[[Event], None] | None,
    after_seq: int = 0,
) -> RunRecord:
    """The finished run. It works in a thread of its own; its events are shown from here as they come.

    Raises what stopped it.
    """
    ended: list[RunRecord] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            ended.append(appliance.researcher.work(run, max_steps=max_steps, cancelled=cancelled))
        except BaseException as error:
            failed.append(error)

    worker = threading.Thread(target=work, name="research", daemon=True)
    worker.start()
    seq = after_seq
    while True:
        alive = worker.is_alive()
        for event in appliance.events.after(run.id, seq) if show else ():
            seq = event.seq
            if show:
                show(event)
        if not alive:
            break
        worker.join(POLL_S)
    if failed and isinstance(failed[0], CancelledError) and not isinstance(failed[0], PausedError):
        raise CancelledError("stopped", hint=f"assay runs resume {run.id} goes on from here") from failed[0]
    if failed:
        raise failed[0]
    return ended[0]


def finish(appliance: Appliance, run: RunRecord, *, json: bool) -> None:
    """Print the end of a run."""
    from appliance.views import answer_view

    view = answer_view(run, appliance.events.after(run.id))
    if json:
        print_json(view)
    else:
        print_answer(view, lambda print_: appliance.passages.by_fingerprint(print_, appliance.scope()))
