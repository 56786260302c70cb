import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.documents import detect_language, split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (
            "2023年营收为8.68亿元。增长13.2%！原因？见下；完了……然后呢",
            ["2023年营收为8.68亿元。", "增长13.2%！", "原因？", "见下；", "完了……", "然后呢"],
        ),
        ("他说：“好。”然后走了。", ["他说：“好。”", "然后走了。"]),
        (
            "Dr. Smith paid $3.5 million. He left at 5 p.m. on Jan. 3. See Fig. 2 and No. 7.",
            ["Dr. Smith paid $3.5 million. ", "He left at 5 p.m. on Jan. 3. ", "See Fig. 2 and No. 7."],
        ),
        ("The U.S. market (e.g. Texas) grew 12.5%. J. K. Rowling wrote.", None),
        ("It ended in 2023. The next began.", ["It ended in 2023. ", "The next began."]),
        ("1. Buy milk\n2. Buy bread", ["1. Buy milk\n", "2. Buy bread"]),
        ("", []),
        ("  \n ", ["  \n "]),
    ],
)
def test_borders(text: str, sentences: list[str] | None) -> None:
    expected = sentences or ["The U.S. market (e.g. Texas) grew 12.5%. ", "J. K. Rowling wrote."]
    assert split_sentences(text) == (expected if sentences != [] else [])


@settings(max_examples=200)
@given(st.text(alphabet="aB1.。！？; \n“”（）…3é", max_size=80))
def test_nothing_is_lost(text: str) -> None:
    assert "".join(split_sentences(text)) == text


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("澄屿传感 Chengyu Sensing 2023年报告", "zh"),
        ("The annual report of 澄屿 for 2023, approved by the Board", "en"),
        ("12.5% — 2023", "und"),
        ("これは日本語の文章です", "und"),
        ("Годовой отчёт компании", "und"),
        ("", "und"),
        ("汐記香港上市通告", "zh"),
    ],
)
def test_language(text: str, language: str) -> None:
    assert detect_language(text) == language
