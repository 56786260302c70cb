"""``assay search``: the funnel's answer with every stage's score."""

from __future__ import annotations

from typing import Annotated

import typer

from appliance.cli.connectors import show_external
from appliance.cli.ingesting import CollectionOption, JsonOption
from appliance.cli.output import print_json, say, short_hash
from appliance.cli.session import session_of, warn
from appliance.domain import ExternalRetrieval, Retrieval, Strategy

StrategyOption = Annotated[Strategy, typer.Option(help="Routes of recall.")]
SNIPPET_CHARS = 300


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(search)


def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="What to look for.")],
    collection: CollectionOption = "default",
    k: Annotated[int, typer.Option("--k", "-k", help="How many passages.")] = 10,
    strategy: StrategyOption = Strategy.AUTO,
    timings: Annotated[bool, typer.Option("--timings", help="Print milliseconds by part (stderr).")] = False,
    external: Annotated[bool, typer.Option("--external", help="Ask the external sources, too.")] = False,
    json: JsonOption = False,
) -> int:
    """Find passages. With --external, --json is one object: results, external, degraded."""
    from appliance.views import search_rows

    with session_of(context).appliance() as appliance:
        found = appliance.search(query, collection=collection, k=k, strategy=strategy)
        outside = appliance.search_external(query, k) if external else ExternalRetrieval()
    degraded = [*found.degraded, *outside.degraded]
    for part in degraded:
        warn(part)
    if json and external:
        print_json({"results": search_rows(found), "external": outside.hits, "degraded": degraded})
    elif json:
        print_json(search_rows(found))
    else:
        _show(found)
        show_external(outside)
    if timings:
        parts = " · ".join(f"{name} {value:.1f}" for name, value in found.timings_ms.items())
        typer.echo(f"ms: {parts}", err=True)
    return 0


def _show(found: Retrieval) -> None:
    if not found.hits:
        say("nothing found")
    for rank, hit in enumerate(found.hits, start=1):
        scores = {
            "dense": hit.dense_score,
            "lexical": hit.lexical_score,
            "fused": hit.fused_score,
            "rerank": hit.rerank_score,
        }
        shown = " ".join(f"{name} {value:.3f}" for name, value in scores.items() if value is not None)
        passage = hit.passage
        text = " ".join(passage.text.split())
        say(f"{rank}. {passage.title} › {passage.section_path}", style="bold")
        say(f"   {passage.record_id} · {short_hash(passage.fingerprint)} · {shown}", style="dim")
        say(f"   {text[:SNIPPET_CHARS]}{'…' if len(text) > SNIPPET_CHARS else ''}")
