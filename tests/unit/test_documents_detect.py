from pathlib import Path

import pytest

from appliance.documents.charset import decode_text
from appliance.documents.detect import Format, detect_format
from appliance.errors import RefusedFileError

SIMPLIFIED = "本公司二〇二三年度报告。营业收入增长了百分之十二，研发费用也在增加。"
TRADITIONAL = "本公司年度報告，營業收入增長了百分之十二，這是因為研發的產品上市。"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (SIMPLIFIED, "utf-8"),
        (SIMPLIFIED, "utf-8-sig"),
        (SIMPLIFIED, "gb18030"),
        (TRADITIONAL, "big5"),
        (SIMPLIFIED, "utf-16"),
        ("Café déjà vu, où l’été est là, naïveté française et élèves.", "cp1252"),
    ],
)
def test_charsets(text: str, encoding: str) -> None:
    assert decode_text(text.encode(encoding), "a.txt") == text


@pytest.mark.parametrize("data", [b"abc\x00def", bytes(range(1, 32)) * 40, b"\xff\xfe\x00\xd8a"])
def test_binary_is_refused(data: bytes) -> None:
    with pytest.raises(RefusedFileError, match=r"^a\.txt (is binary data|cannot be read as text)"):
        decode_text(data, "a.txt")


def test_line_ends_and_invisible_characters() -> None:
    assert decode_text("a\r\nb\rc\u200b\xa0d\ufeff".encode(), "a") == "a\nb\nc d"


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.txt", b"plain", Format.TEXT),
        ("a.log", b"plain", Format.TEXT),
        ("README", "说明".encode(), Format.TEXT),
        ("a.md", b"# T", Format.MARKDOWN),
        ("a.html", b"<p>x", Format.HTML),
        ("page.txt", b"<!DOCTYPE html><html><p>x", Format.HTML),
        ("a.txt", b"%PDF-1.7 ...", Format.PDF),
        ("a.jsonl", b"{}", Format.JSONL),
        ("a.txt", b"\x89PNG\r\n\x1a\n\x00", Format.IMAGE),
        ("scan", b"II*\x00\x08\x00\x00\x00", Format.IMAGE),
        ("a.bmp", b"BM\x3a\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28", Format.IMAGE),
        ("notes", b"BM is short for business model", Format.TEXT),
    ],
)
def test_content_comes_before_suffix(tmp_path: Path, name: str, data: bytes, kind: Format) -> None:
    file = tmp_path / "blob"
    file.write_bytes(data)
    assert detect_format(file, name) is kind


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        (
            "a.pdf",
            b"just words",
            "a.pdf is named .pdf but is not a PDF (it looks like text) — rename it to .txt or convert it",
        ),
        (
            "a.docx",
            b"\x01\x02\xfe\x00" * 9,
            "a.docx is named .docx but is not a Word file (it looks like binary data)"
            " — the file is damaged or has the wrong suffix",
        ),
        ("a.docx", b"PK\x03\x04cut off", "a.docx is damaged: its ZIP structure cannot be read"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a.doc is an old binary Office or Outlook file"),
        (
            "a.png",
            b"\x00\x01\x02\x03",
            "a.png is named .png but is not a picture (it looks like binary data)",
        ),
        ("a.xml", b"<?xml version='1.0'?><a/>", "a.xml is an XML file"),
        ("a.bin", b"\x00\x01\x02", "a.bin is in a format that is not known (.bin)"),
    ],
)
def test_refusals_say_what_and_what_to_do(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    file = tmp_path / "blob"
    file.write_bytes(data)
    with pytest.raises(RefusedFileError) as caught:
        detect_format(file, name)
    assert str(caught.value).startswith(message)
    assert caught.value.hint
    assert "\n" not in str(caught.value)
