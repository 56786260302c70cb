from pathlib import Path

import pytest
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Table, TableStyle

from appliance.documents.pdf import parse_pdf
from appliance.domain import BlockKind, ParsedDocument
from appliance.errors import RefusedFileError

ZH_LINES = ["澄屿传感科技股份有限公司总部位于云汀市望江工业园，主营医用传感", "器的研发与销售。"]
WORDS = "the sensor measures glucose in the fluid under the skin and shows a new value on the display"


def lines(
    canvas: Canvas, x: float, y: float, texts: list[str], size: float = 10, font: str = "Helvetica"
) -> None:
    canvas.setFont(font, size)
    for index, text in enumerate(texts):
        canvas.drawString(x, y - index * size * 1.3, text)


def parse(path: Path) -> ParsedDocument:
    return parse_pdf(path, path.name, 100)


def texts(document: ParsedDocument) -> list[tuple[str, list[tuple[int | None, str]]]]:
    return [(s.title, [(block.page, block.text) for block in s.blocks]) for s in document.sections]


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """Three pages: running header, page numbers, headings of two sizes, paragraphs, a ruled table."""
    body = ParagraphStyle("b", fontName="Helvetica", fontSize=10, leading=13, spaceAfter=8)
    top = ParagraphStyle("h", parent=body, fontName="Helvetica-Bold", fontSize=16, leading=20)
    sub = ParagraphStyle("s", parent=body, fontName="Helvetica-Bold", fontSize=12, leading=16)
    grid = Table([["Item", "2023"], ["Revenue", "1,050.0"], ["Cost", "630.0"]])
    grid.setStyle(
        TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("FONTSIZE", (0, 0), (-1, -1), 10)])
    )
    story = [
        Paragraph("Annual Report 2023", top),
        Paragraph(f"Published: 12 March 2024. {WORDS} {WORDS}.", body),
        Paragraph("1. Results", sub),
        Paragraph(f"Revenue rose. {WORDS} {WORDS} {WORDS}.", body),
        grid,
        Paragraph(f"After the table {WORDS}.", body),
        PageBreak(),
        Paragraph("2. Outlook", sub),
        Paragraph(f"We expect growth. {WORDS} {WORDS}.", body),
        PageBreak(),
        Paragraph("3. Board", sub),
        Paragraph(f"Nine members. {WORDS} {WORDS}.", body),
    ]

    def furniture(canvas: Canvas, template: SimpleDocTemplate) -> None:
        canvas.setFont("Helvetica", 8)
        canvas.drawString(72, 800, "Tarnholm Diagnostics plc - Annual Report")
        canvas.drawString(290, 30, f"Page {template.page} of 3")

    path = tmp_path / "report.pdf"
    template = SimpleDocTemplate(str(path), pagesize=A4, title="Annual Report 2023", author="Tarnholm")
    template.build(story, onFirstPage=furniture, onLaterPages=furniture)
    return path


def test_headings_pages_table_and_furniture(report: Path) -> None:
    document = parse(report)
    assert (document.title, document.published, document.published_from) == (
        "Annual Report 2023",
        "2024-03-12",
        "text",
    )
    assert [section.trail for section in document.sections] == [
        ("Annual Report 2023",),
        ("Annual Report 2023", "1. Results"),
        ("Annual Report 2023", "2. Outlook"),
        ("Annual Report 2023", "3. Board"),
    ]
    results = document.sections[1].blocks
    assert [block.kind for block in results] == [BlockKind.PARAGRAPH, BlockKind.TABLE, BlockKind.PARAGRAPH]
    assert results[1].text == "| Item | 2023 |\n|---|---|\n| Revenue | 1,050.0 |\n| Cost | 630.0 |"
    assert results[0].text == f"Revenue rose. {WORDS} {WORDS} {WORDS}."
    assert [block.page for section in document.sections for block in section.blocks] == [1, 1, 1, 1, 2, 3]
    whole = str(document.sections)
    assert "Tarnholm" not in whole
    assert "of 3" not in whole
    assert [block.text.count("1,050.0") for block in results] == [0, 1, 0]
    assert results[1].table is not None
    assert results[1].table.rows == (("Item", "2023"), ("Revenue", "1,050.0"), ("Cost", "630.0"))
    assert (document.pages, document.title_from) == (3, "metadata")
    assert (document.authors, document.authors_from) == (("Tarnholm",), "metadata")
    left, top, right, bottom = results[0].box or (0, 0, 0, 0)
    assert 0.1 < left < 0.15 < 0.8 < right < 0.9
    assert 0.15 < top < bottom < 0.3


