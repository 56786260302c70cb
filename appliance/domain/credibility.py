"""How far an answer can be vouched for, and what a person decided about one that could not.

From governance to the end of a run, to the review queue and to the doors.
"""

from __future__ import annotations

from enum import StrEnum

from appliance.domain.identity import Struct


class CredibilityPart(StrEnum):
    """What an answer is judged by."""

    FACTS = "facts"
    """Every claim is carried by what it cites, and nothing undecided stands against it."""
    STANCE = "stance"
    """It takes no side and promises nothing that no cited source does."""
    RISK = "risk"
    """No personal advice, dose, or promise of an outcome in medicine, law or money that no source gives."""


class Doubt(Struct, frozen=True, kw_only=True):
    """Why a part is not 1: the sentence, and what about it."""

    part: CredibilityPart
    text: str
    """The sentence as the answer has it."""
    why: str
    """``guarantee: “guaranteed” stands in no cited passage``; English, for the reviewer."""


class Credibility(Struct, frozen=True, kw_only=True):
    """One score with its parts, each 0–1, 1 being beyond doubt; ``score`` is their product."""

    score: float
    facts: float
    stance: float
    risk: float
    threshold: float
    """Below it the answer was withheld."""
    domain: str = ""
    """The field whose cautions counted; empty: none in particular."""
    judged_by: str = ""
    """``head``, or ``cues`` where the collection's encoder is not the one that the head knows."""
    doubts: tuple[Doubt, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the answer may be shown."""
        return self.score >= self.threshold


class ReviewStatus(StrEnum):
    """How a withheld answer stands."""

    OPEN = "open"
    APPROVED = "approved"
    """Shown as it was written."""
    CORRECTED = "corrected"
    """The reviewer's words are shown in its place."""
    REJECTED = "rejected"
    """Stays withheld; the reason is shown."""


class Review(Struct, frozen=True, kw_only=True):
    """What the asker sees of the review."""

    status: ReviewStatus = ReviewStatus.OPEN
    by: str = ""
    at: str = ""
    """When it was decided; UTC, ISO 8601; empty while it is open."""
    note: str = ""
