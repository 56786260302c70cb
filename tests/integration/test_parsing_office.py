from __future__ import annotations

import zipfile
from pathlib import Path

import office_files as made
import pytest

from appliance.documents import cut_passages
from appliance.documents.worker import parse_here
from appliance.domain import Block, BlockKind, ParsedDocument
from appliance.errors import RefusedFileError


def parsed(tmp_path: Path, name: str, data: bytes) -> ParsedDocument:
    (tmp_path / "blob").write_bytes(data)
    return parse_here(tmp_path / "blob", name, 100)


def blocks(document: ParsedDocument) -> list[Block]:
    return [block for section in document.sections for block in section.blocks]


def test_a_workbook(tmp_path: Path) -> None:
    document = parsed(tmp_path, "r.xlsx", made.xlsx())
    assert (document.title, document.title_from, document.authors, document.pages) == (
        "Quarterly results", "metadata", ("Ann Lee", "Bo Li"), 2,
    )  # fmt: skip
    assert [section.title for section in document.sections] == ["Results", "Plan"]
    results, plan = (block.table for block in blocks(document))
    assert results is not None
    assert (results.caption, results.unit, results.header_rows) == ("Results 2023", "In thousands of USD", 1)
    assert results.rows == (
        ("Region", "Share", "Sales", "Closed"),
        ("North", "7.5%", "1,234.50", "2023-06-30"),
        ("South", "50.0%", "-81.00", "2023-09-30"),
    )
    assert plan is not None
    assert plan.rows == (("Group", "2024", "2024"), ("", "Low", "High"), ("North", "5", "7"))
    assert plan.header_rows == 2
    assert document.warnings == ("sheet 'Plan': 1 formulas were never computed and are empty",)


def test_every_passage_of_a_long_sheet_knows_its_header(tmp_path: Path) -> None:
    lines = ["Orders 2023", "", "Order,Units", *(f"ORD-{n},{n}" for n in range(2_000))]
    document = parsed(tmp_path, "o.csv", "\n".join(lines).encode())
    (block,) = blocks(document)
    assert block.table is not None
    assert len(block.table.rows) == 2_001
    drafts = cut_passages(
        document, lambda texts: [len(t) // 3 for t in texts], min_tokens=256, max_tokens=480
    )
    assert len(drafts) > 10
    assert all(draft.text.startswith("Orders 2023\n| Order | Units |\n|---|---|\n") for draft in drafts)
    assert sum(draft.text.count("| ORD-") for draft in drafts) == 2_000


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", 'Item;Price\n"A; B";1,5\nC;2,5\n'),
        ("a.tsv", "Item\tPrice\nA; B\t1,5\nC\t2,5\n"),
        ("a.csv", "Item|Price\nA; B|1,5\nC|2,5\n"),
    ],
)
def test_delimiters(tmp_path: Path, name: str, text: str) -> None:
    (block,) = blocks(parsed(tmp_path, name, text.encode("utf-16")))
    assert block.table is not None
    assert block.table.rows == (("Item", "Price"), ("A; B", "1,5"), ("C", "2,5"))


def test_an_open_document_sheet_shows_its_numbers(tmp_path: Path) -> None:
    (block,) = blocks(parsed(tmp_path, "r.ods", made.ods()))
    assert block.table is not None
    assert block.table.rows == (("Year", "Rate"), ("First", "7.5%"), ("Second", "1,234.50"))


def test_slides(tmp_path: Path) -> None:
    document = parsed(tmp_path, "q.pptx", made.pptx_())
    assert (document.title, document.authors, document.pages) == ("Quarterly review", ("Ann Lee",), 2)
    first, second = document.sections
    assert [(block.kind, block.text, block.page) for block in first.blocks] == [
        (BlockKind.LIST, "- Orders grow\n  - in the north", 1),
        (BlockKind.NOTE, "Mention the strike.", 1),
    ]
    table, chart, *words = second.blocks
    assert table.table is not None
    assert table.table.rows == (("Plant", "Output", "Output"), ("Brest", "10", "12"))
    assert chart.table is not None
    assert chart.table.rows == (("", "Share"), ("2022", "10.0%"), ("2023", "12.5%"))
    assert [block.text for block in words] == ["left", "right"]


@pytest.mark.parametrize("make", [made.xlsx, made.pptx_, made.docx_, made.ods, made.epub])
def test_a_bomb_in_a_package_is_refused_unopened(tmp_path: Path, make: object) -> None:
    path = tmp_path / "blob"
    path.write_bytes(make())  # type: ignore[operator]
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/bomb.xml", b" " * (24 << 20))
    with pytest.raises(RefusedFileError, match="unpacks to 24 MB"):
        parse_here(path, "blob", 100)


def test_a_stray_cell_at_the_end_of_the_sheet_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "blob"
    path.write_bytes(made.xlsx())
    far = tmp_path / "far"
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(far, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name == "xl/worksheets/sheet1.xml":
                row = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
                data = data.replace(b"</sheetData>", row)
            target.writestr(name, data)
    with pytest.raises(RefusedFileError, match=r"a sheet of 1048576 rows × 16384 columns \('Results'\)"):
        parse_here(far, "far.xlsx", 100)
