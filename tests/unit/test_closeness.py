"""How close together a question's words stand, and how much of it a title holds, in both languages."""

from __future__ import annotations

import pytest
from retrieval_fakes import passage

from appliance.domain import Passage
from appliance.retrieval.closeness import SENTENCES, closeness, title_match
from appliance.store.analysis import fold, index_terms


def weights(text: str) -> dict[str, float]:
    """Every term of the text weighs the same."""
    return dict.fromkeys(index_terms(text), 1.0)


def near(question: str, *texts: str) -> list[float]:
    passages = [passage(n, text) for n, text in enumerate(texts, 1)]
    found = closeness(weights(question), passages, fold)
    return [found[one.id] for one in passages]


def titled(question: str, *passages: Passage) -> list[float]:
    found = title_match(question, weights(question), passages, index_terms)
    return [found.get(one.id, 0.0) for one in passages]


# ------------------------------------------------------------ closeness
@pytest.mark.parametrize(
    ("question", "together", "neighbours", "scattered"),
    [
        (
            "battery recycling deposit",
            "Weather is fine. The battery recycling deposit is two pounds. Ask us.",
            "Battery recycling is free. A deposit is not taken. Ask us.",
            "Battery types vary. Weather is fine. Recycling helps. Weather is fine. A deposit exists.",
        ),
        (
            "电池回收押金",
            "天气很好。电池回收押金为二十元。请咨询。",
            "电池回收免费。不收押金。请咨询。",
            "电池种类很多。天气很好。回收有益。天气很好。押金另计。",
        ),
    ],
)
def test_one_sentence_beats_two_neighbours_and_they_beat_scattered_words(
    question: str, together: str, neighbours: str, scattered: str
) -> None:
    one, two, far = near(question, together, neighbours, scattered)
    assert one > two > far > 0
    assert one <= 1.0


def test_all_of_the_weight_in_a_sentence_is_1_and_in_two_is_less() -> None:
    found = near("pier opening", "The pier opening was in May.", "The pier. The opening.", "Nothing here.")
    assert found == pytest.approx([1.0, 0.9, 0.0])


def test_width_case_and_traditional_characters_are_one() -> None:
    assert near("ＰＩＥＲ opening", "The Pier OPENING was in May.") == pytest.approx([1.0])
    assert near("电池回收", "電池回收免費。") == pytest.approx([1.0])


def test_a_decimal_point_does_not_end_a_sentence() -> None:
    assert near("margin bonus", "The margin of 3.5 per cent paid a bonus.") == pytest.approx([1.0])


def test_dear_words_count_more() -> None:
    passages = [passage(1, "The kestrel."), passage(2, "The software.")]
    terms = {index_terms("kestrel")[0]: 6.0, index_terms("software")[0]: 2.0}
    found = closeness(terms, passages, fold)
    assert [found[one.id] for one in passages] == pytest.approx([0.75, 0.25])


def test_no_more_than_the_first_sentences_are_read() -> None:
    filler = "Nothing here. " * SENTENCES
    assert near("pier", f"{filler}The pier.", f"The pier. {filler}") == pytest.approx([0.0, 1.0])


def test_a_question_without_weight_has_no_closeness() -> None:
    assert closeness({}, [passage(1)], fold) == {}


# ------------------------------------------------------------ titles
def test_the_title_that_holds_more_of_the_question_matches_more() -> None:
    whole, half, none = titled(
        "dividend policy of Tarnholm",
        passage(1, title="Tarnholm dividend policy"),
        passage(2, title="Tarnholm minutes"),
        passage(3, title="Weather"),
    )
    assert (whole, none) == (pytest.approx(1.0), 0.0)
    assert 0 < half < whole


def test_chinese_titles_match_by_words() -> None:
    whole, half, none = titled(
        "澄屿传感的差旅制度是什么",
        passage(1, title="澄屿传感差旅制度", language="zh"),
        passage(2, title="澄屿传感年度报告", language="zh"),
        passage(3, title="天气", language="zh"),
    )
    assert (whole, none) == (pytest.approx(1.0), 0.0)
    assert 0 < half < whole


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("revenue in FY2022", "Annual report 2022", "Annual report 2021"),
        ("revenue in FY22", "Annual report 2022", "Annual report 2021"),
        ("revenue in 2022", "Report FY2022", "Report FY2021"),
        ("capital spending in Q4 2022", "Report 2022Q4", "Report 2022Q1"),
        ("capital spending in 2022", "Report 2022Q4", "Report 2021Q4"),
        ("2022年的营业收入", "年度报告 2022", "年度报告 2021"),
    ],
)
def test_a_period_counts_by_its_year_and_quarter(question: str, right: str, wrong: str) -> None:
    first, second = titled(question, passage(1, title=right), passage(2, title=wrong))
    assert first > second


def test_words_that_a_title_joins_are_found_apart() -> None:
    first, second = titled(
        "net income of American Express in 2022",
        passage(1, title="AmericanExpress_2022_10K"),
        passage(2, title="PepsiCo_2022_10K"),
    )
    assert first > second > 0
    assert first == pytest.approx(1.0)


def test_the_label_counts_with_the_title() -> None:
    by_label, other = titled(
        "The Verge on Epic",
        passage(1, title="Epic", label="The Verge"),
        passage(2, title="Epic", label="Wired"),
    )
    assert by_label > other


def test_no_title_word_in_the_question_matches_nothing() -> None:
    assert title_match("weather", weights("weather"), [passage(1, title="Pier")], index_terms) == {}
