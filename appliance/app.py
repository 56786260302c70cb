"""The HTTP front door: the Litestar application over one appliance, and the server that runs it.

Arrives: an open appliance. Leaves: requests answered until SIGINT or SIGTERM; then work stops at its next
step, everything on disk, and goes on at the next start.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from types import FrameType

import uvicorn
from litestar import Litestar
from litestar.concurrency import sync_to_thread
from litestar.di import Provide
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin, YamlRenderPlugin

from appliance.api.desk import Desk
from appliance.api.documents import DocumentsController, ingest_jobs
from appliance.api.errors import exception_handlers
from appliance.api.health import cache_health, health, healthz, readyz, version
from appliance.api.jobs import JobsController
from appliance.api.knowledge import knowledge
from appliance.api.origin import loopback_hosts, only_from
from appliance.api.questions import QuestionsController, budget
from appliance.api.reviews import ReviewsController
from appliance.api.search import passage, search
from appliance.errors import ConfigError
from appliance.wiring import Appliance

GRACE_S = 10
"""How long open requests may take after the signal to stop."""
FORM_OVERHEAD_BYTES = 1 << 16


def create_app(appliance: Appliance, *, port: int | None = None) -> Litestar:
    """The application for ``port`` (the configured one by default); its lifespan runs the threads.

    Raises ConfigError when the encoder that every document needs is missing, or a connector may not be asked.
    """
    # Opened here, by one thread: a failure is one line before the server starts, not a broken start.
    _ = appliance.ingestor, appliance.researcher, appliance.external
    desk = Desk(appliance)

    @asynccontextmanager
    async def lifespan(_: Litestar) -> AsyncGenerator[None]:
        desk.start()
        try:
            yield
        finally:
            await sync_to_thread(desk.stop)

    app = Litestar(
        route_handlers=[
            DocumentsController,
            ingest_jobs,
            JobsController,
            search,
            passage,
            QuestionsController,
            ReviewsController,
            budget,
            healthz,
            readyz,
            health,
            cache_health,
            knowledge,
        ],
        dependencies={"desk": Provide(lambda: desk, use_cache=True, sync_to_thread=False)},
        exception_handlers=exception_handlers(),
        before_request=only_from(loopback_hosts(port or appliance.config.server.port)),
        lifespan=[lifespan],
        request_max_body_size=appliance.config.server.max_upload_bytes + FORM_OVERHEAD_BYTES,
        openapi_config=_openapi(),
        signature_types=[Desk],
        logging_config=None,
    )
    app.state.desk = desk
    return app


def serve(appliance: Appliance, host: str | None = None, port: int | None = None) -> None:
    """Answer requests until SIGINT or SIGTERM.

    Raises ConfigError: the address is not loopback, or its port is taken.
    """
    settings = appliance.config.server
    chosen = host or settings.host
    listening = _listen(chosen, settings.port if port is None else port)
    with listening:
        bound = int(listening.getsockname()[1])
        app = create_app(appliance, port=bound)
        config = uvicorn.Config(
            app,
            log_level="warning",
            lifespan="on",
            server_header=False,
            ws="none",
            timeout_graceful_shutdown=GRACE_S,
        )
        appliance.warn(f"listening on http://{f'[{chosen}]' if ':' in chosen else chosen}:{bound}")
        _Server(config, app.state.desk).run(sockets=[listening])


class _Server(uvicorn.Server):
    """Ends the streams first, so that stopping need not wait for them, and returns instead of dying."""

    def __init__(self, config: uvicorn.Config, desk: Desk) -> None:
        super().__init__(config)
        self._desk = desk

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._desk.closing.set()
        self.force_exit = self.should_exit
        self.should_exit = True


def _listen(host: str, port: int) -> socket.socket:
    if not _is_loopback(host):
        raise ConfigError(
            f"server.host is {host!r}, but there is no sign-in yet: only loopback",
            hint="set it to 127.0.0.1 and reach it through an SSH tunnel",
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise ConfigError(
            f"cannot listen on {host}:{port} ({error.strerror})", hint="set server.port to a free one"
        ) from error


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _openapi() -> OpenAPIConfig:
    # The document only: the pages that Litestar can show it with load their scripts from elsewhere.
    return OpenAPIConfig(
        title="Assay",
        version=version() or "unreleased",
        description="Hard questions over your own documents, every claim checkable.",
        path="/schema",
        use_handler_docstrings=True,
        render_plugins=[
            JsonRenderPlugin(path=["/", "/openapi.json"]),
            YamlRenderPlugin(path=["/openapi.yaml"]),
        ],
    )
