"""``assay runs``: what was asked, how each run went, and going on with a stopped one."""

from __future__ import annotations

from typing import Annotated

import typer

from appliance.cli.ingesting import JsonOption
from appliance.cli.output import print_json, print_table
from appliance.cli.session import interruptible, session_of

group = typer.Typer(help="Questions asked so far.", no_args_is_help=True)
RunArgument = Annotated[str, typer.Argument(help="Run id, as `assay runs list` shows it.")]


def register(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(group, name="runs")


@group.command("list")
def list_runs(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, help="Newest first.")] = 20,
    json: JsonOption = False,
) -> int:
    """List runs."""
    with session_of(context).appliance() as appliance:
        runs = appliance.runs.list(limit=limit)
    if json:
        print_json(
            [
                {
                    "run_id": run.id,
                    "status": run.status,
                    "created_at": run.created_at,
                    "collection": run.collection,
                    "question": run.question,
                    "error": run.error,
                }
                for run in runs
            ]
        )
    else:
        rows = [(r.id, r.status.value, r.created_at[:16], r.collection, r.question) for r in runs]
        print_table(("run", "status", "asked", "collection", "question"), rows)
    return 0


@group.command()
def show(
    context: typer.Context,
    run_id: RunArgument,
    trace: Annotated[bool, typer.Option("--trace", help="Print every event whole.")] = False,
    json: JsonOption = False,
) -> int:
    """Show a run: its events and its answer."""
    from appliance.cli.asking import finish
    from appliance.cli.transcript import print_event
    from appliance.domain import RunId

    with session_of(context).appliance() as appliance:
        run = appliance.runs.get(RunId(run_id))
        if not json:
            for event in appliance.events.after(run.id):
                print_event(event, whole=trace)
        finish(appliance, run, json=json)
    return 0


@group.command()
def resume(
    context: typer.Context,
    run_id: RunArgument,
    trace: Annotated[bool, typer.Option("--trace", help="Print every event whole.")] = False,
    json: JsonOption = False,
) -> int:
    """Go on with a run that was stopped or killed, from its last finished step."""
    from appliance.cli.asking import finish, follow
    from appliance.cli.transcript import print_event
    from appliance.domain import RunId, RunStatus

    with session_of(context).appliance() as appliance, interruptible() as cancelled:
        run = appliance.runs.get(RunId(run_id))
        if run.status in (RunStatus.RUNNING, RunStatus.FAILED, RunStatus.CANCELLED):
            seen = appliance.events.after(run.id)
            run = follow(
                appliance,
                run,
                max_steps=None,
                cancelled=cancelled,
                show=None if json else lambda event: print_event(event, whole=trace),
                after_seq=seen[-1].seq if seen else 0,
            )
        finish(appliance, run, json=json)
    return 0
