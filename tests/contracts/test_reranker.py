"""What every Reranker must do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from appliance.config import Reranking
from appliance.ports import Reranker
from appliance.serving.scripted import OverlapReranker

QUERY = "How many days does the glucose sensor last?"
RIGHT = "The glucose sensor lasts fourteen days before it must be replaced."
WRONG = "The board approved a dividend of two pounds a share."


@pytest.fixture(
    scope="module",
    params=["scripted", pytest.param("ms-marco-minilm-l12", marks=pytest.mark.models)],
)
def reranker(request: pytest.FixtureRequest, weights: Callable[[str, str], Path]) -> Iterator[Reranker]:
    if request.param == "scripted":
        yield OverlapReranker()
        return
    folder = weights(request.param, "model.onnx")
    from appliance.serving.onnx import OnnxReranker

    opened = OnnxReranker(folder, name=request.param, digest="d" * 64, settings=Reranking())
    yield opened
    opened.close()


def test_it_says_who_it_is_and_what_it_reads(reranker: Reranker):
    assert reranker.name
    assert len(reranker.digest) == 64
    assert "en" in reranker.languages


def test_no_passages_give_no_relevances(reranker: Reranker):
    assert reranker.rerank(QUERY, []) == []


def test_the_passage_that_answers_is_more_relevant(reranker: Reranker):
    right, wrong = reranker.rerank(QUERY, [RIGHT, WRONG])
    assert 0.0 <= wrong < 0.5 * right
    assert right <= 1.0


def test_relevances_come_in_the_order_given(reranker: Reranker):
    passages = [WRONG, RIGHT, WRONG + " " + RIGHT, "", RIGHT * 30]
    forth = reranker.rerank(QUERY, passages)
    back = reranker.rerank(QUERY, passages[::-1])[::-1]
    assert forth == pytest.approx(back, abs=0.02)
    assert all(isinstance(relevance, float) and 0.0 <= relevance <= 1.0 for relevance in forth)
    assert forth[1] > forth[3]


def test_the_same_pair_has_the_same_relevance(reranker: Reranker):
    assert reranker.rerank(QUERY, [RIGHT, WRONG]) == reranker.rerank(QUERY, [RIGHT, WRONG])
