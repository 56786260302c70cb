"""A model's shorter wording is used only where no fact is lost and none is added."""

from __future__ import annotations

import pytest

from appliance.calls import SharedTally
from appliance.evidence.paraphrase import Paraphraser, ShorterReply, passes
from appliance.serving.scripted import ScriptedModel

LINE = (
    "It should also be said that, as has been the custom for many a year, the fee of $8.2 million is payable "
    "by Larkfield Instruments on 3 May 2023, and that it is not refundable unless the contract is void "
    "from the start."
)
SHORT = (
    "The fee of $8.2 million is payable by Larkfield Instruments on 3 May 2023 and is not refundable "
    "unless the contract is void from the start."
)


@pytest.mark.parametrize(
    ("shorter", "may"),
    [
        (SHORT, True),
        (SHORT.replace("$8.2 million", "$8.2"), False),
        (SHORT.replace("not refundable", "refundable"), False),
        (SHORT.replace(" unless the contract is void from the start", ""), False),
        (SHORT.replace("3 May", "5 May"), False),
        (SHORT.replace("payable by", "payable with 3% interest by"), False),
        (LINE, False),
        ("", False),
    ],
)
def test_the_guard(shorter: str, may: bool) -> None:
    assert passes(LINE, shorter) is may
    model, meter = ScriptedModel([ShorterReply(shorter=shorter)]), SharedTally()
    paraphrase = Paraphraser(model, lambda language: f"shorten {language}", meter)
    assert paraphrase("When is the fee payable?", LINE) == (shorter if may else LINE)
    assert meter.taken().calls == 1
    assert meter.taken().calls == 0


def test_a_short_line_is_not_put_to_the_model() -> None:
    paraphrase = Paraphraser(ScriptedModel([]), lambda language: "", SharedTally())
    assert paraphrase("q", "It weighs 310 grams.") == "It weighs 310 grams."
