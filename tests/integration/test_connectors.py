"""External search through the doors: nothing by default, TLS verified, CLI and HTTP marked and explained."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from litestar.testing import TestClient
from search_server import SearchServer

from appliance.app import create_app
from appliance.cli.application import run
from appliance.config import REPOSITORY, load_config
from appliance.config_connectors import Connectors, ExternalSourceSettings
from appliance.connectors import open_source
from appliance.domain import ExternalRetrieval
from appliance.errors import ConfigError, ExternalError
from appliance.wiring import Appliance

ANSWER = {
    "results": [
        {
            "title": "Bridge <b>news</b>",
            "content": "It opened.",
            "url": "https://n.example/1",
            "publishedDate": "2024-05-06",
        },
        {"title": "大桥", "content": "通车了", "url": "https://n.example/2"},
    ]
}
NOWHERE = """
import socket
import sys
import time

WATCHED = {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"}
calls = []


def note(name, given):
    # Milvus-lite is reached by a socket file, which is no network.
    if name in WATCHED and getattr(given[0], "family", None) != socket.AF_UNIX:
        calls.append((name, *map(str, given)))

sys.addaudithook(note)
from pathlib import Path
from appliance.app import create_app
from appliance.config import load_config
from appliance.wiring import Appliance

with Appliance(load_config()) as appliance:
    if sys.argv[1] == "whole":
        from litestar.testing import TestClient
        with TestClient(create_app(appliance), base_url="http://127.0.0.1:8321") as client:
            files = [("files", ("a.md", b"# Mast\\n\\nThe mast is 30 m high."))]
            assert client.post("/api/documents", files=files).status_code == 202
            while client.get("/api/jobs").json()["items"][0]["state"] not in ("done", "failed"):
                time.sleep(0.02)
            asked = {"question": "How high is the mast?", "external": True}
            answer = client.post("/api/search", json=asked).json()
            assert len(answer["results"]) == 1, answer
            assert answer["external"] == []
            print(answer["degraded"])
    else:
        assert appliance.external is None
        print(list(appliance.search_external("mast").degraded))
ours = [name for name in sys.modules if name.startswith(("appliance.connectors", "appliance.external"))]
print([calls, ours])
"""


@pytest.fixture
def server() -> Iterator[SearchServer]:
    with SearchServer() as running:
        running.answer = ANSWER
        yield running


def configured(path: Path, server: SearchServer, **more: str) -> list[str]:
    """The beginning of a command line whose configuration has a good and a bad source."""
    lines = ["[connectors]", 'allowed_hosts = ["127.0.0.1"]', "timeout_s = 1.0"]
    for name, manner in (("news", "good"), ("broken", "html"), ("far", "far")):
        url = "https://search.example/" if name == "far" else server.url(manner)
        lines += ["[[connectors.sources]]", f'name = "{name}"', 'kind = "searxng"', f'url = "{url}"']
        lines += [f'key_env = "{more[name]}"'] if name in more else []
    (path / "own.toml").write_text("\n".join(lines))
    return ["--config", str(path / "own.toml"), "--data", str(path / "data")]


# ---------------------------------------------------------------- off by default
def default_installation(tmp_path: Path, extent: str, models: Path) -> list[str]:
    environ = {key: value for key, value in os.environ.items() if not key.startswith("ASSAY__")}
    own = {"ASSAY__PATHS__DATA": str(tmp_path / "data"), "ASSAY__PATHS__MODELS": str(models)}
    done = subprocess.run(
        [sys.executable, "-c", NOWHERE, extent],
        env={**environ, **own},
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_by_default_nothing_is_imported_or_connected_to(tmp_path: Path, models_dir: Path) -> None:
    told, seen = default_installation(tmp_path, "parts", models_dir)
    assert told == "['external: no source is configured (connectors.sources)']"
    assert seen == "[[], []]"


@pytest.mark.models
def test_by_default_the_whole_of_a_search_connects_to_nothing(
    tmp_path: Path, models_dir: Path, weights: Any
) -> None:
    weights("multilingual-e5-small", "model.onnx")
    told, seen = default_installation(tmp_path, "whole", models_dir)
    assert "external: no source is configured (connectors.sources)" in told
    assert seen == "[[], []]"


# ---------------------------------------------------------------- TLS
@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Key and certificate of 127.0.0.1 in one PEM file, signed by itself."""
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("tls")
    subprocess.run(
        [
            program,
            *"req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test".split(),
            *"-addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out cert.pem".split(),
        ],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    both = folder / "both.pem"
    both.write_text((folder / "key.pem").read_text() + (folder / "cert.pem").read_text())
    return both


def secure(url: str, bundle: str = "", host: str = "127.0.0.1") -> ExternalRetrieval:
    source = ExternalSourceSettings(name="one", kind="searxng", url=url)
    settings = Connectors(allowed_hosts=(host,), ca_bundle=bundle, sources=(source,))
    return open_source(source, settings).search("bridge", 5)


def test_a_certificate_is_trusted_by_its_bundle_only(certificate: Path) -> None:
    with SearchServer(str(certificate)) as server:
        server.answer = ANSWER
        with pytest.raises(ExternalError, match=r"is not trusted.*ca_bundle"):
            secure(server.url("good"))
        with pytest.raises(ExternalError, match="is not trusted"):
            secure(server.url("good", host="localhost"), str(certificate), host="localhost")
        assert server.asked == []
        assert len(secure(server.url("good"), str(certificate)).hits) == 2


def test_a_bundle_that_cannot_be_read_is_told(certificate: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("no certificate")
    with SearchServer(str(certificate)) as server:
        for bundle in (tmp_path / "missing.pem", tmp_path / "empty.pem"):
            with pytest.raises(ConfigError, match="ca_bundle"):
                secure(server.url("good"), str(bundle))


def test_https_to_a_plain_server_is_told(server: SearchServer) -> None:
    with pytest.raises(ExternalError, match="does not speak TLS"):
        secure(server.url("good").replace("http:", "https:"))


# ---------------------------------------------------------------- command line
def test_list_says_which_may_be_asked(
    tmp_path: Path, server: SearchServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BROKEN_KEY", raising=False)
    given = configured(tmp_path, server, broken="BROKEN_KEY")
    assert run([*given, "connectors", "list", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert (rows["news"]["state"], rows["news"]["host"]) == ("ready", "127.0.0.1")
    assert rows["broken"]["state"] == "the environment variable BROKEN_KEY is not set"
    assert "search.example is not allowed" in rows["far"]["state"]
    assert server.asked == []
    assert not (tmp_path / "data").exists(), "listing needs no data folder"


def test_list_without_a_source_says_where_to_write_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["--data", str(tmp_path), "connectors", "list"]) == 0
    assert "no source is configured" in capsys.readouterr().out


def test_test_asks_one_source(
    tmp_path: Path, server: SearchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    given = configured(tmp_path, server)
    assert run([*given, "connectors", "test", "news", "bridge", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(hit["title"], hit["authority"]) for hit in found["hits"]] == [
        ("Bridge news", "external"),
        ("大桥", "external"),
    ]
    assert run([*given, "connectors", "test", "news", "bridge"]) == 0
    assert "external 1. Bridge news" in capsys.readouterr().out
    assert run([*given, "connectors", "test", "broken", "bridge"]) == 1
    assert "web page instead of JSON" in capsys.readouterr().err
    assert run([*given, "connectors", "test", "far", "bridge"]) == 2
    assert "search.example is not allowed" in capsys.readouterr().err
    assert run([*given, "connectors", "test", "nobody", "bridge"]) == 2
    assert "news, broken, far" in capsys.readouterr().err


# ---------------------------------------------------------------- search, with real encoder and indexes
@pytest.fixture
def flags(tmp_path: Path, models_dir: Path, weights: Any, server: SearchServer) -> dict[str, object]:
    weights("multilingual-e5-small", "model.onnx")
    sources = [
        {"name": "news", "kind": "searxng", "url": server.url("good")},
        {"name": "broken", "kind": "searxng", "url": server.url("status-500")},
    ]
    return {
        "paths.data": str(tmp_path / "data"),
        "paths.models": str(models_dir),
        "connectors.sources": sources,
        "connectors.allowed_hosts": ["127.0.0.1"],
    }


@pytest.mark.models
def test_search_over_http_and_at_the_command_line(
    tmp_path: Path, flags: dict[str, object], server: SearchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    with (
        Appliance(load_config(environ={}, flags=flags)) as appliance,
        TestClient(create_app(appliance), base_url="http://127.0.0.1:8321") as client,
    ):
        files = [("files", ("a.md", b"# Mast\n\nThe mast is 30 m high."))]
        assert client.post("/api/documents", files=files).status_code == 202
        while client.get("/api/jobs").json()["items"][0]["state"] not in ("done", "failed"):
            time.sleep(0.02)
        inside = client.post("/api/search", json={"question": "How high is the mast?"}).json()
        assert ("external" in inside, server.asked) == (False, [])
        question = {"question": "How high is the mast?", "external": True, "k": 200}
        both = client.post("/api/search", json=question).json()
        schema = client.get("/schema/openapi.json").json()["components"]["schemas"]
    assert [row["record_id"] for row in both["results"]] == ["a.md"]
    assert [(row["title"], row["source"], row["authority"]) for row in both["external"]] == [
        ("Bridge news", "news", "external"),
        ("大桥", "news", "external"),
    ]
    assert all(row["fetched_at"] for row in both["external"])
    assert [line for line in both["degraded"] if line.startswith("broken: it failed (status 500)")]
    assert "fetched_at" in schema["ExternalHit"]["properties"]

    own = tmp_path / "own.toml"
    url = server.url("good")
    own.write_text(
        f'[paths]\nmodels = "{flags["paths.models"]}"\n[connectors]\nallowed_hosts = ["127.0.0.1"]\n'
        f'[[connectors.sources]]\nname = "news"\nkind = "searxng"\nurl = "{url}"\n'
    )
    given = ["--config", str(own), "--data", str(flags["paths.data"]), "search", "How high is the mast?"]
    assert run([*given, "--external", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"results", "external", "degraded"}
    assert [row["title"] for row in found["external"]] == ["Bridge news", "大桥"]
    asked = len(server.asked)
    assert run([*given, "--json"]) == 0
    assert isinstance(json.loads(capsys.readouterr().out), list)
    assert len(server.asked) == asked


@pytest.mark.models
def test_the_server_does_not_start_with_a_source_that_may_not_be_asked(flags: dict[str, object]) -> None:
    refused = {**flags, "connectors.allowed_hosts": []}
    with (
        Appliance(load_config(environ={}, flags=refused)) as appliance,
        pytest.raises(ConfigError, match=r"127\.0\.0\.1 is not allowed"),
    ):
        create_app(appliance)
