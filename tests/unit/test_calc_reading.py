"""What amounts, cells and captions are read as, and what is rounded how."""

from fractions import Fraction

import pytest

from appliance.domain import Claim, ClaimKind, Finding, Fingerprint, Task, Tool
from appliance.reasoning.calc import calculate, compute, read_operand, recomputes
from appliance.reasoning.tools.amounts import read_amount
from appliance.reasoning.tools.cells import read_cell, row_values
from appliance.reasoning.tools.rounding import asked_decimals, rounded, text_of
from appliance.reasoning.tools.scales import caption_scale
from appliance.reasoning.tools.values import Value


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("(1,234)", "-1234", ""),
        ("$ 1,234", "1234", "USD"),
        ("$(5,860)", "-5860", "USD"),
        ("$ (625)", "-625", "USD"),
        ("(14.3)%", "-14.3", "percent"),
        ("12.3%", "12.3", "percent"),
        ("1,234 (a)", "1234", ""),
        ("1,234 (2)", "1234", ""),
        ("1,234¹", "1234", ""),
        ("1,234*", "1234", ""),
        ("12.5%†", "12.5", "percent"),
        ("1.2亿", "120000000", ""),
        ("1.2亿元", "120000000", "CNY"),
        ("3,400万", "34000000", ""),
        ("１，２３４", "1234", ""),
        ("—", "0", ""),
        ("-", "0", ""),
        ("$—", "0", ""),
        ("$ -", "0", ""),
        ("—%", "0", ""),
        ("△123", "-123", ""),
        ("−45", "-45", ""),
        ("+80 bps", "0.8", "percent"),
        ("HK$3.5bn", "3500000000", "HKD"),
        ("1\u202f234", "1234", ""),
    ],
)
def test_a_cell_is_read_as_accounts_write_it(text: str, number: str, unit: str):
    cell = read_cell(text)
    assert cell is not None
    assert (cell.value.number, cell.value.unit) == (Fraction(number), unit)


@pytest.mark.parametrize(
    "text", ["", "n/a", "N/A", "n.m.", "不适用", "无", "Level 3 assets", "see note 7", "Total"]
)
def test_a_cell_without_a_figure_is_none(text: str):
    assert read_cell(text) is None


@pytest.mark.parametrize(
    ("text", "scale", "number", "written"),
    [
        ("1,234", "million", "1234000000", "1,234 million"),
        ("$1,234", "thousand", "1234000", "$1,234 thousand"),
        ("(7.5)", "百万", "-7500000", "-7.5百万"),
        ("12.5%", "million", "12.5", "12.5%"),
        ("3亿", "百万", "300000000", "3亿"),
    ],
)
def test_a_caption_scales_cells_but_not_percentages_or_what_has_its_own_scale(
    text: str, scale: str, number: str, written: str
):
    cell = read_cell(text, scale=scale)
    assert cell is not None
    assert (cell.value.number, cell.written) == (Fraction(number), written)


@pytest.mark.parametrize(
    ("caption", "scale"),
    [
        ("(in millions)", "million"),
        ("$ in millions, except per share data", "million"),
        ("(Dollars in thousands)", "thousand"),
        ("£’000", "thousand"),
        ("US$'000", "thousand"),
        ("All figures in USD ‘000", "thousand"),
        ("€ million", "million"),
        ("€m", "million"),
        ("$bn", "bn"),
        ("Amounts in billions", "billion"),
        ("「单位：百万元」", "百万"),
        ("单位：万元", "万"),
        ("（单位：亿元）", "亿"),
        ("人民币千元", "千"),
        ("单位：元", ""),
        ("单位：萬元", "万"),
        ("Years ended December 31,", ""),
        ("", ""),
    ],
)
def test_a_caption_sets_the_scale(caption: str, scale: str):
    assert caption_scale(caption) == scale


@pytest.mark.parametrize(
    ("question", "decimals"),
    [
        ("to two decimal places", 2),
        ("rounded to 1 decimal", 1),
        ("to three decimals", 3),
        ("to the nearest whole percent", 0),
        ("rounded to the nearest tenth", 1),
        ("保留两位小数", 2),
        ("精确到百分位", 2),
        ("保留1位小数", 1),
        ("取整", 0),
        ("What was the growth?", None),
        ("增长率是多少？", None),
    ],
)
def test_rounding_is_read_as_asked(question: str, decimals: int | None):
    assert asked_decimals(question) == decimals


def test_halves_round_away_from_zero_as_people_do():
    assert [rounded(Fraction(n), 0) for n in ("2.5", "-2.5", "2.4", "3.5")] == [3, -3, 2, 4]
    assert text_of(Value(number=Fraction("0.0000123"))) == "0.000012"


def test_a_table_row_is_an_operand_of_many_cells():
    row = "| Revenue (1) | $ 1,200 | (200) | — | n/a | 12 |"
    assert [value.number for value in row_values(row)] == [1200, -200, 0, 12]
    operand = read_operand(row, (Fingerprint("a"),))
    assert operand is not None
    assert compute("sum({1})", {1: operand}).text == "$1,012"
    assert compute("mean({1})", {1: operand}).text == "$253"
    assert compute("growth({1})", {1: operand}).text == "-99%"
    assert compute("max({1})", {1: operand}).citations == ("a",)


