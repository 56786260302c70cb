"""A writer that promises more than its source: withheld, listed, decided, and then seen by the asker."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from litestar.testing import TestClient
from scripted_engine import HashEmbedder, ScriptedReader, scripted_appliance

from appliance.answers.verifier import Verifier
from appliance.app import create_app
from appliance.cli.application import run as command_line
from appliance.domain import Passage, Prompt, RunId, RunStatus, Verdict
from appliance.wiring import Appliance

BASE = "http://127.0.0.1:8321"
LIBRARY = {
    "bridge.md": "# Harbour report\n\n## Bridges\n\nThe Velm bridge carries 4,200 vehicles a day.\n",
    "fund.md": "# 基金报告\n\n## 业绩\n\n赤杨基金2023年收益率为5.2%，过往业绩不保证未来收益。\n",
}
ASKED_EN = "How many vehicles does the Velm bridge carry a day?"
ASKED_ZH = "赤杨基金2023年收益率是多少？"
PROMISE_EN = "The Velm bridge carries 4,200 vehicles a day and is absolutely safe, guaranteed."
PROMISE_ZH = "赤杨基金2023年收益率为5.2%，绝对安全。"
PLAIN_EN = "The Velm bridge carries 4,200 vehicles a day."
PLAIN_ZH = "赤杨基金2023年收益率为5.2%。"


class Writer(ScriptedReader):
    """Answers from the line that has the figure, in the words it is told to use."""

    def __init__(self) -> None:
        super().__init__()
        self.promises = True

    def reply(self, prompt: Prompt) -> dict[str, Any]:
        lines, _, question = prompt.user.rpartition("Q: ")
        chinese = "赤杨" in question
        figure = "5.2%" if chinese else "4,200"
        said = (PROMISE_ZH if chinese else PROMISE_EN) if self.promises else PLAIN_ZH if chinese else PLAIN_EN
        if figure not in lines:
            return {"found": False, "answer": "", "statement": ""}
        return {"found": True, "answer": figure, "statement": said}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    for name, text in LIBRARY.items():
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.fixture
def writer() -> Writer:
    return Writer()


@pytest.fixture(autouse=True)
def blind(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check of claims before it lets everything through: what is judged here is the answer."""

    def verdict(_: Verifier, claim: str, passages: Sequence[Passage], **__: str) -> Verdict:
        assert claim
        return Verdict(supported=True, confidence=1.0, fingerprint=passages[0].fingerprint)

    monkeypatch.setattr(Verifier, "verdict", verdict)


@pytest.fixture
def appliance(tmp_path: Path, library: Path, writer: Writer) -> Iterator[Appliance]:
    with scripted_appliance(tmp_path, library, writer) as opened:
        yield opened


@pytest.fixture
def client(appliance: Appliance) -> Iterator[TestClient[Any]]:
    with TestClient(create_app(appliance), base_url=BASE) as opened:
        yield opened


def ask(client: TestClient[Any], question: str, *, fresh: bool = False) -> dict[str, Any]:
    """The run as it ended."""
    answer = client.post("/api/questions", json={"question": question, "fresh": fresh})
    assert answer.status_code == 202, answer.text
    run, deadline = answer.json()["run_id"], time.monotonic() + 60
    while (told := client.get(f"/api/questions/{run}").json())["status"] == "running":
        assert time.monotonic() < deadline, "not in 60 s"
        time.sleep(0.02)
    return told


@pytest.mark.parametrize(
    ("asked", "promise", "words", "notice"),
    [
        (ASKED_EN, PROMISE_EN, "absolutely safe", "a person is looking at it"),
        (ASKED_ZH, PROMISE_ZH, "绝对安全", "人工审核"),
    ],
)
def test_a_guarantee_is_withheld_reviewed_and_then_shown(
    client: TestClient[Any], asked: str, promise: str, words: str, notice: str
):
    told = ask(client, asked)
    assert told["status"] == "withheld"
    assert notice in told["answer"]
    assert (told["claims"], told["short"]) == ([], "")
    assert told["credibility"]["score"] < 0.7 <= told["credibility"]["facts"]
    assert told["review"]["status"] == "open"
    [passage] = [each for each in told["evidence"] if "#" in each][:1]
    assert client.get(f"/api/passages/{passage.replace('#', '%23')}").status_code == 200
    place = f"/api/questions/{told['run_id']}"
    for url in (place, f"{place}/events", f"{place}/story", f"{place}/compare/{told['run_id']}"):
        shown = client.get(url)
        assert shown.status_code == 200
        assert words not in shown.text, url

    [row] = client.get("/api/reviews").json()["items"]
    assert (row["run_id"], row["question"], row["status"]) == (told["run_id"], asked, "open")
    review = client.get(f"/api/reviews/{told['run_id']}").json()
    assert (review["answer"], review["would_be"]) == (promise, "answered")
    assert review["claims"][0]["text"] == promise
    assert review["claims"][0]["citations"]
    assert review["findings"][0]["claims"][0]["text"] == promise
    kinds = [event["kind"] for event in review["events"]]
    assert kinds.index("answer.judged") < kinds.index("answer.done")
    judged = next(event["data"] for event in review["events"] if event["kind"] == "answer.judged")
    assert (judged["shown"], judged["score"]) == (False, told["credibility"]["score"])
    assert any(words in doubt["why"] for doubt in review["credibility"]["doubts"])

    decided = client.post(
        f"/api/reviews/{told['run_id']}/decision", json={"decision": "approve", "note": "checked"}
    )
    assert decided.status_code == 200, decided.text
    after = client.get(place).json()
    assert (after["status"], after["answer"]) == ("answered", promise)
    assert after["claims"][0]["citations"]
    assert (after["review"]["status"], after["review"]["by"]) == ("approved", "local")
    assert after["review"]["note"] == "checked"
    assert "event: review.decided" in client.get(f"{place}/events").text
    assert client.get("/api/reviews", params={"status": "open"}).json()["total"] == 0


