"""The strategy selector: its signals, when it departs from the configuration, what it does without a head."""

from __future__ import annotations

import math
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest

from appliance.config import REPOSITORY, Retrieval
from appliance.domain import Experience, PassageId, Reading, Scored, Specificity, Weights
from appliance.retrieval.choosing import Choosing
from appliance.retrieval.recall import Route
from appliance.retrieval.strategy import (
    ABSENT,
    DAMAGED,
    HEAD,
    NO_GAIN,
    Head,
    StrategySelector,
    chosen_share,
    read_head,
)
from appliance.retrieval.strategy_signals import Signals, features, specificity_of
from finetune.strategy_draws import CONFIGURED
from finetune.strategy_held_out import CANDIDATES, Bold, Case, boldest, measured, shares
from finetune.strategy_rewards import GRID as TENTHS
from finetune.strategy_rewards import Set
from finetune.worlds import Maker, Recipe

SHIPPED = REPOSITORY / "models" / "heads" / "strategy"
GRID = np.linspace(0, 1, 11, dtype=np.float32)


def reading(text: str = "What does clause 7.2 of the Halden lease say?", language: str = "en") -> Reading:
    return Reading(text=text, language=language, simple=True)


def ranked(*scores: float, start: int = 1) -> list[Scored]:
    return [Scored(passage_id=PassageId(start + at), score=score) for at, score in enumerate(scores)]


def signals(**given: object) -> dict[str, float]:
    parts = {
        "reading": reading(),
        "specificity": Specificity(idfs=(6.0, 2.0), unknown=2, passages=1000),
        "dense": ranked(0.9, 0.88, 0.8),
        "lexical": ranked(4.0, 1.0),
        "memory": Experience(),
    } | given
    found = features(*parts.values())  # type: ignore[arg-type]
    return dict(zip(found.names, found.values, strict=True))


def test_signals_say_what_recall_found():
    found = signals()
    assert found["covered by the first"] == pytest.approx(4.0 / 8.0)
    assert found["unknown terms"] == pytest.approx(2 / 4)
    assert found["lexical gap to second"] == pytest.approx(0.75)
    assert found["dense gap to second"] == pytest.approx(0.2)
    assert found["shared of 5"] == pytest.approx(2 / 5)
    assert found["dense first in lexical"] == 1.0
    assert found["Chinese"] == 0.0
    assert signals(reading=reading("第三十二条怎么规定?", "zh"))["Chinese"] == 1.0


def test_lists_without_a_common_passage_do_not_agree():
    found = signals(lexical=ranked(4.0, 1.0, start=50))
    assert found["shared of 50"] == 0.0
    assert found["lexical first in dense"] == 0.0


@pytest.mark.parametrize("empty", [{"dense": []}, {"lexical": []}, {"specificity": Specificity()}])
def test_nothing_recalled_still_has_finite_signals_of_the_same_names(empty: dict[str, object]):
    found = signals(**empty)
    assert list(found) == list(signals())
    assert all(math.isfinite(value) for value in found.values())


def test_words_that_no_passage_holds_are_unknown():
    unheld = math.log(1 + (100 + 0.5) / 0.5)
    found = specificity_of([("lease", 3.0), ("halden", unheld)], 100)
    assert found == Specificity(idfs=(3.0,), unknown=1, passages=100)


def test_memory_is_neutral_until_there_is_one():
    assert signals()["all difference"] == 0.0
    known = signals(memory=Experience(held=25, all_dense=0.2, all_lexical=0.9))
    assert known["all difference"] == pytest.approx(-0.7)
    assert known["remembered"] == pytest.approx(0.5)


