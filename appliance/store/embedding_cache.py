"""Vectors by model, kind and text: what makes a rebuild of the dense index cheap."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence
from typing import Literal

import numpy as np

from appliance.ports import Vectors
from appliance.store.cache import DiskCache

Kind = Literal["passage", "query"]
_CRC_BYTES = 4


class EmbeddingCache:
    """One model's vectors. A value is CRC-32 (4 bytes, big endian) + float32 bytes; a bad one is a miss."""

    def __init__(self, cache: DiskCache, model_digest: str, dim: int) -> None:
        self._cache = cache
        self._model_digest = model_digest
        self._dim = dim

    def get_many(self, kind: Kind, texts: Sequence[str]) -> dict[int, Vectors]:
        """Position in ``texts`` → ``(dim,) float32``, for those that are there."""
        keys = [self._key(kind, text) for text in texts]
        values = self._cache.get_many(list(dict.fromkeys(keys)))
        found: dict[int, Vectors] = {}
        for position, key in enumerate(keys):
            vector = self._decoded(values.get(key))
            if vector is not None:
                found[position] = vector
        return found

    def put_many(self, kind: Kind, texts: Sequence[str], vectors: Vectors) -> None:
        """Keep ``(n, dim)`` vectors of ``n`` texts."""
        items: dict[str, bytes] = {}
        for text, vector in zip(texts, vectors, strict=True):
            data = np.ascontiguousarray(vector, dtype="<f4").tobytes()
            items[self._key(kind, text)] = zlib.crc32(data).to_bytes(_CRC_BYTES, "big") + data
        self._cache.put_many(items)

    def forget(self, texts: Sequence[str]) -> int:
        """Drop the vectors of these texts, whichever model made them; how many there were."""
        ends = {f"passage:{hashlib.sha256(text.encode()).hexdigest()}" for text in texts}
        return self._cache.remove_where(lambda key: key.partition(":")[2] in ends)

    def compact(self) -> None:
        """Overwrite what the cache's file keeps of dropped values. Raises BackendError."""
        self._cache.compact()

    def _key(self, kind: Kind, text: str) -> str:
        return f"{self._model_digest}:{kind}:{hashlib.sha256(text.encode()).hexdigest()}"

    def _decoded(self, value: bytes | None) -> Vectors | None:
        if value is None or len(value) != _CRC_BYTES + 4 * self._dim:
            return None
        data = value[_CRC_BYTES:]
        if zlib.crc32(data) != int.from_bytes(value[:_CRC_BYTES], "big"):
            return None
        return np.frombuffer(data, dtype="<f4").astype(np.float32)
