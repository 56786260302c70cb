"""The shipped entailment head: read safely, refused when changed; and what it is shown."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from appliance.errors import DamagedError
from appliance.serving.entailment import FOLDER, load_entailment_head
from appliance.serving.entailment_features import NAMES, read_pair, vector_of
from appliance.trained_head import CARD, WEIGHTS


def test_the_shipped_head_tells_probabilities() -> None:
    told = load_entailment_head().probabilities(np.zeros((3, len(NAMES)), np.float32))
    assert told.shape == (3,)
    assert ((told > 0) & (told < 1)).all()


def test_changed_weights_are_refused(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "head")
    weights = tmp_path / "head" / WEIGHTS
    weights.write_bytes(weights.read_bytes()[:-1] + b"x")
    with pytest.raises(DamagedError, match="not the file its card describes"):
        load_entailment_head(tmp_path / "head")


def test_a_head_for_other_features_is_refused(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "head")
    card = tmp_path / "head" / CARD
    card.write_text(card.read_text("utf-8").replace('"relevance"', '"something"', 1), encoding="utf-8")
    with pytest.raises(DamagedError, match="other features"):
        load_entailment_head(tmp_path / "head")


def test_a_question_is_taken_off_its_answer() -> None:
    read = read_pair("Brio opened in 1995.", "When did Brio open? 1995")
    assert (read.question, read.answer) == ("When did Brio open?", "1995")
    assert read_pair("x", "Brio opened in 1995.").question == ""


def test_features_count_what_is_missing() -> None:
    def named(claim: str) -> dict[str, float]:
        pair = read_pair("Brio opened in 1995 with 12 staff.", claim)
        row = vector_of(pair, 0.0, 0.0, [0.9, 0.9], [])
        return dict(zip(NAMES, (float(value) for value in row), strict=True))

    assert named("Brio had twelve staff.")["figures_missing"] == 0
    assert named("Brio had 15 staff.")["figures_missing"] == 1
    assert named("Brio did not open.")["denied_by_claim_only"] == 1
    assert named("Brio opened in 1995.")["covered"] > named("Alba closed a mine.")["covered"]
