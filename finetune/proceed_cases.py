"""Recorded tries → labelled examples and what policies of going on earn: for ``proceed_head.py``.

Arrives: runs of ``proceed_runs.py``. Leaves: for every try that found nothing, the product's own features and
whether the next try would put evidence before the reader that none before it had; and, for any rule of going
on, the evidence read and the seconds it took. The reader is played: it finds what it has read, misses some of
it and is at times sure of what is not there; how often, :class:`Reader` says.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np

from appliance.domain import AnswerKind, Finding, PassageId, Plan, Task, Usage
from appliance.reasoning.assess import next_try
from appliance.reasoning.continue_features import Features, features_of
from appliance.reasoning.state import Gathered, Limits, Outcome, Standing, State, Try, first_state
from finetune.proceed_runs import QuestionRun, TaskRun

LIMITS = Limits(max_steps=5, max_seconds=600, max_llm_tokens=20_000)
READING_SECONDS = 6.0
"""Of one model call on two cores."""
JITTER = 0.4
"""Deviation of noise on the log-odds, in training."""


class Reader(msgspec.Struct, frozen=True, kw_only=True):
    """How the small model reads: chances of what it says."""

    finds: float = 0.6
    """Of an answer let through, where evidence was read."""
    invents: float = 0.15
    """Of an answer let through, where none was."""
    refused: tuple[float, float] = (0.45, 0.3)
    """Of an answer that the checks refuse, among what is not found: evidence read, and not."""


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """One try that found nothing, and what going on would bring: evidence that no try had read."""

    features: Features
    brings: bool
    """With the next try or the one after it: who stops gives up both."""
    at_once: bool
    """With the next."""
    question: int = 0
    """Which of the set's."""
    weight: float = 1.0


class Tally(msgspec.Struct):
    """What a policy came to on a set."""

    tasks: int = 0
    evidenced: int = 0
    """Tasks for which evidence was read."""
    tries: int = 0
    seconds: float = 0.0


GoesOn = Callable[[Features], bool]


def read_runs(paths: Sequence[Path]) -> list[QuestionRun]:
    """All recorded questions of the files."""
    return [
        msgspec.json.decode(line, type=QuestionRun)
        for path in paths
        for line in path.read_bytes().splitlines()
    ]


def examples(
    runs: Sequence[QuestionRun],
    *,
    repeats: int,
    seed: int,
    noise: float = JITTER,
    reader: Reader | None = None,
) -> list[Example]:
    """Every situation in which the rules would go on, each question played ``repeats`` times."""
    found: list[Example] = []
    for number, run in enumerate(runs):
        for turn in range(repeats):
            player = Player(run, random.Random(f"{seed} {number} {turn}"), noise=noise, reader=reader)
            player.play(lambda features: True)
            found += [
                msgspec.structs.replace(each, weight=1 / repeats, question=number) for each in player.examples
            ]
    return found


def earned(runs: Sequence[QuestionRun], goes_on: GoesOn, *, repeats: int, seed: int) -> Tally:
    """What a policy reads and costs; the same reader for every policy."""
    total = Tally()
    for number, run in enumerate(runs):
        for turn in range(repeats):
            tally = Player(run, random.Random(f"{seed} {number} {turn}"), noise=0.0).play(goes_on)
            total.tasks += tally.tasks
            total.evidenced += tally.evidenced
            total.tries += tally.tries
            total.seconds += tally.seconds
    return total


