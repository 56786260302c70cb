"""Labels on the written set, constraints, removal, and readings of text that is no question."""

import datetime
import time

import pytest
import reading_quality
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.cli.application import run
from appliance.documents import detect_language
from appliance.errors import DamagedError
from appliance.trained_head import WEIGHTS
from appliance.understanding.label_head import FOLDER, load_label_head
from appliance.understanding.reading import read_question
from appliance.understanding.removal import asks_of_removal

AS_OF = datetime.date(2026, 12, 2)


def test_the_written_set_is_read_well_enough():
    shares = reading_quality.accuracy("test")
    for label in reading_quality.LABELS:
        least = 0.95 if label == "times" else 0.90
        assert shares[label, "all"] >= least, (label, shares[label, "all"])


@pytest.mark.parametrize(
    ("question", "removal"),
    [
        ("Has Segment been removed from the list?", True),
        ("Is the old handbook still valid?", True),
        ("青松泵是不是停产了", True),
        ("《民法通则》还有效吗", True),
        ("Who did not attend the meeting?", False),
        ("Which of these is not a risk?", False),
        ("How do I cancel an order?", False),
        ("谁没有参加会议？", False),
    ],
)
def test_removal_is_no_mere_negation(question: str, removal: bool):
    assert asks_of_removal(question) is removal


def test_constraints_keep_their_words():
    reading = read_question(
        "According to the 2022 annual report, which areas besides Spain missed plan YT-2020-0317 at 25 °C?",
        language_of=detect_language,
        as_of=AS_OF,
    )
    assert {(str(each.kind), each.value) for each in reading.constraints} == {
        ("source", "2022 annual report"),
        ("exclusion", "Spain"),
        ("code", "YT-2020-0317"),
        ("condition", "25 °C"),
    }
    assert [(each.start, each.fiscal) for each in reading.times] == [("2022-01-01", True)]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("ภาษาไทย ถามอะไร", "und"),
        ("ما هو الدخل؟", "und"),
        ("🙂🙂🙂", "und"),
        ("the of and to", "en"),
        ("的了吗", "zh"),
        ("SELECT * FROM t WHERE a >= 2023; DROP TABLE t", "en"),
        ("published>=2023 and section_type=risk", "en"),
        ("", "und"),
    ],
)
def test_text_that_asks_nothing_is_read(text: str, language: str):
    reading = read_question(text, language_of=detect_language, as_of=AS_OF, head=load_label_head())
    assert (reading.language, reading.facets, reading.removal) == (language, (), False)


@settings(max_examples=150, deadline=None)
@given(
    st.text(max_size=300)
    | st.text(alphabet="Q12三季年月日第至和、，？ 0/-.'\"《》 andofbetween", max_size=200)
)
def test_any_text_is_read(text: str):
    reading = read_question(text, language_of=detect_language, as_of=AS_OF)
    assert reading.text == " ".join(text.split())
    assert all(each.start is None or each.end is None or each.start <= each.end for each in reading.times)


@pytest.mark.parametrize(
    "unit",
    [
        *("both and ", "between 2019 and ", "2019年至", "the list of a with that of ", "what is the a "),
        *(
            "A and B ",
            "'a ",
            "除",
            "除了甲",
            "which company is ",
            "1)",
            "和",
            "的",
            "has been ",
            "根据",
            "1-",
        ),
        *("a-1", "如果", "，", "Aa of the ", "still ", "甲和乙的量"),
    ],
)
def test_time_grows_with_length_only(unit: str):
    began = time.process_time()
    read_question(
        unit * (30_000 // len(unit)), language_of=detect_language, as_of=AS_OF, head=load_label_head()
    )
    assert time.process_time() - began < 1.5


def test_a_head_that_is_not_its_cards_is_refused(tmp_path):
    for file in FOLDER.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / WEIGHTS).write_bytes(b"PK" + b"\0" * 100)
    with pytest.raises(DamagedError, match="checksum"):
        load_label_head(tmp_path)


def test_the_command_shows_a_reading(capsys):
    assert run(["understand", "What was revenue in Q3 2022?", "--as-of", "2026-12-02", "--json"]) == 0
    assert '"2022-07-01"' in capsys.readouterr().out
