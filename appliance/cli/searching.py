"""``assay search``: the funnel's answer with every stage's score."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from appliance.cli.connectors import show_external
from appliance.cli.ingesting import CollectionOption, JsonOption
from appliance.cli.output import print_json, say, short_hash
from appliance.cli.session import session_of, warn
from appliance.domain import Filters, Hit, Retrieval, Strategy

StrategyOption = Annotated[Strategy, typer.Option(help="Routes of recall.")]
FilterOption = Annotated[
    str | None,
    typer.Option("--filter", help="Only what meets it: 'published>=2023 and section_type=risk'."),
]
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
    filter_: FilterOption = None,
    as_of: Annotated[
        str, typer.Option("--as-of", help="Day that “last year” is counted from.", metavar="DAY")
    ] = "",
    domain: Annotated[str, typer.Option(help="Domain pack to read the question with.")] = "",
    explain: Annotated[
        bool, typer.Option("--explain", help="Say how every result was found, and by what.")
    ] = False,
    timings: Annotated[bool, typer.Option("--timings", help="Print milliseconds by part (stderr).")] = False,
    external: Annotated[bool, typer.Option("--external", help="Ask the external sources, too.")] = False,
    json: JsonOption = False,
) -> int:
    """Find passages. With --external or --explain, --json is one object."""
    from appliance.cli.explaining import print_head, print_trace
    from appliance.views_search import search_result, search_rows

    filters = parsed_filter(filter_)
    with session_of(context).appliance() as appliance:
        found = appliance.search(
            query,
            collection=collection,
            k=k,
            strategy=strategy,
            filters=filters,
            as_of=as_of,
            domain=domain,
        )
        outside = appliance.search_external(query, k) if external else None
    for part in (
        *found.degraded,
        *(outside.degraded if outside else ()),
        *(found.notices if json or found.hits else ()),
    ):
        warn(part)
    if json:
        whole = search_result(found, explain=explain, outside=outside) if explain or external else None
        print_json(whole if whole is not None else search_rows(found))
    else:
        if explain:
            print_head(found)
        _show(found, print_trace if explain else None)
        if outside:
            show_external(outside)
    if timings:
        parts = " · ".join(f"{name} {value:.1f}" for name, value in found.timings_ms.items())
        typer.echo(f"ms: {parts}", err=True)
    return 0


def parsed_filter(text: str | None) -> Filters:
    """The option's conditions. Raises UserError: what is wrong, where, and what is known."""
    from appliance.retrieval.filter_language import parse_filter

    return () if text is None else parse_filter(text)


def _show(found: Retrieval, trace: Callable[[Retrieval, Hit], None] | None) -> None:
    if not found.hits:
        say("nothing found" + (f": {'; '.join(found.notices)}" if found.notices else ""))
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
        if trace:
            trace(found, hit)
