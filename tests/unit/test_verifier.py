"""What the verifier finds by code alone, in both languages: each case states its fault or none."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from appliance.answers.verifier import Verifier
from appliance.documents.sentences import split_sentences
from appliance.domain import DocumentId, Fingerprint, Passage, PassageId, Verdict

TABLE = """| Metric | 2021 | 2022 |
|---|---|---|
| Revenue of Alba | 5 million | 7 million |
| Revenue of Brio | 9 million | 4 million |"""
RULES = (
    "上机证有效期由2年改为1年。\n校外用户的收费标准由每小时300元调整为每小时420元。\n押金使用结束后予以退还。"
)


def passage(text: str, title: str = "", name: str = "f") -> Passage:
    return Passage(
        id=PassageId(1), fingerprint=Fingerprint(name), document_id=DocumentId("d"), record_id="r",
        collection="c",
        title=title, section_path="", text=text, language="en", token_count=1,
    )  # fmt: skip


def certain(pairs: Sequence[tuple[str, str]]) -> list[float]:
    return [1.0 for _ in pairs]


def judged(claim: str, text: str, *, title: str = "", question: str = "", known: str = "") -> Verdict:
    verifier = Verifier(certain, split_sentences)
    return verifier.verdict(claim, [passage(text, title)], question=question, known=known)


IN_POUNDS = (
    "Sales by region (£ million)\n\n| Region | 2023 | 2022 |\n|---|---|---|\n| Norland | 172.3 | 150.0 |"
)
IN_YUAN = "资产负债表（百万元）\n\n| 项目 | 2023年 | 2022年 |\n|---|---|---|\n| 应收账款 | 246.9 | 200.1 |"
SUPPORTED = [
    ("Sales in Norland in 2023 were £172.3 million.", IN_POUNDS),
    ("2023年应收账款为246.9百万元。", IN_YUAN),
    ("2023年应收账款为2.469亿元。", IN_YUAN),
    ("Brio has 7 staff.", "Alba has 5 staff, Brio has 7 staff."),
    ("Alba's profit was 7 million.", "Alba reported revenue of 5 million, and profit of 7 million."),
    ("Revenue of Alba was 7 million in 2022.", TABLE),
    ("The plant cost 1.2 million pounds.", "The plant cost £1,234,000."),
    ("该厂耗资120万元。", "The plant cost RMB 1.2 million; 该厂耗资1,200,000元。"),
    ("校外用户每小时收费420元。", RULES),
    ("The order took effect on 2021-03-03.", "The order took effect on 3 March 2021."),
    ("Twelve staff were hired.", "The firm hired 12 staff."),
    ("Notice is given within 2 weeks.", "Notice is given within 14 days."),
    ("民国112年营收增长。", "2023年营收增长。"),
]
REFUSED = [
    ("Alba has 7 staff.", "Alba has 5 staff, Brio has 7 staff.", "number"),
    ("A has 7.", "A has 5, B has 7.", "number"),
    ("Revenue of Alba was 7 million in 2021.", TABLE, "number"),
    ("Revenue of Alba was 9 million in 2021.", TABLE, "number"),
    ("恒泰公司2021年营业收入为5亿元。", "恒泰公司2021年营业收入为3亿元，蓝鲸公司为5亿元。", "number"),
    ("The plant cost 1,234,567 pounds.", "The plant cost £1.2 million.", "number"),
    ("The review takes 5 days.", "The review takes 5 hours.", "unit"),
    ("校外用户每小时收费420美元。", RULES, "unit"),
    ("The order took effect in 2022.", "The order took effect in 2021.", "date"),
    ("Orla Brandt signed the order.", "Petra Quill signed the order.", "name"),
    ("联系人卫知秋负责此事。", "联系人陆清远负责此事。", "name"),
    ("The device does not contain latex.", "The device contains latex.", "negation"),
    ("The device contains latex.", "The device does not contain latex.", "negation"),
    ("押金不予退还。", RULES, "negation"),
    ("营业收入减少。", "营业收入增加。", "negation"),
    (
        "The plant makes pressure valves, and its owners won three export prizes.",
        "The plant makes pressure valves, and its staff work in two shifts.",
        "entailment",
    ),
    ("该厂主要生产压力阀，并多次荣获安全先进称号。", "该厂主要生产压力阀，职工实行两班制。", "entailment"),
    ("All employees are covered.", "Some employees are covered.", "scope"),
    ("The drug cures asthma.", "The drug may cure asthma.", "scope"),
    ("Only nurses may enter the ward.", "Nurses may enter the ward.", "scope"),
    ("At least 5 days are allowed.", "Up to 5 days are allowed.", "scope"),
    ("有效期至少30天。", "有效期不超过30天。", "scope"),
]


@pytest.mark.parametrize(("claim", "text"), SUPPORTED)
def test_supported(claim: str, text: str) -> None:
    verdict = judged(claim, text)
    assert verdict.supported, verdict.faults
    assert verdict.confidence > 0.9


@pytest.mark.parametrize(("claim", "text", "kind"), REFUSED)
def test_refused(claim: str, text: str, kind: str) -> None:
    verdict = judged(claim, text)
    assert not verdict.supported
    assert kind in {fault.kind.value for fault in verdict.faults}
    assert verdict.confidence < 0.5


def test_a_fault_says_what_the_passage_holds() -> None:
    (fault,) = judged("Alba has 7 staff.", "Alba has 5 staff, Brio has 7 staff.").faults
    assert (fault.said, fault.holds) == ("7", "5")


def test_the_span_is_the_supporting_sentence() -> None:
    text = "Alba was founded in 1990.  It makes valves. Brio makes lamps."
    span = judged("Brio makes lamps.", text).span
    assert span is not None
    assert text[span.start : span.end] == "Brio makes lamps."


def test_the_passage_that_supports_is_named() -> None:
    verifier = Verifier(certain, split_sentences)
    verdict = verifier.verdict(
        "Brio makes lamps.",
        [passage("Brio makes valves.", name="one"), passage("Brio makes lamps.", name="two")],
    )
    assert (verdict.supported, verdict.fingerprint) == (True, "two")


def test_a_title_lends_the_year_but_not_against_the_sentence() -> None:
    assert judged(
        "Revenue was 7 million in 2022.", "Revenue was 7 million.", title="Annual report 2022"
    ).supported
    against = judged("Revenue was 7 million in 2022.", "Revenue was 7 million in 2020.", title="Report 2022")
    assert not against.supported


def test_what_is_known_lends_names_and_no_figures() -> None:
    assert judged("Orla Brandt's firm makes lamps.", "The firm makes lamps.", known="Orla Brandt").supported
    assert not judged("The firm makes 300 lamps.", "The firm makes lamps.", known="300").supported


def test_a_short_answer_is_read_with_its_question() -> None:
    text = "Alba opened in 1990. Brio opened in 1995."
    assert judged("1995", text, question="When did Brio open?").supported
    assert not judged("1990", text, question="When did Brio open?").supported


def test_without_passages_nothing_is_supported() -> None:
    verdict = Verifier(certain, split_sentences).verdict("Brio makes lamps.", [])
    assert (verdict.supported, verdict.faults[0].kind.value, verdict.span) == (False, "source", None)


def test_what_the_head_doubts_is_not_supported() -> None:
    verifier = Verifier(lambda pairs: [0.2 for _ in pairs], split_sentences)
    verdict = verifier.verdict("Lamps are popular with Brio's customers.", [passage("Brio makes lamps.")])
    assert [fault.kind.value for fault in verdict.faults] == ["entailment"]
    assert verdict.confidence == pytest.approx(0.2)
