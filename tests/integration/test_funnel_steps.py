"""``assay eval retrieval --steps`` over files of the sample library, with the real models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sample_library import LIBRARY, read_qrels, read_questions

from appliance.cli.application import run
from appliance.config import load_config
from appliance.domain import Strategy
from appliance.evaluate import Measured, Query, search_with
from appliance.wiring import Appliance

pytestmark = [pytest.mark.models, pytest.mark.slow]
FILES = (
    "tarnholm/shareholder-notice-2024.md",
    "tarnholm/shareholder-guide-2022.md",
    "chengyu/investor-notice-2024.md",
    "chengyu/investor-guide-2022.md",
)
ASKED = ("en-finance-negation-02", "zh-finance-negation-04")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Path:
    """A data folder with four documents; beside it the questions and their judgements."""
    for name in ("multilingual-e5-small", "ms-marco-minilm-l12", "e5-reranker-zh"):
        if not (models_dir / name).is_dir():
            pytest.skip(f"no model weights in {models_dir}")
    folder = tmp_path_factory.mktemp("steps")
    for name in FILES:
        copy = folder / "library" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((LIBRARY / name).read_bytes())
    questions = [one for one in read_questions("questions.retrieval.jsonl") if one["id"] in ASKED]
    (folder / "q.jsonl").write_text("\n".join(map(json.dumps, questions)), "utf-8")
    rows = [row for row in read_qrels("qrels.retrieval.tsv") if row[0] in ASKED]
    lines = ["query\trecord\tgrade", *("\t".join(map(str, row)) for row in rows)]
    (folder / "qrels.tsv").write_text("\n".join(lines), "utf-8")
    assert run(["--data", str(folder / "data"), "ingest", str(folder / "library")]) == 0
    return folder


def evaluate(data: Path, *options: str) -> int:
    judged = ["--queries", str(data / "q.jsonl"), "--qrels", str(data / "qrels.tsv")]
    return run(["--data", str(data / "data"), "eval", "retrieval", *judged, *options])


def test_one_command_says_what_each_step_adds(data: Path, capsys: pytest.CaptureFixture[str]):
    assert evaluate(data, "--steps", "--json") == 0
    out, told = capsys.readouterr()
    steps = {step["name"]: step for step in json.loads(out)["steps"]}
    assert list(steps)[:3] == ["dense only", "lexical only", "fusion"]
    assert next(reversed(steps)).startswith("as configured")
    whole = steps["+ links"]
    assert whole["report"]["overall"]["hit@3"] == 1.0
    assert set(whole["report"]["by_domain"]) == {"finance"}
    assert set(whole["report"]["by_style"]) == {"negation"}
    assert {"encoder", "dense"} <= set(steps["dense only"]["report"]["timings"])
    assert "lexical" not in steps["dense only"]["report"]["timings"]
    assert "dense" not in steps["lexical only"]["report"]["timings"]
    assert steps["fusion"]["added_ms"]["reading"] == 0.0 < whole["added_ms"]["reading"]
    before, read = steps["+ coarse rank"]["added_ms"], steps["+ cross-encoder"]["added_ms"]
    assert before["reranker"] == 0.0 < read["reranker"]
    assert whole["added_ms"]["reranker"] == pytest.approx(read["reranker"], rel=0.2)
    for step in steps.values():
        parts = sum(ms for part, ms in step["added_ms"].items() if part != "total")
        assert parts == pytest.approx(step["added_ms"]["total"], abs=0.1)
    assert "+ cross-encoder" in told
    assert "2/2" in told


def test_the_table_has_a_line_for_each_step(data: Path, capsys: pytest.CaptureFixture[str]):
    assert evaluate(data, "--steps", "--no-rerank") == 0
    out = capsys.readouterr().out.splitlines()
    head, *rows = [line.split("\t") for line in out if "\t" in line]
    assert head[1:4] == ["recall@5", "recall@10", "ndcg@10"]
    assert {"Δ recall@5", "p50 ms", "+own", "+total"} <= set(head)
    assert [row[0] for row in rows][:3] == ["dense only", "lexical only", "fusion"]
    assert "+ cross-encoder" not in [row[0] for row in rows]
    assert {len(row) for row in rows} == {len(head)}


def test_relative_dates_count_from_the_questions_own_day(data: Path):
    with Appliance(load_config(flags={"paths.data": str(data / "data")})) as appliance:
        search = search_with(appliance, Measured(collection="default"), strategy=Strategy.LEXICAL)
        asked = Query(
            id="1", question="Which notices to shareholders came out last year?", as_of="2025-03-31"
        )
        times = search(asked, 5).reading.times
        assert [(time.start, time.end) for time in times] == [("2024-01-01", "2024-12-31")]
        told = search_with(
            appliance, Measured(collection="default", given_domain=True), strategy=Strategy.LEXICAL
        )
        asked = Query(id="1", question="Who is it?", domain="legal")
        assert told(asked, 5).reading.domain == "legal"
        assert search(asked, 5).reading.domain != "legal", "only where the caller wants so"
