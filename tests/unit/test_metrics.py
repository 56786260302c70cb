from __future__ import annotations

import pytest

from appliance.domain import (
    Answer,
    Claim,
    ClaimKind,
    DocumentId,
    Fingerprint,
    Hit,
    Passage,
    PassageId,
    Retrieval,
    RunStatus,
    Scope,
    Strategy,
    Usage,
)
from appliance.errors import NotFoundError, UserError
from appliance.evaluate import (
    Query,
    evaluate_answers,
    evaluate_retrieval,
    load_qrels,
    load_queries,
    summarise,
)
from appliance.evaluate.answers import absent_from
from appliance.governance.judging import is_right, normalise, quantities, states
from appliance.governance.metrics import (
    all_at,
    first_seen,
    hit_at,
    mean,
    ndcg_at,
    percentile,
    recall_at,
    reciprocal_rank_at,
)

RANKED = ["a", "x", "b", "y", "c"]
GRADES = {"a": 2.0, "b": 1.0, "c": 1.0, "d": 1.0}


def test_recall_counts_the_relevant_ones_among_the_first_k():
    assert recall_at(RANKED, GRADES, 3) == 0.5
    assert recall_at(RANKED, GRADES, 5) == 0.75
    assert recall_at(RANKED, {}, 5) == 0.0


def test_hit_all_and_reciprocal_rank():
    assert (hit_at(RANKED, {"x"}, 1), hit_at(RANKED, {"x"}, 2)) == (0.0, 1.0)
    assert (all_at(RANKED, {"a", "b"}, 2), all_at(RANKED, {"a", "b"}, 3)) == (0.0, 1.0)
    assert reciprocal_rank_at(RANKED, {"b", "c"}, 10) == pytest.approx(1 / 3)
    assert reciprocal_rank_at(RANKED, {"c"}, 4) == 0.0


def test_ndcg_uses_grades_as_gains():
    # DCG@3 = 2/log2(2) + 1/log2(4) = 2.5; ideal = 2/1 + 1/log2(3) + 1/2 = 3.1309
    assert ndcg_at(RANKED, GRADES, 3) == pytest.approx(2.5 / 3.13093, abs=1e-5)
    assert ndcg_at(["a", "b", "c", "d"], GRADES, 10) == 1.0
    assert ndcg_at(RANKED, {}, 10) == 0.0


def test_percentiles_are_nearest_rank():
    values = [float(n) for n in range(1, 21)]
    assert (percentile(values, 50), percentile(values, 95), percentile(values, 100)) == (10.0, 19.0, 20.0)
    assert (percentile([7.0], 95), percentile([], 50), mean([]), mean([1, 2])) == (7.0, 0.0, 0.0, 1.5)


def test_first_seen_keeps_the_best_rank():
    assert first_seen(["a", "b", "a", "c", "b"]) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("£58.9 million", 58.9e6, "gbp"),
        ("3,460万英镑", 34.6e6, "gbp"),
        ("3.897亿元", 3.897e8, "cny"),
        ("389.7百万元", 3.897e8, "cny"),
        ("百分之五十二 or 百分之 52", 52.0, "%"),
        ("12.3个百分点", 12.3, "%"),
        ("within fourteen days", 14.0, "day"),
        ("RMB 3.8 million", 3.8e6, "cny"),
    ],
)
def test_quantities_carry_scale_and_unit(text: str, value: float, unit: str):
    (found,) = quantities(normalise(text))
    assert found.value == pytest.approx(value)
    assert found.unit == unit


