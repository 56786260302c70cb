import datetime
import zipfile
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from appliance.documents.docx import parse_docx
from appliance.domain import BlockKind
from appliance.errors import RefusedFileError


def element(tag: str, **attributes: str) -> Any:
    made = OxmlElement(tag)
    for name, value in attributes.items():
        made.set(qn(f"w:{name}"), value)
    return made


def add_numbering(document: Any) -> str:
    """A two-level clause numbering: "1." and "1.1"."""
    numbering = document.part.numbering_part.element
    abstract = element("w:abstractNum", abstractNumId="77")
    for level, text in enumerate(("%1.", "%1.%2")):
        row = element("w:lvl", ilvl=str(level))
        row.append(element("w:start", val="1"))
        row.append(element("w:numFmt", val="decimal"))
        row.append(element("w:lvlText", val=text))
        abstract.append(row)
    numbering.insert(0, abstract)
    number = element("w:num", numId="77")
    number.append(element("w:abstractNumId", val="77"))
    numbering.append(number)
    return "77"


def number(paragraph: Any, level: int) -> None:
    properties = paragraph._p.get_or_add_pPr()
    found = element("w:numPr")
    found.append(element("w:ilvl", val=str(level)))
    found.append(element("w:numId", val="77"))
    properties.append(found)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    document = docx.Document()
    document.core_properties.title = "Supply agreement"
    document.core_properties.author = "Legal"
    document.core_properties.created = datetime.datetime(2023, 6, 21, 9, 0)
    add_numbering(document)
    document.add_heading("Supply agreement", 0)
    document.add_paragraph("Between A and B.")
    for title, level in (("Delivery", 0), ("Dates", 1), ("Price", 0)):
        number(document.add_heading(title, level + 1), level)
    document.add_paragraph("The price is fixed.")
    table = document.add_table(rows=3, cols=3)
    for row, texts in zip(
        table.rows, (("Item", "2022", "2023"), ("Sensor", "1", "2"), ("", "3", "4")), strict=True
    ):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    document.add_paragraph("One", style="List Bullet")
    document.add_paragraph("Two", style="List Bullet")
    own = document.styles.add_style("Clause Title", WD_STYLE_TYPE.PARAGRAPH)
    own.element.get_or_add_pPr().append(element("w:outlineLvl", val="0"))
    document.add_paragraph("Annex", style="Clause Title")
    document.add_paragraph("After the table.")
    path = tmp_path / "agreement.docx"
    document.save(str(path))
    return path


def test_headings_numbers_tables_and_properties(file: Path) -> None:
    document = parse_docx(file, "agreement.docx")
    assert (document.title, document.published, document.published_from) == (
        "Supply agreement", "2023-06-21", "metadata",
    )  # fmt: skip
    assert document.meta == {"author": "Legal"}
    assert [section.trail for section in document.sections] == [
        (), ("1. Delivery",), ("1. Delivery", "1.1 Dates"), ("2. Price",), ("Annex",),
    ]  # fmt: skip
    assert [(block.kind, block.text) for block in document.sections[3].blocks] == [
        (BlockKind.PARAGRAPH, "The price is fixed."),
        (
            BlockKind.TABLE,
            "| Item | 2022 | 2023 |\n|---|---|---|\n| Sensor | 1 | 2 |\n| Sensor | 3 | 4 |",
        ),
        (BlockKind.LIST, "- One\n- Two"),
    ]
    assert document.sections[4].blocks[0].text == "After the table."


def test_deleted_text_is_left_out(tmp_path: Path) -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("Kept.")
    deletion = element("w:del")
    run = element("w:r")
    gone = element("w:delText")
    gone.text = " Removed."
    run.append(gone)
    deletion.append(run)
    paragraph._p.append(deletion)
    path = tmp_path / "a.docx"
    document.save(str(path))
    assert parse_docx(path, "a.docx").sections[0].blocks[0].text == "Kept."


