"""The doctor's look at models and indexes: each is used for real, on two sentences, in a temporary folder."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from appliance.config import Config
from appliance.doctor import INSTALL, Check, State, ok, worse
from appliance.domain import DocumentId, Fingerprint, Passage, PassageId, Prompt, Scope

if TYPE_CHECKING:
    from appliance.serving.onnx import OnnxEmbedder

PAIRS = {
    "en": (
        "The sensor is worn for 14 days.",
        "How long can the sensor be worn?",
        "Pasta is boiled in water.",
    ),
    "zh": ("传感器可以佩戴14天。", "传感器能戴多久？", "意大利面要用水煮熟。"),
}


def models(config: Config) -> Check:
    """The configured weights are there, as verified before."""
    from models.manifest import installed, load_manifest

    manifest, folder = load_manifest(), config.models_dir()
    rerankers = (config.reranking.model, config.reranking.model_zh)
    wanted = [name for name in (config.embedding.model, *rerankers, config.llm.model) if name]
    known = {model.name for model in manifest.models}
    strange = [name for name in wanted if name not in known]
    if strange:
        return worse(
            State.FAIL, f"not in the manifest: {', '.join(strange)}", "choose one of assay models list"
        )
    absent = [name for name in wanted if not installed(name, folder, manifest)]
    present = [name for name in absent if (folder / name).is_dir()]
    if len(present) == len(absent) and present:
        return worse(State.WARN, f"never verified here: {', '.join(present)}", "run: assay models verify")
    if absent:
        return worse(State.FAIL, f"missing in {folder}: {', '.join(absent)}", INSTALL)
    return ok(f"{', '.join(wanted)} in {folder}")


def encoder(config: Config) -> Check:
    """A question is nearer to its sentence than to another one, in both languages."""
    from appliance.serving.onnx import OnnxEmbedder

    folder = config.models_dir() / config.embedding.model
    model = OnnxEmbedder(folder, name=config.embedding.model, digest="", settings=config.embedding)
    margins = {language: _margin(model, texts) for language, texts in PAIRS.items()}
    shown = ", ".join(f"{language} {margin:+.2f}" for language, margin in margins.items())
    if margins["en"] <= 0:
        return worse(State.FAIL, f"like texts are not close ({shown})", INSTALL)
    if margins["zh"] <= 0:
        advice = "for Chinese set embedding.model to multilingual-e5-small"
        return worse(State.WARN, f"{config.embedding.model} does not read Chinese ({shown})", advice)
    return ok(f"{config.embedding.model}, like texts are closer: {shown}")


def _margin(model: OnnxEmbedder, texts: Sequence[str]) -> float:
    like, question, other = texts
    query = model.embed_queries([question])[0]
    passages = model.embed_passages([like, other])
    return float(passages[0] @ query - passages[1] @ query)


def cross_encoder(config: Config) -> Check:
    """Each cross-encoder tells the two sentences of its language apart."""
    from appliance.serving.onnx import OnnxReranker

    settings = config.reranking
    named = {"en": settings.model, "zh": settings.model_zh}
    if not any(named.values()):
        return worse(State.WARN, "none is configured", "set reranking.model for better ranking")
    shown: list[str] = []
    for language, name in named.items():
        if not name:
            continue
        model = OnnxReranker(config.models_dir() / name, name=name, digest="", settings=settings)
        like, question, other = PAIRS[language]
        right, wrong = model.rerank(question, [like, other])
        model.close()
        if right <= wrong:
            return worse(State.FAIL, f"{name} ranks {right:.2f} against {wrong:.2f}", INSTALL)
        shown.append(f"{name}, {right:.2f} against {wrong:.2f}")
    return ok("; ".join(shown))


def language_model(config: Config) -> Check:
    """llama.cpp loads the weights and answers one token."""
    from appliance.serving.llama_cpp import LlamaCpp

    settings = config.llm
    path = config.models_dir() / settings.model / "model.gguf"
    begun = perf_counter()
    model = LlamaCpp(path, name=settings.model, digest="", settings=settings)
    try:
        reply = model.complete(Prompt(system="Answer with one word.", user="Say yes."), max_tokens=1)
    finally:
        model.close()
    if not reply.usage.completion_tokens:
        return worse(State.FAIL, f"{settings.model} answered nothing", INSTALL)
    return ok(f"{settings.model} answered {reply.text.strip()!r} after {perf_counter() - begun:.1f} s")


def milvus(config: Config) -> Check:
    """Milvus, the file or the server, takes two vectors and finds the nearer one."""
    from appliance.store.milvus import MilvusStore

    with tempfile.TemporaryDirectory() as folder:
        target = config.dense.uri or Path(folder) / "check.db"
        store = MilvusStore(target, Path(folder) / "tmp", config.dense)
        try:
            index = store.collection("check", 4, "check")
            index.upsert(_passages(), np.eye(2, 4, dtype=np.float32))
            hits = index.search(np.eye(1, 4, 1, dtype=np.float32), 1, Scope(collection="check"))
            store.drop("check", "check")
        finally:
            store.close()
    return _found(
        [hit.passage_id for hit in hits[0]], f"{config.dense.uri or 'a file'}: opened, inserted, searched"
    )


def bm25(_: Config) -> Check:
    """BM25 writes a generation and finds a Chinese word."""
    from appliance.store.bm25 import Bm25Index

    with tempfile.TemporaryDirectory() as folder:
        index = Bm25Index.build(Path(folder) / "lexical", _passages())
        try:
            hits = index.search(["佩戴"], 1, Scope(collection="check"))
        finally:
            index.close()
    return _found([hit.passage_id for hit in hits[0]], "written, searched in Chinese")


def _found(ids: list[PassageId], detail: str) -> Check:
    if ids != [PassageId(2)]:
        return worse(State.FAIL, f"the right passage was not found ({ids})", INSTALL)
    return ok(detail)


def _passages() -> list[Passage]:
    return [
        Passage(
            id=PassageId(number),
            fingerprint=Fingerprint(f"d-check##{number}"),
            document_id=DocumentId(f"d-check{number}"),
            record_id=f"check-{number}",
            collection="check",
            title="",
            section_path="",
            text=text,
            language=language,
            token_count=8,
        )
        for number, (language, text) in enumerate([("en", PAIRS["en"][2]), ("zh", PAIRS["zh"][0])], start=1)
    ]
