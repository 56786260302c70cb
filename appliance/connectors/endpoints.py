"""Which host a source may talk to: read off the configuration once, before anything is sent.

Arrives: one source's settings and the section's allowed hosts. Leaves: an :class:`Endpoint`, or a ConfigError
that names the key to change.
"""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from appliance.config_connectors import Connectors, ExternalSourceSettings
from appliance.domain import Struct
from appliance.errors import ConfigError

PORTS = {"http": 80, "https": 443}
HOSTED_URLS = {"tavily": "https://api.tavily.com/search", "serpapi": "https://serpapi.com/search.json"}


class Endpoint(Struct, frozen=True, kw_only=True):
    """One address, taken apart."""

    scheme: str
    host: str
    """Lower case, in ASCII (a Chinese name as its ``xn--`` form)."""
    port: int
    target: str
    """Path and query, percent-encoded; begins with ``/``."""

    def same_server(self, other: Endpoint) -> bool:
        """Whether scheme, host and port are those of ``other``."""
        return (self.scheme, self.host, self.port) == (other.scheme, other.host, other.port)


def endpoint_of(url: str) -> Endpoint:
    """The address of an http(s) URL. Raises ValueError: another scheme, no host, a user name, a bad port."""
    parts = urlsplit(url)
    if parts.scheme not in PORTS:
        raise ValueError("the address must begin with http:// or https://")
    if not parts.hostname or parts.username is not None:
        raise ValueError("the address has no host, or a user name before it")
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    query = quote(parts.query, safe="/%:@!$&'()*+,;=~-._?")
    return Endpoint(
        scheme=parts.scheme,
        host=ascii_host(parts.hostname),
        port=parts.port or PORTS[parts.scheme],
        target=f"{path}?{query}" if query else path,
    )


def ascii_host(host: str) -> str:
    """The name as DNS and certificates have it. Raises ValueError (no host name at all)."""
    return host.encode("idna").decode("ascii").lower() if not host.isascii() else host.lower()


def allowed_endpoint(source: ExternalSourceSettings, settings: Connectors) -> Endpoint:
    """Where this source may be asked.

    Raises ConfigError: no address, a host that is not in ``allowed_hosts``, a hosted kind without egress.
    """
    url = source.url or HOSTED_URLS.get(source.kind, "")
    try:
        endpoint = endpoint_of(url)
        allowed = {_host_and_port(entry) for entry in settings.allowed_hosts}
    except ValueError as error:
        raise ConfigError(
            f"connectors: {source.name}: {error}", hint="see [connectors] in configs/default.toml"
        ) from error
    if (endpoint.host, None) not in allowed and (endpoint.host, endpoint.port) not in allowed:
        raise ConfigError(
            f"connectors: {source.name}: the host {endpoint.host} is not allowed",
            hint=f'add "{endpoint.host}" to connectors.allowed_hosts if questions may go there',
        )
    if source.hosted and not settings.egress:
        raise ConfigError(
            f"connectors: {source.name}: {source.kind} is a service outside the intranet",
            hint="set connectors.egress = true if questions may leave it",
        )
    return endpoint


def _host_and_port(entry: str) -> tuple[str, int | None]:
    """``name`` or ``name:port``. Raises ValueError: a wildcard, an address with a scheme or a path."""
    parts = urlsplit(f"//{entry}")
    if not parts.hostname or "*" in entry or parts.netloc != entry or parts.username is not None:
        raise ValueError(f"allowed_hosts: {entry!r} is neither a host nor host:port (no wildcards)")
    return ascii_host(parts.hostname), parts.port
