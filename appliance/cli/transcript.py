"""A run as a person reads it: one line an event, then numbered claims and the list of sources."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import msgspec

from appliance.cli.output import say, short_hash

if TYPE_CHECKING:
    from appliance.domain import Event, Fingerprint, Passage
    from appliance.views import AnswerView

FAILED_STATUSES = frozenset({"failed", "cancelled"})


def print_event(event: Event, *, whole: bool = False) -> None:
    """One event; ``whole`` prints its data as JSON."""
    if whole:
        say(f"{event.seq:>3} {event.at} {event.kind} {msgspec.json.encode(event.data).decode()}", style="dim")
        return
    for line in event_lines(event):
        say(line, style="dim")


def event_lines(event: Event) -> list[str]:
    """What an event says to a person; unknown kinds by their name."""
    data = cast("dict[str, Any]", event.data)
    writer = _LINES.get(event.kind)
    return writer(data) if writer else [event.kind]


def _plan(data: dict[str, Any]) -> list[str]:
    again = "new plan" if data["attempt"] > 1 else "plan"
    return [f"{again} ({data['origin']}):", *(f"  {t['id']}. {t['question']}" for t in data["tasks"])]


def _passages(data: dict[str, Any]) -> list[str]:
    titles = list(dict.fromkeys(passage["title"] for passage in data["passages"]))
    lines = [f"  read {len(data['passages'])} passages: {'; '.join(titles)}"]
    lines += [
        f"  guidance “{each['by']}” left {each['kept']} of {each['of']}" for each in data.get("guided", [])
    ]
    lines += [f"  {notice}" for notice in data.get("notices", [])]
    return lines + [f"  without: {part}" for part in data["degraded"]]


def _finding(data: dict[str, Any]) -> list[str]:
    if data.get("held"):
        return ["  found; not shown before the answer is judged"]
    if data["found"]:
        return [f"  found: {data['answer']}"]
    return [f"  not found: {data['missing']}"]


def _dropped(data: dict[str, Any]) -> list[str]:
    if data.get("held"):
        return []
    return [f"  dropped (not in the passage: {', '.join(data['not_in_passage'])}): {data['text']}"]


def _memory(data: dict[str, Any]) -> list[str]:
    """What the run knew by then; drafts of earlier versions have no memory."""
    memory: dict[str, Any] = data.get("memory") or {"conclusions": [], "entities": [], "missing": []}
    lines = [f"  {one['confidence']:.0%} sure: {one['answer']}" for one in memory["conclusions"]]
    lines += [f"  lacking: {each}" for each in memory["missing"]]
    return lines + ([f"  speaks of: {', '.join(memory['entities'])}"] if memory["entities"] else [])


def _guidance(data: dict[str, Any]) -> list[str]:
    lines = [f"guidance by {data['by']}: {data['text']}"]
    for wish in data["wishes"]:
        names = [*wish["names"], *wish.get("times", [])]
        lines.append(f"  {wish['aim']}: {', '.join(names) or wish['text']}")
    if data["terms"]:
        lines.append(f"  search with: {', '.join(data['terms'])}")
    return lines + [f"  note: {each}" for each in (*data["conflicts"], *data["notices"])]


def _forked(data: dict[str, Any]) -> list[str]:
    lines = [f"forked from {data['parent']} after step {data['step']}"]
    lines += [f"  {name}: {value}" for name, value in data["changes"].items()]
    return lines + ([f"  note: {data['note']}"] if "note" in data else [])


_RECALLED = {"cache": "asked before", "knowledge": "known from earlier findings"}
_LINES: dict[str, Callable[[dict[str, Any]], list[str]]] = {
    "run.started": lambda data: [f"question: {data['question']}"],
    "run.resumed": lambda data: ["resumed"],
    "plan.made": _plan,
    "task.started": lambda data: [f"step {data['task']} ({data['tool']}): {data['question']}"],
    "passages.found": _passages,
    "finding.made": _finding,
    "claim.dropped": lambda data: _dropped(data),
    "orders.left_out": lambda data: [
        f"  no evidence, it gives orders to a machine: {each}" for each in data["sentences"]
    ],
    "run.paused": lambda data: [f"paused by {data['by']}"],
    "steering.late": lambda data: [f"came too late: {data.get('text') or data['kind']} (by {data['by']})"],
    "run.forked": lambda data: _forked(data),
    "guidance.taken": lambda data: _guidance(data),
    "strategy.changed": lambda data: [f"step {data['task']} again, {data['tactic']}: {data['question']}"],
    "task.assessed": lambda data: [
        f"  step {each['task_id']} {each['reason']} ({each['tactic']})"
        for each in data.get("verdicts", [])
        if each["probability"] is not None
    ],
    "finding.recalled": lambda data: [f"  {_RECALLED[data['from']]}"],
    "contradiction.found": lambda data: [
        f"  sources disagree on {data['about']}: {' / '.join(data['values']) or 'yes and no'}"
        + (f"; decided by {data['by']}" if data["resolved"] else "; undecided")
    ],
    "answer.draft": lambda data: (
        [] if data.get("held") else ["draft:", *(f"  {text}" for text in data["claims"]), *_memory(data)]
    ),
    "answer.judged": lambda data: (
        [f"credibility {data['score']:.2f}"]
        if data["shown"]
        else [f"withheld: credibility {data['score']:.2f}"]
    ),
    "review.decided": lambda data: [
        f"{data['decision']} by {data['by']}{': ' + data['note'] if data['note'] else ''}"
    ],
    "claim.checked": lambda data: [
        f"  not carried by what it cites, {data['outcome']}: {data['text']}",
        *(f"    {each['kind']}: {each['said']}" for each in data["faults"]),
    ],
    "answer.cached": lambda data: [
        f"answered from run {data['run_id']}, asked at {data['asked_at'][:16]}; --fresh asks anew"
    ],
    "run.stopped": lambda data: [f"stopped: {data['error']}"],
    "answer.done": lambda data: [],
}


def print_answer(view: AnswerView, resolve: Callable[[Fingerprint], Passage]) -> None:
    """The answer, its claims with numbered citations, what is missing, and the sources by number."""
    numbers: dict[Fingerprint, int] = {}
    for claim in (*view.claims, *(side for each in view.contradictions for side in each.sides)):
        for citation in claim.citations:
            numbers.setdefault(citation, len(numbers) + 1)

    def marks(citations: tuple[Fingerprint, ...]) -> str:
        return "".join(f"[{numbers[citation]}]" for citation in citations)

    say()
    say(f"{view.status.value}: {view.answer or 'the collection does not hold enough to answer'}", "bold")
    for claim in view.claims:
        inferred = " (inference)" if claim.kind == "inference" else ""
        say(f"  • {claim.text}{inferred} {marks(claim.citations)}")
    for each in view.contradictions:
        decided = f" (decided by {each.by})" if each.resolved else ""
        say(f"  ! sources disagree on {each.about}{decided}:")
        for at, side in enumerate(each.sides):
            holds = " ← holds" if at == each.chosen else ""
            say(f"      {side.text} {marks(side.citations)}{holds}")
    _print_lacking(view)
    _print_review(view, resolve)
    if numbers:
        say("sources:")
    for citation, number in numbers.items():
        say(f"  [{number}] {source_line(resolve(citation))}")
    _print_cost(view)


def _print_lacking(view: AnswerView) -> None:
    for missing in view.missing:
        say(f"  – missing: {missing}")
    for text in view.unconfirmed:
        say(f"  ? could not be confirmed: {text}")
    if view.caution:
        say(f"  {view.caution}")


def _print_review(view: AnswerView, resolve: Callable[[Fingerprint], Passage]) -> None:
    """Who decided what; of a withheld answer, the passages found."""
    if view.review is None:
        return
    if view.review.by:
        note = f": {view.review.note}" if view.review.note else ""
        say(f"  {view.review.status.value} by {view.review.by} at {view.review.at[:16]}{note}")
    if view.review.status.value != "approved":
        for mark in view.evidence:
            say(f"  found: {source_line(resolve(mark))}")


def source_line(passage: Passage) -> str:
    """Title, section, page, date and the short hash that ``assay passage`` takes."""
    parts = [passage.title]
    if passage.section_path and passage.section_path != passage.title:
        parts.append(passage.section_path)
    if passage.page_first is not None:
        parts.append(f"p. {passage.page_first}")
    if passage.published:
        parts.append(passage.published)
    if not passage.current:
        parts.append("older version")
    return " · ".join([*parts, short_hash(passage.fingerprint)])


def _print_cost(view: AnswerView) -> None:
    used = view.usage
    as_of = f"sources as of {view.sources_as_of} · " if view.sources_as_of else ""
    say(
        f"{as_of}{view.timings.get('seconds', 0.0):.1f} s · {used.calls} model calls,"
        f" {used.prompt_tokens:,} + {used.completion_tokens:,} tokens · {view.run_id}",
        style="dim",
    )
