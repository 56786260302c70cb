"""The commands, in-process, over a real store and real indexes; vectors and model replies are made up."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from scripted_engine import HashEmbedder

from appliance.cli.application import run
from appliance.domain import Completion, Prompt, Usage
from appliance.wiring import Appliance

PRICES = (
    "# Price list\n\n## Sensors\n\nA Tidemark sensor costs £49.00 at list price.\n\n## Shipping\n\nFree.\n"
)
QUESTION = "What does a Tidemark sensor cost?"


class ScriptedModel:
    """Finds the price in whatever line holds it; nothing else."""

    name, digest = "scripted", "2" * 64

    def __init__(self) -> None:
        self.interrupt = False

    def complete(
        self,
        prompt: Prompt,
        *,
        max_tokens: int,
        schema: type[object] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Completion:
        if self.interrupt:
            self.interrupt = False
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.3)
        seen = "£49.00" in prompt.user
        reply = {
            "found": seen,
            "answer": "£49.00" if seen else "",
            "statement": "A Tidemark sensor costs £49.00." if seen else "",
        }
        usage = Usage(calls=1, prompt_tokens=20, completion_tokens=10)
        return Completion(text=json.dumps(reply), usage=usage)

    def count_tokens(self, text: str) -> int:
        return len(text.split())


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> ScriptedModel:
    scripted = ScriptedModel()
    monkeypatch.setenv("ASSAY__RERANKING__MODEL", "")
    monkeypatch.setenv("ASSAY__RERANKING__MODEL_ZH", "")
    monkeypatch.setattr(Appliance, "_open_embedder", lambda self, name: HashEmbedder())
    monkeypatch.setattr(Appliance, "model", scripted)
    return scripted


@pytest.fixture
def assay(
    tmp_path: Path, model: ScriptedModel, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Runs a command on this test's data folder: exit code, stdout, stderr."""

    def command(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = run(["--data", str(tmp_path / "data"), *map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return command


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    file = tmp_path / "prices.md"
    file.write_text(PRICES, "utf-8")
    return file


def test_ingest_search_and_passage(assay, prices: Path):
    code, out, _ = assay("ingest", prices, "--json")
    report = json.loads(out)
    assert code == 0
    assert (report["files"], report["documents"], report["refused"]) == (1, 1, [])
    assert report["passages"] >= 1
    assert report["peak_rss_mb"] > 10

    code, out, _ = assay("search", "list price of a sensor", "--json")
    first = json.loads(out)[0]
    assert code == 0
    assert first["record_id"] == "prices.md"
    assert set(first["scores"]) == {"dense", "lexical", "fused", "rerank"}

    short = first["fingerprint"].rsplit("#", 1)[1][:12]
    code, out, _ = assay("passage", short, "--json")
    assert (code, json.loads(out)["fingerprint"]) == (0, first["fingerprint"])
    code, out, _ = assay("search", "list price", "--timings")
    assert (code, "Price list" in out) == (0, True)


def test_a_refused_file_is_listed_and_the_exit_code_is_3(assay, prices: Path, tmp_path: Path):
    (tmp_path / "empty.txt").write_text("")
    code, out, _ = assay("ingest", prices, tmp_path / "empty.txt", "--json")
    report = json.loads(out)
    assert code == 3
    assert report["documents"] == 1
    assert [Path(each["source"]).name for each in report["refused"]] == ["empty.txt"]
    assert report["refused"][0]["reason"]
    code, out, _ = assay("ingest", tmp_path / "empty.txt")
    assert (code, "refused (1):" in out) == (3, True)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["ingest", "/no/such/file"], 2, "no such file or folder"),
        (["search", "x", "-c", "nope"], 2, "no collection 'nope'"),
        (["search", "  "], 2, "query is empty"),
        (["ask", ""], 2, "question is empty"),
        (["ask", "x" * 50_000], 2, "50,000 characters"),
        (["passage", "nothing"], 2, "no passage"),
        (["runs", "show", "r-0"], 2, "no run"),
        (["documents", "show", "d-0"], 2, "no document"),
        (["eval", "retrieval", "--queries", "/none", "--qrels", "/none"], 2, "cannot be read"),
        (["search"], 2, "Missing argument"),
        (["search", "x", "--strategy", "magic"], 2, "magic"),
        (["nonsense"], 2, "No such command"),
        (["--config", "/no/file.toml", "collections"], 2, "no configuration file"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(assay, arguments: list[str], code: int, said: str):
    found, out, err = assay(*arguments)
    assert (found, out) == (code, "")
    assert said in err
    assert err.startswith("error: ")
    assert err.count("\n") == 1


def test_ask_prints_steps_then_numbered_claims_and_sources(assay, prices: Path):
    assay("ingest", prices)
    code, out, _ = assay("ask", QUESTION)
    assert code == 0
    assert out.index("step 1") < out.index("answered: ")
    assert "A Tidemark sensor costs £49.00. [1]" in out
    assert "[1] Price list · " in out

    assert "answered from run r-" in assay("ask", QUESTION)[1]

    code, out, err = assay("ask", QUESTION, "--json", "--fresh")
    answer = json.loads(out)
    assert (code, err, answer["status"]) == (0, "", "answered")
    assert answer["claims"][0]["citations"]
    run_id = answer["run_id"]

    listed = json.loads(assay("runs", "list", "--json")[1])
    assert listed[0]["run_id"] == run_id
    shown = json.loads(assay("runs", "show", run_id, "--json")[1])
    assert shown.pop("story")["chain"]["holds"]
    assert shown == answer
    assert json.loads(assay("runs", "resume", run_id, "--json")[1]) == answer
    assert "plan.made" in assay("runs", "show", run_id, "--trace")[1]


def test_an_interrupted_question_goes_on_with_resume(assay, prices: Path, model: ScriptedModel):
    assay("ingest", prices)
    model.interrupt = True
    code, _, err = assay("ask", QUESTION)
    assert code == 130
    run_id = json.loads(assay("runs", "list", "--json")[1])[0]["run_id"]
    assert f"assay runs resume {run_id}" in err
    code, out, _ = assay("runs", "resume", run_id, "--json")
    assert (code, json.loads(out)["status"]) == (0, "answered")


def test_documents_versions_diff_and_delete(assay, prices: Path):
    assay("ingest", prices)
    code, _, err = assay("documents", "diff", "prices.md")
    assert (code, "only one version" in err) == (2, True)
    prices.write_text(PRICES.replace("£49.00", "£52.00"), "utf-8")
    assay("ingest", prices)
    versions = json.loads(assay("documents", "versions", "prices.md", "--json")[1])
    assert [each["version"] for each in versions] == [1, 2]
    (change,) = json.loads(assay("documents", "diff", "prices.md", "--json")[1])
    assert change["change"] == "changed"
    assert any(line.startswith("- ") and "£49.00" in line for line in change["lines"])
    assert any(line.startswith("+ ") and "£52.00" in line for line in change["lines"])
    assert change["old_fingerprints"] != change["new_fingerprints"]
    assert assay("passage", change["old_fingerprints"][0])[0] == 0
    assert json.loads(assay("collections", "--json")[1])[0]["documents"] == 1
    assert json.loads(assay("documents", "show", "prices.md", "--json")[1])["document"]["version"] == 2
    assert json.loads(assay("rebuild", "--json")[1])["default"] >= 1
    assert assay("documents", "delete", "prices.md", "--yes")[0] == 0
    assert json.loads(assay("documents", "list", "--json")[1]) == []
    assert json.loads(assay("search", "sensor price", "--json")[1]) == []


def test_evaluations(assay, prices: Path, tmp_path: Path):
    assay("ingest", prices)
    queries, qrels, out_file = tmp_path / "q.jsonl", tmp_path / "qrels.tsv", tmp_path / "out.jsonl"
    questions = [
        {"id": "1", "question": QUESTION, "answer": "£49", "type": "price"},
        {"id": "2", "question": "Who founded the Zanzibar office in 1877?", "answer": None, "type": "none"},
    ]
    queries.write_bytes(b"\n".join(map(msgspec.json.encode, questions)))
    qrels.write_text("query-id\tcorpus-id\tscore\n1\tprices.md\t1\n")
    code, out, err = assay(
        "eval", "retrieval", "--queries", queries, "--qrels", qrels, "--json", "--no-rerank"
    )
    report = json.loads(out)
    assert (code, report["queries"], report["skipped"]) == (0, 1, 1)
    assert report["overall"]["recall@5"] == report["overall"]["mrr@10"] == 1.0
    assert {"encoder", "dense", "lexical", "store", "own", "total"} <= set(report["timings"])
    assert "1/1" in err

    arguments = ("eval", "answers", "--queries", queries, "--out", out_file, "--json")
    report = json.loads(assay(*arguments)[1])["report"]
    shares = {"questions": 2, "right": 1.0, "refused": 1.0, "wrongly_refused": 0.0}
    assert shares.items() <= report["overall"].items()
    assert report["resolving_citations"] == report["supported_claims"] == 1.0
    kept = out_file.read_bytes()
    assert len(kept.splitlines()) == 2
    out_file.write_bytes(kept[:-20])
    assert json.loads(assay(*arguments)[1])["report"]["overall"]["right"] == 1.0
    assert [json.loads(line)["id"] for line in out_file.read_text().splitlines()] == ["1", "2"]
    assert "with a citation 100.0%" in assay(*arguments[:-1])[1]


def test_init_writes_a_template_that_changes_nothing_and_is_read_when_changed(assay, tmp_path: Path):
    code, out, _ = assay("init")
    file = tmp_path / "data" / "config.toml"
    assert (code, str(file) in out) == (0, True)
    assert assay("collections", "--json")[0] == 0
    file.write_text("[reasoning]\nmax_steps = 0\n")
    code, _, err = assay("collections")
    assert (code, "max_steps" in err) == (2, True)


def test_a_second_process_is_told_who_has_the_data_folder(assay, tmp_path: Path):
    assay("init")
    command = [sys.executable, "-m", "appliance.cli", "--data", str(tmp_path / "data"), "collections"]
    from appliance.cli.session import Session

    with Session(data=tmp_path / "data", command="assay serve").appliance():
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert f"process {os.getpid()} (assay serve)" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_closed_pipe_is_no_error(assay, prices: Path, tmp_path: Path):
    assay("ingest", prices)
    shell = f"{sys.executable} -m appliance.cli --data {tmp_path / 'data'} documents list --json | true"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", shell], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_quick_start(model: ScriptedModel, prices: Path, tmp_path: Path):
    from appliance import DeepThinkingRAG

    with DeepThinkingRAG(data_dir=tmp_path / "data", collection="c") as rag:
        assert rag.ingest(prices).documents == 1
        answer = rag.run(QUESTION, max_steps=2)
        assert answer.answer.startswith("A Tidemark sensor costs £49.00")
        assert "£49.00" in rag.passage(answer.claims[0].citations[0]).text
        assert rag.search("sensor").hits
