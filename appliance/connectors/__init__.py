"""Search services outside the appliance, one adapter per kind. Imported only where a source is configured."""

from appliance.connectors.opening import open_source, open_sources

__all__ = ["open_source", "open_sources"]
