"""Citations resolve for ever: every passage of every version, in its context, checked when it is shown."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from litestar.testing import TestClient

from appliance.app import create_app
from appliance.citing import ClaimAsked
from appliance.domain import Fingerprint, MetadataChange, PassageId, Principal, RunStatus, Scope
from appliance.errors import GoneError, NotFoundError, UserError
from appliance.wiring import Appliance
from tests.sample_library import LIBRARY
from tests.scripted_engine import QUESTION, ScriptedReader, scripted_appliance, write_library

ALL = Scope()
BASE = "http://127.0.0.1:8321"
RULES = """# Rules

## 1. Fees

The fee for entry 2024 is £40.00 a day.

## 2. Hours

The gate opens at 07:15.
"""


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Appliance]:
    library = write_library(tmp_path / "library")
    (library / "rules.md").write_text(RULES, "utf-8")
    flags: dict[str, object] = {
        "citations.contact": "records office",
        "citations.contacts": {"other": "elsewhere"},
        "registers": {"fees": {"pattern": "entry \\d+", "url": "https://fees.example/{id}"}},
    }
    with scripted_appliance(tmp_path, library, ScriptedReader(), flags) as appliance:
        yield appliance


def mark_of(appliance: Appliance, words: str) -> Fingerprint:
    (hit,) = [
        hit for hit in appliance.search(words, collection="default", k=20).hits if words in hit.passage.text
    ]
    return hit.passage.fingerprint


def renew(appliance: Appliance, tmp_path: Path, old: str, new: str) -> None:
    file = tmp_path / "library" / "rules.md"
    file.write_text(file.read_text("utf-8").replace(old, new), "utf-8")
    appliance.ingestor.ingest([file.parent], "default")


# ---------------------------------------------------------------- all of the sample library
WHOLE = bool(os.environ.get("ASSAY_WHOLE_LIBRARY"))


@pytest.mark.slow
def test_every_passage_of_every_version_resolves_and_is_whole(tmp_path: Path) -> None:
    library = tmp_path / "library"
    shutil.copytree(LIBRARY, library)
    if not WHOLE:  # every third file of a kind: a minute instead of five
        for suffix in {file.suffix for file in library.rglob("*.*")}:
            for at, file in enumerate(sorted(library.rglob(f"*{suffix}"))):
                if at % 3:
                    file.unlink()
    with scripted_appliance(tmp_path, library, ScriptedReader()) as appliance:
        first = _marks(appliance)
        texts = {row["fingerprint"]: row["text"] for row in _rows(appliance)}
        _edit(library)
        appliance.ingestor.ingest([library], "default")
        marks = _marks(appliance)
        assert set(first) < set(marks), "an older version's fingerprints stay"
        states: dict[str, int] = {}
        for mark in marks:
            view = appliance.citer.cite(mark, ALL)
            assert (view.fingerprint, view.integrity.state) == (mark, "ok"), view.integrity
            assert view.text == texts.get(mark, view.text)
            states[view.status.state] = states.get(view.status.state, 0) + 1
        versions = appliance.database.query("SELECT max(version) FROM versions GROUP BY document_id")
    assert len(first) > (400 if WHOLE else 130)
    assert sum(row[0] == 2 for row in versions) > (50 if WHOLE else 15)
    assert min(states[name] for name in ("current", "superseded", "renewed")) > (20 if WHOLE else 6), states


def _rows(appliance: Appliance) -> list[Any]:
    return appliance.database.query("SELECT id, fingerprint, text FROM passages ORDER BY id")


def _marks(appliance: Appliance) -> list[Fingerprint]:
    return [Fingerprint(row["fingerprint"]) for row in _rows(appliance)]


def _edit(library: Path) -> None:
    """A later state of every text file; of the others, each takes the content of the next of its kind."""
    for file in sorted(library.rglob("*")):
        if file.suffix in (".md", ".txt"):
            text = file.read_text("utf-8")
            file.write_text(text.replace("2023", "2025") + "\n\n## Annex Q\n\nAn annex.\n", "utf-8")
    for kind in (".pdf", ".docx", ".html"):
        files = sorted(library.rglob(f"*{kind}"))
        contents = [file.read_bytes() for file in files]
        for file, content in zip(files, [*contents[1:], contents[0]], strict=True):
            file.write_bytes(content)


# ---------------------------------------------------------------- versions
def test_a_superseded_passage_names_its_successor(opened: Appliance, tmp_path: Path) -> None:
    old, other = mark_of(opened, "£40.00"), mark_of(opened, "07:15")
    assert opened.citer.cite(old, ALL).status.said == "current"
    renew(opened, tmp_path, "£40.00", "£44.00")
    view = opened.citer.cite(old, ALL)
    new = mark_of(opened, "£44.00")
    day = opened.repositories.documents.versions(view.document.id, ALL)[1].ingested_at[:10]
    assert view.text == "The fee for entry 2024 is £40.00 a day."
    assert view.status.said == f"superseded on {day} by version 2"
    assert (view.status.state, view.status.by_version, view.current) == ("superseded", 2, False)
    assert [(one.version, one.fingerprint, one.same) for one in view.versions] == [(2, new, False)]
    successor = opened.citer.cite(new, ALL)
    assert [(one.version, one.fingerprint) for one in successor.versions] == [(1, old)]
    kept = opened.citer.cite(other, ALL)
    assert (kept.status.state, kept.status.by_version) == ("renewed", 2)
    assert "since version 1" in kept.status.said
    assert [(one.version, one.same) for one in kept.versions] == [(1, True)]


def test_a_renamed_section_is_found_in_the_other_version(opened: Appliance, tmp_path: Path) -> None:
    old = mark_of(opened, "£40.00")
    renew(opened, tmp_path, "## 1. Fees", "## 3. Charges")
    (there,) = opened.citer.cite(old, ALL).versions
    assert there.fingerprint is not None
    assert "Charges" in there.fingerprint
    renew(opened, tmp_path, "The fee for entry 2024 is £40.00 a day.", "Nothing.")
    gone = opened.citer.cite(old, ALL).versions[-1]
    assert (gone.version, gone.fingerprint) == (3, None)


def test_a_document_out_of_force_is_withdrawn(opened: Appliance) -> None:
    mark = mark_of(opened, "07:15")
    document = opened.citer.cite(mark, ALL).document
    change = MetadataChange(effective_from="2019-01-01", effective_to="2020-12-31")
    opened.repositories.documents.describe(document.id, change, ALL)
    view = opened.citer.cite(mark, ALL)
    assert (view.status.state, view.status.since) == ("withdrawn", "2020-12-31")


# ---------------------------------------------------------------- integrity
def test_a_changed_text_is_flagged(opened: Appliance) -> None:
    mark = mark_of(opened, "£40.00")
    with opened.database.transaction() as connection:
        connection.execute(
            "UPDATE passages SET text = replace(text, '40', '90') WHERE fingerprint = ?", (mark,)
        )
    view = opened.citer.cite(mark, ALL)
    assert (view.integrity.state, view.integrity.passage, view.integrity.original) == (
        "changed",
        "changed",
        "ok",
    )
    assert len(view.integrity.faults) == 2, "neither its sha256 nor its fingerprint"
    with opened.database.transaction() as connection:
        connection.execute("UPDATE passages SET section_path = 'x' WHERE fingerprint = ?", (mark,))
        connection.execute(
            "UPDATE passages SET text = replace(text, '90', '40') WHERE fingerprint = ?", (mark,)
        )
    assert opened.citer.cite(mark, ALL).integrity.passage == "changed"


def test_a_damaged_or_missing_original_is_flagged(opened: Appliance) -> None:
    mark = mark_of(opened, "£40.00")
    view = opened.citer.cite(mark, ALL)
    digest = opened.repositories.documents.versions(view.document.id, ALL)[0].blob_sha256
    original = opened.repositories.blobs.path(digest)
    original.write_bytes(original.read_bytes().replace(b"40.00", b"90.00"))
    view = opened.citer.cite(mark, ALL)
    assert (view.integrity.state, view.integrity.passage, view.integrity.original) == (
        "changed",
        "ok",
        "changed",
    )
    original.unlink()
    view = opened.citer.cite(mark, ALL)
    assert (view.integrity.state, view.integrity.original) == ("missing", "missing")
    assert "original of version 1 is missing" in view.integrity.faults[0]


# ---------------------------------------------------------------- who may
def test_what_may_not_be_read_is_unknown_also_when_it_is_gone(opened: Appliance) -> None:
    mark = mark_of(opened, "£40.00")
    document = opened.citer.cite(mark, ALL).document.id
    opened.repositories.documents.describe(document, MetadataChange(groups=("board",)), ALL)
    board = Scope(groups=("board", "everyone"))
    assert opened.citer.cite(mark, board).text
    unknown = Fingerprint(f"d-{'0' * 16}#1. Fees#{'0' * 64}")

    def said(wanted: Fingerprint) -> str:
        with pytest.raises(NotFoundError) as raised:
            opened.citer.cite(wanted, ALL)
        assert not isinstance(raised.value, GoneError)
        return str(raised.value).replace(wanted, "X")

    assert said(mark) == said(unknown)
    opened.ingestor.delete(document, board)
    assert said(mark) == said(unknown)
    with pytest.raises(GoneError, match="was deleted on 20"):
        opened.citer.cite(mark, board)


def test_a_deleted_document_that_comes_back_resolves_again(opened: Appliance, tmp_path: Path) -> None:
    mark = mark_of(opened, "£40.00")
    opened.ingestor.delete(opened.citer.cite(mark, ALL).document.id, ALL)
    with pytest.raises(GoneError):
        opened.citer.cite(mark, ALL)
    opened.ingestor.ingest([tmp_path / "library"], "default")
    assert opened.citer.cite(mark, ALL).integrity.state == "ok"


# ---------------------------------------------------------------- claims
def test_a_claims_support_is_recorded_and_shown(opened: Appliance) -> None:
    run = opened.researcher.start(QUESTION, principal=Principal(), collection="default")
    finished = opened.researcher.work(run)
    assert finished.status is RunStatus.ANSWERED
    assert finished.answer is not None
    for index, claim in enumerate(finished.answer.claims):
        assert len(claim.spans) == len(claim.citations) > 0
        for mark, spans in zip(claim.citations, claim.spans, strict=True):
            view = opened.citer.cite(mark, ALL, asked=ClaimAsked(run=finished.id, index=index))
            assert view.highlights == spans != ()
            assert view.claim == claim.text
    claim = finished.answer.claims[0]
    other = mark_of(opened, "£40.00")
    for asked, message in (
        (ClaimAsked(run=finished.id, index=0), "does not cite"),
        (ClaimAsked(run=finished.id, index=99), "no claim 99"),
        (ClaimAsked(run=finished.id), "run and the index"),
        (ClaimAsked(index=0), "run and the index"),
        (ClaimAsked(text="x", run=finished.id, index=0), "one of them"),
        (ClaimAsked(text="x" * 2001), "at most 2,000"),
    ):
        with pytest.raises(UserError, match=message):
            opened.citer.cite(other, ALL, asked=asked)
    asked = ClaimAsked(run=finished.id, index=0)
    with pytest.raises(NotFoundError, match="no run"):
        opened.citer.cite(claim.citations[0], ALL, asked=asked, user="eve")


def test_over_http_with_a_claim(opened: Appliance) -> None:
    mark = quote(mark_of(opened, "£40.00"), safe="")
    with TestClient(create_app(opened), base_url=BASE) as client:
        found = client.get(f"/api/passages/{mark}", params={"claim": "Entry costs £40.00 a day"})
        assert found.status_code == 200, found.text
        body = found.json()
        assert body["highlights"] == [{"start": 0, "end": len(body["text"])}]
        assert body["heading"] == ["Rules", "1. Fees"]
        assert body["integrity"]["state"] == "ok"
        assert body["status"]["state"] == "current"
        assert body["contact"] == {"owner": "", "contact": "records office", "named_by": "installation"}
        assert [link["url"] for link in body["registers"]] == ["https://fees.example/entry%202024"]
        assert client.get(f"/api/passages/{mark}", params={"index": 3}).status_code == 400
        assert client.get(f"/api/passages/{mark}", params={"run": "r-0", "index": 0}).status_code == 404
        document = body["document"]["id"]
        assert client.delete(f"/api/documents/{document}").status_code < 300
        gone = client.get(f"/api/passages/{mark}")
        assert (gone.status_code, gone.json()["kind"]) == (410, "gone")


def test_neighbours_are_of_the_same_section(tmp_path: Path) -> None:
    (tmp_path / "library").mkdir()
    words = [f"Sentence number {n} says {'word ' * 12}here." for n in range(60)]
    (tmp_path / "library" / "long.md").write_text(
        f"# Long\n\n## One\n\n{' '.join(words)}\n\n## Two\n\nShort end.\n", "utf-8"
    )
    flags: dict[str, object] = {
        "ingest.passage_tokens_max": 160,
        "ingest.passage_tokens_min": 100,
        "citations.neighbours": 2,
    }
    with scripted_appliance(tmp_path, tmp_path / "library", ScriptedReader(), flags) as appliance:
        ids = [PassageId(row["id"]) for row in _rows(appliance)]
        passages = appliance.passages.passages(ids, ALL)
        assert len(passages) >= 5
        for at, passage in enumerate(passages):
            view = appliance.citer.cite(passage.fingerprint, ALL)
            one = [each.fingerprint for each in passages if each.section_path == passage.section_path]
            place = one.index(passage.fingerprint)
            assert [each.fingerprint for each in view.before] == one[max(0, place - 2) : place], at
            assert [each.fingerprint for each in view.after] == one[place + 1 : place + 3], at
