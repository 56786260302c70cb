"""Arithmetic over findings: numbers, scales and units as people write them."""

import pytest

from appliance.domain import Claim, ClaimKind, Finding, Fingerprint, Task, Tool
from appliance.errors import UserError
from appliance.reasoning.calc import calculate, evaluate, recomputes
from appliance.reasoning.tools.amounts import read_amount


@pytest.mark.parametrize(
    ("text", "value", "scale", "unit"),
    [
        ("£392.0 million", 392e6, "million", "£"),
        ("1,473", 1473, "", ""),
        ("3.1 million", 3.1e6, "million", ""),
        ("10.500亿元", 10.5e8, "亿", "元"),
        ("125.0百万元", 125e6, "百万", "元"),
        ("12.5%", 12.5, "", "%"),
        ("in 2023: 47 days", 47, "", "days"),
        ("(4.2)", -4.2, "", ""),
        ("-3 °C", -3, "", "°C"),
    ],
)
def test_a_quantity_is_read_with_its_scale_and_unit(text: str, value: float, scale: str, unit: str):
    quantity = read_amount(text)
    assert quantity is not None
    assert (float(quantity.number), quantity.scale, quantity.label) == (pytest.approx(value), scale, unit)


def test_no_number_is_no_quantity():
    assert read_amount("not disclosed") is None


def found(task_id: int, answer: str, mark: str) -> Finding:
    claim = Claim(text=answer, kind=ClaimKind.FACT, citations=(Fingerprint(mark),))
    return Finding(task_id=task_id, question="q", found=True, answer=answer, claims=(claim,))


@pytest.mark.parametrize(
    ("expression", "answers", "result"),
    [
        ("({2} - {1}) / {1} * 100", ("£336.0 million", "£392.0 million"), "16.67%"),
        ("{1} - {2}", ("10.500亿元", "8.680亿元"), "1.82亿元"),
        ("{1} + {2}", ("£4.5 million", "£5 million"), "£9.5 million"),
        ("{1} - {2}", ("14 days", "10 days"), "4 days"),
        ("{1} / {2}", ("30", "8"), "3.75"),
        ("{1} / {2}", ("125.0百万元", "10.500亿元"), "11.9% (0.119)"),
    ],
)
def test_a_result_has_the_unit_it_must_have(expression: str, answers: tuple[str, str], result: str):
    findings = [found(1, answers[0], "a"), found(2, answers[1], "b")]
    made = calculate(Task(id=3, question=expression, tool=Tool.CALC, depends_on=(1, 2)), findings)
    assert (made.found, made.answer) == (True, result)
    assert set(made.claims[0].citations) == {"a", "b"}
    assert made.claims[0].kind is ClaimKind.INFERENCE


@pytest.mark.parametrize("expression", ["__import__('os')", "{1} ** 9999", "{1}.real", "abs", "{1} / 0", "("])
def test_nothing_but_plain_arithmetic_is_computed(expression: str):
    with pytest.raises(UserError):
        evaluate(expression, {1: "5"})


def test_an_operand_without_a_number_is_missing_not_guessed():
    made = calculate(Task(id=2, question="{1} * 2", tool=Tool.CALC, depends_on=(1,)), [found(1, "none", "a")])
    assert not made.found
    assert "result 1 holds no number" in made.missing


@pytest.mark.parametrize(
    ("claim", "right"),
    [
        ("(5.2 million - 3.1 million) / 3.1 million * 100 = 67.74%", True),
        ("(5.2 million - 3.1 million) / 3.1 million * 100 = 66%", False),
        ("336.0 million - 128.6 million = £207.4 million", True),
        ("125.0百万 / 1,050.0百万 = 11.9% (0.119)", True),
        ("260万 - 380万 = -120万元", True),
        ("7 - 7 = 0 days", True),
        ("the price = high", False),
        ("Sales rose to 5 million", False),
    ],
)
def test_a_computed_claim_is_computed_again(claim: str, right: bool):
    assert recomputes(claim) is right


def test_a_computed_claim_shows_its_operands_as_the_sources_write_them():
    findings = [found(1, "£3.1 million", "a"), found(2, "£5.2 million", "b")]
    made = calculate(
        Task(id=3, question="({2} - {1}) / {1} * 100", tool=Tool.CALC, depends_on=(1, 2)), findings
    )
    assert made.claims[0].text == "(£5.2 million - £3.1 million) / £3.1 million * 100 = 67.74%"


def test_a_figure_that_no_source_gives_is_not_reckoned_with():
    operands = [found(1, "7 days", "a"), found(2, "11 days", "b")]
    made = calculate(Task(id=3, question="{1} - 11", tool=Tool.CALC, depends_on=(1,)), operands)
    assert not made.found
    mean = calculate(Task(id=3, question="({1} + {2}) / 2", tool=Tool.CALC, depends_on=(1, 2)), operands)
    assert mean.answer == "9 days"
