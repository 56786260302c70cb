"""Broken and hostile files: our own fixtures, damaged by a seeded generator, and traps written by hand."""

from __future__ import annotations

import gzip
import io
import random
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator

import office_files as made
from PIL import Image, ImageDraw
from reportlab.pdfgen.canvas import Canvas

MEGABYTE = 1 << 20
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
BOMB = f'<?xml version="1.0"?><!DOCTYPE b [<!ENTITY l0 "lol">{LAUGHS}]>'
OUTSIDE = '<?xml version="1.0"?><!DOCTYPE b [<!ENTITY l9 SYSTEM "file:///etc/passwd">]>'


def pdf(pages: int = 2) -> bytes:
    """Pages with a heading, prose and a ruled table."""
    file = io.BytesIO()
    canvas = Canvas(file)
    for page in range(pages):
        canvas.setFont("Helvetica-Bold", 16)
        canvas.drawString(72, 780, f"Chapter {page + 1}: Valves")
        canvas.setFont("Helvetica", 10)
        for line in range(20):
            canvas.drawString(72, 750 - 14 * line, f"Line {line} of page {page}: the valve opens at 3.5 bar.")
        canvas.grid([72, 200, 330], [400, 420, 440, 460])
        for row, cells in enumerate((("Valve", "Price"), ("A1", "49.00"), ("A2", "51.50"))):
            for column, cell in enumerate(cells):
                canvas.drawString(76 + 128 * column, 445 - 20 * row, cell)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def png(words: str = "Valve 49") -> bytes:
    """A small picture of words."""
    image = Image.new("L", (220, 60), 255)
    ImageDraw.Draw(image).text((10, 15), words, fill=0, font_size=28)
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def seeds() -> dict[str, bytes]:
    """One sound file of every format, by suffix."""
    html = "<html><title>Valves</title><h1>Valves</h1><p>A valve.</p><table><tr><th>a<td>1</table>"
    return {
        ".xlsx": made.xlsx(),
        ".docx": made.docx_(),
        ".pptx": made.pptx_(),
        ".ods": made.ods(),
        ".epub": made.epub(),
        ".eml": made.eml(),
        ".xml": made.JATS,
        ".zip": made.zipped({"a/one.txt": b"The first member.", "two.md": b"# Two\n\nThe second member."}),
        ".tar.gz": made.tarred({"a/one.txt": b"The first member.", "two.csv": b"a,b\n1,2\n"}),
        ".pdf": pdf(),
        ".png": png(),
        ".html": html.encode(),
        ".md": "# Valves\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n阀门在三点五巴时打开。\n".encode(),
        ".txt": ("阀门说明书\n\n第一条 阀门在三点五巴时打开。\n" * 4).encode("gb18030"),
        ".csv": b"valve,price\nA1,49.00\nA2,51.50\n",
        ".jsonl": b'{"id": "r1", "title": "One", "text": "A valve."}\n{"id": "r2", "text": "Two."}\n',
    }


def damaged(data: bytes, chance: random.Random) -> bytes:
    """One to four random injuries; the members of a ZIP are injured inside as well."""
    if data[:2] == b"PK" and chance.random() < 0.6:
        return _damaged_inside(data, chance)
    broken = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        _INJURIES[chance.randrange(len(_INJURIES))](broken, chance)
    return bytes(broken)


def _damaged_inside(data: bytes, chance: random.Random) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as sound, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as out:
        names = sound.namelist()
        victims = set(chance.sample(names, min(len(names), chance.randint(1, 3))))
        for name in names:
            content = bytearray(sound.read(name))
            if name in victims:
                if chance.random() < 0.15:
                    continue
                for _ in range(chance.randint(1, 5)):
                    _INJURIES[chance.randrange(len(_INJURIES))](content, chance)
            out.writestr(name, bytes(content))
    return file.getvalue()


