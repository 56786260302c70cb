"""``assay reviews``: answers that were withheld, and a person's decision about each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from appliance.cli.ingesting import JsonOption
from appliance.cli.output import print_json, print_table, say, short_hash
from appliance.cli.session import session_of

if TYPE_CHECKING:
    from appliance.domain import Principal
    from appliance.reviewing import Reviewed, Reviewing
    from appliance.views_reviews import ReviewView

group = typer.Typer(help="Answers that were withheld, for a person to decide.", no_args_is_help=True)
RunArgument = Annotated[str, typer.Argument(help="Run id, as `assay reviews list` shows it.")]
NoteOption = Annotated[str, typer.Option(help="A note that the asker sees.")]


def register(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(group, name="reviews")


@group.command("list")
def list_reviews(
    context: typer.Context,
    status: Annotated[str, typer.Option(help="open, approved, corrected, rejected or all.")] = "open",
    collection: Annotated[str | None, typer.Option("--collection", "-c", help="Only of this one.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Rows of a page.")] = 50,
    offset: Annotated[int, typer.Option(min=0, help="Rows to pass over.")] = 0,
    json: JsonOption = False,
) -> int:
    """List reviews, the longest waiting first."""
    from appliance.domain import ReviewStatus
    from appliance.errors import UserError
    from appliance.views_reviews import review_row

    known = [each.value for each in ReviewStatus]
    if status not in (*known, "all"):
        raise UserError(f"there is no review status {status!r}", hint=f"one of {', '.join(known)}, all")
    with session_of(context).appliance() as appliance:
        found = appliance.reviewing.page(
            appliance.principal,
            collection=collection,
            status=None if status == "all" else ReviewStatus(status),
            limit=limit,
            offset=offset,
        )
    rows = [review_row(each) for each in found.reviews]
    if json:
        print_json({"reviews": rows, "total": found.total})
        return 0
    print_table(
        ("run", "status", "score", "waits since", "asked by", "collection", "question"),
        [
            (r.run_id, r.status.value, f"{r.score:.2f}", r.opened_at[:16], r.user, r.collection, r.question)
            for r in rows
        ],
    )
    if not rows:
        typer.echo("no such reviews", err=True)
    elif found.total > offset + len(rows):
        typer.echo(f"{len(rows)} of {found.total:,}; --offset {offset + len(rows)} shows the next", err=True)
    return 0


@group.command()
def show(context: typer.Context, run_id: RunArgument, json: JsonOption = False) -> int:
    """Show one review: the answer as it was written, why it was withheld, and what led to it."""
    from appliance.domain import RunId

    return _printed(context, lambda queue, who: queue.show(who, RunId(run_id)), json=json)


@group.command()
def approve(
    context: typer.Context, run_id: RunArgument, note: NoteOption = "", json: JsonOption = False
) -> int:
    """Let the asker see the answer as it was written."""
    from appliance.domain import RunId

    return _printed(context, lambda queue, who: queue.approve(who, RunId(run_id), note), json=json)


@group.command()
def correct(
    context: typer.Context,
    run_id: RunArgument,
    answer: Annotated[str, typer.Argument(help="What the asker is to see in its place.")],
    note: NoteOption = "",
    json: JsonOption = False,
) -> int:
    """Let the asker see your words in place of the answer, marked as yours."""
    from appliance.domain import RunId

    return _printed(context, lambda queue, who: queue.correct(who, RunId(run_id), answer, note), json=json)


@group.command()
def reject(
    context: typer.Context,
    run_id: RunArgument,
    reason: Annotated[str, typer.Argument(help="Why; the asker sees it.")],
    json: JsonOption = False,
) -> int:
    """Keep the answer withheld for good, and tell the asker why."""
    from appliance.domain import RunId

    return _printed(context, lambda queue, who: queue.reject(who, RunId(run_id), reason), json=json)


def _printed(context: typer.Context, do: Callable[[Reviewing, Principal], Reviewed], *, json: bool) -> int:
    from appliance.views_reviews import review_view

    with session_of(context).appliance() as appliance:
        view = review_view(do(appliance.reviewing, appliance.principal))
    if json:
        print_json(view)
    else:
        _print(view)
    return 0


def _print(view: ReviewView) -> None:
    row = view.review
    say(f"{row.status.value}: run {row.run_id} · asked by {row.user} · {row.collection}", "bold")
    say(f"question: {row.question}")
    say(f"answer ({view.would_be.value}): {view.answer}")
    for claim in view.claims:
        marks = " ".join(short_hash(mark) for mark in claim.citations)
        say(f"  • {claim.text} [{marks}]")
        if claim.quote and claim.quote != claim.text:
            say(f"      “{claim.quote}”", style="dim")
    if judged := view.credibility:
        parts = f"facts {judged.facts:.2f} · stance {judged.stance:.2f} · risk {judged.risk:.2f}"
        field = f" · {judged.domain}" if judged.domain else ""
        say(f"credibility {judged.score:.2f}, below {judged.threshold:.2f}: {parts}{field}")
        for doubt in judged.doubts:
            say(f"  ! {doubt.part.value}: {doubt.why} — {doubt.text}")
    for finding in view.findings:
        say(f"step {finding.task_id}: {finding.question} → {finding.answer or finding.missing}", style="dim")
    if row.decided_by:
        note = f": {row.note}" if row.note else ""
        say(f"{row.status.value} by {row.decided_by} at {row.decided_at[:16]}{note}")
    else:
        say(f"decide: assay reviews approve|correct|reject {row.run_id}", style="dim")
