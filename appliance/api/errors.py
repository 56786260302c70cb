"""The one place where errors become HTTP statuses.

Arrives: whatever a route raised. Leaves: ``{error, hint, kind}`` with the status that fits; no traceback.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from typing import Any

from litestar import Request, Response
from litestar.exceptions import HTTPException

from appliance.api.schemas import ErrorBody
from appliance.errors import (
    AssayError,
    BusyError,
    ForbiddenError,
    GoneError,
    NotFoundError,
    OverBudgetError,
    RefusedFileError,
    StorageFullError,
    UserError,
)

AnyRequest = Request[Any, Any, Any]
Handler = Callable[[AnyRequest, Any], Response[ErrorBody]]
logger = logging.getLogger("assay.api")

RETRY_AFTER_S = 5
_STATUSES: tuple[tuple[type[AssayError], int], ...] = (
    (GoneError, 410),
    (NotFoundError, 404),
    (ForbiddenError, 403),
    (OverBudgetError, 429),
    (RefusedFileError, 422),
    (UserError, 400),
    (BusyError, 503),
    (StorageFullError, 507),
)
"""The first that fits; any other of our errors is 500."""
_HTTP_HINTS = {
    404: "/schema lists the routes",
    405: "/schema lists the methods of every route",
    413: "send fewer files at a time, or raise server.max_upload_bytes",
}


def status_of(error: AssayError) -> int:
    """The HTTP status of one of our errors."""
    return next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)


def exception_handlers() -> dict[int | type[Exception], Handler]:
    """What the application is given: ours, Litestar's, and everything else."""
    return {AssayError: _ours, HTTPException: _http, Exception: _unexpected}


def _ours(_: AnyRequest, error: AssayError) -> Response[ErrorBody]:
    status = status_of(error)
    if status == 500:
        logger.error("%s: %s", type(error).__name__, error)
    headers = {"Retry-After": str(wait)} if (wait := _wait_s(error)) else {}
    body = ErrorBody(error=error.message, hint=error.hint, kind=_kind(type(error)))
    return Response(body, status_code=status, headers=headers)


def _wait_s(error: AssayError) -> int:
    """After how many seconds the same request may do; 0: that is not known, or never."""
    if isinstance(error, OverBudgetError):
        return error.retry_after_s
    return RETRY_AFTER_S if isinstance(error, BusyError) else 0


def _http(_: AnyRequest, error: HTTPException) -> Response[ErrorBody]:
    status = error.status_code
    if status >= 500:
        logger.error("%s: %s", type(error).__name__, error.detail)
    hint = _HTTP_HINTS.get(status, "/schema describes what the route takes" if status == 400 else "")
    kind = "invalid_request" if status == 400 else _kind(type(error))
    return Response(
        ErrorBody(error=_detail(error), hint=hint, kind=kind), status_code=status, headers=error.headers
    )


def _unexpected(request: AnyRequest, error: Exception) -> Response[ErrorBody]:
    logger.error("%s %s failed", request.method, request.scope["path"], exc_info=error)
    body = ErrorBody(error="internal error", hint="the server's log has the details", kind="internal")
    return Response(body, status_code=500)


def _detail(error: HTTPException) -> str:
    """One line; of a validation error, each field and what is wrong with it."""
    if not isinstance(error.extra, list):
        return error.detail
    return "; ".join(
        ": ".join(str(each[part]) for part in ("key", "message") if each.get(part)) for each in error.extra
    )


def _kind(error: type[Exception]) -> str:
    """``NotFoundError`` → ``not_found``."""
    name = re.sub(r"(Error|Exception)$", "", error.__name__)
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
