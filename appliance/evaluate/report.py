"""Results of single questions, and what they add up to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from appliance.governance.metrics import mean, percentile


class CitedRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One citation of a claim, looked up again."""

    fingerprint: str
    record: str = ""
    """Record id of its document; empty: the citation does not resolve."""
    highlighted: bool = False
    """Whether its span was recorded."""
    holds_answer: bool | None = None
    """Whether an expected answer stands in the passage; null: none is expected."""
    text: str = ""
    """What the span covers."""


class CitedClaim(msgspec.Struct, frozen=True, kw_only=True):
    """One claim with what it cites."""

    text: str
    kind: str
    cited: list[CitedRecord] = []


class AnswerResult(msgspec.Struct, frozen=True, kw_only=True):
    """One question's line in the results file."""

    id: str
    type: str
    language: str
    question: str
    expected: str | None
    run_id: str = ""
    status: str = ""
    answer: str = ""
    short: str = ""
    claims_text: list[str] = []
    answerable: bool = True
    refused: bool = False
    right: bool = False
    """An answerable question answered rightly, or an unanswerable one refused."""
    exact: bool = False
    """The bare result is one of the expected answers, word for word."""
    f1: float = 0.0
    """Of its tokens, the best over the expected answers."""
    contained: bool = False
    """An expected answer stands in the answer's text or in a claim."""
    records: list[str] = []
    """Of the gathered evidence, best first, each once."""
    evidence: dict[str, float] = {}
    """Measures of that ranking ("recall@5"), where judgements were given."""
    claims: int = 0
    cited_claims: int = 0
    inferences: int = 0
    supported_claims: int = 0
    unsupported: list[str] = []
    citations: int = 0
    proofs: list[CitedClaim] = []
    """The claims with their citations."""
    dangling_citations: int = 0
    seconds: float = 0.0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    llm_calls: int = 0
    error: str = ""


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """A cost per question."""

    mean: float
    p50: float
    p95: float


class Shares(msgspec.Struct, frozen=True, kw_only=True):
    """How many questions, and the share of each kind that went well; null: there were none."""

    questions: int
    right: float | None
    """Of the answerable ones."""
    refused: float | None
    """Of the unanswerable ones."""
    wrongly_refused: float | None
    """Of the answerable ones."""
    exact: float | None = None
    f1: float | None = None
    contained: float | None = None
    """Means over the answerable ones."""
    evidence: dict[str, float] = {}
    """Means over the judged ones."""
    llm_calls: float = 0.0
    tokens: float = 0.0
    seconds: float = 0.0
    """Means over all."""


class AnswersReport(msgspec.Struct, frozen=True, kw_only=True):
    """All questions together."""

    overall: Shares
    by_type: dict[str, Shares]
    by_language: dict[str, Shares]
    failed: int
    statuses: dict[str, int]
    claims: int
    inference_share: float | None
    """Claims joined from others; the rest are facts, checked against their own passages alone."""
    cited_claims: float | None
    resolving_citations: float | None
    supported_claims: float | None
    unsupported: list[str]
    seconds: Spread
    tokens: Spread
    computed_tokens: Spread
    """Without the prompt tokens whose state was reused."""
    llm_calls: Spread


def summarise(results: Sequence[AnswerResult]) -> AnswersReport:
    """The report over any number of results."""
    claims = sum(r.claims for r in results)
    citations = sum(r.citations for r in results)
    statuses: dict[str, int] = {}
    for result in results:
        statuses[result.status] = statuses.get(result.status, 0) + 1
    return AnswersReport(
        overall=_shares(results),
        by_type=_grouped(results, lambda result: result.type),
        by_language=_grouped(results, lambda result: result.language),
        failed=sum(bool(r.error) for r in results),
        statuses=dict(sorted(statuses.items())),
        claims=claims,
        inference_share=_share(sum(r.inferences for r in results), claims),
        cited_claims=_share(sum(r.cited_claims for r in results), claims),
        resolving_citations=_share(citations - sum(r.dangling_citations for r in results), citations),
        supported_claims=_share(sum(r.supported_claims for r in results), claims),
        unsupported=[f"{r.id}: {line}" for r in results for line in r.unsupported],
        seconds=_spread([r.seconds for r in results]),
        tokens=_spread([r.prompt_tokens + r.completion_tokens for r in results]),
        computed_tokens=_spread([r.prompt_tokens - r.cached_tokens + r.completion_tokens for r in results]),
        llm_calls=_spread([r.llm_calls for r in results]),
    )


def _shares(results: Sequence[AnswerResult]) -> Shares:
    answerable = [r for r in results if r.answerable]
    others = [r for r in results if not r.answerable]
    return Shares(
        questions=len(results),
        right=_share(sum(r.right for r in answerable), len(answerable)),
        refused=_share(sum(r.refused for r in others), len(others)),
        wrongly_refused=_share(sum(r.refused for r in answerable), len(answerable)),
        exact=_share(sum(r.exact for r in answerable), len(answerable)),
        f1=round(mean([r.f1 for r in answerable]), 4) if answerable else None,
        contained=_share(sum(r.contained for r in answerable), len(answerable)),
        evidence=_means([r.evidence for r in results if r.evidence]),
        llm_calls=round(mean([r.llm_calls for r in results]), 2),
        tokens=round(mean([r.prompt_tokens + r.completion_tokens for r in results]), 1),
        seconds=round(mean([r.seconds for r in results]), 2),
    )


def _means(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    return {name: round(mean([row[name] for row in rows]), 4) for name in rows[0]} if rows else {}


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _spread(values: Sequence[float]) -> Spread:
    return Spread(
        mean=round(mean(values), 2),
        p50=round(percentile(values, 50), 2),
        p95=round(percentile(values, 95), 2),
    )


def _grouped(results: Sequence[AnswerResult], key: Callable[[AnswerResult], str]) -> dict[str, Shares]:
    groups: dict[str, list[AnswerResult]] = {}
    for result in results:
        groups.setdefault(key(result), []).append(result)
    return {name: _shares(group) for name, group in sorted(groups.items())}
