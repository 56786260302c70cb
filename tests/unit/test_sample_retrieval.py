"""The retrieval questions of the sample library: four domains, five styles, judged by reading.

What is promised to whoever measures with them: a colloquial question shares no lay word with its evidence, a
negation question is answered by the notice and not by the document that merely describes the thing, and the
judgements name what is there.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from functools import cache
from typing import Any

import pytest
from sample_library import LIBRARY, missing_quotes, read_qrels, read_questions, record_ids, says, squeeze

DOMAINS = ("finance", "medical", "legal", "research")
STYLES = ("plain", "colloquial", "negation", "dated", "version")
ENDED_OR_KEPT = re.compile(
    r"no longer|withdrawn|removed|deleted|discontinued|closed|lifted|ends on|abolished|repealed|prohibited"
    r"|remains|still|取消|停止|不再|不得|撤销|移除|终止|废止|解除|继续|仍然|保留"
)


@cache
def _questions() -> list[dict[str, Any]]:
    return read_questions("questions.retrieval.jsonl")


@cache
def _grades() -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = {}
    for query, record, grade in read_qrels("qrels.retrieval.tsv"):
        assert record not in grades.setdefault(query, {}), f"{query} judges {record} twice"
        grades[query][record] = grade
    return grades


def _of(style: str) -> list[dict[str, Any]]:
    return [question for question in _questions() if question["style"] == style]


def _name(question: dict[str, Any]) -> str:
    return question["id"]


def test_there_are_enough_of_each_kind() -> None:
    styles = Counter(question["style"] for question in _questions())
    assert set(styles) == set(STYLES)
    assert styles["colloquial"] >= 36
    assert styles["negation"] >= 36
    assert min(styles.values()) >= 16
    both = Counter((question["domain"], question["language"]) for question in _questions())
    assert set(both) == {(domain, language) for domain in DOMAINS for language in ("en", "zh")}
    assert min(both.values()) >= 16


def test_every_style_is_asked_in_every_domain_and_language() -> None:
    cells = Counter((q["style"], q["domain"], q["language"]) for q in _questions())
    assert len(cells) == len(STYLES) * len(DOMAINS) * 2
    assert min(cells.values()) >= 2


def test_ids_and_questions_are_unique_and_not_those_of_the_other_set() -> None:
    ids = [question["id"] for question in _questions()]
    texts = [question["question"] for question in _questions()]
    assert len(set(ids)) == len(ids)
    assert len(set(texts)) == len(texts)
    others = read_questions("questions.jsonl")
    assert not {question["id"] for question in others} & set(ids)
    assert not {question["question"] for question in others} & set(texts)


@pytest.mark.parametrize("question", _questions(), ids=_name)
def test_every_quote_stands_in_its_document(question: dict[str, Any]) -> None:
    assert question["evidence"]
    assert missing_quotes(question) == []


@pytest.mark.parametrize("question", _questions(), ids=_name)
def test_the_answer_stands_in_the_evidence_or_the_quote_settles_it(question: dict[str, Any]) -> None:
    quotes = squeeze(" ".join(evidence["quote"] for evidence in question["evidence"]))
    if question["style"] == "negation":
        yes_or_no = ("Yes", "No") if question["language"] == "en" else ("是", "否")
        assert question["answer"].startswith(yes_or_no)
        assert ENDED_OR_KEPT.search(" ".join(evidence["quote"] for evidence in question["evidence"]))
    elif "亿元" in question["answer"] and "|" not in quotes:
        hundred_millions = float(question["answer"].removesuffix("亿元"))
        assert question["answer"] in quotes or f"{hundred_millions * 100:.1f}" in quotes
    else:
        spellings = [question["answer"], *question["answer_aliases"]]
        assert any(squeeze(spelling) in quotes for spelling in spellings)


def test_judgements_are_the_evidence_and_name_what_is_there() -> None:
    assert set(_grades()) == {question["id"] for question in _questions()}
    for question in _questions():
        grades = _grades()[question["id"]]
        assert set(grades) <= record_ids(), question["id"]
        cited = {evidence["document"] for evidence in question["evidence"]}
        assert {record for record, grade in grades.items() if grade == 2} == cited, question["id"]
        assert set(grades.values()) <= {1, 2}, question["id"]


@pytest.mark.parametrize("question", _of("colloquial"), ids=_name)
def test_lay_words_are_asked_and_never_written(question: dict[str, Any]) -> None:
    gold = [LIBRARY / evidence["document"] for evidence in question["evidence"]]
    assert question["lay_words"]
    for word in question["lay_words"]:
        assert word.lower() in question["question"].lower()
        assert not any(says(path, word) for path in gold), word
    assert question["term"].lower() not in question["question"].lower()
    assert any(says(path, question["term"]) for path in gold)


@pytest.mark.parametrize("question", _of("negation"), ids=_name)
def test_a_describing_document_is_no_evidence(question: dict[str, Any]) -> None:
    describing = set(question.get("describes", ()))
    assert describing <= record_ids()
    assert not describing & set(_grades()[question["id"]])
    quotes = [evidence["quote"] for evidence in question["evidence"]]
    for document in describing:
        copied = {"evidence": [{"document": document, "quote": quote} for quote in quotes]}
        assert missing_quotes(copied) == quotes


def test_most_negations_have_a_describing_document_and_both_answers_occur() -> None:
    negations = _of("negation")
    assert sum("describes" in question for question in negations) >= 36
    kept = [q for q in negations if re.search(r"remains|still|继续|仍然", q["evidence"][0]["quote"])]
    assert 8 <= len(kept) <= len(negations) / 2


def test_a_relative_time_has_a_day_it_is_asked_on() -> None:
    relative = re.compile(r"last (quarter|year)|上个季度|去年")
    for question in _of("dated"):
        if relative.search(question["question"]):
            assert "as_of" in question, question["id"]
        if "as_of" in question:
            assert date(2021, 1, 1) < date.fromisoformat(question["as_of"]) < date(2024, 12, 31)
