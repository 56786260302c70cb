"""Whether claims that were kept still stand: every citation read again, every quote looked up again."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from appliance.domain import Claim, ClaimKind, Fingerprint, Passage, Scope, Support
from appliance.errors import NotFoundError
from appliance.ports import PassageReader

Verify = Callable[[str, str], bool]
"""A fact and the text of its passages → whether these hold it."""


def not_doubted(text: str, passages: str) -> bool:
    """Where nothing more is to be checked than that the passages are there."""
    return True


def passages_of(
    marks: Iterable[Fingerprint], reader: PassageReader, scope: Scope
) -> dict[Fingerprint, Passage] | None:
    """The cited passages; None where one is unknown, not readable, or no longer in its document."""
    found: dict[Fingerprint, Passage] = {}
    for mark in dict.fromkeys(marks):
        try:
            passage = reader.by_fingerprint(mark, scope)
        except NotFoundError:
            return None
        if not passage.current or passage.fingerprint != mark:
            return None
        found[mark] = passage
    return found


def stand(
    claims: Iterable[Claim],
    reader: PassageReader,
    scope: Scope,
    verify: Verify = not_doubted,
) -> bool:
    """Whether all of them are supported, cited and still held by what they cite."""
    kept = tuple(claims)
    passages = passages_of((mark for claim in kept for mark in claim.citations), reader, scope)
    return passages is not None and all(_stands(claim, passages, verify) for claim in kept)


def _stands(claim: Claim, passages: dict[Fingerprint, Passage], verify: Verify) -> bool:
    if claim.support is not Support.SUPPORTED:
        return False
    if claim.kind is ClaimKind.INFERENCE:
        return True  # it rests on facts that stand beside it, each looked up again by itself
    if not claim.citations:
        return False
    texts = [passages[mark] for mark in claim.citations]
    if claim.quote and not any(_squeezed(claim.quote) in _squeezed(one.text) for one in texts):
        return False
    whole = "\n".join(f"{p.title}\n{p.section_path}\n{p.published or ''}\n{p.text}" for p in texts)
    return verify(claim.text, whole)


def _squeezed(text: str) -> str:
    return " ".join(text.split())
