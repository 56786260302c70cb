"""``assay documents set``, ``delete`` and ``erase``: what a document is said to be, and its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from appliance.cli import metadata as fields
from appliance.cli.ingesting import JsonOption
from appliance.cli.output import print_json, say
from appliance.cli.session import session_of
from appliance.errors import UserError

if TYPE_CHECKING:
    from appliance.domain import DocumentRecord

NameArgument = Annotated[str, typer.Argument(help="Document id, declared id or record id.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
WithinOption = Annotated[str | None, typer.Option("--collection", "-c", help="Only in this collection.")]


def register(group: typer.Typer) -> None:
    """Add the commands."""
    group.command("set")(set_metadata)
    group.command()(delete)
    group.command()(erase)


def set_metadata(
    context: typer.Context,
    name: NameArgument,
    collection: WithinOption = None,
    owner: fields.Owner = None,
    contact: fields.Contact = None,
    authority: fields.AuthorityLevel = None,
    classification: fields.Confidentiality = None,
    effective_from: fields.EffectiveFrom = None,
    effective_to: fields.EffectiveTo = None,
    review_by: fields.ReviewBy = None,
    published: fields.Published = None,
    group: fields.Groups = None,
    deny: fields.Denies = None,
    register: fields.Registers = None,
    tag: fields.Tags = None,
    document_id: fields.DeclaredId = None,
    clear: Annotated[
        list[str] | None, typer.Option("--clear", help="Empty this field; repeatable.", metavar="FIELD")
    ] = None,
    json: JsonOption = False,
) -> int:
    """Set what a document is; nothing is embedded again. Lists replace the ones there were."""
    change = fields.change_of(
        clear,
        owner=owner,
        contact=contact,
        authority=authority,
        classification=classification,
        effective_from=effective_from,
        effective_to=effective_to,
        review_by=review_by,
        published=published,
        groups=group,
        deny=deny,
        registers=register,
        tags=tag,
        document_id=document_id,
    )
    if not change.given():
        raise UserError("nothing to set", hint="give at least one option; see --help")
    with session_of(context).appliance() as appliance:
        scope = appliance.scope(collection=collection)
        document = appliance.repositories.documents.find(name, scope)
        described, learn = appliance.repositories.documents.describe(document.id, change, scope)
        if learn:
            appliance.ingestor.refresh(document.collection)
    if json:
        print_json(described)
    else:
        say(f"set {', '.join(change.given())} of {document.id}")
    return 0


def delete(
    context: typer.Context, name: NameArgument, collection: WithinOption = None, yes: YesOption = False
) -> int:
    """Forget a document with all its versions, passages and originals; `erase` also clears every trace."""
    with session_of(context).appliance() as appliance:
        scope = appliance.scope(collection=collection)
        document = appliance.repositories.documents.find(name, scope)
        _confirm("delete", document, yes)
        gone = appliance.ingestor.delete(document.id, scope)
    say(f"deleted {document.id}: {gone} passages")
    return 0


def erase(
    context: typer.Context,
    name: NameArgument,
    collection: WithinOption = None,
    yes: YesOption = False,
    json: JsonOption = False,
) -> int:
    """Remove every trace of a document, quotations in answers too, and tell what went and what remains."""
    from appliance.cli.describing import print_erasure

    with session_of(context).appliance() as appliance:
        scope = appliance.scope(collection=collection)
        document = appliance.repositories.documents.find(name, scope)
        _confirm("erase", document, yes)
        report = appliance.ingestor.erase(document.id, scope)
    if json:
        print_json(report)
    else:
        print_erasure(report)
    return 0


def _confirm(verb: str, document: DocumentRecord, yes: bool) -> None:
    if not yes:
        what = f"{document.title!r} ({document.record_id}) and its {document.version} version(s)"
        typer.confirm(f"{verb} {what}?", abort=True, err=True)
