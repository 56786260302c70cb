"""The bare names in what a reader answered."""

from __future__ import annotations

import pytest

from appliance.answers.bare import bare_names


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ("Frank Sinatra's album,", ("Frank Sinatra",)),
        ("Audrey Hepburn as Eliza Doolittle and Rex Harrison", ("Audrey Hepburn", "Rex Harrison")),
        (
            "Valerie Hobson, Leslie Perrins and Robert Cochran",
            ("Valerie Hobson", "Leslie Perrins", "Robert Cochran"),
        ),
        ("Francis William Beaumont, her eldest son and heir apparent", ("Francis William Beaumont",)),
        ("Dudley John Beaumont( 1877–24 November 1918)", ("Dudley John Beaumont",)),
        ("the American singer Bob Dylan", ("Bob Dylan",)),
        ("Ludwig van Beethoven", ("Ludwig van Beethoven",)),
        ("Madonna", ("Madonna",)),
        ("鲁迅（周树人），作家", ("鲁迅",)),
        ("张三、李四", ("张三", "李四")),
        ("nobody", ()),
    ],
)
def test_somebody_is_named_without_role_bracket_or_company(answer: str, wanted: tuple[str, ...]):
    assert bare_names(answer, person=True) == wanted


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        (
            "Wilmington, Delaware, United States",
            ("Wilmington, Delaware, United States", "Wilmington, Delaware", "Wilmington"),
        ),
        ("Venice, Italy,", ("Venice, Italy", "Venice")),
        ("Middelburg, 24 October 1650, Amsterdam", ("Middelburg",)),
        ("southwest Bath, just west of the lake.", ("Bath",)),
        ("Djibouti (Damerjog or Damerdjog)", ("Djibouti",)),
        ("University of Cambridge in England", ("University of Cambridge",)),
        ("Trinidad and Tobago", ("Trinidad and Tobago",)),
        ("St. John's College", ("St. John's College",)),
        ("the state of Kansas", ("Kansas",)),
        ("a saxophonist", ()),
        ("北京（首都）", ("北京",)),
    ],
)
def test_a_thing_keeps_its_places_and_loses_its_bracket(answer: str, wanted: tuple[str, ...]):
    assert bare_names(answer, person=False) == wanted
