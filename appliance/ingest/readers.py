"""How ingest reads files: the documents room as a value, so that a test can read without a sandbox."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from appliance.config import Ingest
from appliance.domain import ParsedDocument, PassageDraft
from appliance.ports import Embedder

Stopped = Callable[[], bool]


class ReadRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One record of a JSONL file: parsed, or refused with a reason."""

    number: int
    id: str = ""
    content_sha256: str = ""
    bytes: int = 0
    parsed: ParsedDocument | None = None
    refused: str = ""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What is in a file: a document, other files, or both."""

    document: ParsedDocument | None
    has_members: bool = False


class LeftMember(msgspec.Struct, frozen=True, kw_only=True):
    """A member of an archive that was not taken; without a name, the rest of the archive."""

    name: str
    reason: str


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """What one archive, with those inside it, has brought already."""

    members: int = 0
    bytes: int = 0


class Readers(msgspec.Struct, frozen=True, kw_only=True):
    """The functions that turn content into passages."""

    read_file: Callable[[Path, str, Stopped], Found]
    """(verified blob, name of the file, whether to stop) → its document, and whether it has members.

    Raises RefusedFileError, BackendError (the machine's fault), CancelledError (stopped).
    """
    members: Callable[[Path, str, Spent, Stopped], Iterator[tuple[str, bytes] | LeftMember]]
    """(verified blob, name, what its archive has used up, whether to stop) → its members, streamed.

    Raises as ``read_file`` does.
    """
    max_depth: int
    """How many archives deep members are taken out."""
    is_jsonl: Callable[[str], bool]
    records: Callable[[Path, str, int], Iterator[ReadRecord]]
    """(verified blob, name, how many records to pass over) → records, streamed."""
    cut: Callable[[ParsedDocument], list[PassageDraft]]


def document_readers(embedder: Embedder, limits: Ingest) -> Readers:
    """The real ones, with passages measured by the embedder's own tokenizer."""
    from appliance import documents

    def records(path: Path, name: str, skip: int) -> Iterator[ReadRecord]:
        for record in documents.iter_jsonl_records(path, name=name, skip=skip):
            if isinstance(record, documents.RefusedRecord):
                yield ReadRecord(number=record.number, id=record.id, refused=record.reason)
                continue
            content = msgspec.json.encode(
                [record.title, record.text, record.published, record.meta], order="sorted"
            )
            yield ReadRecord(
                number=record.number,
                id=record.id,
                content_sha256=hashlib.sha256(content).hexdigest(),
                bytes=len(content),
                parsed=documents.parse_record(record),
            )

    def cut(document: ParsedDocument) -> list[PassageDraft]:
        return documents.cut_passages(
            document,
            embedder.count_tokens,
            min_tokens=limits.passage_tokens_min,
            max_tokens=limits.passage_tokens_max,
        )

    def read_file(path: Path, name: str, stopped: Stopped) -> Found:
        found = documents.read_file(path, limits, name=name, stopped=stopped)
        return Found(document=found.document, has_members=found.has_members)

    def members(
        path: Path, name: str, spent: Spent, stopped: Stopped
    ) -> Iterator[tuple[str, bytes] | LeftMember]:
        for found in documents.unpack_file(
            path, limits, name=name, spent_members=spent.members, spent_bytes=spent.bytes, stopped=stopped
        ):
            if isinstance(found, documents.Left):
                yield LeftMember(name=found.name, reason=found.reason)
            else:
                yield found

    return Readers(
        read_file=read_file,
        members=members,
        max_depth=limits.max_archive_depth,
        is_jsonl=documents.is_jsonl,
        records=records,
        cut=cut,
    )
