"""Findings and conclusions with a scripted model: what code lets through, and what it shows instead."""

from __future__ import annotations

import re

import msgspec
import pytest

from appliance.answers.conclude import ConclusionReply, conclude
from appliance.answers.find import FindingReply, Question, find
from appliance.answers.guards import BridgeReply
from appliance.domain import (
    AnswerKind,
    Claim,
    ClaimKind,
    Completion,
    DocumentId,
    Finding,
    Fingerprint,
    Passage,
    PassageId,
    Plan,
    RunStatus,
    Task,
    Usage,
)
from appliance.evidence.locate import Line
from appliance.serving.scripted import ScriptedModel


class Counted:
    def add(self, usage: Usage) -> None:
        self.usage = usage


def line(number: int, text: str, title: str = "Orbis annual report 2021") -> Line:
    passage = Passage(
        id=PassageId(number),
        fingerprint=Fingerprint(f"d-1#{number}#f"),
        document_id=DocumentId("d-1"),
        record_id="r",
        collection="c",
        title=title,
        section_path="",
        text=text,
        language="en",
        token_count=9,
        published="2022-03-01",
    )
    return Line(number=number, shown=text, raw=text, passage=passage)


LINES = [
    line(1, "Orbis employed 1,204 people in 2021."),
    line(2, "The sales of Orbis in 2021 were $8.2 million."),
]


def ask(
    reply: FindingReply | BridgeReply | Completion,
    question: Question,
    lines: list[Line] = LINES,
    least: float = 0.0,
) -> tuple[Finding, list[str]]:
    dropped: list[str] = []
    finding = find(
        question,
        lines,
        model=ScriptedModel([reply]),
        meter=Counted(),
        instructions="read",
        analyse=lambda text: re.findall(r"[a-z]+", text.lower()),
        dropped=lambda text, _missing: dropped.append(text),
        plainly=lambda margin, passage: margin >= least,
    )
    return finding, dropped


SALES = Question(
    task_id=1, text="What were the sales of Orbis in 2021?", years=("2021",), kind=AnswerKind.OTHER
)


def test_a_proven_statement_cites_the_line_that_holds_it():
    reply = FindingReply(found=True, answer="$8.2 million", statement="Orbis sold for $8.2 million in 2021.")
    finding, dropped = ask(reply, SALES)
    assert (finding.found, finding.answer, dropped) == (True, "$8.2 million", [])
    assert finding.claims[0].citations == ("d-1#2#f",)
    assert finding.claims[0].quote == LINES[1].raw


@pytest.mark.parametrize(("margin", "found"), [(1.2, False), (3.0, True), (None, True)])
def test_a_model_that_hardly_holds_it_found_has_found_nothing(margin: float | None, found: bool):
    said = FindingReply(found=True, answer="$8.2 million", statement="Orbis sold for $8.2 million in 2021.")
    reply = Completion(text=msgspec.json.encode(said).decode(), usage=Usage(), margin=margin)
    finding, dropped = ask(reply, SALES, least=3.0)
    assert (finding.found, dropped) == (found, [])
    assert found or "do not state it" in finding.missing


def test_an_unproven_statement_gives_way_to_the_line_itself():
    reply = FindingReply(
        found=True, answer="$8.2 million", statement="Sales of $8.2 million beat Vandelay by 9%."
    )
    finding, dropped = ask(reply, SALES)
    assert finding.claims[0].text == LINES[1].shown
    assert dropped == ["Sales of $8.2 million beat Vandelay by 9%."]


@pytest.mark.parametrize(
    ("reply", "question", "says"),
    [
        (FindingReply(found=False, answer="", statement=""), SALES, "do not state it"),
        (
            FindingReply(found=True, answer="$9.9 million", statement="x"),
            SALES,
            "does not stand in the line",
        ),
        (
            FindingReply(found=True, answer="$8.2 million", statement="x"),
            Question(task_id=1, text="What were the sales of Orbis in 2019?", years=("2019",)),
            "no passage found speaks of 2019",
        ),
        (
            FindingReply(found=True, answer="1,204", statement="x"),
            Question(task_id=1, text="Who runs Orbis?", kind=AnswerKind.PERSON),
            "do not state it",
        ),
        (
            FindingReply(found=True, answer="1,204", statement="x"),
            Question(task_id=1, text="How high are warranty provisions?"),
            "speak of something else",
        ),
        (
            FindingReply(found=True, answer="$8.2 million", statement="x"),
            Question(task_id=1, text="What were the sales of the ZX-99 in 2021?", years=("2021",)),
            "no passage found speaks of ZX-99",
        ),
    ],
)
def test_what_is_not_stated_is_missing(reply: FindingReply | BridgeReply, question: Question, says: str):
    finding, _ = ask(reply, question)
    assert not finding.found
    assert says in finding.missing


def test_nothing_retrieved_asks_no_model():
    finding, _ = ask(FindingReply(found=True, answer="x", statement="x"), SALES, [])
    assert "nothing readable was retrieved" in finding.missing


def fact(task_id: int, text: str, answer: str) -> Finding:
    claim = Claim(text=text, kind=ClaimKind.FACT, citations=(Fingerprint(f"f{task_id}"),), quote=text)
    return Finding(task_id=task_id, question="q", found=True, answer=answer, claims=(claim,))


PLAN = Plan(tasks=(Task(id=1, question="a"), Task(id=2, question="b {1}", depends_on=(1,))))
SIDES = Plan(tasks=(Task(id=1, question="a"), Task(id=2, question="b")))
FACTS = [fact(1, "X was tested at Harrow Hospital.", "Harrow Hospital"), fact(2, "It is in Leeds.", "Leeds")]


