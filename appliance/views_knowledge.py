"""What the doors show of the knowledge graph: edges as rows that encode to a stable shape.

Arrives: edges that the asker may see. Leaves: rows for ``assay knowledge --json`` and ``GET /api/knowledge``.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from appliance.domain import Fingerprint
from appliance.store.knowledge import Edge, EntityRow


class EdgeRow(msgspec.Struct, frozen=True, kw_only=True):
    """Who or what, what is asked of it, and what that is."""

    subject: str
    relation: str
    """The question, with ``·`` in place of the subject."""
    object: str
    period: str
    """Days that it holds for, where the question named any."""
    claims: list[str]
    sources: tuple[Fingerprint, ...]
    confidence: float
    run_id: str
    learned_at: str


class EntityPage(msgspec.Struct, frozen=True, kw_only=True):
    """Entities that something is known of, those with most edges first."""

    entities: tuple[EntityRow, ...]
    offset: int
    more: bool
    """Whether there is another page."""


class EdgePage(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one entity, newest first."""

    entity: str
    edges: list[EdgeRow]
    offset: int
    more: bool


def entity_page(rows: Sequence[EntityRow], *, limit: int, offset: int) -> EntityPage:
    """``rows``: asked for with one more than ``limit``."""
    return EntityPage(entities=tuple(rows[:limit]), offset=offset, more=len(rows) > limit)


def edge_page(entity: str, edges: Sequence[Edge], *, limit: int, offset: int) -> EdgePage:
    """``edges``: asked for with one more than ``limit``."""
    return EdgePage(
        entity=entity, edges=[_row(edge) for edge in edges[:limit]], offset=offset, more=len(edges) > limit
    )


def _row(edge: Edge) -> EdgeRow:
    return EdgeRow(
        subject=edge.subject,
        relation=edge.relation,
        object=edge.object,
        period=edge.period,
        claims=[claim.text for claim in edge.finding.claims],
        sources=edge.sources,
        confidence=round(edge.confidence, 3),
        run_id=edge.run_id,
        learned_at=edge.learned_at,
    )
