"""The shapes that the CLI and the API share, the statuses of errors, and upload names. No model needed."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from appliance.api.errors import status_of
from appliance.api.uploads import MOST_NAME_BYTES, safe_name
from appliance.app import serve
from appliance.config import Config, Server
from appliance.domain import (
    Answer,
    Claim,
    ClaimKind,
    DocumentId,
    Event,
    Fingerprint,
    Hit,
    Passage,
    PassageId,
    Retrieval,
    RunId,
    RunStatus,
    Strategy,
    Usage,
)
from appliance.errors import (
    AssayError,
    BackendError,
    BusyError,
    ConfigError,
    DamagedError,
    NotFoundError,
    RefusedFileError,
    StorageFullError,
    UserError,
)
from appliance.store.runs import RunRecord
from appliance.views import answer_view
from appliance.views_search import search_rows

MARK = Fingerprint("d-1#A > B#" + "0" * 64)
PASSAGE = Passage(
    id=PassageId(7),
    fingerprint=MARK,
    document_id=DocumentId("d-1"),
    record_id="a.md",
    collection="c",
    title="A",
    section_path="A > B",
    text="The mast is 30 m high.",
    language="en",
    token_count=7,
)


def as_json(value: object) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


def run(status: RunStatus, answer: Answer | None = None) -> RunRecord:
    return RunRecord(
        id=RunId("r-1"),
        question="How high is the mast?",
        collection="c",
        user="local",
        groups=("everyone",),
        status=status,
        config_digest="",
        model_digests={},
        created_at="2026-01-01",
        answer=answer,
        usage=Usage(calls=2, prompt_tokens=30) if answer else None,
        timings={"seconds": 1.5} if answer else {},
    )


def events(*pairs: tuple[str, dict[str, object]]) -> list[Event]:
    return [Event(seq=n, kind=kind, at="t", data=data) for n, (kind, data) in enumerate(pairs, start=1)]


PLAN: dict[str, object] = {
    "attempt": 1,
    "origin": "model",
    "tasks": [
        {"id": 1, "question": "Which mast?", "tool": "documents"},
        {"id": 2, "question": "How high is {1}?", "tool": "documents"},
    ],
}


def test_a_search_row_has_the_documented_fields_and_values():
    hit = Hit(passage=PASSAGE, fused_score=0.5, lexical_score=2.0, lexical_rank=1, rerank_score=0.75)
    rows = search_rows(Retrieval(hits=(hit,), strategy=Strategy.HYBRID))
    assert as_json(rows) == [
        {
            "rank": 1,
            "document_id": "d-1",
            "record_id": "a.md",
            "fingerprint": MARK,
            "title": "A",
            "section": "A > B",
            "text": "The mast is 30 m high.",
            "scores": {"dense": None, "lexical": 2.0, "fused": 0.5, "rerank": 0.75},
        }
    ]


def test_an_ended_run_shows_its_answer_and_a_reopened_one_does_not():
    claim = Claim(text="It is 30 m high.", kind=ClaimKind.FACT, citations=(MARK,), quote="q")
    answer = Answer(status=RunStatus.PARTIAL, answer="30 m", claims=(claim,), missing=("its colour",))
    ended = as_json(answer_view(run(RunStatus.PARTIAL, answer), []))
    assert ended["status"] == "partial"
    assert ended["answer"] == "30 m"
    assert ended["claims"] == [
        {
            "text": "It is 30 m high.",
            "kind": "fact",
            "citations": [MARK],
            "support": "supported",
            "spans": [],
            "as_of": "",
        }
    ]
    assert ended["missing"] == ["its colour"]
    assert ended["timings"] == {"seconds": 1.5}
    assert ended["usage"]["prompt_tokens"] == 30
    running = answer_view(run(RunStatus.RUNNING, answer), [])
    assert (running.status, running.answer, running.claims) == (RunStatus.RUNNING, "", ())


def test_steps_tell_what_each_task_asked_and_found():
    view = answer_view(
        run(RunStatus.RUNNING),
        events(
            ("run.started", {"question": "q"}),
            ("plan.made", PLAN),
            ("task.started", {"task": 1, "question": "Which mast?", "tool": "documents"}),
            ("passages.found", {"task": 1, "passages": [{"fingerprint": MARK}], "degraded": ["no zh"]}),
            ("finding.made", {"task": 1, "found": True, "answer": "Tor", "claims": [], "missing": ""}),
            ("task.started", {"task": 2, "question": "How high is Tor?", "tool": "documents"}),
        ),
    )
    first, second = view.steps
    assert (first.found, first.answer, first.passages, first.degraded) == (True, "Tor", (MARK,), ("no zh",))
    assert (second.question, second.found) == ("How high is Tor?", None)


def test_a_step_repeated_after_a_kill_is_shown_once_and_a_second_plan_beside_the_first():
    found: dict[str, object] = {"task": 1, "found": False, "answer": "", "missing": "m"}
    second = {**PLAN, "attempt": 2, "tasks": [{"id": 1, "question": "q", "tool": "documents"}]}
    view = answer_view(
        run(RunStatus.RUNNING),
        events(
            ("plan.made", PLAN),
            ("plan.made", PLAN),
            ("finding.made", found),
            ("run.resumed", {}),
            ("finding.made", {**found, "found": True, "answer": "Tor"}),
            ("plan.made", second),
        ),
    )
    assert [(step.attempt, step.task, step.found) for step in view.steps] == [
        (1, 1, True),
        (1, 2, None),
        (2, 1, None),
    ]


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (NotFoundError("x"), 404),
        (UserError("x"), 400),
        (RefusedFileError("x"), 422),
        (BusyError("x"), 503),
        (StorageFullError("x"), 507),
        (ConfigError("x"), 500),
        (DamagedError("x"), 500),
        (BackendError("x"), 500),
    ],
)
def test_each_error_has_its_status(error: AssayError, status: int):
    assert status_of(error) == status


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("report.pdf", "report.pdf"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\年报 2023.docx", "年报 2023.docx"),
        (".bashrc", "bashrc"),
        ("a\x00b\n.txt", "ab.txt"),
        ("x" * 300 + ".md", "x" * (MOST_NAME_BYTES - 3) + ".md"),
        ("图" * 100 + ".md", "图" * 65 + ".md"),
    ],
)
def test_an_upload_keeps_its_name_and_no_path(given: str, kept: str):
    assert safe_name(given) == kept


@pytest.mark.parametrize("given", ["", "..", "a/", "\x00"])
def test_a_name_of_nothing_is_refused(given: str):
    with pytest.raises(UserError, match="no file name"):
        safe_name(given)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "assay.example"])
def test_only_loopback_is_served(host: str):
    class Configured:
        config = Config(server=Server(host=host))

    with pytest.raises(ConfigError, match="no sign-in yet: only loopback"):
        serve(Configured())  # type: ignore[arg-type]