def test_a_share_is_left_only_for_a_sure_gain():
    peak = np.array([-((share - 0.8) ** 2) for share in GRID], dtype=np.float32)
    agreed = np.stack([peak, peak * 1.1])
    divided = np.stack([peak, -peak])
    assert chosen_share(agreed, GRID, 0.4, caution=1.5, pace=1.0) == pytest.approx(0.8)
    assert chosen_share(agreed, GRID, 0.4, caution=1.5, pace=0.5) == pytest.approx(0.6)
    assert chosen_share(divided, GRID, 0.4, caution=1.5, pace=1.0) == 0.4


def test_absent_and_damaged_heads_are_told_and_leave_the_configuration(tmp_path: Path):
    settings = Retrieval(dense_weight=1.0, lexical_weight=3.0)
    without = StrategySelector.load(tmp_path, settings)
    some = features(reading(), Specificity(), ranked(0.9), ranked(1.0), Experience())
    assert without.degraded == (ABSENT,)
    assert (without.choose(some).dense, without.choose(some).origin) == (0.25, "configuration")
    (tmp_path / HEAD).write_bytes((SHIPPED / HEAD).read_bytes()[:-1] + b"!")
    (tmp_path / f"{HEAD}.sha256").write_bytes((SHIPPED / f"{HEAD}.sha256").read_bytes())
    assert StrategySelector.load(tmp_path, settings).degraded == (DAMAGED,)


def test_the_shipped_head_fits_the_signals_and_is_quick():
    selector = StrategySelector.load(SHIPPED, Retrieval())
    some = features(
        reading(), Specificity(idfs=(5.0,), passages=9), ranked(0.9, 0.8), ranked(3.0), Experience()
    )
    assert selector.degraded == ()
    assert read_head(SHIPPED).names == some.names
    started = perf_counter()
    chosen = [selector.choose(some) for _ in range(200)]
    assert (perf_counter() - started) / 200 < 0.005
    assert chosen[0].origin == "selector"
    assert chosen[0].dense + chosen[0].lexical == pytest.approx(1.0)


def test_a_head_of_other_signals_is_refused():
    with pytest.raises(ValueError, match="train it again"):
        StrategySelector.load(SHIPPED, Retrieval()).choose(Signals(names=("Chinese",), values=(1.0,)))


class Terms:
    """A lexical index that only knows how rare words are."""

    def specificity(self, texts: list[str]) -> list[list[tuple[str, float]]]:
        return [[("lease", 2.0)] for _ in texts]

    def count(self) -> int:
        return 40


def test_choosing_reads_the_question_s_own_lists():
    selector = StrategySelector(None, Retrieval())
    choosing = Choosing(selector, Terms())  # type: ignore[arg-type]
    lists = {
        Route(name="dense", rewrite=0): ranked(0.9),
        Route(name="lexical", rewrite=0): ranked(2.0),
        Route(name="lexical", rewrite=1): ranked(9.0),
    }
    chosen = choosing(reading(), lists, Weights(dense=0.3, lexical=0.3, depth=70))
    assert chosen == Weights(dense=0.5, lexical=0.5, depth=70)


def test_near_equals_and_the_other_route_s_first_are_counted():
    crowd = signals(dense=ranked(0.9, 0.899, 0.895, 0.8), lexical=ranked(4.0, 3.9, 1.0, start=3))
    assert crowd["dense close"] == pytest.approx(math.log1p(3) / 4)
    assert crowd["lexical close"] == pytest.approx(math.log1p(2) / 4)
    assert crowd["dense of lexical first"] == pytest.approx(0.95)
    assert crowd["lexical of dense first"] == pytest.approx(-0.2)
    assert signals(lexical=[])["lexical entropy"] == 1.0


def test_routes_that_order_alike_agree_and_those_that_do_not_disagree():
    falling = [0.9 - at / 100 for at in range(8)]
    same = signals(dense=ranked(*falling), lexical=ranked(*falling))
    turned = [Scored(passage_id=PassageId(8 - at), score=score) for at, score in enumerate(falling)]
    assert same["rank agreement"] == pytest.approx(1.0)
    assert signals(dense=ranked(*falling), lexical=turned)["rank agreement"] == pytest.approx(-1.0)


