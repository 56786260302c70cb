"""E-mail, books and journal articles."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path

import office_files as made
import pytest

from appliance.documents.eml import attachments, read_message
from appliance.documents.worker import parse_here
from appliance.domain import BlockKind, ParsedDocument
from appliance.errors import RefusedFileError


def parsed(tmp_path: Path, name: str, data: bytes) -> ParsedDocument:
    (tmp_path / "blob").write_bytes(data)
    return parse_here(tmp_path / "blob", name, 100)


@pytest.mark.parametrize("name", ["m.eml", "unknown"])
def test_a_mail(tmp_path: Path, name: str) -> None:
    document = parsed(tmp_path, name, made.eml())
    assert (document.title, document.title_from) == ("Prices 价格 for May", "subject")
    assert (document.published, document.published_from) == ("2023-05-04", "date header")
    assert (document.authors, document.meta["to"]) == (("Ann Lee",), "team@example.org")
    assert [block.text for section in document.sections for block in section.blocks] == [
        "Please see the list."
    ]


def test_attachments_and_forwarded_mail_but_no_logos() -> None:
    found = dict(attachments(read_message(made.eml(), "m.eml")))
    assert list(found) == ["报价.csv", "n.pdf", "Older.eml"]
    assert found["报价.csv"] == b"Item,Price\nSensor,10\n"
    assert b"Forwarded words." in (found["Older.eml"] or b"")


def test_a_table_in_html_is_worth_more_than_the_plain_text(tmp_path: Path) -> None:
    message = EmailMessage()
    message["From"] = "a@b.org"
    message.set_content("Item Price Sensor 10")
    message.add_alternative("<table><tr><th>Item<th>Price<tr><td>Sensor<td>10</table>", subtype="html")
    (section,) = parsed(tmp_path, "m.eml", message.as_bytes()).sections
    assert section.blocks[0].table is not None
    assert section.blocks[0].table.rows == (("Item", "Price"), ("Sensor", "10"))


def test_a_book_in_the_order_of_its_spine(tmp_path: Path) -> None:
    document = parsed(tmp_path, "b.epub", made.epub())
    assert (document.title, document.authors, document.published) == ("Of tides", ("Ann Lee",), "2020-05-04")
    assert [(s.title, s.blocks[0].text) for s in document.sections] == [
        ("First", "The sea moves."),
        ("Second", "The moon pulls."),
    ]


def test_an_article(tmp_path: Path) -> None:
    document = parsed(tmp_path, "a.xml", made.JATS)
    assert (document.title, document.authors, document.published) == ("On tides", ("Ann Lee",), "2021-02-03")
    assert document.meta == {"doi": "10.1/x", "journal": "Tidal Letters"}
    assert [section.trail for section in document.sections] == [
        ("Abstract",),
        ("1 Methods",),
        ("References",),
    ]
    words, figure, table = document.sections[1].blocks
    assert words.text == "We used 10^6 buoys."
    assert (figure.kind, figure.text) == (BlockKind.FIGURE, "Figure 1 A buoy.")
    assert table.table is not None
    assert (table.table.caption, table.table.notes) == ("Table 1 Heights (m)", ("Spring tide.",))
    assert table.table.rows == (("Port", "Height", "Height"), ("Brest", "7.1", "7.3"))
    assert document.sections[2].blocks[0].text == "Li Bo. 2019. Seas"


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        (
            "a.xml",
            b'<?xml version="1.0"?><!DOCTYPE article [<!ENTITY a "aa">]><article>&a;</article>',
            "declares XML",
        ),
        ("a.xml", b"<article><body>", "is not well-formed XML"),
        ("a.eml", b"just some words\n", "is not an e-mail"),
        (
            "a.epub",
            made.zipped({"mimetype": b"application/epub+zip", "META-INF/container.xml": b"<c/>"}),
            "is damaged",
        ),
    ],
)
def test_refusals(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    with pytest.raises(RefusedFileError, match=message) as caught:
        parsed(tmp_path, name, data)
    assert caught.value.hint
