"""Nested questions in both languages: which look-ups they are made of, and which are left alone."""

import pytest

from appliance.reasoning.unfold import unfold

CHAINS = [
    (
        "What is the population of Lamps N' Oil's hometown?",
        ["What is the hometown of Lamps N' Oil?", "What is the population of {1}?"],
    ),
    (
        "When did Terra in Pace's author die?",
        ["Who is the author of Terra in Pace?", "When did {1} die?"],
    ),
    (
        "Where was the founder of the company that makes the Alder pump born?",
        ["Which company makes the Alder pump?", "Who is the founder of {1}?", "Where was {2} born?"],
    ),
    (
        "How much cash did the firm that funded Birch-4 hold at the end of 2020?",
        ["Which firm funded Birch-4?", "How much cash did {1} hold at the end of 2020?"],
    ),
    (
        "In which year did the inventor of the component used in the Alder pump graduate?",
        [
            "Which component was used in the Alder pump?",
            "Who is the inventor of {1}?",
            "In which year did {2} graduate?",
        ],
    ),
    (
        "Who owns the hospital whose first director was author of the Birch report?",
        [
            "Who is the author of the Birch report?",
            "Which hospital's first director was {1}?",
            "Who owns {2}?",
        ],
    ),
    ("Where did Ada Holm's husband study?", ["Who is the husband of Ada Holm?", "Where did {1} study?"]),
    (
        "松林公司的滤芯供应商，其总经理是谁？",
        ["松林公司的滤芯供应商是谁？", "{1}的总经理是谁？"],
    ),
    (
        "青松泵所用传感器的制造商由谁创办？",
        ["青松泵所用的传感器是哪个？", "{1}的制造商是谁？", "{2}由谁创办？"],
    ),
    (
        "海鸥设备来自一个课题，该课题的经费是多少？",
        ["海鸥设备来自哪个课题？", "{1}的经费是多少？"],
    ),
]
ALONE = [
    "What was the total budget of the Birch project?",
    "Who is the leader of the Birch project?",
    "Which is heavier, the pump that Alder makes or the pump that Birch makes, and by what percentage?",
    "Did the company that makes the Alder pump report a loss?",
    "When was the pump invented that cools the reactor in the country in which Alder was founded and sold?",
    "松林公司2021年的净利润比2020年增长了百分之几？",
    "松林公司的总经理是谁？",
    "根据松林公司的合同，违约金是多少？",
]


@pytest.mark.parametrize(("question", "lookups"), CHAINS)
def test_a_nested_question_is_unfolded_from_the_inside(question: str, lookups: list[str]):
    assert unfold(question) == lookups


@pytest.mark.parametrize("question", ALONE)
def test_a_question_of_another_shape_is_left_alone(question: str):
    assert unfold(question) == []