def _span(data: bytearray, chance: random.Random) -> tuple[int, int]:
    start = chance.randrange(len(data) or 1)
    return start, min(len(data), start + chance.randint(1, max(2, len(data) // 8)))


def _flip(data: bytearray, chance: random.Random) -> None:
    for _ in range(chance.randint(1, 40)):
        if data:
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def _cut_off(data: bytearray, chance: random.Random) -> None:
    del data[chance.randrange(len(data) or 1) :]


def _take_out(data: bytearray, chance: random.Random) -> None:
    start, end = _span(data, chance)
    del data[start:end]


def _zero(data: bytearray, chance: random.Random) -> None:
    start, end = _span(data, chance)
    data[start:end] = bytes(end - start)


def _double(data: bytearray, chance: random.Random) -> None:
    start, end = _span(data, chance)
    data[end:end] = data[start:end] * chance.randint(1, 50)


def _noise(data: bytearray, chance: random.Random) -> None:
    start, end = _span(data, chance)
    data[start:end] = chance.randbytes(end - start)


def _number(data: bytearray, chance: random.Random) -> None:
    """Digits of a length, an offset or a count become very many."""
    places = [at for at, byte in enumerate(data) if 48 <= byte <= 57]
    if places:
        at = chance.choice(places)
        data[at : at + 1] = chance.choice((b"99999999", b"-1", b"0", b"1e309", b"18446744073709551616"))


_INJURIES: list[Callable[[bytearray, random.Random], None]] = [
    _flip, _cut_off, _take_out, _zero, _double, _noise, _number,
]  # fmt: skip


def traps() -> Iterator[tuple[str, bytes]]:
    """(name, content) of files that somebody wrote to do harm."""
    yield "empty.pdf", b""
    yield "bomb.zip", made.zipped({"zeros.txt": bytes(300 * MEGABYTE)})
    nested = made.zipped({"zeros.txt": bytes(30 * MEGABYTE)})
    yield "nested.zip", made.zipped({f"{n}.zip": nested for n in range(10)})
    deep = b"The innermost."
    for level in range(12):
        deep = made.zipped({f"level{level}.zip" if level else "last.txt": deep})
    yield "deep.zip", deep
    yield "bomb.gz", gzip.compress(bytes(300 * MEGABYTE))
    names = {
        "../../../../tmp/assay-was-here.txt": b"out",
        "/etc/assay-was-here.txt": b"absolute",
        "..\\..\\assay-was-here.txt": b"backslash",
        "a\x00b.txt": b"NUL",
        "x" * 3000 + ".txt": b"long",
        "con.txt": b"device",
        "-rf.txt": b"option",
    }
    yield "names.zip", made.zipped(names)
    yield "names.tar", made.tarred({name: data for name, data in names.items() if "\x00" not in name}, "w")
    yield "many.zip", made.zipped({f"{n}.bin": b"-" for n in range(1_200)}, zipfile.ZIP_STORED)
    for name, xml in (("laughs", BOMB), ("outside", OUTSIDE)):
        yield f"{name}.xml", f"{xml}<article><body><p>&l9;</p></body></article>".encode()
        yield f"{name}.docx", _replaced(made.docx_(), "word/document.xml", xml)
        yield f"{name}.xlsx", _replaced(made.xlsx(), "xl/workbook.xml", xml)
        yield f"{name}.pptx", _replaced(made.pptx_(), "ppt/presentation.xml", xml)
        yield f"{name}.epub", _replaced(made.epub(), "META-INF/container.xml", xml)
    yield "deep.html", b"<div>" * 200_000 + b"word"
    yield "deep.md", b">" * 100_000 + b" word"
    yield "brackets.md", b"[" * 200_000
    yield "stars.md", b"*a " * 100_000
    yield "deep.jsonl", b'{"id": "a", "text": ' + b"[" * 100_000 + b"\n" + b'{"id": "b", "text": "Good."}\n'
    yield "long-line.jsonl", b'{"id": "a", "text": "' + b"x" * (20 * MEGABYTE) + b'"}\n'
    yield "wide.csv", b",".join(b"%d" % n for n in range(50_000)) + b"\n1,2\n"
    yield "one-word.txt", b"x" * (8 * MEGABYTE)
    yield "nul\u202etxt.pdf", bytes(4096)
    yield "huge.png", png_header(60_000, 60_000)
    yield "huge.tiff", b"II*\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00"
    for name, text in _hostile_pdfs().items():
        yield name, text
    yield "mail.eml", b"Content-Type: multipart/mixed; boundary=a\n\n" + b"--a\n" * 50_000
    nested_mail = b"Subject: inner\n\nThe innermost."
    for _ in range(60):
        nested_mail = b"Content-Type: message/rfc822\n\n" + nested_mail
    yield "nested.eml", b"Subject: outer\n" + nested_mail
    yield "sheet.xlsx", _replaced_text(made.xlsx(), 'r="A1"', 'r="XFD1048576"')


def png_header(width: int, height: int) -> bytes:
    """A PNG that says it is that large."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    rows = chunk(b"IDAT", zlib.compress(bytes(width + 1) * 64))
    return b"\x89PNG\r\n\x1a\n" + head + rows + chunk(b"IEND", b"")


def _replaced(data: bytes, member: str, xml: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as sound, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as out:
        for name in sound.namelist():
            out.writestr(name, f"{xml}<b>&l9;</b>" if name == member else sound.read(name))
    return file.getvalue()


def _replaced_text(data: bytes, old: str, new: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as sound, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as out:
        for name in sound.namelist():
            out.writestr(name, sound.read(name).replace(old.encode(), new.encode()))
    return file.getvalue()


def _hostile_pdfs() -> dict[str, bytes]:
    page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]{}>>"
    loops = {
        "loop-kids.pdf": ["<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2>>"],
        "loop-parent.pdf": ["<</Type/Pages/Kids[3 0 R]/Count 1/Parent 2 0 R>>", page.format("")],
        "loop-contents.pdf": ["<</Type/Pages/Kids[3 0 R]/Count 1>>", page.format("/Contents 4 0 R"), "4 0 R"],
        "loop-form.pdf": [
            "<</Type/Pages/Kids[3 0 R]/Count 1>>",
            page.format("/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>"),
            "<</Length 5>>stream\n/X Do\nendstream",
            "<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 5 0 R>>>>/Length 11>>"
            "stream\n/X Do /X Do\nendstream",
        ],
        "many-pages.pdf": ["<</Type/Pages/Kids[3 0 R]/Count 2147483647>>", page.format("")],
        "huge-page.pdf": ["<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Page/MediaBox[0 0 1e9 1e9]>>"],
        "deep-array.pdf": ["<</Type/Pages/Kids[3 0 R]/Count 1>>", "[" * 100_000],
    }
    return {name: _pdf_of(["<</Type/Catalog/Pages 2 0 R>>", *objects]) for name, objects in loops.items()}


def _pdf_of(objects: list[str]) -> bytes:
    out, places = b"%PDF-1.7\n", []
    for number, text in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{text}\nendobj\n".encode()
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer<</Size {size}/Root 1 0 R>>\n"
    return out + f"{end}startxref\n{len(out)}\n%%EOF\n".encode()
