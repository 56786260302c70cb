import io
import struct
import zlib
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium
import pytest
from PIL import Image
from pypdf import PdfReader, PdfWriter
from pypdf.generic import NameObject, StreamObject
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from strokes import write_chinese

from appliance.config import Ingest
from appliance.documents import parse_file
from appliance.documents.allowance import Allowance
from appliance.documents.images import parse_image
from appliance.documents.pdf import parse_pdf
from appliance.domain import BlockKind, ParsedDocument
from appliance.errors import RefusedFileError

PAGE = (420, 300)
ENGLISH = [
    "The board approved a dividend of 49.0 cents per share",
    "on 14 August 2023. Net sales rose by 12.5% to $14,694",
    "million, and research costs came to (101) million.",
]
CHINESE = ["中土大田木工生日本天上五十千", "一目三山王人口正下二中田"]


def page_picture(dpi: int, lines: list[str] = ENGLISH, size: float = 12) -> Image.Image:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=PAGE)
    canvas.setFont("Helvetica", size)
    for index, line in enumerate(lines):
        canvas.drawString(40, 250 - index * size * 1.35, line)
    canvas.save()
    with pdfium.PdfDocument(buffer.getvalue()) as document:
        return document[0].render(scale=dpi / 72).to_pil().convert("RGB")


def scanned(image: Image.Image, degrees: float = 1.0, noise: float = 12.0) -> Image.Image:
    """As a scanner gives it: a little askew, with grain."""
    askew = image.rotate(degrees, resample=Image.Resampling.BICUBIC, fillcolor="white")
    pixels = np.asarray(askew).astype(np.float32)
    grain = np.random.default_rng(7).normal(0, noise, pixels.shape)
    return Image.fromarray(np.clip(pixels + grain, 0, 255).astype(np.uint8))


def scan_pdf(path: Path, images: list[Image.Image]) -> Path:
    canvas = Canvas(str(path))
    for image in images:
        size = PAGE if image.width > image.height else PAGE[::-1]
        canvas.setPageSize(size)
        canvas.drawImage(ImageReader(image), 0, 0, *size)
        canvas.showPage()
    canvas.save()
    return path


def words(document: ParsedDocument) -> str:
    texts = [text for s in document.sections for text in (s.title, *(b.text for b in s.blocks))]
    return " ".join(" ".join(texts).split())


