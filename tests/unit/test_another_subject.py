"""A figure of another subject, row, year or trial is not given for the one that was asked about."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from appliance.answers.coverage import not_covered
from appliance.answers.figure_kinds import figures_stand_in
from appliance.answers.guards import (
    FindingReply,
    Question,
    of_another_subject,
    refusal,
    restates,
)
from appliance.answers.mend import in_asked_column, states_for
from appliance.answers.verify import ordinals
from appliance.confirming import tells_of_another
from appliance.domain import years_in
from appliance.domain.quantities import quantities
from appliance.domain.stance import hedged
from appliance.looking_up import head_of
from appliance.reasoning.patterns_compare_zh import compared_chinese
from appliance.store.analysis import analyse
from tests.unit.test_answers import line

ROW = "Monitoring (£ million) — 2023: 187.5; 2022: 128.6"


def asked(text: str) -> Question:
    return Question(task_id=1, text=text)


@pytest.mark.parametrize(
    ("question", "sentence", "another"),
    [
        (
            "How many people work for Kelling Tarn?",
            "It buys of Kelling Tarn.\nOrbis employed 37 people.",
            True,
        ),
        ("How many people work for Orbis?", "It buys of Kelling Tarn.\nOrbis employed 37 people.", False),
        ("How many people work for Kelling Tarn?", "Kelling Tarn, unlike Orbis, employed 37 people.", False),
        ("How many people work for Kelling Tarn?", "They employed 37 people.", False),
        ("How many people work there?", "Orbis employed 37 people.", False),
    ],
)
def test_a_sentence_about_what_its_document_is_of_tells_nothing_of_others(
    question: str, sentence: str, another: bool
):
    assert of_another_subject(asked(question), "37", line(1, sentence)) is another


@pytest.mark.parametrize(
    ("statement", "lets"),
    [
        ("Orbis 第二条产线的实际造价为2,410万英镑。", True),
        ("Orbis预计将在2025年花费400万英镑进行监管工作。", False),
        ("", True),
        ("The line cost £24.1 million.", True),
    ],
)
def test_what_is_said_of_a_foreign_line_comes_back_to_the_question(statement: str, lets: bool):
    question = asked("Orbis 第二条产线的实际造价是多少？")
    assert restates(question, statement, line(1, "The line cost £24.1 million."), analyse) is lets


@pytest.mark.parametrize(
    ("answer", "years", "mended"),
    [
        ("£187.5 million", ["2022"], ("187.5", "128.6")),
        ("£128.6 million", ["2022"], None),
        ("£187.5 million", ["2023"], None),
        ("£187.5 million", [], None),
        ("£187.5 million", ["2022", "2023"], None),
        ("£9.1 million", ["2022"], None),
    ],
)
def test_a_row_gives_the_figure_of_the_year_asked_about(answer: str, years: list[str], mended: object):
    assert in_asked_column(answer, years, ROW) == mended


def test_a_sentence_of_the_year_speaks_for_its_figure():
    assert states_for("£187.5 million", ["2022"], "In 2022 it sold for £187.5 million.")
    assert not states_for("£187.5 million", ["2022"], "Monitoring grew to £187.5 million.")
    assert not states_for("£187.5 million", ["2022"], ROW)


def test_a_line_of_one_trial_is_not_quoted_for_the_other():
    passage = line(1, "TIDE-2 found 9.1%. The wards found 10.7%.", "Report of the wards").passage
    assert tells_of_another("What did TIDE-2 find?", "The wards found 10.7%.", [passage])
    assert not tells_of_another("What did TIDE-2 find?", "TIDE-2 found 9.1%.", [passage])
    assert not tells_of_another("What did the wards find?", "The wards found 10.7%.", [passage])


@pytest.mark.parametrize(
    ("read", "text", "found"),
    [
        (ordinals, "第二条传感器产线的造价", set()),
        (ordinals, "第二条规定了什么", {"条 2"}),
        (years_in, "project AB-2020-0317", []),
        (years_in, "mid-2023 and FY2022", ["2023", "2022"]),
        (head_of, "乙大学甲教授主持的氢气传感项目（2020年）", "氢气传感项目"),
        (head_of, "Ada Brill, author", "Ada Brill"),
    ],
)
def test_names_of_things_are_no_articles_and_no_years(
    read: Callable[[str], object], text: str, found: object
):
    assert read(text) == found


def test_a_code_ends_where_han_begins():
    assert [one.text for one in quantities("在TIDE-2研究的误差为10.7%。")] == ["10.7%"]


def test_what_the_sides_are_is_not_asked_of_them():
    shape = compared_chinese("Orbis 和澄湖公司，哪家公司2023年末的员工更多？")
    assert shape is not None
    assert [one.question for one in shape.lookups] == [
        "Orbis 2023年末的员工有多少人？",
        "澄湖公司2023年末的员工有多少人？",
    ]


def test_a_month_is_no_doubt():
    assert hedged("Tam Orley (8 May 1939 – 17 March 2006), historian") == ""
    assert hedged("The pump may stop.") == "may"


@pytest.mark.parametrize(
    ("question", "document", "absent"),
    [
        ("What did project AB-2020-0317 spend?", "", ["AB-2020-0317"]),
        ("What did project AB-2020-0317 spend?", "Number: AB-2020-0317", []),
        ("1型糖尿病患者的误差是多少？", "", ["1型"]),
        ("泵房三十二号的功率是多少？", "", ["三十二号"]),
        ("泵房三十二号的功率是多少？", "泵房三十二号", []),
        ("泵房三十二号的功率是多少？", "泵房32号", []),
        ("五月三十号的功率是多少？", "", []),
        ("What is the error in type 2 diabetes?", "", ["type 2"]),
    ],
)
def test_a_code_may_stand_elsewhere_in_the_document(question: str, document: str, absent: list[str]):
    assert not_covered(question, (), "Equipment: 126.5", document) == absent


@pytest.mark.parametrize(
    ("question", "answer", "absent"),
    [
        ("What were the sales of Orbis?", "71%", ("kind",)),
        ("What share of sales comes from Orbis?", "71%", ()),
        ("Orbis 的收入是多少？", "71%", ("kind",)),
        ("Orbis 收入的增长率是多少？", "71%", ()),
        ("What were the sales of Orbis?", "71 million", ()),
        ("How many people make sales at Orbis?", "71 kg", ("kind",)),
        ("How many people make sales at Orbis?", "71", ()),
    ],
)
def test_a_share_is_no_amount(question: str, answer: str, absent: tuple[str, ...]):
    one = line(1, f"Orbis 的收入 {answer}" if "的" in question else f"Orbis bought {answer} of its sales.")
    reply = FindingReply(found=True, answer=answer, statement=f"It is {answer}.")
    refused = refusal(asked(question), reply, one, analyse)
    assert (refused.absent if refused else ()) == absent


@pytest.mark.parametrize(
    ("answer", "held", "stands"),
    [
        ("29吨", "The pump weighs 29 kg.", False),
        ("29公斤", "The pump weighs 29 kg.", True),
        ("1,905人", "Orbis employed 1,905 people.", True),
        ("2,410万英镑", "It cost £24.1 million.", True),
        ("£5 million", "花费约400万英镑", False),
        ("张三", "Zhang San", True),
    ],
)
def test_a_foreign_line_holds_a_figure_only_with_its_unit(answer: str, held: str, stands: bool):
    assert figures_stand_in(answer, held) is stands
