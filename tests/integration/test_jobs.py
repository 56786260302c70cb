"""The ingest queue at both doors: ``assay jobs`` and ``/api/jobs``, and folders that are kept."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from litestar.testing import TestClient
from test_cli_commands import HashEmbedder, assay, model

from appliance.app import create_app
from appliance.config import load_config
from appliance.store.job_control import queue_of
from appliance.wiring import Appliance

__all__ = ["assay", "model"]
BASE = "http://127.0.0.1:8321"
Assay = Callable[..., tuple[int, str, str]]


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient[Any]]:
    monkeypatch.setattr(Appliance, "_open_embedder", lambda self, name: HashEmbedder())
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "first.md").write_text("# Kept\n\nThe first page of the folder.\n")
    flags = {
        "paths.data": str(tmp_path / "data"),
        "reranking.model": "",
        "reranking.model_zh": "",
        "ingest.settle_s": 0.2,
        "ingest.watch": [{"folder": str(kept), "collection": "kept", "sync": True}],
    }
    with (
        Appliance(load_config(environ={}, flags=flags)) as appliance,
        TestClient(create_app(appliance), base_url=BASE) as client,
    ):
        yield client


def until(true: Callable[[], object], seconds: float = 90) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "not in time"
        time.sleep(0.05)


def upload(client: TestClient[Any], name: str, text: str, **form: str) -> int:
    answer = client.post("/api/documents", files=[("files", (name, text.encode()))], data=form)
    assert answer.status_code == 202, answer.text
    return answer.json()["job_ids"][0]


def state(client: TestClient[Any], job: int) -> str:
    return client.get(f"/api/jobs/{job}").json()["job"]["state"]


# ---------------------------------------------------------------- HTTP
def test_jobs_are_paged_paused_cancelled_and_tried_again(client: TestClient[Any]):
    until(lambda: client.get("/api/jobs?state=done").json()["total"] == 1, 120)  # the folder's own file
    assert client.post("/api/jobs/pause").json()["paused"] is True
    urgent = upload(client, "urgent.md", "# Harbour\n\nThe pier opened in 1903.\n", priority="high")
    unwanted = upload(client, "unwanted.md", "Nobody wants this.")
    empty = upload(client, "empty.txt", "")
    page = client.get("/api/jobs?state=queued&limit=2").json()
    assert (page["total"], [row["id"] for row in page["items"]]) == (3, [empty, unwanted])
    assert client.get(f"/api/jobs/{urgent}").json()["job"]["priority"] == 1
    assert client.post(f"/api/jobs/{unwanted}/cancel").json()["state"] == "cancelled"
    time.sleep(1.2)
    assert client.get("/api/jobs/status").json()["states"]["queued"] == 2
    assert client.post("/api/jobs/resume").json()["paused"] is False
    until(lambda: (state(client, urgent), state(client, empty)) == ("done", "refused"))
    detail = client.get(f"/api/jobs/{urgent}").json()
    assert (detail["report"]["title"], detail["report"]["sections"]) == ("Harbour", 1)
    assert set(detail["report"]["seconds"]) == {"parse", "store", "embed", "index"}
    assert client.post(f"/api/jobs/{unwanted}/retry").status_code == 202
    until(lambda: state(client, unwanted) == "done")
    bad = client.post(f"/api/jobs/{unwanted}/cancel")
    assert (bad.status_code, bad.json()["error"]) == (400, f"job {unwanted} is done")
    assert client.get("/api/jobs/999").status_code == 404
    assert (
        client.post("/api/documents", data={"priority": "now"}, files=[("files", ("a", b""))]).status_code
        == 400
    )


def test_a_job_is_followed_to_its_end(client: TestClient[Any]):
    job = upload(client, "pier.md", "# Pier\n\nIt opened in 1903.\n")
    blocks = client.get(f"/api/jobs/{job}/events").text.replace("\r\n", "\n").strip().split("\n\n")
    last = dict(line.split(": ", 1) for line in blocks[-1].splitlines())
    assert last["event"] == "end"
    assert json.loads(last["data"])["job"]["state"] == "done"


def test_the_server_keeps_a_folder(client: TestClient[Any], tmp_path: Path):
    def records() -> list[str]:
        answer = client.get("/api/documents?collection=kept")
        return [row["record_id"] for row in answer.json().get("items", [])]

    until(lambda: records() == ["first.md"])
    (tmp_path / "kept" / "second.md").write_text("# Second\n\nIt came later.\n")
    until(lambda: records() == ["first.md", "second.md"])
    (tmp_path / "kept" / "first.md").unlink()
    until(lambda: records() == ["second.md"])


# ---------------------------------------------------------------- command line
def test_the_dead_letters_and_a_second_try(assay: Assay, tmp_path: Path):
    code, out, err = assay("jobs", "status")
    assert (code, out, err.count("\n")) == (2, "", 1)
    (tmp_path / "broken.pdf").write_text("only words")
    (tmp_path / "good.md").write_text("# Good\n\nWords.\n")
    assert assay("ingest", tmp_path / "broken.pdf", tmp_path / "good.md", "--priority", "low")[0] == 3
    (dead,) = json.loads(assay("jobs", "list", "--failed", "--json")[1])
    assert (dead["state"], "is not a PDF" in dead["error"]) == ("refused", True)
    assert "is not a PDF" in assay("jobs", "list", "--failed")[1]
    shown = json.loads(assay("jobs", "show", 2, "--json")[1])
    assert (shown["job"]["state"], shown["report"]["title"], shown["job"]["priority"]) == ("done", "Good", -1)
    assert "1 sections" in assay("jobs", "show", 2)[1]
    assert assay("jobs", "retry", dead["id"])[0] == 0
    assert json.loads(assay("jobs", "status", "--json")[1])["states"] == {"done": 1, "queued": 1}
    assert assay("jobs", "cancel", "--all")[0] == 0
    assert assay("jobs", "retry")[0] == 2
    assert assay("jobs", "list", "--state", "gone")[0] == 2
    assert assay("jobs", "cancel", 2)[2].startswith("error: job 2 is done — what is stored leaves with")


def test_a_folder_is_synced_and_a_wrecked_one_is_not(assay: Assay, tmp_path: Path):
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    for name in ("a", "b", "c"):
        (inbox / f"{name}.md").write_text(f"# {name}\n\nText of {name}.\n")
    assert assay("ingest", inbox, "--sync")[0] == 0
    (inbox / "a.md").unlink()
    (inbox / "b.md").rename(inbox / "bb.md")
    report = json.loads(assay("ingest", inbox, "--sync", "--json")[1])
    assert (report["deleted"], report["renamed"]) == (["a.md"], [["b.md", "bb.md"]])
    assert report["embedded_tokens"] == 0
    (inbox / "c.md").unlink()
    (inbox / "bb.md").unlink()
    code, _, err = assay("ingest", inbox, "--sync")
    assert (code, "is empty, but 2 files were taken from it" in err) == (2, True)
    assert len(json.loads(assay("documents", "list", "--json")[1])) == 2
    assert assay("ingest", inbox, "--sync", "--force")[0] == 0
    assert json.loads(assay("documents", "list", "--json")[1]) == []
    assert assay("ingest", inbox, tmp_path, "--sync")[0] == 2


WATCH = """
import sys
sys.path.insert(0, sys.argv[1])
from test_cli_commands import HashEmbedder
from appliance.cli.application import run
from appliance.wiring import Appliance
Appliance._open_embedder = lambda self, name: HashEmbedder()
sys.exit(run(["--data", sys.argv[2], "ingest", sys.argv[3], "--watch", "--json"]))
"""


def test_a_watch_takes_what_comes_and_ends_with_a_signal(tmp_path: Path):
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    (inbox / "a.md").write_text("# A\n\nText.\n")
    os.utime(inbox / "a.md", (1, 1))
    environment = {**os.environ, "ASSAY__INGEST__SETTLE_S": "0.3", "ASSAY__RERANKING__MODEL": ""}
    command = [sys.executable, "-c", WATCH, str(Path(__file__).parent), str(tmp_path / "data"), str(inbox)]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stderr is not None
        assert child.stdout is not None
        said: list[str] = []
        reader = threading.Thread(target=lambda: said.extend(child.stderr or []))
        reader.start()
        until(lambda: any(line.startswith("watching ") for line in said), 60)
        (inbox / "b.md").write_text("# B\n\nMore.\n")

        def taken() -> int:
            with queue_of(tmp_path / "data") as control:
                return control.status().documents

        until(lambda: taken() == 2, 60)
        child.send_signal(signal.SIGTERM)
        assert child.wait(30) == 0
        reader.join()
