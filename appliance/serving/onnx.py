# pyright: basic
"""Encoders on a plain CPU: ONNX Runtime and the ``tokenizers`` library.

Arrives: a folder with ``model.onnx`` and ``tokenizer.json``. Leaves: vectors and relevances.
One single-threaded session per core beats one session over all cores (measured: 8,400 against
5,900 tokens/s at batch 1), and small batches of like length beat large padded ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Encoding, Tokenizer

from appliance.config import Embedding, Reranking
from appliance.errors import ConfigError, DamagedError
from appliance.ports import Vectors
from appliance.serving.processors import available

PAIR_TOKENS_MAX = 320
"""The cross-encoder reads this much of query and passage; the rest adds seconds, not rank quality."""


@dataclass(frozen=True)
class EncoderSpec:
    """How a bi-encoder wants its text and its output."""

    pooling: str
    """``cls``, ``mean`` (over the mask) or ``none`` (the graph pools and normalises itself)."""
    query_prefix: str = ""
    passage_prefix: str = ""
    max_tokens: int = 512
    dim: int = 384


ENCODERS = {
    "multilingual-e5-small": EncoderSpec(pooling="none", query_prefix="query: ", passage_prefix="passage: "),
    "bge-small-en": EncoderSpec(
        pooling="cls", query_prefix="Represent this sentence for searching relevant passages: "
    ),
}
RERANKER_LANGUAGES = {"ms-marco-minilm-l12": frozenset({"en"}), "e5-reranker-zh": frozenset({"zh"})}


class _Graph:
    """One ONNX graph run by ``workers`` threads, each call single-threaded."""

    def __init__(self, folder: Path, *, name: str, workers: int, max_tokens: int) -> None:
        hint = "run ./install.sh again: it verifies and replaces model files"
        for file in ("model.onnx", "tokenizer.json"):
            if not (folder / file).is_file():
                raise ConfigError(f"model {name}: {folder / file} is missing", hint=hint)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(
                str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
            )
            self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        except Exception as error:
            raise DamagedError(f"model {name}: {folder} cannot be loaded", hint=hint) from error
        self.tokenizer.encode_special_tokens = True  # "</s>" in a document is text, not a control token
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.plain_tokenizer = Tokenizer.from_str(self.tokenizer.to_str())
        self.plain_tokenizer.encode_special_tokens = True
        self.tokenizer.enable_truncation(max_tokens)
        self._wants = {item.name for item in self._session.get_inputs()}
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="onnx")

    def run(self, encodings: Sequence[Encoding], batch_tokens: int, finish: Callable) -> list:
        """``finish(output, mask)`` of every batch, put back in the order of ``encodings``."""
        order = sorted(range(len(encodings)), key=lambda i: len(encodings[i].ids))
        batches: list[list[int]] = [[]]
        for index in order:
            if batches[-1] and (len(batches[-1]) + 1) * len(encodings[index].ids) > batch_tokens:
                batches.append([])
            batches[-1].append(index)
        results: list = [None] * len(encodings)
        batches.sort(key=lambda batch: -len(batch) * len(encodings[batch[-1]].ids))
        for batch, rows in zip(
            batches,
            self._pool.map(lambda batch: self._forward(encodings, batch, finish), batches),
            strict=True,
        ):
            for index, row in zip(batch, rows, strict=True):
                results[index] = row
        return results

    def _forward(self, encodings: Sequence[Encoding], batch: list[int], finish: Callable) -> np.ndarray:
        width = max(len(encodings[i].ids) for i in batch)
        ids = np.zeros((len(batch), width), np.int64)
        mask = np.zeros_like(ids)
        types = np.zeros_like(ids)
        for row, index in enumerate(batch):
            encoding = encodings[index]
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
            types[row, : len(encoding.ids)] = encoding.type_ids
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        output = self._session.run(None, {key: feed[key] for key in feed if key in self._wants})[0]
        return finish(output, mask)

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)


class OnnxEmbedder:
    """A :class:`~appliance.ports.Embedder` on ONNX Runtime."""

    def __init__(self, folder: Path, *, name: str, digest: str, settings: Embedding) -> None:
        """Load the encoder in ``folder``; ConfigError when missing or unknown, DamagedError when broken."""
        if name not in ENCODERS:
            raise ConfigError(f"unknown embedder {name}", hint=f"one of {', '.join(sorted(ENCODERS))}")
        self._spec = ENCODERS[name]
        self._batch_tokens = settings.batch_tokens
        self.name, self.digest, self.dim = name, digest, self._spec.dim
        self._graph = _Graph(
            folder, name=name, workers=available(settings.threads), max_tokens=self._spec.max_tokens
        )

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """``(n, dim) float32``, L2-normalised, with the query prefix."""
        return self._embed(texts, self._spec.query_prefix)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """``(n, dim) float32``, L2-normalised, with the passage prefix."""
        return self._embed(texts, self._spec.passage_prefix)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, special tokens left out, nothing truncated."""
        encodings = self._graph.plain_tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [len(encoding.ids) for encoding in encodings]

    def _embed(self, texts: Sequence[str], prefix: str) -> Vectors:
        if not texts:
            return np.zeros((0, self.dim), np.float32)
        encodings = self._graph.tokenizer.encode_batch_fast([prefix + text for text in texts])
        vectors = np.asarray(self._graph.run(encodings, self._batch_tokens, self._pool_output), np.float32)
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)

    def _pool_output(self, output: np.ndarray, mask: np.ndarray) -> np.ndarray:
        if self._spec.pooling == "cls":
            return output[:, 0]
        if self._spec.pooling == "mean":
            return (output * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
        return output

    def close(self) -> None:
        """Stop the worker threads."""
        self._graph.close()


class OnnxReranker:
    """A :class:`~appliance.ports.Reranker` (cross-encoder) on ONNX Runtime."""

    def __init__(self, folder: Path, *, name: str, digest: str, settings: Reranking) -> None:
        """Load the cross-encoder in ``folder``; errors as for the embedder."""
        if name not in RERANKER_LANGUAGES:
            raise ConfigError(
                f"unknown reranker {name}", hint=f"one of {', '.join(sorted(RERANKER_LANGUAGES))}"
            )
        self.name, self.digest, self.languages = name, digest, RERANKER_LANGUAGES[name]
        self._graph = _Graph(
            folder, name=name, workers=available(settings.threads), max_tokens=PAIR_TOKENS_MAX
        )

    def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        """Logistic of the logit for each passage; empty for no passages."""
        if not passages:
            return []
        pairs = self._graph.tokenizer.encode_batch_fast([(query, passage) for passage in passages])
        logits = self._graph.run(pairs, PAIR_TOKENS_MAX * 2, lambda output, _mask: output[:, 0])
        return [float(1.0 / (1.0 + np.exp(-logit))) for logit in logits]

    def close(self) -> None:
        """Stop the worker threads."""
        self._graph.close()
