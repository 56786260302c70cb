"""The configuration: presets load, every key is explained, wrong values are refused with their path."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from appliance.config import REPOSITORY, Config, load_config
from appliance.errors import ConfigError

PRESETS = sorted((REPOSITORY / "configs").glob("*.toml"))
DEFAULT = REPOSITORY / "configs" / "default.toml"


@pytest.fixture
def own_file(tmp_path: Path) -> Path:
    return tmp_path / "own.toml"


def _plain(config: Config) -> Any:
    """As TOML would read it: lists, not tuples."""
    return msgspec.json.decode(msgspec.json.encode(config))


@pytest.mark.parametrize("preset", PRESETS, ids=lambda path: path.name)
def test_every_preset_loads(preset: Path) -> None:
    wanted = tomllib.loads(preset.read_text("utf-8"))
    loaded = _plain(load_config(preset, environ={}))
    for section, values in wanted.items():
        assert {key: loaded[section][key] for key in values} == values


def test_default_file_names_every_key_with_its_default() -> None:
    assert tomllib.loads(DEFAULT.read_text("utf-8")) == _plain(Config())


def test_default_file_explains_every_section() -> None:
    text = DEFAULT.read_text("utf-8")
    commented = [line for line in text.splitlines() if line.startswith("[") or "#" in line]
    assert len(commented) >= len(Config.__struct_fields__)
    assert load_config(DEFAULT, environ={}) == Config()


def test_no_file_no_environment_gives_the_defaults() -> None:
    assert load_config(environ={}) == Config()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[retrieval]\nrerank_kk = 3\n", "retrieval"),
        ("[retrival]\nrerank_k = 3\n", "retrival"),
        ("[server]\nport = 70000\n", "server.port"),
        ("[llm]\ncontext_tokens = 10\n", "llm.context_tokens"),
        ("[retrieval]\ndense_k = 0\n", "retrieval.dense_k"),
        ("[retrieval]\ndense_weight = -0.5\n", "retrieval.dense_weight"),
        ('[ingest]\nmax_pages = "many"\n', "ingest.max_pages"),
        ("[llm\n", "own.toml"),
    ],
)
def test_wrong_files_are_refused_with_the_path(own_file: Path, text: str, named: str) -> None:
    own_file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_config(own_file, environ={})
    assert named in str(caught.value)
    assert str(own_file) in str(caught.value)
    assert "\n" not in str(caught.value).strip()


def test_missing_file_is_named(own_file: Path) -> None:
    with pytest.raises(ConfigError, match=r"no configuration file .*own\.toml"):
        load_config(own_file, environ={})


def test_order_is_preset_then_file_then_environment_then_flag(own_file: Path) -> None:
    own_file.write_text("[retrieval]\ndense_k = 11\nlexical_k = 12\nrerank_k = 13\n")
    config = load_config(
        DEFAULT,
        own_file,
        environ={"ASSAY__RETRIEVAL__LEXICAL_K": "22", "ASSAY__RETRIEVAL__RERANK_K": "23", "OTHER": "1"},
        flags={"retrieval.rerank_k": 33},
    )
    assert (config.retrieval.dense_k, config.retrieval.lexical_k, config.retrieval.rerank_k) == (11, 22, 33)
    assert config.retrieval.rrf_k == Config().retrieval.rrf_k


@pytest.mark.parametrize(
    ("variable", "value"),
    [("ASSAY__SERVER__PORT", "no"), ("ASSAY__NO__SUCH", "1"), ("ASSAY__SERVER__PORT", "-1")],
)
def test_wrong_environment_is_refused_by_name(variable: str, value: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(environ={variable: value})
    assert variable in str(caught.value)


def test_digest_follows_the_values() -> None:
    changed = load_config(environ={"ASSAY__SERVER__PORT": "9000"})
    assert changed.digest() != Config().digest()
    assert load_config(DEFAULT, environ={}).digest() == Config().digest()


def test_folders_are_absolute(tmp_path: Path) -> None:
    config = load_config(environ={}, flags={"paths.data": str(tmp_path / "x" / ".." / "data")})
    assert config.data_dir() == tmp_path / "data"
    assert config.models_dir() == REPOSITORY / "models" / "weights"
