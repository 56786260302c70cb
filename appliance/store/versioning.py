"""Which passages of a new version are the old ones: the pure part of re-ingesting a document.

Arrives: the drafts of the new version and the document's stored passages. Leaves: one placement per draft,
on an old row (same fingerprint and same text) or on a new row with a fingerprint nobody has.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence

import msgspec

from appliance.domain import (
    DocumentId,
    Fingerprint,
    MetadataChange,
    ParsedDocument,
    PassageDraft,
    PassageId,
    fingerprint,
)


class NewDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A parsed and cut file or record, about to be stored."""

    collection: str
    record_id: str
    source: str
    parsed: ParsedDocument
    drafts: tuple[PassageDraft, ...]
    content_sha256: str
    blob_sha256: str
    bytes: int
    change: MetadataChange = MetadataChange()
    """What is said of it; what is not said stays as the document has it."""


class StoredPassage(msgspec.Struct, frozen=True, kw_only=True):
    """What is compared of a passage that the document already has, current or not."""

    id: PassageId
    fingerprint: Fingerprint
    text_sha256: str


class Placement(msgspec.Struct, frozen=True, kw_only=True):
    """Where one draft goes. ``passage_id`` is None for a passage that is new."""

    draft: PassageDraft
    fingerprint: Fingerprint
    text_sha256: str
    passage_id: PassageId | None


def place(
    document: DocumentId, drafts: Sequence[PassageDraft], stored: Iterable[StoredPassage]
) -> list[Placement]:
    """One placement per draft, in order; the same input gives the same fingerprints.

    Where another text has the fingerprint already (the first 200 characters agree), ``~2``, ``~3`` … follows.
    """
    taken: set[str] = set()
    unused: defaultdict[tuple[str, str], deque[StoredPassage]] = defaultdict(deque)
    for passage in sorted(stored, key=lambda passage: passage.id):
        taken.add(passage.fingerprint)
        unused[(_without_suffix(passage.fingerprint), passage.text_sha256)].append(passage)
    placements: list[Placement] = []
    for draft in drafts:
        base = fingerprint(document, draft.section_path, draft.text)
        digest = hashlib.sha256(draft.text.encode()).hexdigest()
        same = unused.get((base, digest))
        if same:
            old = same.popleft()
            placement = Placement(
                draft=draft, fingerprint=old.fingerprint, text_sha256=digest, passage_id=old.id
            )
        else:
            free = _first_free(base, taken)
            placement = Placement(draft=draft, fingerprint=free, text_sha256=digest, passage_id=None)
        taken.add(placement.fingerprint)
        placements.append(placement)
    return placements


def head_sha256(mark: Fingerprint) -> str:
    """The third part of a fingerprint: sha256 of the first 200 characters, without ``~n``."""
    return mark.rpartition("#")[2].partition("~")[0]


def _without_suffix(mark: Fingerprint) -> str:
    head, _, tail = mark.rpartition("#")
    return f"{head}#{tail.partition('~')[0]}"


def _first_free(base: Fingerprint, taken: set[str]) -> Fingerprint:
    candidate, number = base, 2
    while candidate in taken:
        candidate = Fingerprint(f"{base}~{number}")
        number += 1
    return candidate
