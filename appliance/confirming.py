"""Every claim checked against its passages once more, by code that did not write it, before it is shown.

Beside steps. Arrives: a plan's findings and the passages that they cite. Leaves: the findings whose claims
hold; each of the others, looked up once more, with a passage that does carry it, or in its source's own
words, or given up together with what was built on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import msgspec

from appliance.answers.coverage import numbered
from appliance.answers.verify import answer_stands_in, fold
from appliance.domain import Claim, ClaimKind, Finding, Fingerprint, Passage, Plan, Struct, Tool, Verdict
from appliance.ports import Tell

RETRIEVED = 5
"""Passages that a claim without support is looked up in."""
BY_CODE = (Tool.CALC, Tool.DIFF, Tool.TABLE)
"""What these find is made by code out of cells and versions, and computed again where it is judged."""
Look = Callable[[str], Sequence[Passage]]
"""One retrieval, with the asker's permissions."""


class Verify(Protocol):
    """A claim held against passages."""

    def __call__(self, claim: str, passages: Sequence[Passage], *, known: str = "") -> Verdict:
        """``known`` lends names, never figures."""
        ...


class Confirmed(Struct, frozen=True, kw_only=True):
    """Findings that hold, and what could not be confirmed."""

    findings: tuple[Finding, ...]
    unconfirmed: tuple[str, ...] = ()
    """Texts of the claims that were given up."""
    passages: tuple[Passage, ...] = ()
    """Cited now, and not gathered before."""


class Confirmer:
    """Confirms the claims of one run."""

    def __init__(self, verify: Verify, look: Look, tell: Tell) -> None:
        """``look`` is asked once for each claim that its own passages do not carry."""
        self._verify, self._look, self._tell = verify, look, tell

    def confirm(
        self, plan: Plan, findings: Sequence[Finding], passages: Mapping[Fingerprint, Passage]
    ) -> Confirmed:
        """The findings as they can be vouched for; a task built on one that is given up goes with it."""
        computed = {task.id for task in plan.tasks if task.tool in BY_CODE or task.quote}
        needs = {task.id: task.depends_on for task in plan.tasks}
        held: list[Finding] = []
        lost: list[str] = []
        fallen: set[int] = set()
        brought: dict[Fingerprint, Passage] = {}
        for finding in findings:
            if not finding.found or finding.task_id in computed:
                held.append(finding)
                continue
            kept: list[Claim] = []
            for claim in finding.claims:
                confirmed, found = self._confirmed(claim, finding, passages)
                brought |= {one.fingerprint: one for one in found}
                if confirmed is None:
                    lost.append(claim.text)
                else:
                    kept.append(confirmed)
            if kept or not finding.claims:
                held.append(msgspec.structs.replace(finding, claims=tuple(kept)))
            else:
                fallen.add(finding.task_id)
                held.append(_given_up(finding))
        return Confirmed(
            findings=tuple(_without_ground(one, fallen, needs) for one in held),
            unconfirmed=tuple(dict.fromkeys(lost)),
            passages=tuple(brought.values()),
        )

    def _confirmed(
        self, claim: Claim, finding: Finding, passages: Mapping[Fingerprint, Passage]
    ) -> tuple[Claim | None, Sequence[Passage]]:
        """The claim, perhaps repaired, or None; and the passages that it cites instead."""
        cited = [passages[each] for each in claim.citations if each in passages]
        if claim.kind is not ClaimKind.FACT or not cited:
            return claim, ()
        known = f"{finding.question}\n{finding.answer}"
        said = _without_title(claim.text, cited)
        verdict = self._verify(said, cited, known=known)
        if verdict.supported:
            return claim, ()
        elsewhere = list(self._look(claim.text))[:RETRIEVED]
        again = self._verify(said, elsewhere, known=known) if elsewhere else verdict
        carrying = [one for one in elsewhere if again.supported and one.fingerprint == again.fingerprint]
        repaired: Claim | None = None
        if carrying:
            quote = carrying[0].text[again.span.start : again.span.end] if again.span else ""
            repaired = msgspec.structs.replace(
                claim, citations=(carrying[0].fingerprint,), quote=quote, spans=()
            )
        elif (
            claim.quote.strip() not in ("", claim.text)
            and answer_stands_in(finding.answer, claim.quote)
            and not tells_of_another(finding.question, claim.quote, cited)
        ):
            repaired = msgspec.structs.replace(claim, text=claim.quote.strip())
        self._tell(
            "claim.checked",
            text=claim.text,
            faults=[{"kind": one.kind.value, "said": one.said, "holds": one.holds} for one in verdict.faults],
            confidence=verdict.confidence,
            outcome="cited elsewhere" if carrying else "quoted" if repaired else "removed",
        )
        return repaired, carrying


def tells_of_another(question: str, quote: str, cited: Sequence[Passage]) -> bool:
    """Return whether a passage names a code of the question (``TIDE-2``) and the quoted line of it does not.

    A passage on two trials tells of each in sentences of its own: the quoted one is of the other trial.
    """
    for one in cited:
        said = fold(f"{one.title} {one.section_path} {quote}")
        codes = map(fold, numbered(question))
        if any(code not in said and code in fold(one.text) for code in codes):
            return True
    return False


def _without_title(text: str, cited: Sequence[Passage]) -> str:
    """What is said under a document's title: that is put before a line which does not name its subject."""
    titles = (one.title.strip() for one in cited)
    return next(
        (text.removeprefix(f"{one}: ") for one in titles if one and text.startswith(f"{one}: ")), text
    )


def _given_up(finding: Finding) -> Finding:
    missing = f"{finding.question} — what was found could not be confirmed by the passage it cites"
    return Finding(task_id=finding.task_id, question=finding.question, found=False, missing=missing)


def _without_ground(finding: Finding, fallen: set[int], needs: Mapping[int, Sequence[int]]) -> Finding:
    """The finding; given up, too, where it was asked with a result that was."""
    grounds, waiting = set[int](), list(needs.get(finding.task_id, ()))
    while waiting:
        need = waiting.pop()
        if need not in grounds:
            grounds.add(need)
            waiting.extend(needs.get(need, ()))
    if not finding.found or not grounds & fallen:
        return finding
    missing = f"{finding.question} — rests on the result of step {min(grounds & fallen)}, not confirmed"
    return Finding(task_id=finding.task_id, question=finding.question, found=False, missing=missing)
