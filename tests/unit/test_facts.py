"""Facts of sentences in both languages, and what a shorter sentence is seen to have lost."""

from __future__ import annotations

import pytest

from appliance.evidence.facts import FactKind, facts, lost


def keys(text: str, kind: FactKind) -> list[str]:
    return [fact.key.partition(":")[2] for fact in facts(text) if fact.kind is kind]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Revenue was $1,577.0m, up 8.3%.", ["1577 million usd", "8.3 %"]),
        ("Purchases of PP&E (1,577) (1,373)", ["-1577", "-1373"]),
        ("实现营业收入 3,549 亿元，同比增长8.3%", ["3549 亿 cny", "8.3 %"]),
        ("持股数量 10, 584, 037, 687 股", ["10584037687 股"]),
        ("it drifts by 0.5 mmol/L", ["0.5 mmol/l"]),
        ("Margin: n/a", []),
        ("the 5G network and electrode E2", []),
    ],
)
def test_figures_have_sign_scale_and_unit(text: str, numbers: list[str]) -> None:
    assert keys(text, FactKind.NUMBER) == numbers


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("as of December 31, 2017", ["2017-12-31"]),
        ("on 3 May 2023", ["2023-05-03"]),
        ("in FY2018", ["2018"]),
        ("2023年10月1日起施行", ["2023-10-01"]),
        ("二〇二三年十月一日起施行", ["2023-10-01"]),
    ],
)
def test_dates_have_one_key(text: str, dates: list[str]) -> None:
    assert keys(text, FactKind.DATE) == dates


def test_names_are_not_capitals_that_open_a_sentence_or_fill_it() -> None:
    assert keys("The sensor is made by Larkfield Instruments.", FactKind.NAME) == ["larkfieldinstruments"]
    assert keys("THE COMPANY SHALL DISCLOSE ALL MATERIAL RISKS", FactKind.NAME) == []
    assert keys("依据《数据安全管理制度》第七章", FactKind.NAME) == ["数据安全管理制度"]
    assert keys("审计委员会由吴晓根董事、 王军辉董事组成", FactKind.NAME)[-1] == "王军辉"


@pytest.mark.parametrize(
    ("kept", "shown", "missing"),
    [
        ("It measures within 2% at 25 °C.", "It measures within 2%.", "at 25 °C"),
        ("The clause does not apply to nurses.", "The clause does apply to nurses.", "not apply"),
        ("合同价为300万元（不含税）。", "合同价为300万元。", "不含税"),
        ("该制度不适用于实习生。", "该制度适用于实习生。", "不适用"),
        ("Fees rise 3% unless otherwise agreed.", "Fees rise 3%.", "unless"),
        ("Sales were $8.2 million.", "Sales were $8.2.", "8.2 million"),
        ("Sales were 41 in 2022 and 38 in 2021.", "Sales were 41 in 2022.", "2021"),
    ],
)
def test_what_a_shorter_sentence_lost_is_named(kept: str, shown: str, missing: str) -> None:
    assert any(missing in fact.text for fact in lost(kept, shown))
    assert lost(kept, kept) == ()


def test_a_broken_line_or_another_way_of_writing_a_figure_loses_nothing() -> None:
    assert lost("Larkfield\nInstruments sold $1,577.0 million", "Larkfield Instruments sold $1,577m") == ()
    assert lost("“不仅如此”，无线网络不断升级", "“不仅如此”，无线网络升级") == ()
