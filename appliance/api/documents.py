"""``/api/documents`` and ``/api/ingest``: files in, and what is there."""

from __future__ import annotations

from litestar import Controller, delete, get, post
from litestar.params import FromPath, MultipartBody

from appliance.api.desk import TheDesk
from appliance.api.schemas import CollectionQuery, JobRow, Limit, Offset, Page, Queued, UploadForm, job_row
from appliance.api.uploads import on_disk
from appliance.domain import DEFAULT_COLLECTION, DocumentId, DocumentRecord, Priority, VersionRecord


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
        with on_disk(data.files, desk.uploads) as paths:
            jobs = desk.ingest.submit(paths, chosen, Priority[data.priority.upper()])
            return Queued(job_ids=jobs, collection=chosen)

    @get(operation_id="listDocuments", sync_to_thread=True)
    def page(
        self,
        desk: TheDesk,
        collection: CollectionQuery = None,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> Page[DocumentRecord]:
        """A page of the documents, by collection and record id."""
        documents, scope = desk.appliance.repositories.documents, desk.scope(collection)
        if collection:
            desk.appliance.repositories.collections.get(collection)
        items = documents.list(scope, limit=limit, offset=offset)
        return Page(items=items, limit=limit, offset=offset, total=documents.count(scope))

    @get("/{document_id:str}", operation_id="getDocument", sync_to_thread=True)
    def one(self, desk: TheDesk, document_id: FromPath[str]) -> DocumentRecord:
        """One document."""
        return desk.appliance.repositories.documents.get(DocumentId(document_id), desk.scope())

    @get("/{document_id:str}/versions", operation_id="listVersions", sync_to_thread=True)
    def versions(self, desk: TheDesk, document_id: FromPath[str]) -> list[VersionRecord]:
        """All versions of a document, oldest first."""
        return desk.appliance.repositories.documents.versions(DocumentId(document_id), desk.scope())

    @delete("/{document_id:str}", operation_id="deleteDocument", sync_to_thread=True)
    def remove(self, desk: TheDesk, document_id: FromPath[str]) -> None:
        """Forget a document with all its versions."""
        desk.ingest.delete(DocumentId(document_id))


@get("/api/ingest/jobs", operation_id="listIngestJobs", tags=["documents"], sync_to_thread=True)
def ingest_jobs(desk: TheDesk, limit: Limit = 50, offset: Offset = 0) -> Page[JobRow]:
    """A page of the ingest queue, newest first."""
    jobs = desk.appliance.repositories.jobs.list(limit=limit + offset)[offset:]
    return Page(items=[job_row(job) for job in jobs], limit=limit, offset=offset)
