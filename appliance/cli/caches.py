"""``assay cache``: how often kept results were used, and throwing them away."""

from __future__ import annotations

from typing import Annotated

import typer

from appliance.cli.ingesting import JsonOption
from appliance.cli.output import print_json, print_table, say
from appliance.cli.session import session_of
from appliance.store.cache_counts import Kind

group = typer.Typer(help="Kept results of searches and questions.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(group, name="cache")


@group.command()
def stats(context: typer.Context, json: JsonOption = False) -> int:
    """Show how full the caches are, and how often they had what was asked for."""
    with session_of(context).appliance() as appliance:
        report = appliance.cache_report()
    if json:
        print_json(report)
        return 0
    state = "on" if report.enabled else "off (cache.enabled)"
    say(f"{state}; {report.disk_entries:,} results on disk, {report.disk_bytes / 1e6:,.1f} MB")
    rows = [
        (one.kind.value, one.asked, f"{one.hit_rate:.1%}", one.memory, one.disk, one.miss, one.refused)
        for one in report.kinds
    ]
    print_table(("kind", "asked", "answered", "memory", "disk", "missed", "refused"), rows)
    return 0


@group.command()
def clear(
    context: typer.Context,
    kind: Annotated[Kind | None, typer.Option(help="Only this kind.")] = None,
    collection: Annotated[str | None, typer.Option(help="Only of this collection.", metavar="NAME")] = None,
    counts: Annotated[bool, typer.Option("--counts", help="Begin counting anew, too.")] = False,
    json: JsonOption = False,
) -> int:
    """Throw kept results away. Vectors stay: they are no results."""
    with session_of(context).appliance() as appliance:
        gone = appliance.tiers.forget(collection=collection, kind=kind)
        appliance.tiers.compact()
        if counts:
            appliance.tiers.counts.forget()
    if json:
        print_json({"removed": gone})
    else:
        say(f"{gone:,} kept results thrown away")
    return 0
