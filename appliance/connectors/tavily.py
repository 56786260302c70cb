"""Tavily, or a relay with its shape: ``POST /search`` with a bearer key (docs.tavily.com)."""

from __future__ import annotations

from appliance.config_connectors import Connectors, ExternalSourceSettings
from appliance.connectors.endpoints import allowed_endpoint
from appliance.connectors.fetch import Call, Fetcher
from appliance.connectors.keys import key_headers, key_params
from appliance.connectors.results import Places, hits_of
from appliance.domain import ExternalRetrieval

PLACES = Places(items="/results", title="/title", text="/content", url="/url", published="/published_date")
MOST = 20
"""Results that the service gives at most."""


class Tavily:
    """The hosted service."""

    def __init__(self, source: ExternalSourceSettings, settings: Connectors) -> None:
        """Raises ConfigError: the source may not be asked."""
        self.name, self._source = source.name, source
        self._endpoint = allowed_endpoint(source, settings)
        self._fetcher = Fetcher(settings)
        self._places = PLACES.changed_by(source.fields)

    def search(self, query: str, k: int) -> ExternalRetrieval:
        """Up to ``k`` hits, and no more than 20. Raises as the port says."""
        call = Call(
            endpoint=self._endpoint,
            params=key_params(self._source),
            body={**self._source.params, "query": query, "max_results": min(k, MOST)},
            headers=key_headers(self._source),
        )
        return hits_of(self._fetcher.json(call), self._places, source=self.name, k=k)
