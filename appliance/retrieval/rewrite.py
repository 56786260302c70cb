"""The queries of one question (A2): itself, a structured one, keywords, the domain's own words, its facets.

Arrives: a reading. Leaves: rewrites, the question first. Nothing is added that is neither in the question
nor in a domain pack, and every constraint of the question stands in every rewrite of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from appliance.config import Retrieval as Settings
from appliance.domain import ConstraintKind, Reading, Rewrite, RewriteKind

FACETS = 4
FORMS = 6
"""Forms of one term that a query carries."""
KEYWORDS = 8


def rewrites_of(reading: Reading, synonyms: Sequence[str] = ()) -> tuple[Rewrite, ...]:
    """The set of queries, each text once; ``synonyms`` are related concepts that a model proposed."""
    original = Rewrite(kind=RewriteKind.ORIGINAL, text=reading.text)
    made = [
        original,
        _rewrite(RewriteKind.EXPANDED, _expanded(reading, synonyms)),
        _rewrite(RewriteKind.STRUCTURED, _structured(reading), dense=False),
        _rewrite(RewriteKind.KEYWORDS, _keywords(reading), dense=False),
        *(_rewrite(RewriteKind.FACET, facet) for facet in _facets(reading)),
    ]
    unique: dict[str, Rewrite] = {}
    for rewrite in made:
        if rewrite is not None:
            unique.setdefault(rewrite.text.casefold(), rewrite)
    return tuple(unique.values())


def wanted_of(rewrites: Sequence[Rewrite], settings: Settings) -> tuple[Rewrite, ...]:
    """The question, and those of its rewrites that the configuration searches with."""
    return tuple(
        one
        for one in rewrites
        if one.kind is RewriteKind.ORIGINAL
        or (settings.facets if one.kind is RewriteKind.FACET else settings.rewrites)
    )


def bound_words(reading: Reading) -> tuple[str, ...]:
    """What every rewrite has to keep: constraints, times, names and denials, as the question writes them."""
    kept = [constraint.text for constraint in reading.constraints]
    kept += [time.text for time in reading.times]
    kept += [entity.text for entity in reading.entities]
    kept += reading.cues
    return tuple(dict.fromkeys(text for text in kept if text))


def _rewrite(kind: RewriteKind, text: str, *, dense: bool = True) -> Rewrite | None:
    return Rewrite(kind=kind, text=text, dense=dense) if text else None


def _expanded(reading: Reading, synonyms: Sequence[str]) -> str:
    """The question with what documents call its terms; empty where no pack knows a term of it."""
    forms = [
        form
        for term in reading.terms
        for form in (*term.forms[:FORMS], *term.parts)
        if form.casefold() not in reading.text.casefold()
    ]
    added = _once([*forms, *synonyms])
    return f"{reading.text} {' '.join(added)}" if added else ""


def _structured(reading: Reading) -> str:
    """Names, attributes and constraints, without the words around them."""
    attributes = [term.forms[0] if term.colloquial and term.forms else term.text for term in reading.terms]
    parts = _once([*bound_words(reading), *attributes])
    return " ".join(parts) if len(parts) > 1 else ""


def _keywords(reading: Reading) -> str:
    parts = _once([*bound_words(reading), *reading.keywords[:KEYWORDS]])
    return " ".join(parts) if reading.keywords else ""


def _facets(reading: Reading) -> list[str]:
    """Each facet with its own bounds, and with those that no facet has: they bind the whole question."""
    bounds = [constraint.text for constraint in reading.constraints]
    bounds += [time.text for time in reading.times]
    bounds += reading.cues
    shared = [text for text in bounds if not any(stands_in(text, facet) for facet in reading.facets)]
    return [" ".join(_once([facet, *shared])) for facet in reading.facets[:FACETS]]


def _once(parts: Iterable[str]) -> list[str]:
    """Each part once, and none that stands inside an earlier one."""
    kept: list[str] = []
    for part in parts:
        if part and not any(stands_in(part, earlier) for earlier in kept):
            kept.append(part)
    return kept


def stands_in(part: str, text: str) -> bool:
    """Whether the text has it as whole words and whole figures: ``US`` is not in status, 2.1 not in 12.1."""
    begin = r"(?<![A-Za-z0-9])(?<!\d\.)" if _latin(part[:1]) else ""
    end = r"(?![A-Za-z0-9]|\.\d)" if _latin(part[-1:]) else ""
    return bool(re.search(f"{begin}{re.escape(part)}{end}", text, re.IGNORECASE))


def _latin(character: str) -> bool:
    return character.isascii() and character.isalnum()


def excluded(reading: Reading) -> tuple[str, ...]:
    """What the question does not want."""
    return tuple(
        constraint.value or constraint.text
        for constraint in reading.constraints
        if constraint.kind is ConstraintKind.EXCLUSION
    )
