"""From the section ``connectors`` to its sources; everything that can be refused is refused here."""

from __future__ import annotations

from appliance.config_connectors import Connectors, ExternalSourceSettings
from appliance.ports import ExternalSource


def open_sources(settings: Connectors) -> list[ExternalSource]:
    """All configured sources, in order; nothing is sent. Raises ConfigError for the first that may not be."""
    return [open_source(source, settings) for source in settings.sources]


def open_source(source: ExternalSourceSettings, settings: Connectors) -> ExternalSource:
    """One source. Raises ConfigError: its host is not allowed, or it is hosted and there is no egress."""
    match source.kind:
        case "searxng":
            from appliance.connectors.searxng import SearXng

            return SearXng(source, settings)
        case "opensearch":
            from appliance.connectors.opensearch import OpenSearch

            return OpenSearch(source, settings)
        case "json":
            from appliance.connectors.json_api import JsonApi

            return JsonApi(source, settings)
        case "tavily":
            from appliance.connectors.tavily import Tavily

            return Tavily(source, settings)
        case "serpapi":
            from appliance.connectors.serpapi import SerpApi

            return SerpApi(source, settings)
