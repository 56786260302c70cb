"""``assay runs guide pause cancel fork diff budget``: a run steered, also while another process works.

``guide``, ``pause`` and ``cancel`` only add a row to the database, which SQLite allows beside the process
that holds the data folder; it takes the row up at its next step boundary. Everything else needs the folder.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from appliance.cli.ingesting import JsonOption
from appliance.cli.output import print_json, say
from appliance.cli.session import interruptible, session_of

if TYPE_CHECKING:
    from appliance.domain import Plan, RunId, SteerRow, Strategy
    from appliance.store.runs import RunRecord, Runs
    from appliance.store.steering import Steering

RunArgument = Annotated[str, typer.Argument(help="Run id, as `assay runs list` shows it.")]
Say = Callable[["Steering", "RunId", str], "SteerRow"]
AT_ONCE = "no process works on it"
AT_NEXT_STEP = "at its next step boundary"


def register(group: typer.Typer) -> None:
    """Add the commands to ``assay runs``."""
    for command in (guide, pause, cancel, fork, diff, budget):
        group.command()(command)


def guide(
    context: typer.Context,
    run_id: RunArgument,
    text: Annotated[str, typer.Argument(help='For example "look in the 2023 report" or 不要看新闻.')],
    json: JsonOption = False,
) -> int:
    """Say where to look, or where not to; taken up at the run's next step, also by another process."""
    from appliance.domain import RunId
    from appliance.store.steering import steering_of

    session = session_of(context)
    with steering_of(session.config().data_dir()) as (steering, runs, _):
        run = runs.get(RunId(run_id), session.user)  # in the asker's name: nobody else's run
        row = steering.guide(run.id, text, session.user)
    if json:
        print_json(row)
    else:
        say(f"noted: “{row.text}”; run {run_id} heeds it {AT_NEXT_STEP}")
    return 0


def pause(context: typer.Context, run_id: RunArgument, json: JsonOption = False) -> int:
    """Hold a run at its next step boundary; `assay runs resume` goes on with it."""
    return _stop(context, run_id, json, lambda steering, run, user: steering.pause(run, user))


def cancel(context: typer.Context, run_id: RunArgument, json: JsonOption = False) -> int:
    """Stop a run at its next step boundary; `assay runs resume` can still go on with it."""
    return _stop(context, run_id, json, lambda steering, run, user: steering.cancel(run, user))


def _stop(context: typer.Context, run_id: str, json: bool, say_it: Say) -> int:
    from appliance.domain import RunId
    from appliance.errors import BusyError
    from appliance.store.lock import DataFolderLock
    from appliance.store.steering import steering_of

    session = session_of(context)
    folder = session.config().data_dir()
    with steering_of(folder) as (steering, runs, _):
        run = runs.get(RunId(run_id))
        row = say_it(steering, run.id, session.user)
        try:
            with DataFolderLock(folder, session.command):
                steering.settle(run.id)
            when = AT_ONCE
        except BusyError:
            when = AT_NEXT_STEP
        status = _status(runs, run)
    if json:
        print_json({"run_id": run.id, "status": status, "asked": row.kind, "when": when})
    else:
        done = when == AT_ONCE
        say(f"run {run.id} is {status}: {when}" if done else f"run {run.id} will {row.kind.value} {when}")
    return 0


def _status(runs: Runs, run: RunRecord) -> str:
    return runs.get(run.id).status.value


def fork(
    context: typer.Context,
    run_id: RunArgument,
    step: Annotated[int | None, typer.Option(help="After which step; `assay runs show` lists them.")] = None,
    question: Annotated[str | None, typer.Option(help="Another question, planned anew.")] = None,
    guidance: Annotated[str | None, typer.Option(help="Where to look, or where not to.")] = None,
    plan: Annotated[Path | None, typer.Option(help="Another plan (JSON).", metavar="FILE")] = None,
    strategy: Annotated[str | None, typer.Option(help="dense, lexical or hybrid.")] = None,
    max_steps: Annotated[int | None, typer.Option(min=1, help="Rounds of search at most.")] = None,
    trace: Annotated[bool, typer.Option("--trace", help="Print every event whole.")] = False,
    json: JsonOption = False,
) -> int:
    """Go back to a step of a run and go on from there otherwise, as a new run; the first one stays."""
    from appliance.cli.asking import finish, follow
    from appliance.cli.transcript import print_event
    from appliance.domain import RunId
    from appliance.reasoning.forking import ForkChange

    session = session_of(context)
    change = ForkChange(
        question=question,
        guidance=guidance,
        plan=_plan(plan) if plan else None,
        strategy=_strategy(strategy),
        max_steps=max_steps,
    )
    with session.appliance() as appliance, interruptible() as cancelled:
        run = appliance.fork(RunId(run_id), session.user, step=step, change=change)
        assert run.fork is not None, "a fork knows where it parted"
        told = appliance.events.after(run.id, run.fork.event_seq)
        for event in () if json else told:
            print_event(event, whole=trace)
        finished = follow(
            appliance,
            run,
            max_steps=max_steps,
            cancelled=cancelled,
            show=None if json else lambda event: print_event(event, whole=trace),
            after_seq=told[-1].seq,
        )
        finish(appliance, finished, json=json)
    return 0


def _plan(file: Path) -> Plan:
    from appliance.errors import UserError
    from appliance.reasoning.given_plan import plan_of_text

    try:
        content = file.read_bytes()
    except OSError as error:
        raise UserError(f"the plan {file} cannot be read ({error.strerror})", hint="check --plan") from error
    return plan_of_text(content)


def _strategy(name: str | None) -> Strategy | None:
    from appliance.domain import Strategy
    from appliance.errors import UserError

    if name is None:
        return None
    known = [each.value for each in Strategy if each is not Strategy.AUTO]
    if name not in known:
        raise UserError(f"there is no strategy {name!r}", hint=f"one of {', '.join(known)}")
    return Strategy(name)


def diff(
    context: typer.Context,
    run_a: RunArgument,
    run_b: Annotated[str, typer.Argument(help="The other run.")],
    json: JsonOption = False,
) -> int:
    """Compare two runs: where they part, plans, passages, findings, claims, cost."""
    from appliance.branches import branches_of
    from appliance.cli.story import print_branches
    from appliance.domain import RunId

    with session_of(context).appliance() as appliance:
        found = branches_of(appliance, *(appliance.runs.get(RunId(each)) for each in (run_a, run_b)))
    if json:
        print_json(found)
    else:
        print_branches(found)
    return 0


def budget(context: typer.Context, json: JsonOption = False) -> int:
    """Show what the asker (--as-user) has spent today, and what is left."""
    session = session_of(context)
    with session.appliance() as appliance:
        found = appliance.budgets.of(session.user)
    if json:
        print_json(found)
        return 0
    spent, left = found.spent, found.left
    for name, used, rest in (
        ("seconds", round(spent.seconds, 1), left.seconds),
        ("model tokens", spent.llm_tokens, left.llm_tokens),
        ("retrievals", spent.retrievals, left.retrievals),
    ):
        say(f"{name}: {used:,} spent today · {'no bound' if rest is None else f'{rest:,} left'}")
    say(f"a new day begins at {found.resets_at}", style="dim")
    return 0
