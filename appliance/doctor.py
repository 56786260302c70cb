"""``assay doctor``: every part of this installation, looked at and used.

Arrives: a Config. Leaves: one :class:`Check` after the other, each with what to do where it is not well. A
check that raises fails with what it raised; the others go on.
"""

from __future__ import annotations

import importlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path

import msgspec

from appliance.config import Config

INSTALL = "run ./install.sh again"
PYTHON_MIN = (3, 11)
DISK_FREE_MIN = 2_000_000_000
PACKAGES = (
    "bm25s charset_normalizer defusedxml diskcache filelock jieba langgraph litestar llama_cpp lxml "
    "markdown_it milvus_lite msgspec numpy onnxruntime opencc pdfplumber psutil pymilvus pypdf pypdfium2 "
    "docx rich tokenizers typer uvicorn yaml"
).split()


class State(StrEnum):
    """How a part stands."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One part, looked at."""

    name: str
    state: State = State.OK
    detail: str = ""
    advice: str = ""
    """What to do; empty when it is well."""


def ok(detail: str) -> Check:
    """A part that is well."""
    return Check(name="", detail=detail)


def worse(state: State, detail: str, advice: str) -> Check:
    """A part that is not, and what to do."""
    return Check(name="", state=state, detail=detail, advice=advice)


def examine(config: Config) -> Iterator[Check]:
    """The checks, in the order in which a reader can mend them."""
    from appliance import doctor_models

    checks: list[tuple[str, Callable[[Config], Check]]] = [
        ("python", _python),
        ("packages", _packages),
        ("offline", _offline),
        ("data folder", _data_folder),
        ("sandbox", _sandbox),
        ("domain packs", _domain_packs),
        ("sqlite", _sqlite),
        ("cache", _cache),
        ("bm25", doctor_models.bm25),
        ("milvus", doctor_models.milvus),
        ("models", doctor_models.models),
        ("encoder", doctor_models.encoder),
        ("cross-encoder", doctor_models.cross_encoder),
        ("language model", doctor_models.language_model),
    ]
    for name, look in checks:
        yield msgspec.structs.replace(_guarded(look, config), name=name)


def _guarded(look: Callable[[Config], Check], config: Config) -> Check:
    from appliance.errors import AssayError

    try:
        return look(config)
    except AssayError as error:
        return worse(State.FAIL, error.message, error.hint or INSTALL)
    except Exception as error:  # a doctor reports whatever is broken, and looks at the rest
        first = str(error).splitlines()[0] if str(error) else ""
        return worse(State.FAIL, f"{type(error).__name__}: {first}", INSTALL)


def _python(_: Config) -> Check:
    found = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < PYTHON_MIN:
        return worse(State.FAIL, found, "install Python 3.11 or newer, then run ./install.sh again")
    return ok(f"{found} at {sys.prefix}")


def _packages(_: Config) -> Check:
    broken: list[str] = []
    for package in PACKAGES:
        try:
            importlib.import_module(package)
        except Exception as error:  # a broken binary package raises anything
            broken.append(f"{package} ({error})")
    if broken:
        return worse(State.FAIL, f"not importable: {', '.join(broken)}", INSTALL)
    return ok(f"{len(PACKAGES)} import")


def _offline(config: Config) -> Check:
    wanted = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
    proxies = [name for name in os.environ if name.lower() in ("http_proxy", "https_proxy", "all_proxy")]
    if proxies:
        return worse(
            State.WARN, f"{', '.join(sorted(proxies))} is set", "Assay needs no proxy; unset it to be sure"
        )
    if config.connectors.sources:
        hosts = ", ".join(config.connectors.allowed_hosts)
        return ok(f"no proxy set; `--external` searches ask {hosts or 'no host: none is allowed'}")
    set_ = [name for name in wanted if os.environ.get(name)]
    return ok(", ".join(set_) or "no proxy set; Assay opens no connection but loopback")


def _data_folder(config: Config) -> Check:
    from appliance.store.lock import writable_folder

    folder = writable_folder(config.data_dir())
    free = shutil.disk_usage(folder).free
    detail = f"{folder}, {free / 1e9:.1f} GB free"
    if free < DISK_FREE_MIN:
        return worse(State.WARN, detail, "free some space, or set paths.data to a larger disk")
    return ok(detail)


def _sandbox(_: Config) -> Check:
    from appliance.documents import sandbox_mode

    mode = sandbox_mode()
    if mode != "bubblewrap":
        return worse(
            State.WARN,
            f"{mode}: files are parsed in a limited process, but without bubblewrap",
            "apt-get install bubblewrap (and allow user namespaces) for full isolation",
        )
    return ok(mode)


def _domain_packs(config: Config) -> Check:
    from appliance.understanding.domains import load_packs

    packs = load_packs(config.domains)
    if not packs:
        return worse(State.WARN, "none: no question is read in the words of a field", INSTALL)
    return ok(", ".join(f"{pack.name} {len(pack.terms)} terms" for pack in packs))


def _sqlite(_: Config) -> Check:
    import sqlite3

    with tempfile.TemporaryDirectory() as folder:
        connection = sqlite3.connect(Path(folder) / "check.db")
        try:
            mode = connection.execute("PRAGMA journal_mode=WAL").fetchone()[0]
            connection.execute("CREATE TABLE t AS SELECT value FROM json_each('[1,2]')")
        finally:
            connection.close()
    if mode != "wal":
        return worse(
            State.FAIL, f"journal mode {mode}", "use a local disk: WAL does not work on a network one"
        )
    return ok(f"{sqlite3.sqlite_version}, WAL")


def _cache(config: Config) -> Check:
    """Read beside a running service: SQLite alone is asked, and nothing is written."""
    import sqlite3

    if not config.cache.enabled:
        return ok("switched off: every result is made anew")
    file = config.data_dir() / "assay.db"
    if not file.is_file():
        return ok("on; nothing was asked yet")
    connection = sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)
    try:
        rows = connection.execute("SELECT outcome, sum(times) FROM cache_counts GROUP BY 1").fetchall()
    except sqlite3.OperationalError:
        rows = []  # made by an earlier version: its tables come with the next command that opens it
    finally:
        connection.close()
    times = {str(outcome): int(count) for outcome, count in rows}
    hits = times.get("memory", 0) + times.get("disk", 0) - times.get("refused", 0)
    asked = times.get("memory", 0) + times.get("disk", 0) + times.get("miss", 0)
    if not asked:
        return ok("on; nothing was asked yet")
    return ok(f"{hits / asked:.0%} of {asked:,} look-ups answered ({times.get('memory', 0):,} from memory)")
