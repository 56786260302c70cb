"""From questions to calculations, and from a question with a table to a result, no model asked."""

import pytest

from appliance.domain import Fingerprint
from appliance.reasoning.calc import recomputes
from appliance.reasoning.tools.derive import derive
from appliance.reasoning.tools.periods import Period, periods
from appliance.reasoning.tools.table_reader import compute_over_table


@pytest.mark.parametrize(
    ("question", "lookups", "expression"),
    [
        (
            "What was the percentage change in net debt between 2018 and 2019?",
            ["net debt|2018", "net debt|2019"],
            "({2} - {1}) / {1} * 100",
        ),
        (
            "By what percentage did the sales of Orbis grow from 2020 to 2021?",
            ["sales of Orbis|2020", "sales of Orbis|2021"],
            "({2} - {1}) / {1} * 100",
        ),
        (
            "What is the increase / (decrease) in wages in 2019 from 2018?",
            ["wages|2018", "wages|2019"],
            "{2} - {1}",
        ),
        (
            "What was the percent change in rent in 2019?",
            ["rent|2018", "rent|2019"],
            "({2} - {1}) / {1} * 100",
        ),
        (
            "What was the % change in rent from 2018 to 2019, to one decimal place?",
            ["rent|2018", "rent|2019"],
            "round(({2} - {1}) / {1} * 100, 1)",
        ),
        (
            "What is the average revenue for 2017 to 2019?",
            ["revenue|2017", "revenue|2018", "revenue|2019"],
            "mean({1}, {2}, {3})",
        ),
        ("What was the CAGR of sales from 2015 to 2019?", ["sales|2015", "sales|2019"], "cagr({1}, {2}, 4)"),
        ("What was the total amount of fees in both 2018 and 2019?", ["fees|2018", "fees|2019"], "{1} + {2}"),
        ("What was the sum of rent and wages in 2019?", ["rent|2019", "wages|2019"], "{1} + {2}"),
        ("What was the ratio of debt to equity in 2019?", ["debt|2019", "equity|2019"], "ratio({1}, {2})"),
        (
            "What is rent as a percentage of total costs in 2019?",
            ["rent|2019", "total costs|2019"],
            "{1} / {2} * 100",
        ),
        (
            "What percentage of total costs was rent in 2019?",
            ["rent|2019", "total costs|2019"],
            "{1} / {2} * 100",
        ),
        (
            "What was the difference between debt and purchase obligations in 2019?",
            ["debt|2019", "purchase obligations|2019"],
            "{1} - {2}",
        ),
        (
            "What is the change in costs between the fourth quarter of 2018 and 2019?",
            ["costs|Q4 2018", "costs|Q4 2019"],
            "{2} - {1}",
        ),
        (
            "海川公司2021年的净利润比2020年增长了百分之几？",
            ["海川公司净利润|2020", "海川公司净利润|2021"],
            "({2} - {1}) / {1} * 100",
        ),
        ("2020年净利润比2019年增加了多少？", ["净利润|2019", "净利润|2020"], "{2} - {1}"),
        (
            "2019年营业收入同比增长率是多少？保留两位小数",
            ["营业收入|2018", "营业收入|2019"],
            "round(({2} - {1}) / {1} * 100, 2)",
        ),
        ("海川公司2019年租金占总成本的比例是多少？", ["海川公司租金|2019", "总成本|2019"], "{1} / {2} * 100"),
        (
            "2017年至2019年营业收入的年均复合增长率是多少？",
            ["营业收入|2017", "营业收入|2019"],
            "cagr({1}, {2}, 2)",
        ),
        ("2018年和2019年研发费用的合计是多少？", ["研发费用|2018", "研发费用|2019"], "{1} + {2}"),
        ("2019年研发费用与销售费用之和是多少？", ["研发费用|2019", "销售费用|2019"], "{1} + {2}"),
        (
            "2018年至2020年平均营业收入是多少？",
            ["营业收入|2018", "营业收入|2019", "营业收入|2020"],
            "mean({1}, {2}, {3})",
        ),
        ("2020年流动资产与流动负债的比率是多少？", ["流动资产|2020", "流动负债|2020"], "ratio({1}, {2})"),
    ],
)
def test_a_clear_question_names_its_lookups_and_its_calculation(
    question: str, lookups: list[str], expression: str
):
    derivation = derive(question)
    assert derivation is not None
    assert [f"{one.metric}|{one.period}" for one in derivation.lookups()] == lookups
    assert derivation.expression() == expression
    assert derivation.complete()


