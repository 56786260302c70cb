"""Figures read off a table and years counted by a bound, in both languages."""

from __future__ import annotations

import pytest

from appliance.reasoning.tools.table_list import asks_list, listed_over_table
from appliance.tabling import asks_table

TABLE = """(in thousands)

| | 2019 | 2018 | 2017 |
|---|---|---|---|
| Sales of pumps | $12,400 | $9,800 | $7,100 |
| Raw materials | 900 | 1,100 | 1,300 |
| Gross margin, % | 31.0% | 29.5% | 33.2% |
"""
TABLE_ZH = """单位：万元

| 项目 | 2023年 | 2022年 |
|---|---|---|
| 营业收入 | 5,200 | 4,100 |
| 研发费用 | 610 | 480 |
"""


@pytest.mark.parametrize(
    ("question", "table", "answer"),
    [
        (
            "What were the respective sales of pumps in 2018 and 2019?",
            TABLE,
            "$9,800 thousand; $12,400 thousand",
        ),
        ("What was the gross margin in 2019 and 2017 respectively?", TABLE, "31.0%; 33.2%"),
        ("How many years did raw materials exceed $1,000 thousand?", TABLE, "2"),
        ("How many years was the gross margin below 30%?", TABLE, "1"),
        ("How many years did sales of pumps exceed $5 million?", TABLE, "3"),
        ("2022年和2023年的营业收入分别是多少？", TABLE_ZH, "4,100万; 5,200万"),
        ("有几年研发费用超过500万元？", TABLE_ZH, "1"),
    ],
)
def test_cells_are_listed_and_counted(question: str, table: str, answer: str) -> None:
    made = listed_over_table(question, table)
    assert made is not None
    assert made.text == answer
    assert asks_table(question)
    assert all(figure.cell.written in made.line for figure in made.figures)


@pytest.mark.parametrize(
    "question",
    [
        "How many years did sales of pumps exceed $50 million?",  # none: the scale may be misread
        "How many years did raw materials exceed 20%?",  # a share of what?
        "What were the respective sales of pumps in 2019 to 2017?",
        "What were the respective sales of valves in 2018 and 2019?",
        "What were the sales of pumps?",
    ],
)
def test_in_doubt_there_is_no_answer(question: str) -> None:
    assert listed_over_table(question, TABLE) is None


def test_who_and_when_are_no_questions_for_cells() -> None:
    assert not asks_table("In which year was the average price the smallest?")
    assert not asks_table("哪一年的平均价格最低？")
    assert not asks_list("Who were the respective owners in 2018 and 2019?")
