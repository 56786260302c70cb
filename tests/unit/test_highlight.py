"""Where the support of a claim stands in a passage: quotes in any typography, else the best sentences."""

from __future__ import annotations

import pytest

from appliance.answers.highlight import find_quote, supporting
from appliance.documents import split_sentences

REPORT = """Tarnholm shipped 5.2 million Tidemark sensors in 2023. Sales fell in Norland.
The plant in Harwick was closed on 3 May 2023, unless the council extends the permit.

| £ million | 2023 | 2022 |
|---|---|---|
| Revenue | 412.6 | 380.0 |
| Research costs | 48.1 | 44.0 |"""
REPORT_ZH = """望江二期项目于2023年10月竣工。总投资为4.2亿元（不含税）。
公司员工共1,204人，其中研发人员312人。"""


def marked(claim: str, text: str, quote: str = "") -> list[str]:
    spans = supporting(claim, text, quote=quote, split=split_sentences)
    assert spans == tuple(sorted(spans, key=lambda span: span.start))
    return [text[span.start : span.end] for span in spans]


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("Sales fell in Norland.", REPORT, "Sales fell in Norland."),
        ("2023. Sales fell in Norland. The plant", REPORT, "2023. Sales fell in Norland.\nThe plant"),
        ("| Revenue | 412.6 | 380.0 |", REPORT, "| Revenue | 412.6 | 380.0 |"),
        ("Revenue  412.6  380.0", REPORT, "Revenue | 412.6 | 380.0"),
        ("the “red” line – closed", 'Now the "red" line - closed.', 'the "red" line - closed'),
        ("总投资为４.２亿元", REPORT_ZH, "总投资为4.2亿元"),
        ("总投资为 4.2 亿元 (不含税)", REPORT_ZH, "总投资为4.2亿元（不含税）"),
        ("efficient ﬁlter", "An eﬃcient\u00a0filter.", "eﬃcient\u00a0filter"),
        ("naïve café", "a nai\u0308ve cafe\u0301 there", "nai\u0308ve cafe"),
        ("zero width", "the zero\u200b wi\u00addth line", "zero\u200b wi\u00addth"),
        ("**bold** claim", "a bold claim", "bold claim"),
    ],
)
def test_a_quote_is_found_in_other_typography(quote: str, text: str, found: str) -> None:
    span = find_quote(quote, text)
    assert span is not None
    assert text[span.start : span.end] == found


@pytest.mark.parametrize("quote", ["", "a", "|", "Sales rose in Norland.", "412.7"])
def test_what_does_not_stand_there_is_not_found(quote: str) -> None:
    assert find_quote(quote, REPORT) is None


@pytest.mark.parametrize(
    ("claim", "text", "found"),
    [
        (
            "In 2023, 5.2 million Tidemark sensors were shipped by Tarnholm.",
            REPORT,
            ["Tarnholm shipped 5.2 million Tidemark sensors in 2023."],
        ),
        ("Revenue was £380.0 million in 2022.", REPORT, ["| Revenue | 412.6 | 380.0 |"]),
        ("研发人员有312人。", REPORT_ZH, ["公司员工共1,204人，其中研发人员312人。"]),
        (
            "望江二期2023年10月竣工，总投资4.2亿元。",
            REPORT_ZH,
            ["望江二期项目于2023年10月竣工。", "总投资为4.2亿元（不含税）。"],
        ),
        ("The moon is made of cheese.", REPORT, []),
        ("", REPORT, []),
    ],
)
def test_without_a_quote_the_best_sentences_are_marked(claim: str, text: str, found: list[str]) -> None:
    assert marked(claim, text) == found


def test_a_quote_wins_over_a_sentence_that_shares_more_words() -> None:
    assert marked("Sales of Tidemark sensors fell in 2023.", REPORT, "Sales fell in Norland.") == [
        "Sales fell in Norland."
    ]


def test_a_quote_that_is_not_there_lends_its_words() -> None:
    assert marked("It was closed.", REPORT, "The plant at Harwick was shut on 3 May 2023") == [
        "The plant in Harwick was closed on 3 May 2023, unless the council extends the permit."
    ]
