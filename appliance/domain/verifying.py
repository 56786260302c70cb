"""What a check of a claim says: where it is supported, and what stands against it."""

from __future__ import annotations

from enum import StrEnum

from appliance.domain.identity import Fingerprint, Struct


class Span(Struct, frozen=True, kw_only=True):
    """Characters ``start`` (inclusive) to ``end`` (exclusive) of a text, mostly of ``Passage.text``."""

    start: int
    end: int


class FaultKind(StrEnum):
    """In which respect a claim says something else than its passage."""

    NUMBER = "number"
    UNIT = "unit"
    NAME = "name"
    DATE = "date"
    NEGATION = "negation"
    SCOPE = "scope"
    ENTAILMENT = "entailment"
    SOURCE = "source"


class Fault(Struct, frozen=True, kw_only=True):
    """One thing that a claim says and its passages do not."""

    kind: FaultKind
    said: str
    """By the claim."""
    holds: str = ""
    """What the passage holds instead; empty where nothing there corresponds."""


class Verdict(Struct, frozen=True, kw_only=True):
    """Whether the passages of a claim support it."""

    supported: bool
    confidence: float
    """That the claim is supported, 0–1."""
    faults: tuple[Fault, ...] = ()
    fingerprint: Fingerprint | None = None
    """Of the passage that comes closest to the claim; None where there is no passage."""
    span: Span | None = None
    """Of its sentence or row that comes closest."""