def test_bomb_empty_and_damaged(tmp_path: Path, file: Path) -> None:
    bomb = tmp_path / "bomb.docx"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b" " * (32 << 20))
    with pytest.raises(RefusedFileError, match=r"^bomb\.docx unpacks to 32 MB in 1 parts"):
        parse_docx(bomb, "bomb.docx")
    empty = tmp_path / "empty.docx"
    docx.Document().save(str(empty))
    with pytest.raises(RefusedFileError, match=r"^empty\.docx has no text in it"):
        parse_docx(empty, "empty.docx")
    broken = tmp_path / "broken.docx"
    with zipfile.ZipFile(file) as source, zipfile.ZipFile(broken, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            target.writestr(name, data[: len(data) // 2] if name == "word/document.xml" else data)
    with pytest.raises(RefusedFileError, match=r"^broken\.docx is damaged"):
        parse_docx(broken, "broken.docx")


def parsed(tmp_path: Path, document: Any) -> Any:
    path = tmp_path / "made.docx"
    document.save(str(path))
    return parse_docx(path, "made.docx")


def test_tables_repeat_merged_cells_and_know_their_header(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("Table 1: Sales", style="Caption")
    table = document.add_table(rows=4, cols=3)
    texts = ("Region", "2023", "", "", "H1", "H2", "North", "1", "2", "South", "gone", "gone")
    for cell, text in zip(table._cells, texts, strict=True):
        cell.text = text
    table.cell(0, 1).merge(table.cell(0, 2))
    for row in table.rows[:2]:
        row._tr.get_or_add_trPr().append(element("w:tblHeader"))
    table.rows[3]._tr.get_or_add_trPr().append(element("w:del"))
    found = parsed(tmp_path, document).sections[0].blocks[1].table
    assert found.rows == (("Region", "2023", "2023"), ("", "H1", "H2"), ("North", "1", "2"))
    assert (found.header_rows, found.header_columns, found.caption) == (2, 1, "Table 1: Sales")


def test_moved_and_inserted_text_stays_and_its_old_place_is_empty(tmp_path: Path) -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("Kept.")
    for tag, text in (("w:ins", " Inserted."), ("w:moveTo", " Moved."), ("w:moveFrom", " Old place.")):
        change, run = element(tag), element("w:r")
        words = element("w:t")
        words.text = text
        run.append(words)
        change.append(run)
        paragraph._p.append(change)
    assert parsed(tmp_path, document).sections[0].blocks[0].text == "Kept. Inserted. Moved."


def test_notes_stand_after_what_refers_to_them(tmp_path: Path) -> None:
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.opc.packuri import PackURI
    from docx.opc.part import Part

    document = docx.Document()
    document.core_properties.author = "Ann Lee; Bo Li"
    for number in ("2", "1"):
        run = document.add_paragraph(f"Claim {number}.").add_run()
        run._r.append(element("w:footnoteReference", id=number))
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    notes = "".join(
        f'<w:footnote w:id="{n}"><w:p><w:r><w:t>Source {n}.</w:t></w:r></w:p></w:footnote>' for n in "12"
    )
    rule = '<w:footnote w:id="0" w:type="separator"><w:p><w:r><w:t>---</w:t></w:r></w:p></w:footnote>'
    part = Part(
        PackURI("/word/footnotes.xml"),
        "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml",
        f"<w:footnotes {space}>{rule}{notes}</w:footnotes>".encode(),
        document.part.package,
    )
    document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)
    found = parsed(tmp_path, document)
    assert [(block.kind, block.text) for block in found.sections[0].blocks] == [
        (BlockKind.PARAGRAPH, "Claim 2."),
        (BlockKind.NOTE, "[1] Source 2."),
        (BlockKind.PARAGRAPH, "Claim 1."),
        (BlockKind.NOTE, "[2] Source 1."),
    ]
    assert (found.authors, found.authors_from) == (("Ann Lee", "Bo Li"), "metadata")
