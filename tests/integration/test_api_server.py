"""The server as a process: it says where it listens, answers, and stops on SIGTERM despite a follower."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from appliance.config import REPOSITORY

pytestmark = pytest.mark.models
SERVER = """
import sys, threading
from pathlib import Path
from appliance.app import serve
from appliance.config import load_config
from appliance.wiring import Appliance

class Stuck:
    name, digest = "stuck", "0" * 64
    def count_tokens(self, text): return 1
    def complete(self, prompt, *, cancelled, **_):
        from appliance.errors import CancelledError
        while not cancelled(): threading.Event().wait(0.02)
        raise CancelledError("stopped")

data = Path(sys.argv[1])
config = load_config(flags={"paths.data": str(data / "data"), "server.port": 0})
with Appliance(config, warn=lambda line: print(line, flush=True)) as appliance:
    appliance.__dict__["model"] = Stuck()
    appliance.ingestor.ingest([data / "a.md"], "default")
    serve(appliance)
    print("unfinished", len(appliance.runs.unfinished()))
"""

TAKEN = """
from appliance.app import serve
from appliance.config import load_config
from appliance.errors import ConfigError
from appliance.wiring import Appliance

with Appliance(load_config()) as appliance:
    try:
        serve(appliance)
    except ConfigError as error:
        print(error)
"""


def test_it_serves_on_loopback_and_stops_in_order(tmp_path: Path, models_dir: Path):
    (tmp_path / "a.md").write_text("# A\n\nThe mast is 30 m high.")
    environ = {**os.environ, "ASSAY__PATHS__MODELS": str(models_dir)}
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(tmp_path)],
        cwd=REPOSITORY,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        told = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", told)
        assert found, told
        with httpx.Client(base_url=found[0], timeout=60, trust_env=False) as client:
            run_id = client.post("/api/questions", json={"question": "How high is the mast?"}).json()[
                "run_id"
            ]
            with client.stream("GET", f"/api/questions/{run_id}/events") as events:
                assert events.headers["content-type"].startswith("text/event-stream")
                lines = events.iter_lines()
                assert next(lines) == "id: 1"
                assert next(lines) == "event: run.started"
                assert json.loads(next(lines).removeprefix("data: "))["seq"] == 1
                process.send_signal(signal.SIGTERM)
                rest = list(lines)
            assert "event: answer.done" not in rest
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, out, err) == (0, "unfinished 1\n", "")


def test_a_port_that_is_taken_is_one_line(tmp_path: Path, models_dir: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        environ = {
            **os.environ,
            "ASSAY__PATHS__MODELS": str(models_dir),
            "ASSAY__PATHS__DATA": str(tmp_path),
            "ASSAY__SERVER__PORT": str(port),
        }
        done = subprocess.run(
            [sys.executable, "-c", TAKEN], cwd=REPOSITORY, env=environ, capture_output=True, text=True
        )
    assert f"cannot listen on 127.0.0.1:{port}" in done.stdout
    assert done.stderr == ""
