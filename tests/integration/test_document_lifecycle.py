"""Metadata, permissions, versions and erasure by the command line: real store, indexes and parsers."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from appliance.cli.application import run
from appliance.domain import Completion, Prompt, Usage
from appliance.ports import Vectors
from appliance.wiring import Appliance

SECRET = "Quagmirefern-77"
GEHEIM = "秘密代号翡翠鹰"
QUESTION = "What does the Velm valve cost?"
OTHER = "Which vehicles come before planes?"
PRICES = f"# Price list\n\n## Valves {SECRET}\n\nA Velm valve costs £49.00, project {SECRET} ({GEHEIM}).\n"
Assay = Callable[..., Any]


class CountingEmbedder:
    name, digest, dim = "multilingual-e5-small", "1" * 64, 32

    def __init__(self) -> None:
        self.embedded: list[str] = []
        self.made: dict[str, bytes] = {}

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.embedded += texts
        vectors = self.embed_queries(texts)
        self.made.update({text: bytes(row) for text, row in zip(texts, vectors, strict=True)})
        return vectors

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        rows = [np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype=np.uint8) for text in texts]
        vectors = np.array(rows, dtype=np.float32).reshape(-1, self.dim) - 127.5
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


class PriceReader:
    name, digest = "scripted", "2" * 64

    def complete(self, prompt: Prompt, **_: object) -> Completion:
        if OTHER in prompt.user:
            said = {"found": True, "answer": "Trains", "statement": "Trains before planes."}
            return Completion(text=json.dumps(said), usage=Usage(calls=1))
        seen = "£49.00" in prompt.user
        reply = {
            "found": seen,
            "answer": "£49.00" if seen else "",
            "statement": f"A Velm valve costs £49.00, project {SECRET}." if seen else "",
        }
        return Completion(text=json.dumps(reply), usage=Usage(calls=1))

    def count_tokens(self, text: str) -> int:
        return len(text.split())


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> CountingEmbedder:
    counting = CountingEmbedder()
    monkeypatch.setenv("ASSAY__RERANKING__MODEL", "")
    monkeypatch.setenv("ASSAY__RERANKING__MODEL_ZH", "")
    monkeypatch.setattr(Appliance, "_open_embedder", lambda self, name: counting)
    monkeypatch.setattr(Appliance, "model", PriceReader())
    return counting


@pytest.fixture
def assay(tmp_path: Path, embedder: CountingEmbedder, capsys: pytest.CaptureFixture[str]) -> Assay:
    """Runs a command that must succeed and gives its JSON; ``refused`` one that must not: its one line."""

    def command(*arguments: object, as_: Sequence[str] = (), refused: bool = False) -> Any:
        capsys.readouterr()
        code = run(["--data", str(tmp_path / "data"), *as_, *map(str, arguments)])
        captured = capsys.readouterr()
        if refused:
            assert code != 0
            return captured.err + captured.out
        assert code == 0, captured.err + captured.out
        return json.loads(captured.out) if "--json" in arguments else captured.out

    return command


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "files"
    (made / "policies" / "drafts").mkdir(parents=True)
    (made / "prices.md").write_text(PRICES, "utf-8")
    (made / "policies" / "travel.md").write_text("# Travel\n\nTrains before planes.\n")
    (made / "policies" / "drafts" / "parking.md").write_text("# Parking\n\nBicycles only.\n")
    return made


def shown(assay: Assay, name: str) -> dict[str, Any]:
    return assay("documents", "show", name, "--json")["document"]


def test_rules_side_cars_and_flags_say_what_a_file_is(assay: Assay, folder: Path) -> None:
    (folder / "assay.toml").write_text(
        '[[rule]]\nfiles = ["policies/**"]\nowner = "Legal"\nauthority = "official"\ndeny = ["interns"]\n'
        '[[rule]]\nfiles = ["*.md"]\nreview_by = 2020-01-31\n'
    )
    (folder / "policies" / "drafts" / "assay.toml").write_text(
        '[[rule]]\nfiles = ["**"]\nauthority = "draft"\ndeny = ["user:eve"]\n'
    )
    (folder / "policies" / "travel.md.meta.toml").write_text(
        'contact = "travel@example.org"\ntags = ["travel"]\neffective_from = "2024-01-01"\n'
        "[registers]\npolicy = 'P-7'\n"
    )
    report = assay("ingest", folder, "--contact", "desk", "--register", "board=B1", "--json")
    assert report["documents"] == 3, "rules and side-cars are no documents"
    travel, parking = shown(assay, "policies/travel.md"), shown(assay, "policies/drafts/parking.md")
    assert (travel["metadata"]["owner"], travel["metadata"]["authority"]) == ("Legal", "official")
    assert travel["metadata"]["contact"] == "desk", "a flag wins over what lies beside the file"
    assert travel["metadata"]["registers"] == {"policy": "P-7", "board": "B1"}
    assert (travel["metadata"]["review_by"], travel["effective_from"]) == ("2020-01-31", "2024-01-01")
    assert parking["metadata"]["authority"] == "draft", "the nearest folder wins"
    assert parking["denied"] == ["interns", "user:eve"], "a deny is never overruled"
    due = assay("documents", "list", "--due", "--json")
    assert len(due) == 3
    assay("documents", "set", "prices.md", "--clear", "review-by")
    assert len(assay("documents", "list", "--due", "--json")) == 2
    assert "P-7" in assay("documents", "show", "policies/travel.md")


def test_a_wrong_key_is_told_with_its_file(assay: Assay, folder: Path) -> None:
    (folder / "prices.md.meta.toml").write_text('ownr = "x"\n')
    line = assay("ingest", folder, refused=True)
    assert "prices.md.meta.toml" in line
    assert "unknown field `ownr`" in line
    (folder / "assay.toml").write_text('[[rule]]\nfiles = ["*"]\nauthority = "holy"\n')
    line = assay("ingest", folder, refused=True)
    assert "assay.toml: Invalid enum value 'holy' - at `$.rule[0].authority`" in line
    assert line.count("\n") == 1, "before anything is done"
    line = assay("ingest", folder, "--review-by", "2023-02-30", refused=True)
    assert line.startswith("error: --review-by: review_by '2023-02-30' is no date")


def test_metadata_changes_without_the_embedder(
    assay: Assay, folder: Path, embedder: CountingEmbedder
) -> None:
    assay("ingest", folder)
    embedder.embedded.clear()
    (folder / "prices.md.meta.toml").write_text('owner = "Sales"\npublished = "2021-05"\n')
    assert assay("ingest", folder, "--json")["skipped"] == 3
    assert shown(assay, "prices.md")["metadata"]["owner"] == "Sales"
    changed = assay("documents", "set", "prices.md", "--group", "board", "--owner", "Board", "--json")
    assert (changed["groups"], changed["published"]) == (["board"], "2021-05")
    assert assay("documents", "list", "--json", as_=["--as-group", "board"])[2]["groups"] == ["board"]
    assert embedder.embedded == []
    (hit,) = assay("search", "Velm valve", "--strategy", "lexical", "--json", as_=["--as-group", "board"])
    assert hit["record_id"] == "prices.md"
    assay("ingest", folder, "--json")
    assert "no document" in assay("documents", "show", "prices.md", refused=True), "re-ingest opens nothing"


def test_a_denied_user_sees_nothing(assay: Assay, folder: Path) -> None:
    assay("ingest", folder, "--group", "staff", "--deny", "user:eve", "--deny", "interns")
    ann, eve = ["--as-group", "staff"], ["--as-group", "staff", "--as-user", "eve"]
    mark = assay("search", "Velm valve", "--strategy", "lexical", "--json", as_=ann)[0]["fingerprint"]
    assert len(assay("documents", "list", "--json", as_=ann)) == 3
    for who in (eve, [*ann, "--as-group", "interns"], []):
        assert assay("documents", "list", "--json", as_=who) == []
        for strategy in ("dense", "lexical", "hybrid"):
            assert assay("search", "Velm valve", "--strategy", strategy, "--json", as_=who) == []
        for command in ("show", "versions", "diff", "delete", "erase"):
            assert "no document" in assay("documents", command, "prices.md", as_=who, refused=True)
        for wanted in (mark, mark.rpartition("#")[2][:12]):
            assert "no passage" in assay("passage", wanted, as_=who, refused=True)
        answer = assay("ask", QUESTION, "--json", as_=who)
        assert (answer["status"], answer["claims"]) == ("insufficient", [])
    assert assay("ask", QUESTION, "--json", as_=ann)["status"] == "answered"


def test_versions_by_declared_id_and_fingerprints_for_ever(
    assay: Assay, tmp_path: Path, embedder: CountingEmbedder
) -> None:
    files = tmp_path / "manuals"
    files.mkdir()
    sections = [f"## {n}. Part {n}\n\nThe part number {n} says {'word ' * 30}{n}.\n" for n in range(1, 9)]
    (files / "manual-2022.md").write_text("# Manual\n\n" + "\n".join(sections))
    (files / "manual-2022.md.meta.toml").write_text('document_id = "TM-1"\neffective_to = "2022-12-31"\n')
    assay("ingest", files)
    old = assay("search", "part number 3", "--json", "--k", "50")
    embedder.embedded.clear()
    assert assay("ingest", files, "--json")["skipped"] == 1
    assert embedder.embedded == [], "an unchanged folder"

    sections[2] = sections[2].replace("says", "now says")
    (files / "manual-2023.md").write_text("# Manual\n\n" + "\n".join(sections))
    (files / "manual-2023.md.meta.toml").write_text('document_id = "TM-1"\neffective_from = "2023-01-01"\n')
    assay("ingest", files)
    assert len(embedder.embedded) == 1, "only the paragraph that was edited"
    assert "now says" in embedder.embedded[0]
    assert assay("ingest", files, "--json")["skipped"] == 2, "they do not replace each other in turns"
    versions = assay("documents", "versions", "TM-1", "--json")
    assert [(v["version"], v["effective_from"], v["effective_to"]) for v in versions] == [
        (1, None, "2022-12-31"),
        (2, "2023-01-01", None),
    ]
    (change,) = assay("documents", "diff", "TM-1", "1", "2", "--json")
    assert (change["change"], change["section"]) == ("changed", "3. Part 3")
    assert [piece["text"] for piece in change["texts"][0]["pieces"] if piece["op"] != "equal"] == ["now "]
    (before,), (after,) = change["old_fingerprints"], change["new_fingerprints"]
    assay("rebuild")
    assert len(embedder.embedded) == 1
    assert assay("passage", before, "--json")["current"] is False
    assert assay("passage", after, "--json")["current"] is True
    for hit in old:
        assert assay("passage", hit["fingerprint"], "--json")["text"] == hit["text"]
    found = assay("search", "part number 3", "--json", "--k", "50")
    assert before not in [hit["fingerprint"] for hit in found], "old versions leave default retrieval"


def test_after_erasing_no_byte_of_it_is_left(
    assay: Assay, folder: Path, tmp_path: Path, embedder: CountingEmbedder
) -> None:
    assay("ingest", folder)
    (folder / "prices.md").write_text(PRICES.replace("£49.00", "£49.00 net"), "utf-8")
    shutil.copy(folder / "prices.md", tmp_path / f"{SECRET}.md")
    assay("ingest", folder)
    mine = [vector for text, vector in embedder.made.items() if SECRET in text]
    quoting = assay("ask", QUESTION, "--json")
    other = assay("ask", OTHER, "--json")
    assert assay("search", f"{SECRET} price", "--json"), "and kept"
    (mark,) = quoting["claims"][0]["citations"]
    needles = [SECRET.encode(), GEHEIM.encode(), *mine]
    data = tmp_path / "data"
    assert set(needles) == {needle for needle in needles if holders(data, needle)}, "it was everywhere"

    report = assay("documents", "erase", "prices.md", "--yes", "--json")
    assert [(holders(data, needle), needle[:9]) for needle in needles] == [([], n[:9]) for n in needles]
    removed = {(each["where"], each["what"]): each["count"] for each in report["removed"]}
    assert removed["database", "versions"] == 2
    assert removed["cache", "embeddings"] == len(mine) == 2
    assert removed["originals", "files"] == 2
    assert quoting["run_id"] in report["runs"]

    kept = assay("runs", "show", quoting["run_id"], "--json")
    assert kept["question"] == QUESTION
    assert "erased on 20" in kept["claims"][0]["text"]
    assert "erased on 20" in assay("passage", kept["claims"][0]["citations"][0], refused=True)
    assert "was erased on 20" in assay("passage", mark.replace(SECRET, "x"), refused=True)
    assert assay("search", "Velm valve", "--json", "--strategy", "lexical") == []
    assert len(assay("documents", "list", "--json")) == 2
    assert other["claims"][0]["text"] == "Trains before planes."
    after = assay("runs", "show", other["run_id"], "--json")
    assert after["claims"] == other["claims"], "what rests on other documents stays"


def test_what_an_erasure_cannot_reach_is_told(assay: Assay, tmp_path: Path) -> None:
    lines = [json.dumps({"id": f"r{n}", "title": f"T{n}", "text": f"Velm {n} {SECRET}"}) for n in (1, 2)]
    (tmp_path / "records.jsonl").write_text("\n".join(lines))
    assay("ingest", tmp_path / "records.jsonl")
    report = assay("documents", "erase", "r1", "--yes", "--json")
    assert any("also holds 1 other document" in rest["why"] for rest in report["remains"])
    assert [d["record_id"] for d in assay("documents", "list", "--json")] == ["r2"]
    report = assay("documents", "erase", "r2", "--yes", "--json")
    assert holders(tmp_path / "data", SECRET.encode()) == []
    assert all("also holds" not in rest["why"] for rest in report["remains"])


def test_a_deleted_document_keeps_no_original(assay: Assay, folder: Path, tmp_path: Path) -> None:
    assay("ingest", folder)
    mark = assay("search", "Velm valve", "--strategy", "lexical", "--json")[0]["fingerprint"]
    assay("documents", "delete", "prices.md", "--yes")
    assert "no passage" in assay("passage", mark, refused=True)
    assert [path for path in holders(tmp_path / "data", SECRET.encode()) if "blobs" in path] == []


def holders(data: Path, needle: bytes) -> list[str]:
    """Every file in the data folder that holds these bytes, in its content or its name."""
    return [
        str(path.relative_to(data))
        for path in sorted(data.rglob("*"))
        if (path.is_file() and needle in path.read_bytes()) or needle in path.name.encode()
    ]
