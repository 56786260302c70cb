"""What a question asks, in labels: from understanding to planning and retrieval. No presumed answers."""

from __future__ import annotations

from enum import StrEnum

from appliance.domain.documents import SectionType
from appliance.domain.identity import Struct
from appliance.domain.reasoning import AnswerKind


class ConstraintKind(StrEnum):
    """What a constraint binds."""

    VERSION = "version"
    """``version 2.1``, 第3版, ``iOS 17``."""
    CODE = "code"
    """A number of a product, a contract, a patent: matched letter by letter."""
    QUOTED = "quoted"
    """Words in quotation marks."""
    SOURCE = "source"
    """A document or publisher to be used: ``according to the 2022 annual report``, 据年报."""
    EXCLUSION = "exclusion"
    """What is not wanted: ``other than``, ``except``, 除…以外."""
    CONDITION = "condition"
    """Under which it is asked: ``at 25 °C``, 不含税, ``for employees under contract``."""


class Constraint(Struct, frozen=True, kw_only=True):
    """Words of the question that every rewrite keeps."""

    kind: ConstraintKind
    text: str
    """As asked."""
    value: str = ""
    """The bare value (``2.1`` of ``version 2.1``); empty: the text itself."""


class EntityKind(StrEnum):
    """What is named."""

    ORGANISATION = "organisation"
    PERSON = "person"
    PLACE = "place"
    PRODUCT = "product"
    WORK = "work"
    """A title: of a document, a film, a law in 《…》."""
    OTHER = "other"


class Entity(Struct, frozen=True, kw_only=True):
    """A name in the question, as written there."""

    text: str
    kind: EntityKind = EntityKind.OTHER


class TimeRange(Struct, frozen=True, kw_only=True):
    """Days that the question speaks of, both ends included; ISO dates, None where it is open."""

    text: str
    """The words it was read from."""
    start: str | None = None
    end: str | None = None
    fiscal: bool = False
    """A reporting period (``FY2022``, ``Q3``, 上半年, 2022年度): documents about it appear after its end."""


class TermMatch(Struct, frozen=True, kw_only=True):
    """Words of the question that a domain pack knows."""

    name: str
    """The pack's term."""
    text: str
    """As asked."""
    domain: str
    forms: tuple[str, ...] = ()
    """What documents call it: the term, its synonyms, in both languages; never the colloquial words."""
    weight: float = 1.0
    """How much BM25 counts its words."""
    colloquial: bool = False
    """The question's words are a lay person's: documents will not have them."""
    metric: bool = False
    unit: str = ""
    section_types: tuple[SectionType, ...] = ()
    """Where a metric's value stands."""
    parts: tuple[str, ...] = ()
    """For a ratio: what it is computed from."""


class Reading(Struct, frozen=True, kw_only=True):
    """A question read: its labels. Nothing in it that was not in the question or in a pack."""

    text: str
    """The question, blanks squeezed."""
    language: str
    """``zh``, ``en`` or ``und``."""
    simple: bool
    """One look-up can answer it: the planner is not asked."""
    kind: AnswerKind = AnswerKind.OTHER
    years: tuple[str, ...] = ()
    """Years named in the question: the evidence has to know them."""
    domain: str = ""
    """Name of a pack; empty where none fits."""
    domain_confidence: float = 0.0
    """0–1."""
    as_of: str = ""
    """The day (ISO) from which ``last quarter`` is counted."""
    entities: tuple[Entity, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    terms: tuple[TermMatch, ...] = ()
    times: tuple[TimeRange, ...] = ()
    recency: bool = False
    """The newest state is wanted: ``latest``, ``current``, 最新, 现行."""
    earliest: bool = False
    """The oldest state is wanted: ``for the first time``, 最早, 首次."""
    comparison: bool = False
    removal: bool = False
    """Asks whether something was removed, ended, replaced or is still valid (A4)."""
    cues: tuple[str, ...] = ()
    """Words that deny or say that something ended, as written: ``not cover``, ``withdrawn``, 不包括, 废止."""
    facets: tuple[str, ...] = ()
    """Where it asks of several things at once: one query for each; empty otherwise."""
    keywords: tuple[str, ...] = ()
    """Best first."""
    notices: tuple[str, ...] = ()
    """What could not be taken as said: ``30 February 2023 is no date``, contradictory bounds."""

    def metrics(self) -> tuple[TermMatch, ...]:
        """The terms that are figures."""
        return tuple(term for term in self.terms if term.metric)
