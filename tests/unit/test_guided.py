"""Search under guidance: what only, prefer and avoid do to a ranking, with the notices that tell it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from appliance.domain import (
    Comparison,
    Condition,
    DocumentId,
    Filters,
    Fingerprint,
    Guidance,
    Hit,
    Passage,
    PassageId,
    Retrieval,
    Scope,
    Strategy,
    Wish,
    WishAim,
)
from appliance.retrieval.guided import admitted, search_guided, with_terms

TITLES = {1: "news a", 2: "report b", 3: "news c", 4: "report d", 5: "memo e", 6: "memo f"}


def filters(word: str) -> Filters:
    return (Condition(field="title", comparison=Comparison.CONTAINS, values=(word,)),)


def wish(aim: WishAim, *words: str, text: str = "") -> Wish:
    return Wish(aim=aim, text=text or f"{aim} {words[0]}", ways=tuple((filters(word),) for word in words))


class Library:
    """Six documents of one passage each; ranks by number. ``most``: so many ids can be listed."""

    def __init__(self, most: int = 1000) -> None:
        self.most, self.asked = most, list[tuple[str, int]]()

    def search(self, question: str, scope: Scope, *, k: int, strategy: Strategy) -> Retrieval:
        self.asked.append((question, k))
        found = [number for number in TITLES if not scope.documents or _id(number) in scope.documents]
        return Retrieval(hits=tuple(_hit(number) for number in found[:k]), strategy=strategy)

    def matching_documents(self, wanted: Filters, scope: Scope, limit: int) -> tuple[DocumentId, ...] | None:
        found = tuple(_id(number) for number in TITLES if _meets(number, wanted))
        return None if len(found) > self.most else found

    def matches(self, passages: Sequence[PassageId], wanted: Filters, scope: Scope) -> set[PassageId]:
        return {passage for passage in passages if _meets(int(passage), wanted)}

    def present(self, field: str, scope: Scope) -> tuple[str, ...]:
        return ()

    def found(self, *wishes: Wish, k: int = 4, terms: tuple[str, ...] = ()) -> tuple[list[int], Retrieval]:
        guidance = Guidance(text="x", wishes=wishes, terms=terms)
        result = search_guided(self.search, "why?", Scope(), k=k, guidance=guidance, by=self)
        return [int(hit.passage.id) for hit in result.hits], result


def _id(number: int) -> DocumentId:
    return DocumentId(f"d-{number}")


def _meets(number: int, wanted: Filters) -> bool:
    return all(any(value in TITLES[number] for value in each.values) for each in wanted)


def _hit(number: int) -> Hit:
    passage = Passage(
        id=PassageId(number),
        fingerprint=Fingerprint(f"d-{number}#x#0"),
        document_id=_id(number),
        record_id=str(number),
        collection="c",
        title=TITLES[number],
        section_path="x",
        text="t",
        language="en",
        token_count=1,
    )
    return Hit(passage=passage, fused_score=1.0 / number)


def test_without_guidance_the_search_is_the_same():
    library = Library()
    assert library.found()[0] == [1, 2, 3, 4]
    assert library.asked == [("why?", 4)]


@pytest.mark.parametrize("most", [1000, 1])
def test_only_avoid_and_prefer(most: int):
    library = Library(most)
    assert library.found(wish(WishAim.ONLY, "report"))[0] == [2, 4]
    assert library.found(wish(WishAim.AVOID, "news"))[0] == [2, 4, 5, 6]
    assert library.found(wish(WishAim.PREFER, "memo"))[0] == [5, 1, 6, 2]
    assert library.found(wish(WishAim.PREFER, "memo"), wish(WishAim.AVOID, "news"))[0] == [5, 2, 6, 4]


def test_wishes_of_one_clause_are_alternatives_and_clauses_hold_together():
    library = Library()
    both = (wish(WishAim.ONLY, "report", text="t"), wish(WishAim.ONLY, "memo", text="t"))
    assert library.found(*both)[0] == [2, 4, 5, 6]
    apart = (wish(WishAim.ONLY, "report"), wish(WishAim.ONLY, "memo"))
    assert library.found(*apart)[0] == []


def test_the_first_way_that_any_document_meets_holds():
    assert Library().found(wish(WishAim.ONLY, "annual report", "report", "memo"))[0] == [2, 4]


def test_only_is_never_relaxed_and_prefer_is_told():
    numbers, result = Library().found(wish(WishAim.ONLY, "atlas"))
    assert (numbers, result.notices) == ([], ("guidance “only atlas”: no readable document fits",))
    numbers, result = Library().found(wish(WishAim.PREFER, "atlas"))
    assert (numbers, result.notices) == (
        [1, 2, 3, 4],
        ("guidance “prefer atlas”: no readable document fits",),
    )


def test_what_a_wish_left_is_told():
    _, result = Library().found(wish(WishAim.AVOID, "news"))
    [step] = result.filters
    assert (step.condition, step.origin, step.kept, step.of) == ("avoid news", "guidance", 4, 6)


def test_passages_found_before_are_admitted_or_not():
    guidance = Guidance(text="x", wishes=(wish(WishAim.AVOID, "news"), wish(WishAim.ONLY, "report", "memo")))
    known = [PassageId(number) for number in (3, 2, 5)]
    assert admitted(known, Scope(), guidance=guidance, by=Library()) == (2,)


def test_terms_that_the_question_has_not_are_searched_too():
    library = Library()
    library.found(terms=("X2", "Why"))
    assert library.asked == [("why? (X2)", 4)]
    assert with_terms("问题", ()) == "问题"
