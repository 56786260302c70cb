"""``/api/knowledge``: what earlier questions found out, for those who may read all of its sources."""

from __future__ import annotations

from typing import Annotated

from litestar import get
from litestar.params import Parameter

from appliance.api.desk import TheDesk
from appliance.domain import DEFAULT_COLLECTION
from appliance.views_knowledge import EdgePage, EntityPage, edge_page, entity_page


@get("/api/knowledge", operation_id="knowledge", tags=["knowledge"], sync_to_thread=True)
def knowledge(
    desk: TheDesk,
    entity: str = "",
    collection: str = DEFAULT_COLLECTION,
    limit: Annotated[int, Parameter(ge=1, le=1000)] = 50,
    offset: Annotated[int, Parameter(ge=0)] = 0,
) -> EntityPage | EdgePage:
    """What is known of an entity, newest first; without one, the entities that something is known of."""
    desk.appliance.repositories.collections.get(collection)
    edges, scope = desk.appliance.knowledge.edges, desk.scope(collection)
    if entity:
        found = edges.of_entity(scope, entity, limit=limit + 1, offset=offset)
        return edge_page(entity, found, limit=limit, offset=offset)
    rows = edges.entities(scope, limit=limit + 1, offset=offset)
    return entity_page(rows, limit=limit, offset=offset)