def test_a_date_among_answers_is_a_date_unless_another_figure_stands_beside_it():
    opened, closed = read_operand("opened on 12 May 1998"), read_operand("2001年5月12日关闭")
    assert opened is not None
    assert closed is not None
    assert compute("years({1}, {2})", {1: opened, 2: closed}).text == "3 years"
    assert compute("{2} - {1}", {1: opened, 2: closed}, chinese=True).text == "1,096天"
    beside = read_operand("On 12 May 1998: 35 people")
    assert beside is not None
    assert isinstance(beside.value, Value)
    assert beside.value.number == 35


def found(number: int, answer: str, question: str = "q") -> Finding:
    claim = Claim(text=answer, kind=ClaimKind.FACT, citations=(Fingerprint(f"f{number}"),))
    return Finding(task_id=number, question=question, found=True, answer=answer, claims=(claim,))


@pytest.mark.parametrize(
    ("expression", "answers", "answer"),
    [
        ("growth({1}, {2})", ("£336.0 million", "£392.0 million"), "16.67%"),
        ("round(({2} - {1}) / {1} * 100, 1)", ("£336.0 million", "£392.0 million"), "16.7%"),
        ("mean({1}, {2})", ("1.2亿元", "1.4亿元"), "1.3亿元"),
        ("cagr({1}, {2}, 3)", ("$100 million", "$133.1 million"), "10%"),
        ("{1} > {2}", ("5 km", "3 miles"), "yes"),
        ("{1} > {2}", ("9000万元", "1.2亿元"), "否"),
        ("max({1}, {2})", ("$5 million", "$7 million"), "$7 million"),
        ("days({1}, {2})", ("31 January 2019", "1 March 2020"), "395 days"),
        ("{1} * {2}", ("$100", "7.1 CNY/USD"), "CNY 710"),
        ("{1} + {2}", ("$60.3 million", "$32,137 thousand"), "$92,437,000"),
    ],
)
def test_a_result_can_be_followed_and_is_verified(expression: str, answers: tuple[str, str], answer: str):
    findings = [found(n, text, "多少" if "元" in text else "q") for n, text in enumerate(answers, start=1)]
    made = calculate(Task(id=3, question=expression, tool=Tool.CALC, depends_on=(1, 2)), findings)
    assert (made.found, made.answer) == (True, answer)
    assert set(made.claims[0].citations) == {"f1", "f2"}
    assert made.claims[0].text.endswith(f" = {answer}")
    assert recomputes(made.claims[0].text)


@pytest.mark.parametrize(
    ("expression", "answers", "said"),
    [
        ("{1} + {2}", ("$5", "€3"), "exchange rate"),
        ("{1} / {2}", ("5", "0"), "division by zero"),
        ("{1} + {3}", ("5", "3"), "result 3 holds no number"),
        ("open('{1}')", ("5", "3"), "cannot compute"),
        ("{1} * 42", ("5", "3"), "a figure that no source gives"),
        ("{1} - 2019-01-01", ("3 March 2020", "3"), "a figure that no source gives"),
        ("{1} * {1} * {1} * {1}", ("999 million", "3"), "too large"),
    ],
)
def test_what_cannot_be_computed_is_missing_with_a_reason(
    expression: str, answers: tuple[str, str], said: str
):
    findings = [found(n, text) for n, text in enumerate(answers, start=1)]
    made = calculate(Task(id=3, question=expression, tool=Tool.CALC, depends_on=(1, 2)), findings)
    assert (made.found, made.answer, made.claims) == (False, "", ())
    assert said in made.missing


@pytest.mark.parametrize(
    ("claim", "right"),
    [
        ("growth(£5 million, £6 million) = 20%", True),
        ("growth(£5 million, £6 million) = 25%", False),
        ("mean(1.2亿元, 1.4亿元) = 1.3亿元", True),
        ("mean(1.2亿元, 1.4亿元) = 1.3万元", False),
        ("5 km > 3 miles = yes", True),
        ("5 km > 4 miles = yes", False),
        ("5 km > 4 miles = no", True),
        ("9000万 > 1.2亿 = 否", True),
        ("days(2019-01-31, 2020-03-01) = 395 days", True),
        ("2019-03-31 + 45 days = 2019-05-15", True),
        ("2019-03-31 + 45 days = 2019-05-16", False),
        ("$5 + $3 = €8", False),
        ("2 hours + 30 minutes = 150 minutes", True),
        ("1 / 0 = 5", False),
        ("2 / 3 = 0.67", True),
        ("2 / 3 = 0.7", True),
        ("2 / 3 = 0.6", False),
        ("2 / 3 = 0.6667", True),
        ("2 / 3 = 0.6666", False),
        ("60.3 million + 32,137 thousand = 92,437 thousand", True),
        ("open('x') = 5", False),
        ("= 5", False),
        ("$100 * 7.1 CNY/USD = CNY 710", True),
        ("round(2.345, 2) = 2.35", True),
        ("", False),
    ],
)
def test_a_claim_is_rechecked_with_units_and_rounding(claim: str, right: bool):
    assert recomputes(claim) is right


def test_the_first_figure_that_is_no_year_is_read():
    amount = read_amount("In 2019, sales were 3,000 units")
    assert amount is not None
    assert (amount.number, amount.label) == (3000, "units")
