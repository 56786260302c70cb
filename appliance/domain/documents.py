"""Documents: as parsed, as stored, as listed, and on their way in."""

from __future__ import annotations

from enum import IntEnum, StrEnum

import msgspec

from appliance.domain.identity import (
    EVERYONE,
    DocumentId,
    Fingerprint,
    PassageId,
    Struct,
    access_marks,
)
from appliance.domain.metadata import Authority, Metadata

MEMBER_SEPARATOR = "!/"
"""``outer.zip!/inner/path.docx``: the source and record id of a file out of an archive."""


class BlockKind(StrEnum):
    """What a block of a section is."""

    PARAGRAPH = "paragraph"
    LIST = "list"
    TABLE = "table"
    CODE = "code"
    FIGURE = "figure"
    """A picture or chart: its caption, and what text or figures could be read from it."""
    NOTE = "note"
    """A footnote, endnote or speaker's note."""


class SectionType(StrEnum):
    """What a section is for: the small vocabulary that filters and routing speak."""

    BODY = "body"
    ABSTRACT = "abstract"
    SPECIFICATION = "specification"
    RISK = "risk"
    FINANCIAL_STATEMENT = "financial-statement"
    POLICY_CLAUSE = "policy-clause"
    PROCEDURE = "procedure"
    CHANGE_LOG = "change-log"
    DEFINITION = "definition"
    CONTACT = "contact"
    REFERENCE = "reference"
    APPENDIX = "appendix"


Box = tuple[float, float, float, float]
"""Left, top, right, bottom as shares (0–1) of the page's width and height, from its top left corner."""


class Table(Struct, frozen=True, kw_only=True):
    """A table as a table. Its block's text is the same rows in Markdown, header first."""

    rows: tuple[tuple[str, ...], ...]
    """Header rows first; a cell merged over several columns or rows is repeated in each."""
    header_rows: int = 1
    """0 where the table has none: the parse report says so."""
    header_columns: int = 0
    caption: str = ""
    unit: str = ""
    """``RMB million``, ``%`` …, where caption, corner or header gives one for the whole table."""
    notes: tuple[str, ...] = ()
    """Footnotes below it."""


class Block(Struct, frozen=True, kw_only=True):
    """One paragraph, list or table of a section. A table's text is Markdown rows, header first."""

    text: str
    kind: BlockKind = BlockKind.PARAGRAPH
    page: int | None = None
    """1-based page, where the format has pages."""
    page_last: int | None = None
    """Where the block ends, when that is a later page."""
    box: Box | None = None
    """Where it stands on ``page``, where that is known."""
    table: Table | None = None
    """The cells, for kind ``table``."""


class Section(Struct, frozen=True, kw_only=True):
    """A heading and the blocks under it, up to the next heading."""

    title: str
    level: int
    """0 for text before the first heading, 1 for the top heading, and so on."""
    trail: tuple[str, ...]
    """Titles from the top down to this section, this one included."""
    blocks: tuple[Block, ...] = ()
    type: SectionType = SectionType.BODY


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
    """What was doubtful, one line each, with its place: ``page 12: OCR confidence 0.61``."""
    title_from: str = ""
    """Where the title was read: ``metadata``, ``front matter``, ``heading``, ``file name`` …"""
    authors: tuple[str, ...] = ()
    authors_from: str = ""
    edition: str = ""
    """The document's own version label: ``V2.1``, ``Rev. C``, 第3版."""
    edition_from: str = ""
    pages: int | None = None
    """How many pages, slides or sheets the file has, where its format has any."""
    label: str = ""
    """Publisher, company or period out of a record's metadata: searched with the title."""


class PassageDraft(Struct, frozen=True, kw_only=True):
    """A passage cut from a parsed document, before the store gives it an id and a unique fingerprint."""

    section_path: str
    text: str
    token_count: int
    page_first: int | None = None
    page_last: int | None = None
    kind: BlockKind = BlockKind.PARAGRAPH
    section_type: SectionType = SectionType.BODY


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
    section_type: SectionType = SectionType.BODY
    version: int = 1
    current: bool = True
    """False once a newer version of the document no longer has it: citable, not retrieved."""
    page_first: int | None = None
    page_last: int | None = None
    published: str | None = None
    effective_from: str | None = None
    effective_to: str | None = None
    authority: Authority | None = None
    label: str = ""
    """Publisher, company or period, where a record's metadata name them."""
    groups: tuple[str, ...] = (EVERYONE,)
    denied: tuple[str, ...] = ()
    """Groups and ``user:NAME`` that may not read it, whatever else they are in."""

    def access_marks(self) -> tuple[str, ...]:
        """Groups and denies as indexes hold them."""
        return access_marks(self.groups, self.denied)

    def indexed_text(self) -> str:
        """Label, title and section trail in front of the text: what embedders and BM25 see."""
        return indexed_text(self.title, self.section_path, self.text, self.label)


