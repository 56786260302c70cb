"""What a plan says beside its questions: its pattern, what a task is bound to, how results join."""

from __future__ import annotations

from enum import StrEnum

from appliance.domain.documents import SectionType
from appliance.domain.identity import Struct


class Pattern(StrEnum):
    """The shape of a question."""

    SIMPLE = "simple"
    """One look-up."""
    CHAIN = "chain"
    """Each look-up needs the one before it."""
    BRIDGE = "bridge"
    """Two look-ups meet in one thing."""
    COMPARISON = "comparison"
    COUNT = "count"
    CALCULATION = "calculation"
    CHANGE = "change"
    """Between two versions or dates of a document."""
    CAUSE = "cause"
    SUMMARY = "summary"
    """Of several documents or things."""
    CONDITIONS = "conditions"
    """Yes or no, under conditions."""


class Join(StrEnum):
    """How code puts results together; see :func:`appliance.reasoning.combine.combine`."""

    EARLIER = "earlier"
    LATER = "later"
    LARGER = "larger"
    SMALLER = "smaller"
    LONGER = "longer"
    """Of the spans between two dates each: ``of`` holds begin and end in turn."""
    SHORTER = "shorter"
    SAME = "same"
    BOTH = "both"
    """Yes where every result says yes."""
    EITHER = "either"
    HAS = "has"
    """Which of them a yes belongs to."""
    COUNT = "count"
    """How many say yes, where there are labels; else how many distinct things the results list."""
    COMMON = "common"
    """What every result names."""
    LIST = "list"
    RELATED = "related"
    """How two sides bear on each other: sentences of both, side by side."""


class Combine(Struct, frozen=True, kw_only=True):
    """What to do with the results of the tasks that nothing builds on."""

    join: Join
    of: tuple[int, ...]
    """Ids of tasks, in the order of ``labels``."""
    labels: tuple[str, ...] = ()
    """What each stands for, as the question names it; for spans, one for each pair."""


class VersionPair(Struct, frozen=True, kw_only=True):
    """Which two versions a difference is asked between, as the question names them."""

    document: str = ""
    """Its title or name; empty where the question says only ``the policy``."""
    older: str = ""
    """An edition (``V1.2``, 第2版) or a date; empty: the one before ``newer``."""
    newer: str = ""
    """Empty: the current one."""
    section: str = ""
    """A chapter or clause; empty: the whole document."""


class TaskFilters(Struct, frozen=True, kw_only=True):
    """Where to look. Preferences, not walls: the loop relaxes them when they bring nothing."""

    section: str = ""
    """A heading named in the question: ``chapter 7``, 第七章."""
    section_types: tuple[SectionType, ...] = ()
    document: str = ""
    """A document named in the question."""
    sources: tuple[str, ...] = ()
    """Words of titles to prefer: ``annual report``, 年报."""
    published_from: str = ""
    """ISO date."""
    published_to: str = ""
