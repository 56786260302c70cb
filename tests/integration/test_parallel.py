"""Sub-questions that need nothing of each other are worked on at the same time, as many as allowed."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pytest
from scripted_engine import SCRIPT, ScriptedReader, scripted_appliance

from appliance.domain import Prompt, RunOptions, RunStatus

QUESTION = "Who was born earlier, Edda Voss or Tam Orley?"
TEXTS = {
    "voss.txt": "Edda Voss, an engineer, was born on 3 May 1951.\n",
    "orley.txt": "Tam Orley, a painter, was born on 9 June 1962.\n",
}


class TwoSlots(ScriptedReader):
    """An engine with two slots: the first two calls of a run are answered when both are there."""

    def __init__(self) -> None:
        super().__init__()
        self.barrier = threading.Barrier(2)
        self.met, self.seen = False, 0
        self._count = threading.Lock()
        self.before = self.wait

    def wait(self, prompt: Prompt) -> None:
        """Until the other call comes; BrokenBarrierError after a while."""
        with self._count:
            self.seen += 1
            mine = self.seen
        if mine <= 2:
            self.barrier.wait(timeout=20)
            self.met = True


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> None:
    script = (
        (r"Edda Voss.*born|born.*Edda Voss", "3 May 1951", "Edda Voss, an engineer, was born on"),
        (r"Tam Orley.*born|born.*Tam Orley", "9 June 1962", "Tam Orley, a painter, was born on"),
    )
    monkeypatch.setattr("scripted_engine.SCRIPT", script)
    assert script != SCRIPT


@pytest.mark.usefixtures("told")
def test_two_sides_of_a_comparison_are_read_at_the_same_time(tmp_path: Path):
    library = tmp_path / "library"
    library.mkdir()
    for name, text in TEXTS.items():
        (library / name).write_text(text, "utf-8")
    model = TwoSlots()
    with scripted_appliance(tmp_path, library, model, {"reasoning.parallel_tasks": 2}) as appliance:
        run = appliance.researcher.start(
            QUESTION, principal=appliance.principal, collection="default", options=RunOptions(fresh=True)
        )
        done = appliance.researcher.work(run)
    assert model.met, "each call waited for the other"
    assert done.status is RunStatus.ANSWERED
    assert done.answer is not None
    assert re.search("Edda Voss", done.answer.short)
