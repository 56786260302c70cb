"""A corpus of any size for measurements: a seed in, passages with a natural spread of words out, one by one.

Words follow Zipf's law (Zipf 1949) in both languages: English-looking words made of syllables, Chinese words
of jieba's dictionary. Nothing is kept, so memory does not grow with the number of passages.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

import numpy as np

from appliance.domain import EVERYONE, DocumentId, Fingerprint, Passage, PassageId

CHUNK = 1_000
PER_DOCUMENT = 10
CHINESE_SHARE = 0.2
GROUPS = 20
"""One passage in five is for one of so many groups only."""
_ENGLISH_WORDS = 150_000
_CHINESE_WORDS = 60_000
_EXPONENT = 1.05
_FUNCTION = "the of and to in a is that for it as was with be by on not this are or".split()
_ONSETS = "b br c ch cl d dr f fl g gr h j l m n p pl pr qu r s sc sh sp st str t tr v w".split()
_VOWELS = "a e i o u ai ea ee io ou".split()
_CODAS = ("", "n", "r", "s", "t", "l", "m", "nd", "nt", "ck", "st")


@cache
def english() -> list[str]:
    """Words by falling frequency, the short ones first."""
    syllables = ["".join(parts) for parts in itertools.product(_ONSETS, _VOWELS, _CODAS)]
    random = np.random.default_rng(7)
    random.shuffle(syllables)
    words = dict.fromkeys(syllables[:1_500])
    while len(words) < _ENGLISH_WORDS:
        for pair in random.integers(len(syllables), size=(10_000, 3)):
            words["".join(syllables[at] for at in pair[: 2 + int(pair[0]) % 2])] = None
    return list(words)[:_ENGLISH_WORDS]


@cache
def chinese() -> list[str]:
    """Words by falling frequency."""
    lines = files("jieba").joinpath("dict.txt").read_text("utf-8").splitlines()
    rated = [(int(fields[1]), fields[0]) for fields in (line.split() for line in lines) if len(fields[0]) > 1]
    return [word for _, word in sorted(rated, reverse=True)[:_CHINESE_WORDS]]


@cache
def _cumulative(words: int) -> np.ndarray:
    weights = 1 / np.arange(1, words + 1) ** _EXPONENT
    return np.cumsum(weights) / weights.sum()


def drawn(random: np.random.Generator, words: list[str], count: int) -> list[str]:
    """Words by Zipf's law."""
    return [words[at] for at in np.searchsorted(_cumulative(len(words)), random.random(count)).tolist()]


def passages(count: int, first: int = 1) -> Iterator[Passage]:
    """``count`` passages with ids from ``first``; the same for the same ids."""
    for start in range(first, first + count, CHUNK):
        random = np.random.default_rng(start)
        for number in range(start, min(start + CHUNK, first + count)):
            yield passage(number, _text(random))


def passage(number: int, text: str) -> Passage:
    """One of a document of ten."""
    document = f"d-{number // PER_DOCUMENT:016x}"
    digest = hashlib.sha256(f"{number}".encode()).hexdigest()
    limited = number % 5 == 0
    return Passage(
        id=PassageId(number),
        fingerprint=Fingerprint(f"{document}##{digest}"),
        document_id=DocumentId(document),
        record_id=document,
        collection="scale",
        title="",
        section_path="",
        text=text,
        language="en" if text.isascii() else "zh",
        token_count=len(text) // 4,
        groups=(f"g{number // 5 % GROUPS}",) if limited else (EVERYONE,),
    )


def queries(count: int, seed: int = 11) -> list[str]:
    """Questions of 2–8 words, one in five Chinese; frequent words are as frequent as in the passages."""
    random = np.random.default_rng(seed)
    made: list[str] = []
    for number in range(count):
        words = int(random.integers(2, 9))
        if number % 5 == 0:
            made.append("".join(drawn(random, chinese(), words)))
        else:
            made.append(" ".join(["what", "is", "the", *drawn(random, english(), words)]))
    return made


def rewrites(query: str, seed: int) -> list[str]:
    """The query and four others that share most of its words."""
    random = np.random.default_rng(seed)
    words, drop = query.split(), random.integers(100, size=4).tolist()
    if len(words) < 2:
        return [query, *(query + word for word in drawn(random, chinese(), 4))]
    new = drawn(random, english(), 4)
    return [
        query,
        *(
            " ".join([*words[: at % len(words)], word, *words[at % len(words) + 1 :]])
            for at, word in zip(drop, new, strict=True)
        ),
    ]


def vectors(first: int, count: int, dim: int) -> np.ndarray:
    """(count, dim) float32, L2-normalised; the same for the same ids."""
    array = np.random.default_rng(first).normal(size=(count, dim)).astype(np.float32)
    return array / np.linalg.norm(array, axis=1, keepdims=True)


def _text(random: np.random.Generator) -> str:
    if random.random() < CHINESE_SHARE:
        words = drawn(random, chinese(), int(random.integers(20, 60)))
        return "，".join("".join(words[at : at + 2]) for at in range(0, len(words), 2)) + "。"
    words = drawn(random, english(), int(random.integers(30, 110)))
    small = random.integers(len(_FUNCTION) * 2, size=len(words)).tolist()
    return " ".join(
        f"{_FUNCTION[at]} {word}" if at < len(_FUNCTION) else word
        for at, word in zip(small, words, strict=True)
    )
