"""``assay knowledge``: what earlier questions found out, entity by entity, with its sources."""

from __future__ import annotations

from typing import Annotated

import typer

from appliance.cli.ingesting import CollectionOption, JsonOption
from appliance.cli.output import print_json, print_table, say, short_hash
from appliance.cli.session import session_of

group = typer.Typer(help="What earlier questions found out.", no_args_is_help=True)
Limit = Annotated[int, typer.Option(min=1, max=1000, help="Rows of a page.")]
Offset = Annotated[int, typer.Option(min=0, help="Rows to pass over.")]


def register(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(group, name="knowledge")


@group.command("list")
def list_entities(
    context: typer.Context,
    collection: CollectionOption = "default",
    limit: Limit = 50,
    offset: Offset = 0,
    json: JsonOption = False,
) -> int:
    """List what something is known of, those with most first."""
    from appliance.views_knowledge import entity_page

    with session_of(context).appliance() as appliance:
        appliance.repositories.collections.get(collection)
        scope = appliance.scope(collection=collection)
        rows = appliance.knowledge.edges.entities(scope, limit=limit + 1, offset=offset)
    page = entity_page(rows, limit=limit, offset=offset)
    if json:
        print_json(page)
    else:
        print_table(("entity", "known"), [(row.name, row.edges) for row in page.entities])
        _say_more(page.more, offset + limit)
    return 0


@group.command()
def show(
    context: typer.Context,
    entity: Annotated[str, typer.Argument(help="A name, in any spelling.")],
    collection: CollectionOption = "default",
    limit: Limit = 50,
    offset: Offset = 0,
    json: JsonOption = False,
) -> int:
    """Show what is known of an entity, newest first, with the passages that say so."""
    from appliance.views_knowledge import edge_page

    with session_of(context).appliance() as appliance:
        appliance.repositories.collections.get(collection)
        scope = appliance.scope(collection=collection)
        edges = appliance.knowledge.edges.of_entity(scope, entity, limit=limit + 1, offset=offset)
    page = edge_page(entity, edges, limit=limit, offset=offset)
    if json:
        print_json(page)
        return 0
    rows = [
        (
            edge.subject,
            edge.relation,
            edge.object,
            edge.period,
            " ".join(short_hash(source) for source in edge.sources),
            edge.learned_at[:10],
        )
        for edge in page.edges
    ]
    print_table(("of", "asked", "known", "period", "passages", "learned"), rows)
    _say_more(page.more, offset + limit)
    return 0


@group.command()
def forget(
    context: typer.Context,
    entity: Annotated[str | None, typer.Argument(help="A name; none: everything.")] = None,
    collection: CollectionOption = "default",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    json: JsonOption = False,
) -> int:
    """Forget what is known of an entity, or all; documents and runs stay."""
    with session_of(context).appliance() as appliance:
        appliance.repositories.collections.get(collection)
        if not yes:
            typer.confirm(f"Forget {entity or f'all that is known in {collection}'}?", abort=True, err=True)
        gone = appliance.knowledge.edges.forget(collection, entity=entity)
    if json:
        print_json({"removed": gone})
    else:
        say(f"{gone:,} forgotten")
    return 0


def _say_more(more: bool, following: int) -> None:
    if more:
        say(f"there is more: --offset {following}")
