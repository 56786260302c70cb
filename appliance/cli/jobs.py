"""``assay jobs``: the ingest queue, looked at and steered while another process works on it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from appliance.cli.ingesting import JsonOption
from appliance.cli.output import print_json, print_table, say
from appliance.cli.session import session_of

if TYPE_CHECKING:
    from appliance.domain import IngestJob, JobState
    from appliance.store.job_control import JobControl, QueueStatus

group = typer.Typer(help="The ingest queue: progress, pause, cancel, retry.", no_args_is_help=True)
JobArgument = Annotated[int, typer.Argument(help="Job number, as `assay jobs list` shows it.")]
JobsArgument = Annotated[list[int] | None, typer.Argument(help="Job numbers; none: the whole queue.")]


def register(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(group, name="jobs")


@contextmanager
def _queue(context: typer.Context) -> Generator[JobControl]:
    from appliance.store.job_control import queue_of

    with queue_of(session_of(context).config().data_dir()) as control:
        yield control


@group.command()
def status(context: typer.Context, json: JsonOption = False) -> int:
    """Show how far the queue is: files, pages, passages, and the time left."""
    with _queue(context) as control:
        found = control.status()
    if json:
        print_json(found)
    else:
        _say_status(found)
    return 0


@group.command("list")
def list_jobs(
    context: typer.Context,
    failed: Annotated[bool, typer.Option("--failed", help="Only what was not taken, and why.")] = False,
    state: Annotated[list[str] | None, typer.Option(help="Only jobs in this state; repeatable.")] = None,
    limit: Annotated[int, typer.Option(min=1)] = 50,
    offset: Annotated[int, typer.Option(min=0)] = 0,
    json: JsonOption = False,
) -> int:
    """List jobs, newest first."""
    with _queue(context) as control:
        jobs, total = control.page(_states(state or [], failed), limit=limit, offset=offset)
    if json:
        print_json(jobs)
        return 0
    rows = [
        (str(j.id), j.state.value, j.priority.name.lower(), j.collection, j.source, j.passages, j.error)
        for j in jobs
    ]
    print_table(("job", "state", "priority", "collection", "file", "passages", "reason"), rows)
    if total > offset + len(jobs):
        typer.echo(f"{len(jobs)} of {total:,}; --offset {offset + len(jobs)} shows the next", err=True)
    return 0


@group.command()
def show(context: typer.Context, job: JobArgument, json: JsonOption = False) -> int:
    """Show one job and its parse report: pages, sections, tables, doubts, seconds by stage."""
    with _queue(context) as control:
        found = control.show(job)
    if json:
        print_json(found)
        return 0
    each, report = found.job, found.report
    say(f"job {each.id}: {each.source}", style="bold")
    say(f"{each.state} · {each.priority.name.lower()} · {each.collection} · {each.record_id}", style="dim")
    if each.error:
        say(f"reason: {each.error}")
    pages = "" if report.pages is None else f"{report.pages:,} pages · "
    say(f"{pages}{report.sections:,} sections · {report.tables:,} tables · {each.passages:,} passages")
    say(" · ".join(f"{stage} {seconds:.2f} s" for stage, seconds in report.seconds.items()))
    for doubt in report.doubts:
        say(f"doubt: {doubt}")
    for record, reason in found.refusals:
        say(f"not taken: {record}: {reason}")
    return 0


@group.command()
def pause(context: typer.Context, jobs: JobsArgument = None, json: JsonOption = False) -> int:
    """Hold jobs, or the whole queue; a running ingest heeds it within a second."""
    return _decide(context, jobs, json, lambda control: control.pause, lambda control: control.pause_all())


@group.command()
def resume(context: typer.Context, jobs: JobsArgument = None, json: JsonOption = False) -> int:
    """Let paused jobs, or the whole queue, go on."""
    return _decide(context, jobs, json, lambda control: control.resume, lambda control: control.resume_all())


@group.command()
def cancel(
    context: typer.Context,
    jobs: JobsArgument = None,
    everything: Annotated[bool, typer.Option("--all", help="Every job that waits.")] = False,
    json: JsonOption = False,
) -> int:
    """Take jobs out of the queue; what is stored already stays."""
    return _move(context, jobs, everything, json, lambda control: control.cancel, ("queued", "paused"))


@group.command()
def retry(
    context: typer.Context,
    jobs: JobsArgument = None,
    everything: Annotated[bool, typer.Option("--all", help="Every job that failed or was refused.")] = False,
    json: JsonOption = False,
) -> int:
    """Queue jobs that were not taken once more; a running ingest or `assay ingest` reads them."""
    return _move(context, jobs, everything, json, lambda control: control.retry, ("failed", "refused"))


def _decide(
    context: typer.Context,
    jobs: list[int] | None,
    json: bool,
    one: Callable[[JobControl], Callable[[int], IngestJob]],
    all_: Callable[[JobControl], None],
) -> int:
    with _queue(context) as control:
        if jobs:
            _tell([one(control)(job) for job in jobs], json)
            return 0
        all_(control)
        found = control.status()
    if json:
        print_json(found)
    else:
        _say_status(found)
    return 0


def _move(
    context: typer.Context,
    jobs: list[int] | None,
    everything: bool,
    json: bool,
    move: Callable[[JobControl], Callable[[int], IngestJob]],
    states: tuple[str, ...],
) -> int:
    from appliance.errors import UserError

    if bool(jobs) == everything:
        raise UserError("name job numbers, or --all", hint="assay jobs list shows them")
    with _queue(context) as control:
        moved: list[IngestJob] = []
        left: list[str] = []
        chosen = jobs or [job.id for job in control.page(_states(list(states), False), limit=1_000_000)[0]]
        for job in chosen:
            try:
                moved.append(move(control)(job))
            except UserError as error:
                if not everything:
                    raise
                left.append(str(error))
    _tell(moved, json)
    for line in left:
        typer.echo(f"left: {line}", err=True)
    return 0


def _tell(jobs: list[IngestJob], json: bool) -> None:
    if json:
        print_json(jobs)
        return
    for job in jobs:
        say(f"job {job.id} is {job.state}: {job.source}")
    if not jobs:
        say("no such jobs")


def _states(names: list[str], failed: bool) -> list[JobState]:
    from appliance.domain import JobState
    from appliance.errors import UserError
    from appliance.store.job_control import DEAD

    known = [state.value for state in JobState]
    if unknown := [name for name in names if name not in known]:
        raise UserError(f"there is no job state {unknown[0]!r}", hint=f"one of {', '.join(known)}")
    return [*(JobState(name) for name in names), *(DEAD if failed else ())]


def _say_status(found: QueueStatus) -> None:
    say("the queue is paused; assay jobs resume goes on" if found.paused else "the queue is open")
    say(" · ".join(f"{count:,} {state}" for state, count in found.states.items()) or "no jobs yet")
    say(f"so far {found.documents:,} documents · {found.pages:,} pages · {found.passages:,} passages")
    left = f"{found.waiting_files:,} files ({found.waiting_bytes / 1e6:,.1f} MB) to read"
    say(f"{left}{_eta(found.read_eta_s)}")
    say(f"{found.waiting_passages:,} passages to index{_eta(found.index_eta_s)}")
    for job in found.reading:
        say(f"reading job {job.id}: {job.source}")


def _eta(seconds: float | None) -> str:
    if not seconds:
        return ""
    minutes, rest = divmod(round(seconds), 60)
    return f" (about {minutes}:{rest:02d})"
