"""Questions that ask of several things, and those that do not."""

import datetime

import pytest

from appliance.understanding.facets import facets_of
from appliance.understanding.times import read_times

AS_OF = datetime.date(2026, 12, 2)


@pytest.mark.parametrize(
    ("question", "facets"),
    [
        (
            "Comparing the supplier list of 2019-04-19 with that of 2019-11-08: which suppliers were added?",
            (
                "the supplier list of 2019-04-19: which suppliers were added",
                "the supplier list of 2019-11-08: which suppliers were added",
            ),
        ),
        (
            "Does the Herald article say that Orbis grew, while the Courier article claims that it shrank?",
            ("the Herald article say that Orbis grew", "the Courier article claims that it shrank"),
        ),
        ("Who is older, Lida Moran or Peter Kell?", ("Lida Moran older", "Peter Kell older")),
        ("Are Lida Moran and Peter Kell both painters?", ("Lida Moran painters", "Peter Kell painters")),
        (
            "How did net sales in FY2020 compare to FY2021?",
            ("How did net sales in FY2020", "How did net sales in FY2021"),
        ),
        ("（1）泵由谁制造？（2）泵何时发布？", ("泵由谁制造", "泵何时发布")),
        ("2022年和2023年高考人数", ("2022年高考人数", "2023年高考人数")),
        (
            "2021年宝马和奔驰的全球销量分别是多少？",
            ("2021年宝马的全球销量是多少", "2021年奔驰的全球销量是多少"),
        ),
        ("《人世间》的导演和编剧是谁？", ("《人世间》的导演是谁", "《人世间》的编剧是谁")),
        ("风筝X1的芯片是什么，起售价多少", ("风筝X1的芯片是什么", "风筝X1起售价多少")),
    ],
)
def test_a_question_falls_into_its_parts(question: str, facets: tuple[str, ...]):
    assert facets_of(question, times=read_times(question, as_of=AS_OF).spans) == facets


@pytest.mark.parametrize(
    "question",
    [
        "Who founded the company that makes the Alder pump?",
        "What was revenue between 2019 and 2021?",
        "In what year did Margaret Knox's spouse pass away?",
        "中华人民共和国在哪一年恢复了席位？",
        "中国和美国的关系如何？",
        "《食品与生物加工技术》的主编是谁？",
        "青松泵滤芯的供应商是由谁创办的？",
    ],
)
def test_a_plain_question_has_no_facets(question: str):
    assert facets_of(question, times=read_times(question, as_of=AS_OF).spans) == ()
