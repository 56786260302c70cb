"""SearXNG: ``GET /search?q=…&format=json`` (docs.searxng.org/dev/search_api.html)."""

from __future__ import annotations

from typing import cast

import msgspec

from appliance.config_connectors import Connectors, ExternalSourceSettings
from appliance.connectors.cleaning import plain_text
from appliance.connectors.endpoints import allowed_endpoint
from appliance.connectors.fetch import Call, Fetcher
from appliance.connectors.keys import key_headers, key_params
from appliance.connectors.parameters import as_texts
from appliance.connectors.pointers import at
from appliance.connectors.results import Places, hits_of
from appliance.domain import ExternalRetrieval

PLACES = Places(items="/results", title="/title", text="/content", url="/url", published="/publishedDate")
ENGINES_TOLD = 5


class SearXng:
    """A SearXNG instance whose settings list ``json`` among ``search.formats``."""

    def __init__(self, source: ExternalSourceSettings, settings: Connectors) -> None:
        """Raises ConfigError: the source may not be asked."""
        self.name, self._source = source.name, source
        self._endpoint = allowed_endpoint(source, settings)
        self._fetcher = Fetcher(settings)
        self._places = PLACES.changed_by(source.fields)

    def search(self, query: str, k: int) -> ExternalRetrieval:
        """Up to ``k`` hits; engines behind it that did not answer are named. Raises as the port says."""
        params = {**as_texts(self._source.params), **key_params(self._source), "q": query, "format": "json"}
        call = Call(endpoint=self._endpoint, params=params, headers=key_headers(self._source))
        answer = self._fetcher.json(call)
        found = hits_of(answer, self._places, source=self.name, k=k)
        notes = (*found.degraded, *_silent_engines(answer))
        return msgspec.structs.replace(found, degraded=notes)


def _silent_engines(answer: object) -> list[str]:
    rows = at(answer, "/unresponsive_engines")
    if not isinstance(rows, list) or not rows:
        return []
    listed = cast("list[object]", rows)
    names = [plain_text(at(row, "/0"), 40) for row in listed[:ENGINES_TOLD]]
    shown = ", ".join(name for name in names if name)
    return [f"{len(listed)} of its engines did not answer" + (f" ({shown})" if shown else "")]
