"""What an abstention names: what was looked for, where, and what would be needed; both languages."""

from __future__ import annotations

import pytest

from appliance.answers.abstain import abstained
from appliance.config import Domains
from appliance.domain import DocumentId, Finding, Fingerprint, Passage, PassageId
from appliance.questions import QuestionReader


@pytest.fixture(scope="module")
def reader() -> QuestionReader:
    return QuestionReader(Domains())


def passages(*places: tuple[str, str]) -> list[Passage]:
    return [
        Passage(
            id=PassageId(at),
            fingerprint=Fingerprint(f"d-{title}#{section}#{at}"),
            document_id=DocumentId(f"d-{title}"),
            record_id="r",
            collection="reports",
            title=title,
            section_path=f"{title} > {section}" if section else title,
            text="x",
            language="en",
            token_count=1,
        )
        for at, (title, section) in enumerate(places)
    ]


def missing(question: str, reason: str) -> Finding:
    return Finding(task_id=1, question=question, found=False, missing=f"{question} — {reason}")


def test_in_english(reader: QuestionReader):
    question = "Who founded Orvane Works in 1987?"
    found = passages(("Annual report", "Risks"), ("Annual report", "Board"), ("Chronicle", ""))
    said = abstained(
        missing(question, "the passages found do not state it"), found, "reports", reader.read(question)
    )
    assert said == (
        "Who founded Orvane Works in 1987? — the passages found do not state it."
        " Looked in the collection 'reports': 3 passages of 2 documents"
        " (Annual report › Risks, Board; Chronicle)."
        " Needed: a document that states the person's name for Orvane Works (1987)."
    )


def test_in_chinese(reader: QuestionReader):
    question = "奥凡制造2023年的营业收入是多少？"
    found = passages(("年度报告", "风险"), ("年度报告", "风险"))
    said = abstained(
        missing(question, "no passage found speaks of 奥凡制造"), found, "reports", reader.read(question)
    )
    assert said.startswith(
        f"{question} — 没有段落谈到奥凡制造。已查看资料库“reports”中1份文件的2个段落（年度报告 › 风险）。"
    )
    assert said.endswith("的文件。")
    assert "需要：" in said
    assert "该数值" in said
    assert "2023年" in said


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("nothing readable was retrieved", "没有检索到可读的内容"),
        ("the passages found speak of 2021, 2022", "找到的段落谈的是2021, 2022"),
        ("the passages found speak of something else", "找到的段落谈的是别的事情"),
        ("needs the result of step 1, 2, which was not found", "需要第1, 2步的结果"),
        ("not looked up: the limit of 5 steps was reached", "已达到上限（the limit of 5 steps）"),
        ("division by zero", "division by zero"),
    ],
)
def test_reasons_are_told_in_the_language_of_the_question(reader: QuestionReader, reason: str, told: str):
    said = abstained(missing("收入是多少？", reason), [], "reports", reader.read("收入是多少？"))
    assert told in said
    assert "没有为此读到任何段落" in said


def test_nothing_read_and_many_documents(reader: QuestionReader):
    question = "How many seats are there?"
    nothing = abstained(missing(question, "x"), [], "reports", reader.read(question))
    assert "Nothing was read for it in the collection 'reports'." in nothing
    assert "Needed: a document that states the figure" in nothing
    many = passages(*((f"Report {at}", "A") for at in range(9)))
    said = abstained(missing(question, "x"), many, "reports", reader.read(question))
    assert "9 passages of 9 documents" in said
    assert "Report 3 › A, and 5 more)" in said
    assert "Report 4" not in said


def test_a_dash_in_the_question_stays_in_it(reader: QuestionReader):
    question = "Which port — the old one — closed?"
    said = abstained(missing(question, "x"), [], "c", reader.read(question))
    assert said.startswith("Which port — the old one — closed? — x. ")
