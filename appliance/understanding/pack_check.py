"""What is wrong with a pack that loads: words of two terms, parts that do not exist, forms too short.

A pack in, :class:`PackFault` values out; the person who wrote the pack reads them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

import msgspec

from appliance.domain import AnswerKind, DomainPack, Term, Tool
from appliance.understanding.wording import BREAK, HAN, Fold, read_units

_HAN = re.compile(f"[{HAN}]")


class PackFault(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to mend."""

    pack: str
    entry: str
    """Of which term or rule; empty: of the pack."""
    field: str
    message: str


class PackCounts(msgspec.Struct, frozen=True, kw_only=True):
    """How much a pack holds."""

    name: str
    title: str
    title_zh: str
    terms: int
    metrics: int
    forms: int
    colloquial: int
    sources: int
    routing: int
    rules: int


def counts_of(pack: DomainPack) -> PackCounts:
    """The size of a pack."""
    return PackCounts(
        name=pack.name,
        title=pack.title,
        title_zh=pack.title_zh,
        terms=len(pack.terms),
        metrics=sum(term.metric for term in pack.terms),
        forms=sum(len({term.name, term.zh, *term.forms, *term.ambiguous}) for term in pack.terms),
        colloquial=sum(len(term.colloquial) for term in pack.terms),
        sources=len(pack.sources),
        routing=len(pack.routing),
        rules=len(pack.rules) + len(pack.rules_zh),
    )


def check_pack(pack: DomainPack, *, fold: Fold) -> tuple[PackFault, ...]:
    """All faults, in the order of the file; empty where the pack is sound."""
    return (*_shared_words(pack, fold), *_terms(pack, fold), *_general(pack))


def _shared_words(pack: DomainPack, fold: Fold) -> Iterator[PackFault]:
    """Names given twice, and words of one term that another one has as well."""
    for name, times in Counter(term.name for term in pack.terms).items():
        if times > 1:
            yield _fault(pack, name, "name", f"{times} terms have this name")
    owners: dict[str, str] = {}
    for term in pack.terms:
        for form in (term.name, term.zh, *term.forms, *term.ambiguous):
            other = owners.setdefault(_key(form, fold), term.name)
            if other != term.name:
                yield _fault(pack, term.name, "forms", f"{form!r} is a form of {other!r} too")
    phrases: dict[str, str] = {}
    for term in pack.terms:
        for phrase in term.colloquial:
            key = _key(phrase, fold)
            if key in owners:
                message = (
                    f"{phrase!r} is a form of {owners[key]!r}: documents write it, so it is not colloquial"
                )
                yield _fault(pack, term.name, "colloquial", message)
            if phrases.setdefault(key, term.name) != term.name:
                yield _fault(pack, term.name, "colloquial", f"{phrase!r} stands for {phrases[key]!r} too")


def _terms(pack: DomainPack, fold: Fold) -> Iterator[PackFault]:
    names = {term.name for term in pack.terms}
    for term in pack.terms:
        for part in term.parts:
            if part not in names:
                yield _fault(pack, term.name, "parts", f"{part!r} is no term of this pack")
            elif part == term.name:
                yield _fault(pack, term.name, "parts", "a term is no part of itself")
        if not _HAN.search(term.zh):
            yield _fault(pack, term.name, "zh", f"{term.zh!r} has no Chinese character")
        if term.metric and not term.unit:
            yield _fault(pack, term.name, "unit", "a metric needs a unit")
        if term.unit and not term.metric:
            yield _fault(pack, term.name, "metric", f"it has the unit {term.unit!r} but is no metric")
        yield from _too_short(pack, term, fold)


def _too_short(pack: DomainPack, term: Term, fold: Fold) -> Iterator[PackFault]:
    """One character stands in any text: it would be found everywhere."""
    for form in (term.name, term.zh, *term.forms, *term.ambiguous, *term.colloquial):
        if len(_key(form, fold).replace(" ", "")) < 2:
            field = "colloquial" if form in term.colloquial else "forms"
            yield _fault(pack, term.name, field, f"{form!r} is too short to mean anything")


def _routing(pack: DomainPack) -> Iterator[PackFault]:
    known = {kind.value for kind in AnswerKind} | {"any", "filing", "live", "trend", "calculation", "fact"}
    for rule in pack.routing:
        if rule.kind not in known:
            yield _fault(pack, rule.kind, "routing.kind", f"no such kind; one of {', '.join(sorted(known))}")
        for tool in sorted(rule.tools.keys() - {tool.value for tool in Tool}):
            yield _fault(pack, tool, "routing.tools", f"no such tool; one of {', '.join(Tool)}")
    for kind, times in Counter(rule.kind for rule in pack.routing).items():
        if times > 1:
            yield _fault(pack, kind, "routing.kind", f"given {times} times: only the first counts")


def _general(pack: DomainPack) -> Iterator[PackFault]:
    yield from _routing(pack)
    seen: dict[str, float] = defaultdict(float)
    for source in pack.sources:
        for title in source.title:
            before = seen.setdefault(title.casefold(), source.factor)
            if before != source.factor:
                yield _fault(pack, title, "sources.title", f"has the factors {before} and {source.factor}")
    if bool(pack.rules) != bool(pack.rules_zh):
        absent = "rules_zh" if pack.rules else "rules"
        yield _fault(pack, "", absent, "empty: answers in this language would follow no rule")
    if not pack.terms:
        yield _fault(pack, "", "terms", "none")


def _key(form: str, fold: Fold) -> str:
    return " ".join(unit.key for unit in read_units(form, fold) if unit.key != BREAK)


def _fault(pack: DomainPack, entry: str, field: str, message: str) -> PackFault:
    return PackFault(pack=pack.name, entry=entry, field=field, message=message)
