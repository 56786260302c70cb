"""What a passage must hold before a claim may cite it."""

import pytest

from appliance.answers.verify import (
    answer_stands_in,
    kind_fits,
    names,
    names_currency,
    numbers,
    ordinals,
    unsupported,
)
from appliance.domain import AnswerKind

PASSAGE = (
    "Group revenue for 2023 was £392.0 million. "
    "Dr Ines Carrow leads EM-21-0448; two sites took part in March."
)


@pytest.mark.parametrize(
    ("claim", "missing"),
    [
        ("Revenue was £392 million in 2023.", []),
        ("Revenue was £393 million in 2023.", ["393"]),
        ("Ines Carrow leads the project EM-21-0448.", []),
        ("Ines Marlow leads the project EM-21-0449.", ["449", "Marlow", "EM-21-0449"]),
        ("2 sites took part.", []),
        ('The report speaks of "two sites".', []),
        ('The report speaks of "three wards".', ["three wards"]),
    ],
)
def test_numbers_names_and_quoted_words_must_stand_in_the_passage(claim: str, missing: list[str]):
    assert unsupported(claim, PASSAGE) == missing


@pytest.mark.parametrize(
    ("claim", "right"),
    [
        ("2023年净利润为1.250亿元。", True),
        ("2023年净利润为1.260亿元。", False),
        ("董事会已决定出售该工厂。", False),
    ],
)
def test_chinese_claims_are_held_to_their_wording(claim: str, right: bool):
    passage = "2023年营业利润为1.560亿元，净利润为1.250亿元。"
    assert (not unsupported(claim, passage)) is right


def test_thousands_and_trailing_zeros_do_not_make_another_number():
    assert numbers("1,200.50 and 007") == ["1200.5", "7"]


def test_sentence_openers_are_no_names():
    assert names("The cost was paid. According to Tarnholm plc, CGM-200 is safe.") == ["Tarnholm", "CGM-200"]


@pytest.mark.parametrize(
    ("answer", "stands"),
    [
        ("£392.0 million", True),
        ("392 million pounds", True),
        ("£393.0 million", False),
        ("Helen Astor", False),
    ],
)
def test_a_short_answer_must_be_carried_by_the_passage(answer: str, stands: bool):
    assert answer_stands_in(answer, PASSAGE) is stands


@pytest.mark.parametrize(
    ("kind", "answer", "fits"),
    [
        (AnswerKind.PERSON, "Ines Carrow", True),
        (AnswerKind.PERSON, "£640,000", False),
        (AnswerKind.NUMBER, "none stated", False),
        (AnswerKind.NUMBER, "two", True),
        (AnswerKind.DATE, "5 March 2021", True),
    ],
)
def test_an_answer_has_to_look_like_what_was_asked(kind: AnswerKind, answer: str, fits: bool):
    assert kind_fits(kind, answer) is fits


def test_a_name_ends_where_chinese_goes_on():
    assert names("屿芯E3所用的专利是哪项？") == ["E3"]
    assert names("Tarnholm的董事会") == ["Tarnholm"]


def test_generations_and_quarters_are_told_apart_in_both_languages():
    assert ordinals("the third-generation sensor") == ordinals("第三代传感器") == {"generation 3"}
    assert ordinals("第十二版") == {"edition 12"}
    assert ordinals("Q2 and the 2nd quarter") == {"quarter 2"}
    assert ordinals("at first, one third of them") == set()
    assert unsupported(
        "The third-generation sensor lasts 14 days.", "The second generation lasts 14 days."
    ) == ["generation 3"]


def test_a_currency_is_seen_by_sign_and_by_word():
    assert names_currency("£73.2 million")
    assert names_currency("3,100万英镑")
    assert not names_currency("1.5 million electrodes")
