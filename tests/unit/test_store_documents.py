from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from store_fakes import ALL, draft, new_document, parsed

from appliance.domain import DocumentId, Fingerprint, MetadataChange, Passage, Scope, document_id, fingerprint
from appliance.errors import NotFoundError, UserError
from appliance.store.collections import Collections
from appliance.store.documents import Documents
from appliance.store.passages import Passages
from appliance.store.sqlite import Database

D = document_id("c", "a.txt")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "assay.db")
    Collections(database).ensure("c", "e5")
    Collections(database).ensure("other", "e5")
    yield database
    database.close()


def current(database: Database, version: int = 1) -> list[Passage]:
    return Passages(database).of_document(D, version, ALL)


def test_a_passage_comes_back_whole(database: Database) -> None:
    added = Documents(database).add(
        new_document(draft("Rates may rise.", page_first=3, page_last=4), parsed=parsed(published="2023-05"))
    )
    assert (added.document_id, added.version, added.passages, added.carried) == (D, 1, 1, 0)
    (passage,) = current(database)
    assert passage == Passage(
        id=passage.id,
        fingerprint=fingerprint(D, "Risks", "Rates may rise."),
        document_id=D,
        record_id="a.txt",
        collection="c",
        title="Annual report",
        section_path="Risks",
        text="Rates may rise.",
        language="en",
        token_count=3,
        page_first=3,
        page_last=4,
        published="2023-05",
    )


def test_identical_content_is_skipped(database: Database) -> None:
    documents = Documents(database)
    documents.add(new_document("one"))
    assert documents.add(new_document("one")).skipped
    assert [version.version for version in documents.versions(D, ALL)] == [1]


def test_a_new_version_keeps_the_rows_of_unchanged_passages(database: Database) -> None:
    documents = Documents(database)
    documents.add(new_document("alpha", "beta"))
    old = current(database)
    added = documents.add(new_document(draft("beta", page_first=9), "gamma"))
    assert (added.version, added.carried, added.retired) == (2, 1, 1)
    new = current(database, 2)
    assert [passage.text for passage in new] == ["beta", "gamma"]
    assert new[0].id == old[1].id
    assert new[0].page_first == 9
    retired = Passages(database).by_fingerprint(old[0].fingerprint, ALL)
    assert (retired.text, retired.current, retired.version) == ("alpha", False, 1)


def test_a_passage_that_returns_is_current_again(database: Database) -> None:
    documents = Documents(database)
    documents.add(new_document("alpha"))
    first = current(database)[0]
    documents.add(new_document("beta"))
    documents.add(new_document("alpha", "delta"))
    again = current(database, 3)[0]
    assert (again.id, again.current, again.version) == (first.id, True, 3)


def test_equal_first_200_characters_get_a_suffix(database: Database) -> None:
    head = "x" * 200
    base = fingerprint(D, "Risks", head)
    Documents(database).add(new_document(head + "a", head + "b", head + "a"))
    marks = [passage.fingerprint for passage in current(database)]
    assert marks == [base, f"{base}~2", f"{base}~3"]
    added = Documents(database).add(new_document(head + "b", head + "c", head + "a"))
    assert added.carried == 2
    assert [passage.fingerprint for passage in current(database, 2)] == [f"{base}~2", f"{base}~4", base]


def test_a_hash_prefix_finds_one_passage(database: Database) -> None:
    Documents(database).add(new_document("alpha", draft("alpha", "Other section"), "beta"))
    beta = current(database)[2]
    prefix = beta.fingerprint.rpartition("#")[2][:8]
    assert Passages(database).by_fingerprint(Fingerprint(prefix), ALL) == beta
    shared = current(database)[0].fingerprint.rpartition("#")[2][:10]
    with pytest.raises(UserError, match="2 passages begin with"):
        Passages(database).by_fingerprint(Fingerprint(shared), ALL)
    with pytest.raises(NotFoundError):
        Passages(database).by_fingerprint(Fingerprint(prefix[:7]), ALL)


def test_every_read_asks_the_permissions(database: Database) -> None:
    documents, passages = Documents(database), Passages(database)
    documents.add(new_document("open"))
    secret = documents.add(
        new_document("secret", record="b.txt", change=MetadataChange(groups=("board",)))
    ).document_id
    documents.add(new_document("elsewhere", collection="other"))
    board, everyone = Scope(collection="c", groups=("board", "everyone")), Scope(collection="c")
    assert [record.record_id for record in documents.list(everyone)] == ["a.txt"]
    assert [record.record_id for record in documents.list(board)] == ["a.txt", "b.txt"]
    assert (documents.count(board), documents.count(ALL), documents.count(Scope(groups=()))) == (2, 2, 0)
    ids = [passage.id for passage in passages.of_document(secret, 1, board)]
    assert passages.passages(ids, everyone) == []
    assert [passage.text for passage in passages.passages(ids, board)] == ["secret"]
    mark = passages.passages(ids, board)[0].fingerprint
    for read in (
        lambda: documents.get(secret, everyone),
        lambda: documents.find("b.txt", everyone),
        lambda: documents.versions(secret, everyone),
        lambda: documents.sections(secret, 1, everyone),
        lambda: documents.delete(secret, everyone),
        lambda: documents.describe(secret, MetadataChange(owner="me"), everyone),
        lambda: passages.by_fingerprint(mark, everyone),
        lambda: passages.by_fingerprint(Fingerprint(mark.rpartition("#")[2][:12]), everyone),
    ):
        with pytest.raises(NotFoundError):
            read()
    documents.describe(secret, MetadataChange(groups=None), board)
    assert documents.get(secret, everyone).groups == ("everyone",)


def test_passages_come_in_the_order_asked_and_within_the_documents_asked(database: Database) -> None:
    documents, passages = Documents(database), Passages(database)
    documents.add(new_document("alpha", "beta"))
    other = documents.add(new_document("gamma", record="b.txt")).document_id
    ids = [passage.id for passage in [*current(database), *passages.of_document(other, 1, ALL)]]
    asked = [ids[2], ids[0], ids[1]]
    assert [passage.id for passage in passages.passages(asked, ALL)] == asked
    assert [passage.id for passage in passages.passages(asked, Scope(documents=(other,)))] == [ids[2]]


def test_paging_and_deleting(database: Database) -> None:
    documents = Documents(database)
    for name in ("a", "b", "c"):
        documents.add(new_document(name, record=f"{name}.txt"))
    assert [record.record_id for record in documents.list(ALL, limit=2, offset=1)] == ["b.txt", "c.txt"]
    before = [passage.id for passage in current(database)]
    assert documents.delete(D, ALL) == before
    assert [record.record_id for record in documents.list(ALL)] == ["b.txt", "c.txt"]
    with pytest.raises(NotFoundError):
        documents.get(DocumentId(D), ALL)


def test_an_unknown_collection_is_told_with_the_known_ones(database: Database) -> None:
    with pytest.raises(NotFoundError, match="collections here: c, other"):
        Collections(database).get("nope")