def test_two_columns_hyphens_and_a_sentence_over_the_page_end(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "paper.pdf"), pagesize=A4)
    left = [f"left line {index} runs on and on through this col" for index in range(19)] + ["and the mea-"]
    right = ["surement goes on in the second column of text"] + [
        f"right line {index} runs on and on in this column" for index in range(19)
    ]
    lines(canvas, 60, 700, left)
    lines(canvas, 320, 700, right)
    canvas.showPage()
    lines(canvas, 60, 700, ["which ends here. A new sentence begins on the", "second page of the paper."])
    canvas.save()
    ((_, blocks),) = texts(parse(tmp_path / "paper.pdf"))
    assert len(blocks) == 2
    first, second = blocks
    assert first[0] == 1
    assert first[1].startswith("left line 0 runs")
    assert "and the measurement goes on in the second column of text right line 0" in first[1]
    assert first[1].endswith("in this column which ends here.")
    assert second == (2, "A new sentence begins on the second page of the paper.")


def test_chinese_lines_join_without_space(tmp_path: Path) -> None:
    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    canvas = Canvas(str(tmp_path / "zh.pdf"), pagesize=A4)
    lines(canvas, 60, 760, ["第一章 公司业务概要"], 16, "STSong-Light")
    lines(
        canvas,
        60,
        720,
        ZH_LINES,
        11,
        "STSong-Light",
    )
    canvas.save()
    document = parse(tmp_path / "zh.pdf")
    assert document.language == "zh"
    assert texts(document) == [
        (
            "第一章 公司业务概要",
            [(1, "".join(ZH_LINES))],
        )
    ]


def right_aligned(canvas: Canvas, y: float, label: str, cells: dict[float, str]) -> None:
    canvas.drawString(60, y, label)
    for x, cell in cells.items():
        canvas.drawRightString(x, y, cell)


def test_a_table_without_rules_over_two_pages(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "statement.pdf"), pagesize=A4)
    columns = (340.0, 400.0, 460.0, 520.0)
    years = dict(zip(columns, ("2022", "2023", "2022", "2023"), strict=True))

    def heading(y: float) -> None:
        canvas.setFont("Helvetica-Bold", 9)
        canvas.drawCentredString(360, y + 13, "Three months")
        canvas.drawCentredString(480, y + 13, "Twelve months")
        right_aligned(canvas, y, "($ million)", years)
        canvas.setFont("Helvetica", 9)

    lines(canvas, 60, 780, [f"Revenue was as follows, {WORDS}.", "A second sentence ends the paragraph."])
    heading(160)
    right_aligned(
        canvas, 146, "Net sales", dict(zip(columns, ("3,909", "3,673", "14,544", "14,694"), strict=True))
    )
    canvas.drawString(60, 132, "Restructuring, impairment and")
    right_aligned(
        canvas, 122, "other activities", dict(zip(columns, ("(207)", "(59)", "(234)", "—"), strict=True))
    )
    canvas.showPage()
    heading(780)
    right_aligned(canvas, 766, "Net income", dict(zip(columns, ("112", "184", "815", "1,058"), strict=True)))
    right_aligned(
        canvas, 752, "Per share", dict(zip(columns, ("$ 0.074", "$ 0.124", "0.532", "0.709"), strict=True))
    )
    lines(canvas, 60, 738, ["(1) Unaudited figures."], 8)
    lines(canvas, 60, 700, [f"After the table {WORDS}.", "The end."])
    canvas.save()
    document = parse(tmp_path / "statement.pdf")
    (block,) = [b for s in document.sections for b in s.blocks if b.kind is BlockKind.TABLE]
    assert (block.page, block.page_last) == (1, 2)
    assert block.table is not None
    assert block.table.rows == (
        ("", "Three months", "Three months", "Twelve months", "Twelve months"),
        ("($ million)", "2022", "2023", "2022", "2023"),
        ("Net sales", "3,909", "3,673", "14,544", "14,694"),
        ("Restructuring, impairment and other activities", "(207)", "(59)", "(234)", "—"),
        ("Net income", "112", "184", "815", "1,058"),
        ("Per share", "$ 0.074", "$ 0.124", "0.532", "0.709"),
    )
    assert (block.table.header_rows, block.table.header_columns, block.table.unit) == (2, 1, "$ million")
    assert block.table.notes == ("(1) Unaudited figures.",)
    assert [b.text for s in document.sections for b in s.blocks][-1].startswith("After the table")


