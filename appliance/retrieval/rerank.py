"""The narrow end: the cross-encoder reads the best candidates, and how steady it is over rewrites (B3).

Arrives: queries and passages in coarse order. Leaves: a relevance of 0–1 each, and for the foremost its
standard deviation over the question's rewrites. A passage that pleases one wording only is weighed down.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from appliance.config import Retrieval as Settings
from appliance.domain import Passage, PassageId, Rewrite, RewriteKind, Struct
from appliance.ports import Reranker
from appliance.retrieval.stopwatch import Stopwatch

SHAKY = 0.15
"""Standard deviation on the 0–1 scale above which a passage is weighed down."""
WEIGHED_DOWN = 0.93
_PARAPHRASES = (RewriteKind.EXPANDED, RewriteKind.STRUCTURED, RewriteKind.KEYWORDS)


class Reranked(Struct, frozen=True, kw_only=True):
    """What the cross-encoder said."""

    scores: dict[PassageId, float] = {}
    """0–1, for the query itself."""
    by_rewrite: dict[PassageId, tuple[float, ...]] = {}
    """The query's and each rewrite's, for the foremost passages."""

    def deviation(self, passage: PassageId) -> float | None:
        """Standard deviation over rewrites; None where only the query itself was asked."""
        scores = self.by_rewrite.get(passage, ())
        return statistics.pstdev(scores) if len(scores) > 1 else None

    def steadiness(self, passage: PassageId) -> float:
        """The factor for a passage's score."""
        deviation = self.deviation(passage)
        return WEIGHED_DOWN if deviation is not None and deviation > SHAKY else 1.0


def no_reranker(language: str) -> str:
    """What is told where none of the cross-encoders knows the question's language."""
    return f"no cross-encoder knows {language}: fusion order is final"


def rerank(
    query: str,
    rewrites: Sequence[Rewrite],
    passages: Sequence[Passage],
    *,
    reranker: Reranker | None,
    language: str,
    settings: Settings,
    most: int,
    watch: Stopwatch,
) -> tuple[Reranked, tuple[str, ...]]:
    """Scores of the first ``most`` passages in a language that it knows, and what was not available."""
    if not passages or most == 0:
        return Reranked(), ()  # switched off by the configuration: nothing is degraded
    if reranker is None:
        return Reranked(), (no_reranker(language),)
    known = [p for p in passages if p.language in reranker.languages][:most]
    texts = [passage.indexed_text() for passage in known]
    with watch.part("reranker"):
        scores = dict(zip([p.id for p in known], reranker.rerank(query, texts), strict=True))
    others = [one.text for one in rewrites if one.kind in _PARAPHRASES][: settings.stability_rewrites]
    foremost = sorted(known, key=lambda p: -scores[p.id])[: settings.stability_k] if others else []
    if not foremost:
        return Reranked(scores=scores), ()
    texts = [passage.indexed_text() for passage in foremost]
    with watch.part("stability"):
        again = [reranker.rerank(other, texts) for other in others]
    by_rewrite = {
        passage.id: (scores[passage.id], *(row[at] for row in again)) for at, passage in enumerate(foremost)
    }
    return Reranked(scores=scores, by_rewrite=by_rewrite), ()
