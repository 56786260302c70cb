"""What a search service outside the appliance answers: text of strangers, always marked as such."""

from __future__ import annotations

from appliance.domain.identity import Struct
from appliance.domain.metadata import Authority


class ExternalHit(Struct, frozen=True, kw_only=True):
    """One result of an external source, cleaned: plain text, bounded, with an http(s) address or none."""

    title: str
    text: str
    url: str
    """Empty only where the source's configuration says that its results have none."""
    source: str
    """The connector's name."""
    rank: int
    """Place among that source's results, from 1."""
    fetched_at: str
    """When the answer came, ISO 8601 in UTC."""
    published: str | None = None
    """``YYYY``, ``YYYY-MM`` or ``YYYY-MM-DD`` as the source says; nobody here has checked it."""
    authority: Authority = Authority.EXTERNAL

    def __post_init__(self) -> None:
        """Raises ValueError: external text can be given no other authority."""
        if self.authority is not Authority.EXTERNAL:
            raise ValueError("what comes from outside is external")


class ExternalRetrieval(Struct, frozen=True, kw_only=True):
    """External hits, best first, and which sources did not (fully) answer, each with the reason."""

    hits: tuple[ExternalHit, ...] = ()
    degraded: tuple[str, ...] = ()
    timings_ms: dict[str, float] = {}
    """By source."""
