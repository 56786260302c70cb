"""Recall under a caller's filter: the routes' answers without what the filter excludes, and what it did.

A filter that few documents meet goes into the indexes as their ids; a broad one is applied to ever more
candidates until enough are left. A caller's condition is never relaxed: nothing left is told with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from appliance.domain import Condition, Filters, FilterStep, PassageId, Scope, Scored, Struct
from appliance.ports import PassageFilter
from appliance.retrieval.notices import few_left, nothing_left

Routes = Sequence[Sequence[Scored]]
"""One list for each route and rewrite, best first, always in the same order."""
MOST_DOCUMENTS = 1_000
"""Up to so many ids go into the indexes."""
MOST_CANDIDATES = 3_200
"""How deep each route is asked for a broad filter."""
DEEPEN = 4


class Depths(Struct, frozen=True, kw_only=True):
    """How far recall goes."""

    depth: int = 50
    """Passages wanted of each route."""
    enough: int = 50
    """Different passages that have to be left."""
    most: int = MOST_CANDIDATES
    documents: int = MOST_DOCUMENTS


class Recalled(Struct, frozen=True, kw_only=True):
    """Recall after the filter."""

    routes: tuple[tuple[Scored, ...], ...]
    steps: tuple[FilterStep, ...] = ()
    notices: tuple[str, ...] = ()


def recall_filtered(
    search: Callable[[int, Scope], Routes],
    filters: Filters,
    scope: Scope,
    *,
    by: PassageFilter,
    depths: Depths = Depths(),  # noqa: B008 - a frozen value
) -> Recalled:
    """The passages of each route that meet every condition, at most ``depths.depth`` of each.

    ``search`` answers with each route's best passages for a depth and a scope; it is called once or, for a
    broad filter, with up to ``depths.most``. Raises UserError for a condition that no filter can have.
    """
    if not filters:
        return Recalled(routes=_cut(search(depths.depth, scope), None, depths.depth))
    listed = by.matching_documents(filters, scope, depths.documents)
    # No documents at all would be no restriction: the search then only serves to say what was left out.
    within = msgspec.structs.replace(scope, documents=listed) if listed else scope
    kept: dict[Condition, set[PassageId]] = {condition: set() for condition in filters}
    seen: set[PassageId] = set()
    depth = depths.depth
    while True:
        routes = search(depth, within)
        fresh = {scored.passage_id for route in routes for scored in route} - seen
        seen |= fresh
        for condition, met in kept.items():
            met |= by.matches(sorted(fresh), (condition,), scope)
        left = seen.intersection(*kept.values())
        exhausted = all(len(route) < depth for route in routes)
        if listed == () or len(left) >= depths.enough or exhausted or depth >= depths.most:
            break
        depth = min(depth * DEEPEN, depths.most)
    steps = tuple(
        FilterStep(condition=str(condition), origin="caller", kept=len(met), of=len(seen))
        for condition, met in kept.items()
    )
    if left:
        cut_short = len(left) < depths.enough and not exhausted
        notices = (few_left(len(left), len(seen)),) if cut_short else ()
    else:
        notices = nothing_left(kept, len(seen), listed, lambda field: by.present(field, scope))
    return Recalled(routes=_cut(routes, left, depths.depth), steps=steps, notices=notices)


def _cut(routes: Routes, left: set[PassageId] | None, depth: int) -> tuple[tuple[Scored, ...], ...]:
    return tuple(
        tuple(scored for scored in route if left is None or scored.passage_id in left)[:depth]
        for route in routes
    )
