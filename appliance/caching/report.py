"""How full the caches are and how often they had what was asked for: for people and for monitoring."""

from __future__ import annotations

import msgspec

from appliance.domain import Struct
from appliance.store.cache_counts import Kind
from appliance.store.tiers import Tiers


class KindReport(Struct, frozen=True, kw_only=True):
    """One kind of result, over all processes of the data folder."""

    kind: Kind
    asked: int
    hit_rate: float
    """Share of the look-ups that were answered, 0–1."""
    memory: int
    """Look-ups found in the first tier."""
    disk: int
    """Look-ups found in the second."""
    miss: int
    refused: int
    """Found, but what they named could not be read or did not hold: made anew."""
    kept: int
    unfit: int
    """Not kept, because a part was missing when they were made."""


class CacheReport(Struct, frozen=True, kw_only=True):
    """Both tiers."""

    enabled: bool
    memory_entries: int
    """Of this process."""
    disk_entries: int
    disk_bytes: int
    kinds: tuple[KindReport, ...]


def report_of(tiers: Tiers, *, enabled: bool) -> CacheReport:
    """The present state."""
    memory, entries, volume = tiers.sizes()
    return CacheReport(
        enabled=enabled,
        memory_entries=memory,
        disk_entries=entries,
        disk_bytes=volume,
        kinds=tuple(
            KindReport(**msgspec.structs.asdict(one), asked=one.asked, hit_rate=round(one.hit_rate, 4))
            for one in tiers.counts.read()
        ),
    )
