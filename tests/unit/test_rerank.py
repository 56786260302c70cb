"""The cross-encoder's part: what it reads, how steady it is over wordings, what is told where none reads."""

from __future__ import annotations

import statistics

import pytest
from retrieval_fakes import ScriptedReranker, passage

from appliance.config import Retrieval as Settings
from appliance.domain import Passage, PassageId, Rewrite, RewriteKind
from appliance.retrieval.rerank import WEIGHED_DOWN, Reranked, rerank
from appliance.retrieval.stopwatch import Stopwatch

SETTINGS = Settings(stability_k=2, stability_rewrites=2)
QUERY = "when did the pier open"
EXPANDED = Rewrite(kind=RewriteKind.EXPANDED, text="when did the pier jetty open")
STRUCTURED = Rewrite(kind=RewriteKind.STRUCTURED, text="pier opening")
KEYWORDS = Rewrite(kind=RewriteKind.KEYWORDS, text="pier open")
FACET = Rewrite(kind=RewriteKind.FACET, text="the pier")
SCORES = {
    QUERY: {"a": 0.2, "b": 0.9, "c": 0.7, "d": 0.1},
    EXPANDED.text: {"b": 0.3, "c": 0.68},
    STRUCTURED.text: {"b": 0.6, "c": 0.72},
}
PASSAGES = [passage(n, text) for n, text in enumerate("abcd", 1)]


def read(
    rewrites: tuple[Rewrite, ...] = (),
    passages: list[Passage] = PASSAGES,
    *,
    reranker: ScriptedReranker | None,
    most: int = 30,
    settings: Settings = SETTINGS,
    language: str = "en",
) -> tuple[Reranked, tuple[str, ...]]:
    return rerank(
        QUERY,
        rewrites,
        passages,
        reranker=reranker,
        language=language,
        settings=settings,
        most=most,
        watch=Stopwatch(),
    )


def test_the_query_is_read_with_every_candidate_in_one_call() -> None:
    reranker = ScriptedReranker(SCORES)
    found, degraded = read(reranker=reranker)
    assert found.scores == {1: 0.2, 2: 0.9, 3: 0.7, 4: 0.1}
    assert (found.by_rewrite, degraded) == ({}, ())
    assert reranker.calls == [(QUERY, ["a", "b", "c", "d"])]


def test_the_foremost_are_read_again_and_their_spread_is_the_standard_deviation() -> None:
    reranker = ScriptedReranker(SCORES)
    found, _ = read((EXPANDED, STRUCTURED), reranker=reranker)
    assert [call[1] for call in reranker.calls[1:]] == [["b", "c"], ["b", "c"]]
    assert found.by_rewrite == {2: (0.9, 0.3, 0.6), 3: (0.7, 0.68, 0.72)}
    assert found.deviation(PassageId(2)) == pytest.approx(statistics.pstdev([0.9, 0.3, 0.6]))
    assert found.deviation(PassageId(2)) == pytest.approx(0.2449, abs=1e-4)
    assert found.deviation(PassageId(1)) is None
    assert (found.steadiness(PassageId(2)), found.steadiness(PassageId(3))) == (WEIGHED_DOWN, 1.0)


def test_only_paraphrases_count_and_no_more_than_configured() -> None:
    reranker = ScriptedReranker({**SCORES, KEYWORDS.text: {"b": 0.5, "c": 0.5}})
    read((FACET, EXPANDED, STRUCTURED, KEYWORDS), reranker=reranker)
    assert [call[0] for call in reranker.calls] == [QUERY, EXPANDED.text, STRUCTURED.text]
    for settings in (Settings(stability_rewrites=0), Settings(stability_k=0)):
        again = ScriptedReranker(SCORES)
        assert read((EXPANDED,), reranker=again, settings=settings)[0].by_rewrite == {}
        assert len(again.calls) == 1


def test_most_is_counted_among_what_it_can_read() -> None:
    reranker = ScriptedReranker(SCORES)
    chinese = passage(9, "码头何时开放", language="zh")
    found, degraded = read(passages=[PASSAGES[0], chinese, *PASSAGES[1:]], reranker=reranker, most=2)
    assert reranker.calls == [(QUERY, ["a", "b"])]
    assert (set(found.scores), degraded) == ({1, 2}, ())


@pytest.mark.parametrize("language", ["zh", "und"])
def test_none_that_knows_the_language_is_told(language: str) -> None:
    found, degraded = read((EXPANDED,), reranker=None, language=language)
    assert found == Reranked()
    assert degraded == (f"no cross-encoder knows {language}: fusion order is final",)


def test_switched_off_or_nothing_to_read_is_no_degradation() -> None:
    reranker = ScriptedReranker(SCORES)
    assert read(reranker=reranker, most=0) == (Reranked(), ())
    assert read(reranker=None, most=0, language="zh") == (Reranked(), ())
    assert read(passages=[], reranker=reranker) == (Reranked(), ())
    assert reranker.calls == []
