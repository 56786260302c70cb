"""Header rows, units and number formats: the rules that every format with tables shares."""

from __future__ import annotations

import pytest

from appliance.documents.number_formats import shown_number
from appliance.documents.outline import Outline
from appliance.documents.sheet_tables import SheetReader
from appliance.documents.table_headers import filled_header, header_row_count, unit_of
from appliance.documents.tables import markdown_table
from appliance.domain import Block


def read(*lines: str) -> tuple[list[Block], list[str]]:
    """Blocks of a sheet drawn as ``a|b|`` lines, and the doubts."""
    rows = [line.split("|") for line in lines]
    width = max(map(len, rows))
    outline = Outline()
    reader = SheetReader(outline, "sheet 'S'", 1)
    reader.read([row + [""] * (width - len(row)) for row in rows])
    return [block for section in outline.sections() for block in section.blocks], reader.warnings


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (0.075, "0.0%", "7.5%"),
        (1234.5, "#,##0.00", "1,234.50"),
        (-81, "#,##0\\ ;\\(#,##0\\)", "-81"),
        (3.25, '0.0"x"', "3.3x"),
        (12.0, "0.##", "12"),
        (5, "[$€-407] #,##0.00", "€5.00"),
        (12_300_000, "#,##0.0,,", "12.3"),
        (0.1 + 0.2, "", "0.3"),
        (0.00001, "", "0.00001"),
        (20230601, "General", "20230601"),
        (0.5, "# ?/?", "0.5"),
    ],
)
def test_numbers_as_shown(value: float, code: str, shown: str) -> None:
    assert shown_number(value, code) == shown


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("In millions of CHF", "In millions of CHF"),
        ("Table 3 (in thousands, except per share)", "in thousands, except per share"),
        ("单位：人民币万元", "人民币万元"),
        ("(%)", "%"),
        ("Investments in US companies", ""),
        ("Region", ""),
    ],
)
def test_units(text: str, unit: str) -> None:
    assert unit_of(text) == unit


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        (("Item|2022|2023", "Sales|1|2"), 1),
        (("|Half year|Half year", "|Sales|Cost", "North|1|2"), 2),
        (("2019|5.1", "2020|5.3"), 0),
        (("Name|Town|Age", "Ann|Paris|n/a", "Bob|Rome|41"), 1),
        (("Name|Town", "Ann|Paris", "Bob|Rome"), 1),
        (("Owner:|Ann", "Reviewer:|Bob"), 0),
        (("1|2", "3|4"), 0),
    ],
)
def test_header_rows(lines: tuple[str, ...], count: int) -> None:
    assert header_row_count([line.split("|") for line in lines]) == count


def test_group_names_stand_over_all_their_columns() -> None:
    right = (("In CHF", "", "2023", "", "2022"), ("", "a", "b", "a", "b"), ("x", "1", "2", "3", "4"))
    assert filled_header(right, 2)[0] == ("In CHF", "2023", "2023", "2022", "2022")
    left = (("", "2023", "", "2022", ""), ("", "a", "b", "a", "b"), ("x", "1", "2", "3", "4"))
    assert filled_header(left, 2)[0] == ("", "2023", "2023", "2022", "2022")


def test_markdown_of_two_header_rows_and_of_none() -> None:
    rows = [["", "2023", "2023"], ["", "a", "b"], ["All", "All", "All"], ["x", "1", "2"]]
    assert markdown_table(rows, 2).split("\n") == [
        "|  | 2023 / a | 2023 / b |",
        "|---|---|---|",
        "| All |  |  |",
        "| x | 1 | 2 |",
    ]
    assert markdown_table([["1", "2"], ["3", "4"]], 0).split("\n")[0] == "|  |  |"


def test_titles_units_notes_and_two_tables_on_a_sheet() -> None:
    blocks, warnings = read(
        "Sales by region", "In thousands of USD", "", "Region|2022|2023", "", "North|1|2", "South|3|4",
        "(a) restated", "", "Staff", "Team|Heads", "Red|5", "",
        "A long sentence about the sheet that names no table at all.",
    )  # fmt: skip
    first, second = (block.table for block in blocks[:2])
    assert first is not None
    assert (first.caption, first.unit, first.notes) == (
        "Sales by region", "In thousands of USD", ("(a) restated",),
    )  # fmt: skip
    assert first.rows == (("Region", "2022", "2023"), ("North", "1", "2"), ("South", "3", "4"))
    assert (first.header_rows, first.header_columns) == (1, 1)
    assert second is not None
    assert (second.caption, second.rows) == ("Staff", (("Team", "Heads"), ("Red", "5")))
    assert [block.text for block in blocks[2:]] == [
        "A long sentence about the sheet that names no table at all."
    ]
    assert warnings == []


def test_tables_side_by_side_and_columns_that_are_only_spaced() -> None:
    blocks, _ = read("Name|Age||Town|Size", "Ann|31||Rome|2", "Bob|29||Oslo|1")
    assert [block.table.rows[1] for block in blocks if block.table] == [("Ann", "31"), ("Rome", "2")]
    blocks, _ = read("Item|2022||2023", "Sales|1||2", "Cost|—||4")
    assert [block.table.rows for block in blocks if block.table] == [
        (("Item", "2022", "2023"), ("Sales", "1", "2"), ("Cost", "—", "4"))
    ]


def test_empty_rows_and_labels_inside_a_table_lose_nothing() -> None:
    blocks, _ = read("Item|Q1|Q2", "a|1|2", "", "b|3|4", "", "Europe", "", "c|5|6")
    (table,) = (block.table for block in blocks)
    assert table is not None
    assert [row[0] for row in table.rows] == ["Item", "a", "b", "Europe", "c"]


def test_a_table_without_header_is_reported() -> None:
    blocks, warnings = read("1|2", "3|4", "5|6")
    assert blocks[0].table is not None
    assert blocks[0].table.header_rows == 0
    assert warnings == ["sheet 'S': the table that begins with '1' has no header"]
