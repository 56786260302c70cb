"""From findings to the answer: the proven facts, and a sentence that joins those which stand side by side.

Arrives: the plan's findings. Leaves: an :class:`Answer`. A chain of look-ups ends in one fact, which is the
answer: no model is asked. A joining sentence with a number or a name that
no finding holds is not shown; the facts stand without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Protocol

import msgspec

from appliance.answers.find import Dropped
from appliance.answers.plain import shown
from appliance.answers.verify import unsupported
from appliance.domain import (
    Answer,
    Claim,
    ClaimKind,
    Finding,
    Fingerprint,
    Plan,
    Prompt,
    RunStatus,
    Struct,
    citations_of,
)
from appliance.ports import LanguageModel, Meter

CONCLUDE_TOKENS = 160


class Conclusion(Protocol):
    """What code makes of several findings."""

    @property
    def short(self) -> str:
        """The bare result."""
        ...

    @property
    def sentence(self) -> str:
        """It with its reasons."""
        ...

    @property
    def of(self) -> tuple[int, ...]:
        """The tasks that carry it."""
        ...


class ConclusionReply(Struct, frozen=True, kw_only=True):
    """The schema of the concluding reply."""

    facts: Annotated[list[int], msgspec.Meta(max_length=6)]
    answer: Annotated[str, msgspec.Meta(max_length=120)]
    statement: Annotated[str, msgspec.Meta(max_length=400)]


def conclude(
    question: str,
    plan: Plan,
    findings: Sequence[Finding],
    *,
    earlier: Sequence[Finding],
    model: LanguageModel,
    meter: Meter,
    instructions: str,
    dropped: Dropped,
    published: Mapping[Fingerprint, str],
    combined: Conclusion | None = None,
) -> Answer:
    """Return the answer; ``published`` gives the date of each cited passage, for "as of".

    ``combined``: what code concluded from the findings; then no model is asked.
    """
    claims = _unique([claim for finding in (*findings, *earlier) for claim in finding.claims])
    missing = tuple(finding.missing for finding in findings if not finding.found)
    goals = plan.goals()
    reached = [finding for finding in findings if finding.found and finding.task_id in goals]
    status = _status(len(reached), len(goals))
    text = " ".join(claim.text for finding in reached for claim in finding.claims)
    short = "; ".join(dict.fromkeys(finding.answer for finding in reached))
    if combined is not None:
        status, text, short = RunStatus.ANSWERED, combined.sentence, combined.short
        claims = [_inferred(combined, findings), *claims]
    elif len(goals) > 1 and status is RunStatus.ANSWERED:
        joined, bare = _join(question, findings, claims, model, meter, instructions, dropped)
        if joined is not None:
            text, short = joined.text, bare or short
            claims = claims if any(claim.text == text for claim in claims) else [joined, *claims]
    return Answer(
        status=status,
        answer=text,
        short=short,
        claims=tuple(claims),
        missing=missing,
        sources_as_of=_as_of(claims, published),
    )


def _inferred(combined: Conclusion, findings: Sequence[Finding]) -> Claim:
    carrying = [finding for finding in findings if finding.task_id in combined.of]
    citations = citations_of(claim for finding in carrying for claim in finding.claims)
    return Claim(text=combined.sentence, kind=ClaimKind.INFERENCE, citations=citations)


def _join(
    question: str,
    findings: Sequence[Finding],
    claims: Sequence[Claim],
    model: LanguageModel,
    meter: Meter,
    instructions: str,
    dropped: Dropped,
) -> tuple[Claim | None, str]:
    """The joining sentence and its bare answer; nothing where it says more than the facts hold."""
    facts = "\n".join(f"[{number}] {shown(claim.text)}" for number, claim in enumerate(claims, start=1))
    prompt = Prompt(system=instructions, user=f"Q: {question}\n{facts}")
    completion = model.complete(prompt, max_tokens=CONCLUDE_TOKENS, schema=ConclusionReply)
    meter.add(completion.usage)
    try:
        reply = msgspec.json.decode(completion.text, type=ConclusionReply)
    except msgspec.MsgspecError:
        return None, ""
    used = [claim for number, claim in enumerate(claims, start=1) if number in reply.facts] or list(claims)
    held = "\n".join([*(c.text for c in used), *(c.quote for c in used), *(f.answer for f in findings)])
    if absent := unsupported(reply.statement, held):
        dropped(reply.statement, absent)
        return None, ""
    citations = citations_of(used)
    bare = "" if unsupported(reply.answer, held) else reply.answer.strip()
    return Claim(text=reply.statement.strip(), kind=ClaimKind.INFERENCE, citations=citations), bare


def _status(reached: int, goals: int) -> RunStatus:
    if reached == 0:
        return RunStatus.INSUFFICIENT
    return RunStatus.ANSWERED if reached == goals else RunStatus.PARTIAL


def _unique(claims: Sequence[Claim]) -> list[Claim]:
    return list({claim.text: claim for claim in reversed(claims)}.values())[::-1]


def _as_of(claims: Sequence[Claim], published: Mapping[Fingerprint, str]) -> str | None:
    dates = [published[c] for claim in claims for c in claim.citations if published.get(c)]
    return max(dates) if dates else None
