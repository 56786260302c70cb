"""Right tokens for both languages, and what holds for any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.store.analysis import analyse, fold, stem


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("grew 12.5% in Q4", ["grew", "12.5%", "12.5", "q4"]),
        ("１２．５％", ["12.5%", "12.5"]),
        ("3,200.5 and 1,000,000%", ["3200.5", "1000000%", "1000000"]),
        ("ZL202210123456.7 ZL20221012345.X", ["zl202210123456.7", "zl20221012345.x"]),
        ("专利号ＺＬ２０２２", ["专利", "专利号", "zl2022"]),
        ("iOS 17", ["ios", "17", "ios17"]),
        ("Item 7A", ["item", "7a", "item7a"]),
        ("in 2023", ["2023"]),
        ("v2.1", ["v2.1", "2.1"]),
        ("2023-Q4", ["2023q4", "2023", "q4"]),
        ("2022-2023", ["2022-2023", "2022", "2023"]),
        ("2023/12/31", ["2023-12-31", "2023", "12", "31"]),
        ("CGM-200", ["cgm200", "cgm", "200"]),
        ("CGM 200", ["cgm", "200", "cgm200"]),
        ("CGM200", ["cgm200"]),
        ("info@assay.example", ["info@assay.example", "info", "assay", "example"]),
        ("https://assay.example/a?id=7.", ["https://assay.example/a?id=7", "assay", "example", "id", "7"]),
        ("U.S. C++ R&D AT&T", ["us", "c++", "r&d", "at&t"]),
        ("the company's policies weren't", ["compani", "polici"]),
        ("Café naïve", ["cafe", "naive"]),
        ("state-of-the-art e-mail", ["state", "art", "email", "e", "mail"]),
        ("", []),
        ("。，！ --- …", []),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert analyse(text) == expected


def test_chinese_is_cut_in_search_mode_and_traditional_folds() -> None:
    assert analyse("資訊科技的專利") == analyse("资讯科技的专利") == ["资讯", "科技", "资讯科技", "专利"]


def test_mixed_script_keeps_both() -> None:
    assert analyse("血糖仪CGM-200续航14天") == ["血糖", "血糖仪", "cgm200", "cgm", "200", "续航", "14", "天"]


@pytest.mark.parametrize(
    ("words", "root"),
    [
        ("study studies studied studying", "studi"),
        ("run runs running", "run"),
        ("risk risks", "risk"),
        ("company companies", "compani"),
        ("rate rated", "rate"),
        ("miss misses missed missing", "miss"),
        ("analysis", "analysis"),
        ("string", "string"),
        ("need", "need"),
    ],
)
def test_stems_meet(words: str, root: str) -> None:
    assert {stem(word) for word in words.split()} == {root}


@given(st.text(max_size=60))
def test_any_text_gives_the_same_folded_tokens_again(text: str) -> None:
    tokens = analyse(text)
    assert tokens == analyse(text)
    assert all(token and token == fold(token) for token in tokens if token.isascii())
    assert not any(character.isspace() for token in tokens for character in token)


@given(st.text(max_size=60))
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(alphabet="ａＡａ台臺灣湾١２½ﬁÉéＺ㎏'’-.,%/@ 17", max_size=40))
def test_width_case_and_script_make_no_difference(text: str) -> None:
    assert analyse(text) == analyse(fold(text))
