"""One JSON answer over HTTP from an allowed server: bounded in time and bytes, or an error that says why not.

Arrives: a :class:`Call`. Leaves: the decoded JSON. No error carries the address, a header, the key or words
of the server: they may hold the question or the key, and they are a stranger's.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from urllib.parse import urlencode, urljoin

import httpcore
import msgspec

from appliance.config_connectors import Connectors
from appliance.connectors.answers import JSON_HINT, as_utf8, check_content, check_status, decoded, header
from appliance.connectors.endpoints import Endpoint, endpoint_of
from appliance.connectors.guard import Deadline, GuardedNetwork
from appliance.errors import ConfigError, ExternalError

MAX_REDIRECTS = 3
REDIRECTS = frozenset({301, 302, 303, 307, 308})
_HOST = re.compile(r"[a-z0-9.:-]{1,100}")
_HEADERS = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "assay"}


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """What to send. ``params`` go into the address, ``body`` (if any) makes it a POST of JSON."""

    endpoint: Endpoint
    params: Mapping[str, str] = {}
    body: object | None = None
    headers: Mapping[str, str] = {}


class Fetcher:
    """Sends calls of one source within the section's limits; a connection of its own for each."""

    def __init__(self, settings: Connectors) -> None:
        """Keep the limits; the certificates are read at the first call."""
        self._settings = settings

    def json(self, call: Call) -> object:
        """The server's answer, decoded.

        Raises ExternalError (unreachable, too slow, too large, not JSON, refused), BusyError (its limit of
        calls is reached), ConfigError (the bundle of certificates cannot be read).
        """
        deadline = Deadline(self._settings.timeout_s)
        try:
            for _ in range(MAX_REDIRECTS + 1):
                answer = self._exchange(call, deadline)
                if isinstance(answer, bytes):
                    return decoded(answer)
                call = answer
        except httpcore.TimeoutException as error:
            limit = f"no (whole) answer within {self._settings.timeout_s:g} s"
            raise ExternalError(limit, hint="or raise connectors.timeout_s", retryable=True) from error
        except httpcore.NetworkError as error:
            raise _unreachable(call, error) from error
        except (httpcore.ProtocolError, httpcore.UnsupportedProtocol) as error:
            raise ExternalError(
                "its answer is not HTTP, or ended early", hint=JSON_HINT, retryable=True
            ) from error
        raise ExternalError(f"it redirects more than {MAX_REDIRECTS} times", hint=JSON_HINT)

    def _exchange(self, call: Call, deadline: Deadline) -> bytes | Call:
        """The body of the answer, or the call that a redirect asks for."""
        endpoint, content = call.endpoint, b""
        headers: dict[str | bytes, str | bytes] = {**_HEADERS, **call.headers}
        if call.body is not None:
            content = msgspec.json.encode(call.body)
            headers["Content-Type"] = "application/json"
        network = GuardedNetwork(
            endpoint.host,
            public=self._settings.egress,
            encrypted=endpoint.scheme == "https",
            deadline=deadline,
        )
        url = httpcore.URL(
            scheme=endpoint.scheme, host=endpoint.host, port=endpoint.port, target=_target(call)
        )
        timeouts = {
            "connect": self._settings.connect_timeout_s,
            "read": self._settings.timeout_s,
            "write": self._settings.timeout_s,
        }
        tls = self._tls if endpoint.scheme == "https" else None
        method = "GET" if call.body is None else "POST"
        with (
            httpcore.ConnectionPool(ssl_context=tls, network_backend=network, max_connections=1) as pool,
            pool.stream(
                method, url, headers=headers, content=content or None, extensions={"timeout": timeouts}
            ) as response,
        ):
            if response.status in REDIRECTS:
                return _redirected(call, response)
            check_status(response)
            check_content(response)
            return as_utf8(response, self._body(response))

    def _body(self, response: httpcore.Response) -> bytes:
        """All bytes of the answer; too many are not read to their end. Raises ExternalError."""
        most = self._settings.max_bytes
        too_large = ExternalError(
            f"its answer is larger than {most:,} bytes",
            hint="ask it for fewer results, or raise connectors.max_bytes",
        )
        length = header(response, b"content-length")
        if length.isdecimal() and int(length) > most:
            raise too_large
        body = bytearray()
        for chunk in response.iter_stream():
            body += chunk
            if len(body) > most:
                raise too_large
        return bytes(body)

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        bundle = self._settings.ca_bundle
        try:
            return ssl.create_default_context(cafile=str(Path(bundle).expanduser()) if bundle else None)
        except (OSError, ssl.SSLError) as error:
            raise ConfigError(
                f"connectors.ca_bundle: {bundle} cannot be read as certificates", hint="it must be a PEM file"
            ) from error


def _target(call: Call) -> bytes:
    target = call.endpoint.target
    if call.params:
        target += ("&" if "?" in target else "?") + urlencode(dict(call.params))
    return target.encode("ascii")


def _unreachable(call: Call, error: Exception) -> ExternalError:
    server = f"{call.endpoint.host}:{call.endpoint.port}"
    causes = [error, error.__cause__, error.__context__]
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return ExternalError(
            f"the certificate of {server} is not trusted",
            hint="name the PEM file of your authority in connectors.ca_bundle",
        )
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return ExternalError(f"{server} does not speak TLS as expected", hint="check https:// and the port")
    return ExternalError(
        f"{server} cannot be reached, or broke off", hint="check that it runs and its name", retryable=True
    )


def _redirected(call: Call, response: httpcore.Response) -> Call:
    """The call again at the address that the same server names. Raises ExternalError for any other server."""
    old = call.endpoint
    base = f"{old.scheme}://{f'[{old.host}]' if ':' in old.host else old.host}:{old.port}{old.target}"
    try:
        new = endpoint_of(urljoin(base, header(response, b"location")))
    except ValueError as error:
        raise ExternalError("it redirects to what is no address", hint=JSON_HINT) from error
    if not new.same_server(old):
        shown = f" ({new.scheme}://{new.host}:{new.port})" if _HOST.fullmatch(new.host) else ""
        raise ExternalError(
            f"it redirects to another server{shown}, which is not followed",
            hint="set connectors.sources.url to the final address, and allow its host",
        )
    if call.body is not None and response.status not in (307, 308):
        raise ExternalError(
            "it answers a search with a redirect to a page",
            hint="set connectors.sources.url to the final address",
        )
    # The location of a search has its parameters in it already, where the server kept them.
    return msgspec.structs.replace(call, endpoint=new, params={} if "?" in new.target else call.params)
