from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from store_fakes import ALL, new_document, parsed

from appliance.domain import MetadataChange, Passage
from appliance.store.checksums import ids_checksum
from appliance.store.collections import Collections
from appliance.store.documents import Documents
from appliance.store.index_queue import IndexQueue, IndexState
from appliance.store.sqlite import Database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "assay.db")
    Collections(database).ensure("c", "e5")
    yield database
    database.close()


def index_all(queue: IndexQueue) -> list[Passage]:
    passages = queue.claim("c", 100)
    queue.mark_indexed(passage.id for passage in passages)
    return passages


def test_the_checksum_forgets_the_order_and_nothing_else() -> None:
    assert ids_checksum([]) == "0" * 16
    assert ids_checksum([3, 1, 2]) == ids_checksum(iter([1, 2, 3]))
    assert ids_checksum([1, 4]) != ids_checksum([2, 3])
    assert ids_checksum([1]) == "9e3779b9e17d05ac"


def test_pending_until_marked(database: Database) -> None:
    queue = IndexQueue(database)
    Documents(database).add(new_document("alpha", "beta"))
    claimed = queue.claim("c", 1)
    assert [passage.text for passage in claimed] == ["alpha"]
    assert queue.unsure("c", 9) == [claimed[0].id]
    assert queue.expected("c") == IndexState(count=0, checksum=ids_checksum([]))
    queue.mark_indexed([claimed[0].id])
    assert [passage.text for passage in queue.pending("c", 9)] == ["beta"]
    assert queue.expected("c") == IndexState(count=1, checksum=ids_checksum([claimed[0].id]))


def test_retired_passages_leave_and_carried_ones_stay(database: Database) -> None:
    queue, documents = IndexQueue(database), Documents(database)
    documents.add(new_document("alpha", "beta"))
    alpha, beta = index_all(queue)
    documents.add(new_document("beta", "gamma"))
    assert queue.leaving("c", 9) == [alpha.id]
    assert [passage.text for passage in queue.pending("c", 9)] == ["gamma"]
    queue.begin([alpha.id])
    queue.mark_removed([alpha.id])
    assert queue.leaving("c", 9) == []
    assert queue.expected("c").checksum == ids_checksum([beta.id])


def test_a_changed_title_sends_carried_passages_to_the_indexes_again(database: Database) -> None:
    queue, documents = IndexQueue(database), Documents(database)
    documents.add(new_document("alpha"))
    (alpha,) = index_all(queue)
    documents.add(new_document("alpha", "beta", parsed=parsed("Report 2024")))
    pending = queue.pending("c", 9)
    assert next((passage.id, passage.title) for passage in pending) == (alpha.id, "Report 2024")
    assert queue.unsure("c", 9) == [alpha.id]


def test_a_change_while_being_written_is_not_lost(database: Database) -> None:
    queue, documents = IndexQueue(database), Documents(database)
    added = documents.add(new_document("alpha"))
    claimed = queue.claim("c", 9)
    documents.describe(added.document_id, MetadataChange(groups=("board",)), ALL)
    queue.mark_indexed(passage.id for passage in claimed)
    assert [passage.groups for passage in queue.pending("c", 9)] == [("board",)]


def test_deleted_documents_leave_tombstones_until_the_indexes_know(database: Database) -> None:
    queue, documents = IndexQueue(database), Documents(database)
    added = documents.add(new_document("alpha"))
    index_all(queue)
    ids = documents.delete(added.document_id, ALL)
    assert queue.leaving("c", 9) == ids
    assert queue.unsettled_collections() == ["c"]
    queue.mark_removed(ids)
    assert queue.unsettled_collections() == []


def test_forget_makes_every_current_passage_pending(database: Database) -> None:
    queue, documents = IndexQueue(database), Documents(database)
    documents.add(new_document("alpha", "beta"))
    index_all(queue)
    documents.add(new_document("beta"))
    queue.forget("c")
    assert [passage.text for passage in queue.pending("c", 9)] == ["beta"]
    assert queue.leaving("c", 9) == []
    assert [passage.text for passage in queue.current("c", batch=1)] == ["beta"]
