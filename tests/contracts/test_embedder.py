"""What every Embedder must do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from appliance.config import Embedding
from appliance.ports import Embedder
from appliance.serving.scripted import HashEmbedder

TEXTS = [
    "The glucose sensor lasts fourteen days.",
    "Revenue rose by 12.5% in 2023.",
    "血糖传感器的寿命为十四天。",
    "A cat sat on the mat. " * 40,
]


@pytest.fixture(
    scope="module",
    params=[
        "scripted",
        pytest.param("multilingual-e5-small", marks=pytest.mark.models),
        pytest.param("bge-small-en", marks=pytest.mark.models),
    ],
)
def embedder(request: pytest.FixtureRequest, weights: Callable[[str, str], Path]) -> Iterator[Embedder]:
    if request.param == "scripted":
        yield HashEmbedder()
        return
    folder = weights(request.param, "model.onnx")
    from appliance.serving.onnx import OnnxEmbedder

    opened = OnnxEmbedder(folder, name=request.param, digest="d" * 64, settings=Embedding())
    yield opened
    opened.close()


def test_it_says_who_it_is(embedder: Embedder):
    assert embedder.name
    assert len(embedder.digest) == 64
    assert embedder.dim > 0


@pytest.mark.parametrize("method", ["embed_queries", "embed_passages"])
def test_vectors_are_float32_normalised_rows(embedder: Embedder, method: str):
    vectors = getattr(embedder, method)(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dim)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


@pytest.mark.parametrize("method", ["embed_queries", "embed_passages"])
def test_no_texts_give_no_rows(embedder: Embedder, method: str):
    vectors = getattr(embedder, method)([])
    assert vectors.shape == (0, embedder.dim)
    assert vectors.dtype == np.float32


def test_rows_come_in_the_order_given(embedder: Embedder):
    together = embedder.embed_passages(TEXTS)
    backwards = embedder.embed_passages(TEXTS[::-1])[::-1]
    alone = np.concatenate([embedder.embed_passages([text]) for text in TEXTS])
    assert (together * backwards).sum(axis=1).min() > 0.99
    assert (together * alone).sum(axis=1).min() > 0.99


def test_the_same_text_gives_the_same_vector(embedder: Embedder):
    np.testing.assert_array_equal(embedder.embed_queries(TEXTS), embedder.embed_queries(TEXTS))


def test_an_empty_text_has_a_vector(embedder: Embedder):
    np.testing.assert_allclose(np.linalg.norm(embedder.embed_passages([""]), axis=1), 1.0, atol=1e-5)


def test_a_query_is_nearest_to_the_passage_about_it(embedder: Embedder):
    passages = embedder.embed_passages(TEXTS)
    query = embedder.embed_queries(["How long does the glucose sensor last, fourteen days?"])
    similarity = (query @ passages.T)[0]
    assert similarity.argmax() == 0


def test_a_chinese_query_finds_the_chinese_passage(embedder: Embedder):
    if embedder.name == "bge-small-en":
        pytest.skip("an English model")
    passages = embedder.embed_passages([TEXTS[2], "公司2023年的营业收入增长了百分之十二。"])
    similarity = (embedder.embed_queries(["血糖传感器能用多少天？"]) @ passages.T)[0]
    assert similarity.argmax() == 0


def test_tokens_are_counted_without_specials_or_truncation(embedder: Embedder):
    once, many, nothing = embedder.count_tokens(["word", " ".join(["word"] * 700), ""])
    assert nothing == 0
    assert once == 1
    assert many == 700
    assert embedder.count_tokens([]) == []
