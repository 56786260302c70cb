"""A question killed with SIGKILL again and again: resumed, it ends as the one that nobody disturbed.

Once with a small real model, and once with a scripted one that notes every prompt: there each prompt is paid
once, but for the one in flight when the kill came. ASSAY_KILLS=50 gives both fifty kills.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
import scripted_engine

pytestmark = pytest.mark.slow
MODEL = "qwen2.5-coder-0.5b-instruct"
KILLS = int(os.environ.get("ASSAY_KILLS", "10"))
RUNS = 3
SCRIPTED_KILLS = int(os.environ.get("ASSAY_KILLS", "6"))
PAUSE_S = "0.15"
"""How long the scripted model takes for a reply: most kills meet it at work."""
SEED = int(os.environ.get("ASSAY_SEED", "23"))
QUESTION = "Where was the founder of Larkfield Instruments born?"
"""Asked whole, the small model finds nothing; split in two, it does: two plans, three tasks."""
TEXTS = {
    "sensor.md": "# Tidemark sensor\n\nThe Tidemark sensor is made by Larkfield Instruments.\n",
    "company.md": "# Larkfield Instruments\n\nLarkfield Instruments was founded in 1987 by Edda Voss.\n",
    "founder.txt": "Edda Voss, an engineer, was born in the town of Brannholm in 1951.\n",
}
ONCE = ("plan.made", "finding.made", "answer.done")
Step = tuple[str, int, int, str]
"""An event's kind, the attempt in which it came, the task of which it speaks, and how that was looked for."""


class Kill(msgspec.Struct, frozen=True, kw_only=True):
    """What one SIGKILL met: the unfinished run, if there was one yet, and its last event."""

    run: str = ""
    last: Step | None = None


class Calm(msgspec.Struct, frozen=True, kw_only=True):
    """How long an undisturbed command lives, and how much of that passes before its first step."""

    seconds: float
    start_s: float


class Life:
    """One data folder, the commands on it, and what each kill met."""

    def __init__(self, data: Path, weights: Path) -> None:
        self.data, self.kills = data, list[Kill]()
        self.environment = {
            **os.environ,
            "ASSAY__LLM__MODEL": MODEL,
            "ASSAY__PATHS__DATA": str(data),
            "ASSAY__PATHS__MODELS": str(weights),
        }

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "appliance.cli", *arguments]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, env=self.environment, stdout=pipe, stderr=pipe, text=True)

    def told(self, *arguments: str) -> Any:
        """The JSON that an undisturbed command prints."""
        with self.start(*arguments, "--json") as process:
            out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        return json.loads(out)

    def killed(self, command: tuple[str, ...], after_s: float) -> bool:
        """Whether the command was still alive when SIGKILL came."""
        with self.start(*command) as process:
            try:
                _, err = process.communicate(timeout=after_s)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                _, err = process.communicate()
        if process.returncode != -signal.SIGKILL:  # it ended by itself, be it in the last instant
            assert process.returncode == 0, err
            return False
        run = self.unfinished()
        events = self.events(run) if run else []
        self.kills.append(Kill(run=run, last=events[-1] if events else None))
        return True

    def unfinished(self) -> str:
        found = self._rows("SELECT id FROM runs WHERE status = 'running'")
        assert len(found) <= 1
        return found[0][0] if found else ""

    def runs(self) -> dict[str, str]:
        return dict(self._rows("SELECT id, status FROM runs"))

    def events(self, run: str) -> list[Step]:
        """All events of a run, in order."""
        steps, attempt = list[Step](), 0
        for kind, text in self._rows("SELECT kind, data FROM events WHERE run_id = ? ORDER BY seq", run):
            data = json.loads(text)
            attempt = data["attempt"] if kind == "plan.made" else attempt
            steps.append((kind, attempt, data.get("task", 0), data.get("tactic", "")))
        return steps

    def _rows(self, sql: str, *values: str) -> list[tuple[Any, ...]]:
        database = sqlite3.connect(self.data / "assay.db")
        try:
            return database.execute(sql, values).fetchall()
        finally:
            database.close()


@pytest.fixture
def life(tmp_path: Path, weights: Callable[[str, str], Path]) -> Life:
    weights("multilingual-e5-small", "model.onnx")
    weights("ms-marco-minilm-l12", "model.onnx")
    folder = weights(MODEL, "model.gguf").parent
    library = tmp_path / "library"
    library.mkdir()
    for name, text in TEXTS.items():
        (library / name).write_text(text, "utf-8")
    made = Life(tmp_path / "data", folder)
    assert made.told("ingest", str(library), "--collection", "c")["documents"] == len(TEXTS)
    return made


