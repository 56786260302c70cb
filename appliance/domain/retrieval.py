"""What indexes answer and what search makes of it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec

from appliance.domain.documents import Passage
from appliance.domain.identity import PassageId, Struct


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


class Retrieval(Struct, frozen=True, kw_only=True):
    """Hits, best first, and how they came about."""

    hits: tuple[Hit, ...]
    strategy: Strategy
    degraded: tuple[str, ...] = ()
    """Parts that were not available ("no cross-encoder for zh"): told, never hidden."""
    timings_ms: dict[str, float] = {}
