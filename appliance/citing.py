"""What a citation points to: the passage in its context, its versions, and whether it is still what it was.

Below wiring, above the rooms. Arrives: a fingerprint, who asks, perhaps a claim. Leaves: one view for CLI
and API. Every read goes through the asker's scope: what may not be read is unknown. Digests are computed at
that moment; nothing of the check is kept.
"""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Callable, Mapping, Sequence

from appliance.answers.highlight import Split, supporting
from appliance.answers.registers import register_links
from appliance.config_citations import Citations, Register
from appliance.domain import (
    Claim,
    ClaimKind,
    DocumentRecord,
    Fingerprint,
    Passage,
    RunId,
    Scope,
    Span,
    Struct,
    VersionRecord,
    fingerprint,
    freshness,
)
from appliance.errors import DamagedError, NotFoundError, UserError
from appliance.ingest import Repositories
from appliance.store.passages import Passages
from appliance.store.placements import Placed, Placements
from appliance.versions_beside import in_version
from appliance.views_passage import (
    Beside,
    Contact,
    Integrity,
    IntegrityState,
    PassageView,
    VersionState,
    VersionStatus,
)

CLAIM_CHARS = 2_000
Check = Callable[[str], object]
"""An original's sha256 → anything; raises NotFoundError, DamagedError."""


class ClaimAsked(Struct, frozen=True, kw_only=True):
    """What to highlight: words, or the claim of a run."""

    text: str = ""
    run: str = ""
    index: int | None = None
    """Of the claim in the run's answer, from 0."""


class Citer:
    """Resolves citations."""

    def __init__(
        self,
        passages: Passages,
        placements: Placements,
        repositories: Repositories,
        *,
        claim_of: Callable[[RunId, str | None, int], Claim],
        split: Split,
        settings: Citations,
        registers: Mapping[str, Register],
    ) -> None:
        """``claim_of``: run, user and index → the claim. Raises NotFoundError."""
        self._passages, self._placements, self._repositories = passages, placements, repositories
        self._claim_of, self._split = claim_of, split
        self._settings, self._registers = settings, registers

    def cite(
        self,
        mark: Fingerprint,
        scope: Scope,
        *,
        asked: ClaimAsked = ClaimAsked(),  # noqa: B008 - a frozen value
        user: str | None = None,
    ) -> PassageView:
        """The view; ``user``: whose runs may be named (None: anybody's).

        Raises NotFoundError (unknown, or not readable), GoneError (deleted since), UserError (no unique
        beginning of a hash; a claim that does not cite it).
        """
        passage = self._passages.by_fingerprint(mark, scope)
        claim, recorded = self._claim(asked, passage, user)
        document = self._repositories.documents.get(passage.document_id, scope)
        versions = self._repositories.documents.versions(document.id, scope)
        places = self._placements.of_passage(passage.id, scope)
        here = places[-1]
        beside = self._placements.beside(here, document.id, self._settings.neighbours, scope)
        others = [one for one in versions if one.version != here.version]
        shown = next(one for one in versions if one.version == here.version)
        return PassageView(
            fingerprint=passage.fingerprint,
            document=document,
            title=passage.title,
            section=passage.section_path,
            heading=tuple(part for part in (passage.title, *passage.section_path.split(" > ")) if part),
            text=passage.text,
            kind=passage.kind,
            language=passage.language,
            version=passage.version,
            current=passage.current,
            page_first=passage.page_first,
            page_last=passage.page_last,
            published=passage.published,
            status=status_of(passage, document, versions, places),
            integrity=integrity_of(passage, here, shown, self._repositories.blobs.path),
            claim=claim.text,
            highlights=recorded or self._highlights(claim, passage),
            before=_beside(beside, lambda one: one.ordinal < here.ordinal),
            after=_beside(beside, lambda one: one.ordinal > here.ordinal),
            versions=tuple(
                in_version(one, here, places, self._placements, document, scope) for one in others
            ),
            contact=self._contact(document),
            registers=register_links(
                f"{passage.title}\n{passage.text}", document.metadata.registers, self._registers
            ),
        )

    def _claim(self, asked: ClaimAsked, passage: Passage, user: str | None) -> tuple[Claim, tuple[Span, ...]]:
        """The claim and the spans that were recorded of it for this passage, where they still fit."""
        if asked.text and asked.run:
            raise UserError("both a claim and a run's claim are given", hint="give one of them")
        if (asked.run == "") != (asked.index is None):
            raise UserError("a run's claim needs the run and the index", hint="the first claim is 0")
        if asked.index is None or not asked.run:
            return _worded(asked.text), ()
        claim = self._claim_of(RunId(asked.run), user, asked.index)
        if passage.fingerprint not in claim.citations:
            raise UserError(
                f"claim {asked.index} of run {asked.run!r} does not cite this passage",
                hint=f"it cites {len(claim.citations)} others",
            )
        spans = dict(zip(claim.citations, claim.spans, strict=False)).get(passage.fingerprint, ())
        whole = all(0 <= span.start < span.end <= len(passage.text) for span in spans)
        return claim, spans if whole else ()

    def _highlights(self, claim: Claim, passage: Passage) -> tuple[Span, ...]:
        if not claim.text:
            return ()
        return supporting(claim.text, passage.text, quote=claim.quote, split=self._split)

    def _contact(self, document: DocumentRecord) -> Contact:
        own, settings = document.metadata, self._settings
        if own.contact:
            return Contact(owner=own.owner, contact=own.contact, named_by="document")
        if named := settings.contacts.get(document.collection, ""):
            return Contact(owner=own.owner, contact=named, named_by="collection")
        by = "installation" if settings.contact else ""
        return Contact(owner=own.owner, contact=settings.contact, named_by=by)