def kill_at(life: Life, ask: tuple[str, ...], moments: list[float], calm: Calm) -> None:
    """One run killed and resumed at each moment, given as shares of an undisturbed life; then finished.

    Where a process ended before its moment came (the machine has become faster), the next run meets it.
    """
    before, pace = 0.0, 1.0
    for moment in moments:
        unfinished = life.unfinished()
        while True:
            fresh_s = moment * calm.seconds
            resumed_s = calm.start_s + max(0.0, moment - before) * calm.seconds
            command = ("runs", "resume", unfinished) if unfinished else ask
            if life.killed(command, pace * (resumed_s if unfinished else fresh_s)):
                break
            unfinished, pace = "", pace * 0.8
        before = moment
    if unfinished := life.unfinished():
        life.told("runs", "resume", unfinished)


def comparable(view: dict[str, Any]) -> dict[str, Any]:
    """What must not depend on kills: all but the run's id, its clock and what the model remembered."""
    kept = {key: value for key, value in view.items() if key not in ("run_id", "timings", "story")}
    usage = {key: value for key, value in view["usage"].items() if key != "cached_tokens"}
    return {**kept, "usage": usage}


def assert_steps_are_told_once(life: Life, run: str) -> None:
    """Once each, and once more for a kill between a step's event and its checkpoint."""
    counts = Counter(event for event in life.events(run) if event[0] in ONCE)
    assert counts
    torn = Counter(kill.last for kill in life.kills if kill.run == run)
    for event, count in counts.items():
        assert 1 <= count <= 1 + torn[event], (run, event)


@pytest.mark.models
def test_a_question_killed_at_ten_moments_ends_like_an_undisturbed_one(life: Life):
    ask = ("ask", QUESTION, "--collection", "c", "--fresh")
    begun = time.monotonic()
    calm = life.told(*ask)
    seconds = time.monotonic() - begun
    measured = Calm(seconds=seconds, start_s=seconds - calm["timings"]["seconds"])
    assert calm["usage"]["calls"] >= 2
    assert calm["status"] in ("answered", "partial", "insufficient")

    dice = random.Random(SEED)
    moments = [(stratum + dice.random()) / KILLS for stratum in range(KILLS)]
    print(f"seed {SEED}: {measured}, moments {[round(each, 2) for each in moments]}")
    for run in range(RUNS):
        kill_at(life, ask, moments[run::RUNS], measured)
    print(f"kills met {[kill.last for kill in life.kills]}")
    assert len(life.kills) == KILLS
    assert any(kill.run for kill in life.kills)

    runs = life.runs()
    assert "running" not in runs.values()
    assert len(runs) >= 2
    for run in runs:
        assert re.fullmatch(r"r-[0-9a-f]{16}", run)
        assert comparable(life.told("runs", "show", run)) == comparable(calm)
        assert_steps_are_told_once(life, run)


# ---------------------------------------------------------------- with a scripted model
ENGINE = str(Path(scripted_engine.__file__))
ASK = ("ask", scripted_engine.QUESTION, "--fresh")
"""Each time worked on anew: a kept answer has no step that a kill could meet."""


class Noted(msgspec.Struct, kw_only=True):
    """One run's life: the file of its prompts, and the prompt in flight at each kill."""

    log: Path
    run: str = ""
    in_flight: list[str] = []

    def prompts(self, what: str) -> list[str]:
        """The keys of those ``sent`` or ``paid``, in order."""
        if not self.log.exists():
            return []
        rows = [line.split(" ", 2) for line in self.log.read_text("utf-8").splitlines()]
        return [row[1] for row in rows if row[0] == what]


