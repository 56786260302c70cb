"""``assay documents``, ``assay collections``, ``assay passage``: what the store holds, and what changed."""

from __future__ import annotations

from typing import Annotated

import typer

from appliance.cli.ingesting import JsonOption
from appliance.cli.output import print_json, print_table, say, short_hash
from appliance.cli.session import session_of

group = typer.Typer(help="Documents and their versions.", no_args_is_help=True)
NameArgument = Annotated[str, typer.Argument(help="Document id or record id.")]
WithinOption = Annotated[str | None, typer.Option("--collection", "-c", help="Only in this collection.")]


def register(app: typer.Typer) -> None:
    """Add the group and the two commands."""
    app.add_typer(group, name="documents")
    app.command()(collections)
    app.command()(passage)


@group.command("list")
def list_documents(
    context: typer.Context,
    collection: WithinOption = None,
    limit: Annotated[int, typer.Option(min=1)] = 100,
    offset: Annotated[int, typer.Option(min=0)] = 0,
    json: JsonOption = False,
) -> int:
    """List documents."""
    with session_of(context).appliance() as appliance:
        if collection:
            appliance.repositories.collections.get(collection)
        scope = appliance.scope(collection=collection)
        found = appliance.repositories.documents.list(scope, limit=limit, offset=offset)
        total = appliance.repositories.documents.count(scope)
    if json:
        print_json(found)
        return 0
    rows = [(d.id, d.record_id, d.title, d.language, d.version, d.passages, d.published) for d in found]
    print_table(("id", "record", "title", "language", "version", "passages", "published"), rows)
    if total > offset + len(found):
        typer.echo(f"{len(found)} of {total:,}; --offset {offset + len(found)} shows the next", err=True)
    return 0


@group.command()
def show(
    context: typer.Context, name: NameArgument, collection: WithinOption = None, json: JsonOption = False
) -> int:
    """Show a document's sections and passages."""
    with session_of(context).appliance() as appliance:
        scope = appliance.scope(collection=collection)
        document = appliance.repositories.documents.find(name, scope)
        passages = appliance.passages.of_document(document.id, document.version, scope)
    if json:
        print_json({"document": document, "passages": passages})
        return 0
    say(f"{document.title}", style="bold")
    say(
        f"{document.id} · {document.record_id} · {document.collection} · version {document.version} ·"
        f" {document.format} · {document.language} · {document.published or 'no date'}",
        style="dim",
    )
    for each in passages:
        page = f" p. {each.page_first}" if each.page_first is not None else ""
        say(f"{short_hash(each.fingerprint)}{page}  {each.section_path}  ({each.token_count} tokens)")
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
        rows = [(v.version, v.ingested_at, v.published, v.passages, v.content_sha256[:12]) for v in found]
        print_table(("version", "ingested", "published", "passages", "sha256"), rows)
    return 0


@group.command()
def diff(
    context: typer.Context,
    name: NameArgument,
    other: Annotated[str | None, typer.Argument(help="Another document; else an earlier version.")] = None,
    old: Annotated[int | None, typer.Option("--from", help="Version; default: the one before.")] = None,
    new: Annotated[int | None, typer.Option("--to", help="Version; default: the newest.")] = None,
    collection: WithinOption = None,
    json: JsonOption = False,
) -> int:
    """Compare two versions (or two documents) section by section, with the fingerprints of both sides."""
    from appliance.cli.differences import compare, print_changes

    with session_of(context).appliance() as appliance:
        changes = compare(
            appliance, appliance.scope(collection=collection), (name, other or name), (old, new)
        )
    if json:
        print_json(changes)
    else:
        print_changes(changes)
    return 0


@group.command()
def delete(
    context: typer.Context,
    name: NameArgument,
    collection: WithinOption = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> int:
    """Forget a document with all its versions and passages."""
    with session_of(context).appliance() as appliance:
        scope = appliance.scope(collection=collection)
        document = appliance.repositories.documents.find(name, scope)
        if not yes:
            question = (
                f"delete {document.title!r} ({document.record_id}) and its {document.version} version(s)?"
            )
            typer.confirm(question, abort=True, err=True)
        gone = appliance.repositories.documents.delete(document.id, scope)
        appliance.ingestor.settle(document.collection)
    say(f"deleted {document.id}: {len(gone)} passages")
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


def passage(
    context: typer.Context,
    fingerprint: Annotated[str, typer.Argument(help="Fingerprint, or 8 or more digits of its hash.")],
    json: JsonOption = False,
) -> int:
    """Show the passage behind a citation."""
    from appliance.cli.transcript import source_line
    from appliance.domain import Fingerprint

    with session_of(context).appliance() as appliance:
        found = appliance.passages.by_fingerprint(Fingerprint(fingerprint), appliance.scope())
    if json:
        print_json(found)
        return 0
    say(source_line(found), style="bold")
    say(
        f"{found.fingerprint} · {found.record_id} · {found.collection} · version {found.version}", style="dim"
    )
    say(found.text)
    return 0
