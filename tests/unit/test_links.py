"""From passages to the documents that they name: what may be followed, and where the found ones stand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from retrieval_fakes import CountingIndex, passage

from appliance.domain import DocumentId, PassageId, Scope
from appliance.retrieval.links import DOCUMENTS, Links, interleaved

VECTOR = np.eye(1, 8, dtype=np.float32)
SCOPE = Scope(collection="c", groups=("everyone", "board"), user="ann")


class Named:
    """Titles by the text that names them."""

    def __init__(self, **documents: str) -> None:
        self.documents, self.asked = documents, list[tuple[list[str], Scope]]()

    def named_in(self, texts: Sequence[str], scope: Scope) -> list[tuple[DocumentId, ...]]:
        self.asked.append((list(texts), scope))
        return [
            tuple(DocumentId(number) for word, number in self.documents.items() if word in text)
            for text in texts
        ]


def ids(*numbers: int) -> list[PassageId]:
    return [PassageId(number) for number in numbers]


def test_named_documents_are_searched_with_the_question_under_the_askers_scope() -> None:
    titles, index = Named(Kestrel="d-7", Norvik="d-8"), CountingIndex()
    first = [passage(1, "It uses Kestrel and Norvik electrodes.")]
    found = Links(titles, index).follow("Who wrote the software?", first, VECTOR, SCOPE)
    assert titles.asked == [(["Who wrote the software?", first[0].text], SCOPE)]
    ((vectors, _, within),) = index.calls
    assert len(vectors) == 1
    assert within == Scope(
        collection="c", groups=SCOPE.groups, user="ann", documents=(DocumentId("d-7"), DocumentId("d-8"))
    )
    assert [one.passage_id for one in found] == [0, 1, 2, 3]


def test_a_document_named_by_the_question_itself_is_looked_into() -> None:
    index = CountingIndex()
    assert Links(Named(Kestrel="d-7"), index).follow("Who wrote Kestrel?", [passage(1)], VECTOR, SCOPE)
    assert index.calls[0][2].documents == (DocumentId("d-7"),)


def test_no_document_outside_the_scopes_list_is_looked_into() -> None:
    listed = Scope(collection="c", documents=(DocumentId("d-1"), DocumentId("d-8")))
    index = CountingIndex()
    links = Links(Named(Kestrel="d-7", Norvik="d-8"), index)
    links.follow("?", [passage(1, "Kestrel and Norvik")], VECTOR, listed)
    assert [scope.documents for _, _, scope in index.calls] == [(DocumentId("d-8"),)]
    assert links.follow("?", [passage(1, "Kestrel")], VECTOR, listed) == ()
    assert len(index.calls) == 1, "an empty list would be no restriction: nothing is searched"


@pytest.mark.parametrize("text", ["Nothing is named here.", "It names itself: Pier."])
def test_nothing_named_means_nothing_searched(text: str) -> None:
    index = CountingIndex()
    assert Links(Named(Pier="d-1"), index).follow("?", [passage(1, text)], VECTOR, SCOPE) == ()
    assert index.calls == []


def test_without_a_vector_nothing_is_searched() -> None:
    index = CountingIndex()
    none = np.zeros((0, 8), np.float32)
    assert Links(Named(Kestrel="d-7"), index).follow("Kestrel", [], none, SCOPE) == ()
    assert index.calls == []


def test_a_passage_that_names_everything_is_cut() -> None:
    titles, index = Named(**{f"Name{n:03}": f"d-{n}" for n in range(900)}), CountingIndex()
    Links(titles, index).follow("?", [passage(1000, " ".join(titles.documents))], VECTOR, SCOPE)
    assert len(index.calls[0][2].documents) == DOCUMENTS


def test_the_head_stays_and_links_take_every_second_place_after_it() -> None:
    assert interleaved(ids(1, 2, 3, 4), ids(8, 9), keep=1) == [1, 8, 2, 9, 3, 4]
    assert interleaved(ids(1, 2, 3, 4), ids(8, 9), keep=3) == [1, 2, 3, 8, 4, 9]
    assert interleaved(ids(1), ids(7, 8, 9), keep=1) == [1, 7, 8, 9]


def test_nothing_linked_leaves_the_order() -> None:
    assert interleaved(ids(3, 1, 2), [], keep=1) == [3, 1, 2]
    assert interleaved([], ids(5), keep=1) == [5]


def test_a_linked_passage_that_is_there_already_moves_up_once() -> None:
    assert interleaved(ids(1, 2, 3, 4), ids(4, 4, 1), keep=1) == [1, 4, 2, 3]
