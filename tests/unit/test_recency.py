"""Questions after the newest state are told from those that only have a word like it: 新规, not 新规格."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.understanding.removal import asks_of_removal
from appliance.understanding.signals import wants_newest

CASES = Path(__file__).parent.parent / "data" / "understanding" / "recency.tsv"


def _cases() -> list[tuple[str, bool]]:
    lines = [line for line in CASES.read_text("utf-8").splitlines() if line[:1] in ("+", "-")]
    return [(question, sign == "+") for sign, question in (line.split("\t") for line in lines)]


@pytest.mark.parametrize(("question", "wanted"), _cases())
def test_words_of_renewal_are_read_as_recency(question: str, wanted: bool) -> None:
    assert wants_newest(question) is wanted


def test_what_was_still_owed_is_no_ending() -> None:
    assert not asks_of_removal("How much did buyers still have to pay at the end of June 2021?")
    assert not asks_of_removal("What was still owed to the lenders in 2020?")
    assert asks_of_removal("Do guests still have to pay for parking?")
    assert asks_of_removal("Is the old form still valid?")
