"""Archives through the real sandbox: what comes out, under which names, and what never does."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path

import msgspec
import office_files as made
import pytest
from hypothesis import given
from hypothesis import strategies as some

from appliance.config import Ingest
from appliance.documents import Left, parse_file, sandbox, unpack_file
from appliance.documents.members import Names, clean_name
from appliance.errors import RefusedFileError

LIMITS = Ingest()
TRICKS = {
    "../../etc/passwd": "etc/passwd",
    "/abs/olute.txt": "abs/olute.txt",
    "C:\\Windows\\x.txt": "Windows/x.txt",
    "a/./b//c.txt": "a/b/c.txt",
    "nul\x00name.txt": "nul_name.txt",
    "..\\..\\up.txt": "up.txt",
    "trick!/in.txt": "trick_/in.txt",
    "rtl\u202etxt.exe": "rtl_txt.exe",
    "": "unnamed",
    "..": "unnamed",
}


def unpacked(
    tmp_path: Path, name: str, data: bytes, limits: Ingest = LIMITS
) -> tuple[dict[str, bytes], list[Left]]:
    (tmp_path / "blob").write_bytes(data)
    found = list(unpack_file(tmp_path / "blob", limits, name=name))
    taken = [one for one in found if isinstance(one, tuple)]
    assert len({name for name, _ in taken}) == len(taken)
    return dict(taken), [one for one in found if isinstance(one, Left)]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        (
            "a.zip",
            made.zipped({"x/a.txt": b"alpha", ".git/config": b"-", "__MACOSX/a": b"-", "b.md": b"# B"}),
        ),
        ("a.tar", made.tarred({"x/a.txt": b"alpha", "b.md": b"# B"}, "w")),
        ("a.tgz", made.tarred({"x/a.txt": b"alpha", "b.md": b"# B"}, "w:gz")),
        ("a.tar.bz2", made.tarred({"x/a.txt": b"alpha", "b.md": b"# B"}, "w:bz2")),
        ("unknown", made.tarred({"x/a.txt": b"alpha", "b.md": b"# B"}, "w:xz")),
    ],
)
def test_archives(tmp_path: Path, name: str, data: bytes) -> None:
    assert unpacked(tmp_path, name, data) == ({"x/a.txt": b"alpha", "b.md": b"# B"}, [])
    with pytest.raises(RefusedFileError, match="is an archive"):
        parse_file(tmp_path / "blob", LIMITS, name=name)


@pytest.mark.parametrize(("suffix", "module"), [("gz", gzip), ("bz2", bz2), ("xz", lzma)])
def test_one_compressed_file(tmp_path: Path, suffix: str, module: object) -> None:
    data = module.compress(b"alpha")  # type: ignore[attr-defined]
    assert unpacked(tmp_path, f"dir/notes.txt.{suffix}", data) == ({"notes.txt": b"alpha"}, [])


def test_an_old_chinese_archive_keeps_its_names(tmp_path: Path) -> None:
    name = "年度报告.txt"
    data = made.zipped({"x" * len(name.encode("gb2312")): b"alpha"})
    data = data.replace(b"x" * len(name.encode("gb2312")), name.encode("gb2312"))
    assert unpacked(tmp_path, "a.zip", data)[0] == {name: b"alpha"}


def test_names_never_lead_out() -> None:
    assert {raw: clean_name(raw) for raw in TRICKS} == TRICKS
    names = Names()
    assert [names.of(raw) for raw in ("a.txt", "../A.txt", "a.txt")] == ["a.txt", "A (2).txt", "a (3).txt"]


@given(some.text(max_size=400))
def test_any_name_becomes_a_path_below(raw: str) -> None:
    parts = clean_name(raw).split("/")
    assert all(part not in ("", ".", "..") and part.isprintable() for part in parts if part.isascii())
    assert len("/".join(parts)) <= 240
    assert clean_name("/".join(parts)) == "/".join(parts)


def test_links_devices_and_locked_members_are_left_by_name(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, kind in (
            ("l", tarfile.SYMTYPE),
            ("h", tarfile.LNKTYPE),
            ("d", tarfile.CHRTYPE),
            ("f", tarfile.FIFOTYPE),
        ):
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = kind, "/etc/passwd"
            archive.addfile(entry)
        entry = tarfile.TarInfo("a.txt")
        entry.size = 5
        archive.addfile(entry, io.BytesIO(b"alpha"))
    taken, left = unpacked(tmp_path, "a.tar", buffer.getvalue())
    assert taken == {"a.txt": b"alpha"}
    assert [(one.name, one.reason) for one in left] == [
        (n, "is a link or a device, not a file") for n in "lhdf"
    ]
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive_:
        link = zipfile.ZipInfo("link")
        link.external_attr = 0o120777 << 16
        archive_.writestr(link, "/etc/passwd")
        archive_.writestr("locked.txt", "secret")
    data = zipped.getvalue()
    at = data.rindex(b"PK\x01\x02")  # the directory entry of locked.txt: set its encryption flag
    data = data[: at + 8] + bytes([data[at + 8] | 1]) + data[at + 9 :]
    taken, left = unpacked(tmp_path, "a.zip", data)
    assert (taken, [(one.name, one.reason) for one in left]) == (
        {},
        [("link", "is a link or a device, not a file"), ("locked.txt", "is protected by a password")],
    )


def test_limits_keep_what_came_before(tmp_path: Path) -> None:
    few = msgspec.structs.replace(LIMITS, max_archive_members=2)
    members = {f"{n}.txt": b"x" for n in range(5)}
    for data in (made.zipped(members), made.tarred(members)):
        taken, left = unpacked(tmp_path, "a", data, few)
        assert list(taken) == ["0.txt", "1.txt"]
        assert [one.reason for one in left] == ["more than 2 members: the rest was not taken"]
    small = msgspec.structs.replace(LIMITS, max_archive_bytes=3 << 20)
    taken, left = unpacked(tmp_path, "a.zip", made.zipped({n: n.encode() * (2 << 20) for n in "ab"}), small)
    assert list(taken) == ["a"]
    assert [one.reason for one in left] == ["unpacks to more than 3 MB: the rest was not taken"]
    found = list(unpack_file(tmp_path / "blob", LIMITS, name="a.zip", spent_members=9_999))
    assert len(found) == 2


def test_bombs(tmp_path: Path) -> None:
    bomb = b"\x00" * (60 << 20)
    taken, left = unpacked(tmp_path, "a.zip", made.zipped({"bomb": bomb, "a.txt": b"alpha"}))
    assert list(taken) == ["a.txt"]
    assert [(one.name, one.reason) for one in left] == [
        ("bomb", "unpacks to more than 200 times its packed size")
    ]
    taken, left = unpacked(tmp_path, "a.tgz", made.tarred({"bomb": bomb}))
    assert (taken, [one.reason for one in left]) == (
        {},
        ["unpacks to more than 200 times its size: the rest was not taken"],
    )


def test_a_tar_that_ends_early_gives_what_it_has(tmp_path: Path) -> None:
    data = made.tarred({"a.txt": b"alpha", "b.bin": bytes(range(256)) * 4_000}, "w")
    taken, left = unpacked(tmp_path, "a.tar", data[:20_000])
    assert list(taken) == ["a.txt"]
    assert left
    with pytest.raises(RefusedFileError, match=r"^a\.tgz is damaged"):
        unpacked(tmp_path, "a.tgz", made.tarred({"a.txt": b"alpha"})[:20])


@pytest.mark.parametrize(
    "code",
    [
        "import sys; sys.stdout.buffer.write((1 << 40).to_bytes(8, 'big'))",
        "import sys; sys.stdout.buffer.write((8).to_bytes(8, 'big') + b'not json')",
        "import sys; sys.exit('boom')",
        "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
        "import time; time.sleep(60)",
        """import sys
head = b'{"type":"member","name":"x","bytes":999999999999}'
sys.stdout.buffer.write(len(head).to_bytes(8, 'big') + head)""",
        """import sys
head = b'{"type":"left","name":"x","reason":"y"}'
sys.stdout.buffer.write((len(head).to_bytes(8, 'big') + head) * 100000)""",
    ],
)
def test_a_worker_that_was_taken_over_is_held_to_the_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    monkeypatch.setattr(sandbox, "_START", code)
    limits = msgspec.structs.replace(LIMITS, parse_timeout_s=1)
    with pytest.raises(RefusedFileError) as caught:
        unpacked(tmp_path, "a.zip", made.zipped({"a": b"x"}), limits)
    assert "a.zip" in str(caught.value)
