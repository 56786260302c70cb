"""The table of the funnel's steps: which settings each row has, what is charged to it, what is replayed."""

from __future__ import annotations

import time
from collections.abc import Sequence

import msgspec
import pytest

from appliance.config import Retrieval as Settings
from appliance.domain import (
    DocumentId,
    Fingerprint,
    Hit,
    Passage,
    PassageId,
    Retrieval,
    Rewrite,
    RewriteKind,
    Strategy,
    Weights,
)
from appliance.errors import UserError
from appliance.evaluate import Query, Replay, Step, evaluate_retrieval, evaluate_steps, load_queries, steps_of
from appliance.evaluate.retrieval import Search
from appliance.retrieval.coarse import Factors, factors_of
from appliance.retrieval.rewrite import wanted_of

QUERIES = [Query(id="1", question="one"), Query(id="2", question="two")]
QRELS = {"1": {"a": 1.0}, "2": {"b": 1.0}}


def hit(number: int, record: str) -> Hit:
    return Hit(
        passage=Passage(
            id=PassageId(number), fingerprint=Fingerprint(f"d#s#{number}"), document_id=DocumentId("d"),
            record_id=record, collection="c", title="t", section_path="", text=record, language="en",
            token_count=1,
        ),
        fused_score=1.0,
    )  # fmt: skip


def found(
    records: str, *, weights: Weights | None = None, rewrites: tuple[Rewrite, ...] = (), **timings: float
) -> Retrieval:
    return Retrieval(
        hits=tuple(hit(number, record) for number, record in enumerate(records)),
        strategy=Strategy.HYBRID,
        timings_ms=timings,
        weights=weights,
        rewrites=rewrites,
    )


class Slow:
    """Scores by length; every call takes a while; what it was asked is kept."""

    name, digest, languages = "slow", "d", frozenset({"en"})

    def __init__(self) -> None:
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        self.asked.append((query, tuple(passages)))
        time.sleep(0.005 * len(passages))
        return [len(passage) / 100 for passage in passages]


def test_every_row_has_all_that_the_rows_above_it_have():
    configured = Settings(title_weight=0.7)
    steps = steps_of(configured)
    assert [step.name for step in steps] == [
        "dense only", "lexical only", "fusion", "+ rewrites and facets", "+ sections",
        "+ title and closeness", "+ the question's filters", "+ coarse rank", "+ cross-encoder",
        "+ stability", "+ links", "as configured",
    ]  # fmt: skip
    bare, closeness, encoder = steps[0].settings, steps[5].settings, steps[8].settings
    assert (bare.rewrites, bare.coarse, bare.title_weight, bare.rerank_k, bare.link_passages) == (
        False, False, 0.0, 0, 0,
    )  # fmt: skip
    assert (closeness.facets, closeness.title_weight, closeness.question_filter) == (True, 0.7, False)
    assert (encoder.coarse, encoder.rerank_k, encoder.stability_rewrites) == (True, configured.rerank_k, 0)
    assert steps[-2].settings == steps[-1].settings == configured
    assert [step.strategy for step in steps[:3]] == [Strategy.DENSE, Strategy.LEXICAL, Strategy.HYBRID]
    assert steps[-1].strategy is Strategy.AUTO
    assert [step.reads for step in steps] == [False] * 3 + [True] * 9


def test_what_is_switched_off_has_no_row():
    names = [step.name for step in steps_of(Settings(rerank_k=0, coarse=False, link_passages=0))]
    assert not {"+ cross-encoder", "+ stability", "+ coarse rank", "+ links"} & set(names)
    assert "+ the question's filters" in names


def test_rows_state_the_change_of_recall_and_the_time_added_to_the_first():
    ends = {
        "dense only": found("xxxxxxab", reading=4.0, encoder=10.0, own=1.0, total=15.0),
        "fusion": found("ab", reading=4.0, encoder=10.0, lexical=3.0, own=2.0, total=19.0),
        "as configured": found(
            "xa",
            reading=4.0,
            encoder=10.0,
            own=2.5,
            total=16.5,
            weights=Weights(dense=1, lexical=0, origin="selector"),
        ),
    }
    steps = [step for step in steps_of(Settings()) if step.name in ends]
    told: list[tuple[str, int, int]] = []
    report = evaluate_steps(
        lambda step: lambda query, wanted: ends[step.name],
        steps,
        QUERIES,
        QRELS,
        ks=(5,),
        progress=lambda name, done, total: told.append((name, done, total)),
    )
    dense, fusion, whole = report.steps
    assert [step.name for step in report.steps] == ["dense only", "fusion", "as configured, selector"]
    # "x" is one record: a and b are the second and the third.
    assert (dense.report.overall["recall@5"], dense.change_points) == (1.0, None)
    assert (fusion.change_points, whole.change_points) == (0.0, -50.0)
    assert fusion.report.overall["all-evidence@10"] == 1.0, "10 is measured whatever was asked for"
    assert dense.total_p50_ms == 11.0, "a dense search needs no reading"
    assert (fusion.added_ms["lexical"], fusion.added_ms["encoder"], fusion.added_ms["total"]) == (3, 0, 4)
    assert (whole.added_ms["reading"], whole.added_ms["own"], whole.added_ms["total"]) == (4.0, 1.5, 5.5)
    for step in report.steps:
        parts = sum(ms for part, ms in step.added_ms.items() if part != "total")
        assert parts == pytest.approx(step.added_ms["total"])
    assert told[-1] == ("as configured", 2, 2)
    with pytest.raises(UserError, match="no question has a judged record"):
        evaluate_steps(lambda step: lambda query, wanted: ends["fusion"], steps, QUERIES, {})


