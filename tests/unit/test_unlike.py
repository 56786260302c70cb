"""Pairs that only look like contradictions are not told, and those beside them still are; both languages."""

from __future__ import annotations

import pytest

from appliance.documents import split_sentences
from appliance.evidence.contradict import contradictions
from appliance.evidence.contradiction_head import load_contradiction_head
from appliance.evidence.statements import statements_of
from tests.unit.test_contradict import passage


def told(one: tuple[str, str], other: tuple[str, str], about: str = "") -> bool:
    sides = [passage(at, text, title) for at, (title, text) in enumerate((one, other))]
    statements = statements_of(sides, split_sentences)
    return bool(contradictions(statements, head=load_contradiction_head(), about=about))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("Miller Township, Knox County", "The 2010 census found 1,006 people in the township."),
         ("Butler Township, Knox County", "The 2010 census found 1,171 people in the township.")),
        (("", "第二季度营收环比下降8%。"), ("", "第二季度营收同比下降33%。")),
        (("", "Rents in Pelham rose last spring."), ("", "Crime in Pelham fell last spring.")),
        (("", "The north ferry terminal is open."), ("", "The north ferry terminal was closed in 2016.")),
        (("", "Tickets for the Aldous museum cost £14."),
         ("", "School tickets for the Aldous museum cost £11.")),
        (("", "上半年文化企业营业收入增速为26.9%。"), ("", "上半年文化企业营业收入贡献率为75.6%。")),
        (("", "其中，上半年文化核心领域营业收入38711亿元。"), ("", "上半年文化企业营业收入59357亿元。")),
        (("", "It has three movements."), ("", "It has 101 bars.")),
    ],
)  # fmt: skip
def test_two_things_are_no_contradiction(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert not told(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("Circular", "The 2010 census found 1,006 people in Miller Township."),
         ("Digest", "The 2010 census found 1,171 people in Miller Township.")),
        (("", "第二季度营收同比下降8%。"), ("", "第二季度营收同比下降33%。")),
        (("", "Tickets for the Aldous museum cost £14."), ("", "Tickets for the Aldous museum cost £11.")),
        (("trial abstract tide 2", "The study TIDE-2 enrolled 212 adults with diabetes at three hospitals."),
         ("faq 2023", "The TIDE-2 study enrolled 220 adults at three hospitals.")),
        (("", "Tarnholm's operating profit for 2022 was £61.4 million."),
         ("", "Restated: Tarnholm's operating profit for 2022 falls from £61.4 million to £57.9 million.")),
    ],
)  # fmt: skip
def test_one_thing_still_is(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert told(one, other)


def test_what_bears_on_something_else_is_not_told_for_a_question() -> None:
    one = ("", "Tickets for the Aldous museum cost £14.")
    other = ("", "Tickets for the Aldous museum cost £11.")
    assert told(one, other, "What do tickets for the Aldous museum cost?")
    assert not told(one, other, "Which bridge did engineer Morrow design over Larkin river?")
