from __future__ import annotations

import random

import pytest
from store_fakes import parsed

from appliance.domain import Block, BlockKind, Section, SectionType
from appliance.errors import RefusedFileError
from appliance.ingest.judging import gibberish, judge, report_of

CHINESE = (
    "本公司的持续葡萄糖监测产品在报告期内的销售收入较上年同期增长百分之十二，主要原因是新一代产品上市。" * 3
)
ENGLISH = "Tidemark sensors are calibrated at the factory and need no further calibration by the wearer. " * 5
RARE = "".join(chr(code) for code in random.Random(5).sample(range(0x3400, 0x4DB0), 200))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\ue123\ue124\ue125\ue200 \ue201abc" * 40, "stand for nothing"),
        ("(cid:12)(cid:88)(cid:3) (cid:41)" * 50, "stand for nothing"),
        ("plain \ufffd\ufffd\ufffd\ufffd words" * 30, "stand for nothing"),
        (RARE, "in no common use"),
        ("Wkh txlfn eurzq fra mxpsv ryhu wkh odcb grj zkhq krw zdwhu krogv " * 20, "have no vowel"),
    ],
)
def test_what_nobody_can_read_is_told(text: str, said: str) -> None:
    assert said in gibberish(text)


@pytest.mark.parametrize(
    "text",
    [
        CHINESE,
        ENGLISH,
        "繁體中文的年度報告說明了集團在香港的業務發展與風險管理。" * 5,
        "| 1,204.5 | 38.2% | (112) |\n" * 60,
        "for (i = 0; i < n; i++) { x[i] = sqrt(y[i]) % 7; }\n" * 30,
        "これは日本語の文章です。製品の仕様について説明します。" * 5,
        "한국어 문서도 읽을 수 있어야 합니다. 제품 사양을 설명합니다. " * 8,
        "تقرير سنوي عن أعمال الشركة ومخاطرها ونتائجها المالية. " * 8,
        "HTTP TCP DNS",
        "",
    ],
)
def test_what_people_write_is_not(text: str) -> None:
    assert gibberish(text) == ""


def section(*blocks: Block, kind: SectionType = SectionType.BODY) -> Section:
    return Section(title="S", level=1, trail=("S",), blocks=blocks, type=kind)


def test_a_document_without_words_is_refused() -> None:
    with pytest.raises(RefusedFileError, match=r"a\.pdf has no text in it — check"):
        judge(
            parsed("— 1 —", sections=(Section(title="", level=0, trail=(), blocks=(Block(text="* * *"),)),)),
            "a.pdf",
        )
    with pytest.raises(RefusedFileError, match=r"the text of a\.txt is unreadable: .* — its fonts"):
        judge(parsed(sections=(section(Block(text="\ue123\ue124" * 90)),)), "a.txt")
    judge(parsed(sections=(section(Block(text=ENGLISH)),)), "a.txt")


def test_a_pdf_most_of_whose_pages_are_empty_is_refused_and_a_workbook_is_not() -> None:
    one = section(Block(text=ENGLISH, page=2, page_last=3))
    with pytest.raises(RefusedFileError, match=r"only 2 of the 9 pages of a\.pdf have text"):
        judge(parsed(sections=(one,), format="pdf", pages=9), "a.pdf")
    judge(parsed(sections=(one,), format="pdf", pages=4), "a.pdf")
    judge(parsed(sections=(one,), format="xlsx", pages=9), "a.xlsx")


def test_the_report_counts_what_was_found() -> None:
    table = Block(text="| a |", kind=BlockKind.TABLE)
    document = parsed(
        sections=(section(table, kind=SectionType.RISK), section(table, Block(text="b"))),
        pages=7,
        warnings=("page 3: OCR confidence 0.61",),
    )
    report = report_of(document, {"parse": 0.5})
    assert (report.pages, report.sections, report.tables) == (7, 2, 2)
    assert (report.section_types, report.doubts) == ({"risk": 1}, ("page 3: OCR confidence 0.61",))
    assert report.seconds == {"parse": 0.5}
