"""Plans from anywhere, made sound."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from appliance.domain import Plan, Task, Tool
from appliance.reasoning.plan import validate
from appliance.reasoning.sound import sound


def plan(*questions: str, calc: int = 0) -> Plan:
    return Plan(
        tasks=tuple(
            Task(id=n, question=q, tool=Tool.CALC if n == calc else Tool.DOCUMENTS)
            for n, q in enumerate(questions, start=1)
        )
    )


def test_a_circle_is_broken_and_told():
    made = sound(plan("Who made {2} of Acme?", "Where is {1} of Acme now?"), "Where is what Acme made?")
    assert [task.depends_on for task in made.tasks] == [(), (1,)]
    assert made.notes == ("task 1 waited in a circle",)


def test_forty_tasks_are_cut_to_the_limit_with_the_reason():
    made = sound(plan(*(f"What is fact {n} of Acme?" for n in range(40))), "What of Acme?")
    assert len(made.tasks) == 6
    assert made.notes == ("40 tasks were planned, the first 6 are kept",)


def test_a_simple_question_split_too_far_is_one_look_up():
    question = "What was the revenue of Acme in 2020?"
    made = sound(plan("Who is Acme?", question), question)
    assert [task.question for task in made.tasks] == [question]
    assert made.origin == "simple"


def test_dangling_references_doubles_and_sums_of_nothing_go():
    made = sound(
        plan("Who made X1?", "who made X1", "Where is {2}?", "Is {9} near X1 too?", "2 + 2", calc=5),
        "Who made X1?",
    )
    assert [task.question for task in made.tasks] == ["Who made X1?", "Where is {1}?", "Is near X1 too?"]
    assert validate(made) is made


def test_a_plan_without_a_word_of_the_question_is_the_question_itself():
    made = sound(plan("lorem ipsum", "dolor {1}"), "Who made X1?")
    assert [task.question for task in made.tasks] == ["Who made X1?"]


tasks = st.lists(
    st.builds(
        Task,
        id=st.integers(min_value=0, max_value=9),
        question=st.text(alphabet="abX {}123?甲", max_size=14),
        tool=st.sampled_from(Tool),
        depends_on=st.lists(st.integers(min_value=0, max_value=9), max_size=3).map(tuple),
    ),
    max_size=12,
)


@given(tasks)
def test_whatever_comes_in_what_comes_out_can_be_carried_out(drafted: list[Task]):
    made = sound(Plan(tasks=tuple(drafted)), "a b X")
    assert validate(made) is made
    assert 1 <= len(made.tasks) <= 6
    assert [task.id for task in made.tasks] == list(range(1, len(made.tasks) + 1))


def test_a_draft_brings_in_no_name_and_no_figure_of_its_own():
    question = "Which town did Orbis move its head office to?"
    drafted = plan(
        "Where is the head office of Orbis?",
        "Who is the director of the film Silver Ford?",
        "In which town is {1}?",
        "{1} * 1000",
        calc=4,
    )
    made = sound(drafted, question)
    assert [task.question for task in made.tasks] == [
        "Where is the head office of Orbis?",
        "In which town is {1}?",
    ]
    assert sum("brought in" in note for note in made.notes) == 2
