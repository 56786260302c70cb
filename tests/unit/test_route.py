"""Which tool a task goes to, what outcomes change, and what plans and outcomes are kept."""

from __future__ import annotations

import datetime
from pathlib import Path

import numpy as np
import pytest

from appliance.domain import DomainPack, Plan, Reading, Routing, SectionType, Task, Tool, VersionPair
from appliance.reasoning.plan import unfolded_plan
from appliance.reasoning.route import route, utility
from appliance.reasoning.skeleton import signature_of, skeleton_of
from appliance.store.collections import Collections
from appliance.store.skeletons import Skeletons, ToolOutcomes
from appliance.store.sqlite import Database
from appliance.understanding.reading import read_question

EVERYWHERE = frozenset(Tool)


def read(question: str) -> Reading:
    chinese = any("一" <= character <= "鿿" for character in question)
    return read_question(
        question, language_of=lambda _: "zh" if chinese else "en", as_of=datetime.date(2024, 5, 1)
    )


def looked(question: str, tool: Tool = Tool.DOCUMENTS, versions: VersionPair | None = None) -> Task:
    return Task(id=1, question=question, tool=tool, versions=versions)


@pytest.mark.parametrize(
    ("question", "kind", "tool"),
    [
        ("What is the latest news about Acme today?", "live", Tool.EXTERNAL),
        ("海川公司今天有什么新闻？", "live", Tool.EXTERNAL),
        ("What are the risk factors of Acme?", "filing", Tool.DOCUMENTS),
        ("海川公司年报披露的风险因素有哪些？", "filing", Tool.DOCUMENTS),
        ("What are recent advances in solid batteries?", "trend", Tool.DOCUMENTS),
        ("How many people work at Acme?", "number", Tool.DOCUMENTS),
        ("Who founded Acme?", "fact", Tool.DOCUMENTS),
    ],
)
def test_a_task_goes_where_such_questions_are_answered(question: str, kind: str, tool: Tool):
    routed = route(looked(question), read(question), available=EVERYWHERE)
    assert (routed.kind.value, routed.tool) == (kind, tool)


def test_without_external_sources_live_questions_are_looked_up():
    question = "What is the latest news about Acme today?"
    assert route(looked(question), read(question)).tool is Tool.DOCUMENTS


def test_sums_stay_sums_and_versions_are_compared():
    assert route(looked("{1} - {2}", Tool.CALC), read("{1} - {2}"), available=EVERYWHERE).tool is Tool.CALC
    question = "What changed in chapter 7 between version 1 and version 2?"
    task = looked(question, Tool.DIFF, VersionPair(section="chapter 7"))
    assert route(task, read(question), available=EVERYWHERE).tool is Tool.DIFF


def test_risk_factors_are_looked_for_in_the_section_of_risks_of_filings():
    filters = route(looked("?"), read("What are the risk factors of Acme?")).filters
    assert filters is not None
    assert filters.section_types == (SectionType.RISK,)
    assert "annual report" in filters.sources


def test_a_named_chapter_is_a_filter():
    filters = route(looked("?"), read("What does section 4.2 of the handbook say?")).filters
    assert filters is not None
    assert filters.section == "section 4.2"


def test_outcomes_move_a_task_to_the_tool_that_answers():
    question = "What is the latest news about Acme today?"
    failed = {("live", "external"): (0, 12), ("live", "documents"): (9, 1)}
    routed = route(looked(question), read(question), outcomes=failed, available=EVERYWHERE)
    assert routed.tool is Tool.DOCUMENTS
    assert routed.utilities == {"documents": pytest.approx(0.678), "external": pytest.approx(0.32)}


def test_a_pack_says_what_its_field_expects():
    pack = DomainPack(
        name="f",
        title="F",
        title_zh="F",
        routing=(Routing(kind="live", tools={"external": 0.2, "documents": 0.9}),),
    )
    question = "What is the latest news about Acme today?"
    assert route(looked(question), read(question), pack=pack, available=EVERYWHERE).tool is Tool.DOCUMENTS


