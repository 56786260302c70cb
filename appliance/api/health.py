"""``/healthz`` (the process answers), ``/readyz`` (questions can be answered), ``/api/health`` (more)."""

from __future__ import annotations

from importlib import metadata

from litestar import Response, get

from appliance.api.desk import Desk, TheDesk
from appliance.api.schemas import Schema
from appliance.caching import CacheReport


class Check(Schema, frozen=True, kw_only=True):
    """One thing that must be right before questions can be answered."""

    name: str
    ok: bool
    detail: str = ""


class Readiness(Schema, frozen=True, kw_only=True):
    """Ready when every check is right."""

    ready: bool
    checks: list[Check]


class Health(Schema, frozen=True, kw_only=True):
    """How the service stands, for a person."""

    version: str
    ready: bool
    checks: list[Check]
    collections: dict[str, int]
    """Name → documents."""
    questions_waiting: int
    ingest_open: int
    """Files that are queued, or stored but not yet searchable."""


def version() -> str:
    """The installed version; empty when run from a copy that is not installed."""
    try:
        return metadata.version("assay")
    except metadata.PackageNotFoundError:
        return ""


@get("/healthz", operation_id="healthz", tags=["health"], sync_to_thread=False)
def healthz() -> dict[str, str]:
    """The process is alive."""
    return {"status": "ok"}


@get("/readyz", operation_id="readyz", tags=["health"], sync_to_thread=True)
def readyz(desk: TheDesk) -> Response[Readiness]:
    """200 when everything that a question needs is there, 503 until then, with what is missing."""
    checks = _checks(desk)
    ready = all(check.ok for check in checks)
    return Response(Readiness(ready=ready, checks=checks), status_code=200 if ready else 503)


@get("/api/health", operation_id="health", tags=["health"], sync_to_thread=True)
def health(desk: TheDesk) -> Health:
    """How the service stands."""
    checks, here = _checks(desk), desk.appliance.repositories
    return Health(
        version=version(),
        ready=all(check.ok for check in checks),
        checks=checks,
        collections={each.name: each.documents for each in here.collections.list()},
        questions_waiting=desk.questions.waiting,
        ingest_open=len(here.jobs.open_ids()),
    )


@get("/api/health/cache", operation_id="cacheHealth", tags=["health"], sync_to_thread=True)
def cache_health(desk: TheDesk) -> CacheReport:
    """How full the caches are, and how often they had what was asked for, by kind and tier."""
    return desk.appliance.cache_report()


def _checks(desk: Desk) -> list[Check]:
    checked = desk.ingest.checked.is_set()
    return [
        Check(name="database", ok=desk.appliance.database.one("SELECT 1") is not None),
        Check(name="indexes", ok=checked, detail="" if checked else "being compared with the documents"),
        Check(name="ingest", ok=desk.ingest.alive and not desk.ingest.error, detail=desk.ingest.error),
        Check(name="questions", ok=desk.questions.alive),
        *_models(desk),
    ]


def _models(desk: Desk) -> list[Check]:
    config = desk.appliance.config
    named = {
        "language model": config.llm.model,
        "embedder": config.embedding.model,
        "cross-encoder": config.reranking.model,
        "cross-encoder, Chinese": config.reranking.model_zh,
    }
    found = {role: config.models_dir() / name for role, name in named.items() if name}
    return [
        Check(
            name=role,
            ok=folder.is_dir() and any(folder.iterdir()),
            detail="" if folder.is_dir() else f"{folder} is missing: run ./install.sh",
        )
        for role, folder in found.items()
    ]