def test_no_pair_is_read_twice_and_each_search_is_charged_what_it_took():
    inner, replay = Slow(), Replay()
    reranker = replay.wrap(inner)
    assert (reranker.name, reranker.digest, reranker.languages) == ("slow", "d", frozenset({"en"}))
    inner.asked.clear()  # the warm-up
    assert reranker.rerank("q", ["a", "bb"]) == [0.01, 0.02]
    assert replay.charged(found("a", total=1.0)).timings_ms == {"total": 1.0}, "it was just measured"
    assert reranker.rerank("q", ["bb", "ccc", "a"]) == [0.02, 0.03, 0.01]
    assert reranker.rerank("q rewritten", ["a"]) == reranker.rerank("q rewritten", ["a"]) == [0.01]
    assert inner.asked == [("q", ("a", "bb")), ("q", ("ccc",)), ("q rewritten", ("a",))]
    rewrites = (
        Rewrite(kind=RewriteKind.ORIGINAL, text="q"),
        Rewrite(kind=RewriteKind.KEYWORDS, text="q rewritten"),
    )
    timings = replay.charged(found("a", rewrites=rewrites, reranker=7.0, total=9.0)).timings_ms
    assert timings["reranker"] >= 7.0 + 2 * 5.0
    assert timings["stability"] >= 5.0
    assert timings["total"] == pytest.approx(2.0 + timings["reranker"] + timings["stability"])
    assert replay.charged(found("a", total=1.0)).timings_ms == {"total": 1.0}, "charged once"


def test_rows_with_the_cross_encoder_replayed_cost_what_the_first_of_them_cost():
    inner, replay = Slow(), Replay()

    def opening(step: Step) -> Search:
        reranker = replay.wrap(inner)

        def search(query: Query, wanted: int) -> Retrieval:
            begun = time.perf_counter()
            if step.settings.rerank_k:
                reranker.rerank(query.question, ["a", "b", "c", "d"])
            ms = (time.perf_counter() - begun) * 1000
            return found("ab", reranker=ms, total=ms)

        return search

    steps = [
        step for step in steps_of(Settings()) if step.name in ("dense only", "+ cross-encoder", "+ links")
    ]
    report = evaluate_steps(opening, steps, QUERIES, QRELS, replay=replay)
    assert sorted(query for query, _ in inner.asked if query != "warm-up") == ["one", "two"]
    first, replayed = (step.added_ms["reranker"] for step in report.steps[1:])
    assert first >= 20.0
    assert replayed == pytest.approx(first, rel=0.5)


def test_hits_are_counted_by_style_and_domain_where_questions_name_them(tmp_path):
    file = tmp_path / "q.jsonl"
    lines = [
        {"id": "1", "question": "one", "style": "colloquial", "domain": "legal", "as_of": "2024-03-31"},
        {"id": "2", "question": "two"},
    ]
    file.write_bytes(b"\n".join(map(msgspec.json.encode, lines)))
    queries = load_queries(file)
    assert (queries[0].as_of, queries[1].as_of) == ("2024-03-31", "")
    asked: list[Query] = []

    def search(query: Query, wanted: int) -> Retrieval:
        asked.append(query)
        return found("xya" if query.id == "1" else "b", total=1.0)

    report = evaluate_retrieval(search, queries, QRELS)
    assert (report.overall["hit@1"], report.overall["hit@3"], report.overall["hit@10"]) == (0.5, 1.0, 1.0)
    assert report.by_style == {"colloquial": report.by_domain["legal"]}
    assert (report.by_style["colloquial"]["hit@1"], report.by_style["colloquial"]["hit@3"]) == (0.0, 1.0)
    assert list(report.by_domain) == ["legal"], "questions without a domain are in no such group"
    assert asked[-1] == queries[1]


def test_rewrites_and_facets_can_be_left_out():
    made = tuple(Rewrite(kind=kind, text=kind.value) for kind in RewriteKind)
    original, facet = RewriteKind.ORIGINAL, RewriteKind.FACET

    def kinds(**off: bool) -> set[RewriteKind]:
        return {one.kind for one in wanted_of(made, Settings(**off))}

    assert kinds() == set(RewriteKind)
    assert kinds(rewrites=False) == {original, facet}
    assert kinds(facets=False) == set(RewriteKind) - {facet}
    assert kinds(rewrites=False, facets=False) == {original}


def test_without_coarse_rank_nothing_weighs(reading_of):
    passages = [
        msgspec.structs.replace(hit(1, "a").passage, published="2020-01-01"),
        msgspec.structs.replace(hit(2, "b").passage, published="2024-01-01"),
    ]
    reading = reading_of("What is the latest price?")
    assert factors_of(reading, passages, None, Settings(coarse=False)) == {1: Factors(), 2: Factors()}
    weighed = factors_of(reading, passages, None, Settings())
    assert weighed[PassageId(1)].product() < weighed[PassageId(2)].product()


@pytest.fixture
def reading_of():
    from appliance.config import Domains
    from appliance.questions import QuestionReader

    return QuestionReader(Domains()).read
