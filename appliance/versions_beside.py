"""Which passage of another version says what a cited one says.

Beside citing. Arrives: a passage's place and another version. Leaves: its counterpart there: the same
passage, else the nearest of the section of that name, else of the whole version.
"""

from __future__ import annotations

from collections.abc import Sequence

from appliance.answers.verify import grams
from appliance.domain import DocumentRecord, Scope, VersionRecord
from appliance.store.placements import Placed, Placements
from appliance.views_passage import InVersion

SAME_SECTION_MIN = 0.2
"""Shared words, of the larger side: below it a section of that name says something else altogether."""
ELSEWHERE_MIN = 0.5


def in_version(
    version: VersionRecord,
    here: Placed,
    places: Sequence[Placed],
    placements: Placements,
    document: DocumentRecord,
    scope: Scope,
) -> InVersion:
    """The passage ``here`` as the other version has it; ``places``: where it stands word for word."""
    own = next((one for one in places if one.version == version.version), None)
    found = own or _nearest(here, version, placements, document, scope)
    return InVersion(
        version=version.version,
        edition=version.edition,
        published=version.published,
        ingested_at=version.ingested_at,
        current=version.version == document.version,
        fingerprint=found.fingerprint if found else None,
        same=own is not None,
        page_first=found.page_first if found else None,
        page_last=found.page_last if found else None,
    )


def _nearest(
    here: Placed, version: VersionRecord, placements: Placements, document: DocumentRecord, scope: Scope
) -> Placed | None:
    section = placements.in_version(document.id, version.version, scope, section_path=here.section_path)
    if section and (found := _most_alike(here, section, SAME_SECTION_MIN)):
        return found
    # A heading without a path of its own is in every document; and a renamed section is found by its words.
    return _most_alike(here, placements.in_version(document.id, version.version, scope), ELSEWHERE_MIN)


def _most_alike(here: Placed, others: Sequence[Placed], least: float) -> Placed | None:
    own = grams(here.text)
    scored = [(_alike(own, grams(one.text)), -abs(one.ordinal - here.ordinal)) for one in others]
    if not scored:
        return None
    best = max(range(len(others)), key=lambda at: scored[at])
    return others[best] if scored[best][0] >= least else None


def _alike(one: set[str], other: set[str]) -> float:
    return len(one & other) / max(len(one), len(other), 1)