def indexed_text(title: str, section_path: str, text: str, label: str = "") -> str:
    """What embedders and BM25 see of a passage: each part of its head that the text does not begin with."""
    head = [part for part in (label, title, section_path) if part and part not in text[:200]]
    return "\n".join([*dict.fromkeys(head), text])


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
    denied: tuple[str, ...] = ()
    declared_id: str = ""
    """The id that the document carries itself, where one was declared."""
    effective_from: str | None = None
    effective_to: str | None = None
    metadata: Metadata = msgspec.field(default_factory=Metadata)


class Freshness(Struct, frozen=True, kw_only=True):
    """How far a document can be trusted to hold today."""

    published: str | None
    effective_from: str | None
    effective_to: str | None
    review_by: str | None
    state: str
    """``in force``, ``not yet in force``, ``no longer in force``, or ``undated`` where no day is known."""
    review_overdue: bool


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
    title: str = ""
    source_record: str = ""
    """The record id of the file that brought it."""
    effective_from: str | None = None
    effective_to: str | None = None
    edition: str = ""


class VersionReport(Struct, frozen=True, kw_only=True):
    """What was read of one version, where, and what was doubtful."""

    title: str
    title_from: str = ""
    authors: tuple[str, ...] = ()
    authors_from: str = ""
    edition: str = ""
    edition_from: str = ""
    published_read: str | None = None
    """The date that the file gives, whatever was set instead of it."""
    published_from: str = ""
    pages: int | None = None
    warnings: tuple[str, ...] = ()
    sections: dict[str, int] = {}
    """How many sections of each type."""
    tables: int = 0
    tables_without_header: int = 0


def freshness(document: DocumentRecord, today: str) -> Freshness:
    """The document as of ``today`` (ISO date)."""
    start, end = document.effective_from, document.effective_to
    review_by = document.metadata.review_by
    if start and today < start:
        state = "not yet in force"
    elif end and end < today:
        state = "no longer in force"
    else:
        state = "in force" if start or end else "undated"
    return Freshness(
        published=document.published,
        effective_from=start,
        effective_to=end,
        review_by=review_by,
        state=state,
        review_overdue=review_by is not None and review_by <= today,
    )


class JobState(StrEnum):
    """The life of one file or record batch in the ingest queue."""

    QUEUED = "queued"
    PAUSED = "paused"
    """Held back by a person."""
    STORED = "stored"
    """Parsed and committed to SQLite: acknowledged. Its passages may still wait for the indexes."""
    DONE = "done"
    SKIPPED = "skipped"
    """Identical content is already there."""
    REFUSED = "refused"
    """The file itself cannot be taken; trying again changes nothing until it is mended."""
    FAILED = "failed"
    """The machine failed it, several times over: ``retry`` when that is put right."""
    CANCELLED = "cancelled"


class Priority(IntEnum):
    """Which jobs go first. One step weighs as much as an hour of waiting, so that none waits for ever."""

    LOW = -1
    NORMAL = 0
    HIGH = 1


class ParseReport(Struct, frozen=True, kw_only=True):
    """What was made of one file, and how long it took."""

    format: str = ""
    title: str = ""
    title_from: str = ""
    language: str = ""
    pages: int | None = None
    sections: int = 0
    tables: int = 0
    section_types: dict[str, int] = {}
    """How many sections are of each type, ``body`` left out."""
    doubts: tuple[str, ...] = ()
    """What was doubtful, one line each, with its place."""
    seconds: dict[str, float] = {}
    """By stage: ``parse`` (with cutting), ``store``; ``embed`` and ``index`` are shares of whole windows."""


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
    priority: Priority = Priority.NORMAL
    bytes: int = 0
    attempts: int = 0
    """How many times the machine failed it so far."""
    enqueued_at: str = ""
    started_at: str = ""
    """While it is being read; empty before, and again after a failure."""
    finished_at: str = ""


class IngestReport(Struct, frozen=True, kw_only=True):
    """What one ingest did, for the CLI and the API."""

    files: int = 0
    documents: int = 0
    passages: int = 0
    skipped: int = 0
    refused: tuple[tuple[str, str], ...] = ()
    """(source, one-line reason) for each file or record that was not taken."""
    waiting: int = 0
    """Jobs that are still in the queue: paused by a person."""
    cancelled: int = 0
    seconds: float = 0.0
    embed_seconds: float = 0.0
    embedded_tokens: int = 0
    cached_embeddings: int = 0
    stage_seconds: dict[str, float] = {}
    """Work per stage, summed over workers: ``parse``, ``store``, ``embed``, ``index``."""
    pages: int = 0