def test_rules_that_part_sections_and_a_heading_inside_make_one_table(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "bridge.pdf"), pagesize=A4)
    canvas.setFont("Helvetica", 9)
    columns = (340.0, 400.0, 460.0, 520.0)
    upper = [("Net income", "109", "181"), ("Tax expense", "103", "68"), ("Interest", "35", "70")]
    upper += [("Amortization", "145", "144"), ("Before items", "392", "463")]
    lower = [("Interest paid", "(47)", "(79)"), ("Tax paid", "(93)", "(95)"), ("Free cash", "803", "834")]
    right_aligned(canvas, 700, "($ million)", dict(zip(columns, ("2022", "2023", "Q1", "Q2"), strict=True)))
    for at, (label, first, second) in enumerate(upper):
        cells = (first, second, f"{at}1", f"{at}2")
        right_aligned(canvas, 686 - 14 * at, label, dict(zip(columns, cells, strict=True)))
    canvas.drawString(60, 602, "From earnings to cash")
    for at, (label, first, second) in enumerate(lower):
        right_aligned(canvas, 588 - 14 * at, label, {340.0: first, 400.0: second})
    for y in (697, 626, 555):
        canvas.line(58, y, 525, y)
    canvas.line(410, 710, 410, 555)
    canvas.save()
    document = parse(tmp_path / "bridge.pdf")
    (block,) = [b for s in document.sections for b in s.blocks if b.kind is BlockKind.TABLE]
    assert block.table is not None
    assert block.table.header_rows == 1
    assert block.table.rows[1] == ("Net income", "109", "181", "01", "02")
    assert block.table.rows[6] == ("From earnings to cash", "", "", "", "")
    assert block.table.rows[7:] == tuple((*row, "", "") for row in lower)


def test_a_wide_column_of_wrapped_words_does_not_end_a_table(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "exhibits.pdf"), pagesize=A4)
    canvas.setFont("Helvetica", 6)
    long = (
        "Form of indenture, dated as of March 11, 2011, between the company and the trustee of the notes that"
    )
    long += " fall due in 2028,"

    def row(y: float, number: str, words: list[str], cells: tuple[str, str]) -> None:
        for at, line in enumerate(words):
            canvas.drawString(100, y + 4.0 * (len(words) - 1) - 8 * at, line)
        canvas.drawString(60, y - 4.0 * (len(words) - 1), number)
        canvas.drawRightString(500, y, cells[0])
        canvas.drawRightString(550, y, cells[1])

    row(700, "No.", ["Description"], ("Exhibit", "Filed"))
    row(688, "3.1", ["Articles of incorporation"], ("3.4", "6/12/2020"))
    row(676, "3.2", ["By-laws"], ("3.5", "6/14/2018"))
    row(658, "4.1", [long, "its later supplements"], ("4.7", "3/8/2011"))
    row(640, "4.2", ["Form of notes"], ("4.8", "9/27/2018"))
    row(628, "4.3", ["Form of later notes"], ("4.9", "9/28/2018"))
    canvas.save()
    document = parse(tmp_path / "exhibits.pdf")
    (block,) = [b for s in document.sections for b in s.blocks if b.kind is BlockKind.TABLE]
    assert block.table is not None
    by_number = {cells[0]: cells[1:] for cells in block.table.rows}
    assert by_number["4.1"] == (f"{long} its later supplements", "4.7", "3/8/2011")
    assert by_number["3.2"] == ("By-laws", "3.5", "6/14/2018")
    assert by_number["4.3"] == ("Form of later notes", "4.9", "9/28/2018")


