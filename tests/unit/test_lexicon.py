"""Terms found in questions: exact and described ones, both languages, without false alarms, quickly."""

from __future__ import annotations

import statistics
from pathlib import Path
from time import perf_counter

import pytest

from appliance.config import Domains
from appliance.domain import DomainPack, Term
from appliance.store.folding import fold
from appliance.understanding.domains import load_packs
from appliance.understanding.lexicon import Lexicon

DATA = Path(__file__).parent.parent / "data" / "lexicon"


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return Lexicon(load_packs(Domains()), fold=fold)


def _language(text: str) -> str:
    return "zh" if any("\u4e00" <= letter <= "\u9fff" for letter in text) else "en"


def _lines(name: str) -> list[str]:
    return [line for line in (DATA / name).read_text("utf-8").splitlines() if line and line[0] != "#"]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What were purchases of property, plant and equipment?", [("capital expenditure", False)]),
        ("the purchase of Property Plant and Equipment", [("capital expenditure", False)]),
        ("Net cash provided by operating activities in FY2022", [("operating cash flow", False)]),
        ("current ratio and current assets", [("working capital ratio", False), ("current assets", False)]),
        ("non-current liabilities", [("non-current liabilities", False)]),
        ("amortisation charges", [("depreciation and amortization", False)]),
        ("ＥＢＩＴＤＡ of the group", [("EBITDA", False)]),
        (
            "the parent company's free cash flows",
            [("controlling shareholder", False), ("free cash flow", False)],
        ),
        ("归母净利润和净利润率", [("net income attributable to shareholders", False), ("net margin", False)]),
        ("營業收入與應收賬款周轉天數", [("revenue", False), ("days sales outstanding", False)]),
        ("haemoglobin and hemoglobin", [("hemoglobin", False)]),
        ("购建固定资产、无形资产和其他长期资产支付的现金", [("capital expenditure", False)]),
        ("cash. Equivalents of it", [("cash and cash equivalents", False)]),
    ],
)
def test_terms_are_found_longest_first(
    lexicon: Lexicon, question: str, found: list[tuple[str, bool]]
) -> None:
    matches = lexicon.match(question, _language(question))
    assert [(match.name, match.colloquial) for match in matches] == found


@pytest.mark.parametrize("question", ["she or he asked us", "the revenuex", "in the default way", ""])
def test_other_words_are_not_taken_for_terms(lexicon: Lexicon, question: str) -> None:
    assert [
        match.name for match in lexicon.match(question, "en") if match.name != "myocardial infarction"
    ] == []


def test_an_ambiguous_form_counts_beside_words_of_its_field(lexicon: Lexicon) -> None:
    assert lexicon.match("Which processor does the laptop have?", "en") == ()
    names = [match.name for match in lexicon.match("May the processor engage subprocessors?", "en")]
    assert names == ["data processor", "subprocessor"]
    assert [match.name for match in lexicon.match("duties of the processor", "en", prefer="legal")] == [
        "data processor"
    ]


def test_a_match_tells_what_documents_write_and_what_was_asked(lexicon: Lexicon) -> None:
    question = "貴公司的應收帳款週轉天數"
    (match,) = lexicon.match("What is the DSO?", "en")
    assert (match.text, match.domain, match.metric, match.unit) == ("DSO", "finance", True, "days")
    assert match.parts == ("accounts receivable", "revenue")
    assert match.forms[:2] == ("days sales outstanding", "应收账款周转天数")
    assert "how long customers take to pay" not in match.forms
    assert all(each.text in question for each in lexicon.match(question, "zh"))
    (zh,) = lexicon.match("应收账款周转天数是多少", "zh")
    assert zh.forms[:2] == ("应收账款周转天数", "days sales outstanding")


def test_one_phrase_loosely_in_other_words(lexicon: Lexicon) -> None:
    for question in (
        "that thing that measures blood sugar without pricking a finger",
        "measuring the blood sugar without having to prick my finger",
    ):
        assert [match.name for match in lexicon.match(question, "en")] == ["continuous glucose monitor"]
    pricked = lexicon.match("measuring the blood sugar by pricking my finger", "en")
    assert "continuous glucose monitor" not in [match.name for match in pricked]


def test_lay_questions_reach_their_terms(lexicon: Lexicon) -> None:
    rows = [line.split("\t") for line in _lines("colloquial.tsv")]
    missed = [
        (name, question)
        for domain, name, question in rows
        if not any(
            (match.domain, match.name, match.colloquial) == (domain, name, True)
            for match in lexicon.match(question, _language(question))
        )
    ]
    right = 1 - len(missed) / len(rows)
    print(f"{len(rows)} lay questions, {right:.1%} reach their term; missed: {missed}")
    assert len(rows) >= 40
    assert right >= 0.9


def test_ordinary_sentences_raise_no_alarm(lexicon: Lexicon) -> None:
    sentences = _lines("ordinary.txt")
    false = [each for each in sentences if any(m.colloquial for m in lexicon.match(each, _language(each)))]
    assert len(sentences) >= 60
    assert false == []


def test_the_domain_follows_the_words(lexicon: Lexicon) -> None:
    scores = lexicon.domain_scores("What is the liability cap and the notice period for subprocessors?")
    assert next(iter(scores)) == "legal"
    assert scores["legal"] > 0.8
    assert lexicon.domain_scores("Which river runs through Vienna?") == {}
    rows = [line.split("\t") for line in _lines("colloquial.tsv")]
    right = sum(next(iter(lexicon.domain_scores(question)), "") == domain for domain, _, question in rows)
    print(f"{right} of {len(rows)} lay questions are in their domain")
    assert right / len(rows) >= 0.85


def test_a_question_takes_less_than_a_millisecond(lexicon: Lexicon) -> None:
    questions = [line.split("\t")[2] for line in _lines("colloquial.tsv")] + _lines("ordinary.txt")
    for question in questions:
        lexicon.match(question, "en")
    times = sorted(_seconds(lexicon, question) for question in questions)
    median_ms = statistics.median(times) * 1e3
    print(f"p50 {median_ms:.3f} ms, p95 {times[int(len(times) * 0.95)] * 1e3:.3f} ms")
    assert median_ms <= 1.0


def test_time_follows_the_text_not_the_forms() -> None:
    few, many = _synthetic(500), _synthetic(20_000)
    text = " ".join(f"word{number % 97} item{number}" for number in range(2_000))
    small, large = (min(_seconds(each, text) for _ in range(3)) for each in (few, many))
    found = [match.name for match in many.match("we sell item499 part499 and item15000 part15000", "en")]
    print(f"4,000 words against 500 forms {small * 1e3:.1f} ms, against 20,000 {large * 1e3:.1f} ms")
    assert found == ["item499 part499", "item15000 part15000"]
    assert large < small * 6 + 0.02


def _synthetic(forms: int) -> Lexicon:
    terms = tuple(Term(name=f"item{number} part{number}", zh=f"零件{number}") for number in range(forms))
    return Lexicon([DomainPack(name="parts", title="Parts", title_zh="零件", terms=terms)], fold=fold)


def _seconds(lexicon: Lexicon, text: str) -> float:
    begun = perf_counter()
    lexicon.match(text, "en")
    return perf_counter() - begun
