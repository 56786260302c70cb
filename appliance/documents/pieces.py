"""Blocks to units that fit a passage: a block that fits whole, else its sentences, else pieces of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec

from appliance.documents.packing import BLOCK_CUT, FORCED_CUT, SENTENCE_CUT, Unit
from appliance.documents.sentences import split_sentences
from appliance.documents.tables import split_table
from appliance.domain import Block

Counter = Callable[[Sequence[str]], list[int]]
"""Tokens of each text by the embedder's tokenizer."""
_Counted = list[tuple[str, int]]
"""Pieces of one text with their tokens."""
PIECES_PER_LIMIT = 6
"""An over-long sentence is cut into pieces of a sixth of the limit, which packing joins again."""
_SOFT_BORDER = re.compile(r"[\s，、,;：:）)/|]")
BLOCK_GLUE = "\n\n"


def text_units(blocks: Sequence[Block], count_tokens: Counter, max_tokens: int) -> list[list[Unit]]:
    """The units of each block, in order: one for a block that fits, else its sentences or pieces."""
    counts = count_tokens([block.text for block in blocks])
    sentences = {
        index: split_sentences(block.text) for index, block in enumerate(blocks) if counts[index] > max_tokens
    }
    counted = iter(
        _pieces([text for found in sentences.values() for text in found], count_tokens, max_tokens)
    )
    result: list[list[Unit]] = []
    for index, block in enumerate(blocks):
        if index not in sentences:
            result.append([_unit(block, block.text, counts[index], BLOCK_GLUE, BLOCK_CUT)])
            continue
        units: list[Unit] = []
        for _ in sentences[index]:
            for number, (piece, tokens) in enumerate(next(counted)):
                glue, cost = (
                    ("", FORCED_CUT if number else SENTENCE_CUT) if units else (BLOCK_GLUE, BLOCK_CUT)
                )
                units.append(_unit(block, piece, tokens, glue, cost))
        result.append(units)
    return result


def table_units(
    tables: Sequence[tuple[Block, str]], count_tokens: Counter, max_tokens: int
) -> list[list[Unit]]:
    """The units of each (table, caption): the whole where it fits, else its rows under a repeated header."""
    wholes = [f"{caption}\n{block.text}" if caption else block.text for block, caption in tables]
    counts = count_tokens(wholes)
    result: list[list[Unit]] = []
    for (block, caption), whole, count in zip(tables, wholes, counts, strict=True):
        if count <= max_tokens:
            result.append([_unit(block, whole, count, BLOCK_GLUE, BLOCK_CUT)])
        else:
            result.append(_row_units(block, caption, count_tokens, max_tokens))
    return result


def _row_units(block: Block, caption: str, count_tokens: Counter, max_tokens: int) -> list[Unit]:
    header, rows = split_table(block.text)
    lead = "\n".join(part for part in (caption, header) if part)
    lead_tokens = count_tokens([lead])[0] if lead else 0
    if lead_tokens * 2 > max_tokens:
        # A header longer than half a passage is data itself: it is said once, in front of the rows.
        rows, lead, lead_tokens = [*lead.split("\n"), *rows], "", 0
    units: list[Unit] = []
    for pieces in _pieces(rows, count_tokens, max_tokens - lead_tokens):
        for number, (piece, tokens) in enumerate(pieces):
            unit = _unit(block, piece, tokens, "" if number else "\n", FORCED_CUT if number else BLOCK_CUT)
            units.append(_with_lead(unit, lead, lead_tokens))
    return units


def _with_lead(unit: Unit, lead: str, lead_tokens: int) -> Unit:
    return msgspec.structs.replace(unit, lead=lead, lead_tokens=lead_tokens)


def _unit(block: Block, text: str, tokens: int, glue: str, cost: float) -> Unit:
    return Unit(text=text, tokens=tokens, kind=block.kind, page=block.page, glue=glue, cut_cost=cost)


def _pieces(texts: Sequence[str], count_tokens: Counter, max_tokens: int) -> list[_Counted]:
    """Each text as (piece, tokens) pairs, every piece within the limit unless it is one character."""
    counts = count_tokens(texts) if texts else []
    result: list[_Counted] = [[pair] for pair in zip(texts, counts, strict=True)]
    while True:
        todo = [
            (index, place)
            for index, pieces in enumerate(result)
            for place, (piece, tokens) in enumerate(pieces)
            if tokens > max_tokens and len(piece) > 1
        ]
        if not todo:
            return result
        cut: dict[tuple[int, int], list[str]] = {at: _cut(*result[at[0]][at[1]], max_tokens) for at in todo}
        counted = iter(count_tokens([piece for at in todo for piece in cut[at]]))
        fresh: dict[tuple[int, int], _Counted] = {
            at: [(piece, next(counted)) for piece in cut[at]] for at in todo
        }
        result = [
            [pair for place, old in enumerate(pieces) for pair in fresh.get((index, place), [old])]
            for index, pieces in enumerate(result)
        ]


def _cut(text: str, tokens: int, max_tokens: int) -> list[str]:
    size = max(1, len(text) * max_tokens // (tokens * PIECES_PER_LIMIT))
    size = min(size, len(text) - 1)
    pieces: list[str] = []
    start = 0
    while start < len(text):
        end = start + size
        if end < len(text):
            borders = [match.end() for match in _SOFT_BORDER.finditer(text, start + size // 2 + 1, end)]
            end = borders[-1] if borders else end
        pieces.append(text[start:end])
        start = end
    return pieces
