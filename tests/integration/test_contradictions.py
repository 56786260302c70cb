"""Two documents that contradict each other, through the whole loop with a scripted model.

Told, and decided.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
import scripted_engine
from scripted_engine import ScriptedReader, scripted_appliance

from appliance.cli.transcript import event_lines, print_answer
from appliance.domain import Event, Principal, RunOptions, scope_of
from appliance.retrieval.search import Searcher
from appliance.views import AnswerView, answer_view
from appliance.wiring import Appliance

QUESTION = "How many beds does Larkfield Hospital have?"
QUESTION_ZH = "岚野医院有多少张病床？"
PLAIN = {
    "register.md": "# Register of hospitals\n\nLarkfield Hospital has 212 beds and a helipad.\n",
    "leaflet.md": "# Leaflet for patients\n\nLarkfield Hospital has 240 beds.\n",
    "other.md": "# Other hospitals\n\nBrannholm Hospital has 90 beds.\n",
}
PLAIN_ZH = {
    "a.md": "# 医院名录\n\n岚野医院有212张病床，设有直升机坪。\n",
    "b.md": "# 患者须知\n\n岚野医院有240张病床。\n",
    "c.md": "# 其他医院\n\n布兰医院有90张病床。\n",
}
SCRIPT = (
    (r"beds does Larkfield", "212 beds", "Larkfield Hospital has 212 beds"),
    (r"岚野医院", "212张", "岚野医院有212张病床"),
    (r"beds does Larkfield", "240", "can sleep 240 patients"),
)


@pytest.fixture(autouse=True)
def _script(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scripted_engine, "SCRIPT", SCRIPT)


@contextmanager
def opened(folder: Path, files: dict[str, str], sidecar: str = "") -> Iterator[Appliance]:
    library = folder / "library"
    library.mkdir()
    for name, text in files.items():
        (library / name).write_text(text, "utf-8")
    if sidecar:
        (library / "assay.toml").write_text(sidecar, "utf-8")
    with scripted_appliance(folder, library, ScriptedReader()) as appliance:
        yield appliance


def ask(appliance: Appliance, question: str) -> tuple[AnswerView, list[Event]]:
    run = appliance.researcher.start(
        question, principal=Principal(user="ann"), collection="default", options=RunOptions()
    )
    run = appliance.researcher.work(run)
    events = list(appliance.events.after(run.id, 0))
    return answer_view(run, events), [event for event in events if event.kind == "contradiction.found"]


@pytest.mark.parametrize(
    ("files", "question", "said"),
    [(PLAIN, QUESTION, "Sources disagree"), (PLAIN_ZH, QUESTION_ZH, "各来源说法不一")],
)
def test_what_nothing_decides_is_told_with_both_sides(
    tmp_path: Path, files: dict[str, str], question: str, said: str, capsys: pytest.CaptureFixture[str]
):
    with opened(tmp_path, files) as appliance:
        view, events = ask(appliance, question)
        print_answer(
            view, lambda each: appliance.passages.by_fingerprint(each, scope_of(Principal(user="ann")))
        )
    assert "sources disagree on" in capsys.readouterr().out
    assert [event.data["resolved"] for event in events] == [False]
    assert said in view.answer
    assert "212" in view.answer
    assert "240" in view.answer
    assert "212" in view.short
    assert "240" in view.short
    (found,) = view.contradictions
    assert (found.resolved, found.by, found.chosen) == (False, "", None)
    assert len({side.citations[0] for side in found.sides}) == 2
    decoded = msgspec.json.decode(msgspec.json.encode(view))
    assert decoded["contradictions"][0]["values"][0].startswith("212")
    assert event_lines(events[0])[0].endswith("undecided")


def test_the_more_binding_source_is_answered_with(tmp_path: Path):
    sidecar = (
        '[[rule]]\nfiles = ["register.md"]\nauthority = "draft"\n'
        '[[rule]]\nfiles = ["leaflet.md"]\nauthority = "official"\n'
    )
    with opened(tmp_path, PLAIN, sidecar) as appliance:
        view, events = ask(appliance, QUESTION)
    assert [event.data["by"] for event in events] == ["authority"]
    assert view.short.startswith("240")
    assert "superseded" in view.answer
    assert any("240 beds" in claim.text for claim in view.claims)
    assert not any("212 beds" in claim.text for claim in view.claims)
    assert view.contradictions[0].resolved


def test_the_newer_source_is_answered_with(tmp_path: Path):
    sidecar = (
        '[[rule]]\nfiles = ["register.md"]\npublished = "2021-03-01"\n'
        '[[rule]]\nfiles = ["leaflet.md"]\npublished = "2024-05-01"\n'
    )
    with opened(tmp_path, PLAIN, sidecar) as appliance:
        view, events = ask(appliance, QUESTION)
    assert [(event.data["by"], event.data["resolved"]) for event in events] == [("date", True)]
    assert view.short.startswith("240")
    assert "2024-05-01" in view.answer


def test_other_periods_and_other_hospitals_are_no_contradiction(tmp_path: Path):
    files = PLAIN | {
        "leaflet.md": "# Leaflet for patients\n\nIn 2009 Larkfield Hospital had 240 beds.\n",
        "register.md": "# Register of hospitals\n\nIn 2024 Larkfield Hospital has 212 beds and a helipad.\n",
    }
    with opened(tmp_path, files) as appliance:
        view, events = ask(appliance, QUESTION)
    assert not events
    assert not view.contradictions
    assert "240" not in view.answer


def test_another_document_asked_by_itself_contradicts_in_words_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A newer one overrules only in like words: here both sides are told. It costs one call."""
    files = PLAIN | {"leaflet.md": "# Leaflet for patients\n\nLarkfield can sleep 240 patients a night.\n"}
    sidecar = '[[rule]]\nfiles = ["leaflet.md"]\npublished = "2024-05-01"\n'
    plain, bears = (-0.5, 5.0)
    for relevance, calls, told in ((plain, 1, []), (bears, 2, [False])):
        monkeypatch.setattr(Searcher, "judge", lambda _, __, lines, same=relevance: [same] * len(lines))
        folder = tmp_path / str(relevance)
        folder.mkdir()
        with opened(folder, files, sidecar) as appliance:
            view, events = ask(appliance, QUESTION)
        assert [event.data["resolved"] for event in events] == told
        assert view.usage.calls == calls
        assert view.short.startswith("212")
        assert ("240" in view.short) is bool(told)
