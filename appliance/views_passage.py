"""What the doors show of a citation: the passage in its context, and whether it can still be trusted.

One shape for ``GET /api/passages/{fingerprint}`` and ``assay passage --json``.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from appliance.answers.registers import RegisterLink
from appliance.domain import BlockKind, DocumentRecord, Fingerprint, Span


class _Shown(msgspec.Struct, frozen=True, kw_only=True):
    """Base of what is shown."""


class VersionState(StrEnum):
    """How a cited passage stands to the document as it is now. A deleted one is no passage: 410."""

    CURRENT = "current"
    RENEWED = "renewed"
    """It came with an earlier version, and the current one has it word for word."""
    SUPERSEDED = "superseded"
    WITHDRAWN = "withdrawn"
    """The document itself is no longer in force."""


class VersionStatus(_Shown, frozen=True, kw_only=True):
    """The version status, and one line that says it."""

    state: VersionState
    said: str
    since: str | None = None
    """Day (ISO) from which it is so."""
    by_version: int | None = None
    """What superseded it, or the version that renewed it last."""


class IntegrityState(StrEnum):
    """What checking passage and original against their digests, just now, found."""

    OK = "ok"
    CHANGED = "changed"
    MISSING = "missing"


class Integrity(_Shown, frozen=True, kw_only=True):
    """The worse of both checks, and what is wrong."""

    state: IntegrityState
    passage: IntegrityState
    """Its text against its own sha256 and against its fingerprint."""
    original: IntegrityState
    """The stored file against the sha256 that it is kept under."""
    faults: tuple[str, ...] = ()


class Beside(_Shown, frozen=True, kw_only=True):
    """A neighbouring passage of the same section."""

    fingerprint: Fingerprint
    text: str
    page_first: int | None
    page_last: int | None


class InVersion(_Shown, frozen=True, kw_only=True):
    """The same place in another version of the document."""

    version: int
    edition: str
    published: str | None
    ingested_at: str
    current: bool
    fingerprint: Fingerprint | None
    """Null: that version has no such section."""
    same: bool = False
    """Word for word this passage."""
    page_first: int | None = None
    page_last: int | None = None


class Contact(_Shown, frozen=True, kw_only=True):
    """Whom to ask."""

    owner: str = ""
    contact: str = ""
    named_by: str = ""
    """``document``, ``collection`` or ``installation``: who named the contact; empty: nobody did."""


class PassageView(_Shown, frozen=True, kw_only=True):
    """A cited passage with its document; not current: a newer version of the document no longer has it.

    Text of a document is data: show it as text, whatever markup, link or instruction it holds.
    """

    fingerprint: Fingerprint
    document: DocumentRecord
    title: str
    section: str
    heading: tuple[str, ...]
    """The document's title, then the section's, from the top down."""
    text: str
    kind: BlockKind
    language: str
    version: int
    current: bool
    page_first: int | None
    page_last: int | None
    published: str | None
    status: VersionStatus
    integrity: Integrity
    claim: str = ""
    """What the highlights are for."""
    highlights: tuple[Span, ...] = ()
    """Characters of ``text`` (counted in Unicode code points) that carry the claim."""
    before: tuple[Beside, ...] = ()
    after: tuple[Beside, ...] = ()
    versions: tuple[InVersion, ...] = ()
    """The other versions, oldest first."""
    contact: Contact = Contact()
    registers: tuple[RegisterLink, ...] = ()
