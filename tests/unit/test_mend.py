"""Short answers brought to the bare name or figure that the lines hold."""

from __future__ import annotations

import pytest

from appliance.answers.mend import mended
from appliance.domain import AnswerKind

LINES = [
    "Dr Ines Carrow of the University of Eastmere is principal investigator of the project.",
    "营业收入为10.500亿元，比上年增长8%。",
    "Sales (£ million) — 2022: 41.2; 2021: 38.0",
    "The price rose to $1,204 million in 2021, paid by 37 people.",
    "Eastmere was founded in 1820.",
    "Panama: Adolfo belonged to the National Party of Panama.",
]


@pytest.mark.parametrize(
    ("answer", "kind", "wanted"),
    [
        ("Dr Ines Carrow is principal investigator of EM-21-0448.", AnswerKind.PERSON, "Dr Ines Carrow"),
        ("Panama is the country that Adolfo belongs to.", AnswerKind.OTHER, "Panama"),
        ("10.500亿元百万元", AnswerKind.NUMBER, "10.500亿元"),
        ("1,204 kg of ore", AnswerKind.NUMBER, "$1,204 million"),
        ("It is not known who leads it", AnswerKind.PERSON, "It is not known who leads it"),
        ("99.5亿元百万元", AnswerKind.NUMBER, "99.5亿元百万元"),
        ("Eastmere, Scotland", AnswerKind.OTHER, "Eastmere"),
        ("Nowhere, Scotland", AnswerKind.OTHER, "Nowhere, Scotland"),
        ("yes", AnswerKind.YES_NO, "yes"),
        ("41.2", AnswerKind.NUMBER, "41.2"),
        ("37 and 41.2 together", AnswerKind.NUMBER, "37 and 41.2 together"),
    ],
)
def test_an_answer_is_mended_only_by_what_the_lines_hold(answer: str, kind: AnswerKind, wanted: str):
    assert mended(answer, kind, LINES) == wanted