class ScriptedLife:
    """One data folder, and commands on it with the scripted model, each in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.data = folder, folder / "data"
        pythonpath = os.pathsep.join(path for path in sys.path if path)
        pipe = subprocess.PIPE
        self.forking = subprocess.Popen(
            [sys.executable, ENGINE, "--forking"],
            env={**os.environ, "PYTHONPATH": pythonpath, "SCRIPTED_PAUSE_S": PAUSE_S},
            stdin=pipe,
            stdout=pipe,
            text=True,
        )
        self.told(None, "ingest", str(scripted_engine.write_library(folder / "library")))

    def close(self) -> None:
        """End the process that the others are forked from."""
        with self.forking as process:
            assert process.stdin is not None
            process.stdin.close()

    def begin(self, noted: Noted | None, *arguments: str) -> int:
        """The id of the process that runs the command."""
        environment = {"SCRIPTED_LOG": str(noted.log if noted else self.folder / "other.log")}
        told = {"arguments": ["--data", str(self.data), *arguments], "environment": environment}
        files = {name: str(self.folder / name) for name in ("out", "err")}
        assert self.forking.stdin is not None
        print(json.dumps({**told, **files}), file=self.forking.stdin, flush=True)
        return int(self._heard())

    def end(self) -> int:
        """The exit code of the process begun last; minus the signal that ended it."""
        return int(self._heard())

    def _heard(self) -> str:
        assert self.forking.stdout is not None
        return self.forking.stdout.readline()

    def told(self, noted: Noted | None, *arguments: str) -> Any:
        """The JSON that an undisturbed command prints."""
        self.begin(noted, *arguments, "--json")
        code = self.end()
        assert code == 0, (self.folder / "err").read_text("utf-8")
        return json.loads((self.folder / "out").read_text("utf-8"))

    def killed(self, noted: Noted, after_s: float) -> bool:
        """Whether SIGKILL met the run at work, so long after it had begun or gone on."""
        marks = self._marks()
        pid = self.begin(noted, *(("runs", "resume", noted.run) if noted.run else ASK))
        handle = os.pidfd_open(pid)  # a number alone might be another process's by then
        deadline = time.monotonic() + 60
        while self._marks() == marks:
            assert time.monotonic() < deadline, (self.folder / "err").read_text("utf-8")
            time.sleep(0.002)
        time.sleep(after_s)
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(handle, signal.SIGKILL)
        os.close(handle)
        killed = self.end() == -signal.SIGKILL
        noted.run = self.rows("SELECT id FROM runs ORDER BY rowid DESC LIMIT 1")[0][0]
        hit = killed and self.status(noted.run) == "running"
        if hit and (sent := noted.prompts("sent")):
            noted.in_flight.append(sent[-1])
        return hit

    def _marks(self) -> int:
        """How many events there are: one more, and the run has begun or gone on."""
        return self.rows("SELECT count(*) FROM events")[0][0]

    def status(self, run: str) -> str:
        """How the run stands."""
        return self.rows("SELECT status FROM runs WHERE id = ?", run)[0][0]

    def rows(self, sql: str, *values: str) -> list[tuple[Any, ...]]:
        """What the database says."""
        database = sqlite3.connect(self.data / "assay.db", timeout=10)
        try:
            return database.execute(sql, values).fetchall()
        finally:
            database.close()


@pytest.fixture
def scripted(tmp_path: Path) -> Iterator[ScriptedLife]:
    life = ScriptedLife(tmp_path)
    yield life
    life.close()


def test_killed_in_the_midst_of_its_hops_a_run_repeats_no_step_and_pays_no_prompt_twice(
    scripted: ScriptedLife, tmp_path: Path
):
    quiet = Noted(log=tmp_path / "calm.log")
    calm = scripted.told(quiet, *ASK)
    assert (calm["status"], calm["usage"]["calls"]) == ("answered", 3)
    assert len(quiet.prompts("paid")) == 3
    calm_steps = _nodes(scripted.told(None, "runs", "show", calm["run_id"]))
    dice, seconds = random.Random(SEED), calm["timings"]["seconds"]
    lives, kills = list[Noted](), 0
    while kills < SCRIPTED_KILLS:
        noted = Noted(log=tmp_path / f"life-{len(lives)}.log", in_flight=[])
        lives.append(noted)
        # A few kills for each run, so that later ones meet its later hops.
        while kills < SCRIPTED_KILLS and scripted.killed(noted, dice.uniform(0.0, 0.7 * seconds)):
            kills += 1
        if scripted.status(noted.run) == "running":
            scripted.told(noted, "runs", "resume", noted.run)
    met = [len(noted.in_flight) for noted in lives]
    print(f"seed {SEED}: {kills} kills in {len(lives)} runs of {seconds:.2f} s; prompts in flight: {met}")
    assert scripted.rows("SELECT id FROM runs WHERE status <> 'answered'") == []
    for noted in lives:
        shown = scripted.told(None, "runs", "show", noted.run)
        assert comparable(shown) == comparable(calm)
        assert shown["story"]["chain"]["holds"]
        assert _nodes(shown) == calm_steps
        torn, sent = Counter(noted.in_flight), Counter(noted.prompts("sent"))
        assert set(sent) == set(quiet.prompts("sent"))
        assert all(count <= 1 + torn[key] for key, count in sent.items()), (sent, torn)


def _nodes(shown: dict[str, Any]) -> list[str]:
    """What each stored step ran, by its number: a repeated step would stand there twice."""
    steps = shown["story"]["steps"]
    assert [step["step"] for step in steps] == list(range(len(steps)))
    return [",".join(step["nodes"]) for step in steps]
