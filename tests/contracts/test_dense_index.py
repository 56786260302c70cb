"""What every DenseIndex must do: on Milvus-lite, and on the server that ASSAY_TEST_MILVUS_URI names.

``milvus_server.py`` starts one; with it the suite takes about four minutes.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from appliance.config import Dense
from appliance.domain import EVERYONE, DocumentId, Fingerprint, Passage, PassageId, Scope
from appliance.errors import BackendError, ConfigError, DamagedError
from appliance.ports import Vectors
from appliance.store.checksums import ids_checksum
from appliance.store.milvus import MilvusIndex, MilvusStore, collection_name

DIM = 8


def passage(
    number: int,
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
        text="text",
        language="en",
        token_count=1,
        groups=groups,
        denied=denied,
    )


def unit(count: int, seed: int = 0) -> Vectors:
    array = np.random.default_rng(seed).normal(size=(count, DIM)).astype(np.float32)
    return array / np.linalg.norm(array, axis=1, keepdims=True)


def ids(hits: list[list]) -> list[list[int]]:
    return [[int(hit.passage_id) for hit in each] for each in hits]


@pytest.fixture(scope="module", params=["lite", "server", "server graph"])
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MilvusStore]:
    folder = tmp_path_factory.mktemp("milvus")
    uri = os.environ.get("ASSAY_TEST_MILVUS_URI", "")
    if request.param != "lite" and not uri:
        pytest.skip("ASSAY_TEST_MILVUS_URI is not set")
    settings = Dense(index="hnsw" if request.param == "server graph" else "flat")
    opened = MilvusStore(folder / "dense.db" if request.param == "lite" else uri, folder / "tmp", settings)
    yield opened
    opened.close()


@pytest.fixture
def index(store: MilvusStore) -> Iterator[MilvusIndex]:
    name = f"test {uuid.uuid4().hex[:8]}"
    yield store.collection(name, DIM, "ab12")
    store.drop(name, "ab12")


def test_nearest_first_with_cosine_as_score(index: MilvusIndex) -> None:
    vectors = unit(40)
    index.upsert([passage(n + 1) for n in range(40)], vectors)
    queries = unit(3, seed=1)
    for query, hits in zip(queries, index.search(queries, 5, Scope()), strict=True):
        cosine = vectors @ query
        assert [int(hit.passage_id) - 1 for hit in hits] == np.argsort(-cosine)[:5].tolist()
        assert [hit.score for hit in hits] == pytest.approx(np.sort(cosine)[::-1][:5].tolist(), abs=1e-5)


def test_nothing_asked_nothing_found(index: MilvusIndex) -> None:
    assert index.search(unit(1), 5, Scope()) == [[]]
    index.upsert([passage(1)], unit(1))
    assert index.search(np.zeros((0, DIM), np.float32), 5, Scope()) == []
    assert index.search(unit(1), 0, Scope()) == [[]]
    assert index.search(unit(1), 3, Scope(groups=())) == [[]]


def test_groups_filter_before_the_cut(index: MilvusIndex) -> None:
    near, far = unit(1)[0], -unit(1)[0]
    index.upsert([passage(n, groups=("hr",)) for n in range(1, 31)], np.tile(near, (30, 1)))
    index.upsert([passage(50, groups=("legal", "hr"))], far[None])
    assert ids(index.search(near[None], 3, Scope(groups=("legal",)))) == [[50]]
    assert index.search(near[None], 3, Scope()) == [[]]


def test_a_deny_wins_and_costs_no_place(index: MilvusIndex) -> None:
    near, far = unit(1)[0], -unit(1)[0]
    index.upsert([passage(n, denied=("staff",)) for n in range(1, 41)], np.tile(near, (40, 1)))
    index.upsert([passage(50, denied=("user:eve",)), passage(51)], np.stack([far, far]))
    assert ids(index.search(near[None], 2, Scope(user="ann"))) == [[1, 2]]
    assert ids(index.search(near[None], 3, Scope(groups=("everyone", "staff"), user="ann"))) == [[50, 51]]
    assert ids(index.search(near[None], 3, Scope(groups=("everyone", "staff"), user="eve"))) == [[51]]


def test_documents_filter(index: MilvusIndex) -> None:
    index.upsert([passage(n, document=f"d-{n}") for n in range(1, 9)], unit(8))
    scope = Scope(documents=(DocumentId("d-7"), DocumentId("d-3"), DocumentId("d-none")))
    assert sorted(ids(index.search(unit(1), 5, scope))[0]) == [3, 7]


@pytest.mark.parametrize(
    "name", ['a"b', "a\\b", '"] or id > 0 or array_contains_any(groups, ["', "组 别", "a'b%_"]
)
def test_a_group_name_is_never_part_of_the_expression(index: MilvusIndex, name: str) -> None:
    index.upsert([passage(1, groups=("secret",)), passage(2, groups=(name,))], unit(2))
    assert ids(index.search(unit(1), 5, Scope(groups=(name,)))) == [[2]]
    assert index.search(unit(1), 5, Scope(groups=("secret",), documents=(DocumentId(name),))) == [[]]


def test_ties_are_in_the_order_of_ids_also_at_the_cut(index: MilvusIndex) -> None:
    vector = unit(1)
    numbers = [int(n) for n in np.random.default_rng(3).permutation(np.arange(1, 101))]
    index.upsert([passage(n) for n in numbers], np.tile(vector, (100, 1)))
    assert ids(index.search(vector, 4, Scope())) == [[1, 2, 3, 4]]


def test_upsert_replaces_vector_groups_and_document(index: MilvusIndex) -> None:
    vectors = unit(2)
    index.upsert([passage(1)], vectors[:1])
    index.upsert([passage(1, document="d-9", groups=("hr",))], vectors[1:])
    index.upsert([passage(1, document="d-9", groups=("hr",))], vectors[1:])
    assert index.count() == 1
    assert index.search(vectors[1:], 1, Scope()) == [[]]
    hit = index.search(vectors[1:], 1, Scope(groups=("hr",), documents=(DocumentId("d-9"),)))[0][0]
    assert hit.score == pytest.approx(1.0, abs=1e-5)


def test_delete_ignores_unknown_ids(index: MilvusIndex) -> None:
    index.upsert([passage(n) for n in (1, 2, 3)], unit(3))
    index.delete([PassageId(2), PassageId(99)])
    index.delete([])
    assert sorted(ids(index.search(unit(1), 5, Scope()))[0]) == [1, 3]
    assert index.count() == 2
    assert index.ids_checksum() == ids_checksum([3, 1])


def test_more_rows_than_a_batch(index: MilvusIndex) -> None:
    index.upsert([passage(n) for n in range(1, 2502)], unit(2501))
    assert index.count() == 2501
    assert index.ids_checksum() == ids_checksum(range(1, 2502))
    index.verify()


def test_vectors_of_the_wrong_shape_are_refused(index: MilvusIndex) -> None:
    with pytest.raises(BackendError, match="shape"):
        index.upsert([passage(1)], np.zeros((1, DIM + 1), np.float32))
    with pytest.raises(BackendError, match="shape"):
        index.upsert([passage(1)], np.full((1, DIM), np.nan, np.float32))
    assert index.count() == 0


def test_collections_are_apart_and_kept_for_each_embedder(store: MilvusStore) -> None:
    first, second = store.collection("x", DIM, "aa"), store.collection("x", DIM, "bb")
    first.upsert([passage(1)], unit(1))
    assert (first.count(), second.count()) == (1, 0)
    assert store.collection("x", DIM, "aa").count() == 1
    with pytest.raises(DamagedError, match="dimension"):
        store.collection("x", DIM + 1, "aa")
    store.drop("x", "aa")
    store.drop("x", "bb")
    store.drop("never there")


@pytest.mark.parametrize("name", ["default", "研究 库", "a-b/../c", "x" * 500])
def test_milvus_names_are_plain(name: str) -> None:
    made = collection_name(name, "sha256:AB/cd")
    assert made.isascii()
    assert made.replace("_", "").isalnum()
    assert len(made) < 200


def test_a_graph_without_a_server_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"dense\.index hnsw needs a server"):
        MilvusStore(tmp_path / "dense.db", tmp_path / "tmp", Dense(index="hnsw"))
    assert not (tmp_path / "dense.db").exists()
