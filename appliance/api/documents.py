"""``/api/documents`` and ``/api/ingest``: files in, and what is there."""

from __future__ import annotations

from litestar import Controller, delete, get, patch, post
from litestar.params import FromPath, JSONBody, MultipartBody

from appliance.api.desk import TheDesk
from appliance.api.schemas import (
    CollectionQuery,
    DueQuery,
    JobRow,
    Limit,
    NewVersion,
    Offset,
    OldVersion,
    Page,
    Queued,
    UploadForm,
    job_row,
    metadata_change,
)
from appliance.api.uploads import on_disk
from appliance.documents.diff import SectionChange
from appliance.domain import (
    DEFAULT_COLLECTION,
    DocumentId,
    DocumentRecord,
    MetadataChange,
    Priority,
    VersionRecord,
)
from appliance.ingest.erasing import ErasureReport
from appliance.store.dossiers import Dossier


class DocumentsController(Controller):
    """Documents and their versions."""

    path = "/api/documents"
    tags = ("documents",)

    @post(operation_id="uploadDocuments", status_code=202, sync_to_thread=True)
    def upload(
        self,
        desk: TheDesk,
        data: MultipartBody[UploadForm],
        collection: CollectionQuery = None,
    ) -> Queued:
        """Take files in; they are safe when this answers and searchable when their job is done.

        The collection is the query's or the form's; the default one where neither names it.
        """
        chosen = collection or data.collection or DEFAULT_COLLECTION
        change = metadata_change(data.metadata)
        with on_disk(data.files, desk.uploads) as paths:
            jobs = desk.ingest.submit(paths, chosen, Priority[data.priority.upper()], change)
            return Queued(job_ids=jobs, collection=chosen)

    @get(operation_id="listDocuments", sync_to_thread=True)
    def page(
        self,
        desk: TheDesk,
        collection: CollectionQuery = None,
        limit: Limit = 50,
        offset: Offset = 0,
        due: DueQuery = None,
    ) -> Page[DocumentRecord]:
        """A page of the documents, by collection and record id; with ``due``, the longest overdue first."""
        documents, scope = desk.appliance.repositories.documents, desk.scope(collection)
        if collection:
            desk.appliance.repositories.collections.get(collection)
        items = documents.list(scope, limit=limit, offset=offset, due=due)
        return Page(items=items, limit=limit, offset=offset, total=documents.count(scope, due=due))

    @get("/{document_id:str}", operation_id="getDocument", sync_to_thread=True)
    def one(self, desk: TheDesk, document_id: FromPath[str]) -> DocumentRecord:
        """One document."""
        return desk.appliance.repositories.documents.get(DocumentId(document_id), desk.scope())

    @get("/{document_id:str}/versions", operation_id="listVersions", sync_to_thread=True)
    def versions(self, desk: TheDesk, document_id: FromPath[str]) -> list[VersionRecord]:
        """All versions of a document, oldest first."""
        return desk.appliance.repositories.documents.versions(DocumentId(document_id), desk.scope())

    @get("/{document_id:str}/report", operation_id="getParseReport", sync_to_thread=True)
    def report(self, desk: TheDesk, document_id: FromPath[str]) -> Dossier:
        """What the document is, what was read of it and what was doubtful, its versions and freshness."""
        scope = desk.scope()
        found = desk.appliance.repositories.documents.get(DocumentId(document_id), scope)
        return desk.appliance.dossier(found, scope)

    @get("/{document_id:str}/diff", operation_id="diffVersions", sync_to_thread=True)
    def diff(
        self,
        desk: TheDesk,
        document_id: FromPath[str],
        old: OldVersion = None,
        new: NewVersion = None,
    ) -> list[SectionChange]:
        """Clauses that came, went or changed between two versions, with the fingerprints of both sides."""
        return desk.appliance.comparer.compare(document_id, desk.scope(), old=old, new=new)

    @patch("/{document_id:str}", operation_id="setMetadata", sync_to_thread=True)
    def describe(
        self, desk: TheDesk, document_id: FromPath[str], data: JSONBody[MetadataChange]
    ) -> DocumentRecord:
        """Set what the document is; fields left out stay, null clears one. Nothing is embedded again.

        The answer is the document as it is now, also to one who may not read it from now on.
        """
        return desk.ingest.describe(DocumentId(document_id), data)

    @post("/{document_id:str}/erase", operation_id="eraseDocument", status_code=200, sync_to_thread=True)
    def erase(self, desk: TheDesk, document_id: FromPath[str]) -> ErasureReport:
        """Remove every trace of the document, and tell what went from where and what remains."""
        return desk.ingest.erase(DocumentId(document_id))

    @delete("/{document_id:str}", operation_id="deleteDocument", sync_to_thread=True)
    def remove(self, desk: TheDesk, document_id: FromPath[str]) -> None:
        """Forget a document with all its versions."""
        desk.ingest.delete(DocumentId(document_id))


@get("/api/ingest/jobs", operation_id="listIngestJobs", tags=["documents"], sync_to_thread=True)
def ingest_jobs(desk: TheDesk, limit: Limit = 50, offset: Offset = 0) -> Page[JobRow]:
    """A page of the ingest queue, newest first."""
    jobs = desk.appliance.repositories.jobs.list(limit=limit + offset)[offset:]
    return Page(items=[job_row(job) for job in jobs], limit=limit, offset=offset)
