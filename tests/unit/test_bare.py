"""The bare names in what a reader answered."""

from __future__ import annotations

import pytest

from appliance.answers.bare import bare_names


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ("Frida Holmgren's album,", ("Frida Holmgren",)),
        ("Ada Holm as Nell Pike and Ben Lund", ("Ada Holm", "Ben Lund")),
        (
            "Vera Quist, Lars Pell and Rob Carrow",
            ("Vera Quist", "Lars Pell", "Rob Carrow"),
        ),
        ("Finn William Bergmark, her elder brother and first partner", ("Finn William Bergmark",)),
        ("Dag Johan Bergmark( 1861–9 March 1920)", ("Dag Johan Bergmark",)),
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
            "Brannholm, Ostmark, United Isles",
            ("Brannholm, Ostmark, United Isles", "Brannholm, Ostmark", "Brannholm"),
        ),
        ("Harwick, Norland,", ("Harwick, Norland", "Harwick")),
        ("Tarnholm, 3 May 1712, Eastmere", ("Tarnholm",)),
        ("southwest Bath, just west of the lake.", ("Bath",)),
        ("Velmia (Ald or Aldo)", ("Velmia",)),
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
