"""What every LexicalIndex must do, and that our BM25 gives the figures of bm25s."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import bm25s
import numpy as np
import pytest

from appliance.domain import EVERYONE, DocumentId, Fingerprint, Passage, PassageId, Scope
from appliance.store import bm25
from appliance.store.analysis import index_terms
from appliance.store.bm25 import Bm25Index

WORDS = "glucose sensor battery alarm warranty revenue risk factor patent grant 血糖 传感器 专利 收入".split()


def passage(
    number: int,
    text: str,
    document: str = "d-1",
    groups: tuple[str, ...] = (EVERYONE,),
    denied: tuple[str, ...] = (),
) -> Passage:
    return Passage(
        id=PassageId(number),
        fingerprint=Fingerprint(f"{document}#{number}"),
        document_id=DocumentId(document),
        record_id=document,
        collection="c",
        title="",
        section_path="",
        text=text,
        language="en",
        token_count=1,
        groups=groups,
        denied=denied,
    )


def random_passages(count: int, first: int = 1) -> list[Passage]:
    random = np.random.default_rng(first)
    weights = 1 / np.arange(1, len(WORDS) + 1)
    return [
        passage(
            number,
            " ".join(random.choice(WORDS, size=random.integers(3, 40), p=weights / weights.sum())),
            document=f"d-{number % 7}",
            groups=(EVERYONE,) if number % 3 else ("legal", "hr"),
        )
        for number in range(first, first + count)
    ]


def ids(hits: list[list]) -> list[list[int]]:
    return [[int(hit.passage_id) for hit in each] for each in hits]


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Bm25Index]:
    made = Bm25Index.build(tmp_path / "lexical", [])
    yield made
    made.close()


def test_upserted_passage_is_found_at_once(index: Bm25Index) -> None:
    index.upsert([passage(1, "The battery lasts ten days"), passage(2, "电池可用十天")])
    assert ids(index.search(["battery", "電池"], 5, Scope())) == [[1], [2]]
    assert index.count() == 2


def test_empty_unknown_and_stop_word_queries_find_nothing(index: Bm25Index) -> None:
    index.upsert([passage(1, "battery")])
    assert index.search(["", "the of 的", "unheard", "？！"], 5, Scope()) == [[], [], [], []]
    assert index.search([], 5, Scope()) == []
    assert index.search(["battery"], 0, Scope()) == [[]]


def test_empty_index_finds_nothing(index: Bm25Index) -> None:
    assert index.search(["battery"], 5, Scope()) == [[]]
    assert index.count() == 0


def test_groups_filter_before_the_cut(index: Bm25Index) -> None:
    index.upsert([passage(n, "battery " * 9, groups=("hr",)) for n in range(1, 21)])
    index.upsert([passage(30, "battery and a lot of other words here", groups=("legal", "hr"))])
    assert ids(index.search(["battery"], 3, Scope(groups=("legal",)))) == [[30]]
    assert ids(index.search(["battery"], 2, Scope(groups=("hr",)))) == [[1, 2]]
    assert index.search(["battery"], 3, Scope()) == [[]]
    assert index.search(["battery"], 3, Scope(groups=())) == [[]]


def test_a_deny_wins_and_costs_no_place(index: Bm25Index) -> None:
    index.upsert([passage(n, "battery " * 9, denied=("staff",)) for n in range(1, 6)])
    index.upsert([passage(50, "battery of one", denied=("user:eve",)), passage(51, "battery of two")])
    assert ids(index.search(["battery"], 2, Scope(user="ann"))) == [[1, 2]]
    assert ids(index.search(["battery"], 3, Scope(groups=("everyone", "staff"), user="ann"))) == [[50, 51]]
    index.merge()
    assert ids(index.search(["battery"], 3, Scope(groups=("everyone", "staff"), user="eve"))) == [[51]]


def test_documents_filter(index: Bm25Index) -> None:
    index.upsert([passage(n, "battery", document=f"d-{n}") for n in range(1, 9)])
    scope = Scope(documents=(DocumentId("d-7"), DocumentId("d-3"), DocumentId("d-none")))
    assert ids(index.search(["battery"], 5, scope)) == [[3, 7]]


def test_ties_are_in_the_order_of_ids_over_main_and_delta(index: Bm25Index) -> None:
    index.upsert([passage(n, "same text") for n in (9, 4, 7)])
    index.merge()
    index.upsert([passage(n, "same text") for n in (5, 1)])
    hits = index.search(["text"], 3, Scope())[0]
    assert [int(hit.passage_id) for hit in hits] == [1, 4, 5]
    assert len({hit.score for hit in hits}) == 1


def test_replaced_passage_is_found_by_its_new_text_and_groups_only(index: Bm25Index) -> None:
    index.upsert([passage(1, "battery"), passage(2, "alarm")])
    index.merge()
    index.upsert([passage(1, "warranty", groups=("hr",))])
    assert ids(index.search(["battery", "warranty"], 5, Scope())) == [[], []]
    assert ids(index.search(["battery", "warranty"], 5, Scope(groups=("hr",)))) == [[], [1]]
    assert index.count() == 2


def test_the_last_of_one_id_in_a_call_wins(index: Bm25Index) -> None:
    index.upsert([passage(1, "battery"), passage(1, "alarm")])
    assert ids(index.search(["battery", "alarm"], 5, Scope())) == [[], [1]]


def test_deleted_passages_are_gone_and_unknown_ids_ignored(index: Bm25Index) -> None:
    index.upsert([passage(n, "battery") for n in (1, 2, 3)])
    index.merge()
    index.upsert([passage(4, "battery")])
    index.delete([PassageId(2), PassageId(4), PassageId(999)])
    assert ids(index.search(["battery"], 5, Scope())) == [[1, 3]]
    assert index.count() == 2


def test_scores_are_those_of_bm25s(index: Bm25Index) -> None:
    passages = random_passages(60)
    index.upsert(passages[:40])
    index.merge()
    index.upsert(passages[40:])
    oracle = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
    oracle.index([index_terms(each.text) for each in passages], show_progress=False)
    query = "battery alarm patent 血糖"
    expected = oracle.get_scores(index_terms(query))
    hits = index.search([query], 60, Scope(groups=(EVERYONE, "hr")))[0]
    assert len(hits) == int((expected > 0).sum())
    for hit in hits:
        assert hit.score == pytest.approx(float(expected[hit.passage_id - 1]), rel=1e-5)


def test_merged_delta_equals_an_index_from_scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bm25, "DELTA_ROWS", 50)
    monkeypatch.setattr(bm25, "SETTLED_ROWS", 0)
    passages = random_passages(300)
    grown = Bm25Index.build(tmp_path / "grown", passages[:20])
    for start in range(20, 280, 16):
        grown.upsert(passages[start : start + 16])
        grown.settle()
    grown.upsert([passage(7, "replaced for good")])
    grown.upsert([passages[6], *passages[250:]])
    grown.delete(PassageId(n) for n in range(100, 140))
    assert grown.generation > 2
    kept = [each for each in passages if not 100 <= each.id < 140]
    fresh = Bm25Index.build(tmp_path / "fresh", kept)
    queries = [" ".join(WORDS[at : at + 3]) for at in range(len(WORDS))]
    scope = Scope(groups=(EVERYONE, "legal"))
    assert grown.search(queries, 50, scope) == fresh.search(queries, 50, scope)
    grown.merge()
    files = {path.name: path.read_bytes() for path in (tmp_path / "fresh").glob("gen-*/*")}
    assert {path.name: path.read_bytes() for path in (tmp_path / "grown").glob("gen-*/*")} == files
    assert grown.ids_checksum() == fresh.ids_checksum()
    grown.close()
    fresh.close()


def test_reopened_index_is_the_same(tmp_path: Path) -> None:
    first = Bm25Index.build(tmp_path, random_passages(30))
    first.upsert(random_passages(10, first=20))
    first.delete([PassageId(3)])
    expected = first.search(WORDS, 10, Scope())
    checksum, generation = first.ids_checksum(), first.generation
    first.close()
    second = Bm25Index(tmp_path)
    assert second.search(WORDS, 10, Scope()) == expected
    assert (second.ids_checksum(), second.generation, second.count()) == (checksum, generation, 29)
    second.close()
