"""A run's stored steps as people and programs read them, and whether their chain of digests holds.

Arrives: a run's id. Leaves: its steps in order, each with its own JSON, or a report of the chain. Reads the
tables alone: no graph is built and no model is opened.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec

from appliance.domain import ChainReport, RunId
from appliance.errors import DamagedError
from appliance.store.sqlite import Database, Value
from appliance.store.step_digest import step_digest

_PULLED = re.compile(r"^~?__pregel_pull, ([\w-]+)")
_PUSHED = re.compile(r"^~?__pregel_push, (\d+)")
"""A task that a node sent: its place in the channel of sent tasks."""


class StoredStep(msgspec.Struct, frozen=True, kw_only=True):
    """One step: the state after it, as it was stored."""

    number: int
    """0: the question is taken in; then one for each round of the graph."""
    checkpoint: str
    parent: str | None
    nodes: tuple[str, ...]
    """What ran in it; empty for the first and for a change from outside."""
    source: str
    """``input``, ``loop``, or ``update`` for a change from outside (a fork)."""
    at: str
    values: Mapping[str, Any]
    """The channels, as stored (``store/serializer.py`` explains the ``$`` marks)."""
    digest: str
    event_seq: int
    """The run's last event when the step was stored."""


class History:
    """Reads steps and their chain."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def steps(self, run: RunId) -> tuple[StoredStep, ...]:
        """The line that leads to the newest step, oldest first. Raises DamagedError: not readable."""
        rows = {str(row["checkpoint_id"]): row for row in self._rows(run)}
        line: list[Mapping[str, Any]] = []
        at = max(rows, default=None)
        while at is not None and at in rows:
            line.append(dict(rows.pop(at)))
            at = line[-1]["parent_id"]
        paths = self._paths(run)
        line.reverse()
        found = [_step(row, *_before(line, place, paths)) for place, row in enumerate(line)]
        return tuple(step for step in found if step.number >= 0)

    def verify(self, run: RunId) -> ChainReport:
        """Whether every stored step still has the text that it was sealed with, and none is missing."""
        rows = self._rows(run)
        row = self._database.one("SELECT head, answer FROM runs WHERE id = ?", (run,))
        head, answer = (str(row[0]), row[1]) if row else ("", None)
        steps = sum(1 for each in rows if _number(each) != -1)
        digests: dict[str, str] = {}
        for each in rows:
            if reason := _fault(dict(each), digests):
                return ChainReport(
                    steps=steps, holds=False, head=head, broken_at=_number(each), reason=reason
                )
            digests[str(each["checkpoint_id"])] = str(each["digest"])
        newest = str(rows[-1]["digest"]) if rows else ""
        if newest != head:
            reason = "the newest step is not the one that the run names: steps were removed or added"
            return ChainReport(steps=steps, holds=False, head=head, broken_at=steps, reason=reason)
        if rows and answer is not None and not _same_answer(str(rows[-1]["checkpoint"]), str(answer)):
            reason = "the run's answer is not the one of its last step"
            return ChainReport(steps=steps, holds=False, head=head, broken_at=steps, reason=reason)
        return ChainReport(steps=steps, holds=True, head=head)

    def _rows(self, run: RunId) -> list[Any]:
        parameters: Sequence[Value] = (run,)
        return self._database.query(
            "SELECT * FROM checkpoints WHERE thread_id = ? AND ns = '' ORDER BY checkpoint_id", parameters
        )

    def _paths(self, run: RunId) -> dict[str, list[str]]:
        """The tasks that ran after each checkpoint, as LangGraph calls them."""
        rows = self._database.query(
            "SELECT DISTINCT checkpoint_id, task_path FROM checkpoint_writes"
            " WHERE thread_id = ? AND ns = '' ORDER BY checkpoint_id, task_path",
            (run,),
        )
        found: dict[str, list[str]] = {}
        for checkpoint, path in rows:
            found.setdefault(str(checkpoint), []).append(str(path))
        return found


def _before(
    line: Sequence[Mapping[str, Any]], place: int, paths: Mapping[str, list[str]]
) -> tuple[Mapping[str, Any] | None, list[str]]:
    """The step before, and the tasks that made the next one of it."""
    before = line[place - 1] if place else None
    return before, paths.get(str(before["checkpoint_id"]), []) if before else []


def _nodes(before: Mapping[str, Any] | None, paths: Sequence[str]) -> tuple[str, ...]:
    """The nodes that ran, each once; of tasks that were sent, those that the step before has to send."""
    sent: list[Any] = []
    if before is not None and any(_PUSHED.match(path) for path in paths):
        sent = _json(before["checkpoint"]).get("channel_values", {}).get("__pregel_tasks", [])
    names: dict[str, None] = {}
    for path in paths:
        if pulled := _PULLED.match(path):
            names[pulled.group(1)] = None
        elif (pushed := _PUSHED.match(path)) and int(pushed.group(1)) < len(sent):
            names[str(sent[int(pushed.group(1))]["node"])] = None
    return tuple(name for name in names if not name.startswith("__"))


def _step(row: Mapping[str, Any], before: Mapping[str, Any] | None, paths: Sequence[str]) -> StoredStep:
    stored, metadata = _json(row["checkpoint"]), _json(row["metadata"])
    source = str(metadata.get("source", ""))
    return StoredStep(
        number=int(metadata.get("step", -1)),
        checkpoint=str(row["checkpoint_id"]),
        parent=row["parent_id"],
        nodes=_nodes(before, paths) if source == "loop" else (),
        source=source,
        at=str(stored.get("ts", "")),
        values=stored.get("channel_values", {}),
        digest=str(row["digest"]),
        event_seq=int(row["event_seq"]),
    )


def _number(row: Mapping[str, Any]) -> int:
    try:
        return int(_json(row["metadata"]).get("step", -1))
    except DamagedError:
        return -1


def _fault(row: Mapping[str, Any], digests: Mapping[str, str]) -> str:
    parent = row["parent_id"]
    if parent is not None and parent not in digests:
        return "the step before it is missing"
    before = digests.get(parent or "", "")
    if row["prev_digest"] != before:
        return "it does not follow the step before it"
    now = step_digest(before, row["checkpoint_id"], parent, row["checkpoint"], row["metadata"])
    if not hmac.compare_digest(now, str(row["digest"])):
        return "its text is not the one that was stored"
    return ""


def _same_answer(checkpoint: str, answer: str) -> bool:
    """A run that goes on again has no answer in its newest step: nothing to compare."""
    channels = cast("dict[str, Any]", _json(checkpoint).get("channel_values", {}))
    last: Any = channels.get("answer")
    return last is None or last["v"] == msgspec.json.decode(answer)


def _json(text: object) -> dict[str, Any]:
    try:
        return msgspec.json.decode(str(text), type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise DamagedError(
            f"a stored step is no JSON: {error}", hint="assay runs verify says which"
        ) from error
