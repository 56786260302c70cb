"""A Chinese name put in the place of a sentence's is found; other words for the same are not."""

from __future__ import annotations

import pytest

from appliance.answers.swapped import swapped_names

SENTENCE = "2023年2月，电影导演郭帆在美国纽约与设计师合作完成了新片，并由中国公司发行。"


@pytest.mark.parametrize(
    ("old", "new"),
    [("美国", "摩洛哥"), ("纽约", "雅典"), ("郭帆", "林超贤"), ("郭帆", "汉吉米"), ("中国", "波兰")],
)
def test_another_name(old: str, new: str) -> None:
    found = swapped_names(SENTENCE.replace(old, new), SENTENCE, SENTENCE)
    assert [each.said for each in found] == [new]


@pytest.mark.parametrize(("old", "new"), [("完成", "实现"), ("公司", "企业"), ("并由", "由")])
def test_other_words_for_the_same(old: str, new: str) -> None:
    assert not swapped_names(SENTENCE.replace(old, new), SENTENCE, SENTENCE)


def test_a_name_that_the_passage_lends_is_no_fault() -> None:
    claim = SENTENCE.replace("郭帆", "林超贤")
    assert not swapped_names(claim, SENTENCE, f"{SENTENCE}导演林超贤出席。")


def test_a_shortened_country_is_lent() -> None:
    assert not swapped_names("美国表示反对。", "美方表示反对。", "美方表示反对。")


def test_traditional_characters_are_the_same_place() -> None:
    assert not swapped_names("他於1950年到英國留學。", "他于1950年到英国留学。", "他于1950年到英国留学。")
