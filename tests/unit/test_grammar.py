"""The grammar of a type, as text; tests/contracts/test_language_model.py holds a real model to it."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any, Literal

import msgspec
import pytest

from appliance.serving.grammar import grammar_of


class Tool(Enum):
    DOCUMENTS = "documents"
    CALC = "calc"


class Task(msgspec.Struct):
    tool: Tool
    question: Annotated[str, msgspec.Meta(min_length=1, max_length=220)]


class Tasks(msgspec.Struct):
    tasks: Annotated[list[Task], msgspec.Meta(min_length=2, max_length=4)]


class Loose(msgspec.Struct):
    a: bool = False
    b: Literal["北京"] | None = None


def rules(schema: type[object]) -> dict[str, str]:
    return dict(line.split(" ::= ", 1) for line in grammar_of(schema).splitlines())


def test_fields_come_in_order_without_whitespace():
    task = next(body for body in rules(Task).values() if "tool" in body)
    assert task.startswith('"{" "\\"tool\\":" ')
    text = grammar_of(Task)
    assert '("\\"calc\\"" | "\\"documents\\"")' in text
    assert '"," "\\"question\\":" "\\"" char{1,220} "\\"" "}"' in text
    assert "[ \\t]" not in text


def test_lists_keep_their_bounds():
    assert any('("," item-' in body and "{1,3}" in body for body in rules(Tasks).values())


def test_chinese_is_raw_and_defaults_may_be_left_out():
    text = grammar_of(Loose)
    assert '"\\"北京\\""' in text
    assert '| "}"' in text


def test_every_rule_that_is_used_exists():
    for schema in (Task, Tasks, Loose):
        known = rules(schema)
        for body in known.values():
            bare = "".join(
                part for place, part in enumerate(body.replace('\\"', "").split('"')) if not place % 2
            )
            for word in bare.replace("(", " ").replace(")", " ").replace("?", " ").split():
                name = word.split("{")[0]
                if name[:1].isalpha():
                    assert name in known


@pytest.mark.parametrize(
    "schema", [Any, list[Any], Annotated[str, msgspec.Meta(pattern="^a")], Annotated[list[int], 0] | bytes]
)
def test_what_cannot_be_held_is_refused(schema: Any):
    with pytest.raises(TypeError, match="no grammar"):
        grammar_of(schema)