class Player:
    """One question played through with a drawn reader."""

    def __init__(
        self, run: QuestionRun, chance: random.Random, *, noise: float, reader: Reader | None = None
    ) -> None:
        """``chance`` decides what the reader says; every task draws the same whatever came before it."""
        self.run, self.random, self.noise, self.reader = run, chance, noise, reader or Reader()
        self.examples: list[Example] = []

    def play(self, goes_on: GoesOn) -> Tally:
        """What it came to; the situations met are in ``examples``."""
        tasks = list(self._drawn())
        plan = Plan(
            tasks=tuple(
                Task(id=task.hop + 1, question=task.asked, depends_on=task.depends_on) for task in tasks
            )
        )
        state = first_state(self.run.question, LIMITS)
        state["plan"] = plan
        state["attempt"] = attempt = int(self.random.random() < 0.1)
        if self.run.scouted:
            scout = Try(attempt=attempt, task=Task(id=0, question=self.run.question), asked=self.run.question)
            _gathered(state, scout, self.run.scouted, Standing())
        tally = Tally()
        for task, planned in zip(tasks, plan.tasks, strict=True):
            draws = random.Random(self.random.random())
            self._play(state, task, planned, draws, goes_on, tally)
        return tally

    def _drawn(self) -> Iterator[TaskRun]:
        """One recording of each hop: where there is one with a wrong result filled in, at times that."""
        hops: dict[int, list[TaskRun]] = {}
        for task in self.run.tasks:
            hops.setdefault(task.hop, []).append(task)
        for _, recorded in sorted(hops.items()):
            yield self.random.choice(recorded)

    def _play(
        self, state: State, task: TaskRun, planned: Task, draws: random.Random, goes_on: GoesOn, tally: Tally
    ) -> None:
        one = Try(attempt=state["attempt"], task=planned, asked=task.asked)
        gold, read = set(task.gold), set[int]()
        tally.tasks += task.exists
        while True:
            tried = task.tries[one.number]
            _gathered(state, one, tried.passages, tried.standing)
            one = msgspec.structs.replace(one, passages=tuple(PassageId(number) for number in tried.read))
            read.update(tried.read)
            # A try that is paid for where no answer is to be had costs as much as any.
            tally.tries += 1
            tally.seconds += tried.seconds + READING_SECONDS
            outcome = self._outcome(one, task, bool(gold & set(tried.read)), draws)
            state["outcomes"] = (*state["outcomes"], outcome)
            state["seconds"] += tried.seconds + READING_SECONDS
            state["usage"] = state["usage"].plus(Usage(calls=1, prompt_tokens=420, completion_tokens=40))
            following = next_try(one, outcome, state["gathered"], LIMITS.tries_per_task)
            if following is None:
                break
            features = features_of(state, one, outcome, following)
            left = [bool(gold & set(each.read) - read) for each in task.tries[following.number :]]
            self.examples.append(Example(features=features, brings=any(left), at_once=left[0]))
            if not goes_on(features):
                break
            one = following
        tally.evidenced += bool(gold & read)
        state["findings"] = (*state["findings"], state["outcomes"][-1].finding)

    def _outcome(self, one: Try, task: TaskRun, evidence: bool, draws: random.Random) -> Outcome:
        found = draws.random() < (self.reader.finds if evidence else self.reader.invents)
        refused = draws.random() < self.reader.refused[0 if evidence else 1]
        relevance = task.tries[one.number].relevance
        if relevance is not None:
            relevance += draws.gauss(0.0, self.noise) if self.noise else 0.0
        return Outcome(
            attempt=one.attempt,
            task_id=one.task.id,
            number=one.number,
            finding=Finding(
                task_id=one.task.id, question=one.asked, found=found, answer="x" if found else ""
            ),
            relevance=relevance,
            refused=refused and not found,
            kind=AnswerKind(task.kind),
            language=task.language,
        )


def _gathered(state: State, one: Try, passages: Sequence[int], standing: Standing) -> None:
    """Put into the history what a retrieval brought."""
    seen = {passage for each in state["gathered"] for passage in each.passages}
    brought = Gathered(
        attempt=one.attempt,
        task_id=one.task.id,
        number=one.number,
        asked=one.asked,
        tactic=one.tactic,
        passages=tuple(PassageId(each) for each in passages),
        fresh=len(set(passages) - seen),
        standing=standing,
    )
    state["gathered"] = (*state["gathered"], brought)


def auc(scores: np.ndarray, labels: np.ndarray, weights: np.ndarray | None = None) -> float:
    """Area under the ROC curve: the chance that a positive stands above a negative; ties count half."""
    weights = np.ones(len(scores)) if weights is None else weights
    order = np.argsort(scores, kind="stable")
    scores, labels, weights = scores[order], labels[order] > 0, weights[order]
    _, group = np.unique(scores, return_inverse=True)
    lost = np.bincount(group, weights * ~labels)
    won = np.bincount(group, weights * labels)
    below = np.cumsum(lost) - lost
    total = won.sum() * lost.sum()
    return float((won * (below + lost / 2)).sum() / total) if total else float("nan")
