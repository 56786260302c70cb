"""Which plan a question gets: by its shape, from memory, from the model, or none (one look-up).

Arrives: a question as read. Leaves: a sound :class:`Plan`. A clear shape needs no model; where in doubt
the model drafts, shown examples of the pattern nearest to the question; nonsense becomes one look-up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from appliance.domain import Offer, Pattern, Plan, Reading, Task, Tool
from appliance.reasoning.in_place_en import in_place
from appliance.reasoning.patterns_calc import computed
from appliance.reasoning.patterns_change import changed
from appliance.reasoning.patterns_compare import compared
from appliance.reasoning.patterns_compare_zh import compared_chinese
from appliance.reasoning.patterns_more import has_conditions, of_facets, others
from appliance.reasoning.patterns_relation import relation
from appliance.reasoning.plan import chain_plan, simple_plan, unfolded_plan
from appliance.reasoning.shapes import plan_of
from appliance.reasoning.skeleton import applied, signature_of
from appliance.reasoning.sound import TASKS_MAX, sound

SAME = 0.999
"""Of two signatures' cosine: the same words."""
NEAR = 0.85
"""From here a remembered plan is worth showing to the model."""
EXAMPLES_MAX = 2
SHAPED_CHARS = 400
"""Longer questions tell a story: their shape is not one of these."""
CATALOGUE_MAX, CATALOGUE_CHARS = 12, 60
"""A short catalogue: the prompt is paid for by the token."""
_HAN = re.compile(r"[一-鿿]")
_ANY = re.compile(r"(?:which|what|how)\b", re.IGNORECASE)
_UNNAMED = re.compile(r"^what (?:is|was) .*\b(?:is|was|were|are|there)$", re.IGNORECASE)
Derive = Callable[[str], Plan | None]
Draft = Callable[[str], Plan]


class PlanMemory(Protocol):
    """Plans that worked in one collection."""

    def offers(self, signature: str) -> Sequence[Offer]:
        """The nearest skeletons, best first."""
        ...


class Sources(msgspec.Struct, frozen=True, kw_only=True):
    """Where plans come from beside the question's shape; each may be missing."""

    memory: PlanMemory | None = None
    draft: Draft | None = None
    """Takes examples for the prompt, gives the model's plan."""
    derive: Derive | None = None
    """A calculation that another reader of questions recognises."""
    examples: str = ""
    """The library of examples: ``## pattern`` and what follows it."""
    tasks_max: int = TASKS_MAX


def plan_for(reading: Reading, *, attempt: int = 0, sources: Sources | None = None) -> Plan:
    """The plan of a question; on the second attempt another one than on the first.

    First its shape, then memory; a question that one look-up can answer is left whole, else the model drafts.
    Again: what was split is asked whole, what was asked whole is split by the model.
    """
    given = sources or Sources()
    question = reading.text
    certain = shaped(reading, derive=given.derive) or _remembered(question, given.memory)
    if certain is not None:
        return certain if attempt == 0 else simple_plan(question)
    whole = msgspec.structs.replace(simple_plan(question), pattern=_pattern_of(reading))
    if given.draft is None or reading.simple == (attempt == 0):
        return whole
    drafted = sound(given.draft(examples_for(reading, given)), question, limit=given.tasks_max)
    if len(drafted.tasks) == 1:
        return msgspec.structs.replace(whole, notes=drafted.notes)
    return msgspec.structs.replace(drafted, pattern=_pattern_of(reading, split=True))


def shaped(reading: Reading, *, derive: Derive | None = None) -> Plan | None:
    """The plan that a question's own shape gives; None where the shape is not clear."""
    plan = _by_shape(reading, derive)
    return None if plan is None or any(_hollow(task) for task in plan.tasks) else plan


def _hollow(task: Task) -> bool:
    """Whether a look-up names nothing to look for: the shape was misread, as in ``What was there``."""
    if task.tool is Tool.CALC or task.depends_on or _HAN.search(task.question):
        return False
    text = task.question.rstrip(" ?")
    named = re.search(r"\s[A-ZÀ-ÖØ-Þ0-9]", text)
    return bool(_UNNAMED.search(text)) or (not named and len(text.split()) <= 3 and bool(_ANY.match(text)))


def _by_shape(reading: Reading, derive: Derive | None) -> Plan | None:
    question = reading.text
    if len(question) > SHAPED_CHARS:
        return None
    chinese = bool(_HAN.search(question))
    if shape := changed(question) or relation(question):
        return plan_of(shape)
    if derive is not None and (derived := derive(question)) is not None:
        return derived
    for reader in (compared_chinese if chinese else compared, computed, others):
        if shape := reader(question):
            return plan_of(shape)
    if chain := (chain_plan(in_place(question)) or unfolded_plan(question)):
        return chain
    if not reading.comparison and (shape := of_facets(reading.facets, reading.language)):
        return plan_of(shape)
    return None


def _remembered(question: str, memory: PlanMemory | None) -> Plan | None:
    """What worked for a question of the same words; more often than it failed."""
    signature = signature_of(question)
    if memory is None or not signature:
        return None
    for offer in memory.offers(signature):
        if offer.similarity >= SAME and offer.worked > offer.failed:
            plan = applied(offer.skeleton, question)
            if plan is not None:
                return sound(plan, question)
    return None


def examples_for(reading: Reading, given: Sources) -> str:
    """Examples for the prompt: those of the pattern, then plans that worked for questions like this one."""
    parts = [section_of(given.examples, _pattern_of(reading, split=True))]
    signature = signature_of(reading.text)
    if given.memory is not None and signature:
        near = [
            one
            for one in given.memory.offers(signature)
            if one.similarity >= NEAR and one.worked > one.failed
        ]
        parts += [_shown(offer) for offer in near[:EXAMPLES_MAX]]
    return "\n\n".join(part for part in parts if part)


def section_of(library: str, pattern: Pattern) -> str:
    """The examples of one pattern; empty where the library has none."""
    found = re.search(rf"^## {pattern.value}\n(.*?)(?=^## |\Z)", library, re.MULTILINE | re.DOTALL)
    return found.group(1).strip() if found else ""


def _shown(offer: Offer) -> str:
    tasks = [{"tool": task.tool.value, "question": task.question} for task in offer.skeleton.plan.tasks]
    return f"Q: {offer.skeleton.signature}\n{msgspec.json.encode({'tasks': tasks}).decode()}"


def _pattern_of(reading: Reading, *, split: bool = False) -> Pattern:
    """The pattern as far as the reading tells it."""
    if reading.comparison:
        return Pattern.COMPARISON if split else Pattern.SIMPLE
    if reading.kind.value == "yes-no" and has_conditions(reading.text):
        return Pattern.CONDITIONS
    if not split:
        return Pattern.SIMPLE
    if reading.metrics() or re.search(r"%|percent|growth|ratio|average|百分|比例|增长|平均", reading.text):
        return Pattern.CALCULATION
    return Pattern.CHAIN


def catalogue_of(collections: Sequence[str], language: str) -> str:
    """The collections that a question may be about, for the prompt; empty for fewer than two.

    ``collections``: those the asker may read, each in a few words (``contracts: of supply, since 2019``).
    """
    if len(collections) < 2:
        return ""
    shown = [" ".join(each.split())[:CATALOGUE_CHARS] for each in collections[:CATALOGUE_MAX]]
    return ("文档集：" if language == "zh" else "Collections: ") + ("；" if language == "zh" else "; ").join(
        shown
    )