@pytest.mark.parametrize(
    "question",
    [
        "Who is the CEO?",
        "When was the school founded?",
        "What changed in chapter 7?",
        "Why did sales fall?",
        "谁是董事长？",
        "第三章规定了什么？",
        "Which company has more staff?",
        "",
    ],
)
def test_no_calculation_is_read_into_other_questions(question: str):
    derivation = derive(question)
    assert derivation is None or not derivation.complete()


def test_lookups_are_questions_of_their_own():
    english, chinese = (
        derive("What was the change in rent from 2018 to 2019?"),
        derive("2020年净利润比2019年增加了多少？"),
    )
    assert english is not None
    assert chinese is not None
    assert english.lookups()[0].asked() == "What was rent in 2018?"
    assert chinese.lookups()[1].asked(chinese=True) == "2020年的净利润是多少？"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("FY19", [Period(year=2019)]),
        ("fiscal year 2019", [Period(year=2019)]),
        ("2018/2019", [Period(year=2019)]),
        ("2017-2019", [Period(year=y) for y in (2017, 2018, 2019)]),
        ("Q3 2019", [Period(year=2019, part="Q3")]),
        ("third quarter of 2019", [Period(year=2019, part="Q3")]),
        ("2019年第三季度", [Period(year=2019, part="Q3")]),
        ("2019年上半年", [Period(year=2019, part="H1")]),
        ("June 30, 2019", [Period(year=2019, part="06-30")]),
        ("30/9/2019", [Period(year=2019)]),
        ("1,2019 units", []),
        ("2019.5", []),
    ],
)
def test_periods_are_read_however_they_are_written(text: str, expected: list[Period]):
    assert periods(text) == expected


TABLE = """| (in millions) | Years ended December 31, | | |
|---|---|---|---|
| | 2019 | 2018 | 2017 |
| Revenue: | | | |
| Product sales (1) | $ 1,200 | $ 1,000 | $ 800 |
| Services | 300 | 250 | — |
| Total revenue | 1,500 | 1,250 | 800 |
| Cost of sales | (700) | (600) | (500) |
| Gross margin | 53.3% | 52.0% | 37.5% |
| Earnings per share | 2.50 | 2.00 | 1.50 |"""
TABLE_ZH = """单位：百万元
| 项目 | 2020年 | 2019年 |
|---|---|---|
| 营业收入 | 1,200 | 1,000 |
| 研发费用 | 120 | 90 |
| 销售费用 | 60 | 50 |"""


@pytest.mark.parametrize(
    ("question", "table", "text"),
    [
        ("What was the percentage change in product sales between 2018 and 2019?", TABLE, "20%"),
        ("What was the change in total revenue from 2018 to 2019?", TABLE, "250 million"),
        ("What was the average cost of sales for 2018 and 2019?", TABLE, "650 million"),
        ("What was the change in gross margin between 2018 and 2019?", TABLE, "1.3%"),
        ("What was the change in earnings per share from 2017 to 2019?", TABLE, "1"),
        ("What is services as a percentage of total revenue in 2018?", TABLE, "20%"),
        ("What is the average total revenue for 2017 to 2019, to one decimal?", TABLE, "1,183.3 million"),
        ("What was the CAGR of product sales from 2017 to 2019?", TABLE, "22.47%"),
        ("2020年营业收入同比增长率是多少？", TABLE_ZH, "20%"),
        ("2020年研发费用占营业收入的比例是多少？", TABLE_ZH, "10%"),
        ("2020年研发费用与销售费用之和是多少？", TABLE_ZH, "180百万"),
        ("2020年研发费用比2019年增加了多少？", TABLE_ZH, "30百万"),
    ],
)
def test_a_table_answers_in_one_go(question: str, table: str, text: str):
    made = compute_over_table(question, table, fingerprint=Fingerprint("p1"))
    assert made is not None
    assert made.text == text
    assert made.citations == ("p1",)
    assert recomputes(made.line)


@pytest.mark.parametrize(
    "question",
    [
        "What was the percentage change in product sales between 2014 and 2015?",  # no such column
        "What was the change in headcount from 2018 to 2019?",  # no such row
        "What was the percentage change in services between 2017 and 2018?",  # from nothing
        "Who audits the company?",
    ],
)
def test_in_doubt_nothing_is_said(question: str):
    assert compute_over_table(question, TABLE) is None


def test_two_rows_that_fit_alike_are_a_doubt():
    table = "| | 2019 | 2018 |\n|---|---|---|\n| Current |  |  |\n| Other | 5 | 4 |\n"
    table += "| Non-current |  |  |\n| Other | 9 | 7 |"
    assert compute_over_table("What was the change in other between 2018 and 2019?", table) is None
    made = compute_over_table(
        "What was the change in other current between 2018 and 2019?", table.replace("Non-current", "Later")
    )
    assert made is not None
    assert made.text == "1"
