"""The tools of a run behind one port: documents, one table, calculation, two versions, search outside.

Beside steps. Arrives: a try with what it may read, earlier findings. Leaves: a finding and what carried it
out: a tool that cannot be used here hands the task to the documents, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from appliance.answers.coverage import not_covered
from appliance.answers.find import Question, proof_text
from appliance.calls import Tally
from appliance.differing import Differ, Difference
from appliance.domain import (
    DocumentId,
    ExternalRetrieval,
    Finding,
    Passage,
    Reading,
    Struct,
    Tool,
    VersionPair,
)
from appliance.evidence.locate import Line
from appliance.looking_up import Lines, LookUp, Tell, counted
from appliance.reasoning.calc import calculate
from appliance.reasoning.shapes import REFERENCE
from appliance.reasoning.state import Try
from appliance.relating import quoted_claim
from appliance.tabling import FromTable, around, asks_table, from_table

OUTSIDE_MAX, QUOTED_MAX = 5, 3
TABLE_MARKS_MIN = 6
"""Fewer bars are no table of two rows."""
External = Callable[[str], ExternalRetrieval]


class Carried(Struct, frozen=True, kw_only=True):
    """What a tool came to."""

    finding: Finding
    tool: Tool
    """Which tool it was in the end."""
    relevance: float | None = None
    """The cross-encoder's log-odds of the best line, where one judged it."""


def known_already(one: Try) -> Carried | None:
    """What an earlier run found out; None where there is something to be done."""
    return Carried(finding=one.recalled, tool=one.task.tool) if one.recalled is not None else None


