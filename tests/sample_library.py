"""The sample library read without the product: texts, records, questions and judgements.

Arrives: the files under ``tests/data``. Leaves: what the two test modules of the library compare. The
extraction is a second, simpler one on purpose: a fault of our parsers cannot hide a wrong quote.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import docx
import pypdfium2
from docx.table import Table
from lxml import html

DATA = Path(__file__).parent / "data"
LIBRARY = DATA / "library"


def _pdf_text(path: Path) -> str:
    with pypdfium2.PdfDocument(path) as document:
        return "\n".join(page.get_textpage().get_text_range() for page in document)


def _docx_text(path: Path) -> str:
    parts: list[str] = []
    for block in docx.Document(str(path)).iter_inner_content():
        if isinstance(block, Table):
            parts += [" ".join(cell.text for cell in row.cells) for row in block.rows]
        else:
            parts.append(block.text)
    return "\n".join(parts)


def _html_text(path: Path) -> str:
    return html.fromstring(path.read_bytes()).text_content()


def _plain_text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


EXTRACTORS: dict[str, Callable[[Path], str]] = {
    ".pdf": _pdf_text, ".docx": _docx_text, ".html": _html_text,
    ".md": _plain_text, ".txt": _plain_text, ".jsonl": _plain_text,
}  # fmt: skip


@cache
def squeezed(path: Path) -> str:
    """The extracted text without any white space: a PDF breaks Chinese lines anywhere."""
    return squeeze(EXTRACTORS[path.suffix](path))


@cache
def lowered(path: Path) -> str:
    """The extracted text in lower case, every run of white space as one space: for English words."""
    return re.sub(r"\s+", " ", EXTRACTORS[path.suffix](path)).lower()


def squeeze(text: str) -> str:
    """`text` without white space."""
    return re.sub(r"\s+", "", text)


def says(path: Path, words: str) -> bool:
    """Whether the document holds `words`, in either case; Chinese across line breaks."""
    if words.isascii():
        return words.lower() in lowered(path)
    return squeeze(words).lower() in squeezed(path).lower()


@cache
def documents() -> tuple[Path, ...]:
    """Every file of the library, in order."""
    return tuple(sorted(path for path in LIBRARY.rglob("*") if path.is_file()))


@cache
def records() -> dict[str, dict[str, Any]]:
    """The records of the JSONL file by their ids."""
    lines = (LIBRARY / "news/wire.jsonl").read_text("utf-8").splitlines()
    return {record["id"]: record for record in map(json.loads, lines)}


def record_ids() -> set[str]:
    """What a judgement may name: a path below the library, or the id of a JSONL record."""
    return {path.relative_to(LIBRARY).as_posix() for path in documents()} | set(records())


def read_questions(name: str) -> list[dict[str, Any]]:
    """The questions of one file under ``tests/data``."""
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


def read_qrels(name: str) -> list[tuple[str, str, int]]:
    """Query, record and grade, line by line."""
    with (DATA / name).open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines, delimiter="\t"))
    assert rows[0] == ["query-id", "corpus-id", "score"]
    return [(query, record, int(relevance)) for query, record, relevance in rows[1:]]


def missing_quotes(question: dict[str, Any]) -> list[str]:
    """The quotes of a question that do not stand in their document."""
    absent: list[str] = []
    for evidence in question["evidence"]:
        text = squeezed(LIBRARY / evidence["document"])
        if record_id := evidence.get("record_id"):
            text = squeeze(records()[record_id]["text"])
        if squeeze(evidence["quote"]) not in text:
            absent.append(evidence["quote"])
    return absent
