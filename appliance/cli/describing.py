"""A document's dossier and the account of an erasure, printed for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from appliance.cli.output import say, short_hash

if TYPE_CHECKING:
    from appliance.domain import Passage
    from appliance.ingest.erasing import ErasureReport
    from appliance.store.dossiers import Dossier


def print_document(dossier: Dossier, passages: Sequence[Passage]) -> None:
    """Title, what it is, what was read, versions, passages; lines that say nothing are left out."""
    document = dossier.document
    say(document.title, style="bold")
    say(
        f"{document.id} · {document.record_id} · {document.collection} · version {document.version} ·"
        f" {document.format} · {document.language} · {document.published or 'no date'}",
        style="dim",
    )
    for name, value in (*_metadata(dossier), *_freshness(dossier), *_report(dossier)):
        if value:
            say(f"{name + ':':<16}{value}")
    for warning in dossier.report.warnings:
        say(f"{'doubt:':<16}{warning}", style="yellow")
    if len(dossier.versions) > 1:
        said = (f"{v.version} ({v.edition or v.published or v.ingested_at[:10]})" for v in dossier.versions)
        say(f"{'versions:':<16}{', '.join(said)}")
    for each in passages:
        page = f" p. {each.page_first}" if each.page_first is not None else ""
        say(f"{short_hash(each.fingerprint)}{page}  {each.section_path}  ({each.token_count} tokens)")


def print_erasure(report: ErasureReport) -> None:
    """What went from where, then what remains and why."""
    say(f"erased {report.document_id}", style="bold")
    for part in report.removed:
        say(f"  {part.where}: {part.count:,} {part.what}")
    for rest in report.remains:
        say(f"  remains: {rest.what} — {rest.why}", style="yellow")


def _metadata(dossier: Dossier) -> Iterator[tuple[str, str]]:
    document = dossier.document
    metadata = document.metadata
    yield "declared id", document.declared_id
    yield "owner", metadata.owner
    yield "contact", metadata.contact
    yield "authority", metadata.authority or ""
    yield "classification", metadata.classification or ""
    yield "groups", ", ".join(document.groups)
    yield "denied", ", ".join(document.denied)
    yield "registers", ", ".join(f"{name} {number}" for name, number in metadata.registers.items())
    yield "tags", ", ".join(metadata.tags)


def _freshness(dossier: Dossier) -> Iterator[tuple[str, str]]:
    fresh = dossier.freshness
    if fresh.state != "undated":
        yield "in force", f"{fresh.effective_from or '…'} to {fresh.effective_to or '…'} ({fresh.state})"
    if fresh.review_by:
        yield "review by", fresh.review_by + (" (overdue)" if fresh.review_overdue else "")


def _report(dossier: Dossier) -> Iterator[tuple[str, str]]:
    report = dossier.report
    yield "title from", report.title_from
    yield "authors", _read(", ".join(report.authors), report.authors_from)
    yield "edition", _read(report.edition, report.edition_from)
    yield "date", _read(report.published_read or "", report.published_from)
    yield "pages", str(report.pages or "")
    yield "sections", ", ".join(f"{count} {name}" for name, count in report.sections.items())
    without = f", {report.tables_without_header} without a header" if report.tables_without_header else ""
    yield "tables", f"{report.tables}{without}" if report.tables else ""


def _read(value: str, origin: str) -> str:
    return f"{value} (from {origin})" if value and origin else value
