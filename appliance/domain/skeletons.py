"""A plan that worked, without what it was about: slots stand for every name, figure and date."""

from __future__ import annotations

from appliance.domain.identity import Struct
from appliance.domain.reasoning import Plan


class Skeleton(Struct, frozen=True, kw_only=True):
    """``Where was the author of <A> born?`` with its look-ups. Fixed vocabulary and slots."""

    signature: str
    """The question with its slots, in order ``<A>``, ``<B>`` …"""
    plan: Plan
    """Its tasks with the same slots."""


class Offer(Struct, frozen=True, kw_only=True):
    """A skeleton from memory."""

    skeleton: Skeleton
    similarity: float
    """Cosine of the two signatures; 1 for the same."""
    worked: int
    failed: int
