"""Plans without what they were about, so that one question's plan may serve another's.

What is kept is decided by what is allowed, not by what looks like a name: every word that is not in a fixed
vocabulary of grammar, roles, things and verbs becomes a slot. So no name, no figure, no date and no rare word
of a question stays, whoever's it was; a plan that cannot be written in vocabulary and slots is not kept.
"""

from __future__ import annotations

import re

import msgspec

from appliance.domain import Plan, Skeleton, Tool
from appliance.reasoning.shapes import REFERENCE
from appliance.reasoning.vocabulary import known_english, split_chinese

SLOTS_MAX = 8
_SLOT = re.compile(r"<[A-H]>")
_TOKEN = re.compile(
    r"<[A-H]>|\{\d+\}|\"[^\"]+\"|“[^”]+”|《[^》]+》|[^\W_](?:[\w.&/+-]*[\w+])?|\s+|.", re.DOTALL
)
_CALC = re.compile(r"^(?:\{\d+\}|[-+*/() ]|100\b|[2-9]\b)+$")
_HAN = re.compile(r"[㐀-鿿]")


class _Abstract(msgspec.Struct, frozen=True):
    text: str
    slots: tuple[str, ...]


def signature_of(question: str) -> str:
    """The question with slots for all that is not vocabulary; empty where there are none or too many."""
    found = _abstract(" ".join(question.split()))
    return found.text if 1 <= len(found.slots) <= SLOTS_MAX else ""


def skeleton_of(question: str, plan: Plan) -> Skeleton | None:
    """The plan's skeleton; None where it cannot be told without words that are the question's own."""
    asked = _abstract(" ".join(question.split()))
    if not 1 <= len(asked.slots) <= SLOTS_MAX or len(plan.tasks) < 2:
        return None
    tasks = [
        msgspec.structs.replace(
            task, question=_with_slots(task.question, asked.slots), filters=None, versions=None
        )
        for task in plan.tasks
    ]
    if any(
        task.tool in (Tool.DIFF, Tool.EXTERNAL) or not _is_bare(task.question, task.tool) for task in tasks
    ):
        return None
    combine = plan.combine
    if combine:
        labels = tuple(_with_slots(label, asked.slots) for label in combine.labels)
        if not all(_is_bare(label, Tool.DOCUMENTS) for label in labels):
            return None
        combine = msgspec.structs.replace(combine, labels=labels)
    bare = msgspec.structs.replace(plan, tasks=tuple(tasks), combine=combine, notes=(), origin="remembered")
    return Skeleton(signature=asked.text, plan=bare)


def applied(skeleton: Skeleton, question: str) -> Plan | None:
    """The skeleton's plan for another question of the same signature; None where the signatures differ."""
    asked = _abstract(" ".join(question.split()))
    if asked.text != skeleton.signature:
        return None
    filled = {f"<{chr(65 + n)}>": slot for n, slot in enumerate(asked.slots)}

    def fill(text: str) -> str:
        return _SLOT.sub(lambda found: filled.get(found.group(), found.group()), text)

    tasks = tuple(msgspec.structs.replace(task, question=fill(task.question)) for task in skeleton.plan.tasks)
    combine = skeleton.plan.combine
    if combine:
        combine = msgspec.structs.replace(combine, labels=tuple(map(fill, combine.labels)))
    return msgspec.structs.replace(skeleton.plan, tasks=tasks, combine=combine, origin="remembered")


def _abstract(text: str) -> _Abstract:
    pieces: list[tuple[str, bool]] = []
    for position, token in enumerate(_TOKEN.findall(text)):
        pieces.extend(_judged(token, first=position == 0))
    out: list[str] = []
    slots: list[str] = []
    at = 0
    while at < len(pieces):
        piece, known = pieces[at]
        if known:
            out.append(piece)
            at += 1
            continue
        end = at + 1
        # One name of several words: blanks between unknown words belong to it.
        while end < len(pieces) and (
            not pieces[end][1] or (pieces[end][0].isspace() and _goes_on(pieces, end))
        ):
            end += 1
        slot = "".join(part for part, _ in pieces[at:end])
        if slot not in slots:
            slots.append(slot)
        out.append(f"<{chr(65 + slots.index(slot))}>" if slots.index(slot) < SLOTS_MAX else "<?>")
        at = end
    return _Abstract("".join(out), tuple(slots))


def _goes_on(pieces: list[tuple[str, bool]], blank: int) -> bool:
    return blank + 1 < len(pieces) and not pieces[blank + 1][1]


def _judged(token: str, *, first: bool) -> list[tuple[str, bool]]:
    """The token's pieces, each with whether it may stay."""
    if _SLOT.fullmatch(token) or REFERENCE.fullmatch(token) or not re.search(r"\w", token):
        return [(token, True)]
    if token[0] in '"“《':
        return [(token, False)]
    if _HAN.search(token):
        return split_chinese(token)
    lower = token.islower() or (first and token[0].isupper() and token[1:].islower())
    return [(token, lower and known_english(token.lower()))]


def _with_slots(text: str, slots: tuple[str, ...]) -> str:
    for slot in sorted(slots, key=len, reverse=True):
        edge = r"\b" if slot[0].isascii() and slot[0].isalnum() else ""
        last = r"\b" if slot[-1].isascii() and slot[-1].isalnum() else ""
        text = re.sub(f"{edge}{re.escape(slot)}{last}", f"<{chr(65 + slots.index(slot))}>", text)
    return text


def _is_bare(text: str, tool: Tool) -> bool:
    if tool is Tool.CALC:
        return bool(_CALC.match(text))
    return not _abstract(text).slots
