"""Recall: all rewrites of a question in one encoder call and one call of each index."""

from __future__ import annotations

import numpy as np
import pytest
from retrieval_fakes import CountingEmbedder, CountingIndex

from appliance.domain import Rewrite, RewriteKind, Scope, Scored, Strategy
from appliance.retrieval.recall import Recall, Route, routes_of
from appliance.retrieval.stopwatch import Stopwatch

SCOPE = Scope(collection="c", groups=("everyone", "board"))
REWRITES = (
    Rewrite(kind=RewriteKind.ORIGINAL, text="who owns the pier"),
    Rewrite(kind=RewriteKind.EXPANDED, text="who owns the pier jetty"),
    Rewrite(kind=RewriteKind.KEYWORDS, text="owns pier", dense=False),
    Rewrite(kind=RewriteKind.FACET, text="the pier", lexical=False),
)


class Setup:
    def __init__(self) -> None:
        self.dense, self.lexical, self.embedder = CountingIndex(), CountingIndex(), CountingEmbedder()
        self.recall, self.watch = Recall(self.dense, self.lexical, self.embedder), Stopwatch()

    def run(
        self, strategy: Strategy, rewrites: tuple[Rewrite, ...] = REWRITES
    ) -> dict[Route, tuple[Scored, ...]]:
        vectors = self.recall.encode(rewrites, strategy, self.watch)
        found = self.recall.search(rewrites, vectors, strategy, 3, SCOPE, self.watch)
        return dict(zip(routes_of(rewrites, strategy), found, strict=True))


def route(name: str, rewrite: int) -> Route:
    return Route(name=name, rewrite=rewrite)


@pytest.mark.parametrize("strategy", [Strategy.AUTO, Strategy.HYBRID])
def test_all_rewrites_go_in_one_call_each(strategy: Strategy) -> None:
    setup = Setup()
    found = setup.run(strategy)
    assert setup.embedder.calls == [["who owns the pier", "who owns the pier jetty", "the pier"]]
    ((vectors, depth, scope),) = setup.dense.calls
    assert (len(vectors), depth, scope) == (3, 3, SCOPE)
    assert setup.lexical.calls == [(["who owns the pier", "who owns the pier jetty", "owns pier"], 3, SCOPE)]
    assert list(found) == [route("dense", n) for n in (0, 1, 3)] + [route("lexical", n) for n in (0, 1, 2)]
    assert [one.passage_id for one in found[route("dense", 3)]] == [20, 21, 22], "the third vector's answer"
    assert [one.passage_id for one in found[route("lexical", 2)]] == [20, 21, 22]


def test_lexical_asks_no_encoder_and_no_vectors() -> None:
    setup = Setup()
    found = setup.run(Strategy.LEXICAL)
    assert (setup.embedder.calls, setup.dense.calls, len(setup.lexical.calls)) == ([], [], 1)
    assert {one.name for one in found} == {"lexical"}


def test_dense_asks_no_words() -> None:
    setup = Setup()
    found = setup.run(Strategy.DENSE)
    assert (len(setup.embedder.calls), len(setup.dense.calls), setup.lexical.calls) == (1, 1, [])
    assert {one.name for one in found} == {"dense"}


def test_nothing_for_the_dense_route_gives_no_vectors_and_is_not_searched() -> None:
    setup = Setup()
    only_words = (Rewrite(kind=RewriteKind.ORIGINAL, text="GB2699104", dense=False),)
    assert setup.recall.encode(only_words, Strategy.HYBRID, setup.watch).shape == (0, 8)
    assert list(setup.run(Strategy.HYBRID, only_words)) == [route("lexical", 0)]
    assert (setup.embedder.calls, setup.dense.calls) == ([], [])


def test_vectors_are_float32_and_the_time_of_each_part_is_told() -> None:
    setup = Setup()
    assert setup.recall.encode(REWRITES, Strategy.AUTO, setup.watch).dtype == np.float32
    setup.run(Strategy.AUTO)
    timings = setup.watch.read()
    assert {"encoder", "dense", "lexical", "own", "total"} == set(timings)
    assert timings["total"] == pytest.approx(sum(v for k, v in timings.items() if k != "total"))
