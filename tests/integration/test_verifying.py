"""The verifier with the shipped encoder, cross-encoders and head: other wordings pass, inventions do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.answers.verifier import Verifier
from appliance.config import Embedding, Reranking
from appliance.documents.sentences import split_sentences
from appliance.domain import DocumentId, Fingerprint, Passage, PassageId
from appliance.serving.entailment import TrainedEntailment, load_entailment_head
from appliance.serving.onnx import OnnxEmbedder, OnnxReranker

pytestmark = pytest.mark.models
ENGLISH = (
    "Marsh Lane Works opened in 1987 and makes pressure valves. Its director is Orla Brandt. "
    "In 2023 the works employed 412 people. Overtime is paid at one and a half times the hourly rate."
)
CHINESE = (
    "临江阀门厂1987年投产，主要生产压力阀。现任厂长是卫知秋。2023年全厂有职工412人。"
    "加班按小时工资的1.5倍计发。"
)


@pytest.fixture(scope="module")
def verifier(models_dir: Path) -> Verifier:
    names = ("multilingual-e5-small", "ms-marco-minilm-l12", "e5-reranker-zh")
    if not all((models_dir / name).is_dir() for name in names):
        pytest.skip(f"no model weights in {models_dir}")
    embedder = OnnxEmbedder(models_dir / names[0], name=names[0], digest="", settings=Embedding())
    rerankers = [OnnxReranker(models_dir / n, name=n, digest="", settings=Reranking()) for n in names[1:]]
    return Verifier(TrainedEntailment(embedder, rerankers, load_entailment_head()), split_sentences)


def passage(text: str) -> Passage:
    return Passage(
        id=PassageId(1),
        fingerprint=Fingerprint("f"),
        document_id=DocumentId("d"),
        record_id="r",
        collection="c",
        title="",
        section_path="",
        text=text,
        language="",
        token_count=1,
    )


@pytest.mark.parametrize(
    ("claim", "question", "text"),
    [
        ("Marsh Lane Works had 412 employees in 2023.", "", ENGLISH),
        ("Orla Brandt", "Who is the director of Marsh Lane Works?", ENGLISH),
        ("1987年", "临江阀门厂哪一年投产？", CHINESE),
        ("临江阀门厂的厂长是卫知秋。", "", CHINESE),
    ],
)
def test_what_the_passage_says_in_other_words_passes(
    verifier: Verifier, claim: str, question: str, text: str
) -> None:
    verdict = verifier.verdict(claim, [passage(text)], question=question)
    assert verdict.supported, verdict


@pytest.mark.parametrize(
    ("claim", "question", "text"),
    [
        ("Marsh Lane Works had 512 employees in 2023.", "", ENGLISH),
        ("The board of Marsh Lane Works praised its safety record.", "", ENGLISH),
        ("Petra Quill", "Who is the director of Marsh Lane Works?", ENGLISH),
        ("1990年", "临江阀门厂哪一年投产？", CHINESE),
        ("该厂去年荣获全国安全生产先进单位称号。", "", CHINESE),
    ],
)
def test_what_the_passage_does_not_say_is_refused(
    verifier: Verifier, claim: str, question: str, text: str
) -> None:
    verdict = verifier.verdict(claim, [passage(text)], question=question)
    assert not verdict.supported
    assert verdict.faults
