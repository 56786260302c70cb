"""Which plan a question gets: by shape, memory, model, or none."""

from __future__ import annotations

import datetime
import time

import pytest
from planned_questions import PLANNED

from appliance.domain import Offer, Plan, Reading, Task, Tool
from appliance.reasoning.planning import Sources, catalogue_of, plan_for, section_of, shaped
from appliance.reasoning.skeleton import signature_of, skeleton_of
from appliance.understanding.reading import read_question


def read(question: str) -> Reading:
    chinese = any("一" <= character <= "鿿" for character in question)
    return read_question(
        question, language_of=lambda _: "zh" if chinese else "en", as_of=datetime.date(2024, 5, 1)
    )


def test_there_are_at_least_120_questions_in_both_languages():
    chinese = [one for one in PLANNED if any("一" <= c <= "鿿" for c in one[0])]
    assert len(PLANNED) >= 120
    assert len(chinese) >= 45


@pytest.mark.parametrize(("question", "pattern", "tasks", "join"), PLANNED)
def test_the_shape_of_a_question_gives_its_plan(question: str, pattern: str, tasks: int, join: str):
    plan = plan_for(read(question))
    told = (plan.pattern.value, len(plan.tasks), plan.combine.join.value if plan.combine else "")
    assert told == (pattern, tasks, join), [task.question for task in plan.tasks]


def test_every_reference_of_a_shaped_plan_points_back():
    for question, *_ in PLANNED:
        for task in plan_for(read(question)).tasks:
            assert all(need < task.id for need in task.depends_on), question


def test_a_chain_through_two_films_asks_for_each_director_first():
    plan = plan_for(read("Which film has the director who was born later, Silver Ford or Winter Rails?"))
    assert [(task.question, task.depends_on) for task in plan.tasks] == [
        ("Who is the director of the film Silver Ford?", ()),
        ("Who is the director of the film Winter Rails?", ()),
        ("When was {1} born?", (1,)),
        ("When was {2} born?", (2,)),
    ]
    assert plan.combine is not None
    assert (plan.combine.of, plan.combine.labels) == ((3, 4), ("Silver Ford", "Winter Rails"))


def test_a_difference_names_document_section_and_both_versions():
    plan = plan_for(read("《数据办法》第七章在2021版和2023版之间有什么变化，与《网络法》修正案有什么关系？"))
    assert [task.tool for task in plan.tasks] == [Tool.DIFF, Tool.DOCUMENTS]
    versions = plan.tasks[0].versions
    assert versions is not None
    assert (versions.document, versions.section, versions.older, versions.newer[:4]) == (
        "数据办法",
        "第七章",
        "2021版",
        "2023",
    )


def test_what_has_a_shape_is_asked_whole_the_second_time():
    reading = read("Who was born first, Ada Holm or Ben Lund?")
    assert [task.question for task in plan_for(reading, attempt=1).tasks] == [reading.text]


NESTED = "Ada Holm leads the project of what town in the north of the valley of the Arn?"


def drafted(*questions: str) -> Plan:
    return Plan(tasks=tuple(Task(id=n, question=q) for n, q in enumerate(questions, start=1)))


def test_the_model_is_asked_only_where_no_shape_is_clear():
    asked: list[str] = []

    def draft(examples: str) -> Plan:
        asked.append(examples)
        return drafted("Which project does Ada Holm lead?", "Of what town is {1} the project?")

    library = "## chain\nQ: like this\n\n## comparison\nQ: or like that\n"
    sources = Sources(draft=draft, examples=library)
    assert plan_for(read("Who is the spouse of the author of Ash?"), sources=sources).origin == "rules"
    assert plan_for(read("Who wrote Ash?"), sources=sources).origin == "simple"
    assert asked == []
    plan = plan_for(read(NESTED), sources=sources)
    assert asked == ["Q: like this"]
    assert [task.depends_on for task in plan.tasks] == [(), (1,)]


def test_nonsense_of_the_model_becomes_the_question_itself():
    sources = Sources(draft=lambda _: drafted("lorem ipsum", "dolor sit {1}"))
    plan = plan_for(read(NESTED), sources=sources)
    assert [task.question for task in plan.tasks] == [NESTED]
    assert "the plan did not fit the question" in plan.notes


def test_a_plan_that_worked_serves_a_question_of_the_same_words():
    question, other = "Which town hosts the trials of Ada Holm?", "Which town hosts the trials of Ben Lund?"
    worked = drafted("Which festival hosts Ada Holm?", "In which town is {1}?")
    skeleton = skeleton_of(question, worked)
    assert skeleton is not None

    class Memory:
        def offers(self, signature: str) -> list[Offer]:
            same = 1.0 if signature == skeleton.signature else 0.9
            return [Offer(skeleton=skeleton, similarity=same, worked=2, failed=1)]

    assert signature_of(other) == skeleton.signature
    plan = plan_for(read(other), sources=Sources(memory=Memory()))
    assert (plan.origin, [task.question for task in plan.tasks]) == (
        "remembered",
        ["Which festival hosts Ben Lund?", "In which town is {1}?"],
    )


def test_a_derivation_goes_before_the_shapes_of_sums():
    given = drafted("What was the rent of Orbis in 2019?", "What were the costs of Orbis in 2019?")
    question = "What share of Orbis's 2019 costs was rent?"
    assert shaped(read(question), derive=lambda _: given) == given


def test_examples_are_those_of_the_pattern():
    from appliance.domain import Pattern

    assert section_of("## chain\na\n\n## comparison\nb\n", Pattern.COMPARISON) == "b"
    assert section_of("## chain\na\n", Pattern.CAUSE) == ""


@pytest.mark.parametrize(
    "text",
    [
        "which " * 60,
        "the a of " * 40,
        "who was born first, " + "A or " * 70,
        "和" * 390,
        "A的" * 190,
        "{1}'s " * 60,
    ],
)
def test_no_question_makes_the_shapes_slow(text: str):
    begun = time.perf_counter()
    plan_for(read(text))
    assert time.perf_counter() - begun < 1.0


def test_a_catalogue_is_short_and_only_of_several():
    assert catalogue_of(["contracts"], "en") == ""
    assert catalogue_of(["contracts", "x" * 90], "en") == f"Collections: contracts; {'x' * 60}"
    assert catalogue_of(["合同", "年报"], "zh") == "文档集：合同；年报"


def test_the_prompt_s_fixed_part_comes_first_and_a_plan_too_long_is_cut():
    import json

    from appliance.domain import Completion, Usage
    from appliance.reasoning.plan import make_plan
    from appliance.reasoning.sound import sound
    from appliance.serving.scripted import ScriptedModel

    class Meter:
        def add(self, usage: Usage) -> None: ...

    tasks = [{"tool": "documents", "question": f"What is fact {n} of Acme?"} for n in range(40)]
    reply = Completion(text=json.dumps({"tasks": tasks}), usage=Usage(calls=1))
    model = ScriptedModel([reply])
    made = make_plan(
        "What of Acme?",
        model=model,
        meter=Meter(),
        instructions="split",
        examples="Q: e",
        catalogue="Collections: c",
    )
    assert (model.prompts[0].system, model.prompts[0].user) == (
        "split",
        "Q: e\n\nCollections: c\n\nQ: What of Acme?",
    )
    plan = sound(made, "What of Acme?")
    assert (len(plan.tasks), plan.notes) == (6, ("40 tasks were planned, the first 6 are kept",))
