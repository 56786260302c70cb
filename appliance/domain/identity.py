"""Ids, who asks, and what one read may see."""

from __future__ import annotations

import hashlib
import re
from typing import NewType

import msgspec

_YEAR = re.compile(r"(?<!\d)(?!(?<=[A-Z]-)\d{4}-[A-Za-z\d])(?:19|20)\d{2}(?!\d)")
"""A year, not the middle of a number such as ``AB-2020-0317``."""

DocumentId = NewType("DocumentId", str)
"""``d-`` + 16 hex digits of sha256(collection, record id): stable over versions and re-ingests."""
PassageId = NewType("PassageId", int)
"""Row number in SQLite and primary key in every index."""
Fingerprint = NewType("Fingerprint", str)
"""``document id#section path#sha256 of the first 200 characters``, fixed at ingest, resolvable for ever."""
RunId = NewType("RunId", str)

USER_PREFIX = "user:"
"""In a list of denies: ``user:NAME`` is a person, anything else a group."""
EVERYONE = "everyone"
"""The group that every principal is in."""
DEFAULT_COLLECTION = "default"


class Struct(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of every value that crosses a room's border: frozen, keyword-only, strict."""


class Principal(Struct, frozen=True, kw_only=True):
    """The signed-in asker. Before sign-in exists (loopback only) it is the local operator."""

    user: str = "local"
    groups: tuple[str, ...] = (EVERYONE,)


class Scope(Struct, frozen=True, kw_only=True):
    """What one read may see. Built in one place (:func:`scope_of`), applied by every index and store."""

    collection: str | None = None
    groups: tuple[str, ...] = (EVERYONE,)
    user: str = ""
    documents: tuple[DocumentId, ...] = ()
    """Restrict to these documents; empty means no restriction."""

    def denied_as(self) -> tuple[str, ...]:
        """The names under which a document's denies keep this asker out: ``user:NAME`` and every group."""
        return (*self.groups, f"{USER_PREFIX}{self.user}") if self.user else self.groups


def scope_of(
    principal: Principal, *, collection: str | None = None, documents: tuple[DocumentId, ...] = ()
) -> Scope:
    """The only place where a principal becomes a filter."""
    groups = tuple(sorted({EVERYONE, *(name for name in principal.groups if not name.startswith("!"))}))
    return Scope(collection=collection, groups=groups, user=principal.user, documents=documents)


def access_marks(groups: tuple[str, ...], denied: tuple[str, ...]) -> tuple[str, ...]:
    """Groups and denies in one list, as indexes hold them: a deny has ``!`` in front, no group has."""
    return tuple(sorted({*groups, *(f"!{name}" for name in denied)}))


def document_id(collection: str, record_id: str) -> DocumentId:
    """The id of the document that this collection knows by this record id."""
    digest = hashlib.sha256(f"{collection}\x00{record_id}".encode()).hexdigest()
    return DocumentId(f"d-{digest[:16]}")


def fingerprint(document: DocumentId, section_path: str, text: str) -> Fingerprint:
    """E1: ``document id#section path#sha256(first 200 characters)``."""
    path = section_path.replace("#", " ").strip()
    digest = hashlib.sha256(text[:200].encode()).hexdigest()
    return Fingerprint(f"{document}#{path}#{digest}")


def years_in(text: str) -> list[str]:
    """Return the years 1900–2099 named in a text, in order, repeats included."""
    return _YEAR.findall(text)