def end(reply: ConclusionReply, findings: list[Finding] = FACTS, plan: Plan = SIDES):
    return conclude(
        "q",
        plan,
        findings,
        earlier=(),
        model=ScriptedModel([reply]),
        meter=Counted(),
        instructions="conclude",
        dropped=lambda _text, _missing: None,
        published={Fingerprint("f1"): "2021-04-01", Fingerprint("f2"): "2023"},
    )


def test_a_joined_answer_is_an_inference_with_all_citations():
    answer = end(
        ConclusionReply(
            facts=[1, 2], answer="Leeds", statement="Harrow Hospital, which tested X, is in Leeds."
        )
    )
    assert answer.short == "Leeds"
    assert (answer.status, answer.sources_as_of) == (RunStatus.ANSWERED, "2023")
    assert answer.claims[0].kind is ClaimKind.INFERENCE
    assert answer.claims[0].citations == ("f1", "f2")
    assert len(answer.claims) == 3


def test_a_chain_ends_in_its_last_fact_without_a_model():
    answer = conclude(
        "q",
        PLAN,
        FACTS,
        earlier=(),
        model=ScriptedModel([]),
        meter=Counted(),
        instructions="conclude",
        dropped=lambda _text, _missing: None,
        published={},
    )
    assert (answer.answer, answer.short, answer.status) == ("It is in Leeds.", "Leeds", RunStatus.ANSWERED)
    assert len(answer.claims) == 2


def test_a_joined_answer_with_a_name_of_its_own_is_not_shown():
    answer = end(ConclusionReply(facts=[1, 2], answer="Leeds", statement="Mercy Hospital is in Leeds."))
    assert answer.answer == "X was tested at Harrow Hospital. It is in Leeds."
    assert all(claim.kind is ClaimKind.FACT for claim in answer.claims)


def test_without_the_goal_it_is_insufficient_but_tells_what_was_found():
    lost = Finding(task_id=2, question="b", found=False, missing="where it is")
    answer = end(ConclusionReply(facts=[], answer="", statement=""), [FACTS[0], lost], PLAN)
    assert (answer.status, answer.answer, answer.missing) == (RunStatus.INSUFFICIENT, "", ("where it is",))
    assert [claim.text for claim in answer.claims] == ["X was tested at Harrow Hospital."]


def test_an_answer_that_its_own_sentence_does_not_carry_is_refused():
    reply = FindingReply(found=True, answer="$8.2 million", statement="Orbis employed 1,204 people in 2021.")
    finding, _ = ask(
        reply, Question(task_id=1, text="What were the sales of Orbis in 2021?", years=("2021",))
    )
    assert not finding.found


def test_a_word_for_nothing_is_no_answer():
    reply = FindingReply(found=True, answer="未提及", statement="")
    assert not ask(reply, Question(task_id=1, text="What were the sales of Orbis?"))[0].found


def test_an_answer_that_only_repeats_the_question_is_none():
    reply = FindingReply(
        found=True, answer="Orbis", statement="The sales of Orbis in 2021 were $8.2 million."
    )
    assert not ask(reply, Question(task_id=1, text="Who audits the sales of Orbis?"))[0].found
    choice = ask(reply, Question(task_id=1, text="Which had more sales, Orbis or Brill?"))[0]
    assert choice.found


@pytest.mark.parametrize("answer", ["Orbis Co., Ltd.", "Orbis was founded by Orbis"])
def test_words_of_the_question_and_a_legal_form_are_no_answer(answer: str):
    lines = [line(1, "Orbis Co., Ltd. was founded by Orbis and makes pumps.")]
    reply = FindingReply(found=True, answer=answer, statement=f"{answer}.")
    assert not ask(reply, Question(task_id=1, text="Who was it that founded Orbis?"), lines)[0].found


def test_a_number_of_things_is_no_amount_of_money():
    lines = [line(1, "Orbis bought 1.5 million electrodes in 2021.")]
    reply = FindingReply(
        found=True, answer="$1.5 million", statement="Orbis bought $1.5 million electrodes in 2021."
    )
    assert not ask(reply, Question(task_id=1, text="What were the costs of Orbis electrodes?"), lines)[
        0
    ].found


HEAD = Question(task_id=1, text="Which firm employs the head of the town's council?", bridge=False)
PEOPLE = [line(1, "The council's head, Ada Holm (born 1960), and her deputy Ben Lund work for Orbis.")]


def test_a_result_on_the_way_is_not_the_answer():
    reply = FindingReply(found=True, answer="Orbis", statement="The head of the council works for Orbis.")
    assert ask(reply, HEAD, PEOPLE)[0].found
    finding, dropped = ask(reply, msgspec.structs.replace(HEAD, steps_to=("orbis",)), PEOPLE)
    assert (finding.found, dropped) == (False, [reply.statement])


def test_a_bridge_carries_the_bare_name_and_the_names_beside_it():
    question = Question(task_id=1, text="Who leads the council?", kind=AnswerKind.PERSON, bridge=True)
    reply = BridgeReply(found=True, answer="Ada Holm (born 1960), and her deputy Ben Lund")
    finding, _ = ask(reply, question, PEOPLE)
    assert (finding.answer, finding.others) == ("Ada Holm", ("Ben Lund",))


def test_of_the_lines_that_hold_the_answer_one_that_is_on_topic_is_cited():
    question = Question(task_id=1, text="Which band is Marian Holm a member of?", bridge=True)
    lines = [
        line(1, "Marian Holm sings in the band Northvale.", "Marian Holm"),
        line(2, "Northvale toured with Marian Holm in 1984.", "Northvale"),
    ]
    finding, dropped = ask(BridgeReply(found=True, answer="Northvale"), question, lines)
    assert (finding.found, dropped) == (True, [])
    assert finding.claims[0].citations == ("d-1#1#f",)