@pytest.mark.parametrize(
    ("text", "wanted", "stated"),
    [
        ("Tarnholm shipped 5,200,000 sensors.", "5.2 million", True),
        ("It was £34.6 million.", "3,460万英镑", True),
        ("It was 34.6 million yuan.", "3,460万英镑", False),
        ("营业收入为389.7百万元", "3.897亿元", True),
        ("The share was 11.99%.", "12.0%", True),
        ("The share was 12.3%.", "12.0%", False),
        ("In 2022 it was granted", "2023", False),
        ("worn for 15 days", "14 days", False),
        ("the contract ends on March 31, 2027", "31 March 2027", True),
        ("kept for 124 months", "24", False),
        ("kept for 24.5 months", "24", False),
        ("She received the Harrow Medal for Measurement.", "Harrow Medal", True),
        ("between 2 °C and 30 °C", "2 to 30 °C", True),
        ("ＴＩＤＥ－2研究", "TIDE-2", True),
        ("Ｔarnholm 的员工", "Tarnholm", True),
        ("", "5", False),
    ],
)
def test_states(text: str, wanted: str, stated: bool):
    assert states(text, wanted) is stated


@pytest.mark.parametrize(
    ("question", "expected", "both", "answer", "right"),
    [
        ("Is it still required?", ["No"], [], "No, it is no longer required.", True),
        ("Is it still required?", ["No"], [], "A daily calibration is no longer required.", True),
        ("Is it still required?", ["No"], [], "A daily calibration is required.", False),
        ("Has NFC been removed?", ["Yes, with version 2.0", "Yes"], [], "NFC has been removed.", True),
        ("Has NFC been removed?", ["Yes, with version 2.0", "Yes"], [], "NFC has not been removed.", False),
        ("还支持NFC吗？", ["不支持，已取消", "否"], [], "第二代已取消该功能。", True),
        ("还支持NFC吗？", ["不支持，已取消", "否"], [], "第二代支持该功能。", False),
        ("How many?", ["x"], ["212", "220"], "212 in the abstract, 220 in the release", True),
        ("How many?", ["x"], ["212", "220"], "It was 212.", False),
        ("Which was higher in 2022, Alpha or Beta?", ["Beta"], [], "Beta had more than Alpha.", True),
        ("Which was higher in 2022, Alpha or Beta?", ["Beta"], [], "Alpha had more than Beta.", False),
        ("甲公司和乙公司，哪家员工更多？", ["乙公司"], [], "甲公司的员工多于乙公司。", False),
    ],
)
def test_verdicts(question: str, expected: list[str], both: list[str], answer: str, right: bool):
    assert is_right(question, expected, both, answer, "") is right


def passage(number: int, record: str, text: str = "") -> Passage:
    return Passage(
        id=PassageId(number),
        fingerprint=Fingerprint(f"d#s#{number}"),
        document_id=DocumentId("d"),
        record_id=record,
        collection="c",
        title="Report of Tarnholm",
        section_path="Sales",
        text=text,
        language="en",
        token_count=1,
        published="2023-05-01",
    )


def test_retrieval_ranks_a_record_by_its_best_passage():
    records = ["b", "b", "a", "x"]
    hits = tuple(Hit(passage=passage(n, r), fused_score=1.0) for n, r in enumerate(records))
    asked: list[int] = []

    def search(query: Query, k: int) -> Retrieval:
        asked.append(k)
        return Retrieval(hits=hits, strategy=Strategy.HYBRID, timings_ms={"own": 2.0})

    queries = [Query(id="1", question="q", type="t", language="en"), Query(id="2", question="q")]
    report = evaluate_retrieval(search, queries, {"1": {"a": 1.0, "b": 1.0}}, ks=(1, 2))
    assert report.overall["recall@1"] == 0.5
    assert report.overall["recall@2"] == report.overall["all-evidence@2"] == 1.0
    assert report.overall["ndcg@10"] == 1.0
    assert (report.queries, report.skipped, report.by_type["t"]["queries"]) == (1, 1, 1.0)
    assert report.timings["own"].p95_ms == 2.0
    assert set(asked) == {30}
    with pytest.raises(UserError, match="no question has a judged record"):
        evaluate_retrieval(search, queries, {})


class Reader:
    def passages(self, ids: object, scope: Scope) -> list[Passage]:
        raise AssertionError(ids)

    def by_fingerprint(self, fingerprint: Fingerprint, scope: Scope) -> Passage:
        if fingerprint != "d#s#1":
            raise NotFoundError("no passage")
        return passage(1, "a", "Sales were 12 million in May.")


