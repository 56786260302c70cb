"""What a question asks: the user's words arrive, a :class:`Reading` leaves. No index, no LLM, under 5 ms.

Rules read what is written (times, constraints, names, facets); the trained head, where given, labels what
rules cannot be sure of (domain, answer kind, comparison, removal, recency).
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from typing import Protocol

from appliance.domain import (
    AnswerKind,
    Constraint,
    ConstraintKind,
    Reading,
    Struct,
    TermMatch,
    TimeRange,
    years_in,
)
from appliance.understanding.constraints import read_constraints
from appliance.understanding.cues import cues_of
from appliance.understanding.entities import read_entities
from appliance.understanding.facets import facets_of
from appliance.understanding.fold import excerpt
from appliance.understanding.keywords import Similarity, Specificity, keywords_of
from appliance.understanding.kinds import asks_which, kind_of
from appliance.understanding.removal import asks_of_removal
from appliance.understanding.signals import compares, wants_newest, wants_oldest
from appliance.understanding.simplicity import is_simple
from appliance.understanding.times import read_times


class Terms(Protocol):
    """The domain packs' words."""

    def match(self, text: str, language: str) -> tuple[TermMatch, ...]:
        """The pack terms that a question names, colloquial words included."""
        ...


class Labels(Struct, frozen=True, kw_only=True):
    """What the trained head says of a question, each with its probability (0–1)."""

    domain: str = ""
    domain_confidence: float = 0.0
    kind: AnswerKind = AnswerKind.OTHER
    kind_confidence: float = 0.0
    comparison: float = 0.0
    removal: float = 0.0
    recency: float = 0.0
    timed: float = 0.0
    """The question depends on a time."""


class Head(Protocol):
    """The trained classifier."""

    def label(self, text: str) -> Labels:
        """Labels of one question."""
        ...


class Aids(Struct, frozen=True, kw_only=True):
    """What makes keywords better where it exists."""

    specificity: Specificity | None = None
    similarity: Similarity | None = None


KIND_SURE = 0.5
"""From here the head may name a kind that no rule named."""
MEASURED_SURE = 0.7
"""Likewise a figure or a date: an answer without one is then refused, so that an error costs more."""
_MEASURED = (AnswerKind.DATE, AnswerKind.NUMBER)
DOMAIN_SURE = 0.4
"""Below this sum of the head's probability and the packs' share of words, no domain is named."""
SIGNAL_SURE = 0.97
"""From here the head adds a comparison, a removal or recency that no rule saw."""


def read_question(
    text: str,
    *,
    language_of: Callable[[str], str],
    as_of: datetime.date | None = None,
    lexicon: Terms | None = None,
    head: Head | None = None,
    aids: Aids | None = None,
) -> Reading:
    """Read a question; the text is squeezed, nothing is added to it.

    ``as_of``: the day from which ``last quarter`` is counted; today where it is not given. Of a text longer
    than 6,000 characters the beginning and the end are read.
    """
    squeezed = " ".join(text.split())
    day = as_of or datetime.date.today()
    language = language_of(squeezed)
    read = excerpt(squeezed)
    bound = read_constraints(read)
    times = read_times(read, as_of=day, hidden=bound.codes)
    terms = lexicon.match(read, language) if lexicon else ()
    labels = head.label(read) if head else Labels()
    comparison = compares(read) or labels.comparison >= SIGNAL_SURE
    entities = read_entities(read, times=times.spans)
    removal = asks_of_removal(read) or labels.removal >= SIGNAL_SURE
    domain, confidence = _domain(terms, labels)
    given = aids or Aids()
    return Reading(
        text=squeezed,
        language=language,
        simple=is_simple(read),
        kind=_kind(read, labels),
        years=tuple(dict.fromkeys(years_in(squeezed))),
        domain=domain,
        domain_confidence=confidence,
        as_of=day.isoformat(),
        entities=entities,
        constraints=_apart(bound.constraints, times.times),
        terms=terms,
        times=times.times,
        recency=wants_newest(read) or labels.recency >= SIGNAL_SURE,
        earliest=wants_oldest(read),
        comparison=comparison,
        removal=removal,
        cues=cues_of(read, removal=removal),
        facets=facets_of(read, times=times.spans, comparison=comparison),
        keywords=keywords_of(
            read,
            terms=terms,
            entities=entities,
            fixed=_fixed(bound.constraints),
            specificity=given.specificity,
            similarity=given.similarity,
        ),
        notices=times.notices,
    )


def _kind(text: str, labels: Labels) -> AnswerKind:
    ruled = kind_of(text)
    if ruled is not None:
        return ruled
    measured = labels.kind in _MEASURED
    if measured and asks_which(text):
        return AnswerKind.OTHER
    sure = MEASURED_SURE if measured else KIND_SURE
    return labels.kind if labels.kind_confidence >= sure else AnswerKind.OTHER


def _domain(terms: tuple[TermMatch, ...], labels: Labels) -> tuple[str, float]:
    """The head's domain, moved by the packs' terms; a pack that the head never saw can win by them."""
    scores: dict[str, float] = {labels.domain: labels.domain_confidence} if labels.domain else {}
    for domain, share in _shares(terms).items():
        scores[domain] = scores.get(domain, 0.0) + share
    if not scores:
        return "", 0.0
    best = max(scores, key=lambda name: scores[name])
    return (best, min(1.0, scores[best])) if scores[best] >= DOMAIN_SURE else ("", scores[best])


def _shares(terms: tuple[TermMatch, ...]) -> Mapping[str, float]:
    weights: dict[str, float] = {}
    for term in terms:
        weights[term.domain] = weights.get(term.domain, 0.0) + term.weight
    total = sum(weights.values())
    return {domain: 0.6 * weight / total for domain, weight in weights.items()} if total else {}


def _apart(constraints: tuple[Constraint, ...], times: tuple[TimeRange, ...]) -> tuple[Constraint, ...]:
    """Without sources and exclusions that are only a time: ``as of 2023``, 据2023年."""
    said = {time.text for time in times}
    kinds = (ConstraintKind.SOURCE, ConstraintKind.CONDITION)
    return tuple(
        each for each in constraints if not (each.kind in kinds and (each.value or each.text) in said)
    )


def _fixed(constraints: tuple[Constraint, ...]) -> tuple[str, ...]:
    kinds = (ConstraintKind.CODE, ConstraintKind.QUOTED)
    return tuple(
        each.value or each.text for each in constraints if each.kind in kinds and len(each.text) <= 80
    )
