"""Whether another try is worth it: features from states, the bar, the head's file, and the loop under it."""

from __future__ import annotations

import hashlib
import io
import json
import math
from pathlib import Path

import msgspec
import numpy as np
import pytest

from appliance.config import load_config
from appliance.domain import (
    AnswerKind,
    DocumentId,
    Finding,
    Fingerprint,
    Hit,
    Passage,
    PassageId,
    Plan,
    Task,
    Usage,
)
from appliance.errors import ConfigError, DamagedError
from appliance.reasoning.assess import assessed
from appliance.reasoning.continue_features import NAMES, Features, features_of, spent_share, vector_of
from appliance.reasoning.continue_head import FOLDER, load_continue_head
from appliance.reasoning.continuing import Continuing, bar_of
from appliance.reasoning.gathering import standing_of
from appliance.reasoning.state import Gathered, Limits, Outcome, Standing, State, Tactic, Try, first_state
from appliance.trained_head import CARD, WEIGHTS

LIMITS = Limits(max_steps=5, max_seconds=100, max_llm_tokens=1_000, max_retrievals=10)
PLAN = Plan(
    tasks=(
        Task(id=1, question="Who made X?"),
        Task(id=2, question="Where is {1}?", depends_on=(1,)),
        Task(id=3, question="Who runs {2}?", depends_on=(2,)),
    )
)
DEEPER = Features(tactic=Tactic.DEEPER)


def tried(number: int, passages: tuple[int, ...], *, task: int = 2, asked: str = "Where is Orbis?") -> Try:
    tactic = (Tactic.ASKED, Tactic.DEEPER, Tactic.REWORDED)[number]
    read = tuple(PassageId(each) for each in passages)
    one = PLAN.tasks[task - 1]
    return Try(attempt=0, task=one, asked=asked, number=number, tactic=tactic, passages=read)


def gathered(one: Try, *, fresh: int) -> Gathered:
    standing = Standing(judged=(3.0, -2.0), close=(0.9, 0.8))
    return Gathered(
        attempt=0, task_id=one.task.id, number=one.number, asked=one.asked, tactic=one.tactic,
        passages=one.passages, fresh=fresh, standing=standing,
    )  # fmt: skip


def outcome(one: Try, relevance: float | None = None, *, answer: str = "", refused: bool = False) -> Outcome:
    finding = Finding(task_id=one.task.id, question=one.asked, found=bool(answer), answer=answer)
    return Outcome(
        attempt=0, task_id=one.task.id, number=one.number, finding=finding, relevance=relevance,
        refused=refused, kind=AnswerKind.DATE, language="zh",
    )  # fmt: skip


def state_of(*tries: tuple[Try, int, Outcome]) -> State:
    state = first_state("q", LIMITS)
    state["plan"] = PLAN
    scout = Try(attempt=0, task=Task(id=0, question="q"), asked="q", passages=(PassageId(1), PassageId(2)))
    state["gathered"] = (gathered(scout, fresh=2), *(gathered(one, fresh=fresh) for one, fresh, _ in tries))
    state["outcomes"] = tuple(made for _, _, made in tries)
    state["findings"] = (Finding(task_id=1, question="Who made X?", found=True, answer="Orbis"),)
    state["hand"] = (tries[-1][0],) if tries else ()
    return state


def test_features_are_read_from_the_state():
    first, second = tried(0, (1, 3, 4, 5)), tried(1, (5, 6, 7, 8))
    one, two = outcome(first, 2.0), outcome(second, -1.5, refused=True)
    state = state_of((first, 3, one), (second, 3, two))
    state["usage"], state["seconds"] = Usage(calls=2, prompt_tokens=700, completion_tokens=100), 30.0
    following = msgspec.structs.replace(second, number=2, tactic=Tactic.REWORDED)
    assert features_of(state, second, two, following) == Features(
        tactic=Tactic.REWORDED, relevance=-1.5, best_relevance=2.0, change=-3.5, fresh=0.75, agreement=0.25,
        lead=5.0, unread=-2.0, close_lead=pytest.approx(0.1), closeness=0.9, length=15, hop=1,
        tasks=3, done=1 / 3, kind=AnswerKind.DATE, chinese=True, refused=True, second_plan=False,
        conflicts=0, spent=0.8,
    )  # fmt: skip


def test_the_first_try_has_no_change_and_agrees_with_the_look_at_the_whole_question():
    first = tried(0, (1, 3, 4, 5))
    made = outcome(first)
    features = features_of(state_of((first, 3, made)), first, made, tried(1, ()))
    assert (features.relevance, features.best_relevance, features.change) == (None, None, None)
    assert (features.fresh, features.agreement) == (0.75, 0.25)


