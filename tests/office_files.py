# ruff: noqa: E501
"""Small files of every format, written by the tests themselves: seeds for parsing and for damage."""

from __future__ import annotations

import datetime
import io
import tarfile
import zipfile
from email.message import EmailMessage

import docx
import openpyxl
import pptx
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

JATS = b"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS//EN" "JATS-archivearticle1.dtd">
<article><front><journal-meta><journal-title>Tidal Letters</journal-title></journal-meta><article-meta>
<article-id pub-id-type="doi">10.1/x</article-id><title-group><article-title>On <italic>tides</italic></article-title></title-group>
<contrib-group><contrib contrib-type="author"><name><surname>Lee</surname><given-names>Ann</given-names></name></contrib>
<contrib contrib-type="editor"><name><surname>Ed</surname></name></contrib></contrib-group>
<pub-date><year>2021</year></pub-date><pub-date><day>3</day><month>2</month><year>2021</year></pub-date>
<abstract><p>Tides rise.</p></abstract></article-meta></front>
<body><sec><label>1</label><title>Methods</title><p>We used 10<sup>6</sup> buoys.<fig><label>Figure 1</label>
<caption><p>A buoy.</p></caption></fig></p>
<table-wrap><label>Table 1</label><caption><p>Heights (m)</p></caption><table><thead><tr><th>Port</th><th colspan="2">Height</th></tr></thead>
<tbody><tr><td>Brest</td><td>7.1</td><td>7.3</td></tr></tbody></table><table-wrap-foot><fn><p>Spring tide.</p></fn></table-wrap-foot></table-wrap>
</sec></body><back><ref-list><ref><element-citation><name><surname>Bo</surname><given-names>Li</given-names></name>
<year>2019</year><article-title>Seas</article-title></element-citation></ref></ref-list></back></article>"""

ODS_CONTENT = """<?xml version="1.0" encoding="UTF-8"?>
<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 office:version="1.2"><office:body><office:spreadsheet><table:table table:name="Rates">
<table:table-row><table:table-cell office:value-type="string"><text:p>Year</text:p></table:table-cell>
<table:table-cell office:value-type="string"><text:p>Rate</text:p></table:table-cell></table:table-row>
<table:table-row><table:table-cell office:value-type="string"><text:p>First</text:p></table:table-cell>
<table:table-cell office:value-type="percentage" office:value="0.075"><text:p>7.5%</text:p></table:table-cell></table:table-row>
<table:table-row><table:table-cell office:value-type="string"><text:p>Second</text:p></table:table-cell>
<table:table-cell office:value-type="float" office:value="1234.5"><text:p>1,234.50</text:p></table:table-cell></table:table-row>
</table:table></office:spreadsheet></office:body></office:document-content>"""

PAGE = "<html><head><title>Book</title></head><body><h1>{0}</h1><p>{1}</p></body></html>"


def xlsx() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Results"
    for row in (["Results 2023"], ["In thousands of USD"], [], ["Region", "Share", "Sales", "Closed"]):
        sheet.append(row)
    sheet.append(["North", 0.075, 1234.5, datetime.date(2023, 6, 30)])
    sheet.append(["South", 0.5, -81, datetime.date(2023, 9, 30)])
    for row in sheet.iter_rows(min_row=5, max_row=6):
        row[1].number_format, row[2].number_format = "0.0%", "#,##0.00"
    other = book.create_sheet("Plan")
    other.append(["Group", "2024", "2024"])
    other.merge_cells("B1:C1")
    other.append(["", "Low", "High"])
    other.append(["North", 5, 7])
    other["E3"] = "=B3+C3"
    book.properties.title = "Quarterly results"
    book.properties.creator = "Ann Lee; Bo Li"
    return _saved(book)


def docx_() -> bytes:
    document = docx.Document()
    document.core_properties.author = "Legal"
    document.add_heading("Agreement", 1)
    document.add_paragraph("The price is fixed.")
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip(table._cells, ("Item", "Price", "Sensor", "10"), strict=True):
        cell.text = text
    return _saved(document)


def pptx_() -> bytes:
    deck = pptx.Presentation()
    deck.core_properties.title = "Quarterly review"
    deck.core_properties.author = "Ann Lee"
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Outlook"
    body = slide.placeholders[1].text_frame
    body.text = "Orders grow"
    added = body.add_paragraph()
    added.text, added.level = "in the north", 1
    slide.notes_slide.notes_text_frame.text = "Mention the strike."
    second = deck.slides.add_slide(deck.slide_layouts[5])
    second.shapes.title.text = "Figures"
    data = CategoryChartData(number_format="0.0%")
    data.categories = ["2022", "2023"]
    data.add_series("Share", (0.1, 0.125))
    second.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(4), Inches(4), Inches(2), data)
    cells = second.shapes.add_table(2, 3, Inches(1), Inches(2), Inches(5), Inches(1)).table
    for index, text in enumerate(("Plant", "Output", "", "Brest", "10", "12")):
        cells.cell(index // 3, index % 3).text = text
    cells.cell(0, 1).merge(cells.cell(0, 2))
    group = second.shapes.add_group_shape()
    for left, text in ((3, "right"), (1, "left")):
        group.shapes.add_textbox(Inches(left), Inches(6.5), Inches(1), Inches(0.5)).text_frame.text = text
    return _saved(deck)


def ods() -> bytes:
    manifest = '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
    return zipped(
        {
            "mimetype": b"application/vnd.oasis.opendocument.spreadsheet",
            "content.xml": ODS_CONTENT.replace("\n<", "<").encode(),  # calamine wants no space between cells
            "META-INF/manifest.xml": manifest.encode(),
        }
    )


def epub() -> bytes:
    package = """<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">
<metadata><dc:title>Of tides</dc:title><dc:creator>Ann Lee</dc:creator><dc:date>2020-05-04</dc:date></metadata>
<manifest><item id="b" href="b%20two.xhtml" media-type="application/xhtml+xml"/>
<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="a"/><itemref idref="b"/><itemref idref="none"/></spine></package>"""
    container = '<container><rootfiles><rootfile full-path="O/p.opf"/></rootfiles></container>'
    return zipped(
        {
            "mimetype": b"application/epub+zip",
            "META-INF/container.xml": container.encode(),
            "O/p.opf": package.encode(),
            "O/b two.xhtml": PAGE.format("Second", "The moon pulls.").encode(),
            "O/a.xhtml": PAGE.format("First", "The sea moves.").encode(),
        }
    )


def eml() -> bytes:
    message = EmailMessage()
    message["Subject"] = "Prices 价格 for May"
    message["From"] = "Ann Lee <ann@example.org>"
    message["To"] = "team@example.org"
    message["Date"] = "Thu, 04 May 2023 23:30:00 -0500"
    message.set_content("Please see the list.")
    message.add_alternative('<p>Please see the list.<img src="cid:logo">', subtype="html")
    message.add_attachment(b"Item,Price\nSensor,10\n", maintype="text", subtype="csv", filename="报价.csv")
    message.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="l.png", cid="<logo>")
    message.add_attachment(b"a note", maintype="application", subtype="pdf", filename="n.pdf", cid="<x1>")
    inner = EmailMessage()
    inner["Subject"] = "Older"
    inner.set_content("Forwarded words.")
    message.add_attachment(inner)
    return message.as_bytes()


def zipped(members: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def tarred(members: dict[str, bytes], mode: str = "w:gz") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


def _saved(document: object) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)  # type: ignore[attr-defined]
    return buffer.getvalue()
