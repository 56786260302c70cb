"""``assay domains``: the packs in use, what they hold, and what is wrong with a pack's file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from appliance.cli.ingesting import JsonOption
from appliance.cli.output import print_json, print_table, say
from appliance.cli.session import session_of

if TYPE_CHECKING:
    from appliance.domain import DomainPack

group = typer.Typer(help="Domain packs: what a field calls things.", no_args_is_help=True)
FAILED = 1


def register(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(group, name="domains")


@group.command("list")
def list_domains(context: typer.Context, json: JsonOption = False) -> int:
    """List the packs in use with their size."""
    from appliance.understanding.domains import load_packs
    from appliance.understanding.pack_check import counts_of

    counted = [counts_of(pack) for pack in load_packs(session_of(context).config().domains)]
    if json:
        print_json(counted)
        return 0
    columns = ("name", "title", "title_zh", "terms", "metrics", "forms", "colloquial", "sources")
    print_table(columns, [[getattr(each, column) for column in columns] for each in counted])
    return 0


@group.command()
def show(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Of a pack.", metavar="NAME")],
    term: Annotated[
        str | None, typer.Option(help="Only terms that this text is part of.", metavar="TEXT")
    ] = None,
    json: JsonOption = False,
) -> int:
    """Show what a pack holds: its terms, sources, rules."""
    from appliance.errors import NotFoundError
    from appliance.understanding.domains import load_packs

    packs = {pack.name: pack for pack in load_packs(session_of(context).config().domains)}
    if name not in packs:
        raise NotFoundError(f"no domain pack {name!r}", hint=f"there are: {', '.join(packs)}")
    pack = _narrowed(packs[name], term) if term else packs[name]
    if json:
        print_json(pack)
    else:
        _print_pack(pack, whole=term is None)
    return 0


@group.command()
def check(
    context: typer.Context,
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Files of packs, read beside those in use; none: those in use.", metavar="FILE…"),
    ] = None,
    json: JsonOption = False,
) -> int:
    """Check packs: fields, words of two terms, parts that do not exist. Exit code 1: there are faults."""
    from appliance.store.folding import fold
    from appliance.understanding.domains import pack_paths, read_packs
    from appliance.understanding.pack_check import check_pack, counts_of

    paths = list(pack_paths(session_of(context).config().domains))
    given = [path.expanduser().resolve() for path in files or []]
    packs, broken = read_packs([*(path for path in paths if path not in given), *given])
    faults = [fault for pack in packs for fault in check_pack(pack, fold=fold)]
    counted = [counts_of(pack) for pack in packs]
    if json:
        print_json({"packs": counted, "broken": [error.message for error in broken], "faults": faults})
        return FAILED if broken or faults else 0
    for each in counted:
        say(
            f"{each.name}: {each.terms} terms, {each.metrics} of them metrics, {each.forms} forms, "
            f"{each.colloquial} colloquial phrases, {each.sources} sources, {each.rules} rules"
        )
    for error in broken:
        say(str(error), style="bold red")
    for fault in faults:
        place = " ".join(
            part for part in (fault.pack, fault.entry and f"({fault.entry})", fault.field) if part
        )
        say(f"{place}: {fault.message}", style="red")
    say("no faults" if not broken and not faults else f"{len(broken) + len(faults)} faults")
    return FAILED if broken or faults else 0


def _narrowed(pack: DomainPack, text: str) -> DomainPack:
    import msgspec

    wanted = text.casefold()
    terms = tuple(
        term
        for term in pack.terms
        if any(wanted in word.casefold() for word in (term.name, term.zh, *term.forms, *term.colloquial))
    )
    return msgspec.structs.replace(pack, terms=terms)


def _print_pack(pack: DomainPack, *, whole: bool) -> None:
    if whole:
        say(f"{pack.name}: {pack.title} · {pack.title_zh}", style="bold")
        for source in pack.sources:
            say(f"source × {source.factor:g}: {', '.join(source.title)}")
        for rule in (*pack.rules, *pack.rules_zh):
            say(f"rule: {rule}")
        say(f"ended: {', '.join(pack.removal)}")
        say(f"announces changes: {', '.join(pack.change_titles)}")
    columns = ("term", "zh", "unit", "forms", "colloquial")
    print_table(
        columns,
        [
            (term.name, term.zh, term.unit, "; ".join(term.forms), "; ".join(term.colloquial))
            for term in pack.terms
        ],
    )