def test_tries_of_another_wording_or_task_are_not_counted():
    other, own = tried(0, (1,), asked="Where is Brill?"), tried(0, (9,))
    made = outcome(own, 1.0)
    features = features_of(state_of((other, 1, outcome(other, 8.0)), (own, 1, made)), own, made, tried(1, ()))
    assert (features.best_relevance, features.agreement) == (1.0, 0.0)


def test_two_answers_to_one_question_are_a_conflict_and_one_in_other_case_is_none():
    first = tried(0, (1,))
    made = outcome(first)
    state = state_of((first, 1, made))
    again = outcome(tried(0, (1,), task=1, asked="Who made X?"), answer="ORBIS ")
    state["earlier"] = state["findings"]
    state["outcomes"] = (again, made)
    assert features_of(state, first, made, tried(1, ())).conflicts == 0
    changed = msgspec.structs.replace(again.finding, answer="Brill")
    state["outcomes"] = (msgspec.structs.replace(again, finding=changed), made)
    assert features_of(state, first, made, tried(1, ())).conflicts == 1


def test_nothing_brought_no_budget_and_a_broken_plan_are_no_errors():
    first = tried(0, ())
    made = outcome(first, math.nan)
    state = state_of((first, 0, made))
    state["limits"] = msgspec.structs.replace(LIMITS, max_llm_tokens=0)
    state["plan"] = Plan(tasks=(Task(id=2, question="?", depends_on=(2, 7)),))
    features = features_of(state, first, made, tried(1, ()))
    assert (features.relevance, features.fresh, features.agreement, features.spent) == (None, 0.0, 0.0, 1.0)
    assert features.hop == 1
    assert spent_share(state) == 1.0


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e30])
def test_whatever_comes_in_the_vector_is_finite_and_the_probability_one(bad: float):
    features = Features(
        tactic=Tactic.DEEPER, relevance=bad, best_relevance=bad, change=bad, fresh=bad, agreement=bad,
        lead=bad, unread=bad, close_lead=bad, closeness=bad, length=-1,
        hop=-3, tasks=10**9, done=bad, conflicts=-1, spent=bad,
    )  # fmt: skip
    numbers = vector_of(features)
    assert numbers.shape == (len(NAMES),)
    assert np.isfinite(numbers).all()
    verdict = Continuing.load(0.1).verdict(features)
    assert verdict.probability is not None
    assert 0.0 <= verdict.probability <= 1.0


def test_no_relevance_is_told_from_a_relevance_of_nought():
    at = NAMES.index("judged")
    assert vector_of(DEEPER)[at] == 0.0
    assert vector_of(msgspec.structs.replace(DEEPER, relevance=0.0))[at] == 1.0


def test_the_bar_rises_as_the_budget_goes_and_falls_where_findings_contradict():
    bars = [bar_of(msgspec.structs.replace(DEEPER, spent=spent), 0.2) for spent in (0.0, 0.5, 1.0)]
    assert bars == pytest.approx([0.2, 0.3, 0.4])
    assert bar_of(msgspec.structs.replace(DEEPER, conflicts=1), 0.2) == pytest.approx(0.1)
    assert bar_of(msgspec.structs.replace(DEEPER, spent=1.0), 1.0) == 0.9


def constant(folder: Path, probability: float) -> Path:
    """A head that always says the same."""
    return written(folder, bias0=np.array([math.log(probability / (1 - probability))], np.float32))


def written(folder: Path, **changed: np.ndarray) -> Path:
    count = len(NAMES)
    arrays = {
        "mean": np.zeros(count, np.float32), "scale": np.ones(count, np.float32),
        "weights0": np.zeros((count, 1), np.float32), "bias0": np.zeros(1, np.float32),
    } | changed  # fmt: skip
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    folder.mkdir(exist_ok=True)
    (folder / WEIGHTS).write_bytes(buffer.getvalue())
    card = {"sha256": hashlib.sha256(buffer.getvalue()).hexdigest(), "features": NAMES, "models": ["e", "r"],
            "trained_on": 1, "collections": []}  # fmt: skip
    (folder / CARD).write_text(json.dumps(card))
    return folder


def test_a_low_probability_stops_and_a_high_one_goes_on_with_the_reason(tmp_path: Path):
    low = Continuing.load(0.15, folder=constant(tmp_path / "low", 0.08)).verdict(DEEPER)
    high = Continuing.load(0.15, folder=constant(tmp_path / "high", 0.62)).verdict(DEEPER)
    assert (low.goes_on, low.reason, low.probability) == (False, "stops: 0.08 below 0.15", 0.08)
    assert (high.goes_on, high.reason, high.bar) == (True, "goes on: 0.62", 0.15)


