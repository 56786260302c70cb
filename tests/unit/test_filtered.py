"""Recall under a filter: narrowed where few documents meet it, deepened where many do, never relaxed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from appliance.domain import DocumentId, Filters, PassageId, Scope, Scored
from appliance.retrieval.filter_language import parse_filter
from appliance.retrieval.filtered import Depths, Recalled, Routes, recall_filtered

SCOPE = Scope(collection="c")
RISK, NEW, BOTH = (
    parse_filter(text)
    for text in ("section_type=risk", "published>=2031", "section_type=risk and published>=2031")
)


class Library:
    """Passages by number: two routes, the second backwards; documents ``d-N`` hold ten passages each."""

    def __init__(self, size: int, **meets: set[int]) -> None:
        self.size, self.meets = size, meets
        self.listed: tuple[DocumentId, ...] | None = None
        self.asked: list[tuple[int, tuple[DocumentId, ...]]] = []
        self.values: dict[str, tuple[str, ...]] = {}

    def search(self, depth: int, scope: Scope) -> Routes:
        self.asked.append((depth, scope.documents))
        numbers = [n for n in range(self.size) if not scope.documents or f"d-{n // 10}" in scope.documents]
        return [ranked(numbers[:depth]), ranked(numbers[::-1][:depth])]

    def matching_documents(self, filters: Filters, scope: Scope, limit: int) -> tuple[DocumentId, ...] | None:
        return self.listed

    def matches(self, passages: Sequence[PassageId], filters: Filters, scope: Scope) -> set[PassageId]:
        return {n for n in passages if all(n in self.meets[each.field] for each in filters)}

    def present(self, field: str, scope: Scope) -> tuple[str, ...]:
        return self.values.get(field, ())


def ranked(numbers: Sequence[int]) -> list[Scored]:
    return [Scored(passage_id=PassageId(n), score=1 / (1 + place)) for place, n in enumerate(numbers)]


def recalled(library: Library, filters: Filters, **depths: int) -> Recalled:
    wanted = Depths(**{"depth": 10, "enough": 10, "most": 640, **depths})
    return recall_filtered(library.search, filters, SCOPE, by=library, depths=wanted)


def ids(found: Recalled) -> list[list[int]]:
    return [[scored.passage_id for scored in route] for route in found.routes]


def test_without_a_filter_each_route_is_as_it_was() -> None:
    library = Library(1000)
    found = recalled(library, ())
    assert ids(found) == [list(range(10)), list(range(999, 989, -1))]
    assert (found.steps, found.notices, library.asked) == ((), (), [(10, ())])


def test_a_selective_filter_goes_into_the_search() -> None:
    library = Library(1000, section_type={41, 43, 977})
    library.listed = (DocumentId("d-4"), DocumentId("d-97"))
    found = recalled(library, RISK)
    assert ids(found) == [[41, 43, 977], [977, 43, 41]]
    assert {documents for _, documents in library.asked} == {library.listed}
    (step,) = found.steps
    assert (step.condition, step.origin, step.kept, step.of) == ("section_type=risk", "caller", 3, 20)
    assert not step.relaxed
    assert found.notices == ()


def test_a_broad_filter_is_asked_for_deeper_until_enough_is_left() -> None:
    library = Library(1000, section_type=set(range(0, 1000, 10)))
    found = recalled(library, RISK)
    assert [depth for depth, _ in library.asked] == [10, 40, 160]
    assert ids(found) == [list(range(0, 100, 10)), list(range(990, 890, -10))]
    assert (found.steps[0].kept, found.steps[0].of) == (32, 320)
    assert found.notices == ()


def test_it_stops_at_the_bound_and_says_so() -> None:
    library = Library(5000, section_type={3, 600, 2500})
    found = recalled(library, RISK)
    assert [depth for depth, _ in library.asked] == [10, 40, 160, 640]
    assert ids(found) == [[3, 600], []]
    assert found.notices == (
        "the filter leaves 2 of the 1280 nearest candidates; farther ones were not looked at",
    )


def test_it_stops_where_the_routes_have_no_more() -> None:
    library = Library(30, section_type={3})
    found = recalled(library, RISK)
    assert [depth for depth, _ in library.asked] == [10, 40]
    assert (ids(found), found.notices) == ([[3], [3]], ())


def test_nothing_left_names_the_condition_and_what_there_is() -> None:
    library = Library(1000, section_type=set(range(1000)), published=set())
    library.listed, library.values = (), {"published": ("2019", "2024-03-01")}
    found = recalled(library, BOTH)
    assert ids(found) == [[], []]
    assert library.asked == [(10, ())]
    assert [(step.condition, step.kept, step.of) for step in found.steps] == [
        ("section_type=risk", 20, 20),
        ("published>=2031", 0, 20),
    ]
    assert found.notices == (
        "published>=2031 leaves 0 of 20 candidates; documents are dated from 2019 to 2024-03-01",
    )


@pytest.mark.parametrize(
    ("values", "end"),
    [
        ({}, "; no document has a date"),
        ({"published": ("2024-03-01",)}, "; documents are dated 2024-03-01"),
    ],
)
def test_what_there_is_instead(values: dict[str, tuple[str, ...]], end: str) -> None:
    library = Library(1000, published=set())
    library.listed, library.values = (), values
    assert recalled(library, NEW).notices == (f"published>=2031 leaves 0 of 20 candidates{end}",)


def test_conditions_that_exclude_each_other_are_named_together() -> None:
    library = Library(8, section_type={1, 2}, published={3})
    library.listed = ()
    assert recalled(library, BOTH).notices == (
        "section_type=risk (2) and published>=2031 (1) leave 0 of 8 candidates together",
    )


def test_a_broad_filter_that_leaves_nothing_near() -> None:
    library = Library(5000, section_type={2500})
    library.values = {"section_type": ("body", "risk")}
    found = recalled(library, RISK)
    assert ids(found) == [[], []]
    assert found.notices == (
        "section_type=risk leaves 0 of 1280 candidates; there is body, risk",
        "many documents meet the filter, but none of the passages nearest to the query",
    )


def test_no_candidates_at_all() -> None:
    library = Library(0, section_type=set(), published=set())
    library.listed = (DocumentId("d-1"),)
    assert recalled(library, RISK).notices == (
        "1 document meets the filter, and nothing there answers the query's words",
    )
    library.listed, library.values = (), {"section_type": ("body",)}
    assert recalled(library, BOTH).notices == (
        "no document meets section_type=risk; there is body",
        "no document meets published>=2031; no document has a date",
    )
