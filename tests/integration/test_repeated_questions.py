"""A repeated question over a real store and real indexes: answered from what is kept, and only then."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripted_engine import QUESTION, ScriptedReader, scripted_appliance, write_library

from appliance.domain import MetadataChange, Principal, RunOptions
from appliance.store.runs import RunRecord
from appliance.wiring import Appliance

ANN, BOB = Principal(user="ann"), Principal(user="bob")
SHARED = "Where was the founder of Larkfield Instruments born?"
"""Two of the three hops of the other question."""


@pytest.fixture
def model() -> ScriptedReader:
    return ScriptedReader()


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return write_library(tmp_path / "library")


@pytest.fixture
def appliance(tmp_path: Path, model: ScriptedReader, library: Path) -> Iterator[Appliance]:
    with scripted_appliance(tmp_path, library, model) as opened:
        yield opened


def ask(
    appliance: Appliance, question: str = QUESTION, *, who: Principal = ANN, fresh: bool = False
) -> RunRecord:
    options = RunOptions(fresh=fresh)
    run = appliance.researcher.start(question, principal=who, collection="default", options=options)
    return appliance.researcher.work(run)


def kinds(appliance: Appliance, run: RunRecord) -> list[str]:
    return [event.kind for event in appliance.events.after(run.id, 0)]


def test_a_repeated_question_is_answered_without_a_model_and_says_from_which_run(
    appliance: Appliance, model: ScriptedReader
):
    first = ask(appliance)
    asked = len(model.asked)
    assert asked
    begun = time.monotonic()
    again = ask(appliance)
    print(f"answered again after {1000 * (time.monotonic() - begun):.1f} ms")
    assert len(model.asked) == asked
    assert first.answer is not None
    assert again.answer == first.answer
    assert again.id != first.id
    cached = [event.data for event in appliance.events.after(again.id, 0) if event.kind == "answer.cached"]
    assert [data["run_id"] for data in cached] == [first.id]
    assert again.usage is not None
    assert again.usage.calls == 0


def test_asked_afresh_it_is_worked_on_again(appliance: Appliance, model: ScriptedReader):
    ask(appliance)
    asked = len(model.asked)
    again = ask(appliance, fresh=True)
    assert len(model.asked) > asked
    assert "answer.cached" not in kinds(appliance, again)
    assert "finding.recalled" not in kinds(appliance, again)


def test_a_changed_document_is_read_again(appliance: Appliance, model: ScriptedReader, library: Path):
    ask(appliance)
    (library / "company.md").write_text("# Larkfield Instruments\n\nIts founder was never named.\n", "utf-8")
    appliance.ingestor.ingest([library], "default")
    again = ask(appliance)
    assert "answer.cached" not in kinds(appliance, again)
    assert again.answer is not None
    assert "Brannholm" not in again.answer.short


def test_nobody_is_told_what_he_may_not_read(appliance: Appliance, model: ScriptedReader):
    first = ask(appliance)
    assert first.answer is not None
    assert first.answer.short == "Brannholm"
    scope = appliance.scope(collection="default")
    for claim in first.answer.claims:
        hidden = appliance.passages.by_fingerprint(claim.citations[0], scope)
        appliance.repositories.documents.describe(
            hidden.document_id, MetadataChange(groups=("board",)), scope
        )
    again = ask(appliance, who=BOB)
    assert "answer.cached" not in kinds(appliance, again)
    assert again.answer is not None
    assert "Brannholm" not in again.answer.short


def test_a_later_question_recalls_the_hops_that_it_shares(appliance: Appliance, model: ScriptedReader):
    ask(appliance, SHARED)
    asked = len(model.asked)
    run = ask(appliance)
    recalled = [event.data for event in appliance.events.after(run.id, 0) if event.kind == "finding.recalled"]
    assert recalled
    assert run.answer is not None
    assert run.answer.short == "Brannholm"
    assert len(model.asked) - asked < 3
