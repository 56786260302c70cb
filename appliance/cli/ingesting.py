"""``assay ingest`` and ``assay rebuild``: files in, with progress, figures and a list of the refused."""

from __future__ import annotations

import resource
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from appliance.cli import metadata as fields
from appliance.cli.output import print_json, say
from appliance.cli.session import interruptible, session_of

if TYPE_CHECKING:
    from appliance.domain import IngestReport

PARTLY_DONE = 3
CollectionOption = Annotated[str, typer.Option("--collection", "-c", help="Collection.", metavar="NAME")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


class IngestFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What ``ingest --json`` prints."""

    collection: str
    files: int
    documents: int
    passages: int
    skipped: int
    refused: list[dict[str, str]]
    seconds: float
    documents_per_s: float
    embedded_tokens: int
    embedder_tokens_per_s: float
    """While the embedder runs: its own throughput."""
    tokens_per_s: float
    """Over the whole ingest."""
    embedder_share: float
    """Of the wall time, the part spent in the embedder."""
    cached_embeddings: int
    peak_rss_mb: float
    peak_rss_child_mb: float
    """Of the largest process that was started: a parser, or the vector store."""
    pages: int = 0
    waiting: int = 0
    """Jobs that a person has paused."""
    cancelled: int = 0
    stage_seconds: dict[str, float] = {}
    """Work by stage, summed over the workers."""
    renamed: list[tuple[str, str]] = []
    deleted: list[str] = []
    kept: list[str] = []
    """With ``--sync``: what the folder had renamed and lost, and what stays all the same, and why."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(ingest)
    app.command()(rebuild)


class PriorityName(StrEnum):
    """What ``--priority`` takes."""

    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"


def ingest(
    context: typer.Context,
    paths: Annotated[list[Path], typer.Argument(help="Files or folders; *.jsonl holds records.")],
    collection: CollectionOption = "default",
    priority: Annotated[PriorityName, typer.Option(help="Before or after other jobs.")] = PriorityName.NORMAL,
    watch: Annotated[
        bool, typer.Option("--watch", help="Then go on with what changes in the folder.")
    ] = False,
    sync: Annotated[bool, typer.Option("--sync", help="Documents of files gone from the folder go.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="With --sync: even if that is most of them.")
    ] = False,
    json: JsonOption = False,
    owner: fields.Owner = None,
    contact: fields.Contact = None,
    authority: fields.AuthorityLevel = None,
    classification: fields.Confidentiality = None,
    effective_from: fields.EffectiveFrom = None,
    effective_to: fields.EffectiveTo = None,
    review_by: fields.ReviewBy = None,
    published: fields.Published = None,
    group: fields.Groups = None,
    deny: fields.Denies = None,
    register: fields.Registers = None,
    tag: fields.Tags = None,
    document_id: fields.DeclaredId = None,
) -> int:
    """Take files into a collection. Interrupted or killed, the same command goes on.

    What the files are can also stand beside them, in NAME.EXT.meta.toml and in rules of an assay.toml.
    """
    from appliance.cli.progress import IngestDisplay
    from appliance.domain import Priority

    rank = Priority[priority.name]
    change = fields.change_of(
        owner=owner,
        contact=contact,
        authority=authority,
        classification=classification,
        effective_from=effective_from,
        effective_to=effective_to,
        review_by=review_by,
        published=published,
        groups=group,
        deny=deny,
        registers=register,
        tags=tag,
        document_id=document_id,
    )
    if watch or sync:
        from appliance.cli.watching import keep

        return keep(context, paths, collection, rank, change, watch=watch, sync=sync, force=force, json=json)
    with (
        session_of(context).appliance() as appliance,
        interruptible() as cancelled,
        IngestDisplay() as display,
    ):
        report = appliance.ingestor.ingest(
            paths, collection, priority=rank, change=change, tell=display.tell, cancelled=cancelled
        )
    return tell_figures(figures(report, collection), json)


def tell_figures(found: IngestFigures, json: bool) -> int:
    """Print them; the exit code."""
    if json:
        print_json(found)
    else:
        _summary(found)
    return PARTLY_DONE if found.refused or found.kept else 0


def rebuild(
    context: typer.Context,
    collection: Annotated[str | None, typer.Option("--collection", "-c", help="Default: all.")] = None,
    json: JsonOption = False,
) -> int:
    """Make the indexes again from the database."""
    from appliance.cli.progress import IngestDisplay

    held: dict[str, int] = {}
    with session_of(context).appliance() as appliance, interruptible() as cancelled:
        names = [collection] if collection else [c.name for c in appliance.repositories.collections.list()]
        for name in names:
            with IngestDisplay() as display:
                held[name] = appliance.ingestor.rebuild(name, tell=display.tell, cancelled=cancelled)
    if json:
        print_json(held)
    else:
        for name, count in held.items():
            say(f"{name}: both indexes hold {count:,} passages")
    return 0


def figures(report: IngestReport, collection: str) -> IngestFigures:
    """The report with its rates and this process's peak memory."""
    wall, inside = max(report.seconds, 1e-9), max(report.embed_seconds, 1e-9)
    rss = {who: resource.getrusage(who).ru_maxrss / 1024 for who in _PROCESSES}
    return IngestFigures(
        collection=collection,
        files=report.files,
        documents=report.documents,
        passages=report.passages,
        skipped=report.skipped,
        refused=[{"source": source, "reason": reason} for source, reason in report.refused],
        seconds=round(report.seconds, 2),
        documents_per_s=round(report.documents / wall, 1),
        embedded_tokens=report.embedded_tokens,
        embedder_tokens_per_s=round(report.embedded_tokens / inside, 1),
        tokens_per_s=round(report.embedded_tokens / wall, 1),
        embedder_share=round(report.embed_seconds / wall, 3),
        cached_embeddings=report.cached_embeddings,
        peak_rss_mb=round(rss[resource.RUSAGE_SELF], 1),
        peak_rss_child_mb=round(rss[resource.RUSAGE_CHILDREN], 1),
        pages=report.pages,
        waiting=report.waiting,
        cancelled=report.cancelled,
        stage_seconds=report.stage_seconds,
    )


_PROCESSES = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)


def _summary(found: IngestFigures) -> None:
    say(
        f"{found.files:,} files → {found.documents:,} documents, {found.passages:,} passages in"
        f" {found.collection!r}; {found.skipped:,} already there; {found.seconds:.1f} s"
    )
    say(
        f"{found.documents_per_s:.1f} documents/s · {found.tokens_per_s:,.0f} tokens/s (embedder alone"
        f" {found.embedder_tokens_per_s:,.0f}, {found.embedder_share:.0%} of the time) ·"
        f" {found.cached_embeddings:,} embeddings from the cache · peak memory {found.peak_rss_mb:,.0f} MB"
    )
    if found.waiting or found.cancelled:
        say(f"{found.waiting:,} paused · {found.cancelled:,} cancelled (assay jobs list shows them)")
    for before, after in found.renamed:
        say(f"renamed: {before} → {after}")
    for record in found.deleted:
        say(f"deleted: {record}")
    for line in found.kept:
        say(f"kept: {line}")
    if found.refused:
        say(f"refused ({len(found.refused)}):")
        for each in found.refused:
            say(f"  {each['source']}: {each['reason']}")
