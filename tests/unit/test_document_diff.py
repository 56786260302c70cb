"""Exactly the changed clauses, whatever moved, was renumbered or set in another file format."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.config import Ingest
from appliance.documents import cut_passages, parse_file
from appliance.documents.diff import SectionChange, Side, compare_versions
from appliance.documents.inline import inline_diff, unlabelled, unnumbered
from appliance.documents.markdown import read_markdown
from appliance.domain import (
    Block,
    BlockKind,
    DocumentId,
    Passage,
    PassageId,
    Section,
    Table,
    fingerprint,
)

LIBRARY = Path(__file__).parents[1] / "data" / "library" / "tarnholm"
OLD = """# Rules

## 1. Scope

These rules hold for every member of the staff and for guests.

## 2. Keys

Keys are kept at the front desk. See section 3 for what is lost.

## 3. Losses

A loss is told to the office within two days, in writing.

## 4. Fees

| Fee | Amount | Note |
|---|---|---|
| Key | 10 | each |
| Card | 25 | each |
| Locker | 5 | a month |
"""


def side(markdown: str, title: str = "Rules") -> Side:
    sections = read_markdown(markdown).sections()
    return Side(title=title, sections=sections, passages=passages(sections, title))


def passages(sections: tuple[Section, ...], title: str) -> tuple[Passage, ...]:
    from appliance.domain import ParsedDocument

    parsed = ParsedDocument(title=title, sections=sections, format="markdown", language="en")
    drafts = cut_passages(parsed, lambda texts: [len(t.split()) for t in texts], min_tokens=20, max_tokens=40)
    document = DocumentId("d-1")
    return tuple(
        Passage(
            id=PassageId(number),
            fingerprint=fingerprint(document, draft.section_path, draft.text),
            document_id=document,
            record_id="r",
            collection="c",
            title=title,
            section_path=draft.section_path,
            text=draft.text,
            language="en",
            token_count=draft.token_count,
        )
        for number, draft in enumerate(drafts)
    )


def library(name: str) -> Side:
    parsed = parse_file(LIBRARY / name, Ingest(), name=name)
    return Side(title=parsed.title, sections=parsed.sections, passages=())


def listed(changes: list[SectionChange]) -> list[tuple[str, str]]:
    return [(change.change, change.section.rpartition(" > ")[2]) for change in changes]


def test_a_changed_word_is_told_with_both_fingerprints() -> None:
    old, new = side(OLD), side(OLD.replace("two days", "three days"))
    (change,) = compare_versions(old, new)
    assert (change.change, change.section) == ("changed", "3. Losses")
    assert [(p.op, p.text) for p in change.texts[0].pieces if p.op != "equal"] == [
        ("delete", "two "),
        ("insert", "three "),
    ]
    marks = [{p.fingerprint for p in each.passages if "Losses" in p.section_path} for each in (old, new)]
    assert [set(change.old_fingerprints), set(change.new_fingerprints)] == marks
    assert change.old_fingerprints != change.new_fingerprints


@pytest.mark.parametrize(
    ("what", "new"),
    [
        ("nothing", OLD),
        ("white space", OLD.replace("front desk. See", "front  desk.\nSee").replace("| 10 |", "|  10  |")),
        ("quotes and width", OLD.replace("(", "（")),
        (
            "a clause renumbered with what refers to it",
            OLD.replace("## 3. Losses", "## 5. Losses").replace("section 3", "section 5"),
        ),
        ("rows in another order", OLD.replace("| Key | 10 | each |\n", "") + "| Key | 10 | each |\n"),
    ],
)
def test_no_change_is_told_for(what: str, new: str) -> None:
    assert compare_versions(side(OLD), side(new)) == [], what


def test_an_inserted_clause_does_not_touch_the_ones_it_renumbers() -> None:
    new = OLD.replace("## 2. Keys", "## 2. Doors\n\nDoors are closed at eight.\n\n## 3. Keys")
    new = new.replace("## 3. Losses", "## 4. Losses").replace("## 4. Fees", "## 5. Fees")
    new = new.replace("section 3", "section 4")
    assert listed(compare_versions(side(OLD), side(new))) == [("added", "2. Doors")]
    back = compare_versions(side(new), side(OLD))
    assert listed(back) == [("removed", "2. Doors")]
    assert back[0].old_fingerprints
    assert not back[0].new_fingerprints


def test_moved_and_renamed_sections_are_the_same_sections() -> None:
    keys = OLD[OLD.index("## 2.") : OLD.index("## 3.")]
    (moved,) = compare_versions(side(OLD), side(OLD.replace(keys, "") + "\n" + keys))
    assert (moved.change, moved.section, moved.texts) == ("moved", "2. Keys", ())
    (renamed,) = compare_versions(side(OLD), side(OLD.replace("3. Losses", "3. What is lost")))
    assert (renamed.change, renamed.old_section, renamed.section) == (
        "renamed",
        "3. Losses",
        "3. What is lost",
    )
    both = OLD.replace("3. Losses", "3. What is lost").replace("two days", "three days")
    (changed,) = compare_versions(side(OLD), side(both))
    assert (changed.change, changed.renamed) == ("changed", True)


def test_tables_change_by_row_and_column() -> None:
    new = OLD.replace("| Card | 25 | each |", "| Card | 30 | each |").replace(
        "| Locker | 5 | a month |\n", ""
    )
    (change,) = compare_versions(side(OLD), side(new + "| Badge | 3 | each |\n"))
    (table,) = change.tables
    assert [(row.change, row.row) for row in table.rows] == [
        ("changed", "Card"),
        ("added", "Badge"),
        ("removed", "Locker"),
    ]
    (cell,) = table.rows[0].cells
    assert (cell.column, cell.old, cell.new) == ("Amount", "25", "30")
    wider = OLD.replace("| Note |", "| Note | Tax |").replace("|---|---|---|", "|---|---|---|---|")
    wider = wider.replace("| each |", "| each | 1 |").replace("| a month |", "| a month | 1 |")
    (change,) = compare_versions(side(OLD), side(wider))
    assert (change.tables[0].columns_added, change.tables[0].rows) == (("Tax",), ())


def test_cells_are_compared_where_the_parser_gave_them() -> None:
    def with_table(*rows: tuple[str, ...]) -> Side:
        table = Table(rows=(("Item", "2022"), *rows), caption="Revenue", unit="million")
        block = Block(text="", kind=BlockKind.TABLE, table=table)
        section = Section(title="Results", level=1, trail=("Results",), blocks=(block,))
        return Side(title="Report", sections=(section,), passages=())

    old = with_table(("Sales", "1.5"), ("Costs", "1.1"))
    (change,) = compare_versions(old, with_table(("Sales", "1.6"), ("Costs", "1.1")))
    assert change.lines == ("- Sales | 2022: 1.5", "+ Sales | 2022: 1.6")


def test_a_chinese_clause_is_compared_by_characters() -> None:
    old = "# 办法\n\n## 第三条 保存期限\n\n个人信息保存三十六个月，期满后予以删除。\n\n"
    old += "## 第四条 投诉\n\n投诉见第三条。\n"
    new = old.replace("第四条", "第五条").replace("见第三条", "见第四条").replace("第三条 保", "第四条 保")
    assert compare_versions(side(old, "办法"), side(new, "办法")) == []
    (change,) = compare_versions(side(old, "办法"), side(new.replace("三十六个月", "二十四个月"), "办法"))
    changed = [(piece.op, piece.text) for piece in change.texts[0].pieces if piece.op != "equal"]
    assert changed == [("delete", "三十六"), ("insert", "二十四")]


def test_clauses_that_are_only_numbered_are_matched_by_what_they_say() -> None:
    def law(*clauses: str) -> Side:
        numerals = "一二三四五六"
        body = "".join(f"## 第{numerals[at]}条\n\n{text}\n\n" for at, text in enumerate(clauses))
        return side("# 章程\n\n" + body, "章程")

    first, second, third = "会员应当按时缴纳会费。", "理事会由七名理事组成。", "本章程自发布之日起施行。"
    changes = compare_versions(law(first, second, third), law(first, "会员有权查阅账目。", second, third))
    assert listed(changes) == [("added", "第二条")]


def test_a_quantity_at_the_beginning_is_no_number_of_a_clause() -> None:
    assert unlabelled("1.5 million people") == "1.5 million people"
    assert unlabelled("1.5亿元的投资") == "1.5亿元的投资"
    assert unlabelled("(a) the data") == unlabelled("3.2 the data".replace("the", "The")).replace(
        "The", "the"
    )
    assert unnumbered("第十二条　经费") == unnumbered("12. 经费") == "经费"


def test_an_inline_diff_holds_both_texts() -> None:
    old, new = "Kept for 180 days, then erased.", "Kept for 90 days at most, then erased at once."
    pieces = inline_diff(old, new)
    assert "".join(p.text for p in pieces if p.op != "delete") == new
    assert "".join(p.text for p in pieces if p.op != "insert").replace(" ", "") == old.replace(" ", "")


def test_the_library_policy_lists_exactly_the_clauses_that_changed() -> None:
    changes = compare_versions(library("privacy-policy-2022.md"), library("privacy-policy-2023.html"))
    assert listed(changes) == [
        ("changed", ""),
        ("changed", "1. What we collect"),
        ("changed", "3. Research partners"),
        ("changed", "4. How long we keep it"),
        ("changed", "5. Your rights"),
        ("changed", "6. Children"),
        ("changed", "7. Where data are stored"),
        ("changed", "8. Contact"),
    ]


def test_the_library_manual_is_compared_from_pdf_to_html() -> None:
    changes = compare_versions(library("manual-tidemark-v1.pdf"), library("manual-tidemark-v2.html"))
    unchanged = {"4. Reading values", "4.3 Sharing"}
    assert not unchanged & {name for _, name in listed(changes)}
    assert {kind for kind, _ in listed(changes)} == {"changed"}
    assert len(changes) == 9
    (table,) = next(change.tables for change in changes if change.tables)
    assert {row.row: (row.cells[0].old, row.cells[0].new) for row in table.rows} == {
        "Wear time": ("10 days", "14 days"),
        "Warm-up": ("60 minutes", "30 minutes"),
        "Mean absolute relative difference (MARD)": ("10.4%", "9.1%"),
        "Storage temperature of unopened sensors": ("4 to 25 °C", "2 to 30 °C"),
        "Memory in the sensor": ("8 hours", "24 hours"),
    }
