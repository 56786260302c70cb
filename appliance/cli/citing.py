"""``assay passage``: what a citation points to, in its context, checked at that moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from appliance.cli.ingesting import JsonOption
from appliance.cli.output import console, harmless, print_json, say, short_hash
from appliance.cli.session import session_of, warn

if TYPE_CHECKING:
    from appliance.views_passage import PassageView


def passage(
    context: typer.Context,
    fingerprint: Annotated[str, typer.Argument(help="Fingerprint, or 8 or more digits of its hash.")],
    claim: Annotated[str, typer.Option(help="Mark where the passage says so.")] = "",
    run: Annotated[str, typer.Option(help="The same for a claim of this run …")] = "",
    index: Annotated[int | None, typer.Option(min=0, help="… which is the n-th, from 0.")] = None,
    json: JsonOption = False,
) -> int:
    """Show the passage behind a citation. Exit code 1: it, or its original, is not what it was."""
    from appliance.citing import ClaimAsked
    from appliance.domain import Fingerprint
    from appliance.views_passage import IntegrityState

    with session_of(context).appliance() as appliance:
        asked = ClaimAsked(text=claim, run=run, index=index)
        found = appliance.citer.cite(
            Fingerprint(fingerprint), appliance.scope(), asked=asked, user=appliance.principal.user
        )
    if json:
        print_json(found)
    else:
        _show(found)
    for fault in found.integrity.faults:
        warn(fault)
    return 0 if found.integrity.state is IntegrityState.OK else 1


def _show(found: PassageView) -> None:
    document = found.document
    say(" › ".join(found.heading), style="bold")
    pages = dict.fromkeys(str(page) for page in (found.page_first, found.page_last) if page is not None)
    where = [f"p. {'–'.join(pages)}"] if pages else []
    source = [
        document.record_id,
        document.collection,
        *where,
        *([found.published] if found.published else []),
    ]
    say(" · ".join([*source, f"version {found.version}"]), style="dim")
    say(f"{found.fingerprint} · {found.status.said} · source {found.integrity.state.value}", style="dim")
    for each in found.before:
        say(f"… {_one_line(each.text)}", style="dim")
    _text(found)
    for each in found.after:
        say(f"{_one_line(each.text)} …", style="dim")
    for span in found.highlights:
        say(f"» {_one_line(found.text[span.start : span.end])}", style="bold")
    if found.claim and not found.highlights:
        say("no sentence of it bears on the claim")
    for other in found.versions:
        there = short_hash(other.fingerprint) if other.fingerprint else "no such passage"
        same = " (the same)" if other.same else ""
        say(
            f"version {other.version}{f' {other.edition}' if other.edition else ''}: {there}{same}",
            style="dim",
        )
    if found.contact.owner or found.contact.contact:
        named = (found.contact.owner, found.contact.contact)
        say(f"contact: {', '.join(part for part in named if part)}", style="dim")
    for link in found.registers:
        say(f"{link.register} {link.number}: {link.url}", style="dim")


def _text(found: PassageView) -> None:
    """The passage, what is highlighted in bold at a terminal."""
    from rich.text import Text

    # A character for a character, so that the spans still fit.
    shown = Text("".join(harmless(char) or " " for char in found.text))
    for span in found.highlights:
        shown.stylize("bold reverse", span.start, span.end)
    console().print(shown)


def _one_line(text: str, most: int = 300) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
