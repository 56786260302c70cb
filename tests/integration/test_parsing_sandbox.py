import os
import socket
import threading
from pathlib import Path

import msgspec
import pytest

from appliance.config import Ingest
from appliance.documents import parse_file, sandbox, sandbox_mode
from appliance.errors import NotFoundError, RefusedFileError

LIMITS = Ingest()


def refusal(path: Path, limits: Ingest = LIMITS, name: str = "") -> str:
    with pytest.raises(RefusedFileError) as caught:
        parse_file(path, limits, name=name)
    assert "\n" not in str(caught.value)
    assert caught.value.hint
    return str(caught.value)


@pytest.fixture(params=["as found", "limits only"])
def mode(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "limits only":
        monkeypatch.setattr(sandbox, "sandbox_mode", lambda: "limits only: the test says so")
    elif sandbox_mode() != "bubblewrap":
        assert sandbox_mode().startswith("limits only: ")
    return str(request.param)


def test_a_blob_without_a_suffix(tmp_path: Path, mode: str) -> None:
    blob = tmp_path / "3f9a"
    blob.write_text("# 标题\n\n正文一句。", "utf-8")
    document = parse_file(blob, LIMITS, name="说明 书.md")
    assert (document.format, document.title, document.language) == ("markdown", "标题", "zh")
    assert document.sections[0].blocks[0].text == "正文一句。"


def test_a_refusal_comes_through_whole(tmp_path: Path, mode: str) -> None:
    (tmp_path / "a.pdf").write_text("only words")
    assert refusal(tmp_path / "a.pdf") == (
        "a.pdf is named .pdf but is not a PDF (it looks like text) — rename it to .txt or convert it"
    )


def test_what_is_refused_before_opening(tmp_path: Path) -> None:
    (tmp_path / "empty.pdf").touch()
    assert refusal(tmp_path / "empty.pdf").startswith("empty.pdf is empty — ")
    with (tmp_path / "big.txt").open("wb") as file:
        file.truncate(200 << 20)
    assert refusal(tmp_path / "big.txt") == (
        "big.txt is 200 MB, over the limit of 100 MB — split it or raise ingest.max_file_bytes"
    )
    assert refusal(tmp_path, name="folder").startswith("folder is not a file")
    with pytest.raises(NotFoundError, match="there is no file"):
        parse_file(tmp_path / "none.txt", LIMITS)
    os.mkfifo(tmp_path / "pipe.txt")
    assert refusal(tmp_path / "pipe.txt").startswith("pipe.txt is not a file")


def test_too_much_memory(tmp_path: Path, mode: str) -> None:
    (tmp_path / "a.md").write_bytes(b"word *x* [y](z)\n\n" * 600_000)
    limits = msgspec.structs.replace(LIMITS, parse_memory_bytes=128 << 20)
    assert refusal(tmp_path / "a.md", limits) == (
        "a.md needed more than 0.1 GiB of memory to parse — split it or raise ingest.parse_memory_bytes"
    )


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import time; time.sleep(60)", "a.txt took longer than 1 s to parse — "),
        (
            "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
            "the parser crashed (signal 11) on a.txt — ",
        ),
        ("import sys; sys.exit('boom')", "the parser failed on a.txt (boom) — "),
        ('print(\'{"type": "parsed"}\')', "the parser failed on a.txt (no reply) — "),
        ("print('x' * 3_000_000)", "a.txt unpacks to too much text — "),
    ],
)
def test_a_worker_that_misbehaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str, code: str, message: str
) -> None:
    monkeypatch.setattr(sandbox, "_START", code)
    (tmp_path / "a.txt").write_text("words")
    limits = msgspec.structs.replace(LIMITS, parse_timeout_s=1, max_file_bytes=100_000)
    assert refusal(tmp_path / "a.txt", limits).startswith(message)


def test_the_worker_sees_no_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    monkeypatch.setenv("ASSAY_SECRET", "s3cret")
    monkeypatch.setattr(sandbox, "_START", "import os, sys; sys.exit(' '.join(sorted(os.environ)))")
    (tmp_path / "a.txt").write_text("words")
    message = refusal(tmp_path / "a.txt")
    assert "HOME" in message
    assert "SECRET" not in message


@pytest.mark.skipif(sandbox_mode() != "bubblewrap", reason="bubblewrap is not installed")
def test_the_worker_has_no_network_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text("words")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        call = f"import socket; socket.create_connection(('127.0.0.1', {port}), 2)"
        monkeypatch.setattr(sandbox, "_START", call)
        assert "Connection refused" in refusal(tmp_path / "a.txt")
    monkeypatch.setattr(sandbox, "_START", "open('/input', 'a')")
    assert "Read-only file system" in refusal(tmp_path / "a.txt")
    monkeypatch.setattr(sandbox, "_START", "import os, sys; sys.exit(str(os.path.exists('/etc/passwd')))")
    assert "(False)" in refusal(tmp_path / "a.txt")


def test_from_many_threads(tmp_path: Path) -> None:
    found: dict[int, str] = {}

    def work(index: int) -> None:
        file = tmp_path / f"{index}.txt"
        file.write_text(f"Text number {index}.")
        found[index] = parse_file(file, LIMITS).sections[0].blocks[0].text

    threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {index: f"Text number {index}." for index in range(4)}
