"""What the rules read in a question."""

import pytest

from appliance.documents import detect_language
from appliance.domain import AnswerKind
from appliance.understanding.reading import read_question


@pytest.mark.parametrize(
    ("question", "simple", "kind"),
    [
        ("Who leads project Alder?", True, AnswerKind.PERSON),
        ("How many people did Orbis employ in 2021?", True, AnswerKind.NUMBER),
        ("Does the Kite X1 support infrared pairing?", True, AnswerKind.YES_NO),
        ("When was the pump released?", True, AnswerKind.DATE),
        ("Who founded the company that makes the Alder pump?", False, AnswerKind.PERSON),
        ("By what percentage did sales rise?", False, AnswerKind.NUMBER),
        ("Which is heavier, or longer, the Kite X1 or the Lumo S?", False, AnswerKind.OTHER),
        ("What changed between 2021 and 2022?", False, AnswerKind.CHANGE),
        ("What is the largest town by population in Norland?", True, AnswerKind.OTHER),
        ("What is the population of the largest town in Norland?", True, AnswerKind.NUMBER),
        ("What was the company revenue in 2021?", True, AnswerKind.NUMBER),
        ("海川公司2021年的净利润是多少？", True, AnswerKind.NUMBER),
        ("海川公司2021年的净利润比2020年增长了多少？", False, AnswerKind.NUMBER),
        ("青松泵滤芯的供应商是由谁创办的？", False, AnswerKind.PERSON),
        ("风筝X1是否仍支持红外配对？", True, AnswerKind.YES_NO),
    ],
)
def test_a_question_is_read(question: str, simple: bool, kind: AnswerKind):
    reading = read_question(question, language_of=detect_language)
    assert (reading.simple, reading.kind) == (simple, kind)


def test_years_and_language_are_kept():
    reading = read_question("  海川公司2021年  净利润？", language_of=detect_language)
    assert (reading.language, reading.years, reading.text) == ("zh", ("2021",), "海川公司2021年 净利润？")
