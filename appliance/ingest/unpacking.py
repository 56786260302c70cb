"""Archives in the queue: their members into the blob folder, then into the queue as jobs of their own.

Taking them out may take long and repeats harmlessly; they are queued in the transaction that finishes the
archive's job.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from appliance.domain import IngestJob
from appliance.domain.documents import MEMBER_SEPARATOR
from appliance.errors import RefusedFileError
from appliance.ingest.readers import Found, LeftMember, Readers, Spent, Stopped
from appliance.ingest.repositories import Repositories
from appliance.store.job_order import RECORDS_LANE
from appliance.store.jobs import NewMember


class Inside(msgspec.Struct, frozen=True, kw_only=True):
    """What came out of one archive."""

    members: tuple[NewMember, ...] = ()
    left: tuple[tuple[str, str], ...] = ()
    """(member, why it was not taken)."""


class Unpacking:
    """Takes archives and e-mails apart."""

    def __init__(self, repositories: Repositories, readers: Readers) -> None:
        self._repositories = repositories
        self._readers = readers

    def inside(self, job: IngestJob, path: Path, found: Found, stopped: Stopped) -> Inside:
        """The members of a file, their contents on disk in the blob folder.

        What breaks half-way keeps what came before it. Raises RefusedFileError for an archive out of which
        nothing comes; a document that also has members is never refused for them.
        """
        members: list[NewMember] = []
        left: list[LeftMember] = []
        try:
            for member in self._members(job, path, stopped):
                if isinstance(member, LeftMember):
                    left.append(member)
                    continue
                name, content = member
                blob = self._repositories.blobs.put_bytes(content)
                members.append(
                    NewMember(
                        source=f"{job.source}{MEMBER_SEPARATOR}{name}",
                        record_id=f"{job.record_id}{MEMBER_SEPARATOR}{name}",
                        blob_sha256=blob.sha256,
                        bytes=len(content),
                        lane=RECORDS_LANE if self._readers.is_jsonl(name) else "",
                    )
                )
        except RefusedFileError as error:
            if found.document is None and not members:
                raise
            left.append(LeftMember(name="", reason=str(error)))
        if found.document is None and not members:
            raise _nothing_in(job, left)
        return Inside(members=tuple(members), left=tuple(_told(job, member) for member in left))

    def _members(
        self, job: IngestJob, path: Path, stopped: Stopped
    ) -> Iterator[tuple[str, bytes] | LeftMember]:
        depth = self._repositories.jobs.depth(job.id)
        if depth >= self._readers.max_depth:
            raise RefusedFileError(
                f"{job.source} lies {depth} archives deep",
                hint="unpack it, or raise ingest.max_archive_depth",
            )
        spent = self._spent(job) if depth else Spent()
        return self._readers.members(path, job.source, spent, stopped)

    def _spent(self, job: IngestJob) -> Spent:
        """What the outermost archive around this one has brought so far."""
        blobs = self._repositories.jobs.tree_blobs(job.id)
        return Spent(members=len(blobs), bytes=sum(map(self._repositories.blobs.size, blobs)))


def _told(job: IngestJob, member: LeftMember) -> tuple[str, str]:
    item = f"{job.source}{MEMBER_SEPARATOR}{member.name}" if member.name else f"{job.source} (rest)"
    return item, f"{member.name} {member.reason}".strip()


def _nothing_in(job: IngestJob, left: list[LeftMember]) -> RefusedFileError:
    if not left:
        return RefusedFileError(f"{job.source} has no files in it", hint="check that it is the right file")
    first = f"{left[0].name} {left[0].reason}".strip()
    more = f" (and {len(left) - 1} more)" if len(left) > 1 else ""
    return RefusedFileError(f"nothing in {job.source} could be taken: {first}{more}", hint="unpack it first")
