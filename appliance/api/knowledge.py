"""``/api/knowledge``: what earlier questions found out, for those who may read all of its sources."""

from __future__ import annotations

from litestar import get
from litestar.params import FromQuery

from appliance.api.desk import TheDesk
from appliance.api.schemas import CollectionQuery, Limit, Offset
from appliance.domain import DEFAULT_COLLECTION
from appliance.views_knowledge import EdgePage, EntityPage, edge_page, entity_page


@get("/api/knowledge", operation_id="knowledge", tags=["knowledge"], sync_to_thread=True)
def knowledge(
    desk: TheDesk,
    entity: FromQuery[str] = "",
    collection: CollectionQuery = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> EntityPage | EdgePage:
    """What is known of an entity, newest first; without one, the entities that something is known of."""
    name = desk.appliance.repositories.collections.get(collection or DEFAULT_COLLECTION).name
    edges, scope = desk.appliance.knowledge.edges, desk.scope(name)
    if entity:
        found = edges.of_entity(scope, entity, limit=limit + 1, offset=offset)
        return edge_page(entity, found, limit=limit, offset=offset)
    rows = edges.entities(scope, limit=limit + 1, offset=offset)
    return entity_page(rows, limit=limit, offset=offset)
