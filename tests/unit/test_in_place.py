"""Questions whose question word stands in its place."""

from __future__ import annotations

import pytest

from appliance.reasoning.in_place_en import in_place


@pytest.mark.parametrize(
    ("question", "lookups"),
    [
        (
            "Lamps of Oil is the third album by a singer-songwriter from what state?",
            ["Lamps of Oil is the third album by which singer-songwriter?", "{1} is from what state?"],
        ),
        (
            "Ada B. Holm was the head of a holding company based in which city?",
            ["Ada B. Holm was the head of which holding company?", "{1} is based in which city?"],
        ),
        (
            "Ben Lund starred in a series that first ran on what station?",
            ["Ben Lund starred in which series?", "{1} first ran on what station?"],
        ),
        (
            "Orbis has worked with the mayor of what town?",
            ["Orbis has worked with which mayor?", "{1} is the mayor of what town?"],
        ),
        ("Mount Holm, in the state where Ald is located, is part of what range?", []),
        ("The person of the film In Love was awarded what medal?", []),
        ("What is the capital of the country in which Ald lies?", []),
        ("Orbis starred which actor?", []),
        ("Ald is the second part of the series. What person is in it?", []),
        ("", []),
    ],
)
def test_what_is_described_is_asked_first(question: str, lookups: list[str]):
    assert in_place(question) == lookups
