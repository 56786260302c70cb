"""A sub-question looked up: the passage that plainly bears on it is read alone; namesakes are refused."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec
import pytest

from appliance.answers.find import FindingReply
from appliance.calls import Tally
from appliance.config import Domains
from appliance.domain import Completion, Finding, Passage, Task, Usage
from appliance.evidence.locate import Line
from appliance.looking_up import FOREIGN, LookUp, beside_the_question, closer, coverage, full_names
from appliance.prompts import Prompts
from appliance.questions import QuestionReader
from appliance.reasoning.state import Try
from appliance.serving.scripted import ScriptedModel
from tests.unit.test_answers import line


def judged(number: int, text: str, relevance: float, title: str) -> Line:
    return msgspec.structs.replace(line(number, text, title), relevance=relevance)


FOUNDED = judged(1, "Kelling Tarn is a play that Ada Brill wrote in 1931.", 7.4, "Kelling Tarn")
OTHER = judged(2, "Tom Harwick (author) writes about Kelling.", 0.4, "Tom Harwick")


def looked_up(
    one: Try,
    lines: list[Line],
    replies: Sequence[FindingReply | Completion],
    findings: tuple[Finding, ...] = (),
    found_margin: float = 0.0,
) -> tuple[Finding, ScriptedModel]:
    model = ScriptedModel(replies)

    def located(asked: str, passages: Sequence[Passage]) -> list[Line]:
        return [each for each in lines if each.passage in passages]

    def words(text: str) -> list[str]:
        return re.findall(r"[a-z]+", text.lower())

    look = LookUp(
        lines=located,
        read=QuestionReader(Domains()).read,
        model=model,
        prompts=Prompts(),
        analyse=words,
        rarity=lambda text: {word: float(len(word)) for word in words(text)},
        tell=lambda kind, **data: None,
        found_margin=found_margin,
    )
    doubted = [each.passage for each in lines if each.passage.fingerprint in one.excluded]
    passages = [each.passage for each in lines if each.passage not in doubted]
    return look.look_up(one, passages, findings, Tally(), doubted=doubted)[0], model


NOTHING = FindingReply(found=False, answer="", statement="")
WROTE = FindingReply(found=True, answer="Ada Brill", statement="Ada Brill wrote Kelling Tarn.")


def first_try(question: str, needs: tuple[int, ...] = ()) -> Try:
    return Try(attempt=0, task=Task(id=2, question=question, depends_on=needs), asked=question)


def test_a_passage_that_plainly_bears_on_it_is_read_alone_when_all_together_gave_nothing():
    found, model = looked_up(
        first_try("Who is the author of Kelling Tarn?"), [OTHER, FOUNDED], [NOTHING, WROTE]
    )
    assert found.answer == "Ada Brill"
    assert "Harwick" in model.prompts[0].user
    assert "Harwick" not in model.prompts[1].user


@pytest.mark.parametrize(
    "lines", [[FOUNDED], [OTHER], [OTHER, msgspec.structs.replace(FOUNDED, relevance=2.9)], []]
)
def test_nothing_is_read_twice_that_stands_alone_or_is_in_doubt(lines: list[Line]):
    assert closer(lines) == []


def test_a_passage_far_above_all_others_is_plain_enough():
    low = msgspec.structs.replace(FOUNDED, relevance=1.7)
    far = msgspec.structs.replace(OTHER, relevance=-2.3)
    assert closer([far, low]) == [low]
    assert closer([msgspec.structs.replace(OTHER, relevance=-0.3), low]) == []


def test_a_namesake_of_what_an_earlier_step_found_is_refused():
    seat = judged(1, "Harwick Brands: it is headquartered in Norby.", 2.2, "Harwick Brands")
    known = Finding(task_id=1, question="Who makes it?", found=True, answer="Kelling Brands")
    one = first_try("What is the headquarters location of Kelling Brands?", (1,))
    norby = FindingReply(found=True, answer="Norby", statement="Harwick Brands is headquartered in Norby.")
    assert not looked_up(one, [seat], [norby], (known,))[0].found
    surely = msgspec.structs.replace(seat, relevance=6.0)
    assert looked_up(one, [surely], [norby], (known,))[0].found
    own = judged(1, "Kelling Brands: it is headquartered in Norby.", 2.2, "Kelling Brands")
    assert looked_up(one, [own], [norby], (known,))[0].found


def test_a_passage_that_was_misread_is_read_again_for_another_answer():
    painted = judged(1, "Dawn is an oil painting by Ada Brill, now held at the Harwick Gallery.", 4.4, "Dawn")
    known = Finding(task_id=2, question="Who painted Dawn?", found=True, answer="Harwick Gallery")
    again = msgspec.structs.replace(first_try("Who painted Dawn?"), excluded=(painted.passage.fingerprint,))
    brill = FindingReply(found=True, answer="Ada Brill", statement="Dawn is an oil painting by Ada Brill.")
    found, model = looked_up(again, [painted], [brill], (known,))
    assert found.answer == "Ada Brill"
    assert model.prompts[-1].user.endswith("Q: Who painted Dawn? (not Harwick Gallery)")
    same = FindingReply(found=True, answer="Harwick Gallery", statement="It is held at the Harwick Gallery.")
    assert not looked_up(again, [painted], [same], (known,))[0].found


def test_what_no_passage_speaks_of_is_not_put_to_the_model():
    found, model = looked_up(first_try("Who is the author of Grey Hollow?"), [OTHER, FOUNDED], [])
    assert not found.found
    assert "Grey, Hollow" in found.missing
    assert model.prompts == []


NAMESAKE = judged(4, "Ada Brill and Tom Ferris (born in Harwick) play at Kelling.", 0.4, "Kelling")


def test_a_passage_about_a_namesake_of_what_is_asked_about_is_not_read():
    found, model = looked_up(first_try("Where was Ada Kelsey born?"), [NAMESAKE], [WROTE])
    assert not found.found
    assert found.missing.endswith("no passage found speaks of kelsey")
    assert not model.prompts


def test_full_names_are_those_of_two_words_without_a_question_word():
    asked = "Drew Ferris starred in what series of Kelling Hall?"
    assert full_names(asked) == ["Drew Ferris", "Kelling Hall"]
    assert full_names("Which Harwick bridge is older?") == []


SPENT = judged(5, "The project spent 375 thousand pounds, 5 less than planned.", 0.6, "Kelling project")
ROW = judged(6, "Equipment for the project — planned: 120; spent: 126", -2.0, "Kelling project")


def test_a_figure_is_read_again_of_the_line_that_names_what_is_asked():
    question = "How much was spent on equipment for the project?"
    total = FindingReply(found=True, answer="375", statement="The project spent 375 thousand pounds.")
    part = FindingReply(found=True, answer="126", statement="Equipment for the project: spent 126.")
    found, model = looked_up(first_try(question), [SPENT, ROW], [total, part])
    assert found.answer == "126"
    assert len(model.prompts) == 2
    assert "375" not in model.prompts[1].user
    found, model = looked_up(first_try(question), [SPENT, ROW], [part])
    assert found.answer == "126"
    assert len(model.prompts) == 1


def test_what_bears_on_nothing_is_not_read():
    far = judged(7, "Kelling Tarn lies in a valley.", -2.4, "Kelling Tarn")
    found, model = looked_up(first_try("Who is the author of Kelling Tarn?"), [far], [WROTE])
    assert not found.found
    assert found.missing.endswith("speak of something else")
    assert not model.prompts
    near = msgspec.structs.replace(far, relevance=-1.9)
    _, model = looked_up(first_try("Who is the author of Kelling Tarn?"), [near], [WROTE])
    assert len(model.prompts) == 1
    foreign = judged(8, "凯林山湖由布里尔所写", -6.0, "Kelling Tarn")
    assert not beside_the_question("Who is the author of Kelling Tarn?", [far, foreign])
    assert beside_the_question("凯林山湖的作者是谁？", [foreign])
    assert not beside_the_question("凯林山湖的作者是谁？", [msgspec.structs.replace(foreign, relevance=-3.9)])
    assert not beside_the_question("Who?", [msgspec.structs.replace(far, relevance=None)])


@pytest.mark.parametrize(
    ("asked", "margin", "found"),
    [
        ("Who wrote Kelling Tarn?", 1.0, True),  # every word of it stands there but "who"
        ("Who wrote Kelling Tarn?", None, True),  # a model that does not tell
        ("Whose granddaughter inherited the Kelling estate?", 2.0, False),
        ("Whose granddaughter inherited the Kelling estate?", 3.5, True),
    ],
)
def test_the_less_a_passage_has_of_the_question_the_surer_the_model_must_be(
    asked: str, margin: float | None, found: bool
):
    reply = Completion(text=msgspec.json.encode(WROTE).decode(), usage=Usage(), margin=margin)
    made, _ = looked_up(first_try(asked), [FOUNDED], [reply, reply], found_margin=4.0)
    assert made.found is found


def test_coverage_is_the_share_of_rare_words():
    idf = {"ada": 3.0, "brill": 3.0, "wrote": 1.0, "opera": 3.0}
    assert coverage(idf, "ada brill wrote opera", FOUNDED.passage) == pytest.approx(0.7)
    assert coverage({}, "the", FOUNDED.passage) == FOREIGN
    assert coverage(idf, "阿达写了什么", FOUNDED.passage) == FOREIGN
