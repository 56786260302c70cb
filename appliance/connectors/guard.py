"""The network as a connector sees it: one host, checked addresses, one deadline.

Arrives: httpcore's wish to connect. Leaves: a socket to an address of the allowed host; the address that was
checked is the one connected to (no second look-up can answer differently), and no read or write lasts beyond
the deadline. Proxies of the environment are not consulted: httpcore knows none.
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
import time
from collections.abc import Iterable

import httpcore

from appliance.errors import ExternalError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
SocketOptions = Iterable[httpcore.SOCKET_OPTION]


class Deadline:
    """A point in time that everything of one search ends by."""

    def __init__(self, seconds: float) -> None:
        """``seconds`` from now."""
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds until then; 0.0 when it has passed."""
        return max(0.0, self._end - time.monotonic())

    def at_most(self, timeout: float | None) -> float:
        """The shorter of ``timeout`` and what is left. Raises httpcore.ReadTimeout when nothing is."""
        left = self.left()
        if left <= 0:
            raise httpcore.ReadTimeout("deadline")
        return left if timeout is None else min(timeout, left)


class GuardedNetwork(httpcore.NetworkBackend):
    """Connects to one host only, at addresses that :func:`check_address` lets pass."""

    def __init__(self, host: str, *, public: bool, encrypted: bool, deadline: Deadline) -> None:
        """``public``: addresses of the internet are allowed, over an ``encrypted`` connection."""
        self._host, self._public, self._encrypted, self._deadline = host, public, encrypted, deadline
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: SocketOptions | None = None,
    ) -> httpcore.NetworkStream:
        """A connection to the first of the host's addresses that answers.

        Raises ExternalError (another host, an address that is not allowed), httpcore.ConnectError.
        """
        if host != self._host:
            raise ExternalError(f"a connection to {host} was refused", hint="it is not the source's host")
        failure: Exception = httpcore.ConnectError("the name has no address")
        for address in self._addresses(port):
            try:
                opened = self._inner.connect_tcp(
                    str(address), port, self._deadline.at_most(timeout), local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
                continue
            return _GuardedStream(opened, self._deadline)
        raise failure

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: SocketOptions | None = None
    ) -> httpcore.NetworkStream:
        """Raises ExternalError: no source is behind a socket file."""
        raise ExternalError("a connection to a socket file was refused")

    def _addresses(self, port: int) -> list[Address]:
        try:
            found = socket.getaddrinfo(self._host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError("the name is not known") from error
        addresses = [ipaddress.ip_address(str(row[4][0]).partition("%")[0]) for row in found]
        for address in addresses:
            check_address(self._host, address, public=self._public, encrypted=self._encrypted)
        return list(dict.fromkeys(addresses))


def check_address(host: str, address: Address, *, public: bool, encrypted: bool) -> None:
    """Nothing, where ``host`` may be at ``address``.

    Raises ExternalError: a name that leads to this machine (unless it is this machine's own), to link-local
    or multicast addresses, to the internet without egress or without TLS.
    """
    mapped = getattr(address, "ipv4_mapped", None)
    address = mapped or address
    if address.is_loopback:
        if host != "localhost" and not _is_loopback_literal(host):
            raise ExternalError(
                f"{host} leads to this machine ({address})", hint="write localhost if that is meant"
            )
        return
    if address.is_link_local or address.is_multicast or address.is_unspecified:
        raise ExternalError(
            f"{host} leads to {address}, which is no server", hint="check the name's DNS entry"
        )
    if not address.is_global:
        return
    if not public:
        raise ExternalError(
            f"{host} is on the internet ({address}), and questions may not leave the intranet",
            hint="set connectors.egress = true if they may",
        )
    if not encrypted:
        raise ExternalError(f"{host} is on the internet and not encrypted", hint="use its https:// address")


def _is_loopback_literal(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class _GuardedStream(httpcore.NetworkStream):
    """A stream whose every step ends with the deadline: a server that sends a byte a second gains nothing."""

    def __init__(self, inner: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._inner, self._deadline = inner, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._deadline.at_most(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._deadline.at_most(timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        inner = self._inner.start_tls(ssl_context, server_hostname, self._deadline.at_most(timeout))
        return _GuardedStream(inner, self._deadline)

    def get_extra_info(self, info: str) -> object:
        return self._inner.get_extra_info(info)
