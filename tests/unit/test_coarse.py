"""Coarse rank: freshness, authority, periods, removals, sources and exclusions, in both languages."""

from __future__ import annotations

import pytest
from retrieval_fakes import passage, reading

from appliance.config import Retrieval as Settings
from appliance.domain import (
    Authority,
    Constraint,
    ConstraintKind,
    DomainPack,
    Passage,
    Reading,
    SectionType,
    SourceRank,
    TermMatch,
    TimeRange,
)
from appliance.retrieval.coarse import Factors, factors_of, pack_of

SETTINGS = Settings(freshness_weight=0.04, recency_weight=0.3)
FY2022 = TimeRange(text="FY2022", start="2022-01-01", end="2022-12-31", fiscal=True)
YEAR2022 = TimeRange(text="2022", start="2022-01-01", end="2022-12-31")


def factors(asked: Reading, *passages: Passage, pack: DomainPack | None = None) -> list[Factors]:
    found = factors_of(asked, passages, pack, SETTINGS)
    return [found[one.id] for one in passages]


def boost(asked: Reading, one: Passage, name: str, pack: DomainPack | None = None) -> float:
    """The factor of that name; 1 where it is not mentioned."""
    return factors(asked, one, pack=pack)[0].boosts.get(name, 1.0)


# ------------------------------------------------------------ freshness
def test_the_newest_candidate_loses_nothing_and_the_oldest_the_whole_weight() -> None:
    dates = ["2020-01-01", "2022-01-01", "2024-01-01"]
    old, middle, new = factors(reading(), *(passage(n, published=day) for n, day in enumerate(dates, 1)))
    assert new.freshness == pytest.approx(1.0)
    assert middle.freshness == pytest.approx(0.98, abs=1e-4)
    assert old.freshness == pytest.approx(0.96)


def test_a_question_after_the_latest_state_weighs_age_more() -> None:
    old, new = passage(1, published="2020"), passage(2, published="2024-06")
    assert [one.freshness for one in factors(reading(recency=True), old, new)] == pytest.approx([0.7, 1.0])


def test_a_question_after_the_first_state_turns_age_round() -> None:
    old, new = passage(1, published="2020"), passage(2, published="2024-06")
    assert [one.freshness for one in factors(reading(earliest=True), old, new)] == pytest.approx([1.0, 0.7])
    both = factors(reading(earliest=True, recency=True), old, new)
    assert both[1].freshness > both[0].freshness, "the latest first edition is a latest one"


def test_a_passage_without_a_date_stands_in_the_middle() -> None:
    old, new, undated = passage(1, published="2020"), passage(2, published="2024"), passage(3)
    assert factors(reading(recency=True), old, new, undated)[2].freshness == pytest.approx(0.85)


def test_one_date_or_none_says_nothing_about_age() -> None:
    for passages in ((passage(1), passage(2)), (passage(1, published="2020"), passage(2))):
        assert [one.freshness for one in factors(reading(recency=True), *passages)] == [1.0, 1.0]


def test_the_day_it_comes_into_force_stands_in_for_the_day_of_publication() -> None:
    old, new = passage(1, effective_from="2019-01-01"), passage(2, published="2020-01-01")
    assert [one.freshness for one in factors(reading(), old, new)] == pytest.approx([0.96, 1.0])


# ------------------------------------------------------------ authority
def test_authority_orders_official_internal_external_draft() -> None:
    passages = [passage(n, authority=kind) for n, kind in enumerate(Authority, 1)]
    by_kind = dict(zip(Authority, (one.authority for one in factors(reading(), *passages)), strict=True))
    order = [Authority.OFFICIAL, Authority.INTERNAL, Authority.EXTERNAL, Authority.DRAFT]
    assert sorted(by_kind, key=lambda kind: -by_kind[kind]) == order
    assert by_kind[Authority.INTERNAL] == 1.0


@pytest.mark.parametrize(("title", "factor"), [("Annual Report 2023", 1.1), ("年度报告", 1.1), ("Blog", 1.0)])
def test_a_pack_ranks_sources_by_title_where_nobody_said_what_they_are(title: str, factor: float) -> None:
    pack = DomainPack(
        name="finance",
        title="Finance",
        title_zh="金融",
        sources=(SourceRank(title=("annual report", "年度报告"), factor=1.1),),
    )
    assert factors(reading(), passage(1, title=title), pack=pack)[0].authority == factor
    draft = passage(1, title=title, authority=Authority.DRAFT)
    assert factors(reading(), draft, pack=pack)[0].authority < 1.0
    assert pack_of(reading(domain="finance"), {"finance": pack}) is pack
    assert pack_of(reading(), {"finance": pack}) is None


# ------------------------------------------------------------ periods
@pytest.mark.parametrize(
    ("fields", "factor"),
    [
        ({"title": "Annual report 2022"}, 1.15),
        ({"title": "2022年年度报告", "language": "zh"}, 1.15),
        ({"title": "Annual report", "label": "3M · 10k · 2022"}, 1.15),
        ({"title": "Annual report", "section_path": "Results > 2022"}, 1.15),
        ({"title": "Annual report", "published": "2022-06-30"}, 1.1),
        ({"title": "Annual report", "published": "2023-03-20"}, 1.1),
        ({"title": "Annual report", "published": "2024-06-01"}, 0.9),
        ({"title": "Annual report 2019"}, 0.9),
        ({"title": "Annual report 2019", "published": "2019-12-01"}, 0.9),
        ({"title": "Annual report"}, 1.0),
    ],
)
def test_a_reporting_period_is_met_by_title_label_trail_or_date(
    fields: dict[str, str], factor: float
) -> None:
    assert boost(reading(times=(FY2022,)), passage(1, **fields), "period") == factor


