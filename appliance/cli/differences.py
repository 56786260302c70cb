"""Changes between two versions, printed for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from appliance.cli.output import console, say, short_hash

if TYPE_CHECKING:
    from appliance.documents.diff import SectionChange
    from appliance.documents.inline import Piece
    from appliance.documents.text_diff import TextChange

STYLES = {"+": "green", "-": "red", "~": "yellow"}


def print_changes(found: list[SectionChange]) -> None:
    """Red what went, green what came; a changed paragraph once, old and new words in their place."""
    if not found:
        say("no differences")
    for each in found:
        _head(each)
        changed = [text for text in each.texts if text.change == "changed"]
        for text in changed:
            _inline(text)
        shown = {line for text in changed for line in _lines(text)}
        for line in each.lines:
            if line not in shown:
                say(f"  {line}", style=STYLES[line[0]])


def _head(each: SectionChange) -> None:
    sides = [
        ", ".join(map(short_hash, each.old_fingerprints)) or "—",
        ", ".join(map(short_hash, each.new_fingerprints)) or "—",
    ]
    also = [name for name, true in (("moved", each.moved), ("renamed", each.renamed)) if true]
    how = ", ".join(dict.fromkeys([each.change, *also]))
    name = each.section or "(no heading)"
    if each.old_section and each.old_section != each.new_section:
        name = f"{each.old_section} → {name}"
    say(f"{how}: {name}  [{sides[0]} → {sides[1]}]", style="bold")


def _inline(text: TextChange) -> None:
    line = Text("  ")
    for piece in text.pieces:
        line.append(_marked(piece), style={"insert": "green", "delete": "red strike"}.get(piece.op, ""))
    console().print(line)


def _marked(piece: Piece) -> str:
    """As ``wdiff`` writes it, so that it can be read without colours too."""
    return {"insert": f"{{+{piece.text}+}}", "delete": f"[-{piece.text}-]"}.get(piece.op, piece.text)


def _lines(text: TextChange) -> list[str]:
    old = [f"- {line}" for line in text.old.splitlines()]
    return old + [f"+ {line}" for line in text.new.splitlines()]
