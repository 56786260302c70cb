"""The order of the ingest queue, as a number that is fixed when a job is queued.

Every job has a virtual deadline and the earliest goes first: each size class adds a minute to it, each
priority takes an hour off. What has waited longer than that is overtaken by nothing new.
"""

from __future__ import annotations

SMALL_BYTES = 256 << 10
"""A file below this is of class 0; each further class holds files four times as large."""
CLASS_S = 60.0
PRIORITY_S = 3_600.0
_PLAIN = (".txt", ".md", ".markdown", ".csv", ".tsv", ".jsonl", ".ndjson")
_PLAIN_WEIGHT = 8
"""Bytes of plain text hold about this many times the words of other formats."""
RECORDS_LANE = "*records*"
"""All files of records share a lane: which document a record is, is not known before it is read."""


def size_class(name: str, size_bytes: int) -> int:
    """0 for a file that is read in a moment, 1 more for each factor of four above ``SMALL_BYTES``."""
    weight = _PLAIN_WEIGHT if name.lower().endswith(_PLAIN) else 1
    return ((size_bytes * weight // SMALL_BYTES).bit_length() + 1) // 2


def due(now_s: float, job_class: int, priority: int) -> float:
    """The virtual deadline, in seconds since the epoch."""
    return now_s + CLASS_S * job_class - PRIORITY_S * priority
