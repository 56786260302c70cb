"""SerpAPI, or a relay with its shape: ``GET /search.json?engine=…&q=…&api_key=…`` (serpapi.com)."""

from __future__ import annotations

from appliance.config_connectors import Connectors, ExternalSourceSettings
from appliance.connectors.endpoints import allowed_endpoint
from appliance.connectors.fetch import Call, Fetcher
from appliance.connectors.keys import key_of
from appliance.connectors.parameters import as_texts
from appliance.connectors.pointers import ABSENT, at
from appliance.connectors.results import Places, hits_of
from appliance.domain import ExternalRetrieval
from appliance.errors import ExternalError

PLACES = Places(items="/organic_results", title="/title", text="/snippet", url="/link", published="/date")
NOTHING_FOUND = "hasn't returned any results"


class SerpApi:
    """The hosted service; it takes its key as the parameter ``api_key`` only."""

    def __init__(self, source: ExternalSourceSettings, settings: Connectors) -> None:
        """Raises ConfigError: the source may not be asked."""
        self.name, self._source = source.name, source
        self._endpoint = allowed_endpoint(source, settings)
        self._fetcher = Fetcher(settings)
        self._places = PLACES.changed_by(source.fields)

    def search(self, query: str, k: int) -> ExternalRetrieval:
        """Up to ``k`` organic results. Raises as the port says."""
        given = {"engine": "google", **as_texts(self._source.params)}
        key = key_of(self._source)
        params = {**given, "q": query, "num": str(k), **({"api_key": key} if key else {})}
        answer = self._fetcher.json(Call(endpoint=self._endpoint, params=params))
        # It answers 200 with "error" also where a search merely found nothing.
        error = at(answer, "/error")
        if isinstance(error, str) and at(answer, self._places.items) is ABSENT:
            if NOTHING_FOUND in error:
                return ExternalRetrieval()
            raise ExternalError(
                "it reports an error instead of results",
                hint="check the key, and params.engine of the source",
            )
        return hits_of(answer, self._places, source=self.name, k=k)
