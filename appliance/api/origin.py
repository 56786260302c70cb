"""Who may talk to a door without sign-in: this machine's programs, not the web pages that its browser shows.

A page can send requests to loopback, and with DNS rebinding read the answers. Its ``Host`` or ``Origin``
gives it away.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from litestar import Request
from litestar.exceptions import PermissionDeniedException

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


def only_from(hosts: frozenset[str]) -> Callable[[Request[Any, Any, Any]], Awaitable[None]]:
    """A hook that refuses (403) requests to another ``host:port`` or from another page than these."""
    origins = frozenset(f"http://{host}" for host in hosts)

    async def check(request: Request[Any, Any, Any]) -> None:
        host = request.headers.get("host", "")
        if host not in hosts:
            raise PermissionDeniedException(f"this server is not called {host!r}")
        origin = request.headers.get("origin")
        if origin is not None and origin not in origins:
            raise PermissionDeniedException(f"pages of {origin!r} may not use this server")

    return check


def loopback_hosts(port: int) -> frozenset[str]:
    """``host:port`` as clients on this machine write it."""
    names = {f"{name}:{port}" for name in LOOPBACK_NAMES}
    return frozenset(names | set(LOOPBACK_NAMES) if port == 80 else names)
