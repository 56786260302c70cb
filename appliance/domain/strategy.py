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
    """How past questions fared in the same collection: those nearest to this one, and all of them.

    A route is measured by the mean of ``1 / rank`` at which its recall had the passage that was cited in the
    end; 0: not found.
    """

    questions: int = 0
    """How many were near enough to be counted, at most eight."""
    similarity: float = 0.0
    """Of the nearest, cosine; 0 where there is none."""
    dense: float = 0.0
    lexical: float = 0.0
    held: int = 0
    """How many the collection remembers."""
    all_dense: float = 0.0
    all_lexical: float = 0.0
