"""A collection kept in step with a folder: new and changed files go in, and what is gone goes out.

Arrives: a folder, all of it or what changed. Leaves: a FolderReport. Nothing is deleted before everything new
is stored, and nothing at all when the folder looks unmounted or wrecked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from appliance.domain import DocumentId, IngestReport, JobState, MetadataChange, Priority, Scope
from appliance.errors import NotFoundError, UserError
from appliance.ingest.ingestor import NOTHING_SAID, Ingestor
from appliance.ingest.progress import Cancelled, IngestProgress, Tell
from appliance.ingest.repositories import Repositories
from appliance.ingest.sources import SourceFile, described_by, source_in, under
from appliance.store.folder_files import FolderFiles, KnownFile

MOST_DELETED = 0.5
_TAKEN = (JobState.STORED, JobState.DONE, JobState.SKIPPED)


def _silent(_: IngestProgress) -> None:
    return


def _never() -> bool:
    return False


class FolderSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How a folder is kept."""

    folder: Path
    collection: str
    sync: bool = False
    """Whether documents leave when their file does."""
    force: bool = False
    """Delete even if it is more than half, or everything."""
    priority: Priority = Priority.NORMAL
    change: MetadataChange = NOTHING_SAID
    """What is said of every file in it."""


class FolderReport(msgspec.Struct, frozen=True, kw_only=True):
    """What was done."""

    ingest: IngestReport
    renamed: tuple[tuple[str, str], ...] = ()
    """(record id before, after): the same content under another name."""
    deleted: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    """Files that are gone and whose documents stay, with the reason."""


