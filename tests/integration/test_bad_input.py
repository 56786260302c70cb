"""Bad input at the command line: one line that says what and what to do, and everything else is done."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from pypdf import PdfWriter
from scripted_engine import HashEmbedder

from appliance.cli.application import run
from appliance.wiring import Appliance

Assay = Callable[..., tuple[int, str, str]]
TEXT_200_MB = 200_000_000


@pytest.fixture
def assay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Runs a command on this test's data folder: exit code, stdout, stderr."""
    monkeypatch.setenv("ASSAY__RERANKING__MODEL", "")
    monkeypatch.setenv("ASSAY__RERANKING__MODEL_ZH", "")
    monkeypatch.setattr(Appliance, "_open_embedder", lambda self, name: HashEmbedder())

    def command(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = run(["--data", str(tmp_path / "data"), *map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return command


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    """A folder with one good file before and one after whatever a test adds."""
    folder = tmp_path / "inbox"
    folder.mkdir()
    (folder / "a-good.md").write_text("# Harbour\n\nThe quartzite pier opened in 1903.\n", "utf-8")
    (folder / "z-good.txt").write_text("海塘工程的验收报告于三月完成。", "utf-8")
    return folder


def holders(assay: Assay, words: str) -> list[str]:
    """Record ids of the passages that hold the words."""
    code, out, _ = assay("search", words, "--strategy", "lexical", "--json")
    assert code == 0
    return [hit["record_id"] for hit in json.loads(out)]


def assert_good_files_are_in(assay: Assay) -> None:
    assert holders(assay, "quartzite pier") == ["a-good.md"]
    assert holders(assay, "海塘工程") == ["z-good.txt"]


def without_progress(err: str) -> str:
    """What was said on stderr beside the line of progress that a slow machine shows every few seconds."""
    return "".join(line for line in err.splitlines(keepends=True) if " files · " not in line)


def assert_refused(assay: Assay, inbox: Path, name: str, *said: str) -> None:
    """Exit code 3; one line names the file, the trouble and the way out; the other files are in."""
    code, out, err = assay("ingest", inbox)
    assert (code, without_progress(err)) == (3, "")
    assert "refused (1):" in out
    (line,) = [line for line in out.splitlines() if name in line]
    assert out.endswith(line + "\n")
    assert line.startswith(f"  {inbox / name}")
    assert " — " in line
    for words in said:
        assert words in line
    assert "Traceback" not in out
    assert_good_files_are_in(assay)


def assert_told(found: tuple[int, str, str], code: int, *said: str) -> None:
    """Nothing on stdout, one line on stderr with what is wrong and what to do."""
    got, out, err = found
    assert (got, out) == (code, ""), err
    err = without_progress(err)
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert " — " in err
    for words in said:
        assert words in err


# ---------------------------------------------------------------- files that are refused
@pytest.mark.parametrize(
    "name", ["nothing.txt", "nothing.md", "nothing.html", "nothing.jsonl", "nothing.pdf"]
)
def test_an_empty_file(assay: Assay, inbox: Path, name: str):
    (inbox / name).write_bytes(b"")
    assert_refused(assay, inbox, name, "is empty")


def test_a_pdf_with_a_password(assay: Assay, inbox: Path):
    writer = PdfWriter()
    writer.add_blank_page(300, 300)
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write(inbox / "locked.pdf")
    assert_refused(assay, inbox, "locked.pdf", "protected by a password", "save a copy without the password")


def test_text_renamed_to_pdf(assay: Assay, inbox: Path):
    (inbox / "letter.pdf").write_text("Dear Sir, this is a letter.\n")
    assert_refused(assay, inbox, "letter.pdf", "is not a PDF", "rename it to .txt")


def test_200_mb_of_text_are_refused_by_size_and_not_read(
    assay: Assay, inbox: Path, monkeypatch: pytest.MonkeyPatch
):
    huge = inbox / "huge.txt"
    with huge.open("wb") as file:
        file.truncate(TEXT_200_MB)
    opened: list[Path] = []
    original = Path.open

    def watched(path: Path, *arguments: object, **named: object):
        opened.append(path)
        return original(path, *arguments, **named)

    monkeypatch.setattr(Path, "open", watched)
    assert_refused(assay, inbox, "huge.txt", "200 MB", "105 MB", "ingest.max_file_bytes")
    assert inbox / "a-good.md" in opened
    assert huge not in opened


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (b'{"id": "r2", "text": "torn of', "not valid JSON"),
        (b'{"id": "r2", "title": "no text"}', "`text`"),
        (b'{"id": "r2", "text": "\xc4\xe3\xba\xc3"}', "UTF-8"),
    ],
)
def test_a_broken_line_in_the_middle_of_jsonl(assay: Assay, inbox: Path, broken: bytes, said: str):
    lines = (b'{"id": "r1", "text": "amber gate"}', broken, b'{"id": "r3", "text": "violet gate"}')
    (inbox / "records.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    assert_refused(assay, inbox, "records.jsonl", "line 2", said)
    assert holders(assay, "amber") == ["r1"]
    assert holders(assay, "violet") == ["r3"]


def test_text_in_gb18030_is_read_right(assay: Assay, inbox: Path):
    report = "公司的年度报告指出，镇海码头的货物吞吐量在这一年里增长了百分之十二。"
    (inbox / "report.txt").write_bytes(report.encode("gb18030"))
    code, _, err = assay("ingest", inbox)
    assert (code, without_progress(err)) == (0, "")
    out = assay("search", "镇海码头吞吐量", "--strategy", "lexical", "--json")[1]
    assert [(hit["record_id"], hit["text"]) for hit in json.loads(out)] == [("report.txt", report)]
    assert_good_files_are_in(assay)


@pytest.mark.parametrize("lowest", [0, 128], ids=["with zeros", "high bytes only"])
def test_random_bytes_named_txt(assay: Assay, inbox: Path, lowest: int):
    dice = random.Random(3)
    (inbox / "noise.txt").write_bytes(bytes(dice.randint(lowest, 255) for _ in range(6_000)))
    assert_refused(assay, inbox, "noise.txt", "save it as UTF-8")


# ---------------------------------------------------------------- wrong usage
def test_a_missing_path_is_told_before_anything_is_done(assay: Assay, inbox: Path, tmp_path: Path):
    gone = tmp_path / "gone.md"
    assert_told(assay("ingest", inbox, gone), 2, f"no such file or folder: {gone}", "check the path")
    assert json.loads(assay("collections", "--json")[1]) == []
    assert assay("ingest", inbox)[0] == 0
    assert_told(assay("ingest", gone), 2, str(gone))
    assert_good_files_are_in(assay)


@pytest.mark.parametrize("command", ["search", "ask"])
def test_an_unknown_collection(assay: Assay, inbox: Path, command: str):
    assay("ingest", inbox)
    assert_told(assay(command, "Who?", "--collection", "nowhere"), 2, "no collection 'nowhere'", "default")
    assert json.loads(assay("runs", "list", "--json")[1]) == []


@pytest.mark.parametrize(
    ("question", "said"),
    [("", "is empty"), (" \n\t ", "is empty"), ("why " * 12_500, "has 49,999 characters, more than 4,000")],
    ids=["empty", "blank", "50,000 characters"],
)
def test_a_question_that_is_none(assay: Assay, inbox: Path, question: str, said: str):
    assay("ingest", inbox)
    assert_told(assay("ask", question), 2, "the question", said)
    assert_told(assay("search", question), 2, "the query", said)
    assert json.loads(assay("runs", "list", "--json")[1]) == []
    assert_good_files_are_in(assay)