def status_of(
    passage: Passage,
    document: DocumentRecord,
    versions: Sequence[VersionRecord],
    places: Sequence[Placed],
    today: str = "",
) -> VersionStatus:
    """How the passage stands to the document as it is on ``today`` (ISO; the system's day by default)."""
    later = [one for one in versions if one.version > passage.version]
    if not passage.current and later:
        day = _day_of(later[0])
        said = f"superseded on {day} by version {later[0].version}"
        return VersionStatus(state=VersionState.SUPERSEDED, said=said, since=day, by_version=later[0].version)
    fresh = freshness(document, today or datetime.date.today().isoformat())
    if fresh.state == "no longer in force" and fresh.effective_to:
        said = f"withdrawn: in force until {fresh.effective_to}"
        return VersionStatus(state=VersionState.WITHDRAWN, said=said, since=fresh.effective_to)
    first = places[0].version
    if first < document.version:
        day = next(_day_of(one) for one in versions if one.version == document.version)
        said = f"renewed unchanged: in the document since version {first}, in version {document.version} too"
        return VersionStatus(state=VersionState.RENEWED, said=said, since=day, by_version=document.version)
    return VersionStatus(state=VersionState.CURRENT, said="current")


def integrity_of(passage: Passage, place: Placed, version: VersionRecord, original: Check) -> Integrity:
    """Passage and original against what they were sealed with, computed now."""
    faults: list[str] = []
    own = original_state = IntegrityState.OK
    if hashlib.sha256(passage.text.encode()).hexdigest() != place.text_sha256:
        faults.append("the passage's text is not the one that was stored")
    if (
        passage.fingerprint.partition("~")[0]
        != fingerprint(passage.document_id, passage.section_path, passage.text).partition("~")[0]
    ):
        faults.append("the passage's text or section is not the one of its fingerprint")
    if faults:
        own = IntegrityState.CHANGED
    try:
        original(version.blob_sha256)
    except NotFoundError:
        original_state = IntegrityState.MISSING
        faults.append(f"the original of version {version.version} is missing")
    except DamagedError:
        original_state = IntegrityState.CHANGED
        faults.append(f"the original of version {version.version} was changed or damaged")
    order = (IntegrityState.CHANGED, IntegrityState.MISSING, IntegrityState.OK)
    worse = min((own, original_state), key=order.index)
    return Integrity(state=worse, passage=own, original=original_state, faults=tuple(faults))


def _worded(text: str) -> Claim:
    if len(text) > CLAIM_CHARS:
        raise UserError(f"the claim has {len(text):,} characters", hint=f"at most {CLAIM_CHARS:,}")
    return Claim(text=" ".join(text.split()), kind=ClaimKind.FACT, citations=())


def _beside(places: Sequence[Placed], wanted: Callable[[Placed], bool]) -> tuple[Beside, ...]:
    return tuple(
        Beside(
            fingerprint=one.fingerprint,
            text=one.text,
            page_first=one.page_first,
            page_last=one.page_last,
        )
        for one in places
        if wanted(one)
    )


def _day_of(version: VersionRecord) -> str:
    """From when a version holds: as it is told, else from its arrival here."""
    return version.effective_from or version.ingested_at[:10]
