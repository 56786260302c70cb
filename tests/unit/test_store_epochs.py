"""Every way in which a collection changes gives it another epoch, and nothing else does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from store_fakes import new_document, parsed

from appliance.domain import DocumentId, MetadataChange, PassageId, Scope
from appliance.store.collections import Collections
from appliance.store.documents import Documents
from appliance.store.epochs import Epochs
from appliance.store.erasure import Erasure
from appliance.store.index_queue import IndexQueue, IndexState
from appliance.store.sqlite import Database

ANN = Scope(collection="c", groups=("everyone", "staff"), user="ann")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "assay.db")
    collections = Collections(database)
    collections.ensure("c", "e5")
    collections.ensure("other", "e5")
    yield database
    database.close()


@pytest.fixture
def documents(database: Database) -> Documents:
    return Documents(database)


@pytest.fixture
def document(documents: Documents) -> DocumentId:
    return documents.add(new_document("Fares rose in May.", "Fares fell in June.")).document_id


def token(database: Database, collection: str = "c") -> str:
    epoch = Epochs(database).of(Scope(collection=collection))
    assert epoch is not None
    return epoch.token


Change = Callable[[Database, DocumentId], object]
CHANGES: dict[str, Change] = {
    "a new document": lambda d, _: Documents(d).add(new_document("x", record="b.txt")),
    "a new version": lambda d, _: Documents(d).add(new_document("Fares rose in May.", "Now they fall.")),
    "a new title alone": lambda d, _: Documents(d).add(
        new_document("Fares rose in May.", "Fares fell in June.", parsed=parsed("Fares"))
    ),
    "a group": lambda d, i: Documents(d).describe(i, MetadataChange(groups=("board",)), Scope()),
    "a deny": lambda d, i: Documents(d).describe(i, MetadataChange(deny=("user:ann",)), Scope()),
    "a date": lambda d, i: Documents(d).describe(i, MetadataChange(published="2020-01-01"), Scope()),
    "the end of its force": lambda d, i: Documents(d).describe(
        i, MetadataChange(effective_to="2020-01-01"), Scope()
    ),
    "an owner": lambda d, i: Documents(d).describe(i, MetadataChange(owner="kim"), Scope()),
    "deleted": lambda d, i: Documents(d).delete(i, Scope()),
    "retired": lambda d, i: Erasure(d).retire(i),
    "erased": lambda d, i: Erasure(d).erase(i, Erasure(d).traces(i)),
    "being indexed": lambda d, _: IndexQueue(d).begin([PassageId(1)]),
    "another encoder": lambda d, _: Collections(d).set_embedder("c", "bge"),
    "another index": lambda d, _: IndexQueue(d).record("c", "dense", 2, IndexState(count=1, checksum="a")),
}


@pytest.mark.parametrize("change", list(CHANGES))
def test_a_change_gives_another_token(database: Database, document: DocumentId, change: str) -> None:
    before, elsewhere = token(database), token(database, "other")
    CHANGES[change](database, document)
    assert token(database) != before
    assert token(database, "other") == elsewhere


def test_indexing_tells_at_its_beginning_and_at_its_end(database: Database, document: DocumentId) -> None:
    queue, seen = IndexQueue(database), {token(database)}
    queue.begin([PassageId(1)])
    seen.add(token(database))
    queue.mark_indexed([PassageId(1)])
    seen.add(token(database))
    Documents(database).delete(document, Scope())
    seen.add(token(database))
    queue.mark_removed([PassageId(1)])
    seen.add(token(database))
    assert len(seen) == 5


def test_looking_on_and_recording_the_same_index_again_change_nothing(
    database: Database, document: DocumentId
) -> None:
    queue, state = IndexQueue(database), IndexState(count=1, checksum="a")
    queue.record("c", "dense", 1, state)
    before = token(database)
    queue.record("c", "dense", 1, state)
    Documents(database).list(Scope(collection="c"))
    assert Documents(database).add(new_document("Fares rose in May.", "Fares fell in June.")).skipped
    queue.mark_removed([PassageId(7)])
    assert token(database) == before


def test_what_is_rolled_back_did_not_happen(database: Database, document: DocumentId) -> None:
    before = token(database)

    def stumble() -> None:
        with database.transaction():
            Documents(database).delete(document, Scope())
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        stumble()
    assert token(database) == before


def test_only_groups_that_the_collection_names_tell_askers_apart(
    database: Database, documents: Documents, document: DocumentId
) -> None:
    epochs = Epochs(database)
    ann, bob = ANN, Scope(collection="c", groups=("everyone", "chess"), user="bob")
    assert [epochs.of(one).visible_as for one in (ann, bob)] == [("everyone",)] * 2  # type: ignore[union-attr]
    documents.describe(document, MetadataChange(groups=("everyone", "staff")), Scope())
    documents.describe(document, MetadataChange(deny=("user:bob",)), Scope(groups=("staff",)))
    assert epochs.of(ann).visible_as == ("everyone", "staff")  # type: ignore[union-attr]
    assert epochs.of(bob).visible_as == ("everyone", "user:bob")  # type: ignore[union-attr]


def test_no_epoch_for_no_collection_and_for_an_unknown_one(database: Database) -> None:
    assert Epochs(database).of(Scope()) is None
    assert Epochs(database).of(Scope(collection="none")) is None


def test_changed_documents_stand_in_the_order_of_their_last_change(
    database: Database, documents: Documents, document: DocumentId
) -> None:
    second = documents.add(new_document("Second.", record="b.txt")).document_id
    order = "SELECT document_id FROM touched ORDER BY seq"
    assert [row[0] for row in database.query(order)] == [document, second]
    documents.describe(document, MetadataChange(owner="kim"), Scope())
    assert [row[0] for row in database.query(order)] == [second, document]
    documents.delete(second, Scope())
    assert [row[0] for row in database.query(order)] == [document]
