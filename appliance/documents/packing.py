"""Where a row of text units is cut into passages: the cheapest set of cuts, by dynamic programming."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from appliance.domain import BlockKind


class Unit(msgspec.Struct, frozen=True, kw_only=True):
    """The smallest thing a passage holds: a block, a sentence, a table row or a piece of one."""

    text: str
    tokens: int
    kind: BlockKind = BlockKind.PARAGRAPH
    page: int | None = None
    glue: str = ""
    """What stands between the unit before it and this one."""
    cut_cost: float = 0.0
    """What it costs to begin a passage here: 0 at a block, more inside one."""
    lead: str = ""
    """Put in front of a passage that begins with this unit: a table's caption and header."""
    lead_tokens: int = 0


BLOCK_CUT, SENTENCE_CUT, FORCED_CUT = 0.0, 0.15, 0.6
PASSAGE_COST = 1.0
SHORT_COST = 2.0
"""Cost of an empty passage under the minimum; falls with the square of what is missing."""


def pack(units: Sequence[Unit], min_tokens: int, max_tokens: int) -> list[list[Unit]]:
    """Runs of units of at most ``max_tokens``, as few and as even as the borders allow.

    Costs: one per passage, a penalty for one under ``min_tokens``, the cost of each cut. The first of
    equal solutions is taken, so that the same units always give the same passages.
    """
    if sum(unit.tokens for unit in units) + (units[0].lead_tokens if units else 0) <= max_tokens:
        return [list(units)] if units else []
    best = [0.0] + [float("inf")] * len(units)
    came = [0] * (len(units) + 1)
    for start, first in enumerate(units):
        tokens = first.lead_tokens
        base = best[start] + (first.cut_cost if start else 0.0) + PASSAGE_COST
        for end in range(start, len(units)):
            tokens += units[end].tokens
            if tokens > max_tokens and end > start:
                break
            missing = max(0.0, (min_tokens - tokens) / min_tokens)
            cost = base + SHORT_COST * missing * missing
            if cost < best[end + 1] - 1e-9:
                best[end + 1] = cost
                came[end + 1] = start
    runs: list[list[Unit]] = []
    end = len(units)
    while end:
        runs.append(list(units[came[end] : end]))
        end = came[end]
    return runs[::-1]
