"""The sample library keeps its promises: enough documents and questions, every quote really there."""

from __future__ import annotations

import csv
import importlib.util
import json
import re
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import docx
import pypdfium2
import pytest
from docx.table import Table
from lxml import html

DATA = Path(__file__).parents[1] / "data"
LIBRARY = DATA / "library"
TYPES = (
    "single-fact", "two-hop", "three-hop", "table", "calculation",
    "comparison", "negation", "time", "contradiction", "unanswerable",
)  # fmt: skip


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
def _text(path: Path) -> str:
    """The extracted text without any white space: a PDF breaks Chinese lines anywhere."""
    return re.sub(r"\s+", "", EXTRACTORS[path.suffix](path))


@cache
def _questions() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / "questions.jsonl").read_text("utf-8").splitlines()]


@cache
def _records() -> dict[str, dict[str, Any]]:
    lines = (LIBRARY / "news/wire.jsonl").read_text("utf-8").splitlines()
    return {record["id"]: record for record in map(json.loads, lines)}


@cache
def _qrels() -> list[tuple[str, str, int]]:
    with (DATA / "qrels.tsv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines, delimiter="\t"))
    assert rows[0] == ["query-id", "corpus-id", "score"]
    return [(query, record, int(relevance)) for query, record, relevance in rows[1:]]


@cache
def _maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_library", DATA / "make_library.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _documents() -> list[Path]:
    return sorted(path for path in LIBRARY.rglob("*") if path.is_file())


def _missing(question: dict[str, Any]) -> list[str]:
    """The quotes of a question that do not stand in their document."""
    absent: list[str] = []
    for evidence in question["evidence"]:
        text = _text(LIBRARY / evidence["document"])
        if record_id := evidence.get("record_id"):
            text = re.sub(r"\s+", "", _records()[record_id]["text"])
        if re.sub(r"\s+", "", evidence["quote"]) not in text:
            absent.append(evidence["quote"])
    return absent


def test_library_is_large_enough_and_small_enough() -> None:
    documents = _documents()
    assert len(documents) >= 34
    assert {path.suffix for path in documents} == set(EXTRACTORS)
    assert sum(path.stat().st_size for path in documents) < 3_000_000
    assert len(_records()) >= 10


def test_about_half_of_the_documents_are_chinese() -> None:
    chinese = [path for path in _documents() if len(re.findall(r"[\u4e00-\u9fff]", _text(path))) > 200]
    assert 15 <= len(chinese) <= 24


@pytest.mark.parametrize("path", _documents(), ids=lambda path: path.name)
def test_every_document_has_a_date_and_prose(path: Path) -> None:
    assert re.search(r"20\d\d(年\d{1,2}月\d{1,2}日|-\d\d-\d\d)|\d{1,2}[A-Z][a-z]+20\d\d", _text(path))
    assert len(_text(path)) > 500


def test_questions_cover_types_and_languages() -> None:
    questions = _questions()
    assert len(questions) >= 80
    assert len({question["id"] for question in questions}) == len(questions)
    types = Counter(question["type"] for question in questions)
    assert set(types) == set(TYPES)
    assert min(types.values()) >= 6
    assert types["unanswerable"] >= 12
    languages = Counter(question["language"] for question in questions)
    assert languages["zh"] >= 36
    assert languages["en"] >= 36
    both = {(question["type"], question["language"]) for question in questions}
    assert len(both) == 2 * len(TYPES)


@pytest.mark.parametrize("question", _questions(), ids=lambda question: question["id"])
def test_every_quote_stands_in_its_document(question: dict[str, Any]) -> None:
    assert _missing(question) == []


def test_answers_fit_their_type() -> None:
    for question in _questions():
        answerable = question["type"] != "unanswerable"
        assert (question["answer"] is not None) == answerable, question["id"]
        assert bool(question["evidence"]) == answerable, question["id"]
        hops = {"two-hop": 2, "three-hop": 3}.get(question["type"], 0)
        assert len(question.get("hops", [])) == hops, question["id"]
        for hop in question.get("hops", [])[:-1]:
            assert hop["answer"] not in question["question"], question["id"]
        if question["type"] == "contradiction":
            assert len(question["both"]) == 2
            assert all(value in question["answer"] for value in question["both"]), question["id"]


def test_qrels_name_known_questions_and_documents() -> None:
    answerable = {question["id"] for question in _questions() if question["answer"] is not None}
    known = {path.relative_to(LIBRARY).as_posix() for path in _documents()} | set(_records())
    assert {query for query, _, _ in _qrels()} == answerable
    assert {record for _, record, _ in _qrels()} <= known
    assert {relevance for _, _, relevance in _qrels()} == {1, 2}


def test_every_evidence_is_in_the_qrels() -> None:
    judged = {(query, record) for query, record, relevance in _qrels() if relevance == 2}
    wanted = {
        (question["id"], evidence.get("record_id", evidence["document"]))
        for question in _questions()
        for evidence in question["evidence"]
    }
    assert judged == wanted


@pytest.mark.parametrize(
    ("company", "restated"),
    [
        (
            "tarnholm",
            {"Research and development expense", "Operating profit", "Profit before tax", "Income tax",
             "Profit for the year"},
        ),
        ("chengyu", set()),
    ],
)  # fmt: skip
def test_prior_year_equals_the_earlier_report_but_for_the_restatement(
    company: str, restated: set[str]
) -> None:
    def year_2022(year: int, column: int) -> dict[tuple[str, str], str]:
        source = _maker().read_source(DATA / f"sources/{company}/annual-report-{year}.md")
        tables = [block.rows for block in source.blocks if block.kind == "table"]
        return {(rows[0][0], row[0]): row[column] for rows in tables for row in rows[1:]}

    first, later = year_2022(2022, 1), year_2022(2023, 2)
    assert first.keys() == later.keys()
    assert {item for table, item in first if first[table, item] != later[table, item]} == restated


def test_binary_documents_are_reproducible(tmp_path: Path) -> None:
    for made in _maker().make(tmp_path):
        kept = LIBRARY / made.relative_to(tmp_path)
        assert EXTRACTORS[made.suffix](made) == EXTRACTORS[kept.suffix](kept), kept.name


def test_every_docx_and_pdf_comes_from_a_source() -> None:
    maker = _maker()
    outputs = {maker.read_source(path).meta["output"] for path in (DATA / "sources").rglob("*.md")}
    written = {
        p.relative_to(LIBRARY).as_posix() for p in _documents() if p.suffix in (".pdf", ".docx", ".html")
    }
    assert outputs == written
