"""``assay cache`` and ``assay knowledge`` over real indexes: kept between processes, never measured."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from appliance.cli.application import run
from appliance.config import load_config
from appliance.domain import Principal, Retrieval
from appliance.wiring import Appliance

pytestmark = [pytest.mark.models, pytest.mark.slow]
Assay = Callable[..., Any]
FARES = "# Fares\n\nThe Velm tram costs 4.20 crowns since May. 韦尔姆电车票价为4.20克朗。\n"
QUESTIONS = ("What does the Velm tram cost?", "韦尔姆电车的票价是多少？")


@pytest.fixture
def assay(tmp_path: Path, weights: Any, capsys: pytest.CaptureFixture[str]) -> Assay:
    weights("multilingual-e5-small", "model.onnx")
    weights("ms-marco-minilm-l12", "model.onnx")
    (tmp_path / "fares.md").write_text(FARES, "utf-8")

    def call(*words: object) -> Any:
        capsys.readouterr()
        assert run(["--data", str(tmp_path / "data"), *map(str, words)]) == 0
        out = capsys.readouterr().out
        return json.loads(out) if "--json" in words else out

    call("ingest", tmp_path / "fares.md", "--json")
    return call


def counted(assay: Assay, kind: str) -> dict[str, Any]:
    return next(one for one in assay("cache", "stats", "--json")["kinds"] if one["kind"] == kind)


def test_another_process_answers_from_disk_and_counts_are_told(assay: Assay) -> None:
    for question in QUESTIONS:
        first = assay("search", question, "--json")
        assert assay("search", question, "--json") == first != []
    found = counted(assay, "search")
    assert (found["asked"], found["disk"], found["memory"], found["hit_rate"]) == (4, 2, 0, 0.5)
    assert counted(assay, "reading")["disk"] == 2
    assert "search" in assay("cache", "stats")
    assert assay("cache", "clear", "--kind", "search", "--json") == {"removed": 2}
    assert assay("cache", "clear", "--counts", "--json") == {"removed": 2}
    assert counted(assay, "search")["asked"] == 0


def test_a_measurement_uses_and_leaves_nothing(assay: Assay, tmp_path: Path) -> None:
    assay("search", QUESTIONS[0], "--json")
    before = assay("cache", "stats", "--json")
    (tmp_path / "q.jsonl").write_text(json.dumps({"id": "1", "question": QUESTIONS[0]}))
    (tmp_path / "qrels.tsv").write_text("query_id\trecord_id\trelevance\n1\tfares.md\t1\n")
    report = assay(
        "eval", "retrieval", "--queries", tmp_path / "q.jsonl", "--qrels", tmp_path / "qrels.tsv", "--json"
    )
    assert "cache" not in report["timings"]
    assert {"dense", "lexical"} <= set(report["timings"])
    after = assay("cache", "stats", "--json")
    assert (after["kinds"], after["disk_entries"]) == (before["kinds"], before["disk_entries"])


def test_what_changes_is_searched_anew(assay: Assay, tmp_path: Path, models_dir: Path) -> None:
    config = load_config(
        environ={}, flags={"paths.data": str(tmp_path / "data"), "paths.models": str(models_dir)}
    )
    bob = Principal(user="bob")

    def search(appliance: Appliance, question: str) -> Retrieval:
        return appliance.search(question, collection="default", principal=bob)

    with Appliance(config) as appliance:
        assert ["cache" in search(appliance, QUESTIONS[0]).timings_ms for _ in range(2)] == [False, True]
        document = search(appliance, QUESTIONS[0]).hits[0].passage.document_id
    assay("documents", "set", document, "--group", "board")
    with Appliance(config) as appliance:
        for question in QUESTIONS:
            hidden = search(appliance, question)
            assert (hidden.hits, "cache" in hidden.timings_ms) == ((), False)


def test_with_the_cache_off_nothing_is_kept(tmp_path: Path, assay: Assay, models_dir: Path) -> None:
    config = load_config(
        environ={},
        flags={
            "paths.data": str(tmp_path / "data"),
            "paths.models": str(models_dir),
            "cache.enabled": False,
        },
    )
    with Appliance(config) as appliance:
        for _ in range(2):
            found = appliance.search(QUESTIONS[0], collection="default")
            assert "cache" not in found.timings_ms
        assert not appliance.cache_report().enabled
        assert appliance.cache_report().disk_entries == 0


def test_nothing_is_known_in_the_beginning(assay: Assay) -> None:
    assert assay("knowledge", "list", "--json") == {"entities": [], "offset": 0, "more": False}
    assert assay("knowledge", "show", "Velm", "--json")["edges"] == []
    assert assay("knowledge", "forget", "Velm", "--yes", "--json") == {"removed": 0}
