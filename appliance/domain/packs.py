"""A domain pack: what a field calls things, where figures stand, which sources bind. Data, no code."""

from __future__ import annotations

from typing import Annotated

import msgspec

from appliance.domain.documents import SectionType
from appliance.domain.identity import Struct

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Texts = Annotated[tuple[Text, ...], msgspec.Meta(max_length=200)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Factor = Annotated[float, msgspec.Meta(ge=0.1, le=5.0)]


class Term(Struct, frozen=True, kw_only=True):
    """One concept of the field."""

    name: Text
    """Its usual English name: the key that other entries refer to."""
    zh: Text
    """Its usual Chinese name."""
    forms: Texts = ()
    """Synonyms and abbreviations that documents use, either language."""
    ambiguous: Texts = ()
    """Forms that other people use for other things (``default``, ``processor``): only beside other words of
    the field do they mean this term. They may stand among ``forms`` or alone here."""
    colloquial: Texts = ()
    """What a lay person says, either language."""
    related: Texts = ()
    """Concepts near it: used to widen a search that found little."""
    weight: Factor = 1.0
    metric: bool = False
    unit: Annotated[str, msgspec.Meta(max_length=40)] = ""
    """``currency``, ``%``, ``mmol/L`` …"""
    section_types: tuple[SectionType, ...] = ()
    parts: Texts = ()
    """Names of the terms that a ratio is computed from."""


class SourceRank(Struct, frozen=True, kw_only=True):
    """How much a kind of document counts: matched on its title, case ignored, the first rule that fits."""

    title: Texts
    """Words of the title, any of which fits."""
    factor: Factor


class Routing(Struct, frozen=True, kw_only=True):
    """Preferences of a kind of question in this field."""

    kind: Text
    """An answer kind (``number``, ``change`` …), ``any``, or ``filing``, ``live``, ``trend``."""
    lexical: Factor = 1.0
    """Multiplies the lexical weight."""
    dense: Factor = 1.0
    section_types: tuple[SectionType, ...] = ()
    """Sections to prefer."""
    tools: dict[Text, Share] = {}
    """By tool (``documents``, ``external`` …) the share of such questions that it is expected to answer."""


class DomainPack(Struct, frozen=True, kw_only=True):
    """One field."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9-]{0,39}$")]
    title: Text
    title_zh: Text
    terms: tuple[Term, ...] = ()
    sources: tuple[SourceRank, ...] = ()
    routing: tuple[Routing, ...] = ()
    rules: Texts = ()
    """What an answer in this field has to heed (English)."""
    rules_zh: Texts = ()
    caution: Annotated[str, msgspec.Meta(max_length=300)] = ""
    """What is shown under every answer in this field (English)."""
    caution_zh: Annotated[str, msgspec.Meta(max_length=300)] = ""
    removal: Texts = ()
    """Words that say that something ended: withdrawn, 废止; beside the general ones."""
    change_titles: Texts = ()
    """Words in the titles of documents and sections that announce changes: recall notice, 勘误."""
