"""Time expressions of both languages, resolved against Wednesday 2 December 2026."""

import datetime

import pytest

from appliance.understanding.times import read_times

AS_OF = datetime.date(2026, 12, 2)


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ("revenue between 2019 and 2021", [("2019-01-01", "2021-12-31")]),
        ("incidents from March 2020 until now", [("2020-03-01", "2026-12-02")]),
        ("Q22023 year over year", [("2023-04-01", "2023-06-30")]),
        ("the third quarter of fiscal 2021", [("2021-07-01", "2021-09-30")]),
        ("Q1 and Q2 of 2022", [("2022-01-01", "2022-03-31"), ("2022-04-01", "2022-06-30")]),
        ("six months ended June 30, 2022", [("2022-01-01", "2022-06-30")]),
        ("on May 3rd, 2023", [("2023-05-03", "2023-05-03")]),
        ("last quarter, last year", [("2026-07-01", "2026-09-30"), ("2025-01-01", "2025-12-31")]),
        ("after 2020 and before 2024", [("2021-01-01", "2023-12-31")]),
        ("in the 1990s", [("1990-01-01", "1999-12-31")]),
        ("You may march in the 2018-19 season", [("2018-01-01", "2019-12-31")]),
        ("二〇二三年5月3日", [("2023-05-03", "2023-05-03")]),
        ("去年第四季度的营收", [("2025-10-01", "2025-12-31")]),
        ("今年前三季度", [("2026-01-01", "2026-09-30")]),
        ("近三年和年初至今", [("2023-12-02", "2026-12-02"), ("2026-01-01", "2026-12-02")]),
        ("2020年以来", [("2020-01-01", None)]),
        ("截至2023年底", [(None, "2023-12-31")]),
        ("2021年12月31日前", [(None, "2021-12-30")]),
        ("25年营收和10年期国债", [("2025-01-01", "2025-12-31")]),
        ("2022年10月至12月", [("2022-10-01", "2022-12-31")]),
        ("去年第四季度", [("2025-10-01", "2025-12-31")]),
        ("2020 units, room 2019, code 3.2020", []),
        ("3个月以内退货，第2020号文件", []),
    ],
)
def test_times_are_resolved(text: str, ranges: list[tuple[str | None, str | None]]):
    assert [(each.start, each.end) for each in read_times(text, as_of=AS_OF).times] == ranges


@pytest.mark.parametrize(
    "text",
    [
        "on 2023-02-30",
        "in Q5 2022",
        "after 2024 and before 2020",
        "from 2024 to 2020",
        "2023年13月",
        "2024年之后、2020年之前",
    ],
)
def test_what_cannot_be_is_a_notice_and_no_constraint(text: str):
    read = read_times(text, as_of=AS_OF)
    assert (read.times, len(read.notices)) == ((), 1)


def test_reporting_periods_are_marked():
    read = read_times("FY2022, 2022年度, 2021", as_of=AS_OF)
    assert [each.fiscal for each in read.times] == [True, False]
