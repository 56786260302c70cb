"""The memory of past questions: what it answers, what it keeps, what it forgets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from appliance.domain import Experience, Fingerprint, Hit, Passage
from appliance.store.collections import Collections
from appliance.store.experience import Experiences, cited_ranks
from appliance.store.sqlite import Database

DIM = 384


@pytest.fixture
def database(tmp_path: Path):
    opened = Database(tmp_path / "assay.db")
    for name in ("c", "d"):
        Collections(opened).ensure(name, "encoder")
    yield opened
    opened.close()


def unit(*axes: int) -> np.ndarray:
    vector = np.zeros(DIM, dtype=np.float32)
    vector[list(axes)] = 1
    return vector / np.linalg.norm(vector)


def test_the_nearest_questions_tell_which_route_had_the_cited_passage(database: Database):
    memory = Experiences(database)
    memory.remember("c", unit(0), dense_rank=1, lexical_rank=None)
    memory.remember("c", unit(0), dense_rank=2, lexical_rank=4)
    memory.remember("c", unit(7), dense_rank=None, lexical_rank=1)
    found = memory.like("c", unit(0))
    assert found.questions == 2
    assert found.similarity == pytest.approx(1.0, abs=1e-3)
    assert (found.dense, found.lexical) == (pytest.approx(0.75), pytest.approx(0.125))
    assert (found.held, found.all_dense) == (3, pytest.approx(0.5))
    assert found.all_lexical == pytest.approx(1.25 / 3)


def test_eight_bits_keep_the_angle(database: Database):
    memory = Experiences(database)
    chance = np.random.default_rng(3)
    stored = chance.normal(size=DIM).astype(np.float32)
    stored /= np.linalg.norm(stored)
    asked = stored + 0.02 * chance.normal(size=DIM).astype(np.float32)
    asked /= np.linalg.norm(asked)
    memory.remember("c", stored, dense_rank=1, lexical_rank=1)
    assert memory.like("c", asked).similarity == pytest.approx(float(stored @ asked), abs=2e-3)


@pytest.mark.parametrize("collection", ["d", "unknown"])
def test_nothing_near_nothing_elsewhere(database: Database, collection: str):
    memory = Experiences(database)
    memory.remember("c", unit(0), dense_rank=1, lexical_rank=1)
    memory.remember("unknown", unit(0), dense_rank=1, lexical_rank=1)
    assert memory.like("c", unit(1)) == Experience(held=1, all_dense=1.0, all_lexical=1.0)
    assert memory.like(collection, unit(0)) == Experience()


def test_the_newest_stay(database: Database):
    memory = Experiences(database, kept=5)
    memory.remember("d", unit(20), dense_rank=1, lexical_rank=1)
    for axis in range(8):
        memory.remember("c", unit(axis), dense_rank=1, lexical_rank=1)
    assert [memory.like("c", unit(axis)).questions for axis in range(8)] == [0, 0, 0, 1, 1, 1, 1, 1]
    assert memory.like("d", unit(20)).questions == 1


def test_it_goes_with_its_collection_and_with_its_embedder(database: Database):
    memory = Experiences(database)
    for name in ("c", "d"):
        memory.remember(name, unit(0), dense_rank=1, lexical_rank=1)
    Collections(database).set_embedder("d", "another")
    assert memory.like("d", unit(0)) == Experience()
    assert memory.like("c", unit(0)).questions == 1
    with database.transaction() as connection:
        connection.execute("DELETE FROM collections WHERE name = 'c'")
    assert memory.like("c", unit(0)) == Experience()
    memory.forget("d")
    assert database.query("SELECT * FROM experiences") == []


def test_no_words_are_kept(database: Database):
    columns = {
        str(row["name"]) for row in database.query("SELECT name FROM pragma_table_info('experiences')")
    }
    assert columns == {"id", "collection", "embedder", "vector", "dense", "lexical"}


def test_ranks_of_what_was_cited():
    def hit(name: str, dense: int | None, lexical: int | None) -> Hit:
        passage = Passage(
            id=1,
            fingerprint=Fingerprint(name),
            document_id="d",
            record_id="r",
            collection="c",
            title="",
            section_path="",
            text="t",
            language="en",
            token_count=1,
        )
        return Hit(passage=passage, fused_score=1.0, dense_rank=dense, lexical_rank=lexical)

    hits = [hit("a", 1, 9), hit("b", 3, None), hit("c", 2, None), hit("d", None, None)]
    assert cited_ranks(hits, {Fingerprint("b"), Fingerprint("c")}) == (2, None)
    assert cited_ranks(hits, {Fingerprint("a"), Fingerprint("b")}) == (1, 9)
    assert cited_ranks(hits, {Fingerprint("z")}) is None
