"""What a retrieval strategy is chosen from, beside the question's reading and the recalled lists."""

from __future__ import annotations

from appliance.domain.identity import Struct


class Specificity(Struct, frozen=True, kw_only=True):
    """How rare a question's terms are in one collection."""

    idfs: tuple[float, ...] = ()
    """Of each distinct term that the index holds; ``log(1 + (n - df + 0.5) / (df + 0.5))``."""
    unknown: int = 0
    """Distinct terms that no passage has."""
    passages: int = 0


class Experience(Struct, frozen=True, kw_only=True):
    """How the past questions nearest to this one fared in the same collection."""

    questions: int = 0
    """How many were near enough to be counted, at most eight."""
    similarity: float = 0.0
    """Of the nearest, cosine; 0 where there is none."""
    dense: float = 0.0
    """Mean of ``1 / rank`` at which dense recall had the passage that was finally cited; 0: not found."""
    lexical: float = 0.0
    """The same for lexical recall."""
