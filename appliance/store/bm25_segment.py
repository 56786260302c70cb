"""A segment: the term counts of some passages as plain arrays. Passages in; postings out.

Counts are kept, not scores, so that segments can be added, struck out and merged at will and every score is
still the one that an index built afresh would give (``bm25_score`` computes it from counts at query time;
``bm25_combine`` merges).
Terms and document ids are compared by 64-bit BLAKE2b, groups by their exact text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from appliance.domain import Passage, Struct
from appliance.store.analysis import index_terms

Array = npt.NDArray[Any]
BUILD_CHUNK = 4096
COLUMNS: dict[str, str] = {
    "ids": "<i8",
    "lengths": "<i4",
    "documents": "<u8",
    "group_sets": "<i4",
    "terms": "<u8",
    "indptr": "<i8",
    "rows": "<i4",
    "counts": "<u2",
}
"""The arrays of a segment and how they lie on disk."""
_MAX_COUNT = 65535


class Segment(Struct, frozen=True, kw_only=True):
    """Rows ascend by passage id, terms by hash; ``rows[indptr[t]:indptr[t+1]]`` hold term ``t``."""

    ids: Array
    """(n,) int64"""
    lengths: Array
    """(n,) int32: tokens of the passage"""
    documents: Array
    """(n,) uint64: hash of the document id"""
    group_sets: Array
    """(n,) int32: index into ``groups``"""
    terms: Array
    """(v,) uint64"""
    indptr: Array
    """(v+1,) int64"""
    rows: Array
    """(postings,) int32"""
    counts: Array
    """(postings,) uint16"""
    groups: tuple[tuple[str, ...], ...] = ()

    def postings(self, term: int) -> tuple[Array, Array]:
        """Rows that hold the term, ascending, and how often."""
        at = int(np.searchsorted(self.terms, np.uint64(term)))
        if at == self.terms.size or int(self.terms[at]) != term:
            return self.rows[:0], self.counts[:0]
        part = slice(int(self.indptr[at]), int(self.indptr[at + 1]))
        return self.rows[part], self.counts[part]

    def find(self, ids: Array) -> Array:
        """Row of each id that is here; the others are left out."""
        if not self.ids.size:
            return np.zeros(0, dtype=np.int64)
        at = np.minimum(np.searchsorted(self.ids, ids), self.ids.size - 1)
        return at[self.ids[at] == ids]


def hashed(text: str) -> int:
    """64 bits of BLAKE2b."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def segment_of(passages: Sequence[Passage]) -> Segment:
    """Passages analysed and counted; the last one of an id wins."""
    ordered = [kept for _, kept in sorted({passage.id: passage for passage in passages}.items())]
    vocabulary: dict[str, int] = {}
    token_lists = [
        [vocabulary.setdefault(token, len(vocabulary)) for token in index_terms(passage.indexed_text())]
        for passage in ordered
    ]
    lengths = np.array([len(tokens) for tokens in token_lists], dtype=np.int32)
    flat = np.fromiter((token for tokens in token_lists for token in tokens), np.int64, int(lengths.sum()))
    hashes = np.array([hashed(token) for token in vocabulary], dtype=np.uint64)
    terms, rank = np.unique(hashes, return_inverse=True)
    keys = rank[flat] * max(len(ordered), 1) + np.repeat(np.arange(len(ordered)), lengths)
    keys, counts = np.unique(keys, return_counts=True)
    names = [passage.access_marks() for passage in ordered]
    groups = tuple(sorted(set(names)))
    code = {name: at for at, name in enumerate(groups)}
    return with_postings(
        keys,
        counts,
        terms,
        ids=np.array([passage.id for passage in ordered], dtype=np.int64),
        lengths=lengths,
        documents=np.array([hashed(passage.document_id) for passage in ordered], dtype=np.uint64),
        group_sets=np.array([code[name] for name in names], dtype=np.int32),
        groups=groups,
    )


def segments_of(passages: Iterable[Passage]) -> Iterator[Segment]:
    """Passages in chunks, each a segment: memory stays bounded by the arrays."""
    stream = iter(passages)
    while chunk := list(islice(stream, BUILD_CHUNK)):
        yield segment_of(chunk)


def with_postings(keys: Array, counts: Array, terms: Array, *, ids: Array, **columns: Any) -> Segment:
    """A segment from ascending keys ``term * rows + row``."""
    rows = max(ids.size, 1)
    return Segment(
        ids=ids,
        terms=terms,
        indptr=np.searchsorted(keys, np.arange(terms.size + 1, dtype=np.int64) * rows).astype(np.int64),
        rows=(keys % rows).astype(np.int32),
        counts=np.minimum(counts, _MAX_COUNT).astype(np.uint16),
        **columns,
    )
