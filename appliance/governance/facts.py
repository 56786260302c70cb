"""Fact consistency of an answer, by code: every claim is carried, nothing undecided stands against it.

Arrives: an answer, the passages it cites, what the verifier found of its claims. Leaves: 0–1, with reasons.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping

from appliance.domain import (
    Answer,
    Claim,
    ClaimKind,
    CredibilityPart,
    Doubt,
    Fingerprint,
    Passage,
    Support,
    citations_of,
)

Confidence = Callable[[Claim], float | None]
"""The verifier's word: how probably a claim is carried by what it cites, 0–1; None: it was not asked."""
UNCONFIRMED = 0.2
"""A claim that did not pass its check but stands in the answer's text."""
UNCITED = 0.4
"""A fact without a passage, or with one that is not there."""
BARE = 0.5
"""An answer without claims, or with a figure that neither a claim nor a cited passage has."""
UNDECIDED = 0.85
"""Each contradiction that is told undecided takes this share: one is honest, several are no answer."""
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")


def not_asked(claim: Claim) -> float | None:
    """Where there is no verifier beyond the claims' own marks."""
    return None


def consistency(
    answer: Answer, passages: Mapping[Fingerprint, Passage], confidence: Confidence = not_asked
) -> tuple[float, tuple[Doubt, ...]]:
    """Return how far the weakest claim and the contradictions let the answer be believed, with reasons."""
    found = [_carried(claim, answer, passages, confidence) for claim in answer.claims]
    told = [_doubt(claim.text, why) for claim, (_, why) in zip(answer.claims, found, strict=True) if why]
    value = min((each for each, _ in found), default=BARE)
    if not answer.claims:
        told.append(_doubt(answer.answer, "no claim carries it"))
    elif loose := _loose_figures(answer, passages):
        value = min(value, BARE)
        told.append(_doubt(answer.answer, f"no claim and no cited passage has {', '.join(loose)}"))
    for one in answer.contradictions:
        if one.resolved:
            continue
        value *= UNDECIDED
        told.append(_doubt(one.about, "sources disagree, undecided"))
    return value, tuple(told)


def _carried(
    claim: Claim, answer: Answer, passages: Mapping[Fingerprint, Passage], confidence: Confidence
) -> tuple[float, str]:
    if claim.support is Support.UNSUPPORTED:
        if claim.text not in answer.answer:
            return 1.0, ""  # told as what could not be confirmed
        return UNCONFIRMED, "could not be confirmed by what it cites"
    if not claim.citations and claim.kind is ClaimKind.FACT:
        return UNCITED, "cites nothing"
    if any(mark not in passages for mark in claim.citations):
        return UNCITED, "cites a passage that is not there"
    sure = confidence(claim)
    if sure is None:
        return 1.0, ""
    return sure, "" if sure >= 0.9 else f"the verifier is {sure:.0%} sure"


def _loose_figures(answer: Answer, passages: Mapping[Fingerprint, Passage]) -> list[str]:
    """Figures of the text that neither a claim has nor a passage that is cited, its date among them."""
    claims = (*answer.claims, *(side for one in answer.contradictions for side in one.sides))
    cited = [passages[mark] for mark in citations_of(claims) if mark in passages]
    held = [f"{claim.text} {claim.quote}" for claim in claims]
    held += [f"{one.title} {one.text} {one.published or ''} {one.effective_from or ''}" for one in cited]
    said = set(_figures(" ".join(held)))
    return [figure for figure in _figures(answer.answer) if figure not in said]


def _figures(text: str) -> list[str]:
    """Without thousands separators."""
    found = _DIGITS.findall(unicodedata.normalize("NFKC", text))
    return list(dict.fromkeys(one.replace(",", "") for one in found))


def _doubt(text: str, why: str) -> Doubt:
    return Doubt(part=CredibilityPart.FACTS, text=text, why=why)
