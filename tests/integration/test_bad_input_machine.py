"""Trouble with the machine: no right to write, a full disk, a second process, a model file cut short."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from test_bad_input import assay, assert_good_files_are_in, assert_told, inbox, without_progress

from appliance.cli.session import Session
from appliance.wiring import Appliance
from models.manifest import load_manifest

__all__ = ["assay", "inbox"]
Assay = Callable[..., tuple[int, str, str]]
DISK = 48 << 20
OPEN_EMBEDDER = Appliance._open_embedder


# ---------------------------------------------------------------- the data folder
@pytest.mark.parametrize("place", ["{file}", "{file}/data", "/proc/assay-data"])
def test_a_data_folder_that_cannot_be_written(assay: Assay, inbox: Path, tmp_path: Path, place: str):
    file = tmp_path / "file"
    file.write_text("not a folder")
    folder = place.format(file=file)
    found = assay("--data", folder, "ingest", inbox)
    assert_told(found, 2, f"the data folder {folder} is not writable", "paths.data")
    assert file.read_text() == "not a folder"


def test_a_second_process_on_the_same_data_folder(assay: Assay, inbox: Path, tmp_path: Path):
    assay("ingest", inbox)
    data = tmp_path / "data"
    command = [sys.executable, "-m", "appliance.cli", "--data", str(data), "ingest", str(inbox)]
    with Session(data=data, command="assay serve").appliance():
        second = subprocess.run(command, capture_output=True, text=True, timeout=60)
    found = (second.returncode, second.stdout, second.stderr)
    assert_told(found, 1, f"{data} is in use by process {os.getpid()} (assay serve)", "stop it")
    assert_good_files_are_in(assay)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 48 MB where the data folder will be."""
    folder = tmp_path / "data"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "assay-test", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting a small file system needs root")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.mark.parametrize("free", [0, 64 << 10, 256 << 10, 1 << 20, 4 << 20])
def test_a_full_disk(assay: Assay, inbox: Path, tmp_path: Path, small_disk: Path, free: int):
    assert assay("ingest", inbox)[0] == 0
    more = tmp_path / "more"
    more.mkdir()
    for number in range(8):
        lines = (
            {"id": f"r{number}-{line}", "text": f"cobalt{number}x{line} " + f"word{line} " * 60}
            for line in range(500)
        )
        (more / f"{number}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    ballast = small_disk / "ballast"
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(small_disk).free - free)
    assert_told(assay("ingest", more), 1, str(small_disk), "is full", "free some space")
    ballast.unlink()
    assert_good_files_are_in(assay)
    code, _, err = assay("ingest", more, "--json")
    assert (code, without_progress(err)) == (0, "")
    for number in (0, 7):
        found = assay("search", f"cobalt{number}x499", "--strategy", "lexical", "--json")[1]
        assert [hit["record_id"] for hit in json.loads(found)] == [f"r{number}-499"]
    (collection,) = json.loads(assay("collections", "--json")[1])
    assert collection["documents"] == 2 + 8 * 500
    assert_good_files_are_in(assay)


# ---------------------------------------------------------------- model files
@pytest.mark.parametrize(
    ("model", "command"),
    [
        ("multilingual-e5-small", ["ingest", "{inbox}"]),
        ("ms-marco-minilm-l12", ["search", "quartzite"]),
        ("qwen2.5-coder-1.5b-instruct", ["ask", "When did the pier open?"]),
    ],
)
def test_a_model_file_cut_short(
    assay: Assay, inbox: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, command: list[str]
):
    """Files of the manifest's sizes, all of them holes, but for the largest, which lacks its last byte."""
    assay("ingest", inbox)
    entry = next(entry for entry in load_manifest().models if entry.name == model)
    largest = max(entry.files, key=lambda file: file.bytes)
    for file in entry.files:
        path = tmp_path / "weights" / model / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as hole:
            hole.truncate(file.bytes - (file is largest))
    with monkeypatch.context() as installed:
        installed.setenv("ASSAY__PATHS__MODELS", str(tmp_path / "weights"))
        if model.startswith("ms-marco"):
            installed.setenv("ASSAY__RERANKING__MODEL", model)
        if model.startswith("multilingual"):
            installed.setattr(Appliance, "_open_embedder", OPEN_EMBEDDER)
        found = assay(*(part.format(inbox=inbox) for part in command))
    path = tmp_path / "weights" / model / largest.path
    assert_told((found[0], "", found[2]), 1, str(path), "is damaged", "./install.sh")
    assert_good_files_are_in(assay)
