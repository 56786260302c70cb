"""Runs steered over HTTP, over a real store and indexes; vectors and replies are scripted."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from httpx import Response
from litestar.testing import TestClient
from scripted_engine import QUESTION, ScriptedReader, scripted_appliance, write_library

from appliance.app import create_app
from appliance.domain import Principal, Prompt
from appliance.wiring import Appliance

BASE = "http://127.0.0.1:8321"
Client = TestClient[Any]


class Gate:
    """Holds the model at one of its questions until it is opened."""

    def __init__(self, model: ScriptedReader, when: str) -> None:
        self.entered, self._open = threading.Event(), threading.Event()
        self._when = when
        model.before = self._wait

    def _wait(self, prompt: Prompt) -> None:
        if self._when in prompt.user.rsplit("Q: ", 1)[-1]:
            self.entered.set()
            assert self._open.wait(60)

    def __enter__(self) -> Gate:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.set()


@pytest.fixture
def model() -> ScriptedReader:
    return ScriptedReader()


@pytest.fixture
def appliance(tmp_path: Path, model: ScriptedReader) -> Iterator[Appliance]:
    library = write_library(tmp_path / "library")
    with scripted_appliance(tmp_path, library, model, {"budgets.user_retrievals_per_day": 60}) as opened:
        yield opened


@pytest.fixture
def client(appliance: Appliance) -> Iterator[Client]:
    with TestClient(create_app(appliance), base_url=BASE) as client:
        yield client


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline, "not in 60 s"
        time.sleep(0.01)


def ask(client: Client) -> str:
    answer = client.post("/api/questions", json={"question": QUESTION})
    assert answer.status_code == 202, answer.text
    return answer.json()["run_id"]


def ended(client: Client, run_id: str) -> dict[str, Any]:
    until(lambda: client.get(f"/api/questions/{run_id}").json()["status"] != "running")
    return client.get(f"/api/questions/{run_id}").json()


def post(client: Client, run_id: str, what: str, body: dict[str, object] | None = None) -> Response:
    return client.post(f"/api/questions/{run_id}/{what}", json=body or {})


def refused(answer: Response, status: int, kind: str, word: str) -> None:
    assert (answer.status_code, answer.json()["kind"]) == (status, kind), answer.text
    assert word in answer.json()["error"]


def kinds(client: Client, run_id: str) -> list[str]:
    text = client.get(f"/api/questions/{run_id}/events").text
    return [line.removeprefix("event: ").strip() for line in text.splitlines() if line.startswith("event: ")]


def test_pause_guide_and_resume_a_run_at_work(client: Client, model: ScriptedReader):
    with Gate(model, "founder of Larkfield") as gate:
        run_id = ask(client)
        assert gate.entered.wait(30)
        assert post(client, run_id, "pause").json() == {"run_id": run_id, "status": "running"}
        said = post(client, run_id, "guidance", {"text": "不要看新闻"})
        assert (said.status_code, said.json()["taken_at"]) == (202, None)
    assert ended(client, run_id)["status"] == "paused"
    told = kinds(client, run_id)
    assert told[-3:] == ["guidance.taken", "run.paused", "end"]
    assert post(client, run_id, "resume").json()["status"] == "running"
    view = ended(client, run_id)
    assert (view["status"], "Brannholm" in view["answer"]) == ("answered", True)
    assert model.asked.count("Who is the founder of Larkfield Instruments?") == 1
    assert len(view["steps"][2]["passages"]) == 3
    story = client.get(f"/api/questions/{run_id}/story").json()
    assert [(row["kind"], row["outcome"]) for row in story["said"]] == [
        *(("pause", "taken"), ("guide", "taken"), ("resume", "taken"))
    ]
    assert story["chain"]["holds"]
    assert story["cost"]["usage"]["calls"] == 3
    refused(post(client, run_id, "pause"), 400, "user", "has ended: answered")
    refused(post(client, run_id, "guidance", {"text": "ignore news"}), 400, "user", "has ended: answered")


def test_a_waiting_run_is_paused_and_cancelled_at_once(client: Client, model: ScriptedReader):
    with Gate(model, "Tidemark") as gate:
        running = ask(client)
        assert gate.entered.wait(30)
        waiting = ask(client)
        assert post(client, waiting, "pause").json()["status"] == "paused"
        assert post(client, waiting, "cancel").json()["status"] == "cancelled"
        refused(post(client, running, "resume"), 400, "user", "is running")
    assert ended(client, running)["status"] == "answered"
    assert post(client, waiting, "resume").status_code == 202
    assert ended(client, waiting)["status"] == "answered"


def test_guidance_that_contradicts_the_question_is_told(
    client: Client, model: ScriptedReader, appliance: Appliance, tmp_path: Path
):
    report = tmp_path / "report.txt"
    report.write_text("In 2022 the founder of Larkfield Instruments is Edda Voss.\n", "utf-8")
    appliance.ingestor.ingest([report], "default")
    with Gate(model, "2022") as gate:
        body = {"question": "Who is the founder of Larkfield Instruments in 2022?"}
        run_id = client.post("/api/questions", json=body).json()["run_id"]
        assert gate.entered.wait(30)
        post(client, run_id, "guidance", {"text": "only 2023"})
    ended(client, run_id)
    story = client.get(f"/api/questions/{run_id}/story").json()
    [taken] = [
        event
        for step in [*story["steps"], {"events": story["after"]}]
        for event in step["events"]
        if event["kind"] == "guidance.taken"
    ]
    assert (
        "the question says 2022, the guidance “only 2023”: the question holds"
        in taken["data"]["conflicts"][0]
    )


def test_what_was_given_up_is_looked_for_once_more_under_new_guidance(
    client: Client, model: ScriptedReader, appliance: Appliance
):
    once = msgspec.structs.replace(appliance.config.reasoning, tries_per_task=1)
    appliance.researcher._settings = once  # a task that is not found is given up at once
    parent = ask(client)
    ended(client, parent)
    plan = {
        "tasks": [
            {"question": "Who is the founder of Larkfield Instruments?"},
            {"question": "Where was {1} born?"},
            {"question": "Where was Edda Voss born?"},
        ]
    }
    with Gate(model, "Edda Voss born") as gate:
        body: dict[str, object] = {"plan": plan, "guidance": "only use the news"}
        fork = post(client, parent, "fork", body).json()["run_id"]
        assert gate.entered.wait(30)
        post(client, fork, "guidance", {"text": "ignore news"})
    view = ended(client, fork)
    assert (view["status"], "Brannholm" in view["answer"]) == ("answered", True)
    text = client.get(f"/api/questions/{fork}/events").text
    found = ['"found":true' in line for line in text.splitlines() if '"kind":"finding.made"' in line]
    assert found[0] is False
    assert found[-2:] == [True, True]
    assert client.get(f"/api/questions/{fork}/story").json()["chain"]["holds"]


def test_fork_compare_and_their_refusals(client: Client, model: ScriptedReader, appliance: Appliance):
    run_id = ask(client)
    ended(client, run_id)
    model.asked.clear()
    fork = post(client, run_id, "fork", {"step": 9}).json()["run_id"]
    assert ended(client, fork)["status"] == "answered"
    assert model.asked == ["Where was Edda Voss born?"]
    found = client.get(f"/api/questions/{run_id}/compare/{fork}").json()
    assert (found["relation"], found["last_common_step"]) == ("b is a fork of a", 9)
    plan = {"tasks": [{"question": "Who is the founder of Larkfield Instruments?"}]}
    planned = ended(client, post(client, run_id, "fork", {"plan": plan}).json()["run_id"])
    assert (planned["status"], "Edda Voss" in planned["answer"]) == ("answered", True)
    rows = client.get("/api/questions", params={"status": "answered"}).json()
    assert (rows["total"], rows["items"][0]["parent"]) == (3, run_id)

    cycle = {"tasks": [{"question": "a {2}?"}, {"question": "b {1}?"}]}
    refused(post(client, run_id, "fork", {"step": 77}), 400, "user", "choose 0 to 14")
    refused(post(client, run_id, "fork", {"plan": cycle}), 400, "user", "wait for each other")
    many = {"tasks": [{"question": f"q{number}?"} for number in range(40)]}
    refused(post(client, run_id, "fork", {"plan": many}), 400, "user", "has 40 tasks")
    refused(post(client, run_id, "fork", {"strategy": "magic"}), 400, "invalid_request", "strategy")
    refused(post(client, run_id, "fork", {"stepp": 1}), 400, "invalid_request", "stepp")
    other = appliance.researcher.start(QUESTION, principal=Principal(user="ann"), collection="default")
    for what, body in (
        ("fork", {}),
        ("guidance", {"text": "x"}),
        ("pause", {}),
        ("cancel", {}),
        ("resume", {}),
    ):
        refused(post(client, other.id, what, body), 404, "not_found", other.id)
    refused(client.get(f"/api/questions/{other.id}/story"), 404, "not_found", other.id)
    refused(client.get(f"/api/questions/{run_id}/compare/{other.id}"), 404, "not_found", other.id)


def test_a_running_run_is_forked_while_it_works(client: Client, model: ScriptedReader):
    with Gate(model, "founder of Larkfield") as gate:
        run_id = ask(client)
        assert gate.entered.wait(30)
        fork = post(client, run_id, "fork").json()["run_id"]
    assert ended(client, run_id)["status"] == "answered"
    assert ended(client, fork)["status"] == "answered"
    text = client.get(f"/api/questions/{fork}/events").text
    [forked] = [json.loads(line[6:]) for line in text.splitlines() if '"run.forked"' in line]
    assert "is running: forked from a finished step of it" in forked["data"]["note"]


def test_over_budget_is_429_and_says_when_it_begins_anew(client: Client, appliance: Appliance):
    run_id = ask(client)
    ended(client, run_id)
    left = client.get("/api/budget").json()
    assert (left["spent"]["retrievals"], left["left"]["retrievals"]) == (4, 56)
    for _ in range(56):
        appliance.events.emit(appliance.runs.list(limit=1)[0].id, "passages.found", {})
    answer = client.post("/api/questions", json={"question": QUESTION})
    refused(answer, 429, "over_budget", "local has spent today's budget of 60 retrievals")
    assert 0 < int(answer.headers["Retry-After"]) <= 86_400
    refused(post(client, run_id, "fork", {"step": 1}), 429, "over_budget", "60 retrievals")
