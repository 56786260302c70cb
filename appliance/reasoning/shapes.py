"""What a pattern reader hands on: look-ups with their tools, and how results join; and the plan of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from appliance.domain import Combine, Join, Pattern, Plan, Struct, Task, TaskFilters, Tool, VersionPair

REFERENCE = re.compile(r"\{(\d+)\}")


class Lookup(Struct, frozen=True, kw_only=True):
    """One task before it has a number."""

    question: str
    tool: Tool = Tool.DOCUMENTS
    versions: VersionPair | None = None
    filters: TaskFilters | None = None
    quote: bool = False


class Shape(Struct, frozen=True, kw_only=True):
    """A question recognised."""

    pattern: Pattern
    lookups: tuple[Lookup, ...]
    combine: Combine | None = None


def joined(
    pattern: Pattern, questions: Sequence[str], join: Join, labels: Sequence[str], of: Sequence[int] = ()
) -> Shape:
    """Look-ups side by side whose results code joins; ``of`` all of them unless said."""
    lookups = tuple(Lookup(question=question) for question in questions)
    ids = tuple(of) or tuple(range(1, len(lookups) + 1))
    return Shape(pattern=pattern, lookups=lookups, combine=Combine(join=join, of=ids, labels=tuple(labels)))


def plan_of(shape: Shape) -> Plan:
    """The plan, its tasks numbered from 1 and bound by their references."""
    tasks = tuple(
        Task(
            id=number,
            question=one.question,
            tool=one.tool,
            depends_on=tuple(sorted({int(found) for found in REFERENCE.findall(one.question)})),
            versions=one.versions,
            filters=one.filters,
            quote=one.quote,
        )
        for number, one in enumerate(shape.lookups, start=1)
    )
    return Plan(tasks=tasks, origin="rules", pattern=shape.pattern, combine=shape.combine)
