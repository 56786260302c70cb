"""Fusion: published formulas, ties, and what is missing from a list."""

import pytest

from appliance.domain import PassageId, Scored
from appliance.retrieval.fuse import (
    best_first,
    convex_fusion,
    log_odds,
    reciprocal_rank_fusion,
    reorder,
)


def ranked(*ids: int) -> list[Scored]:
    return [Scored(passage_id=PassageId(i), score=1.0 / n) for n, i in enumerate(ids, start=1)]


def test_reciprocal_ranks_add_up_and_first_everywhere_is_one():
    fused = reciprocal_rank_fusion([(1.0, ranked(7, 8)), (1.0, ranked(7, 9))], rrf_k=60)
    assert fused[PassageId(7)] == pytest.approx(1.0)
    assert fused[PassageId(8)] == pytest.approx((1 / 62) / (2 / 61))


def test_convex_fusion_scales_each_part_to_0_and_1():
    parts = [(1.0, {PassageId(1): 10.0, PassageId(2): 5.0, PassageId(3): 0.0}), (1.0, {PassageId(3): 2.0})]
    fused = convex_fusion(parts, [PassageId(1), PassageId(2), PassageId(3)])
    assert fused == {1: pytest.approx(0.5), 2: pytest.approx(0.25), 3: pytest.approx(0.5)}


def test_an_empty_part_does_not_weigh():
    assert convex_fusion([(1.0, {PassageId(1): 3.0}), (9.0, {})], [PassageId(1)]) == {1: pytest.approx(1.0)}


def test_ties_fall_to_the_smaller_id():
    assert best_first({PassageId(5): 0.5, PassageId(2): 0.5, PassageId(9): 0.7}) == [9, 2, 5]


def test_log_odds_undo_the_logistic_and_stay_finite():
    assert log_odds(0.5) == pytest.approx(0.0)
    assert log_odds(0.9) == pytest.approx(2.197, abs=1e-3)
    assert log_odds(1.0) < 25
    assert log_odds(0.0) > -25


def test_what_a_reranker_cannot_read_keeps_its_place():
    order = [PassageId(n) for n in (1, 2, 3, 4, 5)]
    assert reorder(order, [PassageId(5), PassageId(3), PassageId(1)]) == [5, 2, 3, 4, 1]
    assert reorder(order, []) == order
