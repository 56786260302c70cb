"""Question files and relevance judgements.

Arrives: ``q.jsonl`` (one question a line) and ``qrels.tsv`` (query, record, relevance, with a header).
Leaves: typed values; a line that cannot be read is named by its number.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from appliance.documents import detect_language
from appliance.errors import UserError


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """One question; fields that an evaluation does not need are ignored."""

    id: str
    question: str
    answer: str | None = None
    """None: the collection does not hold it."""
    type: str = ""
    language: str = ""
    style: str = ""
    """How it is asked (colloquial, negation …): a group of the report."""
    domain: str = ""
    """A group of the report; search is told of it only where the caller wants so."""
    as_of: str = ""
    """The day (ISO) that relative dates count from; empty: today."""
    answer_aliases: tuple[str, ...] = ()
    answer_parts: tuple[str | tuple[str, ...], ...] = ()
    """All of these must be stated (lists); an entry may give several ways to write it."""
    both: tuple[str, ...] = ()
    """Both must be stated (contradictions)."""

    def all_of(self) -> tuple[str | tuple[str, ...], ...]:
        """What a right answer must state in full, beyond one string."""
        return self.both or self.answer_parts


def load_queries(file: Path) -> list[Query]:
    """The questions, their language detected where it is not given. Raises UserError."""
    queries: list[Query] = []
    for number, line in enumerate(_lines(file), start=1):
        if not line.strip():
            continue
        try:
            query = msgspec.json.decode(line, type=Query)
        except msgspec.MsgspecError as error:
            raise UserError(f"{file} line {number}: {error}", hint="id and question are needed") from error
        language = query.language or detect_language(query.question)
        queries.append(msgspec.structs.replace(query, language=language, type=query.type or "untyped"))
    if not queries:
        raise UserError(f"{file} holds no questions", hint='a line is {"id": …, "question": …, "answer": …}')
    return queries


def load_qrels(file: Path) -> dict[str, dict[str, float]]:
    """Query id → record id → grade, grades above 0 only. Raises UserError."""
    judged: dict[str, dict[str, float]] = {}
    for number, line in enumerate(_lines(file), start=1):
        cells = line.rstrip("\r\n").split("\t")
        if number == 1 or not line.strip():
            continue
        try:
            query, record, grade = cells[0], cells[1], float(cells[2])
        except (IndexError, ValueError) as error:
            hint = "a line is: query id, tab, record id, tab, relevance; the first line is a header"
            raise UserError(f"{file} line {number} cannot be read", hint=hint) from error
        if grade > 0:
            judged.setdefault(query, {})[record] = grade
    return judged


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UserError(f"{file} cannot be read: {reason}", hint="check the path") from error


Progress = Callable[[int, int], None]
"""Told how many of how many questions are done."""
