"""Located pieces to what is kept of them: sentences, rows and clauses under a budget, with nothing half said.

Arrives: pieces and how much each bears on the task. Leaves: what is shown of each row and sentence. No model
is asked. The guard compares the facts of what was kept with what is shown: where a figure, unit, date, name,
denial or condition is missing, the whole sentence is shown instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from appliance.domain import Struct
from appliance.evidence.bounds import CONDITION
from appliance.evidence.clauses import Range
from appliance.evidence.facts import lost
from appliance.evidence.pieces import Piece, company, flat, followers

LINES_MAX = 9
TOKENS_PER_LINE = 26
"""A larger budget than :data:`LINES_MAX` such lines is filled with more lines."""
WHOLE_SHARE = 2
"""A sentence of no more than this part of the budget (a half) is kept whole."""
PARTS_MAX = 24
ELISION = " … "


class Kept(Struct, frozen=True, kw_only=True):
    """One row or sentence, and what is shown of it."""

    piece: Piece
    """The first that was chosen of it."""
    shown: str
    raw: str
    parts: tuple[int, ...]
    """The chosen pieces of it, by index."""


def select(
    pieces: Sequence[Piece], bearing: Sequence[float], costs: Sequence[int], budget_tokens: int
) -> list[int]:
    """Return the pieces that are kept, in reading order; each brings what it cannot be read without.

    The best one is kept whatever it costs. ``costs``: tokens of each as it is shown.
    """
    most = max(LINES_MAX, budget_tokens // TOKENS_PER_LINE)
    chosen: set[int] = set()
    spent = 0
    for index in sorted(range(len(pieces)), key=lambda i: (-bearing[i], i)):
        if index in chosen:
            continue
        siblings = _siblings(pieces, index, costs, budget_tokens // WHOLE_SHARE)
        together = dict.fromkeys((*company(pieces, index), index, *siblings))
        wanted = [i for i in together if i not in chosen]
        cost = sum(costs[i] for i in wanted)
        if spent + cost > budget_tokens and chosen:
            continue
        chosen.update(wanted)
        spent += cost
        for i in followers(pieces, index):
            if i not in chosen and spent + costs[i] <= budget_tokens:
                chosen.add(i)
                spent += costs[i]
        if len({(pieces[i].rank, pieces[i].whole) for i in chosen}) >= most:
            break
    return sorted(chosen)


def _siblings(pieces: Sequence[Piece], index: int, costs: Sequence[int], most: int) -> list[int]:
    """The other parts of a parted sentence, where all of it costs no more than ``most`` tokens."""
    piece = pieces[index]
    if not piece.parted:
        return []
    parts = [
        i
        for i in range(max(0, index - PARTS_MAX), min(len(pieces), index + PARTS_MAX))
        if pieces[i].passage.id == piece.passage.id and pieces[i].whole == piece.whole
    ]
    return parts if sum(costs[i] for i in parts) <= most else []


def rendered(pieces: Sequence[Piece], chosen: Sequence[int]) -> list[Kept]:
    """Return the chosen pieces as rows and sentences: the parts of one sentence together, gaps marked."""
    groups: dict[tuple[int, int], list[int]] = {}
    for index in chosen:
        piece = pieces[index]
        groups.setdefault((int(piece.passage.id), piece.whole[0]), []).append(index)
    made: list[Kept] = []
    for parts in groups.values():
        first = pieces[parts[0]]
        if not first.parted:
            made.append(Kept(piece=first, shown=first.shown, raw=first.raw, parts=tuple(parts)))
            continue
        spans = [(pieces[i].start, pieces[i].end) for i in parts]
        if first.lead and first.lead not in spans:
            spans.insert(0, first.lead)
        shown = guarded(first.passage.text, first.whole, spans)
        made.append(Kept(piece=first, shown=shown, raw=first.raw, parts=tuple(parts)))
    return made


def guarded(text: str, whole: Range, spans: Sequence[Range]) -> str:
    """Return the spans of a sentence, gaps marked, or all of it where a fact of theirs would be lost."""
    kept = flat(" ".join(text[start:end] for start, end in spans))
    shown = joined(text, whole, spans)
    if lost(kept, shown) or _unbound(text, whole, spans):
        return flat(text[whole[0] : whole[1]])
    return shown


def joined(text: str, whole: Range, spans: Sequence[Range]) -> str:
    """Return the spans in order; ``…`` stands where something between or around them is left out."""
    shown = ""
    at = whole[0]
    for start, end in sorted(spans):
        gap = bool(text[at:start].strip())
        spaced = bool(shown) and not gap and text[start - 1].isspace()
        shown += (ELISION if gap else " " if spaced else "") + flat(text[start:end])
        at = max(at, end)
    return (shown + (ELISION if text[at : whole[1]].strip() else "")).strip()


def _unbound(text: str, whole: Range, spans: Sequence[Range]) -> bool:
    """Whether a condition that the sentence closes with ("… unless …", 「…，除非…」) would be left out."""
    last = max(end for _, end in spans)
    rest = text[last : whole[1]].lstrip(" ，,；;\n")
    return bool(CONDITION.match(rest)) and not text[last - 1 : last + 1].strip().startswith(("；", ";"))


def compressed(
    pieces: Sequence[Piece],
    bearing: Sequence[float],
    *,
    budget_tokens: int,
    count: Callable[[Sequence[str]], list[int]],
) -> list[Kept]:
    """Return what is kept of the pieces under ``budget_tokens``, in reading order."""
    costs = count([piece.shown for piece in pieces])
    return rendered(pieces, select(pieces, bearing, costs, budget_tokens))
