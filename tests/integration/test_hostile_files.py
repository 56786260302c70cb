"""Very many broken and hostile files among good ones: all are accounted for, and the good ones are in.

``ASSAY_HOSTILE=2000`` makes so many of them; without it a small share.
"""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest
from hostile_files import damaged, seeds, traps

from appliance.cli.application import run
from appliance.serving.scripted import HashEmbedder
from appliance.store.job_control import queue_of
from appliance.wiring import Appliance

WANTED = int(os.environ.get("ASSAY_HOSTILE", "160"))
TIMEOUT_S = 60
MEMORY = 1 << 30
ENDED = {"done", "skipped", "refused", "failed", "stored"}


@pytest.mark.slow
def test_every_file_is_accounted_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    inbox = tmp_path / "inbox"
    good = _write_good(inbox / "good")
    bad = _write_bad(inbox / "bad")
    (inbox / "loop").symlink_to(inbox)
    (inbox / "round.txt").symlink_to(inbox / "round.txt")
    os.mkfifo(inbox / "pipe.txt")
    monkeypatch.setenv("ASSAY__PATHS__DATA", str(tmp_path / "data"))
    monkeypatch.setenv("ASSAY__INGEST__PARSE_TIMEOUT_S", str(TIMEOUT_S))
    monkeypatch.setenv("ASSAY__INGEST__PARSE_MEMORY_BYTES", str(MEMORY))
    monkeypatch.setenv("ASSAY__INGEST__OCR_SECONDS_PER_PAGE", "10")
    monkeypatch.setenv("ASSAY__INGEST__MAX_ARCHIVE_MEMBERS", "100")
    monkeypatch.setattr(Appliance, "_open_embedder", lambda self, name: HashEmbedder(name=name))

    code = run(["ingest", str(inbox), "--json"])
    report = json.loads(capfd.readouterr().out)
    assert code == 3, report["refused"][:3]
    assert all(reason.strip() for _, reason in report["refused"])

    assert run(["jobs", "list", "--limit", "100000", "--json"]) == 0
    jobs = json.loads(capfd.readouterr().out)
    by_source = {job["source"]: job for job in jobs}
    missing = [name for name in (*good, *bad) if str(name) not in by_source]
    assert not missing
    assert {job["state"] for job in jobs} <= ENDED
    assert not [job for job in jobs if job["state"] in ("refused", "failed") and not job["error"]]
    internal = [job["error"] for job in jobs if "internal error" in job["error"]]
    assert not internal, internal[:5]
    # A record whose file was damaged elsewhere may be in already: the same id, the same content.
    assert all(by_source[str(name)]["state"] in ("done", "skipped") for name in good)
    assert by_source[str(inbox / "pipe.txt")]["state"] == "refused"
    assert not list(Path("/tmp").glob("assay-was-here*"))

    with queue_of(tmp_path / "data") as queue:
        slowest = max(queue.show(job["id"]).report.seconds.get("parse", 0.0) for job in jobs)
    assert slowest <= TIMEOUT_S + 10
    states = {state: sum(job["state"] == state for job in jobs) for state in sorted(ENDED)}
    print(f"{len(bad)} bad and {len(good)} good files: {states}, slowest {slowest:.1f} s")


def _write_good(folder: Path) -> list[Path]:
    folder.mkdir(parents=True)
    names: list[Path] = []
    for suffix, data in seeds().items():
        names.append(folder / f"good{suffix}")
        names[-1].write_bytes(data)
    return names


def _write_bad(folder: Path) -> list[Path]:
    folder.mkdir(parents=True)
    names: list[Path] = []
    for name, data in traps():
        names.append(folder / name)
        names[-1].write_bytes(data)
    sound = seeds()
    for number in range(max(0, WANTED - len(names))):
        suffix = list(sound)[number % len(sound)]
        chance = random.Random(f"{suffix} {number}")
        names.append(folder / f"damaged-{number:04d}{suffix}")
        names[-1].write_bytes(damaged(sound[suffix], chance))
    return names
