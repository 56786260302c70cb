"""``/api/search`` and ``/api/passages``: passages by question and by fingerprint."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any
from urllib.parse import unquote

import msgspec
from litestar import Request, get, post
from litestar.params import FromPath, FromQuery, JSONBody

from appliance.api.desk import TheDesk
from appliance.api.schemas import SearchRequest
from appliance.citing import CLAIM_CHARS, ClaimAsked
from appliance.domain import Fingerprint
from appliance.retrieval.filter_language import parse_filter
from appliance.views_passage import PassageView
from appliance.views_search import SearchResult, search_result

_PASSAGES = "/api/passages/"


@post("/api/search", operation_id="search", tags=["search"], status_code=200, sync_to_thread=True)
def search(desk: TheDesk, data: JSONBody[SearchRequest]) -> SearchResult:
    """The best passages for a question that meet the filter; where there are none, ``notices`` say why."""
    retrieval = desk.appliance.search(
        data.question,
        collection=data.collection,
        principal=desk.principal,
        k=data.k,
        strategy=data.strategy,
        filters=() if data.filter is None else parse_filter(data.filter),
        as_of=data.as_of,
        domain=data.domain,
    )
    outside = desk.appliance.search_external(data.question, data.k) if data.external else None
    return search_result(retrieval, explain=data.explain, outside=outside)


@get(f"{_PASSAGES}{{fingerprint:path}}", operation_id="getPassage", tags=["search"], sync_to_thread=True)
def passage(
    request: Request[Any, Any, Any],
    desk: TheDesk,
    fingerprint: FromPath[Path],
    claim: FromQuery[Annotated[str, msgspec.Meta(max_length=CLAIM_CHARS)]] = "",
    run: FromQuery[Annotated[str, msgspec.Meta(max_length=100)]] = "",
    index: FromQuery[Annotated[int, msgspec.Meta(ge=0, le=999)] | None] = None,
) -> PassageView:
    """The passage of a citation in its context, also of an older version, checked against its digests now.

    The fingerprint is percent-encoded; 8 or more digits of its hash will do if no other begins with them.
    ``claim``, or ``run`` with the ``index`` of its claim, asks where in the text that is said. 410: deleted.
    """
    # Not the parameter: the router folds "//" and a trailing "/", and a section path may have them.
    raw = request.scope["raw_path"].partition(b"?")[0].decode("ascii")
    wanted = Fingerprint(unquote(raw).partition(_PASSAGES)[2] or str(fingerprint))
    asked = ClaimAsked(text=claim, run=run, index=index)
    return desk.appliance.citer.cite(wanted, desk.scope(), asked=asked, user=desk.principal.user)
