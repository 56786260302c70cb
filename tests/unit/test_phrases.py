"""How much of a Chinese question stands in a passage as it is written."""

from __future__ import annotations

import pytest
from retrieval_fakes import passage

from appliance.retrieval.phrases import phrase_closeness, runs_of
from appliance.store.analysis import fold


def shares(question: str, *texts: str) -> list[float]:
    passages = [passage(n, text, language="zh") for n, text in enumerate(texts, 1)]
    found = phrase_closeness(question, passages, fold)
    return [found.get(one.id, 0.0) for one in passages]


def test_the_report_that_writes_it_like_the_question_beats_one_of_a_like_event() -> None:
    same, alike, other = shares(
        "港珠澳大桥珠海口岸出入境车辆是多少辆次？",
        "港珠澳大桥珠海口岸出入境车辆达9800辆次。",
        "大桥上的车辆很多，珠海的口岸也忙，出入境的人不少。",
        "天气很好。",
    )
    assert same > alike >= other
    assert same == pytest.approx(1.0)


def test_runs_in_one_sentence_beat_neighbours_and_they_beat_scattered_ones() -> None:
    one, two, far = shares(
        "海河流域水位平稳回落",
        "海河流域水位平稳回落。",
        "海河流域有雨。水位平稳回落。",
        "海河流域有雨。天气不好。请注意。水位平稳回落。",
    )
    assert one > two > far > 0


def test_words_that_ask_are_in_no_run_and_no_run_goes_across_them() -> None:
    assert runs_of("谁主持了会什么会议", fold) == {"主持了会"}
    assert not {run for run in runs_of("净利润是多少亿元？", fold) if "多" in run or "少" in run}


def test_width_and_traditional_characters_are_one_and_figures_are_kept() -> None:
    assert runs_of("２０２３年臺灣的颱風", fold) == runs_of("2023年台湾的台风", fold) != frozenset()
    assert "2023" in runs_of("2023年", fold)


@pytest.mark.parametrize("question", ["", "谁？", "多少", "☂☂☂☂", "没有一处写着"])
def test_a_question_without_a_run_that_stands_somewhere_weighs_nothing(question: str) -> None:
    assert shares(question, "港珠澳大桥。", "天气很好。") == [0.0, 0.0]
