"""The HTTP door over a real appliance: real encoder, Milvus, BM25, SQLite; a scripted language model."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
from httpx import Response
from litestar.testing import TestClient

from appliance.answers.find import FindingReply
from appliance.app import create_app
from appliance.config import load_config
from appliance.domain import (
    Claim,
    ClaimKind,
    Completion,
    Finding,
    Principal,
    Prompt,
    RunId,
    RunStatus,
    Usage,
)
from appliance.errors import CancelledError
from appliance.wiring import Appliance

pytestmark = pytest.mark.models
Opened = Callable[..., Appliance]
BASE = "http://127.0.0.1:8321"
BRIDGES = """# Harbour report

## Bridges > roads // rails

The Velm bridge carries 4,200 vehicles a day. It was painted green.

## Ferries

The ferry Osprey leaves Tarn quay at 07:15 every morning.
"""
QUESTION = "How many vehicles does the Velm bridge carry a day?"

INSTALLED = "qwen2.5-coder-0.5b-instruct"
"""The model that the test installation brings: readiness looks for its file; replies are scripted."""


class Scripted:
    """Answers from the line that names vehicles; waits while ``gate`` is closed."""

    name, digest = "scripted", "0" * 64

    def __init__(self) -> None:
        self.gate, self.entered = threading.Event(), threading.Event()
        self.gate.set()

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def complete(
        self,
        prompt: Prompt,
        *,
        max_tokens: int,
        schema: type[object] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Completion:
        assert schema is FindingReply, "a simple question needs the reader only"
        self.entered.set()
        while not self.gate.wait(0.02):
            if cancelled and cancelled():
                raise CancelledError("stopped")
        assert any(row.startswith("- ") and "vehicles" in row for row in prompt.user.splitlines())
        reply = FindingReply(
            found=True,
            answer="4,200",
            statement="The Velm bridge carries 4,200 vehicles a day.",
        )
        return Completion(text=msgspec.json.encode(reply).decode(), usage=Usage(calls=1, prompt_tokens=50))


@pytest.fixture(scope="module")
def opened(models_dir: Path) -> Opened:
    if not (models_dir / "multilingual-e5-small").is_dir():
        pytest.skip(f"no model weights in {models_dir}")

    def open_one(data: Path, **flags: object) -> Appliance:
        own = {"paths.data": str(data), "paths.models": str(models_dir), "llm.queue": 2, **flags}
        return Appliance(load_config(environ={}, flags={**own, "llm.model": INSTALLED}))

    return open_one


@pytest.fixture(scope="module")
def model() -> Scripted:
    return Scripted()


@pytest.fixture(scope="module")
def client(
    tmp_path_factory: pytest.TempPathFactory, opened: Opened, model: Scripted
) -> Iterator[TestClient[Any]]:
    with opened(tmp_path_factory.mktemp("data"), **{"server.max_upload_bytes": 300_000}) as appliance:
        appliance.__dict__["model"] = model
        with TestClient(create_app(appliance), base_url=BASE) as client:
            upload(client, "harbour.md", BRIDGES)
            yield client


def upload(client: TestClient[Any], name: str, text: str, collection: str = "default") -> list[int]:
    answer = client.post(
        "/api/documents", files=[("files", (name, text.encode()))], data={"collection": collection}
    )
    assert answer.status_code == 202, answer.text
    jobs = answer.json()["job_ids"]
    until(lambda: all(job(client, each)["state"] not in ("queued", "stored") for each in jobs))
    return jobs


def job(client: TestClient[Any], number: int) -> dict[str, Any]:
    return next(row for row in client.get("/api/ingest/jobs").json()["items"] if row["id"] == number)


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not true():
        assert time.monotonic() < deadline, "not in 120 s"
        time.sleep(0.02)


def ask(client: TestClient[Any], question: str = QUESTION) -> str:
    answer = client.post("/api/questions", json={"question": question, "fresh": True})
    assert answer.status_code == 202, answer.text
    assert answer.json()["status"] == "running"
    return answer.json()["run_id"]


def ended(client: TestClient[Any], run_id: str) -> dict[str, Any]:
    until(lambda: client.get(f"/api/questions/{run_id}").json()["status"] != "running")
    return client.get(f"/api/questions/{run_id}").json()


def messages(answer: Response) -> list[dict[str, str]]:
    rows = [block.splitlines() for block in answer.text.replace("\r\n", "\n").strip().split("\n\n")]
    return [dict(line.split(": ", 1) for line in block) for block in rows]


def refused(answer: Response, status: int, kind: str, word: str) -> None:
    assert answer.status_code == status, answer.text
    assert set(answer.json()) == {"error", "hint", "kind"}
    assert answer.json()["kind"] == kind
    assert word in answer.json()["error"]
    assert "Traceback" not in answer.text


# ---------------------------------------------------------------- documents
def test_an_uploaded_file_becomes_a_document_with_versions(client: TestClient[Any]):
    [number] = upload(client, "../secret/notes.md", "# Notes\n\nFirst draft of the notes.", "papers")
    done = job(client, number)
    assert (done["state"], done["record_id"], done["documents"]) == ("done", "notes.md", 1)
    upload(client, "notes.md", "# Notes\n\nSecond draft, all of it new.", "papers")
    page = client.get("/api/documents", params={"collection": "papers", "limit": 1}).json()
    assert page["total"] == 1
    [document] = page["items"]
    assert (document["title"], document["version"]) == ("Notes", 2)
    assert client.get(f"/api/documents/{document['id']}").json() == document
    versions = client.get(f"/api/documents/{document['id']}/versions").json()
    assert [each["version"] for each in versions] == [1, 2]
    assert client.get("/api/documents", params={"collection": "papers", "offset": 1}).json()["items"] == []


def test_a_deleted_document_is_neither_listed_nor_found(client: TestClient[Any]):
    upload(client, "gone.md", "# Gone\n\nThe zeppelin was sold.", "gone")
    [document] = client.get("/api/documents", params={"collection": "gone"}).json()["items"]
    assert client.delete(f"/api/documents/{document['id']}").status_code == 204
    refused(client.get(f"/api/documents/{document['id']}"), 404, "not_found", document["id"])
    refused(client.delete(f"/api/documents/{document['id']}"), 404, "not_found", document["id"])
    found = client.post("/api/search", json={"question": "zeppelin", "collection": "gone"})
    assert found.json()["results"] == []


def test_metadata_diff_report_and_erasure(client: TestClient[Any]) -> None:
    metadata = json.dumps({"owner": "Harbour", "registers": {"board": "B-7"}, "review_by": "2020-01-31"})
    for text in ("# Fees\n\nA berth costs 12 pounds.\n", "# Fees\n\nA berth costs 14 pounds.\n"):
        answer = client.post(
            "/api/documents",
            files=[("files", ("fees.md", text.encode()))],
            data={"collection": "fees", "metadata": metadata},
        )
        (number,) = answer.json()["job_ids"]
        until(lambda number=number: job(client, number)["state"] == "done")
    due = {"collection": "fees", "due": "2020-02-01"}
    [document] = client.get("/api/documents", params=due).json()["items"]
    assert (document["version"], document["metadata"]["registers"]) == (2, {"board": "B-7"})
    place = f"/api/documents/{document['id']}"

    [change] = client.get(f"{place}/diff", params={"from": 1, "to": 2}).json()
    assert change["lines"] == ["- A berth costs 12 pounds.", "+ A berth costs 14 pounds."]
    assert change["old_fingerprints"] != change["new_fingerprints"]
    refused(client.get(f"{place}/diff", params={"from": 9}), 404, "not_found", "has no version 9")

    changed = client.patch(place, json={"review_by": None, "authority": "official"}).json()
    assert (changed["metadata"]["review_by"], changed["metadata"]["authority"]) == (None, "official")
    report = client.get(f"{place}/report").json()
    assert (report["report"]["title_from"], report["freshness"]["review_overdue"]) == ("heading", False)
    refused(client.patch(place, json={"ownr": "x"}), 400, "invalid_request", "ownr")

    client.patch(place, json={"deny": ["user:local"]})
    refused(client.get(place), 404, "not_found", document["id"])
    found = client.post("/api/search", json={"question": "What does a berth cost?", "collection": "fees"})
    assert found.json()["results"] == []
    old = client.get(f"/api/passages/{quote(change['old_fingerprints'][0], safe='')}")
    refused(old, 404, "not_found", "")


def test_erasing_over_http(client: TestClient[Any]) -> None:
    upload(client, "gone.md", "# Gone\n\nNothing of this stays.\n", "erased")
    [document] = client.get("/api/documents", params={"collection": "erased"}).json()["items"]
    report = client.post(f"/api/documents/{document['id']}/erase").json()
    assert {"where": "database", "what": "versions", "count": 1} in report["removed"]
    refused(client.get(f"/api/documents/{document['id']}"), 404, "not_found", document["id"])


def test_a_file_that_cannot_be_read_is_a_refused_job_and_the_other_is_done(client: TestClient[Any]):
    files = [("files", ("bad.pdf", b"not a pdf")), ("files", ("good.md", b"# Good\n\nFine text here."))]
    answer = client.post("/api/documents", files=files, params={"collection": "mixed"})
    first, second = answer.json()["job_ids"]
    until(lambda: job(client, second)["state"] == "done")
    assert job(client, first)["state"] in ("refused", "done")
    empty = client.post(
        "/api/documents", files=[("files", ("empty.md", b""))], params={"collection": "mixed"}
    )
    [third] = empty.json()["job_ids"]
    until(lambda: job(client, third)["state"] == "refused")
    assert job(client, third)["error"]


def test_uploads_that_are_refused_at_once(client: TestClient[Any]):
    big = client.post("/api/documents", files=[("files", ("big.txt", b"x" * 400_000))])
    refused(big, 413, "request_entity_too_large", "")
    twice = [("files", ("a.md", b"one")), ("files", ("x/a.md", b"two"))]
    refused(client.post("/api/documents", files=twice), 400, "user", "two files are called 'a.md'")
    refused(client.post("/api/documents", json={"path": "/etc/passwd"}), 400, "invalid_request", "")
    refused(client.post("/api/documents", files={"collection": (None, "c")}), 400, "invalid_request", "files")
    named = client.post("/api/documents", files=[("files", ("a.md", b"one"))], params={"collection": " "})
    refused(named, 400, "invalid_request", "collection")


# ---------------------------------------------------------------- search and passages
def test_search_gives_the_rows_of_the_command_line(client: TestClient[Any]):
    body = client.post("/api/search", json={"question": QUESTION, "k": 2}).json()
    assert set(body) == {"results", "degraded", "notices", "timings_ms"}
    first = body["results"][0]
    assert set(first) == {
        *("rank", "document_id", "record_id", "fingerprint", "title", "section", "text", "scores")
    }
    assert set(first["scores"]) == {"dense", "lexical", "fused", "rerank"}
    assert (first["rank"], first["record_id"], first["title"]) == (1, "harbour.md", "Harbour report")
    assert "4,200 vehicles" in first["text"]
    assert first["scores"]["rerank"] > 0.5


def test_a_lexical_search_has_no_dense_score(client: TestClient[Any]):
    body = client.post("/api/search", json={"question": "Osprey", "strategy": "lexical"}).json()
    [only] = body["results"]
    assert "Osprey" in only["text"]
    assert only["scores"]["dense"] is None


def test_a_passage_is_found_by_its_fingerprint_and_by_its_hash(client: TestClient[Any]):
    row = client.post("/api/search", json={"question": QUESTION}).json()["results"][0]
    mark = row["fingerprint"]
    assert "roads // rails" in mark
    for written in (quote(mark, safe=""), quote(mark, safe="/"), mark.rsplit("#", 1)[1][:12]):
        found = client.get(f"/api/passages/{written}")
        assert found.status_code == 200, found.text
        assert found.json()["fingerprint"] == mark
    shown = found.json()
    assert (shown["text"], shown["version"], shown["current"]) == (row["text"], 1, True)
    assert shown["document"]["id"] == row["document_id"]
    assert shown["page_first"] is None
    refused(client.get("/api/passages/d-0%23none%230"), 404, "not_found", "d-0#none#0")


def test_a_passage_of_an_older_version_stays_citable(client: TestClient[Any]):
    upload(client, "old.md", "# Old\n\nThe pier is closed until May.", "old")
    search = {"question": "When is the pier open?", "collection": "old"}
    mark = client.post("/api/search", json=search).json()["results"][0]["fingerprint"]
    upload(client, "old.md", "# Old\n\nThe pier is open again since June.", "old")
    found = client.get(f"/api/passages/{quote(mark, safe='')}").json()
    assert (found["text"], found["current"]) == ("The pier is closed until May.", False)
    assert found["document"]["version"] == 2
    assert mark not in [
        row["fingerprint"] for row in client.post("/api/search", json=search).json()["results"]
    ]


# ---------------------------------------------------------------- questions
def test_a_question_is_answered_with_citations_and_followed_event_by_event(client: TestClient[Any]):
    run_id = ask(client)
    told = messages(client.get(f"/api/questions/{run_id}/events"))
    assert [each["event"] for each in told] == [
        *("run.started", "plan.made", "task.started", "passages.found", "finding.made"),
        *("task.assessed", "answer.draft", "answer.judged", "answer.done", "end"),
    ]
    assert [each.get("id") for each in told] == [*(str(number) for number in range(1, 10)), None]
    assert json.loads(told[0]["data"])["data"]["question"] == QUESTION
    assert json.loads(told[-1]["data"]) == {"run_id": run_id, "status": "answered"}
    view = ended(client, run_id)
    assert view["answer"] == "The Velm bridge carries 4,200 vehicles a day."
    [claim] = view["claims"]
    assert (claim["kind"], claim["support"]) == ("fact", "supported")
    cited = client.get(f"/api/passages/{quote(claim['citations'][0], safe='')}").json()
    assert "4,200 vehicles" in cited["text"]
    [step] = view["steps"]
    assert (step["question"], step["found"], step["answer"]) == (QUESTION, True, "4,200")
    assert view["usage"]["prompt_tokens"] == 50
    assert view["timings"]["seconds"] > 0
    assert client.get("/api/questions", params={"limit": 1}).json()["items"][0]["run_id"] == run_id


def test_a_follower_that_comes_back_gets_the_rest(client: TestClient[Any]):
    run_id = ask(client)
    ended(client, run_id)
    rest = client.get(f"/api/questions/{run_id}/events", headers={"Last-Event-ID": "4"})
    assert [each.get("id") for each in messages(rest)] == ["5", "6", "7", "8", "9", None]
    bad = client.get(f"/api/questions/{run_id}/events", headers={"Last-Event-ID": "four"})
    refused(bad, 400, "invalid_request", "")


def test_cancel_resume_and_a_full_queue(client: TestClient[Any], model: Scripted):
    model.gate.clear()
    model.entered.clear()
    try:
        running = ask(client)
        assert model.entered.wait(10)
        waiting, last = ask(client), ask(client)
        busy = client.post("/api/questions", json={"question": QUESTION, "fresh": True})
        refused(busy, 503, "busy", "2 questions are waiting")
        assert int(busy.headers["Retry-After"]) > 0
        refused(client.post(f"/api/questions/{running}/resume"), 400, "user", "is running")
        assert client.post(f"/api/questions/{waiting}/cancel").json()["status"] == "cancelled"
        assert client.post(f"/api/questions/{last}/cancel").status_code == 202
        assert client.post(f"/api/questions/{running}/cancel").status_code == 202
        assert ended(client, running)["status"] == "cancelled"
    finally:
        model.gate.set()
    refused(client.post(f"/api/questions/{running}/cancel"), 400, "user", "has ended")
    for run_id in (running, waiting):
        assert client.post(f"/api/questions/{run_id}/resume").status_code == 202
        assert "4,200" in ended(client, run_id)["answer"]
    refused(client.post(f"/api/questions/{running}/resume"), 400, "user", "is answered")


def test_a_restarted_server_goes_on_with_runs_and_files(tmp_path: Path, opened: Opened, model: Scripted):
    with opened(tmp_path) as appliance:
        source = tmp_path / "harbour.md"
        source.write_text(BRIDGES)
        appliance.ingestor.enqueue([source], "default")
        run = appliance.researcher.start(QUESTION, principal=Principal(), collection="default")
    with opened(tmp_path) as appliance:
        appliance.__dict__["model"] = model
        app = create_app(appliance)
        appliance.ingestor.resume()
        with TestClient(app, base_url=BASE) as client:
            assert ended(client, run.id)["status"] == "answered"
            assert client.get("/api/documents").json()["total"] == 1


def test_a_server_that_stops_leaves_its_question_to_the_next(tmp_path: Path, opened: Opened):
    model = Scripted()
    model.gate.clear()
    with opened(tmp_path) as appliance:
        appliance.__dict__["model"] = model
        with TestClient(create_app(appliance), base_url=BASE) as client:
            upload(client, "harbour.md", BRIDGES)
            run_id = ask(client)
            assert model.entered.wait(10)
        assert appliance.runs.unfinished() == [run_id]
        model.gate.set()
        with TestClient(create_app(appliance), base_url=BASE) as client:
            assert ended(client, run_id)["status"] == RunStatus.ANSWERED


# ---------------------------------------------------------------- bad input, health, schema
@pytest.mark.parametrize(
    ("path", "body", "status", "kind", "word"),
    [
        ("/api/search", {"question": " "}, 400, "user", "empty"),
        ("/api/search", {"question": "x" * 50_000}, 400, "user", "50,000"),
        ("/api/search", {"question": "x", "collection": "nope"}, 404, "not_found", "nope"),
        ("/api/search", {"question": "x", "k": 0}, 400, "invalid_request", "k"),
        ("/api/search", {"question": "x", "strategy": "best"}, 400, "invalid_request", "strategy"),
        ("/api/search", {"question": 5}, 400, "invalid_request", "question"),
        ("/api/search", {"question": "x", "top": 3}, 400, "invalid_request", "top"),
        ("/api/search", {}, 400, "invalid_request", "question"),
        ("/api/questions", {"question": ""}, 400, "user", "empty"),
        ("/api/questions", {"question": "x" * 50_000}, 400, "user", "50,000"),
        ("/api/questions", {"question": "x", "collection": "nope"}, 404, "not_found", "nope"),
        ("/api/questions", {"question": "x", "max_steps": 0}, 400, "invalid_request", "max_steps"),
        ("/api/questions/r-none/cancel", {}, 404, "not_found", "r-none"),
        ("/api/questions/r-none/resume", {}, 404, "not_found", "r-none"),
        ("/api/nothing", {}, 404, "not_found", ""),
        ("/api/documents/d-1", {}, 405, "method_not_allowed", ""),
    ],
)
def test_bad_posts(
    client: TestClient[Any], path: str, body: dict[str, object], status: int, kind: str, word: str
):
    refused(client.post(path, json=body), status, kind, word)


@pytest.mark.parametrize(
    ("path", "status", "kind"),
    [
        ("/api/documents?limit=0", 400, "invalid_request"),
        ("/api/documents?limit=many", 400, "invalid_request"),
        ("/api/documents?collection=nope", 404, "not_found"),
        ("/api/ingest/jobs?offset=-1", 400, "invalid_request"),
        ("/api/documents/d-none", 404, "not_found"),
        ("/api/documents/d-none/versions", 404, "not_found"),
        ("/api/questions/r-none", 404, "not_found"),
        ("/api/questions/r-none/events", 404, "not_found"),
    ],
)
def test_bad_gets(client: TestClient[Any], path: str, status: int, kind: str):
    refused(client.get(path), status, kind, "")


def test_broken_json_is_a_bad_request(client: TestClient[Any]):
    headers = {"content-type": "application/json"}
    refused(client.post("/api/search", content=b"{", headers=headers), 400, "invalid_request", "")


def test_other_hosts_and_other_pages_are_refused(client: TestClient[Any]):
    for headers in ({"host": "evil.example:8321"}, {"host": "127.0.0.1"}, {"origin": "http://evil.example"}):
        refused(client.get("/api/documents", headers=headers), 403, "permission_denied", "")
    assert client.get("/api/documents", headers={"origin": "http://localhost:8321"}).status_code == 200


def test_health_tells_what_is_there(client: TestClient[Any]):
    assert client.get("/healthz").json() == {"status": "ok"}
    until(lambda: client.get("/readyz").status_code == 200)
    ready = client.get("/readyz").json()
    assert {check["name"] for check in ready["checks"]} == {
        *("database", "indexes", "ingest", "questions", "language model", "embedder", "cross-encoder"),
        "cross-encoder, Chinese",
    }
    assert client.get("/api/health").json()["collections"]["default"] == 1


def test_the_schema_names_every_operation_and_loads_nothing(client: TestClient[Any]):
    answer = client.get("/schema")
    schema = answer.json()
    operations = {each["operationId"] for path in schema["paths"].values() for each in path.values()}
    assert operations == {
        *("uploadDocuments", "listDocuments", "getDocument", "listVersions", "deleteDocument"),
        *("getParseReport", "diffVersions", "setMetadata", "eraseDocument"),
        *("listIngestJobs", "search", "getPassage", "ask", "listQuestions", "getQuestion"),
        *("listReviews", "getReview", "decideReview"),
        *("followQuestion", "cancelQuestion", "resumeQuestion", "healthz", "readyz", "health"),
        *(
            "guideQuestion",
            "pauseQuestion",
            "forkQuestion",
            "getQuestionStory",
            "compareQuestions",
            "getBudget",
        ),
        *("listJobs", "getJob", "followJob", "cancelJob", "retryJob", "pauseJob", "resumeJob"),
        *("queueStatus", "followQueue", "pauseQueue", "resumeQueue", "knowledge", "cacheHealth"),
    }
    for page in ("/schema/redoc", "/schema/swagger", "/schema/elements", "/schema/rapidoc"):
        assert client.get(page).status_code == 404


def test_hit_rates_are_shown_and_a_search_again_is_a_hit(client: TestClient[Any]) -> None:
    def searches() -> dict[str, Any]:
        kinds = client.get("/api/health/cache").json()["kinds"]
        return next(one for one in kinds if one["kind"] == "search")

    before = searches()
    found = [client.post("/api/search", json={"question": "ferry Osprey"}).json() for _ in range(2)]
    assert found[0]["results"] == found[1]["results"] != []
    assert "cache" in found[1]["timings_ms"]
    assert searches()["asked"] - before["asked"] == 2
    assert searches()["memory"] - before["memory"] == 1


def test_what_is_known_of_an_entity_is_shown_in_pages(client: TestClient[Any]) -> None:
    appliance = client.app.state.desk.appliance
    hit = appliance.search("Velm bridge", collection="default").hits[0]
    claim = Claim(
        text="The Velm bridge carries 4,200 vehicles a day.",
        kind=ClaimKind.FACT,
        citations=(hit.passage.fingerprint,),
    )
    session = appliance.knowledge.session(appliance.scope(collection="default"))
    for question, answer in ((QUESTION, "4,200"), ("What colour is the Velm bridge?", "green")):
        finding = Finding(task_id=1, question=question, found=True, answer=answer, claims=(claim,))
        assert session.learn(finding, run_id=RunId("r-1"))
    assert session.recall(QUESTION, task_id=2).answer == "4,200"
    names = client.get("/api/knowledge").json()
    assert [(row["name"], row["edges"]) for row in names["entities"]] == [("Velm", 2)]
    first = client.get("/api/knowledge", params={"entity": "velm", "limit": 1}).json()
    assert ([edge["object"] for edge in first["edges"]], first["more"]) == (["green"], True)
    assert first["edges"][0]["sources"] == [hit.passage.fingerprint]
    rest = client.get("/api/knowledge", params={"entity": "velm", "limit": 1, "offset": 1}).json()
    assert ([edge["object"] for edge in rest["edges"]], rest["more"]) == (["4,200"], False)
    assert client.get("/api/knowledge", params={"collection": "none"}).status_code == 404
    assert client.get("/api/knowledge", params={"limit": 0}).status_code == 400
