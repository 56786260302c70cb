"""OpenSearch (and servers with the same ``_search``): an index of one's own, by a ``multi_match`` query."""

from __future__ import annotations

import msgspec

from appliance.config_connectors import Connectors, ExternalSourceSettings
from appliance.connectors.endpoints import Endpoint, allowed_endpoint
from appliance.connectors.fetch import Call, Fetcher
from appliance.connectors.keys import key_headers, key_params
from appliance.connectors.parameters import as_texts
from appliance.connectors.pointers import at, parts_of
from appliance.connectors.results import Places, hits_of
from appliance.domain import ExternalRetrieval

PLACES = Places(
    items="/hits/hits",
    title="/_source/title",
    text="/_source/text",
    url="/_source/url",
    published="/_source/published",
)
FRAGMENT_CHARS, FRAGMENTS = 400, 3
"""Of a long text, the places that match are asked for; without them it is cut at its beginning."""


class OpenSearch:
    """One index of one server; ``fields`` are pointers into a hit (``/_source/title``)."""

    def __init__(self, source: ExternalSourceSettings, settings: Connectors) -> None:
        """Raises ConfigError: the source may not be asked."""
        self.name, self._source = source.name, source
        self._fetcher = Fetcher(settings)
        self._endpoint = _search_of(allowed_endpoint(source, settings), source.index)
        places = PLACES.changed_by(source.fields)
        self._text = _field(places.text)
        excerpt = "/highlight/" + self._text.replace("~", "~0").replace("/", "~1") if self._text else ""
        self._places = msgspec.structs.replace(places, excerpt=excerpt)

    def search(self, query: str, k: int) -> ExternalRetrieval:
        """Up to ``k`` hits by the server's score. Raises as the port says."""
        call = Call(
            endpoint=self._endpoint,
            params={**as_texts(self._source.params), **key_params(self._source)},
            body=self._body(query, k),
            headers=key_headers(self._source),
        )
        answer = self._fetcher.json(call)
        found = hits_of(answer, self._places, source=self.name, k=k)
        return msgspec.structs.replace(found, degraded=(*found.degraded, *_partial(answer)))

    def _body(self, query: str, k: int) -> dict[str, object]:
        places = self._places
        named = [_field(pointer) for pointer in (places.title, places.text, places.url, places.published)]
        wanted = [field for field in named if field]
        searched = list(self._source.query_fields) or [field for field in (*named[:2],) if field]
        body: dict[str, object] = {
            "size": k,
            "query": {"multi_match": {"query": query, "fields": searched}},
            "_source": wanted,
        }
        if self._text:
            shape = {"fragment_size": FRAGMENT_CHARS, "number_of_fragments": FRAGMENTS}
            body["highlight"] = {"pre_tags": [""], "post_tags": [""], "fields": {self._text: shape}}
        return body


def _search_of(server: Endpoint, index: str) -> Endpoint:
    path, mark, query = server.target.partition("?")
    return msgspec.structs.replace(server, target=f"{path.rstrip('/')}/{index}/_search{mark}{query}")


def _field(pointer: str) -> str:
    """``/_source/meta/title`` → ``meta.title``, as queries name it; empty for what is outside the source."""
    parts = parts_of(pointer)
    return ".".join(parts[1:]) if parts[:1] == ["_source"] else ""


def _partial(answer: object) -> list[str]:
    notes: list[str] = []
    if at(answer, "/timed_out") is True:
        notes.append("it ran out of its own time: the results are those found by then")
    failed = at(answer, "/_shards/failed")
    if isinstance(failed, int) and failed > 0:
        notes.append(f"{failed} of its shards failed: the results are those of the others")
    return notes
