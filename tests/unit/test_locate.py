"""Passages to lines: rows with header, unit and note, clauses with their condition, untidy input."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

import pytest
from retrieval_fakes import passage

from appliance.documents.sentences import split_sentences
from appliance.domain import AnswerKind, Passage, PassageId, Reading, TermMatch
from appliance.evidence.facts import lost
from appliance.evidence.locate import LINES_MAX, Line, locate
from appliance.serving.scripted import HashEmbedder
from appliance.store.analysis import analyse


def unjudged(_: str, lines: Sequence[str]) -> list[float]:
    return []


def lines_of(question: str, *passages: Passage, budget: int = 240, **how: object) -> list[Line]:
    return locate(
        question,
        passages,
        embedder=HashEmbedder(),
        analyse=analyse,
        split=split_sentences,
        judge=unjudged,
        budget_tokens=budget,
        **how,  # type: ignore[arg-type]
    )


def shown(question: str, *passages: Passage, budget: int = 240, **how: object) -> list[str]:
    return [line.shown for line in lines_of(question, *passages, budget=budget, **how)]


def number_question(text: str, metric: str = "", *forms: str) -> Reading:
    terms = (
        (TermMatch(name=metric, text=metric, domain="finance", forms=forms, metric=True),) if metric else ()
    )
    return Reading(text=text, language="en", simple=True, kind=AnswerKind.NUMBER, terms=terms)


CASH = """Consolidated Statement of Cash Flows
Years ended December 31
(Millions) 2018 2017 2016
Depreciation and amortization 1,488 1,544 1,474
Purchases of property, plant and equipment (PP&E) (1,577) (1,373) (1,420)
Proceeds from sale of businesses, net of cash sold
846 1,065 142
Total 36,500 $ 37,987 $ 38,001"""


def test_a_row_of_a_pdf_has_its_years_and_its_unit() -> None:
    asked = "What was the FY2018 capital expenditure?"
    reading = number_question(asked, "capital expenditure", "purchases of property, plant and equipment")
    row = "Purchases of property, plant and equipment (PP&E) (Millions) — 2018: (1,577); 2017: (1,373); "
    assert f"{row}2016: (1,420)" in shown(asked, passage(1, CASH), budget=40, reading=reading)


def test_a_label_on_the_line_above_its_figures_is_theirs() -> None:
    made = shown("proceeds from sale of businesses", passage(1, CASH))
    assert any(
        line.startswith("Proceeds from sale of businesses, net of cash sold (Millions) — 2018: 846;")
        for line in made
    )


def test_a_table_cut_in_two_takes_its_header_from_above() -> None:
    head, rest = CASH.split("Purchases", 1)
    below = passage(2, f"Purchases{rest}")
    with_header = shown("purchases of property in 2017", below, above={PassageId(2): head})
    assert any("(Millions) — 2018: (1,577); 2017: (1,373)" in line for line in with_header)
    assert not any("2017:" in line for line in shown("purchases of property in 2017", below))


def test_a_header_over_several_lines_is_read() -> None:
    text = (
        "(amounts in millions)\nAugust 29,\n2021\nAugust 30,\n2020\n"
        "Total current assets 29,505 28,120\nTOTAL ASSETS $ 59,268 $ 55,556"
    )
    made = shown("total assets", passage(1, text))
    assert "TOTAL ASSETS (amounts in millions) — 2021: $59,268; 2020: $55,556" in made


def test_a_footnote_comes_with_the_row_that_refers_to_it() -> None:
    text = (
        "| Segment ($ million) | 2023 |\n|---|---|\n| Sensors (1) | 41.2 |\n| Services | 12.0 |\n"
        "| Gas | n/a |\n\n"
        "Staff numbers are given in chapter nine of the report.\n\n"
        "(1) Restated: without the business sold in May 2023."
    )
    made = shown("revenue of sensors in 2023", passage(1, text), budget=30)
    assert "Sensors (1) ($ million) — 2023: 41.2" in made
    assert "(1) Restated: without the business sold in May 2023." in made
    assert "Gas ($ million) — 2023: n/a" in shown("gas in 2023", passage(1, text), budget=30)


def test_a_figure_is_looked_for_in_tables_first_and_only_then() -> None:
    prose = "Revenue is discussed in the chapter on revenue and revenue risks."
    table = "| £ million | 2023 |\n|---|---|\n| Revenue | 41.2 |"
    passages = (passage(1, prose), passage(2, table))
    asked = "How much revenue was there in 2023?"
    best = lines_of(asked, *passages, budget=1, reading=number_question(asked, "revenue", "revenue"))
    assert best[-1].shown.startswith("Revenue (£ million) — 2023: 41.2")
    named = lines_of("Which chapter discusses revenue risks?", *passages, budget=1)
    assert named[-1].shown == prose


LONG = (
    "在医疗器械经营活动中，经营企业应当建立进货查验记录制度并保存记录；销售第三类可穿戴器械的，"
    "须在48小时内向监管局报告不良事件，除非该事件已由生产企业报告；"
    "对于仅从事仓储服务的企业，不得以任何形式向个人出售器械，库房温度应当控制在2 ℃至30 ℃之间；"
    "企业还应当每年组织一次员工培训并将培训结果归档备查，培训内容包括法规、产品知识和服务礼仪等方面，由企业自行确定。"
)


def test_of_a_long_sentence_the_clauses_that_bear_are_kept_with_their_condition() -> None:
    made = lines_of("不良事件应在多少小时内报告？", passage(1, LONG, language="zh"), budget=60)
    text = made[-1].shown
    assert "48小时内向监管局报告不良事件" in text
    assert "除非该事件已由生产企业报告" in text
    assert "服务礼仪" not in text
    assert made[-1].raw in LONG
    assert len(text) < len(LONG) / 2


def test_a_sentence_that_leans_on_another_brings_it() -> None:
    text = "Larkfield makes the Tidemark sensor. It weighs 310 grams. Prices are on request."
    made = shown("How much does it weigh?", passage(1, text), budget=14)
    assert made == ["Larkfield makes the Tidemark sensor.", "It weighs 310 grams."]


def test_a_wrapped_line_is_one_sentence() -> None:
    text = (
        "The agreement may be ended by either party with a notice period of three months unless\n"
        "a shorter period was agreed in writing. Invoices are sent monthly."
    )
    made = lines_of("What is the notice period?", passage(1, text), budget=30)
    best = next(line for line in made if "notice period" in line.shown)
    assert best.shown.endswith("three months unless a shorter period was agreed in writing.")
    assert text[best.start : best.end].replace("\n", " ") == best.raw == best.shown


def test_a_table_of_forty_pages_gives_the_row_asked_for() -> None:
    rows = [f"| Site {n} | {n * 3} | {n * 7} |" for n in range(1, 2001)]
    text = "\n".join(["| Site | Sensors 2022 | Sensors 2023 |", "|---|---|---|", *rows])
    begun = perf_counter()
    made = lines_of("How many sensors has Site 1234 in 2023?", passage(1, text))
    assert "Site 1234 — Sensors 2022: 3702; Sensors 2023: 8638" in [line.shown for line in made]
    assert len(made) <= LINES_MAX
    assert perf_counter() - begun < 5


@pytest.mark.parametrize(
    ("text", "asked", "expected"),
    [
        (
            "THE SUPPLIER SHALL NOTIFY THE CUSTOMER WITHIN 72 HOURS. THE FEE IS PAYABLE IN ADVANCE.",
            "Within how many hours must the customer be notified?",
            "THE SUPPLIER SHALL NOTIFY THE CUSTOMER WITHIN 72 HOURS.",
        ),
        (
            "营业 收入 Revenue 1,050.0 868.0\n净利润 125.0 95.2",
            "Revenue 营业收入",
            "营业 收入 Revenue — 1,050.0; 868.0",
        ),
        (
            "T0tal revenne ~~ 41.2 % ;; l2.5\nNet incorne 7,9O1 8,112",
            "net incorne",
            "Net incorne 7,9O1 — 8,112",
        ),
    ],
)
def test_capitals_mixed_scripts_and_noise_are_shown_as_they_stand(
    text: str, asked: str, expected: str
) -> None:
    assert expected in shown(asked, passage(1, text))


def test_nothing_that_belongs_to_a_kept_line_is_lost_under_any_budget() -> None:
    pages = [
        passage(1, CASH),
        passage(2, LONG, language="zh"),
        passage(3, LONG.replace("48", "24"), language="zh"),
    ]
    for budget in (20, 60, 120, 400):
        for line in lines_of("不良事件 report property 2018", *pages, budget=budget):
            parts = [part for part in line.shown.split(" … ") if part.strip(" …")]
            assert all(lost(part.strip(" …"), line.shown) == () for part in parts)
            if "…" not in line.shown:
                assert lost(line.raw, line.shown) == ()


def test_no_passages_and_blank_ones_give_no_lines() -> None:
    assert lines_of("revenue") == []
    assert lines_of("revenue", passage(1, " \n\n ")) == []


def test_a_change_is_read_from_the_year_before_too() -> None:
    text = (
        "Adjusted earnings per share in 2022 grew by 3.6%. Adjusted earnings per share in 2016 grew by 9.1%. "
        "Adjusted earnings per share are expected to grow by 3.5% in 2023."
    )
    made = shown(
        "Is growth in adjusted earnings per share expected to accelerate in 2023?",
        passage(1, text),
        budget=32,
    )
    assert made == [
        "Adjusted earnings per share in 2022 grew by 3.6%.",
        "Adjusted earnings per share are expected to grow by 3.5% in 2023.",
    ]
