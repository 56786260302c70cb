"""What a person says to a run, read: aims, days, kinds of sources and titles, in both languages."""

from __future__ import annotations

import pytest

from appliance.config import Domains
from appliance.domain import Guidance, WishAim
from appliance.questions import QuestionReader
from appliance.understanding.guidance import read_guidance
from appliance.understanding.guidance_fit import fitted, together

READER = QuestionReader(Domains())


def read(text: str) -> Guidance:
    return read_guidance(text, read=READER.read)


def spans(guidance: Guidance) -> list[tuple[str | None, str | None]]:
    return [(time.start, time.end) for wish in guidance.wishes for time in wish.times]


@pytest.mark.parametrize(
    ("text", "aim", "names", "days"),
    [
        ("look in the 2023 report", WishAim.PREFER, (), [("2023-01-01", "2023-12-31")]),
        ("ignore news", WishAim.AVOID, ("news",), []),
        ("please don't use the drafts", WishAim.AVOID, ("draft",), []),
        ("news should be ignored", WishAim.AVOID, ("news",), []),
        ("leave the press releases out", WishAim.AVOID, ("press release",), []),
        ("only use the annual report", WishAim.ONLY, ("annual report",), []),
        ("use only the annual report of 2022", WishAim.ONLY, ("annual report",),
            [("2022-01-01", "2022-12-31")]),
        ("use documents after March 2022", WishAim.PREFER, (), [("2022-04-01", None)]),
        ("ignore everything before 2020", WishAim.AVOID, (), [(None, "2019-12-31")]),
        ("look at Terms and Conditions", WishAim.PREFER, ("Terms and Conditions",), []),
        ("see “Price list, spring”", WishAim.PREFER, ("Price list, spring",), []),
        ("focus on risk factors", WishAim.PREFER, ("risk",), []),
        ("not only the annual report", WishAim.PREFER, ("annual report",), []),
        ("the answer is in the 2023 report", WishAim.PREFER, (), [("2023-01-01", "2023-12-31")]),
        ("只看2023年的年报", WishAim.ONLY, ("annual report",), [("2023-01-01", "2023-12-31")]),
        ("不要看新闻", WishAim.AVOID, ("news",), []),
        ("把新闻排除掉", WishAim.AVOID, ("news",), []),
        ("新闻不用看", WishAim.AVOID, ("news",), []),
        ("在年报里找", WishAim.PREFER, ("annual report",), []),
        ("以2022年年报为准", WishAim.PREFER, ("annual report",), [("2022-01-01", "2022-12-31")]),
        ("重点看风险因素", WishAim.PREFER, ("risk",), []),
        ("参考《员工手册》", WishAim.PREFER, ("员工手册",), []),
        ("忽略2021年以前的文件", WishAim.AVOID, (), [(None, "2020-12-31")]),
        ("不仅看年报", WishAim.PREFER, ("annual report",), []),
    ],
)  # fmt: skip
def test_one_wish(text: str, aim: WishAim, names: tuple[str, ...], days: list[tuple[str | None, str | None]]):
    guidance = read(text)
    [wish] = guidance.wishes
    assert (wish.aim, wish.names, spans(guidance)) == (aim, names, days)


def test_ways_are_filters_of_both_languages():
    [wish] = read("ignore news").wishes
    [way] = wish.ways
    assert [str(condition) for filters in way for condition in filters] == [
        "title~news|新闻|报道|快讯|资讯",
        "document~news|新闻|报道|快讯|资讯",
        "tag=news|新闻|报道|快讯|资讯",
    ]
    first, second = read("只看2023年的年报").wishes[0].ways
    assert str(first[0][-1]) == "title~2023"
    assert [str(each) for each in second[0][1:]] == ["published>=2023-01-01", "published<=2023-12-31"]


def test_a_list_is_a_wish_each_and_a_second_clause_has_its_own_aim():
    guidance = read("ignore news and drafts, but use the 2023 annual report")
    assert [(wish.aim, wish.names) for wish in guidance.wishes] == [
        (WishAim.AVOID, ("news",)),
        (WishAim.AVOID, ("draft",)),
        (WishAim.PREFER, ("annual report",)),
    ]
    both = read("only the policy handbook and the annual report").wishes
    assert {wish.text for wish in both} == {"only the policy handbook and the annual report"}
    assert len(both) == 2


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("the product is called Tidemark X2", "Tidemark X2"),
        ("it was renamed to Brannholm GmbH in 2019", "Brannholm GmbH"),
        ("公司后来改名为华信科技", "华信科技"),
    ],
)
def test_a_hint_becomes_words_to_search_with(text: str, term: str):
    guidance = read(text)
    assert guidance.wishes == ()
    assert term in guidance.terms


def test_collections_and_impossible_days_are_told():
    assert read("look in collection papers").collections == ("papers",)
    assert read("ignore collection drafts-2").avoided_collections == ("drafts-2",)
    assert "no date" in read("use 30 February 2023").notices[0]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What was the revenue in 2022?", "only 2023"),
        ("2022年的营业收入是多少？", "只看2023年的文件"),
        ("What was the revenue in 2022?", "ignore documents of 2022"),
        ("According to the annual report, who chairs the board?", "ignore the annual report"),
        ("According to the annual report, who chairs the board?", "only use press releases"),
    ],
)
def test_the_question_holds_where_guidance_contradicts_it(question: str, text: str):
    fit = fitted(read(text), READER.read(question))
    assert fit.guidance.wishes == ()
    [told] = fit.conflicts
    assert "the question holds" in told
    assert text in told


def test_only_the_days_of_a_wish_fall_where_only_they_contradict():
    fit = fitted(read("only the 2023 annual report"), READER.read("What was the revenue in 2022?"))
    [wish] = fit.guidance.wishes
    assert (wish.names, wish.times, len(fit.conflicts)) == (("annual report",), (), 1)
    assert "2023" not in str(wish.ways)


def test_guidance_holds_where_the_question_is_silent():
    fit = fitted(read("only 2023, ignore news"), READER.read("Who chairs the board?"))
    assert (len(fit.guidance.wishes), fit.conflicts) == (2, ())


def test_later_guidance_replaces_what_it_contradicts():
    joined = together(
        [read("ignore news"), read("only 2022"), read("only 2023"), read("look at the news again")]
    )
    assert [(wish.aim, wish.text) for wish in joined.wishes] == [
        (WishAim.ONLY, "only 2023"),
        (WishAim.PREFER, "look at the news again"),
    ]


@pytest.mark.parametrize(
    "text", ["", "   ", "?", "。。。", "only", "不要", "x" * 1000, "ignore " * 100, "《"]
)
def test_odd_words_do_no_harm(text: str):
    assert isinstance(read(text), Guidance)
