"""``assay connectors``: which search services outside may be asked, and one of them tried."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from appliance.cli.ingesting import JsonOption
from appliance.cli.output import print_json, print_table, say
from appliance.cli.session import session_of, warn
from appliance.domain import ExternalRetrieval

if TYPE_CHECKING:
    from appliance.config_connectors import Connectors, ExternalSourceSettings

group = typer.Typer(help="Search services outside this appliance (off by default).", no_args_is_help=True)
SNIPPET_CHARS = 300


class SourceRow(msgspec.Struct, frozen=True, kw_only=True):
    """One line of ``connectors list --json``."""

    name: str
    kind: str
    host: str
    key_env: str
    """Name of the variable that holds the key; empty: no key."""
    state: str
    """``ready``, or why it cannot be asked."""


def register(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(group, name="connectors")


@group.command("list")
def list_sources(context: typer.Context, json: JsonOption = False) -> int:
    """List the configured sources; nothing is sent to them."""
    settings = session_of(context).config().connectors
    rows = [_row(source, settings) for source in settings.sources]
    if json:
        print_json(rows)
    elif rows:
        cells = [(row.name, row.kind, row.host, row.key_env, row.state) for row in rows]
        print_table(("name", "kind", "host", "key", "state"), cells)
    else:
        say("no source is configured: see [connectors] in configs/default.toml")
    return 0


@group.command("test")
def try_source(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Name of the source.")],
    query: Annotated[str, typer.Argument(help="What to look for; it is sent to the source.")],
    k: Annotated[int, typer.Option("--k", "-k", help="How many results.")] = 5,
    json: JsonOption = False,
) -> int:
    """Ask one source and show what it answers. Exit code 1 where it does not."""
    from appliance.connectors import open_source
    from appliance.errors import NotFoundError
    from appliance.external import ExternalSearch

    settings = session_of(context).config().connectors
    chosen = next((source for source in settings.sources if source.name == name), None)
    if chosen is None:
        known = ", ".join(source.name for source in settings.sources) or "none is configured"
        raise NotFoundError(f"there is no source {name!r}", hint=f"connectors.sources: {known}")
    found = ExternalSearch([open_source(chosen, settings)], settings).search(query, k)
    for part in found.degraded:
        warn(part)
    if json:
        print_json(found)
    else:
        show_external(found)
        if not found.hits:
            say("nothing found")
        say(" · ".join(f"{source} {spent:.0f} ms" for source, spent in found.timings_ms.items()), style="dim")
    return 1 if found.degraded and not found.hits else 0


def show_external(found: ExternalRetrieval) -> None:
    """The hits as lines for people, marked as what they are."""
    for number, hit in enumerate(found.hits, start=1):
        dated = f"published {hit.published} · " if hit.published else ""
        say(f"external {number}. {hit.title}", style="bold")
        say(
            f"   {hit.source} · {dated}fetched {hit.fetched_at}{' · ' if hit.url else ''}{hit.url}",
            style="dim",
        )
        if hit.text:
            say(f"   {hit.text[:SNIPPET_CHARS]}{'…' if len(hit.text) > SNIPPET_CHARS else ''}")


def _row(source: ExternalSourceSettings, settings: Connectors) -> SourceRow:
    from appliance.connectors.endpoints import HOSTED_URLS, allowed_endpoint, endpoint_of
    from appliance.errors import ConfigError

    state = "ready"
    try:
        allowed_endpoint(source, settings)
    except ConfigError as error:
        state = str(error)
    if state == "ready" and source.key_env and not os.environ.get(source.key_env, "").strip():
        state = f"the environment variable {source.key_env} is not set"
    try:
        host = endpoint_of(source.url or HOSTED_URLS.get(source.kind, "")).host
    except ValueError:
        host = ""
    return SourceRow(name=source.name, kind=source.kind, host=host, key_env=source.key_env, state=state)
