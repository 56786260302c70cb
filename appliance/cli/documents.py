"""``assay documents``, ``assay collections``, ``assay passage``: what the store holds, and what changed."""

from __future__ import annotations

import datetime
from typing import Annotated

import typer

from appliance.cli.ingesting import JsonOption
from appliance.cli.output import print_json, print_table
from appliance.cli.session import session_of

group = typer.Typer(help="Documents and their versions.", no_args_is_help=True)
NameArgument = Annotated[str, typer.Argument(help="Document id, declared id or record id.")]
WithinOption = Annotated[str | None, typer.Option("--collection", "-c", help="Only in this collection.")]


def register(app: typer.Typer) -> None:
    """Add the group and the two commands."""
    from appliance.cli import citing, curating

    curating.register(group)
    app.add_typer(group, name="documents")
    app.command()(collections)
    app.command()(citing.passage)


@group.command("list")
def list_documents(
    context: typer.Context,
    collection: WithinOption = None,
    limit: Annotated[int, typer.Option(min=1)] = 100,
    offset: Annotated[int, typer.Option(min=0)] = 0,
    due: Annotated[bool, typer.Option("--due", help="Only those whose review is overdue.")] = False,
    json: JsonOption = False,
) -> int:
    """List documents."""
    today = datetime.datetime.now(datetime.UTC).date().isoformat() if due else None
    with session_of(context).appliance() as appliance:
        if collection:
            appliance.repositories.collections.get(collection)
        scope = appliance.scope(collection=collection)
        found = appliance.repositories.documents.list(scope, limit=limit, offset=offset, due=today)
        total = appliance.repositories.documents.count(scope, due=today)
    if json:
        print_json(found)
        return 0
    if due:
        rows = [(d.metadata.review_by, d.id, d.record_id, d.title, d.metadata.owner) for d in found]
        print_table(("review by", "id", "record", "title", "owner"), rows)
    else:
        rows = [(d.id, d.record_id, d.title, d.language, d.version, d.passages, d.published) for d in found]
        print_table(("id", "record", "title", "language", "version", "passages", "published"), rows)
    if total > offset + len(found):
        typer.echo(f"{len(found)} of {total:,}; --offset {offset + len(found)} shows the next", err=True)
    return 0


@group.command()
def show(
    context: typer.Context, name: NameArgument, collection: WithinOption = None, json: JsonOption = False
) -> int:
    """Show what a document is, what was read and what was doubtful, its versions and passages."""
    from appliance.cli.describing import print_document

    with session_of(context).appliance() as appliance:
        scope = appliance.scope(collection=collection)
        document = appliance.repositories.documents.find(name, scope)
        dossier = appliance.dossier(document, scope)
        passages = appliance.passages.of_document(document.id, document.version, scope)
    if json:
        print_json(
            {
                "document": document,
                "freshness": dossier.freshness,
                "report": dossier.report,
                "versions": dossier.versions,
                "passages": passages,
            }
        )
    else:
        print_document(dossier, passages)
    return 0


@group.command()
def versions(
    context: typer.Context, name: NameArgument, collection: WithinOption = None, json: JsonOption = False
) -> int:
    """List a document's versions."""
    with session_of(context).appliance() as appliance:
        scope = appliance.scope(collection=collection)
        document = appliance.repositories.documents.find(name, scope)
        found = appliance.repositories.documents.versions(document.id, scope)
    if json:
        print_json(found)
    else:
        rows = [
            (
                each.version,
                each.edition,
                each.published,
                each.effective_from,
                each.effective_to,
                each.ingested_at[:16],
                each.passages,
                each.source_record,
                each.content_sha256[:12],
            )
            for each in found
        ]
        columns = ("version", "edition", "published", "from", "to", "ingested", "passages", "file", "sha256")
        print_table(columns, rows)
    return 0


@group.command()
def diff(
    context: typer.Context,
    name: NameArgument,
    first: Annotated[
        str | None, typer.Argument(help="The older version, or another document.", metavar="[V1|OTHER]")
    ] = None,
    second: Annotated[int | None, typer.Argument(help="The newer version.", metavar="[V2]")] = None,
    old: Annotated[int | None, typer.Option("--from", help="Version; default: the one before.")] = None,
    new: Annotated[int | None, typer.Option("--to", help="Version; default: the newest.")] = None,
    collection: WithinOption = None,
    json: JsonOption = False,
) -> int:
    """Compare two versions (or two documents) clause by clause, with the fingerprints of both sides."""
    from appliance.cli.differences import print_changes

    numbered = first is not None and first.isdecimal()
    with session_of(context).appliance() as appliance:
        changes = appliance.comparer.compare(
            name,
            appliance.scope(collection=collection),
            other=None if numbered else first,
            old=int(first) if first is not None and numbered else old,
            new=second if second is not None else new,
        )
    if json:
        print_json(changes)
    else:
        print_changes(changes)
    return 0


def collections(context: typer.Context, json: JsonOption = False) -> int:
    """List collections."""
    with session_of(context).appliance() as appliance:
        found = appliance.repositories.collections.list()
    if json:
        print_json(found)
    else:
        rows = [(c.name, c.documents, c.embedder, c.created_at[:16]) for c in found]
        print_table(("collection", "documents", "embedder", "made"), rows)
    return 0