class Folder:
    """One folder and one collection."""

    def __init__(
        self, repositories: Repositories, ingestor: Ingestor, scope: Scope, settings: FolderSettings
    ) -> None:
        """``scope``: what the person who keeps the folder may read, and so delete."""
        self._repositories = repositories
        self._ingestor = ingestor
        self._scope = scope
        self._settings = settings
        self._files = FolderFiles(repositories.database)
        self._root = str(settings.folder.resolve())

    def everything(
        self,
        *,
        unrested: frozenset[Path] = frozenset(),
        tell: Tell = _silent,
        cancelled: Cancelled = _never,
    ) -> FolderReport:
        """Take in the whole folder but for ``unrested`` files; with ``sync`` what is no longer there goes.

        Raises UserError when the folder is missing, empty or short of more than half of its files (not with
        ``force``), before anything is done; and what ``Ingestor.ingest`` raises.
        """
        folder = self._settings.folder
        if not folder.is_dir():
            raise UserError(f"{folder} is no folder", hint="name one folder; is it mounted?")
        sources = list(under(folder))
        there = {source.record_id for source in sources}
        known = self._known()
        gone = [each for each in known if each.record_id not in there]
        fresh = _fresh(known, gone, sources)
        closed = any(source.trouble and source.path.is_dir() for source in sources)
        self._check(known, gone, _renames(gone, sources, fresh), empty=not sources, closed=closed)
        rested = [source for source in sources if source.path not in unrested]
        return self._carry_out(rested, gone, fresh, tell, cancelled)

    def changes(
        self,
        changed: Sequence[Path],
        removed: Sequence[Path],
        *,
        tell: Tell = _silent,
        cancelled: Cancelled = _never,
    ) -> FolderReport:
        """The same for what a watch saw. Raises UserError before anything is done, as ``everything`` does."""
        folder = self._settings.folder
        described = described_by([*changed, *removed], folder)
        paths = sorted({*changed, *described})
        sources = [source for path in paths if (source := source_in(path, folder)) is not None]
        missing = {path.relative_to(folder).as_posix() for path in removed if not path.exists()}
        known = self._known()
        gone = [each for each in known if each.record_id in missing]
        fresh = _fresh(known, gone, sources)
        empty = bool(missing) and not any(True for _ in under(folder)) if folder.is_dir() else True
        self._check(known, gone, _renames(gone, sources, fresh), empty=empty, closed=False)
        return self._carry_out(sources, gone, fresh, tell, cancelled)

    def _known(self) -> list[KnownFile]:
        if not self._settings.sync:
            return []
        return self._files.known(self._settings.collection, self._root)

    def _check(
        self,
        known: Sequence[KnownFile],
        gone: Sequence[KnownFile],
        renames: Mapping[str, SourceFile],
        *,
        empty: bool,
        closed: bool,
    ) -> None:
        lost = [each for each in gone if each.record_id not in renames]
        if not lost or self._settings.force:
            return
        folder = self._settings.folder
        hint = f"is {folder} mounted and whole? if it is meant so: --force"
        if empty:
            raise UserError(f"{folder} is empty, but {len(known)} files were taken from it", hint=hint)
        if closed:
            raise UserError(
                f"parts of {folder} cannot be opened, so what is gone from it is not known",
                hint="mend the permissions, or --force",
            )
        if len(lost) > MOST_DELETED * len(known):
            raise UserError(f"{len(lost)} of {len(known)} files are gone from {folder}", hint=hint)

    def _carry_out(
        self,
        sources: Sequence[SourceFile],
        gone: Sequence[KnownFile],
        fresh: Mapping[str, str],
        tell: Tell,
        cancelled: Cancelled,
    ) -> FolderReport:
        settings, renames = self._settings, _renames(gone, sources, fresh)
        jobs = self._ingestor.enqueue_sources(
            sources, settings.collection, change=settings.change, priority=settings.priority, tell=tell
        )
        job_of = dict(zip((source.record_id for source in sources), jobs, strict=True))
        ingested = self._ingestor.work(jobs, tell=tell, cancelled=cancelled)
        renamed: list[tuple[str, str]] = []
        deleted: list[str] = []
        kept: list[str] = []
        for each in gone:
            twin = renames.get(each.record_id)
            if twin is not None and not self._is_taken(job_of[twin.record_id]):
                kept.append(f"{each.record_id}: it is now {twin.record_id}, which was not taken")
            elif not self._delete(each.documents):
                kept.append(f"{each.record_id}: you may not delete all of its documents")
            elif twin is not None:
                renamed.append((each.record_id, twin.record_id))
            else:
                deleted.append(each.record_id)
        if settings.sync:
            for record, document in self._files.left_archives(settings.collection, self._root):
                if self._delete([document]):
                    deleted.append(record)
        if renamed or deleted:
            self._ingestor.settle(settings.collection)
        return FolderReport(ingest=ingested, renamed=tuple(renamed), deleted=tuple(deleted), kept=tuple(kept))

    def _is_taken(self, job: int) -> bool:
        found = self._repositories.jobs.get(job)
        return found is not None and found.state in _TAKEN

    def _delete(self, documents: Sequence[DocumentId]) -> bool:
        whole = True
        for document in documents:
            try:
                self._ingestor.forget(document, self._scope)
            except NotFoundError:
                whole = False
        return whole


def _fresh(
    known: Sequence[KnownFile], gone: Sequence[KnownFile], sources: Sequence[SourceFile]
) -> dict[str, str]:
    """Record id → content of files under new names; none is read where nothing is gone."""
    if not gone:
        return {}
    names = {each.record_id for each in known}
    return {
        source.record_id: _sha256(source.path)
        for source in sources
        if source.record_id not in names and not source.trouble
    }


def _renames(
    gone: Sequence[KnownFile], sources: Sequence[SourceFile], fresh: Mapping[str, str]
) -> dict[str, SourceFile]:
    """Record id of a file that is gone → where its content is now, under a name that is new."""
    by_content: dict[str, list[SourceFile]] = {}
    for source in sources:
        if source.record_id in fresh:
            by_content.setdefault(fresh[source.record_id], []).append(source)
    found: dict[str, SourceFile] = {}
    for each in gone:
        if twins := by_content.get(each.blob_sha256):
            found[each.record_id] = twins.pop()
    return found


def _sha256(path: Path) -> str:
    """Of the file's content; empty when it cannot be read (its own job says why)."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
