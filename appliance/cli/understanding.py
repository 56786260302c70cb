"""``assay understand``: what is read in a question, before anything is searched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from appliance.cli.ingesting import JsonOption
from appliance.cli.output import print_json, say
from appliance.cli.session import session_of, warn

if TYPE_CHECKING:
    from appliance.domain import Reading

PERIOD = " (reporting period)"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(understand)


def understand(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="The question.")],
    as_of: Annotated[
        str, typer.Option("--as-of", help="Count “last quarter” from this day.", metavar="DATE")
    ] = "",
    domain: Annotated[str, typer.Option(help="Read it with this domain pack.", metavar="D")] = "",
    json: JsonOption = False,
) -> int:
    """Show how a question is read: its labels, times, constraints, facets and keywords."""
    import msgspec

    from appliance.questions import QuestionReader

    reading = QuestionReader(session_of(context).config().domains).read(question, as_of=as_of, domain=domain)
    for notice in reading.notices:
        warn(notice)
    if json:
        print_json(msgspec.to_builtins(reading))
        return 0
    for name, value in _lines(reading):
        if value:
            say(f"{name + ':':<13}{value}")
    return 0


def _lines(reading: Reading) -> Iterator[tuple[str, str]]:
    sure = f" ({reading.domain_confidence:.2f})" if reading.domain else ""
    yield "language", reading.language
    yield "domain", reading.domain + sure
    yield "asks for", str(reading.kind)
    signals = ("simple", "comparison", "removal", "recency")
    yield "signals", ", ".join(signal for signal in signals if getattr(reading, signal))
    yield from (
        (
            "time",
            f"{each.start or '…'} to {each.end or '…'}{PERIOD if each.fiscal else ''} ← {each.text}",
        )
        for each in reading.times
    )
    yield from (("constraint", f"{each.kind}: {each.value or each.text}") for each in reading.constraints)
    yield from (("entity", f"{each.text} ({each.kind})") for each in reading.entities)
    yield from (("term", f"{each.name} ← {each.text}") for each in reading.terms)
    yield from (("facet", each) for each in reading.facets)
    yield "keywords", " · ".join(reading.keywords)
