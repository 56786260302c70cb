"""What indexes answer and what search makes of it."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated

import msgspec

from appliance.domain.documents import Passage
from appliance.domain.identity import PassageId, Struct
from appliance.domain.understanding import Reading

_BARE = re.compile(r"(?!(?:and|or|not|in|contains)$)(?:(?![且或]|包含|属于)[\w./%+-])+", re.IGNORECASE)
"""A value that the filter language takes without quotation marks."""


class Strategy(StrEnum):
    """Which routes recall uses."""

    AUTO = "auto"
    DENSE = "dense"
    LEXICAL = "lexical"
    HYBRID = "hybrid"


class WeightedQuery(Struct, frozen=True, kw_only=True):
    """A query for the lexical index some of whose words count for more, or less."""

    text: str
    weights: dict[str, Annotated[float, msgspec.Meta(ge=0.0)]] = {}
    """Factors by word or phrase, as people write them; words that the text does not have add nothing."""


class Scored(Struct, frozen=True, kw_only=True):
    """One index's answer: a passage id and that index's own score."""

    passage_id: PassageId
    score: float


class RewriteKind(StrEnum):
    """What a query is to the question."""

    ORIGINAL = "original"
    STRUCTURED = "structured"
    """Entities, attributes and constraints, without the words around them."""
    KEYWORDS = "keywords"
    EXPANDED = "expanded"
    """With the domain's terms, synonyms and related concepts."""
    FACET = "facet"
    """One of several things asked at once."""


class Rewrite(Struct, frozen=True, kw_only=True):
    """One query of the set that a question is searched with."""

    kind: RewriteKind
    text: str
    dense: bool = True
    lexical: bool = True


class Comparison(StrEnum):
    """How a condition compares."""

    IS = "="
    NOT = "!="
    LEAST = ">="
    MOST = "<="
    ABOVE = ">"
    BELOW = "<"
    CONTAINS = "~"


class Condition(Struct, frozen=True, kw_only=True):
    """One condition on a passage or its document. ``field`` is one of those that the filter parser knows."""

    field: str
    comparison: Comparison
    values: tuple[str, ...]
    """Any of them will do (``!=``: none of them)."""

    def __str__(self) -> str:
        """As the filter language writes it."""
        return f"{self.field}{self.comparison}{'|'.join(map(_written, self.values))}"


def _written(value: str) -> str:
    if _BARE.fullmatch(value):
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


Filters = tuple[Condition, ...]
"""All of them hold."""


class FilterStep(Struct, frozen=True, kw_only=True):
    """What the structural filter did with one condition."""

    condition: str
    origin: str
    """``caller`` or ``question``."""
    kept: int
    """Candidates that satisfied it."""
    of: int
    relaxed: bool = False
    """It would have left nothing, or too little, and became a preference. Never a caller's condition."""


class Found(Struct, frozen=True, kw_only=True):
    """One route that found a passage."""

    route: str
    """``dense``, ``lexical`` or ``links`` (named in a passage that was found)."""
    rewrite: int
    """Index into the retrieval's rewrites."""
    rank: int
    score: float


class Trace(Struct, frozen=True, kw_only=True):
    """Why a hit stands where it does."""

    found: tuple[Found, ...] = ()
    freshness: float = 1.0
    authority: float = 1.0
    boosts: dict[str, float] = {}
    """Preferences that it met, by name, with their factor: ``removal notice``, ``section type`` …"""
    rerank_by_rewrite: tuple[float, ...] = ()
    """The cross-encoder's 0–1 scores for the question and its rewrites."""
    stability: float | None = None
    """Their standard deviation; above 0.15 the hit is weighed down (B3)."""


class Hit(Struct, frozen=True, kw_only=True):
    """One retrieved passage with the score of every stage it went through (None: not through it)."""

    passage: Passage
    fused_score: float
    dense_score: float | None = None
    dense_rank: int | None = None
    lexical_score: float | None = None
    lexical_rank: int | None = None
    rerank_score: float | None = None
    """0–1, the cross-encoder's probability that the passage answers the query."""
    trace: Trace = Trace()


class Weights(Struct, frozen=True, kw_only=True):
    """What the strategy selector chose."""

    dense: float
    lexical: float
    depth: int = 50
    """Passages taken from each index."""
    strictness: float = 1.0
    """0–1: below 0.5 constraints read from the question prefer and do not exclude."""
    origin: str = "configuration"
    """``configuration``, ``selector`` or ``caller``."""
    reason: str = ""
    """What spoke for it, where the selector moved the weights or looked and left them."""


class Retrieval(Struct, frozen=True, kw_only=True):
    """Hits, best first, and how they came about."""

    hits: tuple[Hit, ...]
    strategy: Strategy
    degraded: tuple[str, ...] = ()
    """Parts that were not available ("no cross-encoder for zh"): told, never hidden."""
    timings_ms: dict[str, float] = {}
    rewrites: tuple[Rewrite, ...] = ()
    weights: Weights | None = None
    filters: tuple[FilterStep, ...] = ()
    notices: tuple[str, ...] = ()
    """What was done otherwise than asked, and why nothing was found where nothing was."""
    reading: Reading | None = None
    """What was read from the question, where it was read."""
