"""What every test may use: the folder of model weights, and a test's own configuration of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.config import load_config

LOCATION = {key: value for key, value in os.environ.items() if key == "ASSAY__PATHS__MODELS"}

for setting in [key for key in os.environ if key.startswith("ASSAY__") and key not in LOCATION]:
    del os.environ[setting]  # what the person who runs the tests has configured is not what they test


@pytest.fixture(scope="session")
def models_dir() -> Path:
    """``models/weights`` of the checkout, or what ASSAY__PATHS__MODELS names."""
    return load_config(environ=LOCATION).models_dir()


@pytest.fixture(scope="session")
def weights(models_dir: Path):
    """A function: the folder of the named model; the test is skipped where the model is not installed."""

    def folder(name: str, file: str) -> Path:
        if not (models_dir / name / file).is_file():
            pytest.skip(f"{name} is not in {models_dir}")
        return models_dir / name

    return folder


@pytest.fixture(scope="session", autouse=True)
def _llama_cpp_leaves_no_open_files() -> Iterator[None]:
    """llama-cpp-python opens /dev/null twice at import and never closes it: a warning at the end of a run."""
    yield
    opened = sys.modules.get("llama_cpp._utils")
    for name in ("outnull_file", "errnull_file"):
        file = getattr(opened, name, None)
        if file is not None:
            file.close()