def accuracy(document: ParsedDocument, lines: list[str]) -> float:
    """The share of the characters of ``lines``, spaces apart, that were read in order."""
    wanted, found = "".join("".join(lines).split()), "".join(words(document).split())
    blocks = SequenceMatcher(None, wanted, found, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / len(wanted)


@pytest.mark.parametrize("dpi", [150, 200, 300])
def test_characters_of_an_askew_noisy_scan(tmp_path: Path, dpi: int) -> None:
    image = page_picture(dpi)
    for index, line in enumerate(CHINESE):
        write_chinese(image, 40 * dpi / 72, (120 + index * 30) * dpi / 72, line, 14 * dpi / 72)
    file = tmp_path / "scan.png"
    scanned(image).save(file)
    document = parse_image(file, file.name, 10)
    assert accuracy(document, [*ENGLISH, *CHINESE]) >= 0.97
    assert (document.format, document.pages) == ("image", 1)
    assert document.warnings[0].startswith("page 1: OCR confidence ")
    assert float(document.warnings[0].split()[4]) >= 0.9
    assert " ".join(ENGLISH)[:50] in words(document)  # lines joined into a paragraph, words apart


def test_turned_pages_in_a_pdf_of_pictures(tmp_path: Path) -> None:
    image = page_picture(150)
    turned = [image.rotate(degrees, expand=True) for degrees in (90, 180, 270)]
    document = parse_pdf(scan_pdf(tmp_path / "turned.pdf", turned), "turned.pdf", 10)
    pages: dict[int | None, list[str]] = {}
    for section in document.sections:
        for block in section.blocks:
            pages.setdefault(block.page, []).append(block.text)
    assert sorted(pages, key=str) == [1, 2, 3]
    for texts in pages.values():
        assert "The board approved a dividend of 49.0 cents per share" in " ".join(texts)
    assert [warning.split(":")[0] for warning in document.warnings] == ["page 1", "page 2", "page 3"]
    assert all("a picture of a page" in warning for warning in document.warnings)


def test_a_scanned_table_has_cells(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=PAGE)
    rows = [("Item", "2022", "2023"), ("Revenue", "1,050.0", "1,208.5"), ("Cost", "630.0", "(711.2)")]
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            canvas.rect(40 + j * 110, 220 - i * 24, 110, 24)
            canvas.drawString(48 + j * 110, 227 - i * 24, cell)
    canvas.save()
    with pdfium.PdfDocument(buffer.getvalue()) as source:
        image = source[0].render(scale=200 / 72).to_pil().convert("RGB")
    document = parse_pdf(scan_pdf(tmp_path / "table.pdf", [scanned(image)]), "table.pdf", 10)
    (block,) = [b for s in document.sections for b in s.blocks if b.kind is BlockKind.TABLE]
    assert block.table is not None
    assert block.table.rows == tuple(rows)
    assert block.table.header_rows == 1


def remapped(path: Path, target: int, texts: list[tuple[float, float, str]]) -> Path:
    """A page in Helvetica whose font maps every code to characters from ``target`` on."""
    canvas = Canvas(str(path), pagesize=PAGE)
    canvas.setFont("Helvetica", 12)
    for x, y, text in texts:
        canvas.drawString(x, y, text)
    canvas.save()
    writer = PdfWriter(clone_from=PdfReader(path))
    codes = "\n".join(f"<{code:02x}> <{target + code - 32:04x}>" for code in range(33, 127))
    stream = StreamObject()
    stream.set_data(
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
        b"1 begincodespacerange <00> <ff> endcodespacerange\n"
        b"94 beginbfchar\n" + codes.encode() + b"\nendbfchar endcmap end end"
    )
    reference = writer._add_object(stream)
    for font in writer.pages[0]["/Resources"]["/Font"].values():
        font.get_object()[NameObject("/ToUnicode")] = reference
    with path.open("wb") as out:
        writer.write(out)
    return path


@pytest.mark.parametrize("target", [0xE000, 0x3A00])
def test_a_gibberish_text_layer_is_read_from_the_picture(tmp_path: Path, target: int) -> None:
    lines = [(40.0, 250.0 - 16 * index, line) for index, line in enumerate(ENGLISH)]
    path = remapped(tmp_path / "cipher.pdf", target, lines)
    document = parse_pdf(path, path.name, 10)
    assert accuracy(document, ENGLISH) >= 0.97
    assert "a text layer that makes no sense" in document.warnings[0]


def test_right_to_left_text_keeps_its_logical_order(tmp_path: Path) -> None:
    # A font that shows Latin and means Hebrew; drawn as a person sees it, from the right: "ABC" reads א ב ג.
    path = remapped(tmp_path / "rtl.pdf", 0x05D0 - 33, [(100.0, 200.0, "GFE CBA"), (100.0, 180.0, "KJI")])
    first = "".join(chr(0x05D0 + ord(letter) - 65) for letter in "ABC")
    second = "".join(chr(0x05D0 + ord(letter) - 65) for letter in "EFG")
    assert f"{first} {second}" in words(parse_pdf(path, path.name, 10))


def test_a_tiff_of_two_pages_and_what_the_limits_leave_out(tmp_path: Path) -> None:
    pages = [
        page_picture(150, ["First page of the fax,", "sent in March."]),
        page_picture(150, ["Second page."]),
    ]
    file = tmp_path / "fax.tif"
    pages[0].save(file, save_all=True, append_images=pages[1:])
    document = parse_image(file, file.name, 10)
    assert document.pages == 2
    assert [block.page for s in document.sections for block in s.blocks][-1] == 2
    assert "First page of the fax" in words(document)
    short = parse_pdf(scan_pdf(tmp_path / "fax.pdf", pages), "fax.pdf", 10, Allowance(ocr_max_pages=1))
    assert "First page" in words(short)
    assert "Second" not in words(short)
    assert "page 2: 1 pages not read by OCR, over ingest.ocr_max_pages" in short.warnings
    with pytest.raises(RefusedFileError, match=r"fax\.tif has 2 pages, over the limit of 1"):
        parse_image(file, file.name, 1)


def png_header(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 100))


def test_pictures_that_are_refused(tmp_path: Path) -> None:
    (tmp_path / "bomb.png").write_bytes(png_header(60_000, 60_000))
    whole = io.BytesIO()
    page_picture(100).save(whole, "PNG")
    (tmp_path / "cut.png").write_bytes(whole.getvalue()[:2_000])
    Image.new("RGB", (400, 300), "white").save(tmp_path / "blank.png")
    (tmp_path / "junk.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\x07" * 300)
    for name, message in (
        ("bomb.png", "bomb.png has 60000 × 60000 pixels, over the limit of 120 million — scale it down"),
        ("cut.png", "cut.png is damaged: the picture cannot be decoded — get a complete copy"),
        ("blank.png", "OCR found no text in blank.png — check that it shows text"),
        ("junk.png", "junk.png is damaged: the picture cannot be decoded — "),
    ):
        with pytest.raises(RefusedFileError) as caught:
            parse_image(tmp_path / name, name, 10)
        assert str(caught.value).startswith(message)


def test_ocr_runs_inside_the_limits_of_the_sandbox(tmp_path: Path) -> None:
    path = scan_pdf(tmp_path / "scan.pdf", [scanned(page_picture(200))])
    document = parse_file(path, Ingest())
    assert accuracy(document, ENGLISH) >= 0.97
    assert document.warnings[0].startswith("page 1: OCR confidence ")
