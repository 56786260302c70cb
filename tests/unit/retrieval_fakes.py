"""Small stand-ins for tests of retrieval: passages, readings, indexes and a cross-encoder that counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from appliance.domain import (
    DocumentId,
    Fingerprint,
    Passage,
    PassageId,
    Reading,
    Scope,
    Scored,
    WeightedQuery,
)
from appliance.ports import Vectors


def passage(number: int, text: str = "The pier opened.", **fields: object) -> Passage:
    """A passage of document ``d-NUMBER``, English unless said otherwise."""
    plain = {
        "id": PassageId(number),
        "fingerprint": Fingerprint(f"{number:032x}"),
        "document_id": DocumentId(f"d-{number}"),
        "record_id": f"{number}.txt",
        "collection": "c",
        "title": "",
        "section_path": "",
        "text": text,
        "language": "en",
        "token_count": len(text.split()),
    }
    return Passage(**{**plain, **fields})  # type: ignore[arg-type]


def reading(text: str = "What is it?", **fields: object) -> Reading:
    """A reading with the given labels and no others."""
    return Reading(**{"text": text, "language": "en", "simple": True, **fields})  # type: ignore[arg-type]


def scored(*numbers: int) -> list[Scored]:
    """Passages best first, from 1.0 down by tenths."""
    return [Scored(passage_id=PassageId(n), score=1.0 - at / 10) for at, n in enumerate(numbers)]


class CountingEmbedder:
    """Text number ``n`` of a call becomes the ``n``-th unit vector."""

    name, digest, dim = "unit", "0" * 64, 8

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        self.calls.append(list(texts))
        return np.eye(len(texts), self.dim, dtype=np.float32)

    embed_passages = embed_queries

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


class CountingIndex:
    """A dense and a lexical index in one: query number ``n`` of a call finds passages from ``10 * n`` on."""

    def __init__(self) -> None:
        self.calls: list[tuple[list[object], int, Scope]] = []

    def upsert(self, *_: object) -> None:
        raise AssertionError("a search writes nothing")

    delete = upsert

    def search(
        self, queries: Sequence[str | WeightedQuery] | Vectors, k: int, scope: Scope
    ) -> list[list[Scored]]:
        self.calls.append((list(queries), k, scope))
        return [scored(*range(10 * at, 10 * at + k)) for at in range(len(queries))]

    def specificity(self, texts: Sequence[str]) -> list[list[tuple[str, float]]]:
        return [[(word, 1.0) for word in text.split()] for text in texts]

    def count(self) -> int:
        return 100


class ScriptedReranker:
    """The scores written down for each query; the text of a passage is its number."""

    name, digest = "scripted", "0" * 64

    def __init__(self, scores: Mapping[str, Mapping[str, float]], languages: Sequence[str] = ("en",)) -> None:
        self.scores, self.languages = scores, frozenset(languages)
        self.calls: list[tuple[str, list[str]]] = []

    def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        self.calls.append((query, list(passages)))
        return [self.scores[query][text] for text in passages]