def test_only_a_reporting_period_waits_for_its_report() -> None:
    report = passage(1, published="2023-03-20")
    assert boost(reading(times=(YEAR2022,)), report, "period") == 0.9
    assert boost(reading(times=(FY2022,)), report, "period") == 1.1
    assert boost(reading(), report, "period") == 1.0


def test_any_of_several_periods_will_do_and_an_open_end_reaches_far() -> None:
    since = TimeRange(text="since 2020", start="2020-01-01")
    before = TimeRange(text="before 2020", end="2019-12-31")
    new, old = passage(1, title="Report 2023"), passage(2, title="Report 2018")
    assert [boost(reading(times=(since,)), one, "period") for one in (new, old)] == [1.15, 0.9]
    assert [boost(reading(times=(before,)), one, "period") for one in (new, old)] == [0.9, 1.15]
    assert [boost(reading(times=(since, before)), one, "period") for one in (new, old)] == [1.15, 1.15]


# ------------------------------------------------------------ removals
REMOVALS = [
    (
        "Is tap-to-read still supported?",
        passage(1, "Tap-to-read was removed in 2.0.", section_type=SectionType.CHANGE_LOG),
        passage(2, "Added: trend arrows.", title="Release notes 1.1"),
        passage(3, "Tap-to-read is no longer offered.", title="User guide"),
        passage(4, "Hold the phone near the sensor: tap-to-read shows a value.", title="User guide"),
    ),
    (
        "还支持语音播报吗？",
        passage(1, "2.1版移除了语音播报。", title="汐记变更记录"),
        passage(2, "新增：趋势箭头。", title="汐记更新说明"),
        passage(3, "语音播报已停用。", title="使用手册"),
        passage(4, "打开语音播报，即可听到数值。", title="使用手册"),
    ),
]


@pytest.mark.parametrize(("text", "notice", "change", "ended", "manual"), REMOVALS)
def test_the_notice_of_an_end_comes_before_what_describes_the_thing(
    text: str, notice: Passage, change: Passage, ended: Passage, manual: Passage
) -> None:
    asked = reading(text, removal=True)
    found = [boost(asked, one, "removal notice") for one in (notice, change, ended, manual)]
    assert found == [1.6, 1.15, 1.2, 0.9]
    plain = [boost(reading(text), one, "removal notice") for one in (notice, change, ended, manual)]
    assert plain == [1.0] * 4, "nobody asked whether anything ended"


def test_a_pack_knows_more_words_for_an_end_and_for_a_notice() -> None:
    one = passage(1, "The product was taken off the shelves.", title="Field safety letter")
    pack = DomainPack(
        name="medical",
        title="Medicine",
        title_zh="医疗",
        removal=("taken off the shelves",),
        change_titles=("Field Safety",),
    )
    assert boost(reading(removal=True), one, "removal notice") == 0.9
    assert boost(reading(removal=True), one, "removal notice", pack) == 1.6


# ------------------------------------------------------------ what the question says
def test_a_named_source_is_preferred() -> None:
    for text, value, head in (
        ("according to the 2022 annual report", "annual report", {"title": "Annual Report 2022"}),
        ("据云汀商报", "云汀商报", {"label": "云汀商报"}),
        ("in faq.md", "faq.md", {"record_id": "intranet/FAQ.md"}),
    ):
        named = Constraint(kind=ConstraintKind.SOURCE, text=text, value=value)
        assert boost(reading(constraints=(named,)), passage(1, **head), "source") == 1.2
        assert boost(reading(constraints=(named,)), passage(1, title="Minutes"), "source") == 1.0


def test_what_is_not_wanted_is_weighed_down_where_it_heads_a_passage() -> None:
    for text, value, title in (
        ("other than Peldon", "Peldon", "Peldon Health"),
        ("除澄屿以外", "澄屿", "澄屿传感"),
    ):
        unwanted = Constraint(kind=ConstraintKind.EXCLUSION, text=text, value=value)
        asked = reading(constraints=(unwanted,))
        assert boost(asked, passage(1, title=title), "excluded") == 0.7
        assert boost(asked, passage(1, f"A rival of {value}.", title="Tarnholm"), "excluded") == 1.0


def test_a_term_prefers_the_sections_where_its_value_stands() -> None:
    term = TermMatch(
        name="capex", text="capex", domain="finance", section_types=(SectionType.FINANCIAL_STATEMENT,)
    )
    statement = passage(1, section_type=SectionType.FINANCIAL_STATEMENT)
    assert boost(reading(terms=(term,)), statement, "section type") == 1.15
    assert boost(reading(terms=(term,)), passage(1), "section type") == 1.0


def test_factors_multiply() -> None:
    all_of_them = Factors(freshness=0.96, authority=1.05, boosts={"period": 1.15, "excluded": 0.7})
    assert all_of_them.product() == pytest.approx(0.96 * 1.05 * 1.15 * 0.7)
    assert Factors().product() == 1.0
