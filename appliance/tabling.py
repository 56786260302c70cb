"""A passage's table to what it says by code: a calculation, figures side by side, years counted.

Beside steps. Arrives: a question and a passage with a table. Leaves: the result with the cells that carry it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from appliance.domain import Claim, ClaimKind, Passage, Struct
from appliance.reasoning.tools.derive import derive
from appliance.reasoning.tools.grid import Figure
from appliance.reasoning.tools.table_list import asks_list, listed_over_table
from appliance.reasoning.tools.table_reader import compute_over_table

_SCALED = re.compile(r"[^.。\n]*(?:\bin (?:thousands|millions|billions)\b|单位[:：])[^.。\n]*", re.I)
_NAMED = re.compile(
    r"^(?:in |for |during |on )?(?:which|who|whom|whose|why|where|when|what (?:year|quarter|month)s?)\b"
    r"|哪|谁|为什么|何时",
    re.IGNORECASE,
)


class FromTable(Struct, frozen=True, kw_only=True):
    """What a table says."""

    passage: Passage
    operands: tuple[Figure, ...]
    expression: str
    """Over the operands, numbered from 1; empty where nothing is computed."""
    text: str
    """The answer."""
    line: str
    """It with the figures or names that it comes from."""

    def claim(self) -> Claim:
        """The line, cited, with the row that the first operand stands in."""
        label = self.operands[0].row_label.strip()
        rows = (line for line in self.passage.text.split("\n") if line.startswith("|"))
        return Claim(
            text=self.line,
            kind=ClaimKind.INFERENCE,
            citations=(self.passage.fingerprint,),
            quote=next((row for row in rows if label and label in row), ""),
        )


def asks_table(question: str) -> bool:
    """Return whether the cells of one table may answer; not where a period or a name is asked for."""
    return not _NAMED.search(question) and (derive(question) is not None or asks_list(question))


def from_table(question: str, passage: Passage, said: str) -> FromTable | None:
    """Return what the passage's first table gives to a question, or None in doubt; ``said``: words around."""
    made = compute_over_table(question, passage.text, around=said, named=f"{passage.label} {passage.title}")
    if made is not None:
        return FromTable(
            passage=passage,
            operands=made.operands,
            expression=made.expression,
            text=made.text,
            line=made.line,
        )
    listed = listed_over_table(question, passage.text, around=said)
    if listed is None:
        return None
    return FromTable(
        passage=passage, operands=listed.figures, expression="", text=listed.text, line=listed.line
    )


def around(passage: Passage, passages: Iterable[Passage]) -> str:
    """Return what the document says of its tables' figures: the section, sentences that name a scale."""
    beside = [one.text for one in passages if one.document_id == passage.document_id and one is not passage]
    return " ".join([passage.section_path, *(found for text in beside for found in _SCALED.findall(text))])
