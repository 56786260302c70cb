"""How ingest reads files: the documents room as a value, so that a test can read without a sandbox."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from appliance.config import Ingest
from appliance.domain import ParsedDocument, PassageDraft
from appliance.ports import Embedder


class ReadRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One record of a JSONL file: parsed, or refused with a reason."""

    number: int
    id: str = ""
    content_sha256: str = ""
    bytes: int = 0
    parsed: ParsedDocument | None = None
    refused: str = ""


class Readers(msgspec.Struct, frozen=True, kw_only=True):
    """The functions that turn content into passages."""

    parse_file: Callable[[Path, str, Callable[[], bool]], ParsedDocument]
    """(verified blob, name of the file, whether to stop) → document.

    Raises RefusedFileError, BackendError (the machine's fault), CancelledError (stopped).
    """
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

    return Readers(
        parse_file=lambda path, name, stopped: documents.parse_file(path, limits, name=name, stopped=stopped),
        is_jsonl=documents.is_jsonl,
        records=records,
        cut=cut,
    )
