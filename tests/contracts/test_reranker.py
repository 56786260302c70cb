"""What every Reranker must do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from appliance.config import Reranking
from appliance.ports import Reranker
from appliance.serving.scripted import OverlapReranker

TEXTS = {
    "en": (
        "How many days does the glucose sensor last?",
        "The glucose sensor lasts fourteen days before it must be replaced.",
        "The board approved a dividend of two pounds a share.",
    ),
    "zh": (
        "血糖传感器可以使用多少天？",
        "血糖传感器可连续使用十四天,之后必须更换。",
        "董事会批准每股派发两元现金股利。",
    ),
}
CHINESE = "e5-reranker-zh"
Texts = tuple[str, str, str]


@pytest.fixture(
    scope="module",
    params=[
        "scripted",
        pytest.param("ms-marco-minilm-l12", marks=pytest.mark.models),
        pytest.param(CHINESE, marks=pytest.mark.models),
    ],
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


@pytest.fixture(scope="module")
def texts(reranker: Reranker) -> Texts:
    """A question, its answer and something else, in a language that the cross-encoder reads."""
    return TEXTS["en" if "en" in reranker.languages else "zh"]


def test_it_says_who_it_is_and_what_it_reads(reranker: Reranker):
    assert reranker.name
    assert len(reranker.digest) == 64
    assert reranker.languages & TEXTS.keys()


def test_no_passages_give_no_relevances(reranker: Reranker, texts: Texts):
    assert reranker.rerank(texts[0], []) == []


def test_the_passage_that_answers_is_more_relevant(reranker: Reranker, texts: Texts):
    query, answer, other = texts
    right, wrong = reranker.rerank(query, [answer, other])
    assert 0.0 <= wrong < 0.5 * right
    assert right <= 1.0


def test_relevances_come_in_the_order_given(reranker: Reranker, texts: Texts):
    query, right, wrong = texts
    passages = [wrong, right, wrong + " " + right, "", right * 30]
    forth = reranker.rerank(query, passages)
    back = reranker.rerank(query, passages[::-1])[::-1]
    assert forth == pytest.approx(back, abs=0.02)
    assert all(isinstance(relevance, float) and 0.0 <= relevance <= 1.0 for relevance in forth)
    assert forth[1] > forth[3]


def test_the_same_pair_has_the_same_relevance(reranker: Reranker, texts: Texts):
    query, *passages = texts
    assert reranker.rerank(query, passages) == reranker.rerank(query, passages)