def claim(text: str, *citations: str, kind: ClaimKind = ClaimKind.FACT) -> Claim:
    return Claim(text=text, kind=kind, citations=tuple(map(Fingerprint, citations)))


def test_claims_are_checked_against_their_passages_and_inferences_also_against_other_claims():
    known = {"d#s#1": passage(1, "a", "Sales were 12 million in May.")}
    fact = claim("Tarnholm sold 12 million in 2023.", "d#s#1")
    wrong = claim("Tarnholm sold 13 million.", "d#s#1")
    computed = claim("The share is 48%.", "d#s#1")
    joined = claim("Sales of 12 million are 48%.", "d#s#1", kind=ClaimKind.INFERENCE)
    assert absent_from(fact, [fact], known) == []
    assert absent_from(wrong, [wrong], known) == ["13"]
    assert absent_from(joined, [joined, computed], known) == []
    assert absent_from(joined, [joined], known) == ["48"]
    assert absent_from(claim("x", "gone"), [], known) == ["no passage"]


def test_answers_are_judged_and_summed_up():
    said = {
        "good": Answer(
            status=RunStatus.ANSWERED, answer="12 million", claims=(claim("Sales were 12 million.", "d#s#1"),)
        ),
        "bad": Answer(status=RunStatus.ANSWERED, answer="13", claims=(claim("It is 13.", "d#s#9"),)),
        "none": Answer(status=RunStatus.INSUFFICIENT, answer=""),
    }

    def ask(question: str) -> tuple[str, Answer, Usage]:
        if question == "broken":
            raise UserError("too long")
        return "r-1", said[question], Usage(calls=2, prompt_tokens=10, cached_tokens=4, completion_tokens=5)

    queries = [
        Query(id="1", question="good", answer="£12 million", type="t", language="en"),
        Query(id="2", question="bad", answer="12 million", type="t", language="en"),
        Query(id="3", question="none", type="unanswerable", language="zh"),
        Query(id="4", question="broken", answer="x", type="t", language="en"),
    ]
    kept: list[str] = []
    results = evaluate_answers(ask, Reader(), Scope(), queries, keep=lambda result: kept.append(result.id))
    report = summarise(results)
    assert kept == ["1", "2", "3", "4"]
    assert [result.right for result in results] == [True, False, True, False]
    assert (report.overall.right, report.overall.refused) == (round(1 / 3, 4), 1.0)
    assert (report.failed, report.statuses) == (1, {"answered": 2, "failed": 1, "insufficient": 1})
    assert (report.cited_claims, report.resolving_citations, report.supported_claims) == (1.0, 0.5, 0.5)
    assert (report.tokens.p50, report.computed_tokens.p50, report.llm_calls.mean) == (15, 11, 1.5)
    assert results[3].error == "too long"


def test_question_files_are_read_with_line_numbers(tmp_path):
    file = tmp_path / "q.jsonl"
    file.write_text('{"id": "1", "question": "第一季度的收入是多少？", "extra": 1}\n\n', "utf-8")
    (query,) = load_queries(file)
    assert (query.language, query.type, query.answer) == ("zh", "untyped", None)
    file.write_text('{"id": "1", "question": "q"}\n{"id": 2}\n', "utf-8")
    with pytest.raises(UserError, match="line 2"):
        load_queries(file)
    file.write_text("query\trecord\tgrade\n1\ta\t2\n1\tb\t0\n", "utf-8")
    assert load_qrels(file) == {"1": {"a": 2.0}}
    file.write_text("header\n1 a 2\n", "utf-8")
    with pytest.raises(UserError, match="line 2"):
        load_qrels(file)
    with pytest.raises(UserError, match="cannot be read"):
        load_queries(tmp_path / "missing")


def test_a_part_of_a_list_may_be_written_in_several_ways():
    parts = (("1313851", "131万"), "187万")
    assert is_right("交付量？", ["1313851；187万"], parts, "特斯拉131万辆，比亚迪187万辆。", "")
    assert not is_right("交付量？", ["1313851；187万"], parts, "特斯拉131万辆。", "")
