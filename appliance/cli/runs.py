"""``assay runs``: what was asked, how each run went, and going on with a stopped one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from appliance.cli import steering
from appliance.cli.ingesting import JsonOption
from appliance.cli.output import print_json, print_table
from appliance.cli.session import interruptible, session_of

if TYPE_CHECKING:
    from appliance.domain import RunStatus

_GOES_ON = ("running", "paused", "failed", "cancelled")
group = typer.Typer(help="Questions asked so far.", no_args_is_help=True)
RunArgument = Annotated[str, typer.Argument(help="Run id, as `assay runs list` shows it.")]


def register(app: typer.Typer) -> None:
    """Add the group."""
    steering.register(group)
    app.add_typer(group, name="runs")


@group.command("list")
def list_runs(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Newest first.")] = 20,
    offset: Annotated[int, typer.Option(min=0, help="How many to leave out first.")] = 0,
    status: Annotated[list[str] | None, typer.Option(help="Only runs in this state; repeatable.")] = None,
    user: Annotated[str | None, typer.Option(help="Only this person's runs.")] = None,
    json: JsonOption = False,
) -> int:
    """List runs."""
    statuses = _statuses(status or [])
    with session_of(context).appliance() as appliance:
        runs = appliance.runs.list(user, statuses=statuses, limit=limit, offset=offset)
        total = appliance.runs.count(user, statuses=statuses)
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
                    "user": run.user,
                    "parent": run.parent,
                }
                for run in runs
            ]
        )
        return 0
    rows = [(r.id, r.status.value, r.created_at[:16], r.user, r.collection, r.question) for r in runs]
    print_table(("run", "status", "asked", "by", "collection", "question"), rows)
    if not total:
        chosen = statuses or user
        typer.echo("no such runs" if chosen else 'no runs yet; assay ask "…" makes the first', err=True)
    elif not runs:
        typer.echo(f"there are only {total:,}", err=True)
    elif total > offset + len(runs):
        typer.echo(f"{len(runs)} of {total:,}; --offset {offset + len(runs)} shows the next", err=True)
    return 0


def _statuses(names: list[str]) -> list[RunStatus]:
    from appliance.domain import RunStatus
    from appliance.errors import UserError

    known = [status.value for status in RunStatus]
    if unknown := [name for name in names if name not in known]:
        raise UserError(f"there is no run status {unknown[0]!r}", hint=f"one of {', '.join(known)}")
    return [RunStatus(name) for name in names]


@group.command()
def show(
    context: typer.Context,
    run_id: RunArgument,
    trace: Annotated[bool, typer.Option("--trace", help="Print every event whole.")] = False,
    json: JsonOption = False,
) -> int:
    """Show a run's whole story: steps, passages, findings, what was said to it, costs, its answer."""
    import msgspec

    from appliance.cli.asking import finish
    from appliance.cli.story import print_story
    from appliance.domain import RunId
    from appliance.story import story_of
    from appliance.views import answer_view

    with session_of(context).appliance() as appliance:
        run = appliance.runs.get(RunId(run_id))
        story = story_of(appliance, run)
        if json:
            view = answer_view(run, appliance.events.after(run.id))
            print_json({**msgspec.to_builtins(view), "story": story})
        else:
            print_story(run, story, whole=trace)
            finish(appliance, run, json=False)
    return 0


@group.command()
def verify(context: typer.Context, run_id: RunArgument, json: JsonOption = False) -> int:
    """Check that a run's stored steps are those that were written; exit 1 when they are not."""
    from appliance.cli.story import print_chain
    from appliance.domain import RunId
    from appliance.store.history import History

    with session_of(context).appliance() as appliance:
        chain = History(appliance.database).verify(appliance.runs.get(RunId(run_id)).id)
    if json:
        print_json(chain)
    else:
        print_chain(chain)
    return 0 if chain.holds else 1


@group.command()
def resume(
    context: typer.Context,
    run_id: RunArgument,
    trace: Annotated[bool, typer.Option("--trace", help="Print every event whole.")] = False,
    json: JsonOption = False,
) -> int:
    """Go on with a run that was paused, stopped or killed, from its last finished step."""
    from appliance.cli.asking import finish, follow
    from appliance.cli.transcript import print_event
    from appliance.domain import RunId

    with session_of(context).appliance() as appliance, interruptible() as cancelled:
        run = appliance.runs.get(RunId(run_id))
        if run.status in _GOES_ON:
            appliance.steering.resume(run.id, appliance.principal.user)
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
