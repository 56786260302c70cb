"""Small stand-ins for tests of the store and of ingest: readers without a sandbox, indexes in memory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from appliance.domain import ParsedDocument, Passage, PassageDraft, PassageId, Scope, Scored
from appliance.errors import DamagedError, RefusedFileError
from appliance.ingest import Readers, ReadRecord
from appliance.ingest.readers import Found, LeftMember, Spent
from appliance.ports import Vectors
from appliance.store.checksums import ids_checksum
from appliance.store.versioning import NewDocument

ALL = Scope()


def draft(text: str, path: str = "Risks", **fields: object) -> PassageDraft:
    return PassageDraft(section_path=path, text=text, token_count=len(text.split()), **fields)


def parsed(title: str = "Annual report", **fields: object) -> ParsedDocument:
    return ParsedDocument(
        **{"title": title, "sections": (), "format": "txt", "language": "en", **fields}  # type: ignore[arg-type]
    )


def new_document(
    *texts: str | PassageDraft, record: str = "a.txt", collection: str = "c", **fields: object
) -> NewDocument:
    drafts = tuple(text if isinstance(text, PassageDraft) else draft(text) for text in texts)
    sha = hashlib.sha256(repr((drafts, sorted(fields))).encode()).hexdigest()
    defaults = {
        "collection": collection,
        "record_id": record,
        "source": record,
        "parsed": parsed(),
        "drafts": drafts,
        "content_sha256": sha,
        "blob_sha256": sha,
        "bytes": 10,
    }
    return NewDocument(**{**defaults, **fields})  # type: ignore[arg-type]


def plain_members(
    path: Path, name: str, spent: Spent, stopped: object
) -> Iterator[tuple[str, bytes] | LeftMember]:
    """Members of a ``.zip`` are its lines ``name=content``; ``name!`` alone is one that is left."""
    for line in path.read_text("utf-8").split("\n"):
        inner, taken, content = line.partition("=")
        yield (
            (inner, content.replace("\\n", "\n").encode())
            if taken
            else LeftMember(name=inner, reason=f"is left after {spent.members}")
        )


def plain_readers() -> Readers:
    """Text files: one passage per blank-line block; the word DAMAGED refuses a file, CRASH breaks us."""

    def read_file(path: Path, name: str, stopped: object) -> Found:
        if name.endswith(".zip"):
            return Found(document=None, has_members=True)
        text = path.read_text("utf-8")
        if "DAMAGED" in text:
            raise RefusedFileError(f"{name} is damaged", hint="repair it")
        if "CRASH" in text:
            raise ZeroDivisionError("crash")
        return Found(document=parsed(Path(name).name, meta={"text": text}), has_members=name.endswith(".eml"))

    def records(path: Path, name: str, skip: int) -> Iterator[ReadRecord]:
        with path.open("r", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if number <= skip:
                    continue
                try:
                    record = json.loads(line)
                except ValueError:
                    yield ReadRecord(number=number, refused=f"{name} line {number} is not JSON")
                    continue
                yield ReadRecord(
                    number=number,
                    id=record["id"],
                    content_sha256=hashlib.sha256(line.encode()).hexdigest(),
                    bytes=len(line),
                    parsed=parsed(record["title"], meta={"text": record["text"]}),
                )

    def cut(document: ParsedDocument) -> list[PassageDraft]:
        return [draft(block, "") for block in document.meta["text"].split("\n\n") if block.strip()]

    return Readers(
        read_file=read_file,
        members=plain_members,
        max_depth=2,
        is_jsonl=lambda name: name.endswith(".jsonl"),
        records=records,
        cut=cut,
    )


class MemoryIndex:
    """A dense and a lexical index in one, that remembers how often it was written."""

    def __init__(self) -> None:
        self.rows: dict[PassageId, str] = {}
        self.upserts = 0
        self.settles = 0
        self.damaged = False
        self.generation = 0

    def upsert(self, passages: Sequence[Passage], vectors: Vectors | None = None) -> None:
        assert vectors is None or len(vectors) == len(passages)
        self.upserts += len(passages)
        self.rows.update({passage.id: passage.indexed_text() for passage in passages})

    def delete(self, ids: Iterable[PassageId]) -> None:
        for number in ids:
            self.rows.pop(number, None)

    def search(self, queries: object, k: int, scope: Scope) -> list[list[Scored]]:
        raise NotImplementedError

    def count(self) -> int:
        return len(self.rows)

    def ids_checksum(self) -> str:
        return ids_checksum(self.rows)

    def merge(self) -> None:
        self.settles += 1

    def settle(self) -> None:
        self.settles += 1


class MemoryIndexes:
    """Implements ``ingest.Indexes``; ``lives`` counts how many writes are left before a simulated kill."""

    def __init__(self) -> None:
        self.denses: dict[str, MemoryIndex] = {}
        self.lexicals: dict[str, MemoryIndex] = {}

    def dense(self, collection: str) -> MemoryIndex:
        index = self.denses.setdefault(collection, MemoryIndex())
        if index.damaged:
            raise DamagedError("a checksum does not match")
        return index

    def lexical(self, collection: str) -> MemoryIndex:
        return self.lexicals.setdefault(collection, MemoryIndex())

    def reset(self, collection: str) -> None:
        self.denses[collection], self.lexicals[collection] = MemoryIndex(), MemoryIndex()


class CountingEmbedder:
    """A vector from the text's hash; counts what it was asked."""

    name, digest, dim = "counting", "0" * 64, 8

    def __init__(self) -> None:
        self.embedded: list[str] = []
        self.fail_after: int | None = None

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if self.fail_after is not None and len(self.embedded) >= self.fail_after:
            raise KeyboardInterrupt
        self.embedded += texts
        rows = [np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype=np.uint8)[:8] for text in texts]
        vectors = np.array(rows, dtype=np.float32).reshape(-1, self.dim)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    embed_queries = embed_passages

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]
