"""From what the retrievals of a run brought: what a try reads, and the evidence of the whole run, ranked.

Pure functions over the history of retrievals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from appliance.domain import Hit, PassageId, Tool
from appliance.reasoning.state import Gathered, Standing, Tactic, Try

DEEPER_TIMES = 3
"""How many times as many passages a deeper retrieval looks at."""
SCOUTED = 3
"""Passages of the whole question's own retrieval that a sub-question's first try reads beside its own."""
PROVEN = 1.0
"""What a passage that a claim cites gains: as much as the first place in another retrieval."""


def looking(hand: Sequence[Try], history: Sequence[Gathered]) -> list[Try]:
    """Return the tries that need a retrieval: not a calculation, nor what is known, nor what is there.

    The look at the whole question waits for a sub-question that has to be looked up.
    """
    there = {(each.attempt, each.task_id, each.asked) for each in history}
    looked = [
        one
        for one in hand
        if one.task.tool is not Tool.CALC
        and one.recalled is None
        and (one.tactic is not Tactic.ANOTHER or (one.attempt, one.task.id, one.asked) not in there)
    ]
    asks = any(one.task.id for one in hand)
    return looked if any(one.task.id for one in looked) or not asks else []


def reading_list(one: Try, history: Sequence[Gathered], most: int) -> tuple[PassageId, ...]:
    """Return what a try reads, best first: of its own retrieval what no earlier try of the task has read."""
    mine = (one.attempt, one.task.id, one.asked)
    own = [each for each in history if (each.attempt, each.task_id, each.asked) == mine]
    if one.tactic is Tactic.ANOTHER:
        return tuple(dict.fromkeys(number for each in own for number in each.passages))[: 2 * most]
    scout = [each for each in history if each.task_id == 0]
    scouted = scout[0].passages[:SCOUTED] if scout else ()
    read: set[PassageId] = set()
    for each in own:
        if each.number >= one.number:
            break
        fresh = [number for number in each.passages if number not in read]
        read.update(fresh[:most])
        read.update(scouted if each.number == 0 else ())
    unread = [number for number in own[-1].passages if number not in read][:most]
    beside = scouted if one.number == 0 and one.tactic is Tactic.ASKED else ()
    return tuple(dict.fromkeys((*unread, *beside)))


def standing_of(hits: Sequence[Hit], read: int, log_odds: Callable[[float], float]) -> Standing:
    """Return the best score, and the best of those after the first ``read``, of both kinds."""
    judged = [None if hit.rerank_score is None else log_odds(hit.rerank_score) for hit in hits]
    return Standing(judged=_best_two(judged, read), close=_best_two([hit.dense_score for hit in hits], read))


def _best_two(scores: Sequence[float | None], read: int) -> tuple[float, float] | None:
    known = [score for score in scores if score is not None]
    beyond = [score for score in scores[read:] if score is not None]
    return (max(known), max(beyond)) if beyond else None


def ranked_evidence(
    history: Sequence[Gathered], proven: Sequence[PassageId], most: int
) -> tuple[PassageId, ...]:
    """Return the ``most`` best passages of a run: those that claims cite, then by reciprocal ranks.

    Every sub-question knows which hop it is for, so its first passages stand before the second ones of any
    other; the retrieval of the whole question counts as one of them.
    """
    scores: dict[PassageId, float] = {}
    best: dict[tuple[int, int, str], dict[PassageId, float]] = {}
    for each in history:
        own = best.setdefault((each.attempt, each.task_id, each.asked), {})
        for rank, number in enumerate(each.passages, start=1):
            score = 1 / (rank + each.number)
            own[number] = max(own.get(number, 0.0), score)
    for own in best.values():
        for number, score in own.items():
            scores[number] = scores.get(number, 0.0) + score
    for place, number in enumerate(dict.fromkeys(proven)):
        scores[number] = scores.get(number, 0.0) + PROVEN - place * 1e-3
    return tuple(sorted(scores, key=lambda number: (-scores[number], number))[:most])
