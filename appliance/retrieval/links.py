"""From the first passages to the documents that they, and the question, name by title (multi-hop, no model).

Arrives: a question, its best passages, a scope. Leaves: the passages of the named documents that are nearest
to the question. ``Who founded the maker of X?`` finds X; X's passage names the maker; the maker's own
document says who founded it, and has no word of the question.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from appliance.domain import DocumentId, Passage, PassageId, Scope, Scored
from appliance.ports import DenseIndex, TitleLookup, Vectors

DOCUMENTS = 48
"""Named documents that are looked into."""
PER_DOCUMENT = 1


class Links:
    """Follows names from passages to documents."""

    def __init__(self, titles: TitleLookup, dense: DenseIndex) -> None:
        """Bind the titles and the vectors of one collection."""
        self._titles, self._dense = titles, dense

    def follow(
        self, question: str, first: Sequence[Passage], vector: Vectors, scope: Scope
    ) -> tuple[Scored, ...]:
        """Passages of named documents, nearest to the question first. ``vector``: (1, dim)."""
        named = self._titles.named_in([question, *(passage.text for passage in first)], scope)
        known = {passage.document_id for passage in first}
        documents = tuple(dict.fromkeys(one for found in named for one in found if one not in known))
        if not documents or not len(vector):
            return ()
        within = msgspec.structs.replace(scope, documents=_within(documents[:DOCUMENTS], scope))
        if not within.documents:
            return ()
        return tuple(self._dense.search(vector[:1], len(within.documents) * 2, within)[0])


def _within(documents: Sequence[DocumentId], scope: Scope) -> tuple[DocumentId, ...]:
    """Those that the scope allows; a scope without a list allows all."""
    allowed = set(scope.documents)
    return tuple(one for one in documents if not allowed or one in allowed)


def interleaved(order: Sequence[PassageId], linked: Sequence[PassageId], *, keep: int) -> list[PassageId]:
    """``order`` with the linked passages taking every second place after the first ``keep``."""
    head = list(order[:keep])
    taken = set(head)
    others = [passage for passage in order[keep:] if passage not in taken]
    links = [passage for passage in dict.fromkeys(linked) if passage not in taken]
    merged: list[PassageId] = []
    for at in range(max(len(others), len(links))):
        merged += [*links[at : at + 1], *others[at : at + 1]]
    return [*head, *dict.fromkeys(merged)]
