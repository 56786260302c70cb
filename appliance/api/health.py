"""``/healthz`` (the process answers), ``/readyz`` (questions can be answered), ``/api/health`` (more)."""

from __future__ import annotations

from importlib import metadata

from litestar import Response, get

from appliance.api.desk import Desk
from appliance.api.schemas import Check, Health, Readiness


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
def readyz(desk: Desk) -> Response[Readiness]:
    """200 when everything that a question needs is there, 503 until then, with what is missing."""
    checks = _checks(desk)
    ready = all(check.ok for check in checks)
    return Response(Readiness(ready=ready, checks=checks), status_code=200 if ready else 503)


@get("/api/health", operation_id="health", tags=["health"], sync_to_thread=True)
def health(desk: Desk) -> Health:
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