def test_utility_is_the_prior_until_outcomes_outweigh_it():
    assert utility(0.8) == pytest.approx(0.8)
    assert utility(0.8, (0, 92)) == pytest.approx(0.064)


# ---------------------------------------------------------------- kept
@pytest.fixture
def database(tmp_path: Path):
    opened = Database(tmp_path / "assay.db")
    for name in ("c", "d"):
        Collections(opened).ensure(name, "encoder")
    yield opened
    opened.close()


def test_outcomes_are_counted_by_collection(database: Database):
    outcomes = ToolOutcomes(database)
    for worked in (True, True, False):
        outcomes.learn("c", "live", "external", worked=worked)
    outcomes.learn("nowhere", "live", "external", worked=True)
    assert outcomes.of("c") == {("live", "external"): (2, 1)}
    assert outcomes.of("d") == {}


def unit(axis: int) -> np.ndarray:
    vector = np.zeros(8, dtype=np.float32)
    vector[axis] = 1
    return vector


QUESTION = "Where was the founder of the company that makes the Alder pump born?"


def test_a_plan_that_worked_is_offered_in_its_collection_only(database: Database):
    plan = unfolded_plan(QUESTION)
    assert plan is not None
    skeleton = skeleton_of(QUESTION, plan)
    assert skeleton is not None
    memory = Skeletons(database)
    memory.remember("c", skeleton, unit(0), worked=False)
    assert memory.like("c", unit(0)) == []
    memory.remember("c", skeleton, unit(0), worked=True)
    memory.remember("c", skeleton, unit(0), worked=False)
    offer = memory.like("c", unit(0))[0]
    assert (offer.skeleton, offer.similarity, offer.worked, offer.failed) == (skeleton, 1.0, 1, 1)
    assert memory.like("d", unit(0)) == []
    memory.forget("c")
    assert memory.like("c", unit(0)) == []


def test_the_least_useful_leave_first(database: Database):
    memory = Skeletons(database, kept=1)
    for question, times in ((QUESTION, 2), ("Who is the wife of the author of Ash?", 1)):
        plan = unfolded_plan(question)
        skeleton = plan and skeleton_of(question, plan)
        assert skeleton is not None
        for _ in range(times):
            memory.remember("c", skeleton, unit(times), worked=True)
    assert [one.skeleton.signature for one in memory.like("c", unit(1))] == [signature_of(QUESTION)]


SECRETS = [
    ("Who is the wife of the director of Project Nightjar in 2031?", ("Nightjar", "2031")),
    ("Where was the founder of the company that makes zorblax pills born?", ("zorblax", "pills")),
    ("Who is the spouse of the author of “Secret Plan 9”?", ("Secret", "9")),
    ("海川公司创始人毕业的大学位于哪个城市？", ("海川",)),
    ("《夜鹰计划》的作者的妻子是谁？", ("夜鹰",)),
]


@pytest.mark.parametrize(("question", "secrets"), SECRETS)
def test_nothing_of_what_a_question_was_about_is_kept(
    question: str, secrets: tuple[str, ...], database: Database
):
    plan = unfolded_plan(question)
    assert plan is not None
    skeleton = skeleton_of(question, plan)
    assert skeleton is not None
    Skeletons(database).remember("c", skeleton, unit(0), worked=True)
    row = database.one("SELECT signature || skeleton FROM plan_skeletons WHERE collection = ?", ("c",))
    assert row is not None
    assert not [secret for secret in secrets if secret.casefold() in str(row[0]).casefold()]


def test_a_plan_that_brings_words_of_its_own_is_not_kept():
    plan = Plan(
        tasks=(
            Task(id=1, question="Who leads Nightjar?"),
            Task(id=2, question="Where was {1} born?", depends_on=(1,)),
        )
    )
    assert skeleton_of("Where was the leader of Owl born?", plan) is None
