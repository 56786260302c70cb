"""The paragraphs and list items of one section on both sides: which came, went or changed, word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from appliance.documents.inline import Piece, inline_diff, similarity, unlabelled
from appliance.domain import Block, BlockKind, Struct

SAME_TEXT_SIMILARITY = 0.4
_REFERENCE = re.compile(
    r"\b(?:sections?|clauses?|articles?|paragraphs?|chapters?|parts?|items?|sec\.|art\.)\s+(\d+(?:\.\d+)*)"
    r"|§+\s*(\d+(?:\.\d+)*)|(第[0-9〇零一二三四五六七八九十百]+[条章节款])",
    re.IGNORECASE,
)


class TextChange(Struct, frozen=True, kw_only=True):
    """One paragraph or list item: ``added``, ``removed``, ``changed``, or ``moved`` to or from elsewhere."""

    change: str
    old: str = ""
    new: str = ""
    pieces: tuple[Piece, ...] = ()
    """For ``changed``: old and new in one."""
    elsewhere: str = ""
    """For ``moved``: the section that has it on the other side."""


class Unit(Struct, frozen=True, kw_only=True):
    """A paragraph or list item, as it stands and as it is compared."""

    text: str
    form: str


def units(blocks: Sequence[Block], renumbered: Mapping[str, str]) -> list[Unit]:
    """All but tables; lists by item. ``renumbered``: references that say the same under another number."""
    made: list[Unit] = []
    for block in blocks:
        if block.kind is BlockKind.TABLE:
            continue
        parts = block.text.split("\n") if block.kind is BlockKind.LIST else [block.text]
        made += [Unit(text=part, form=_form(part, renumbered)) for part in parts if part.strip()]
    return made


def text_changes(old: Sequence[Unit], new: Sequence[Unit]) -> list[TextChange]:
    """In reading order; removed ones where they stood."""
    left, right = [unit.form for unit in old], [unit.form for unit in new]
    changes: list[TextChange] = []
    for op, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if op != "equal" and _joined(left[a:b]) != _joined(right[c:d]):
            changes += _replaced(old[a:b], new[c:d])
    return changes


def _replaced(old: Sequence[Unit], new: Sequence[Unit]) -> Iterator[TextChange]:
    partner = _partners(old, new)
    waiting = [at for at in range(len(old)) if at not in partner.values()]
    for at, unit in enumerate(new):
        while at in partner and waiting and waiting[0] < partner[at]:
            yield TextChange(change="removed", old=old[waiting.pop(0)].text)
        if at not in partner:
            yield TextChange(change="added", new=unit.text)
        elif old[partner[at]].form != unit.form:
            before = old[partner[at]].text
            yield TextChange(
                change="changed", old=before, new=unit.text, pieces=inline_diff(before, unit.text)
            )
    for at in waiting:
        yield TextChange(change="removed", old=old[at].text)


def _partners(old: Sequence[Unit], new: Sequence[Unit]) -> dict[int, int]:
    """New position → old position, the most alike first."""
    scored = sorted(
        (-similarity(before.form, after.form), abs(b - a), a, b)
        for b, before in enumerate(old)
        for a, after in enumerate(new)
    )
    partner: dict[int, int] = {}
    for score, _, a, b in scored:
        if -score >= SAME_TEXT_SIMILARITY and a not in partner and b not in partner.values():
            partner[a] = b
    if not partner and len(old) == len(new) == 1:
        return {0: 0}  # one text in the place of one other
    return partner


def _form(text: str, renumbered: Mapping[str, str]) -> str:
    form = unlabelled(text)
    if not renumbered:
        return form

    def now(match: re.Match[str]) -> str:
        number = next(group for group in match.groups() if group)
        return match.group().replace(number, renumbered.get(number, number))

    return _REFERENCE.sub(now, form)


def _joined(forms: Sequence[str]) -> str:
    """Without any white space: paragraphs cut in other places are the same text."""
    return "".join("".join(forms).split())
