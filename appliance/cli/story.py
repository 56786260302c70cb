"""A run's story and a comparison of two, as a person reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from appliance.cli.output import say, short_hash
from appliance.cli.transcript import print_event

if TYPE_CHECKING:
    from appliance.branches import Branches
    from appliance.domain import ChainReport, Event, Fingerprint, SteerRow
    from appliance.store.runs import RunRecord
    from appliance.story import Cost, RunStory


def print_story(run: RunRecord, story: RunStory, *, whole: bool) -> None:
    """Every stored step, its number in brackets, with its events and its cost; ``whole``: events as JSON."""
    asked = f"asked {story.created_at[:16]} by {story.user}"
    say(f"run {run.id} · {run.status.value} · {asked} · {run.collection}", "bold")
    say(f"question: {run.question}")
    if story.parent and story.fork:
        say(f"forked from {story.parent} after step {story.fork.step}", style="dim")
    for fork in story.forks:
        say(f"forked into {fork}", style="dim")
    models = " · ".join(f"{role} {digest[:12]}" for role, digest in story.model_digests.items())
    say(f"configuration {story.config_digest[:12]}{' · ' if models else ''}{models}", style="dim")
    for step in story.steps:
        what = ", ".join(step.nodes) or ("question taken in" if step.step == 0 else "changed by the fork")
        say(f"[{step.step}] {what}{_cost(step.cost)}", "bold")
        _events(step.events, whole)
    _events(story.after, whole)
    for row in story.said:
        say(f"{row.user} said at {row.at[:16]}: {_said(row)}")
    say(f"in all{_cost(story.cost) or ' · nothing'}")
    if story.parent:
        say(f"of that since the fork{_cost(story.own_cost) or ' · nothing'}")
    print_chain(story.chain)


def print_chain(chain: ChainReport) -> None:
    """One line: whether the record holds."""
    if not chain.steps:
        say("record: no stored steps")
    elif chain.holds:
        say(f"record: {chain.steps} steps, unbroken, head {chain.head[:16]}")
    else:
        say(f"record: BROKEN at step {chain.broken_at}: {chain.reason}", "bold red")


def print_branches(found: Branches) -> None:
    """What differs, a before b."""
    say(f"{found.a.run_id} (a) and {found.b.run_id} (b): {found.relation}", "bold")
    common = found.last_common_step
    say("no step in common" if common is None else f"the same up to step {common}")
    for name, side in (("a", found.a), ("b", found.b)):
        say(f"{name}: {side.status.value}: {side.answer or '(no answer)'}")
        say(f"   {side.question}{_cost(side.cost)} · {side.steps} steps", style="dim")
    for task in found.tasks:
        say(f"{'=' if task.same else '≠'} {task.question}")
        if not task.same:
            say(f"   a: {task.a_answer or 'not found'}   b: {task.b_answer or 'not found'}")
            _marks("passages of both", task.both_passages)
            _marks("only a", task.only_a_passages)
            _marks("only b", task.only_b_passages)
    for label, lines in (
        ("only a asked", found.only_a_tasks),
        ("only b asked", found.only_b_tasks),
        ("both claim", found.both_claims),
        ("only a claims", found.only_a_claims),
        ("only b claims", found.only_b_claims),
    ):
        for line in lines:
            say(f"{label}: {line}")


def _marks(label: str, marks: tuple[Fingerprint, ...]) -> None:
    if marks:
        say(f"   {label}: {', '.join(short_hash(mark) for mark in marks)}", style="dim")


def _events(events: tuple[Event, ...], whole: bool) -> None:
    for event in events:
        if whole or event.kind != "run.started":
            print_event(event, whole=whole)
        if not whole and event.kind == "passages.found":
            for passage in cast("list[dict[str, Any]]", event.data.get("passages", [])):
                section = f" · {passage['section']}" if passage.get("section") else ""
                say(f"    {short_hash(passage['fingerprint'])} {passage['title']}{section}", style="dim")


def _said(row: SteerRow) -> str:
    words = f"“{row.text}”" if row.text else row.kind.value
    if row.taken_at is None:
        return f"{words} (waits for the next step)"
    after = f", after step {row.step}" if row.step is not None else ""
    return f"{words} ({row.outcome}{after})"


def _cost(cost: Cost) -> str:
    """`` · 1.2 s · 2 model calls, 300 + 40 tokens, 120 cached``; empty where nothing was spent."""
    used = cost.usage
    parts = [f"{cost.seconds:.2f} s"] if cost.seconds >= 0.005 else []
    if used.calls:
        cached = f", {used.cached_tokens:,} cached" if used.cached_tokens else ""
        tokens = f"{used.prompt_tokens:,} + {used.completion_tokens:,} tokens{cached}"
        parts.append(f"{used.calls} model call{'s' if used.calls > 1 else ''}, {tokens}")
    return "".join(f" · {part}" for part in parts)