def test_a_table_of_contents_names_headings_in_plain_type(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "manual.pdf"), pagesize=A4)
    titles = [
        "1 Purpose",
        "1.1 Scope of use",
        "2 Charging",
        "2.1 Charging at low temperature",
        "Warning signs",
    ]
    lines(canvas, 60, 760, [f"{title} {'.' * 60} {page}" for page, title in enumerate(titles, 2)])
    canvas.showPage()
    y = 760.0
    for title in titles:
        lines(canvas, 60, y, [title])
        lines(canvas, 60, y - 30, [f"Under {title.lower()}, {WORDS}.", f"2.1 bar and {WORDS} end it."])
        y -= 90
    canvas.save()
    document = parse(tmp_path / "manual.pdf")
    found = [(section.level, section.title) for section in document.sections if section.title in titles]
    assert [title for _, title in found] == titles
    assert [level for level, _ in found][:4] == [1, 2, 1, 2]


def test_a_table_keeps_its_caption_and_a_figure_its_own(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "captions.pdf"), pagesize=A4)
    lines(canvas, 60, 780, [f"Before the table {WORDS}.", "A second sentence ends the paragraph."])
    lines(canvas, 60, 730, ["Table 2: Stores by country (in thousands)"], 9)
    canvas.setFont("Helvetica", 9)
    for index, (label, *cells) in enumerate(
        [("Country", "Stores", "Staff"), ("Norway", "12", "1.5"), ("Chile", "8", "0.9"), ("Peru", "3", "0.2")]
    ):
        right_aligned(canvas, 712 - 13 * index, label, dict(zip((300.0, 400.0), cells, strict=True)))
    canvas.rect(60, 420, 300, 200, fill=1)
    lines(canvas, 60, 405, ["Figure 3. Sensors sold in each quarter of the year"], 9)
    lines(canvas, 60, 360, [f"Figure 3 shows that sales rose, {WORDS}.", "The end."])
    canvas.save()
    blocks = [b for s in parse(tmp_path / "captions.pdf").sections for b in s.blocks]
    (block,) = [b for b in blocks if b.table is not None]
    assert block.table is not None
    assert block.table.caption == "Table 2: Stores by country (in thousands)"
    assert block.table.unit == "in thousands"
    assert block.table.rows[0] == ("Country", "Stores", "Staff")
    assert [b.text for b in blocks if b.kind is BlockKind.FIGURE] == [
        "Figure 3. Sensors sold in each quarter of the year"
    ]


def test_turned_page_reads_upright(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "turned.pdf"), pagesize=A4)
    canvas.setPageRotation(90)
    canvas.translate(A4[0], 0)
    canvas.rotate(90)
    lines(canvas, 60, 500, ["A wide table page, turned by ninety degrees,", "is read as the person sees it."])
    canvas.save()
    ((_, blocks),) = texts(parse(tmp_path / "turned.pdf"))
    assert blocks == [(1, "A wide table page, turned by ninety degrees, is read as the person sees it.")]


def test_refusals(tmp_path: Path, report: Path) -> None:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(report))
    writer.encrypt("secret")
    with (tmp_path / "locked.pdf").open("wb") as out:
        writer.write(out)
    canvas = Canvas(str(tmp_path / "scan.pdf"), pagesize=A4)
    canvas.rect(50, 50, 100, 100, fill=1)
    canvas.save()
    (tmp_path / "cut.pdf").write_bytes(report.read_bytes()[:600])
    for name, message in (
        ("locked.pdf", "locked.pdf is protected by a password — save a copy without the password"),
        ("scan.pdf", "scan.pdf has no text, and OCR found none in it — check that its pages"),
        ("cut.pdf", "cut.pdf is damaged: its PDF structure cannot be read — "),
    ):
        with pytest.raises(RefusedFileError) as caught:
            parse(tmp_path / name)
        assert str(caught.value).startswith(message)
    with pytest.raises(RefusedFileError, match=r"report\.pdf has 3 pages, over the limit of 2"):
        parse_pdf(report, "report.pdf", 2)
