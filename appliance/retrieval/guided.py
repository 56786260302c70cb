"""Search under a person's guidance: what it wants looked into first, what it leaves out, and what that did.

Arrives: a question, a guidance that fits it, and search. Leaves: a retrieval; a notice for each wish that no
readable document meets. ``only`` is never relaxed; ``prefer`` leaves the rest in reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import groupby
from typing import Protocol

import msgspec

from appliance.domain import (
    DocumentId,
    Filters,
    FilterStep,
    Guidance,
    Hit,
    PassageId,
    Retrieval,
    Scope,
    Strategy,
    Struct,
    Way,
    Wish,
    WishAim,
)
from appliance.ports import PassageFilter

MOST_DOCUMENTS = 1_000
DEEPER = 6
"""How many times more passages are searched where some will be left out."""
MOST_K = 200


class Search(Protocol):
    """``Searcher.search``."""

    def __call__(self, question: str, scope: Scope, *, k: int, strategy: Strategy) -> Retrieval:
        """The ``k`` best readable passages."""
        ...


class _Meant(Struct, frozen=True, kw_only=True):
    """What a group of wishes means here: any of the filters."""

    text: str
    filters: tuple[Filters, ...] = ()
    documents: tuple[DocumentId, ...] | None = ()
    """Those that meet them; None: too many to list."""


def search_guided(
    search: Search,
    question: str,
    scope: Scope,
    *,
    k: int,
    guidance: Guidance,
    by: PassageFilter,
    strategy: Strategy = Strategy.AUTO,
) -> Retrieval:
    """The ``k`` best passages under the guidance; without guidance what ``search`` answers."""
    if guidance.empty:
        return search(question, scope, k=k, strategy=strategy)
    asked = with_terms(question, guidance.terms)
    only = _meanings(guidance, WishAim.ONLY, scope, by)
    prefer = _meanings(guidance, WishAim.PREFER, scope, by)
    avoid = [meant for meant in _meanings(guidance, WishAim.AVOID, scope, by) if meant.filters]
    notices = [
        f"guidance “{meant.text}”: no readable document fits"
        for meant in (*only, *prefer)
        if not meant.filters
    ]
    if any(not meant.filters for meant in only):
        return Retrieval(hits=(), strategy=strategy, notices=tuple(notices))
    plan = _Search(
        search=search, question=asked, strategy=strategy, by=by, only=tuple(only), avoid=tuple(avoid)
    )
    plain = plan.run(scope, k)
    wanted = [meant for meant in prefer if meant.filters]
    hits = plain.hits
    if wanted:
        first = msgspec.structs.replace(plan, only=(*only, _any_of(wanted))).run(scope, k)
        hits = _in_turn(first.hits, plain.hits)[:k]
        plain = msgspec.structs.replace(plain, filters=(*plain.filters, *first.filters))
    return msgspec.structs.replace(plain, hits=hits, notices=(*plain.notices, *notices))


def admitted(
    passages: Sequence[PassageId], scope: Scope, *, guidance: Guidance, by: PassageFilter
) -> tuple[PassageId, ...]:
    """Those that meet every ``only`` and no ``avoid``, in their order."""
    left = list(passages)
    for aim in (WishAim.ONLY, WishAim.AVOID):
        for meant in _meanings(guidance, aim, scope, by):
            met = _met(meant.filters, left, scope, by)
            left = [passage for passage in left if (passage in met) == (aim is WishAim.ONLY)]
    return tuple(left)


def with_terms(question: str, terms: Sequence[str]) -> str:
    """The question with the words that it does not have yet."""
    folded = question.casefold()
    fresh = [term for term in terms if term.casefold() not in folded]
    return f"{question} ({', '.join(fresh)})" if fresh else question


class _Search(Struct, frozen=True, kw_only=True):
    """One search: within all of ``only``, without any of ``avoid``."""

    search: Search
    question: str
    strategy: Strategy
    by: PassageFilter
    only: tuple[_Meant, ...]
    avoid: tuple[_Meant, ...]

    def run(self, scope: Scope, k: int) -> Retrieval:
        """The ``k`` best that are left, and what each wish left of how many."""
        within = self._within(scope)
        deep = min(MOST_K, k * DEEPER) if self.only or self.avoid else k
        found = self.search(self.question, within, k=deep, strategy=self.strategy)
        left = list(found.hits)
        steps: list[FilterStep] = []
        for meant, wanted in [*((each, True) for each in self.only), *((each, False) for each in self.avoid)]:
            met = _met(meant.filters, [hit.passage.id for hit in left], scope, self.by)
            kept = [hit for hit in left if (hit.passage.id in met) == wanted]
            steps.append(FilterStep(condition=meant.text, origin="guidance", kept=len(kept), of=len(left)))
            left = kept
        steps = [step for step in steps if step.kept < step.of]
        return msgspec.structs.replace(found, hits=tuple(left[:k]), filters=(*found.filters, *steps))

    def _within(self, scope: Scope) -> Scope:
        listed = [set(meant.documents) for meant in self.only if meant.documents is not None]
        if scope.documents:
            listed.append(set(scope.documents))
        if not listed:
            return scope
        common = sorted(reduce(set[DocumentId].intersection, listed))
        # No documents would be no restriction: an id that no document has keeps everything out.
        return msgspec.structs.replace(scope, documents=tuple(common) or (DocumentId("d-none"),))


def _meanings(guidance: Guidance, aim: WishAim, scope: Scope, by: PassageFilter) -> list[_Meant]:
    """One for each clause: its wishes are alternatives."""
    wishes = [wish for wish in guidance.wishes if wish.aim is aim]
    groups = [list(group) for _, group in groupby(wishes, key=lambda wish: wish.text)]
    return [_any_of([_meant(wish, scope, by) for wish in group], text=group[0].text) for group in groups]


def _meant(wish: Wish, scope: Scope, by: PassageFilter) -> _Meant:
    """The first way that any readable document meets."""
    for way in wish.ways:
        listed = [by.matching_documents(filters, scope, MOST_DOCUMENTS) for filters in way]
        if any(documents is None or documents for documents in listed):
            return _Meant(text=wish.text, filters=way, documents=_union(listed))
    return _Meant(text=wish.text)


def _any_of(meant: Sequence[_Meant], text: str = "") -> _Meant:
    filters: Way = tuple(filters for each in meant for filters in each.filters)
    said = text or " · ".join(dict.fromkeys(each.text for each in meant))
    return _Meant(text=said, filters=filters, documents=_union([each.documents for each in meant]))


def _union(listed: Sequence[tuple[DocumentId, ...] | None]) -> tuple[DocumentId, ...] | None:
    found: dict[DocumentId, None] = {}
    for documents in listed:
        if documents is None:
            return None
        found |= dict.fromkeys(documents)
    return tuple(found) if len(found) <= MOST_DOCUMENTS else None


def _met(
    filters: Sequence[Filters], passages: Sequence[PassageId], scope: Scope, by: PassageFilter
) -> set[PassageId]:
    return {passage for each in filters for passage in by.matches(passages, each, scope)}


def _in_turn(first: Sequence[Hit], second: Sequence[Hit]) -> tuple[Hit, ...]:
    """Both lists, one from each in turn, the first one's turn first; a passage once."""
    taken: dict[PassageId, Hit] = {}
    for place in range(max(len(first), len(second))):
        for hits in (first, second):
            if place < len(hits):
                taken.setdefault(hits[place].passage.id, hits[place])
    return tuple(taken.values())
