"""Every way to write a figure that the reader of quantities knows, and when two are the same."""

from __future__ import annotations

import pytest

from appliance.domain.quantities import carries, quantities, same, stated_scale

ONE = [
    ("twelve employees", 12.0, ""),
    ("two and a half million people", 2.5e6, ""),
    ("two hundred and five trucks", 205.0, ""),
    ("十二名员工", 12.0, ""),
    ("百分之五的员工", 5.0, "percent"),
    ("一千二百三十四元", 1234.0, "CNY"),
    ("3亿5000万元", 3.5e8, "CNY"),
    ("一万二千人", 12000.0, ""),
    ("1.2亿美元", 1.2e8, "USD"),
    ("£207.4 million", 207.4e6, "GBP"),
    ("US$5bn", 5e9, "USD"),
    ("人民币3.2亿元", 3.2e8, "CNY"),
    ("(4.2) million", -4.2e6, ""),
    ("12,345.67", 12345.67, ""),
    ("5个百分点", 5.0, "percentage_point"),
    ("25 bps", 0.25, "percentage_point"),
    ("25 °C", 25.0, "celsius"),
    ("5 km", 5000.0, "m"),
    ("两年", 24.0, "month"),
    ("三分之二", 200 / 3, "percent"),
    ("三成", 30.0, "percent"),
    ("half of the staff", 50.0, "percent"),
    ("3 p.m.", 900.0, "clock"),
    ("第三代", 3.0, "ordinal"),
    ("５００万元", 5e6, "CNY"),
]
DAYS = [
    "3 March 2021",
    "March 3, 2021",
    "2021-03-03",
    "2021年3月3日",
    "民国110年3月3日",
    "2021/3/3",
    "3rd of March 2021",
]


@pytest.mark.parametrize(("text", "value", "unit"), ONE)
def test_one_figure_is_read(text: str, value: float, unit: str) -> None:
    (found,) = quantities(text)
    assert found.value == pytest.approx(value)
    assert found.unit == unit


@pytest.mark.parametrize("text", DAYS)
def test_a_day_is_one_day_however_written(text: str) -> None:
    (found,) = quantities(text)
    assert found.when is not None
    assert (found.when.year, found.when.month, found.when.day) == (2021, 3, 3)


@pytest.mark.parametrize(
    "text",
    ["CGM-200 has 5G", "v2.3.1", "三星公司", "十分重要", "千万不要", "一些人", "one of the best", "n/a"],
)
def test_what_is_no_figure(text: str) -> None:
    assert quantities(text) == ()


def test_spans_point_into_the_text_read() -> None:
    text = "２０２１年营收为３．５亿元，增长12%。"
    assert [text[q.span.start : q.span.end] for q in quantities(text)] == ["２０２１年", "３．５亿元", "12%"]


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("between 5 and 10 days", 5 * 86400, 10 * 86400),
        ("5-10 million", 5e6, 1e7),
        ("3至5万元", 3e4, 5e4),
        ("5%–10%", 5, 10),
        ("2019-2021", 2019, 2021),
    ],
)
def test_ranges(text: str, low: float, high: float) -> None:
    (found,) = quantities(text)
    assert (found.low, found.high) == pytest.approx((low, high))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("1.2 million", "1,234,000"),
        ("120万", "1.2 million"),
        ("1.2亿元", "RMB 120 million"),
        ("5 km", "5000米"),
        ("two weeks", "14天"),
        ("one year", "12个月"),
        ("12%", "百分之十二"),
        ("12.3%", "12.34%"),
        ("2021", "3 March 2021"),
        ("2023年", "民国112年"),
        ("Q3 2021", "2021年第三季度"),
        ("FY2021", "2021"),
        ("about 1,200", "1,234"),
        ("10:30 pm", "22:30"),
    ],
)
def test_the_same(a: str, b: str) -> None:
    assert same(quantities(a)[0], quantities(b)[0])


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("5", "7"),
        ("5%", "5个百分点"),
        ("$5", "£5"),
        ("5 hours", "5 days"),
        ("1 hour", "75 minutes"),
        ("25 °C", "25 °F"),
        ("2021", "2022"),
        ("Q2 2021", "Q3 2021"),
        ("3 March 2021", "4 March 2021"),
        ("1,200", "1,234"),
        ("2 million", "1.6 million"),
        ("5 to 10 days", "7 days"),
    ],
)
def test_not_the_same(a: str, b: str) -> None:
    assert not same(quantities(a)[0], quantities(b)[0])


def test_a_coarse_source_does_not_carry_a_fine_claim() -> None:
    coarse, fine = quantities("1.2 million")[0], quantities("1,234,567")[0]
    assert carries(fine, coarse)
    assert not carries(coarse, fine)
    assert not carries(quantities("2021")[0], quantities("3 March 2021")[0])


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("at least 5 hours", "min"),
        ("不超过30天", "max"),
        ("30日内", "max"),
        ("300多人", "min"),
        ("5 hours", ""),
    ],
)
def test_bounds(text: str, bound: str) -> None:
    assert quantities(text)[0].bound == bound


def test_captions_set_a_scale() -> None:
    assert stated_scale("(in millions of euros)") == 1e6
    assert stated_scale("单位：万元") == 1e4
    assert stated_scale("Revenue") == 1.0


@pytest.mark.parametrize(
    ("caption", "factor"),
    [
        ("Sales by region (£ million)", 1e6),
        ("Segments, US$ m", 1e6),
        ("in thousands of dollars", 1e3),
        ("(HK$'000)", 1e3),
        ("利润表（百万元）", 1e6),
        ("单位：万元", 1e4),
        ("It has 3 million users (of 5 million)", 1.0),
        ("in a million ways", 1.0),
    ],
)
def test_a_caption_says_in_what_its_figures_are(caption: str, factor: float) -> None:
    assert stated_scale(caption) == factor
