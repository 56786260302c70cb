"""The sample library keeps its promises: enough documents and questions, every quote really there."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from sample_library import (
    DATA,
    EXTRACTORS,
    LIBRARY,
    documents,
    missing_quotes,
    read_qrels,
    read_questions,
    record_ids,
    records,
    squeezed,
)  # fmt: skip

TYPES = (
    "single-fact", "two-hop", "three-hop", "table", "calculation",
    "comparison", "negation", "time", "contradiction", "unanswerable",
)  # fmt: skip


@cache
def _questions() -> list[dict[str, Any]]:
    return read_questions("questions.jsonl")


@cache
def _qrels() -> list[tuple[str, str, int]]:
    return read_qrels("qrels.tsv")


@cache
def _maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_library", DATA / "make_library.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_library_is_large_enough_and_small_enough() -> None:
    assert len(documents()) >= 68
    assert {path.suffix for path in documents()} == set(EXTRACTORS)
    assert sum(path.stat().st_size for path in documents()) < 3_000_000
    assert len(records()) >= 10


def test_about_half_of_the_documents_are_chinese() -> None:
    chinese = [path for path in documents() if len(re.findall(r"[\u4e00-\u9fff]", squeezed(path))) > 200]
    assert 28 <= len(chinese) <= 36


@pytest.mark.parametrize("path", documents(), ids=lambda path: path.name)
def test_every_document_has_a_date_and_prose(path: Path) -> None:
    assert re.search(r"20\d\d(年\d{1,2}月\d{1,2}日|-\d\d-\d\d)|\d{1,2}[A-Z][a-z]+20\d\d", squeezed(path))
    assert len(squeezed(path)) > 500


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
    assert missing_quotes(question) == []


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


def test_qrels_name_known_questions_anddocuments() -> None:
    answerable = {question["id"] for question in _questions() if question["answer"] is not None}
    assert {query for query, _, _ in _qrels()} == answerable
    assert {record for _, record, _ in _qrels()} <= record_ids()
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
        p.relative_to(LIBRARY).as_posix() for p in documents() if p.suffix in (".pdf", ".docx", ".html")
    }
    assert outputs == written
