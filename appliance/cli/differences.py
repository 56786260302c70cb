"""What changed between two versions or documents, section by section.

Arrives: two names and versions. Leaves: added, removed and changed sections, each with the fingerprints of
its passages on both sides, so that every change can be looked up.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

import msgspec

from appliance.cli.output import say, short_hash
from appliance.domain import DocumentRecord, Fingerprint, Passage, Scope
from appliance.errors import NotFoundError, UserError

if TYPE_CHECKING:
    from appliance.wiring import Appliance


class SectionChange(msgspec.Struct, frozen=True, kw_only=True):
    """One section that differs."""

    change: str
    """``added``, ``removed`` or ``changed``."""
    section: str
    old_fingerprints: tuple[Fingerprint, ...]
    new_fingerprints: tuple[Fingerprint, ...]
    lines: tuple[str, ...]
    """``-`` old, ``+`` new; lines that both sides have are left out."""


def compare(
    appliance: Appliance,
    scope: Scope,
    names: tuple[str, str],
    versions: tuple[int | None, int | None],
) -> list[SectionChange]:
    """The changes in reading order. Raises NotFoundError, UserError (there is only one version)."""
    documents = appliance.repositories.documents
    old, new = (documents.find(name, scope) for name in names)
    new_version = versions[1] or new.version
    old_version = versions[0] or (new_version - 1 if old.id == new.id else old.version)
    if old_version < 1:
        raise UserError(
            f"{new.record_id!r} has only one version",
            hint="ingest a newer one, or name a second document to compare with",
        )
    return changes(
        _passages(appliance, old, old_version, scope), _passages(appliance, new, new_version, scope)
    )


def _passages(appliance: Appliance, document: DocumentRecord, version: int, scope: Scope) -> list[Passage]:
    known = [v.version for v in appliance.repositories.documents.versions(document.id, scope)]
    if version not in known:
        raise NotFoundError(
            f"{document.record_id!r} has no version {version}",
            hint=f"versions: {', '.join(map(str, known))}",
        )
    return appliance.passages.of_document(document.id, version, scope)


def changes(old: list[Passage], new: list[Passage]) -> list[SectionChange]:
    """Sections of the new side in order, then those only the old side has."""
    before, after = _by_section(old), _by_section(new)
    found: list[SectionChange] = []
    for section in [*after, *(name for name in before if name not in after)]:
        left, right = before.get(section, []), after.get(section, [])
        removed_added = tuple(_lines(left, right))
        if removed_added:
            kind = "changed" if left and right else "added" if right else "removed"
            found.append(
                SectionChange(
                    change=kind,
                    section=section,
                    old_fingerprints=tuple(passage.fingerprint for passage in left),
                    new_fingerprints=tuple(passage.fingerprint for passage in right),
                    lines=removed_added,
                )
            )
    return found


def _by_section(passages: list[Passage]) -> dict[str, list[Passage]]:
    sections: dict[str, list[Passage]] = {}
    for passage in passages:
        sections.setdefault(passage.section_path, []).append(passage)
    return sections


def _lines(old: list[Passage], new: list[Passage]) -> list[str]:
    left, right = (
        [line for p in side for line in p.text.splitlines() if line.strip()] for side in (old, new)
    )
    return [line for line in difflib.ndiff(left, right) if line.startswith(("- ", "+ "))]


def print_changes(found: list[SectionChange]) -> None:
    """For people: red what went, green what came."""
    if not found:
        say("no differences")
    for each in found:
        sides = [
            ", ".join(map(short_hash, each.old_fingerprints)) or "—",
            ", ".join(map(short_hash, each.new_fingerprints)) or "—",
        ]
        say(f"{each.change}: {each.section or '(no heading)'}  [{sides[0]} → {sides[1]}]", style="bold")
        for line in each.lines:
            say(f"  {line}", style="green" if line.startswith("+") else "red")