def test_corrections_and_rejections_over_http(client: TestClient[Any]):
    first, second = ask(client, ASKED_EN)["run_id"], ask(client, ASKED_ZH)["run_id"]
    url = "/api/reviews/{}/decision"
    no_words = client.post(url.format(first), json={"decision": "correct", "note": "n"})
    assert (no_words.status_code, no_words.json()["kind"]) == (400, "user")
    assert client.post(url.format(second), json={"decision": "reject"}).status_code == 400
    assert client.post(url.format(second), json={"decision": "maybe"}).status_code == 400
    assert client.post(url.format("r-0"), json={"decision": "approve"}).status_code == 404
    data = {"decision": "correct", "answer": "4,200 vehicles a day in 2023."}
    assert client.post(url.format(first), json=data).json()["review"]["status"] == "corrected"
    reject = {"decision": "reject", "note": "无来源支持"}
    assert client.post(url.format(second), json=reject).json()["review"]["status"] == "rejected"
    again = client.post(url.format(first), json={"decision": "approve"})
    assert (again.status_code, "decided already" in again.json()["error"]) == (400, True)

    shown, kept = (client.get(f"/api/questions/{run}").json() for run in (first, second))
    assert (shown["status"], shown["answer"]) == ("answered", data["answer"])
    assert (shown["review"]["status"], shown["evidence"] != []) == ("corrected", True)
    assert (kept["status"], kept["review"]["note"]) == ("withheld", "无来源支持")
    assert "无来源支持" in kept["answer"]
    assert "absolutely" not in client.get(f"/api/questions/{first}/story").text


def test_the_list_is_paged_and_filtered(client: TestClient[Any]):
    runs = {ask(client, question, fresh=True)["run_id"] for question in (ASKED_EN, ASKED_ZH, ASKED_EN)}
    pages = [client.get("/api/reviews", params={"limit": 2, "offset": at}).json() for at in (0, 2)]
    assert [page["total"] for page in pages] == [3, 3]
    assert [len(page["items"]) for page in pages] == [2, 1]
    assert {row["run_id"] for page in pages for row in page["items"]} == runs
    assert client.get("/api/reviews", params={"collection": "elsewhere"}).json()["total"] == 0
    assert client.get("/api/reviews", params={"status": "approved"}).json()["items"] == []
    assert client.get("/api/reviews", params={"status": "odd"}).status_code == 400


def test_a_withheld_answer_is_never_kept_and_a_decision_makes_kept_ones_void(
    appliance: Appliance, client: TestClient[Any], writer: Writer
):
    first = ask(client, ASKED_EN)
    second = ask(client, ASKED_EN)
    assert (second["status"], second["cached"]) == ("withheld", None)
    writer.promises = False
    good = ask(client, ASKED_EN, fresh=True)
    assert (good["status"], good["answer"]) == ("answered", PLAIN_EN)
    assert ask(client, ASKED_EN)["cached"]["run_id"] == good["run_id"]
    appliance.reviewing.reject(appliance.principal, RunId(first["run_id"]), "no source")
    fresh = ask(client, ASKED_EN)
    assert (fresh["status"], fresh["cached"]) == ("answered", None)
    assert appliance.runs.get(RunId(first["run_id"])).status is RunStatus.WITHHELD
    again = appliance.researcher.work(appliance.runs.get(RunId(first["run_id"])))
    assert again.answer
    assert "no source" in again.answer.answer, "working on it again does not undo the decision"


def test_what_the_knowledge_graph_learned_from_a_withheld_answer_is_forgotten(
    appliance: Appliance, client: TestClient[Any]
):
    ask(client, ASKED_EN)
    edges = appliance.database.one("SELECT count(*) FROM edges")
    assert edges
    assert edges[0] == 0


