# pyright: basic
"""What pymilvus needs to be quiet and private; its errors in ours; our collection's schema and filter."""

from __future__ import annotations

import logging
import os
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import Any

import msgspec

from appliance.domain import Scope
from appliance.errors import AssayError, BackendError, DamagedError, StorageFullError

_DAMAGE = ("malformed", "failed to parse", "not a database", "segcore error")
_FULL = ("disk is full", "no space left")
TIMEOUT_S = 60.0


@cache
def pymilvus() -> ModuleType:
    """The package, imported at first use (1–2 s: it brings pandas); reads no ``.env``, logs nothing."""
    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    before = os.environ.get("PYTHON_DOTENV_DISABLED")
    os.environ["PYTHON_DOTENV_DISABLED"] = "1"
    try:
        import pymilvus as package
    finally:
        if before is None:
            del os.environ["PYTHON_DOTENV_DISABLED"]
        else:
            os.environ["PYTHON_DOTENV_DISABLED"] = before
    for name in ("pymilvus", "pymilvus.milvus_client", "pymilvus.bulk_writer"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.setLevel(logging.CRITICAL + 1)
    return package


@contextmanager
def milvus_errors(where: str) -> Generator[None]:
    """Vendor and gRPC errors become BackendError, DamagedError or StorageFullError."""
    import grpc

    try:
        yield
    except AssayError:
        raise
    except (pymilvus().MilvusException, grpc.RpcError) as error:
        line = " ".join(str(getattr(error, "message", "") or error).split())[:300]
        if any(sign in line.lower() for sign in _FULL):
            raise StorageFullError(f"{where}: the disk is full", hint="free some space") from error
        if any(sign in line.lower() for sign in _DAMAGE):
            raise DamagedError(f"{where} is damaged: {line}", hint="run `assay rebuild`") from error
        raise BackendError(f"{where}: {line}", hint="is Milvus running? `assay doctor` tells") from error


def create_collection(client: Any, name: str, dim: int, *, graph: bool) -> None:
    """By inner product, the cosine of normalised vectors; FLAT (exact), or HNSW (Malkov and Yashunin 2018).

    Reads see every write; searches wait only for this process's own (a server's clock ticks every 200 ms).
    """
    kind = pymilvus().DataType
    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("id", kind.INT64, is_primary=True)
    schema.add_field("vector", kind.FLOAT_VECTOR, dim=dim)
    schema.add_field("document_id", kind.VARCHAR, max_length=128)
    schema.add_field("groups", kind.ARRAY, element_type=kind.VARCHAR, max_capacity=1024, max_length=512)
    for field in ("language", "published", "kind"):
        schema.add_field(field, kind.VARCHAR, max_length=64)
    schema.add_field("vec_crc", kind.INT64)
    index = client.prepare_index_params()
    kept = (
        {"index_type": "HNSW", "params": {"M": 16, "efConstruction": 200}}
        if graph
        else {"index_type": "FLAT"}
    )
    index.add_index("vector", metric_type="IP", **kept)
    client.create_collection(name, schema=schema, index_params=index, consistency_level="Strong")


def expression(scope: Scope) -> str:
    """The scope without its denies as a Milvus filter; values enter only as JSON strings.

    Milvus-lite knows no ``not``: ``MilvusIndex`` takes the denied out of what is found.
    """
    parts = [f"array_contains_any(groups, {_quoted(scope.groups)})"]
    if scope.documents:
        parts.append(f"document_id in {_quoted(scope.documents)}")
    return " and ".join(parts)


def _quoted(values: tuple[str, ...]) -> str:
    return msgspec.json.encode(values).decode()
