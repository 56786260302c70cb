from __future__ import annotations

import subprocess
import sys

import pytest

from appliance.cli.application import run
from appliance.cli.session import overridden
from appliance.cli.transcript import event_lines
from appliance.config import Config
from appliance.domain import Event
from appliance.errors import ConfigError

COMMANDS = (
    "init serve doctor ingest rebuild collections passage search connectors ask demo models documents runs "
    "eval"
).split()


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]):
    assert run(["--help"]) == 0
    shown = capsys.readouterr().out
    assert [name for name in COMMANDS if name not in shown] == []


def test_help_imports_no_heavy_part():
    program = (
        "import sys; from appliance.cli.application import run; run(['--help']);"
        "heavy = ('numpy', 'langgraph', 'onnxruntime', 'pymilvus', 'llama_cpp');"
        "print([m for m in heavy if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("kind", "data", "lines"),
    [
        ("finding.made", {"found": True, "answer": "52%"}, ["  found: 52%"]),
        ("finding.made", {"found": False, "missing": "the price"}, ["  not found: the price"]),
        (
            "plan.made",
            {"attempt": 2, "origin": "simple", "tasks": [{"id": 1, "question": "q"}]},
            ["new plan (simple):", "  1. q"],
        ),
        ("something.new", {}, ["something.new"]),
    ],
)
def test_events_are_lines_for_people(kind: str, data: dict[str, object], lines: list[str]):
    assert event_lines(Event(seq=1, kind=kind, at="", data=data)) == lines


def test_a_command_may_override_a_key():
    assert overridden(Config(), {"retrieval.rerank_k": 0}).retrieval.rerank_k == 0
    with pytest.raises(ConfigError):
        overridden(Config(), {"retrieval.rerank_k": -1})
