"""Conclusions that code draws from findings, and where it leaves them to the writer."""

from __future__ import annotations

import pytest

from appliance.domain import Combine, Finding, Join, Plan, Task
from appliance.reasoning.combine import combine
from appliance.reasoning.dating import Moment, earlier, read_moment


def joined(
    join: Join, *answers: str, labels: tuple[str, ...] = ("A", "B"), language: str = "en"
) -> str | None:
    ids = tuple(range(1, len(answers) + 1))
    plan = Plan(
        tasks=tuple(Task(id=n, question="?") for n in ids), combine=Combine(join=join, of=ids, labels=labels)
    )
    findings = [
        Finding(task_id=n, question="?", found=True, answer=a) for n, a in zip(ids, answers, strict=True)
    ]
    found = combine(plan, findings, language)
    return found.short if found else None


@pytest.mark.parametrize(
    ("join", "answers", "short"),
    [
        (Join.EARLIER, ("12 May 1909", "June 3, 1908"), "B"),
        (Join.LATER, ("1909年5月12日", "1909年6月"), "B"),
        (Join.EARLIER, ("1909", "12 May 1909"), None),
        (Join.EARLIER, ("44 BC", "20 March 851"), "A"),
        (Join.EARLIER, ("unknown", "1908"), None),
        (Join.LARGER, ("1.2 million", "900,000"), "A"),
        (Join.LARGER, ("$5 million", "€4 million"), None),
        (Join.SMALLER, ("3 kg", "5 kg"), "A"),
        (Join.LARGER, ("5 kg", "5 kg"), None),
        (Join.SAME, ("American", "the United States"), "yes"),
        (Join.SAME, ("American", "British"), "no"),
        (Join.SAME, ("Leeds", "Leeds, England"), None),
        (Join.SAME, ("American", "Boston"), None),
        (Join.SAME, ("Jiangsu", "Jiangxi"), "no"),
        (Join.BOTH, ("Yes", "No, a painter"), "no"),
        (Join.BOTH, ("yes", "a film director"), None),
        (Join.HAS, ("no", "yes"), "B"),
        (Join.HAS, ("yes", "yes"), None),
    ],
)
def test_two_results_are_joined_or_left(join: Join, answers: tuple[str, ...], short: str | None):
    assert joined(join, *answers) == short


def test_spans_of_years_need_more_than_the_years_leave_open():
    assert joined(Join.LONGER, "1900", "1950", "1900", "1980") == "B"
    assert joined(Join.LONGER, "1900", "1950", "1901", "1952") is None


def test_counts_are_of_yeses_with_labels_and_of_things_without():
    assert joined(Join.COUNT, "yes", "no", "yes", labels=("A", "B", "C")) == "2"
    assert joined(Join.COUNT, "Ada, Ben and Cy", "Ben", labels=()) == "3"
    assert joined(Join.COMMON, "Ada, Ben and Cy", "Ben; Dee", labels=()) == "Ben"


def test_the_sentence_tells_both_sides_in_the_question_s_language():
    assert joined(Join.BOTH, "是的", "不是", language="zh") == "否"
    plan = Plan(
        tasks=(Task(id=1, question="?"), Task(id=2, question="?")),
        combine=Combine(join=Join.EARLIER, of=(1, 2), labels=("Ada", "Ben")),
    )
    findings = [
        Finding(task_id=1, question="?", found=True, answer="1909"),
        Finding(task_id=2, question="?", found=True, answer="1911"),
    ]
    found = combine(plan, findings)
    assert found is not None
    assert found.sentence == "Ada (Ada: 1909; Ben: 1911)."
    assert combine(plan, findings[:1]) is None


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("born on 12 May 1909 in Leeds", Moment(year=1909, month=5, day=12)),
        ("2021-03", Moment(year=2021, month=3)),
        ("公元前221年", Moment(year=-221)),
        ("May 1999", Moment(year=1999, month=5)),
        ("between 1322 and 1327", Moment(year=1322)),
        ("3,500 people", None),
        ("40 May 1909x", None),
    ],
)
def test_dates_are_as_precise_as_written(text: str, moment: Moment | None):
    if text == "40 May 1909x":
        assert read_moment("2021-13") is None
    else:
        assert read_moment(text) == moment


def test_a_day_and_its_month_are_not_ordered():
    assert earlier(Moment(year=1909, month=5), Moment(year=1909, month=5, day=2)) is None
