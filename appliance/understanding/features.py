"""Hashed n-grams of a question: text arrives, the places that are lit in a sparse vector leave.

The hashing trick (Weinberger et al. 2009) with CRC-32: the same on every machine, no vocabulary to carry.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from appliance.understanding.fold import fold

BUCKETS = 1 << 15
MAX_TOKENS = 400
"""Of a longer text, the first and the last 200 tokens."""
_TOKEN = re.compile(r"[a-z]+(?:['’][a-z]+)?|\d+|[㐀-鿿]+|[^\w\s]")


def lit(text: str) -> NDArray[np.int32]:
    """The buckets of a question's features, each once, ascending; empty for an empty text. () int32."""
    hashes = {zlib.crc32(feature.encode()) % BUCKETS for feature in features(text)}
    return np.fromiter(sorted(hashes), dtype=np.int32, count=len(hashes))


def features(text: str) -> Iterator[str]:
    """Words, their pairs and parts; Han characters, pairs and triples; how the text begins and ends."""
    tokens = _TOKEN.findall(fold(text).lower())
    if len(tokens) > MAX_TOKENS:
        tokens = tokens[: MAX_TOKENS // 2] + tokens[-MAX_TOKENS // 2 :]
    tokens = ["#" * min(len(token), 4) if token.isdigit() else token for token in tokens]
    yield from (f"first {token[:3]}" for token in tokens[:1])
    yield f"begin {' '.join(tokens[:2])}"
    yield from (f"last {token[-3:]}" for token in tokens[-2:])
    yield f"long {min(len(tokens), 40) // 8}"
    previous = "^"
    for token in tokens:
        if "㐀" <= token[0] <= "鿿":
            yield from _han(token)
            previous = token[-1]
            continue
        yield f"w {token}"
        yield f"p {previous} {token}"
        previous = token
        if len(token) > 6:
            yield f"s {token[-4:]}"
        if len(token) > 5:
            padded = f"<{token}>"
            yield from (f"c {padded[i : i + 5]}" for i in range(len(padded) - 4))


def _han(run: str) -> Iterator[str]:
    for size in (1, 2, 3):
        yield from (f"h {run[i : i + size]}" for i in range(len(run) - size + 1))