def test_erasing_a_source_takes_its_words_out_of_the_queue(appliance: Appliance, client: TestClient[Any]):
    told = ask(client, ASKED_EN)
    [document] = [d for d in client.get("/api/documents").json()["items"] if "bridge" in d["record_id"]]
    assert client.post(f"/api/documents/{document['id']}/erase").status_code == 200
    assert client.get("/api/reviews").json()["total"] == 0
    assert client.get(f"/api/reviews/{told['run_id']}").status_code == 404
    shown = client.get(f"/api/questions/{told['run_id']}").json()
    assert (shown["status"], shown["review"]["status"]) == ("withheld", "rejected")
    assert "was erased on" in shown["answer"]
    for table in ("runs", "events", "reviews", "checkpoints", "checkpoint_writes", "edges"):
        rows = appliance.database.query(f"SELECT * FROM {table}")
        assert "4,200" not in str([tuple(row) for row in rows]), table


def test_without_judging_everything_is_shown(tmp_path: Path, library: Path, writer: Writer):
    with (
        scripted_appliance(tmp_path, library, writer, {"governance.judge": False}) as opened,
        TestClient(create_app(opened), base_url=BASE) as client,
    ):
        told = ask(client, ASKED_EN)
        assert (told["status"], told["answer"], told["credibility"]) == ("answered", PROMISE_EN, None)


def test_what_is_missing_says_where_it_was_looked_for(client: TestClient[Any]):
    english = ask(client, "Who designed the Velm bridge?")
    assert english["status"] == "insufficient"
    [said] = english["missing"]
    assert said.startswith("Who designed the Velm bridge? — ")
    assert "Looked in the collection 'default'" in said
    assert "Harbour report" in said
    assert "Needed: a document that states the person's name" in said
    chinese = ask(client, "赤杨基金的经理是谁？")
    assert chinese["status"] == "insufficient"
    [told] = chinese["missing"]
    assert "已查看资料库“default”中" in told
    assert "个段落" in told
    assert "需要：" in told
    assert chinese["credibility"] is None


# ---------------------------------------------------------------- the command line
@pytest.fixture
def assay(
    tmp_path: Path, library: Path, writer: Writer, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> Callable[..., tuple[int, str, str]]:
    monkeypatch.setenv("ASSAY__RERANKING__MODEL", "")
    monkeypatch.setenv("ASSAY__RERANKING__MODEL_ZH", "")
    monkeypatch.setattr(Appliance, "_open_embedder", lambda self, name: HashEmbedder())
    monkeypatch.setattr(Appliance, "model", writer)

    def command(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = command_line(["--data", str(tmp_path / "own"), *map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    assert command("ingest", library)[0] == 0
    return command


def test_the_commands_list_show_and_decide(assay: Callable[..., tuple[int, str, str]]):
    code, out, _ = assay("ask", ASKED_EN)
    assert (code, "absolutely" in out) == (0, False)
    assert "withheld: This answer is not shown yet" in out
    assert "found: Harbour report" in out
    code, out, _ = assay("reviews", "list", "--json")
    listed = json.loads(out)
    run = listed["reviews"][0]["run_id"]
    assert (code, listed["total"], listed["reviews"][0]["status"]) == (0, 1, "open")
    code, out, _ = assay("reviews", "show", run)
    assert (code, PROMISE_EN in out) == (0, True)
    assert "stance: absolute: “absolutely safe”" in out
    code, out, _ = assay("reviews", "approve", run, "--note", "seen", "--json")
    assert (code, json.loads(out)["review"]["decided_by"]) == (0, "local")
    code, out, _ = assay("runs", "show", run)
    assert (code, f"answered: {PROMISE_EN}" in out) == (0, True)
    assert "approved by local" in out
    assert assay("reviews", "list")[1] == ""

    second = json.loads(assay("ask", ASKED_ZH, "--json")[1])
    assert second["status"] == "withheld"
    code, out, _ = assay("reviews", "correct", second["run_id"], "收益率为5.2%。", "--json")
    assert (code, json.loads(out)["review"]["status"]) == (0, "corrected")
    shown = json.loads(assay("runs", "show", second["run_id"], "--json")[1])
    assert (shown["status"], shown["answer"]) == ("answered", "收益率为5.2%。")
    assert "绝对安全" not in json.dumps(shown, ensure_ascii=False)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["reviews", "show", "r-0"], "no review of run 'r-0'"),
        (["reviews", "approve", "r-0"], "no review of run 'r-0'"),
        (["reviews", "list", "--status", "odd"], "there is no review status 'odd'"),
        (["--as-user", "anna", "reviews", "list"], "anna may not review answers"),
        (["--as-user", "anna", "reviews", "reject", "r-0", "x"], "anna may not review answers"),
    ],
)
def test_wrong_use_is_one_line(assay: Callable[..., tuple[int, str, str]], arguments: list[str], said: str):
    code, out, err = assay(*arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
