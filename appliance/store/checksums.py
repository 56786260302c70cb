"""Do two stores hold the same rows? Passage ids go in, in any order; one short string comes out."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

_ODD = np.uint64(0x9E3779B97F4A7C15)
"""2**64 / golden ratio, odd: multiplication by it is a bijection modulo 2**64 (Knuth, TAOCP 6.4)."""
_HALF = np.uint64(32)


def ids_checksum(ids: Iterable[int]) -> str:
    """16 hex digits of ``sum(mix(id)) mod 2**64``, the same for every order of the ids.

    ``mix(id)``: ``x = id * 0x9E3779B97F4A7C15``, then ``x ^ (x >> 32)``. Without the shift the sum would be
    linear, and ``{1, 4}`` could not be told from ``{2, 3}``.
    """
    mixed = np.fromiter(ids, dtype=np.uint64) * _ODD
    mixed ^= mixed >> _HALF
    return f"{int(mixed.sum(dtype=np.uint64)):016x}"
