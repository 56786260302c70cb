"""One query's order: weights of rewrites, what the cross-encoder may move, facets taken in turn."""

from __future__ import annotations

import pytest
from retrieval_fakes import passage, scored

from appliance.config import Retrieval as Settings
from appliance.domain import PassageId, Rewrite, RewriteKind, Weights
from appliance.retrieval.coarse import Factors
from appliance.retrieval.fuse import log_odds
from appliance.retrieval.rank import Aim, aims_of, final_order, fused_order, in_turn, parts_of
from appliance.retrieval.recall import Route
from appliance.retrieval.rerank import SHAKY, WEIGHED_DOWN, Reranked

SETTINGS = Settings(rewrite_weight=0.2, expanded_weight=0.5, rerank_weight=1.0, fused_weight=1.0)
ORIGINAL = Rewrite(kind=RewriteKind.ORIGINAL, text="rent and deposit")
EXPANDED = Rewrite(kind=RewriteKind.EXPANDED, text="rent and deposit lease")
KEYWORDS = Rewrite(kind=RewriteKind.KEYWORDS, text="rent deposit", dense=False)
FACETS = (Rewrite(kind=RewriteKind.FACET, text="rent"), Rewrite(kind=RewriteKind.FACET, text="deposit"))


def ids(*numbers: int) -> list[PassageId]:
    return [PassageId(number) for number in numbers]


def order(
    fused: dict[int, float],
    reranked: Reranked,
    languages: str = "",
    factors: dict[int, Factors] | None = None,
) -> list[int]:
    """The final order; a passage numbered in ``languages`` as ``3z`` is Chinese."""
    scores = {PassageId(n): score for n, score in fused.items()}
    passages = {
        n: passage(n, language="zh" if f"{n}z" in languages.split() else "en", title="") for n in scores
    }
    weighed = {n: (factors or {}).get(n, Factors()) for n in scores}
    return list(final_order(scores, [(1.0, scores)], reranked, weighed, passages, SETTINGS))


# ------------------------------------------------------------ aims and parts
def test_a_question_is_ranked_for_itself_and_for_each_facet() -> None:
    aims = aims_of((ORIGINAL, EXPANDED, KEYWORDS, *FACETS))
    assert aims == (
        Aim(text="rent and deposit", rewrites=(0, 1, 2)),
        Aim(text="rent", rewrites=(3,)),
        Aim(text="deposit", rewrites=(4,)),
    )


def test_lists_weigh_by_route_and_by_what_the_rewrite_is() -> None:
    rewrites = (ORIGINAL, EXPANDED, KEYWORDS, FACETS[0])
    recalled = {
        Route(name="dense", rewrite=0): scored(1),
        Route(name="dense", rewrite=1): scored(2),
        Route(name="lexical", rewrite=0): scored(3),
        Route(name="lexical", rewrite=2): scored(4),
        Route(name="lexical", rewrite=3): scored(5),
    }
    own, facet = (
        parts_of(aim, rewrites, recalled, Weights(dense=0.6, lexical=0.4), SETTINGS)
        for aim in aims_of(rewrites)
    )
    assert [(round(weight, 6), list(scores)) for weight, scores in own] == [
        (0.6, [1]),
        (0.3, [2]),
        (0.4, [3]),
        (0.08, [4]),
    ]
    assert facet == [(0.4, {5: 1.0})]


def test_what_a_passage_is_multiplies_its_fused_score() -> None:
    parts = [(1.0, {PassageId(1): 2.0, PassageId(2): 1.9, PassageId(3): 1.0})]
    factors = {n: Factors(boosts={"period": 1.2} if n == 2 else {}) for n in ids(1, 2, 3)}
    fused = fused_order(parts, ids(1, 2, 3), factors)
    assert fused == {1: pytest.approx(1.0), 2: pytest.approx(0.9 * 1.2), 3: 0.0}


# ------------------------------------------------------------ the final order
def test_without_a_cross_encoder_the_fused_order_is_final() -> None:
    assert order({1: 0.2, 2: 0.9, 3: 0.5}, Reranked()) == [2, 3, 1]


def test_the_cross_encoder_moves_only_what_it_read() -> None:
    reranked = Reranked(scores={PassageId(1): 0.01, PassageId(2): 0.99, PassageId(3): 0.9})
    assert order({1: 0.9, 2: 0.85, 3: 0.8, 4: 0.7, 5: 0.6}, reranked) == [2, 1, 3, 4, 5]


def test_a_passage_in_a_language_that_it_does_not_know_keeps_its_place() -> None:
    reranked = Reranked(scores={PassageId(1): 0.01, PassageId(3): 0.99, PassageId(4): 0.5})
    found = order({1: 0.9, 2: 0.85, 3: 0.8, 4: 0.7, 5: 0.6}, reranked, languages="2z 5z")
    assert (found[1], found[4]) == (2, 5)
    assert found[0] == 3


def test_a_passage_that_pleases_one_wording_only_is_weighed_down() -> None:
    scores = {PassageId(1): 0.9, PassageId(2): 0.88, PassageId(3): 0.1}
    steady = Reranked(scores=scores, by_rewrite={PassageId(1): (0.9, 0.88), PassageId(2): (0.88, 0.86)})
    shaky = Reranked(scores=scores, by_rewrite={PassageId(1): (0.9, 0.2), PassageId(2): (0.88, 0.86)})
    fused = {1: 0.5, 2: 0.49, 3: 0.1}
    assert order(fused, steady) == [1, 2, 3]
    assert order(fused, shaky) == [2, 1, 3]
    assert shaky.deviation(PassageId(1)) == pytest.approx(0.35)
    assert SHAKY < 0.35
    assert (shaky.steadiness(PassageId(1)), shaky.steadiness(PassageId(2))) == (WEIGHED_DOWN, 1.0)
    assert shaky.steadiness(PassageId(3)) == 1.0, "read once: nothing is known of its steadiness"


def test_what_a_passage_is_counts_beside_the_cross_encoder() -> None:
    reranked = Reranked(scores={PassageId(1): 0.8, PassageId(2): 0.78, PassageId(3): 0.05})
    fused = {1: 0.5, 2: 0.49, 3: 0.1}
    notice = {2: Factors(boosts={"removal notice": 1.4}), 1: Factors(boosts={"removal notice": 0.9})}
    assert order(fused, reranked) == [1, 2, 3]
    assert order(fused, reranked, factors=notice) == [2, 1, 3]


def test_log_odds_separate_what_the_logistic_squeezes() -> None:
    assert log_odds(0.999) - log_odds(0.99) > log_odds(0.6) - log_odds(0.5)


# ------------------------------------------------------------ facets
def test_facets_take_turns_after_the_questions_own_best() -> None:
    assert in_turn([ids(1, 2, 3), ids(4, 2), ids(5, 6)]) == [1, 4, 5, 2, 6, 3]


def test_without_facets_the_order_stays() -> None:
    assert in_turn([ids(3, 1, 2)]) == [3, 1, 2]
    assert in_turn([[], []]) == []


def test_no_passage_is_lost_or_doubled() -> None:
    merged = in_turn([ids(1, 2, 3, 4), ids(4, 3, 9), ids(2)])
    assert sorted(merged) == [1, 2, 3, 4, 9]
