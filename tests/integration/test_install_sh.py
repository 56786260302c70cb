"""``install.sh``: usage and the errors that come before anything is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from appliance.config import REPOSITORY

SCRIPT = REPOSITORY / "install.sh"
TOOLS = (
    "bash dirname basename cat printf grep sed awk cut head tail df mkdir mktemp rm mv cp sha256sum uname tr "
    "nproc touch"
)


def stub(folder: Path, name: str, body: str) -> None:
    (folder / name).unlink(missing_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{body}\n")
    (folder / name).chmod(0o755)


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A PATH of its own: the script's tools and this Python; no compiler, no uv."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in TOOLS.split():
        found = shutil.which(name)
        if found:
            (folder / name).symlink_to(found)
    stub(folder, "python3.11", f'exec "{sys.executable}" "$@"')
    return folder


@pytest.fixture
def run(tmp_path: Path, tools: Path):
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        environ = {"PATH": str(tools), "HOME": str(tmp_path), "ASSAY_CACHE": str(tmp_path / "cache")}
        return subprocess.run(
            [shutil.which("bash") or "bash", str(SCRIPT), "--prefix", str(tmp_path / "to"), *arguments],
            env=environ, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60,
        )  # fmt: skip

    return run


def one_error(outcome: subprocess.CompletedProcess[str]) -> str:
    (line,) = outcome.stderr.strip().splitlines()
    assert line.startswith("error: ")
    return line


def test_help_lists_the_options(run) -> None:
    outcome = run("--help")
    assert outcome.returncode == 0
    for option in ("--demo", "--test", "--models none|small|default", "--from DIR", "--prefix DIR"):
        assert option in outcome.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--fast"], "unknown option --fast"),
        (["now"], "unknown option now"),
        (["--models"], "--models needs a value"),
        (["--models", "huge"], "none, small or default"),
        (["--from", "/no/such/folder"], "no such folder"),
        (["--demo", "--models", "none"], "--demo needs"),
    ],
)
def test_wrong_usage_exits_2_with_one_line(run, arguments: list[str], said: str) -> None:
    outcome = run(*arguments)
    assert outcome.returncode == 2
    assert said in one_error(outcome)
    assert outcome.stdout == ""


def test_an_old_python_is_named_with_the_packages_to_install(run, tools: Path) -> None:
    (tools / "python3.11").unlink()
    for name in ("python3", "python3.12"):
        stub(tools, name, 'case $1 in --version) echo "Python 3.9.2" ;; *) exit 1 ;; esac')
    outcome = run("--models", "none")
    assert outcome.returncode == 1
    assert "no Python 3.11 or newer" in one_error(outcome)
    assert "3.9.2" in outcome.stderr
    assert "apt install python3" in outcome.stderr


def test_a_full_disk_is_said_before_anything_is_fetched(run, tools: Path, tmp_path: Path) -> None:
    stub(tools, "df", "echo Filesystem 1024-blocks Used Available; echo /dev/x 9000000 8900000 100000 99% /")
    outcome = run("--models", "none")
    assert outcome.returncode == 1
    assert "too little disk" in one_error(outcome)
    assert "97 MB free, 1500 MB needed" in outcome.stderr
    assert not (tmp_path / "to" / ".venv").exists()


def test_no_compiler_names_the_package(run) -> None:
    outcome = run("--models", "none")
    assert outcome.returncode == 1
    assert "no C++ compiler" in one_error(outcome)
    assert "apt install g++" in outcome.stderr


def test_a_folder_without_this_processors_wheel_says_so(run, tmp_path: Path) -> None:
    (tmp_path / "usb").mkdir()
    outcome = run("--models", "none", "--from", str(tmp_path / "usb"))
    assert outcome.returncode == 1
    assert "wheels/llama has no " in one_error(outcome)
    assert "--bundle DIR" in outcome.stderr


def test_an_unreachable_index_is_told_from_a_fault(run, tools: Path, tmp_path: Path) -> None:
    stub(tools, "cc", "exit 0")
    stub(tools, "c++", "exit 0")
    body = 'case $* in *sync*) echo "error: Failed to fetch: dns error" >&2; exit 2 ;; esac; exit 0'
    stub(tools, "uv", body)
    outcome = run("--models", "none")
    assert outcome.returncode == 1
    assert "no network" in one_error(outcome)
    assert "--from DIR" in outcome.stderr
    assert not (tmp_path / "to" / ".venv" / ".assay-stamp").exists()


def test_a_damaged_package_is_told_from_a_missing_network(run, tools: Path) -> None:
    stub(tools, "cc", "exit 0")
    stub(tools, "c++", "exit 0")
    stub(tools, "uv", 'case $* in *sync*) echo "error: Hash mismatch for x" >&2; exit 2 ;; esac; exit 0')
    assert "a damaged download" in one_error(run("--models", "none"))


def test_no_lock_and_no_script_names_a_host() -> None:
    files = [SCRIPT, REPOSITORY / ".pre-commit-config.yaml", *(REPOSITORY / "configs").rglob("*.*")]
    named = {host for file in files for host in re.findall(r"://([^/\s\":]+)", file.read_text("utf-8"))}
    # Examples in comments stand under the name that is reserved for them, or on this machine.
    assert {host for host in named if not host.endswith((".example", "127.0.0.1", "localhost"))} == set()


def test_the_locks_hold_what_pyproject_asks_for() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    names = ("app.txt", "dev.txt", "llama.txt")
    app, dev, llama = ((REPOSITORY / "configs/locks" / name).read_text("utf-8") for name in names)
    for wanted, lock in (
        (project["dependencies"], app + llama),
        (project["optional-dependencies"]["dev"], dev),
    ):
        pinned = [Requirement(line.split(" \\")[0]) for line in lock.splitlines() if line[:1].isalnum()]
        versions = {pin.name: {spec.version for spec in pin.specifier} for pin in pinned}
        for requirement in map(Requirement, wanted):
            found = versions.get(requirement.name, set())
            assert found, f"{requirement.name} is not locked: run configs/locks/lock.sh"
            assert all(requirement.specifier.contains(version) for version in found), requirement.name
