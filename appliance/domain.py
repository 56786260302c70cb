"""The nouns: what rooms hand to one another. Values only: no I/O, no vendor, no behaviour beyond naming."""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import NewType

import msgspec

DocumentId = NewType("DocumentId", str)
"""``d-`` + 16 hex digits of sha256(collection, record id): stable over versions and re-ingests."""
PassageId = NewType("PassageId", int)
"""Row number in SQLite and primary key in every index."""
Fingerprint = NewType("Fingerprint", str)
"""``document id#section path#sha256 of the first 200 characters``, fixed at ingest, resolvable for ever."""
RunId = NewType("RunId", str)

EVERYONE = "everyone"
"""The group that every principal is in."""
DEFAULT_COLLECTION = "default"


class Struct(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of every value that crosses a room's border: frozen, keyword-only, strict."""


# ---------------------------------------------------------------- who asks
class Principal(Struct, frozen=True, kw_only=True):
    """The signed-in asker. Before sign-in exists (loopback only) it is the local operator."""

    user: str = "local"
    groups: tuple[str, ...] = (EVERYONE,)


class Scope(Struct, frozen=True, kw_only=True):
    """What one read may see. Built in one place (:func:`scope_of`), applied by every index and store."""

    collection: str | None = None
    groups: tuple[str, ...] = (EVERYONE,)
    documents: tuple[DocumentId, ...] = ()
    """Restrict to these documents; empty means no restriction."""


def scope_of(
    principal: Principal, *, collection: str | None = None, documents: tuple[DocumentId, ...] = ()
) -> Scope:
    """The only place where a principal becomes a filter."""
    groups = tuple(sorted({EVERYONE, *principal.groups}))
    return Scope(collection=collection, groups=groups, documents=documents)


# ---------------------------------------------------------------- documents
class BlockKind(StrEnum):
    """What a block of a section is."""

    PARAGRAPH = "paragraph"
    LIST = "list"
    TABLE = "table"
    CODE = "code"


class Block(Struct, frozen=True, kw_only=True):
    """One paragraph, list or table of a section. A table's text is Markdown rows, header first."""

    text: str
    kind: BlockKind = BlockKind.PARAGRAPH
    page: int | None = None
    """1-based page, where the format has pages."""


class Section(Struct, frozen=True, kw_only=True):
    """A heading and the blocks under it, up to the next heading."""

    title: str
    level: int
    """0 for text before the first heading, 1 for the top heading, and so on."""
    trail: tuple[str, ...]
    """Titles from the top down to this section, this one included."""
    blocks: tuple[Block, ...] = ()


class ParsedDocument(Struct, frozen=True, kw_only=True):
    """What a parser found in one file or record."""

    title: str
    sections: tuple[Section, ...]
    format: str
    language: str
    """``zh``, ``en`` or ``und``."""
    published: str | None = None
    """ISO date (YYYY, YYYY-MM or YYYY-MM-DD) read from the document itself or its metadata."""
    published_from: str = ""
    """Where the date was read: ``metadata``, ``front matter``, ``text`` …"""
    meta: dict[str, str] = {}
    warnings: tuple[str, ...] = ()


class PassageDraft(Struct, frozen=True, kw_only=True):
    """A passage cut from a parsed document, before the store gives it an id and a unique fingerprint."""

    section_path: str
    text: str
    token_count: int
    page_first: int | None = None
    page_last: int | None = None
    kind: BlockKind = BlockKind.PARAGRAPH


class Passage(Struct, frozen=True, kw_only=True):
    """A stored passage with all that a reader or an index needs to know of it."""

    id: PassageId
    fingerprint: Fingerprint
    document_id: DocumentId
    record_id: str
    collection: str
    title: str
    section_path: str
    text: str
    language: str
    token_count: int
    kind: BlockKind = BlockKind.PARAGRAPH
    version: int = 1
    current: bool = True
    """False once a newer version of the document no longer has it: citable, not retrieved."""
    page_first: int | None = None
    page_last: int | None = None
    published: str | None = None
    groups: tuple[str, ...] = (EVERYONE,)

    def indexed_text(self) -> str:
        """Title and section trail in front of the text: what embedders and BM25 see."""
        head = [part for part in (self.title, self.section_path) if part and part not in self.text[:200]]
        return "\n".join([*dict.fromkeys(head), self.text])


class DocumentRecord(Struct, frozen=True, kw_only=True):
    """One document as listed to a person."""

    id: DocumentId
    record_id: str
    collection: str
    title: str
    language: str
    version: int
    passages: int
    format: str
    published: str | None = None
    ingested_at: str = ""
    source: str = ""
    groups: tuple[str, ...] = (EVERYONE,)


class VersionRecord(Struct, frozen=True, kw_only=True):
    """One version of a document."""

    document_id: DocumentId
    version: int
    content_sha256: str
    blob_sha256: str
    format: str
    ingested_at: str
    published: str | None = None
    passages: int = 0


# ---------------------------------------------------------------- ingest
class JobState(StrEnum):
    """The life of one file or record batch in the ingest queue."""

    QUEUED = "queued"
    STORED = "stored"
    """Parsed and committed to SQLite: acknowledged. Its passages may still wait for the indexes."""
    DONE = "done"
    SKIPPED = "skipped"
    """Identical content is already there."""
    REFUSED = "refused"


class IngestJob(Struct, frozen=True, kw_only=True):
    """One file in the durable queue."""

    id: int
    collection: str
    source: str
    record_id: str
    state: JobState
    blob_sha256: str = ""
    documents: int = 0
    passages: int = 0
    records_read: int = 0
    """For JSONL: how many records are committed, so that a restart goes on from there."""
    error: str = ""


class IngestReport(Struct, frozen=True, kw_only=True):
    """What one ingest did, for the CLI and the API."""

    files: int = 0
    documents: int = 0
    passages: int = 0
    skipped: int = 0
    refused: tuple[tuple[str, str], ...] = ()
    """(source, one-line reason) for each file or record that was not taken."""
    seconds: float = 0.0
    embed_seconds: float = 0.0
    embedded_tokens: int = 0
    cached_embeddings: int = 0


# ---------------------------------------------------------------- retrieval
class Strategy(StrEnum):
    """Which routes recall uses."""

    AUTO = "auto"
    DENSE = "dense"
    LEXICAL = "lexical"
    HYBRID = "hybrid"


class Scored(Struct, frozen=True, kw_only=True):
    """One index's answer: a passage id and that index's own score."""

    passage_id: PassageId
    score: float


class Hit(Struct, frozen=True, kw_only=True):
    """One retrieved passage with the score of every stage it went through (None: not through it)."""

    passage: Passage
    fused_score: float
    dense_score: float | None = None
    dense_rank: int | None = None
    lexical_score: float | None = None
    lexical_rank: int | None = None
    rerank_score: float | None = None
    """0–1, the cross-encoder's probability that the passage answers the query."""


class Retrieval(Struct, frozen=True, kw_only=True):
    """Hits, best first, and how they came about."""

    hits: tuple[Hit, ...]
    strategy: Strategy
    degraded: tuple[str, ...] = ()
    """Parts that were not available ("no cross-encoder for zh"): told, never hidden."""
    timings_ms: dict[str, float] = {}


# ---------------------------------------------------------------- models
class Usage(Struct, frozen=True, kw_only=True):
    """What model calls cost."""

    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    """Of the prompt tokens, those whose state was reused from an earlier call."""
    completion_tokens: int = 0

    def plus(self, other: Usage) -> Usage:
        """The sum of two usages."""
        return Usage(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
        )


class Prompt(Struct, frozen=True, kw_only=True):
    """One chat request: a fixed system part (kept as a cached prefix) and the part that varies."""

    system: str
    user: str


class Completion(Struct, frozen=True, kw_only=True):
    """A model's reply."""

    text: str
    usage: Usage
    finish_reason: str = "stop"
    """``stop`` or ``length``."""


# ---------------------------------------------------------------- reasoning and answers
class Tool(StrEnum):
    """What carries a sub-task out."""

    DOCUMENTS = "documents"
    CALC = "calc"


class AnswerKind(StrEnum):
    """What an answer has to look like."""

    NUMBER = "number"
    DATE = "date"
    PERSON = "person"
    YES_NO = "yes-no"
    OTHER = "other"


class Task(Struct, frozen=True, kw_only=True):
    """One sub-task of a plan. ``{1}`` in its question stands for the result of task 1."""

    id: int
    question: str
    tool: Tool = Tool.DOCUMENTS
    depends_on: tuple[int, ...] = ()


class Plan(Struct, frozen=True, kw_only=True):
    """Sub-tasks in an order in which they can be done."""

    tasks: tuple[Task, ...]
    origin: str = "model"
    """``model``, ``simple`` (one task, no model asked) or ``repaired``."""


class ClaimKind(StrEnum):
    """A claim is a fact that a passage states, or an inference from such facts."""

    FACT = "fact"
    INFERENCE = "inference"


class Support(StrEnum):
    """What checking a claim against its passages by code found."""

    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"


class Claim(Struct, frozen=True, kw_only=True):
    """One sentence of the answer with its own citations."""

    text: str
    kind: ClaimKind
    citations: tuple[Fingerprint, ...]
    support: Support = Support.SUPPORTED
    quote: str = ""
    """The sentence of the first cited passage that carries the claim, verbatim."""


class Finding(Struct, frozen=True, kw_only=True):
    """What one sub-task found: a short answer with its proof, or what is missing."""

    task_id: int
    question: str
    """The question as it was asked, results of earlier tasks filled in."""
    found: bool
    answer: str = ""
    """The short result that dependent tasks take over: a name, a number, a phrase."""
    claims: tuple[Claim, ...] = ()
    missing: str = ""


class Contradiction(Struct, frozen=True, kw_only=True):
    """Two passages that disagree on the same thing."""

    about: str
    sides: tuple[Claim, ...]


class RunStatus(StrEnum):
    """How a run stands or ended."""

    RUNNING = "running"
    ANSWERED = "answered"
    PARTIAL = "partial"
    INSUFFICIENT = "insufficient"
    WITHHELD = "withheld"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Answer(Struct, frozen=True, kw_only=True):
    """The end of a run. ``ask --json`` prints it with the run's id, steps, timings and usage."""

    status: RunStatus
    answer: str
    claims: tuple[Claim, ...] = ()
    missing: tuple[str, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    sources_as_of: str | None = None
    """Newest publication date among the cited passages."""


class Event(Struct, frozen=True, kw_only=True):
    """The only output of a run: CLI progress, SSE, trace page, audit and tests read this stream."""

    seq: int
    kind: str
    """``run.started plan.made task.started passages.found finding.made claim.dropped answer.done …``"""
    at: str
    """UTC, ISO 8601."""
    data: dict[str, object] = {}


def document_id(collection: str, record_id: str) -> DocumentId:
    """The id of the document that this collection knows by this record id."""
    digest = hashlib.sha256(f"{collection}\x00{record_id}".encode()).hexdigest()
    return DocumentId(f"d-{digest[:16]}")


def fingerprint(document: DocumentId, section_path: str, text: str) -> Fingerprint:
    """E1: ``document id#section path#sha256(first 200 characters)``."""
    path = section_path.replace("#", " ").strip()
    digest = hashlib.sha256(text[:200].encode()).hexdigest()
    return Fingerprint(f"{document}#{path}#{digest}")
