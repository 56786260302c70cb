"""Any search service that answers JSON: what to send and where the parts stand is in the configuration."""

from __future__ import annotations

from typing import cast

from appliance.config_connectors import Connectors, ExternalSourceSettings, Parameter
from appliance.connectors.endpoints import allowed_endpoint
from appliance.connectors.fetch import Call, Fetcher
from appliance.connectors.keys import key_headers, key_params
from appliance.connectors.parameters import as_texts, filled
from appliance.connectors.results import Places, hits_of
from appliance.domain import ExternalRetrieval

NOWHERE = Places(items="", title="", text="", url="")


class JsonApi:
    """A service by its request template and its pointers."""

    def __init__(self, source: ExternalSourceSettings, settings: Connectors) -> None:
        """Raises ConfigError: the source may not be asked."""
        self.name, self._source = source.name, source
        self._endpoint = allowed_endpoint(source, settings)
        self._fetcher = Fetcher(settings)
        self._places = NOWHERE.changed_by(source.fields)

    def search(self, query: str, k: int) -> ExternalRetrieval:
        """Up to ``k`` hits. Raises as the port says."""
        source = self._source
        params = cast("dict[str, Parameter]", filled(source.params, query, k))
        call = Call(
            endpoint=self._endpoint,
            params={**as_texts(params), **key_params(source)},
            body=filled(source.body, query, k) if source.method == "POST" else None,
            headers=key_headers(source),
        )
        return hits_of(self._fetcher.json(call), self._places, source=self.name, k=k)
