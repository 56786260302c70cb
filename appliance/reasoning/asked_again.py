"""New guidance while a run works: what was given up without it is looked for once more. A pure function."""

from __future__ import annotations

from appliance.reasoning.state import State, Update


def asked_again(state: State) -> Update | None:
    """Return the state without the sub-questions that were not found, as after planning; None: there is none.

    To be asked when nothing is in hand. What waited for them, and was given up with them, goes too.
    """
    found = tuple(finding for finding in state["findings"] if finding.found)
    if len(found) == len(state["findings"]):
        return None
    return {"findings": found, "stopped_by": ""}


def at_rest(state: State) -> bool:
    """Whether there is a plan and nothing is in hand: the place to look back."""
    return state["plan"] is not None and not state["hand"] and state["answer"] is None