def made(gain: float, caution: float = 1.0) -> Head:
    """A head over one signal that promises a gain in proportion to it for everything dense."""
    names = signals()
    at = list(names).index("dense near")
    first = np.zeros((2, len(names), 1))
    first[:, at] = 1.0
    arrays: dict[str, np.ndarray] = {
        "names": np.array(list(names)),
        "centre": np.zeros(len(names)),
        "scale": np.ones(len(names)),
        "grid": GRID,
        "first": first,
        "first_bias": np.zeros((2, 1)),
        "second": np.tile(GRID * gain, (2, 1, 1)),
        "second_bias": np.zeros((2, 11)),
        "caution": np.array(caution),
        "pace": np.array(1.0),
    }
    return Head(arrays)


def test_a_moved_weight_names_its_gain_and_the_signal_that_spoke_for_it():
    some = features(reading(), Specificity(), ranked(0.9, 0.89, 0.88), ranked(1.0), Experience())
    moved = StrategySelector(made(0.5), Retrieval()).choose(some)
    assert (moved.dense, moved.origin) == (1.0, "selector")
    assert moved.reason.startswith("dense 0.50 → 1.00, expected +0.0")
    assert moved.reason.endswith("by dense near")
    kept = StrategySelector(made(0.0), Retrieval()).choose(some)
    assert (kept.dense, kept.reason) == (0.5, NO_GAIN)


def test_choices_of_many_are_those_of_each():
    chance = np.random.default_rng(3)
    found = chance.normal(0, 1, (40, 5, 11)) + np.linspace(-1, 1, 11)
    for caution, pace in ((0.5, 1.0), (1.5, 0.5)):
        each = [chosen_share(one, TENTHS, CONFIGURED, caution=caution, pace=pace) for one in found]
        assert shares(found, caution, pace) == pytest.approx(each)


def test_the_boldest_choice_is_one_that_loses_little_on_worlds_unseen():
    chance = np.random.default_rng(5)
    curves = np.tile(-((TENTHS - 0.7) ** 2), (30, 1)) + 0.5
    right = np.tile(curves[:, None, :], (1, 6, 1)) + chance.normal(0, 0.01, (30, 6, 11))
    wrong = right[:, :, ::-1]
    given = Set(
        name="one",
        questions=[],
        vectors=np.zeros((30, 2)),
        ndcg=curves,
        recall=curves,
        alone=np.zeros((30, 2, 2)),
        found=np.zeros((30, 2)),
    )
    odds = np.full(30, 1 / 30)
    sound = Case(name="sound", given=given, odds=odds, opinions=right)
    unsound = Case(name="unsound", given=given, odds=odds, opinions=wrong)
    best, tried = boldest([sound])
    assert best.pace == 1.0
    assert best.mean > 0.05
    careful, _ = boldest([sound, unsound])
    assert careful.worst == max(worst for _, worst in tried_of(careful, [sound, unsound]))
    assert len(tried) == 6


def tried_of(best: Bold, cases: list[Case]) -> list[list[float]]:
    return [[one.mean, one.worst] for one in (measured(cases, *pair) for pair in CANDIDATES)]


def test_tables_of_reports_hold_what_they_are_asked_for():
    recipe = Recipe(name="trial", languages=("en", "zh"), tables=4, topics=2, versions=1, news=4, people=2)
    world = Maker(recipe, 2).world()
    texts = {text.id: text for text in world.texts}
    asked = [one for one in world.questions if one.style == "report"]
    assert len(asked) >= 8
    for one in asked:
        (page,) = (texts[name] for name in one.gold)
        year = page.title[-4:] if page.language == "en" else page.title.split("年")[0][-4:]
        assert year in one.question
        assert any(
            line.split(" | ")[0].strip() in one.question
            for line in page.text.splitlines()[1:]
            if " | " in line
        )
