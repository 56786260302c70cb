"""The DOCX, PDF and HTML files of the sample library, from the Markdown files under `sources/`.

In: `sources/**/*.md`, each with a front matter naming its `output`. Out: that file under `library/`.
The Markdown, text and JSONL files of the library are written by hand and are left alone.
Run: `python tests/data/make_library.py [FOLDER]`; the same sources always give the same text, and with the
same versions of the two writers the same bytes.
"""

from __future__ import annotations

import html
import io
import sys
import zipfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml
from docx import Document
from docx.oxml.ns import qn
from reportlab.lib import colors
from reportlab.lib.enums import TA_LEFT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

DATA = Path(__file__).parent
CHINESE_FONT = "STSong-Light"


@dataclass(frozen=True)
class Block:
    """One piece of a document: a heading (level 1–3), a paragraph, a list item or a table."""

    kind: str
    text: str = ""
    level: int = 0
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Source:
    """A parsed source file: its front matter and its blocks in order."""

    meta: dict[str, Any]
    blocks: tuple[Block, ...]

    @property
    def published(self) -> datetime:
        """The publication day, at midnight."""
        return datetime.fromisoformat(str(self.meta["published"]))


def read_source(path: Path) -> Source:
    """The source at `path`; ValueError when its front matter is missing."""
    _, front, body = path.read_text(encoding="utf-8").split("---\n", 2)
    return Source(meta=yaml.safe_load(front), blocks=tuple(_blocks(body)))


def _blocks(body: str) -> list[Block]:
    found: list[Block] = []
    for chunk in body.strip().split("\n\n"):
        lines = [line.strip() for line in chunk.strip().splitlines()]
        if lines[0].startswith("#"):
            marks, text = lines[0].split(" ", 1)
            found.append(Block("heading", text, level=len(marks)))
        elif lines[0].startswith("|"):
            rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
            found.append(Block("table", rows=(rows[0], *rows[2:])))
        elif lines[0].startswith("- "):
            found.extend(Block("item", line[2:]) for line in lines)
        else:
            found.append(Block("paragraph", " ".join(lines)))
    return found


def write_docx(source: Source, target: Path) -> None:
    """A Word file with real headings, tables and core properties; zip entries carry a fixed time."""
    document = Document()
    properties = document.core_properties
    properties.title, properties.author = source.meta["title"], source.meta["author"]
    properties.language, properties.version = source.meta["language"], str(source.meta.get("version", ""))
    properties.created = properties.modified = source.published
    normal = document.styles["Normal"].element.get_or_add_rPr().get_or_add_rFonts()
    normal.set(qn("w:eastAsia"), "SimSun")
    for block in source.blocks:
        if block.kind == "heading":
            document.add_heading(block.text, level=block.level)
        elif block.kind == "table":
            table = document.add_table(rows=0, cols=len(block.rows[0]), style="Table Grid")
            for row in block.rows:
                for cell, text in zip(table.add_row().cells, row, strict=True):
                    cell.text = text
        else:
            document.add_paragraph(block.text, style="List Bullet" if block.kind == "item" else None)
    raw = io.BytesIO()
    document.save(raw)
    with zipfile.ZipFile(raw) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            new.writestr(zipfile.ZipInfo(entry.filename), old.read(entry), zipfile.ZIP_DEFLATED)


def write_pdf(source: Source, target: Path) -> None:
    """A digital PDF; Chinese text uses the reader's own Song face, whose character map every reader has."""
    chinese = source.meta["language"].startswith("zh")
    font = CHINESE_FONT if chinese else "Helvetica"
    if chinese:
        pdfmetrics.registerFont(UnicodeCIDFont(CHINESE_FONT))

    def style(size: float, space: float) -> ParagraphStyle:
        wrap = "CJK" if chinese else None
        return ParagraphStyle(
            f"s{size}", fontName=font, fontSize=size, leading=size * 1.45, spaceAfter=space,
            alignment=TA_LEFT, wordWrap=wrap,
        )  # fmt: skip

    def footer(canvas: Any, page: Any) -> None:
        canvas.setFont(font, 8)
        canvas.drawCentredString(A4[0] / 2, 28, f"{page.page}")

    headings = {1: style(18, 10), 2: style(14, 7), 3: style(11.5, 5)}
    body, cell = style(10, 6), style(9, 0)
    story: list[Any] = []
    for block in source.blocks:
        if block.kind == "heading":
            story.append(Paragraph(html.escape(block.text), headings[block.level]))
        elif block.kind == "table":
            rows = [[Paragraph(html.escape(text), cell) for text in row] for row in block.rows]
            grid = TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.grey)])
            story += [Table(rows, style=grid, repeatRows=1), Spacer(1, 8)]
        else:
            mark = "• " if block.kind == "item" else ""
            story.append(Paragraph(mark + html.escape(block.text), body))
    SimpleDocTemplate(
        str(target), pagesize=A4, invariant=1, title=source.meta["title"], author=source.meta["author"],
        subject=f"published {source.meta['published']}", keywords=f"language={source.meta['language']}",
    ).build(story, onFirstPage=footer, onLaterPages=footer)  # fmt: skip


def write_html(source: Source, target: Path) -> None:
    """A web page with a meta date, a navigation bar and a footer, as intranet pages have them."""
    meta = {key: html.escape(str(value)) for key, value in source.meta.items()}
    parts: list[str] = []
    for block in source.blocks:
        text = html.escape(block.text, quote=False)
        if block.kind == "heading":
            parts.append(f"<h{block.level}>{text}</h{block.level}>")
        elif block.kind == "table":
            parts.append(_html_table(block.rows))
        else:
            parts.append(f"<ul><li>{text}</li></ul>" if block.kind == "item" else f"<p>{text}</p>")
    body = "\n".join(parts).replace("</ul>\n<ul>", "\n")
    target.write_text(
        f'<!DOCTYPE html>\n<html lang="{meta["language"]}">\n<head>\n<meta charset="utf-8">\n'
        f'<title>{meta["title"]}</title>\n<meta name="author" content="{meta["author"]}">\n'
        f'<meta name="date" content="{meta["published"]}">\n'
        f'<meta property="article:published_time" content="{meta["published"]}">\n</head>\n<body>\n'
        f'<nav><a href="#top">{meta["author"]}</a></nav>\n<main id="top">\n{body}\n</main>\n'
        f"<footer>{meta['author']} · {meta['published']}</footer>\n</body>\n</html>\n",
        encoding="utf-8",
    )


def _html_table(rows: tuple[tuple[str, ...], ...]) -> str:
    head, *rest = rows
    lines = ["<table>", "<tr>" + "".join(f"<th>{html.escape(cell)}</th>" for cell in head) + "</tr>"]
    lines += ["<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rest]
    return "\n".join([*lines, "</table>"])


WRITERS = {".docx": write_docx, ".pdf": write_pdf, ".html": write_html}


def make(folder: Path) -> list[Path]:
    """The files written under `folder`, one per source."""
    written: list[Path] = []
    for path in sorted((DATA / "sources").rglob("*.md")):
        source = read_source(path)
        target = folder / source.meta["output"]
        target.parent.mkdir(parents=True, exist_ok=True)
        WRITERS[target.suffix](source, target)
        written.append(target)
    return written


if __name__ == "__main__":
    for made in make(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA / "library"):
        print(made)
