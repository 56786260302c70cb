from __future__ import annotations

import json
import operator
import pickle
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Interrupt, Send, interrupt

from appliance.domain import Claim, ClaimKind, Finding, Fingerprint, Plan, RunStatus, Struct, Task, Tool
from appliance.errors import DamagedError
from appliance.store.checkpoints import SqliteCheckpointer
from appliance.store.serializer import JsonSerializer
from appliance.store.sqlite import Database

CONFIG: Any = {"configurable": {"thread_id": "r-1"}}


class State(TypedDict, total=False):
    plan: Plan
    findings: Annotated[list[Finding], operator.add]
    guidance: str


def planned(state: State) -> State:
    return {"plan": Plan(tasks=(Task(id=1, question="who?", tool=Tool.CALC),))}


def asked(state: State) -> State:
    return {"guidance": interrupt({"ask": "which year?"})}


def found(state: State) -> State:
    mark = Fingerprint("d-1#Risks#ab")
    claim = Claim(text=state["guidance"], kind=ClaimKind.FACT, citations=(mark,))
    return {"findings": [Finding(task_id=1, question="who?", found=True, claims=(claim,))]}


def graph(database: Database) -> Any:
    builder = StateGraph(State)
    for node in (planned, asked, found):
        builder.add_node(node.__name__, node)
    for before, after in ((START, "planned"), ("planned", "asked"), ("asked", "found"), ("found", END)):
        builder.add_edge(before, after)
    return builder.compile(checkpointer=SqliteCheckpointer(database))


def test_interrupt_reopen_resume_and_fork(tmp_path: Path) -> None:
    database = Database(tmp_path / "assay.db")
    paused = graph(database).invoke({"guidance": ""}, CONFIG)
    assert [stop.value for stop in paused["__interrupt__"]] == [{"ask": "which year?"}]
    database.close()

    database = Database(tmp_path / "assay.db")
    again = graph(database)
    assert again.get_state(CONFIG).next == ("asked",)
    assert again.get_state(CONFIG).values["plan"].tasks[0].tool is Tool.CALC
    done = again.invoke(Command(resume="2023"), CONFIG)
    assert [finding.claims[0].text for finding in done["findings"]] == ["2023"]

    history = list(again.get_state_history(CONFIG))
    earlier = next(state for state in history if state.next == ("found",))
    forked = again.update_state(earlier.config, {"guidance": "2022"})
    branch = again.invoke(None, forked)
    assert [finding.claims[0].text for finding in branch["findings"]] == ["2022"]
    assert again.get_state(earlier.config).values["guidance"] == "2023"
    assert len(list(again.get_state_history(CONFIG, limit=2))) == 2

    again.checkpointer.delete_thread("r-1")
    assert again.get_state(CONFIG).values == {}
    database.close()


def test_a_failed_node_can_be_run_again(tmp_path: Path) -> None:
    broken = [True]

    def fragile(state: State) -> State:
        if broken[0]:
            raise ValueError("model gone")
        return {"guidance": "fine"}

    database = Database(tmp_path / "assay.db")
    builder = StateGraph(State)
    builder.add_node("planned", planned)
    builder.add_node("fragile", fragile)
    builder.add_edge(START, "planned")
    builder.add_edge("planned", "fragile")
    loop = builder.compile(checkpointer=SqliteCheckpointer(database))
    with pytest.raises(ValueError, match="model gone"):
        loop.invoke({"guidance": ""}, CONFIG)
    broken[0] = False
    assert loop.invoke(None, CONFIG)["guidance"] == "fine"
    database.close()


def test_parallel_sends_keep_the_order_of_their_tasks(tmp_path: Path) -> None:
    def work(state: dict[str, int]) -> State:
        return {"findings": [Finding(task_id=state["task"], question="", found=False)]}

    database = Database(tmp_path / "assay.db")
    builder = StateGraph(State)
    builder.add_node("work", work)
    builder.add_conditional_edges(START, lambda _: [Send("work", {"task": n}) for n in (1, 2, 3)], ["work"])
    loop = builder.compile(checkpointer=SqliteCheckpointer(database))
    done = loop.invoke({"guidance": ""}, CONFIG)
    assert [finding.task_id for finding in done["findings"]] == [1, 2, 3]
    database.close()


def test_a_checkpoint_can_be_read_by_a_person(tmp_path: Path) -> None:
    database = Database(tmp_path / "assay.db")
    graph(database).invoke({"guidance": ""}, CONFIG)
    row = database.one("SELECT checkpoint FROM checkpoints ORDER BY checkpoint_id DESC LIMIT 1")
    assert row is not None
    plan = json.loads(row[0])["channel_values"]["plan"]
    assert plan["name"] == "Plan"
    assert plan["v"]["tasks"][0]["question"] == "who?"
    database.close()


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        -3,
        2.5,
        "中文",
        [1, (2, "x"), {"k": b"\x00\xff"}],
        {"$": "tuple", "v": [1]},
        RunStatus.PARTIAL,
        Task(id=1, question="q", depends_on=(2, 3)),
        Interrupt(value={"a": (1,)}, id="i"),
        Send("node", {"a": 1}),
    ],
)
def test_round_trip(value: object) -> None:
    serializer = JsonSerializer()
    back = serializer.loads_typed(serializer.dumps_typed(value))
    assert back == value
    assert type(back) is type(value)


class Unknown(Struct):
    """Not registered."""

    n: int = 1


@pytest.mark.parametrize("value", [Unknown(), {1: "x"}, {1, 2}, float("nan"), object(), len, [Unknown]])
def test_what_json_cannot_hold_is_refused(value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        JsonSerializer().dumps_typed(value)
    assert JsonSerializer([Unknown]).dumps_typed(Unknown())[0] == "json"


@pytest.mark.parametrize(
    "stored",
    [
        ("pickle", pickle.dumps([1])),
        ("msgpack", b"\x93\x01\x02\x03"),
        ("json", b'{"$":"type","name":"Popen","v":{}}'),
        ("json", b'{"$":"type","name":"Task","v":{"id":"x"}}'),
        ("json", b'{"$":"call","v":"os.system"}'),
        ("json", b'{"$":"tuple"}'),
        ("json", b"{"),
    ],
)
def test_a_planted_checkpoint_is_refused(stored: tuple[str, bytes]) -> None:
    with pytest.raises(DamagedError):
        JsonSerializer().loads_typed(stored)


def test_steps_of_before_are_sealed_when_the_schema_is_brought_up_to_date(tmp_path: Path) -> None:
    database = Database(tmp_path / "assay.db")
    graph(database).invoke({"guidance": ""}, CONFIG)
    sealed = [tuple(row) for row in database.query("SELECT prev_digest, digest FROM checkpoints")]
    assert len({row[1] for row in sealed}) == len(sealed)
    with database.transaction() as connection:
        # As an older version left it: without the links.
        for column in ("prev_digest", "digest", "event_seq"):
            connection.execute(f"ALTER TABLE checkpoints DROP COLUMN {column}")
        connection.execute("DROP INDEX runs_parent")
        connection.execute("DROP TABLE steering")
        for column in ("options", "fork", "head"):
            connection.execute(f"ALTER TABLE runs DROP COLUMN {column}")
        connection.execute("DELETE FROM migrations WHERE name = 'm012_steering'")
    database.close()

    database = Database(tmp_path / "assay.db")
    again = [tuple(row) for row in database.query("SELECT prev_digest, digest FROM checkpoints")]
    assert again == sealed
    database.close()