class Tools:
    """The tools of one run."""

    def __init__(
        self,
        *,
        lines: Lines,
        read: Callable[[str], Reading],
        looker: LookUp,
        tell: Tell,
        differ: Differ | None = None,
        external: External | None = None,
    ) -> None:
        """``differ`` and ``external`` None: there are none here."""
        self._lines, self._read, self._looker = lines, read, looker
        self._tell, self._differ, self._external = tell, differ, external
        self._compared: dict[tuple[int, int, str], Difference | None] = {}

    def compare(self, one: Try, documents: Sequence[DocumentId]) -> Difference | None:
        """The two versions that a task compares, found among the documents; None where there are none."""
        key = (one.attempt, one.task.id, one.asked)
        if one.task.tool is not Tool.DIFF or one.number or one.task.versions is None:
            return None
        if key not in self._compared:
            self._compared[key] = self._two_versions(one, one.task.versions, documents)
        return self._compared[key]

    def _two_versions(
        self, one: Try, wanted: VersionPair, documents: Sequence[DocumentId]
    ) -> Difference | None:
        made: Difference | str = "versions cannot be compared here"
        if self._differ is not None:
            made = self._differ.difference(wanted, one.asked, documents)
        if isinstance(made, str):
            self._changed(one, Tool.DOCUMENTS, made)
            return None
        older, newer = (
            {"title": each.title, "version": each.version, "label": each.label}
            for each in (made.older, made.newer)
        )
        told: dict[str, object] = {"section": wanted.section, "changes": len(made.changes)}
        self._tell("versions.compared", task=one.task.id, older=older, newer=newer, **told)
        return made

    def name_of(self, one: Try, documents: Sequence[DocumentId]) -> str:
        """What other editions of the document are searched by; empty where nothing is to be compared."""
        if self._differ is None or one.task.versions is None or one.task.tool is not Tool.DIFF or one.number:
            return ""
        return self._differ.likely_name(one.task.versions, documents)

    def carry_out(
        self, one: Try, passages: Sequence[Passage], findings: tuple[Finding, ...], tally: Tally
    ) -> Carried:
        """Compute, compare or read, as the task's tool says."""
        if one.task.tool is Tool.CALC:
            return Carried(finding=calculate(one.task, findings), tool=Tool.CALC)
        doubted = [each for each in passages if each.fingerprint in one.excluded]
        passages = [each for each in passages if each.fingerprint not in one.excluded]
        if one.task.tool is Tool.TABLE:
            found = self._over_table(one, passages)
            return Carried(finding=found or _no_table(one), tool=Tool.TABLE)
        if difference := self.compare(one, tuple(dict.fromkeys(each.document_id for each in passages))):
            return self._difference(one, difference, tally)
        if one.task.tool is Tool.EXTERNAL and not one.number:
            self._look_outside(one)
        if one.task.quote and (lines := self._lines(one.asked, passages)):
            return _quoted(one, lines)
        if made := self._over_table(one, passages):
            return Carried(finding=made, tool=Tool.TABLE)
        finding, relevance = self._looker.look_up(one, passages, findings, tally, doubted=doubted)
        return Carried(finding=finding, tool=Tool.DOCUMENTS, relevance=relevance)

    def _difference(self, one: Try, difference: Difference, tally: Tally) -> Carried:
        assert self._differ is not None, "a comparison was made"
        chinese = self._read(one.asked).language == "zh"
        finding = self._differ.finding(
            difference, one.task.id, one.asked, chinese=chinese, dropped=counted(self._tell, tally)
        )
        return Carried(finding=finding, tool=Tool.DIFF)

    def _over_table(self, one: Try, passages: Sequence[Passage]) -> Finding | None:
        """What one of the passages' tables gives by code; None where none does, or two differ."""
        # What an earlier task found stands in the question as asked: words of a document choose no tool.
        if not (asks_table(one.asked) and asks_table(REFERENCE.sub("Alpha", one.task.question))):
            return None
        reading = self._read(one.asked)
        question = Question(task_id=one.task.id, text=one.asked, kind=reading.kind)
        made: list[FromTable] = []
        for passage in passages:
            known = f"{proof_text(passage)}\n{passage.label}"
            if passage.text.count("|") < TABLE_MARKS_MIN or not_covered(question.text, question.years, known):
                continue
            if (found := from_table(one.asked, passage, around(passage, passages))) is not None:
                made.append(found)
        if not made or len({found.text for found in made}) > 1:
            return None
        result = made[0]
        operands = [
            {
                "figure": each.cell.written,
                "row": each.row_label,
                "column": each.column_label,
                "fingerprint": result.passage.fingerprint,
            }
            for each in result.operands
        ]
        told: dict[str, object] = {"expression": result.expression, "result": result.text}
        self._tell("table.computed", task=one.task.id, operands=operands, **told)
        return Finding(
            task_id=one.task.id, question=one.asked, found=True, answer=result.text, claims=(result.claim(),)
        )

    def _look_outside(self, one: Try) -> None:
        """Tell what the sources outside have; it is shown, never proof: the answer is from the documents.

        What strangers write has no fingerprint here that a claim could be checked against later.
        """
        if self._external is None:
            self._changed(one, Tool.DOCUMENTS, "no source outside is configured")
            return
        found = self._external(one.asked)
        hits = [
            {"title": hit.title, "url": hit.url, "source": hit.source} for hit in found.hits[:OUTSIDE_MAX]
        ]
        told: dict[str, object] = {"hits": hits, "degraded": list(found.degraded)}
        self._tell("external.found", task=one.task.id, **told)
        self._changed(one, Tool.DOCUMENTS, "a claim can only cite what is in the collection")

    def _changed(self, one: Try, tool: Tool, reason: str) -> None:
        self._tell(
            "tool.changed", task=one.task.id, planned=one.task.tool.value, tool=tool.value, reason=reason
        )


def _quoted(one: Try, lines: Sequence[Line]) -> Carried:
    """The lines themselves, the most relevant first: word for word, under their documents' titles."""
    order = sorted(lines, key=lambda line: -(line.relevance or 0.0))[:QUOTED_MAX]
    claims = [quoted_claim(line.shown, line.passage, quote=line.raw) for line in order]
    finding = Finding(
        task_id=one.task.id,
        question=one.asked,
        found=True,
        answer=order[0].passage.title or order[0].shown,
        claims=tuple(claims),
    )
    return Carried(finding=finding, tool=Tool.DOCUMENTS, relevance=order[0].relevance)


def _no_table(one: Try) -> Finding:
    missing = f"{one.asked} — no table found gives it by calculation"
    return Finding(task_id=one.task.id, question=one.asked, found=False, missing=missing)
