"""Runs steered from the command line, over a real store and indexes; vectors and replies are scripted."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scripted_engine import QUESTION, HashEmbedder, ScriptedReader, write_library

from appliance.cli.application import run
from appliance.domain import Prompt
from appliance.wiring import Appliance


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> ScriptedReader:
    scripted = ScriptedReader()
    monkeypatch.setenv("ASSAY__RERANKING__MODEL", "")
    monkeypatch.setenv("ASSAY__RERANKING__MODEL_ZH", "")
    monkeypatch.setattr(Appliance, "_open_embedder", lambda self, name: HashEmbedder())
    monkeypatch.setattr(Appliance, "model", scripted)
    return scripted


class Assay:
    """Runs commands on one data folder: exit code, stdout, stderr."""

    def __init__(self, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.data, self._capsys = data, capsys

    def __call__(self, *arguments: object) -> tuple[int, str, str]:
        self._capsys.readouterr()
        code = self.beside(*arguments)
        captured = self._capsys.readouterr()
        return code, captured.out, captured.err

    def beside(self, *arguments: object) -> int:
        """The exit code alone: for a command while another one is at work."""
        return run(["--data", str(self.data), *map(str, arguments)])


@pytest.fixture
def assay(tmp_path: Path, model: ScriptedReader, capsys: pytest.CaptureFixture[str]) -> Assay:
    assay = Assay(tmp_path / "data", capsys)
    assert assay("ingest", write_library(tmp_path / "library"))[0] == 0
    return assay


def shown(assay: Assay, run_id: str) -> dict[str, Any]:
    return json.loads(assay("runs", "show", run_id, "--json")[1])


def asked(assay: Assay) -> str:
    return json.loads(assay("ask", QUESTION, "--json")[1])["run_id"]


def newest(assay: Assay) -> dict[str, Any]:
    return json.loads(assay("runs", "list", "--limit", 1, "--json")[1])[0]


def meanwhile(model: ScriptedReader, when: str, do: Callable[[], object]) -> None:
    """Once, while the model is asked for this: as another process would, with its own database."""

    def before(prompt: Prompt) -> None:
        if when in prompt.user.rsplit("Q: ", 1)[-1]:
            model.before = lambda prompt: None
            other = threading.Thread(target=do)
            other.start()
            other.join()

    model.before = before


def kinds(view: dict[str, Any]) -> list[str]:
    told = [event for step in view["story"]["steps"] for event in step["events"]]
    return [event["kind"] for event in (*told, *view["story"]["after"])]


def test_a_run_is_paused_by_another_process_guided_and_resumed(assay: Assay, model: ScriptedReader):
    def pause() -> None:
        assert assay.beside("runs", "pause", newest_id(assay)) == 0

    meanwhile(model, "founder of Larkfield", pause)
    code, _, err = assay("ask", QUESTION)
    run_id = newest(assay)["run_id"]
    assert (code, newest(assay)["status"]) == (130, "paused")
    assert f"paused by local — assay runs resume {run_id} goes on from here" in err
    view = shown(assay, run_id)
    assert view["status"] == "paused"
    assert kinds(view)[-1] == "run.paused"
    assert model.asked[-1] == "Who is the founder of Larkfield Instruments?"

    code, out, _ = assay("runs", "guide", run_id, "ignore news")
    assert (code, "heeds it at its next step boundary" in out) == (0, True)
    assert "pause" in assay("runs", "pause", run_id)[2]
    code, out, _ = assay("runs", "resume", run_id, "--json")
    answer = json.loads(out)
    assert (code, answer["status"], "Brannholm" in answer["answer"]) == (0, "answered", True)
    assert model.asked.count("Who is the founder of Larkfield Instruments?") == 1
    view = shown(assay, run_id)
    assert [(row["kind"], row["outcome"]) for row in view["story"]["said"]] == [
        *(("pause", "taken"), ("guide", "taken"), ("resume", "taken"))
    ]
    assert kinds(view).count("guidance.taken") == 1
    titles = [
        passage["title"]
        for step in view["story"]["steps"]
        for event in step["events"]
        if event["kind"] == "passages.found" and event["data"]["task"] == 3
        for passage in event["data"]["passages"]
    ]
    assert titles
    assert "News of 2023" not in titles


def newest_id(assay: Assay) -> str:
    from appliance.store.steering import steering_of

    with steering_of(assay.data) as (_, runs, _events):
        return runs.list(limit=1)[0].id


def test_a_run_is_cancelled_by_another_process(assay: Assay, model: ScriptedReader):
    meanwhile(
        model,
        "makes the Tidemark",
        lambda: assay.beside("runs", "cancel", newest_id(assay)),
    )
    assert assay("ask", QUESTION)[0] == 130
    run_id = newest(assay)["run_id"]
    view = shown(assay, run_id)
    assert (view["status"], "cancelled by local" in view["error"]) == ("cancelled", True)
    assert [row["outcome"] for row in view["story"]["said"]] == ["taken"]
    assert json.loads(assay("runs", "resume", run_id, "--json")[1])["status"] == "answered"


def test_what_nobody_works_on_is_paused_at_once(assay: Assay, model: ScriptedReader):
    run_id = asked(assay)
    with_status(assay, run_id, "running")
    code, out, _ = assay("runs", "pause", run_id, "--json")
    assert (code, json.loads(out)["status"]) == (0, "paused")
    code, out, _ = assay("runs", "cancel", run_id)
    assert (code, "is cancelled: no process works on it" in out) == (0, True)


def with_status(assay: Assay, run_id: str, status: str) -> None:
    from appliance.store.sqlite import Database

    database = Database(assay.data / "assay.db")
    with database.transaction() as connection:
        connection.execute("UPDATE runs SET status = ?, answer = NULL WHERE id = ?", (status, run_id))
    database.close()


def test_show_tells_the_whole_story_and_verify_finds_tampering(assay: Assay):
    run_id = asked(assay)
    code, out, _ = assay("runs", "show", run_id)
    assert code == 0
    for told in ("[1] plan", "[4] read · ", "1 model call, ", "Larkfield Instruments"):
        assert told in out
    assert "record: 16 steps, unbroken, head " in out
    assert out.index("[1] plan") < out.index("[15] conclude") < out.index("answered: ")
    assert assay("runs", "verify", run_id)[0] == 0

    from appliance.store.sqlite import Database

    database = Database(assay.data / "assay.db")
    with database.transaction() as connection:
        connection.execute("UPDATE checkpoints SET checkpoint = replace(checkpoint, 'Edda', 'Otto')")
    database.close()
    code, out, _ = assay("runs", "verify", run_id)
    assert (code, "BROKEN at step " in out) == (1, True)
    assert "BROKEN" in assay("runs", "show", run_id)[1]


def test_fork_diff_and_their_refusals(assay: Assay, model: ScriptedReader, tmp_path: Path):
    run_id = asked(assay)
    model.asked.clear()
    code, out, _ = assay("runs", "fork", run_id, "--step", 9, "--json")
    fork = json.loads(out)
    assert (code, fork["status"], model.asked) == (0, "answered", ["Where was Edda Voss born?"])
    code, out, _ = assay("runs", "diff", run_id, fork["run_id"], "--json")
    found = json.loads(out)
    assert (found["relation"], found["last_common_step"]) == ("b is a fork of a", 9)
    assert [task["same"] for task in found["tasks"]] == [True, True, True]
    assert (found["only_a_claims"], found["only_b_claims"]) == ([], [])
    assert found["a"]["cost"]["usage"]["calls"] == found["b"]["cost"]["usage"]["calls"] == 3
    assert shown(assay, fork["run_id"])["story"]["own_cost"]["usage"]["calls"] == 1
    assert "the same up to step 9" in assay("runs", "diff", run_id, fork["run_id"])[1]

    plan = tmp_path / "plan.json"
    plan.write_text('{"tasks":[{"question":"Who is the founder of Larkfield Instruments?"}]}')
    code, out, _ = assay("runs", "fork", run_id, "--plan", plan, "--json")
    assert (code, "Edda Voss" in json.loads(out)["answer"]) == (0, True)
    code, out, _ = assay("runs", "fork", run_id, "--guidance", "only use the news", "--json")
    only = json.loads(out)
    assert (code, only["status"]) == (0, "insufficient")
    assert all(len(step["passages"]) <= 1 for step in only["steps"])
    code, out, _ = assay("runs", "fork", run_id, "--strategy", "lexical", "--json")
    assert (code, json.loads(out)["status"]) == (0, "answered")

    count = len(json.loads(assay("runs", "list", "--json")[1]))
    for arguments, said in (
        (["--step", "99"], "choose 0 to 14"),
        (["--step", "15"], "step 15 is its end"),
        (["--guidance", " "], "the guidance is empty"),
        (["--strategy", "magic"], "no strategy 'magic'"),
        (["--plan", tmp_path / "none.json"], "cannot be read"),
    ):
        code, out, err = assay("runs", "fork", run_id, *arguments)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert said in err
    plan.write_text('{"tasks":[{"question":"a {2}?"},{"question":"b {1}?"}]}')
    assert "wait for each other" in assay("runs", "fork", run_id, "--plan", plan)[2]
    assert assay("--as-user", "bob", "runs", "fork", run_id)[2].startswith(f"error: no run '{run_id}'")
    assert assay("--as-user", "bob", "runs", "guide", run_id, "x")[0] == 2
    assert len(json.loads(assay("runs", "list", "--json")[1])) == count


def test_a_run_that_has_ended_takes_no_guidance(assay: Assay):
    run_id = asked(assay)
    code, _, err = assay("runs", "guide", run_id, "ignore news")
    assert (code, "has ended: answered" in err, "runs fork" in err) == (2, True, True)


def test_pages_of_runs_and_empty_states(assay: Assay):
    code, out, err = assay("runs", "list")
    assert (code, out, err.startswith("no runs yet")) == (0, "", True)
    first, second = asked(assay), asked(assay)
    code, out, err = assay("runs", "list", "--limit", 1)
    assert (out.split("\t")[0], "1 of 2; --offset 1 shows the next" in err) == (second, True)
    assert assay("runs", "list", "--offset", 1)[1].split("\t")[0] == first
    assert json.loads(assay("runs", "list", "--status", "failed", "--json")[1]) == []
    assert "no such runs" in assay("runs", "list", "--user", "bob")[2]
    assert "no run status 'done'" in assay("runs", "list", "--status", "done")[2]


def test_a_spent_day_refuses_and_a_day_that_ends_in_between_gives_a_partial_answer(
    assay: Assay, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("ASSAY__BUDGETS__USER_LLM_TOKENS_PER_DAY", "20")
    code, out, _ = assay("ask", QUESTION, "--json")
    answer = json.loads(out)
    assert (code, answer["status"]) == (0, "insufficient")
    assert "model tokens was reached" in " ".join(answer["missing"])
    code, _, err = assay("ask", QUESTION)
    assert (code, "local has spent today's budget of 20 model tokens" in err) == (2, True)
    assert "begins anew at" in err
    assert assay("runs", "fork", answer["run_id"], "--question", "Who is the founder of X?")[0] == 2
    assert json.loads(assay("runs", "budget", "--json")[1])["left"]["llm_tokens"] == 0
    assert assay("--as-user", "ann", "ask", QUESTION)[0] == 0