def test_a_stopped_sub_question_stands_as_not_found_and_the_verdict_names_it(tmp_path: Path):
    first = tried(0, (1, 3), task=1, asked="Who made X?")
    state = state_of((first, 2, outcome(first)))
    stopped = assessed(state, Continuing.load(0.15, folder=constant(tmp_path / "low", 0.08)).verdict)
    assert (stopped.again, [one.task_id for one in stopped.verdicts]) == ((), [1])
    assert [(one.task_id, one.found) for one in stopped.settled] == [(1, False)]
    on = assessed(state, Continuing.load(0.15, folder=constant(tmp_path / "high", 0.62)).verdict)
    assert [one.tactic for one in on.again] == [Tactic.DEEPER]
    assert on.settled == ()


def test_hard_rules_come_first_and_are_not_put_to_the_head(tmp_path: Path):
    sure = Continuing.load(0.15, folder=constant(tmp_path / "sure", 0.999))
    first = tried(0, (1, 3))
    state = state_of((first, 2, outcome(first)))
    state["seconds"] = 101.0
    made = assessed(state, sure.verdict)
    assert (made.again, made.verdicts) == ((), ())
    last = tried(2, (1, 3))
    made = assessed(state_of((last, 2, outcome(last))), sure.verdict)
    assert not any(one.task.id == 2 for one in made.again)
    assert made.verdicts == ()


def test_a_head_of_other_models_is_not_asked_and_it_says_so(tmp_path: Path):
    folder = constant(tmp_path / "head", 0.01)
    assert not Continuing.load(0.15, models=["r", "e"], folder=folder).verdict(DEEPER).goes_on
    verdict = Continuing.load(0.15, models=["bge-m3", "r"], folder=folder).verdict(DEEPER)
    assert (verdict.goes_on, verdict.reason) == (
        True,
        "goes on: by the rules (the continue head knows e, r)",
    )


def hit(rerank: float | None, dense: float | None) -> Hit:
    passage = Passage(
        id=PassageId(1), fingerprint=Fingerprint("d#s#1"), document_id=DocumentId("d"), record_id="r",
        collection="c", title="", section_path="", text="x", language="en", token_count=1,
    )  # fmt: skip
    return Hit(passage=passage, fused_score=1.0, rerank_score=rerank, dense_score=dense)


def test_standing_is_the_best_score_and_the_best_of_what_is_not_read_next():
    hits = [hit(0.6, 0.9), hit(None, 0.8), hit(0.9, None), hit(0.1, 0.6), hit(0.3, 0.95)]
    assert standing_of(hits, 3, lambda share: 10 * share) == Standing(judged=(9.0, 3.0), close=(0.95, 0.95))
    assert standing_of(hits[:2], 2, lambda share: share) == Standing()


def test_nought_switches_it_off_without_reading_the_head(tmp_path: Path):
    verdict = Continuing.load(0.0, folder=tmp_path / "nothing").verdict(DEEPER)
    assert (verdict.goes_on, verdict.probability, verdict.reason) == (True, None, "goes on: by the rules")


def cut(folder: Path) -> None:
    whole = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes(whole[: len(whole) // 2])


def told_otherwise(folder: Path) -> None:
    card = json.loads((folder / CARD).read_text())
    (folder / CARD).write_text(json.dumps(card | {"features": list(NAMES[1:])}))


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (cut, "checksum"),
        (lambda folder: (folder / WEIGHTS).unlink(), "No such file"),
        (lambda folder: (folder / CARD).unlink(), "No such file"),
        (lambda folder: (folder / CARD).write_text("{"), "continue head"),
        (told_otherwise, "other features"),
        (lambda folder: written(folder, weights0=np.zeros((3, 1), np.float32)), "do not fit"),
        (lambda folder: written(folder, bias0=np.array([np.nan], np.float32)), "finite"),
        (lambda folder: written(folder, scale=np.zeros(len(NAMES), np.float32)), "standardisation"),
    ],
)
def test_a_damaged_head_is_told_with_a_hint_and_the_rules_decide(tmp_path: Path, damage, words: str):
    folder = constant(tmp_path / "head", 0.01)
    damage(folder)
    with pytest.raises(DamagedError, match=words) as raised:
        load_continue_head(NAMES, folder)
    assert "finetune.proceed_head" in raised.value.hint
    verdict = Continuing.load(0.15, folder=folder).verdict(DEEPER)
    assert (verdict.goes_on, verdict.probability) == (True, None)
    assert words in verdict.reason


def test_a_threshold_that_is_no_share_is_refused(tmp_path: Path):
    file = tmp_path / "own.toml"
    file.write_text("[reasoning]\ncontinue_threshold = 1.5\n")
    with pytest.raises(ConfigError, match="continue_threshold"):
        load_config(file)


def test_the_shipped_head_fits_is_small_and_has_its_metrics():
    head = load_continue_head(NAMES)
    assert head.card.features == NAMES
    assert (FOLDER / WEIGHTS).stat().st_size < 100_000
    metrics = json.loads((FOLDER / "metrics.json").read_text())
    assert metrics["sets"]["unseen worlds"]["roc_auc"] > 0.6
