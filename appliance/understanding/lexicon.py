"""The words of a question that the domain packs know, and what they say of its field.

Arrives: packs, then questions. Leaves: :class:`TermMatch` values, the longest first to claim its words, and
evidence per domain. One look-up in a hash table per word and known length: the work follows the question's
length, whatever the number of forms.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from appliance.domain import DomainPack, Term, TermMatch
from appliance.understanding.colloquial import LoosePhrases
from appliance.understanding.wording import BREAK, Fold, Unit, read_units

SHARED = 0.5
"""How much a form counts for each of several domains that have it."""
DOUBT = 0.5
"""Evidence for no domain at all: one match alone gives a confidence of two thirds."""
_WORDS = frozenset(
    """ace act age aid aim all ally an and any arm art as ask at bad bar be bed big bin bit but by can cap
    car care case cat cop cost cut dad day die do doe dose down ear east eat end era eye face fact far
    fast fat fee fit fix for form full fun gap gas go grade grit hat he her him his hit home hot how ice
    if in ink is it jar job lab lap law led let lid lot low mad make man map mar mat mean me men met mom
    my net nice no nor not now odd of off oil on or our out pain past pat pay pen per pet pick post rag
    raid ram ran rat raw ray red rid rip road role run sad safe save set she six so soar sole son star
    step stop sum tan tap the tip to
    toe top trip try two us use van war was way we who win wise you""".split()
)


class _Entry(msgspec.Struct, frozen=True, gc=False):
    """A term of a pack, by its place in :attr:`Lexicon._terms`."""

    number: int
    colloquial: bool
    capitals: bool
    """The form is an acronym that is a word as well: OR, US, ACE. Small letters do not mean it."""
    ambiguous: bool = False
    """Only beside other words of its domain does the form mean this term."""


class _Span(msgspec.Struct, frozen=True):
    """Units ``first`` to ``last`` of the question, and what they may be."""

    first: int
    last: int
    entries: tuple[_Entry, ...]
    share: float = 1.0


class Lexicon:
    """All packs, ready to be matched. Safe to share between threads: nothing changes after it is made."""

    def __init__(self, packs: Sequence[DomainPack], *, fold: Fold) -> None:
        """``fold`` makes one of width, case, accents and traditional characters, as the index does."""
        self.packs = tuple(packs)
        self._fold = fold
        self._terms: list[tuple[str, Term]] = [(pack.name, term) for pack in packs for term in pack.terms]
        self._forms: dict[str, tuple[_Entry, ...]] = {}
        self._lengths: dict[str, tuple[int, ...]] = {}
        self._index()
        phrases = [
            (number, self._read(phrase))
            for number, (_, term) in enumerate(self._terms)
            for phrase in term.colloquial
        ]
        self._loose = LoosePhrases(phrases)

    def match(self, text: str, language: str, *, prefer: str = "") -> tuple[TermMatch, ...]:
        """The terms in the order of the text; spans do not overlap, a term is named once.

        ``language`` (``zh``, ``en``) decides which name leads :attr:`TermMatch.forms`. Where several domains
        know the same words, ``prefer`` wins, then the domain that the rest of the question speaks of.
        """
        units = self._read(text)
        spans = self._spans(units, prefer)
        evidence = self._evidence(spans)
        found: dict[int, TermMatch] = {}
        for span in sorted(spans, key=lambda each: each.first):
            entry = max(
                span.entries,
                key=lambda each: (
                    self._domain(each) == prefer,
                    evidence[self._domain(each)],
                    not each.colloquial,
                    -each.number,
                ),
            )
            words = text[units[span.first].start : units[span.last].end]
            before = found.get(entry.number)
            if before is None or (before.colloquial and not entry.colloquial):
                found[entry.number] = self._term_match(entry, words, language)
        return tuple(found.values())

    def domain_scores(self, text: str) -> dict[str, float]:
        """Evidence for each domain that the text speaks of, strongest first; empty where none is known.

        0–1: the domain's share of all evidence, the doubt included. Rare words of one domain count fully,
        those that several domains have count half, a term's weight multiplies.
        """
        evidence = self._evidence(self._spans(self._read(text), ""))
        total = sum(evidence.values()) + DOUBT
        ranked = sorted(evidence.items(), key=lambda each: (-each[1], each[0]))
        return {domain: round(value / total, 4) for domain, value in ranked if value > 0}

    def _read(self, text: str) -> list[Unit]:
        return read_units(text, self._fold)

    def _index(self) -> None:
        forms: dict[str, dict[_Entry, None]] = defaultdict(dict)
        lengths: dict[str, set[int]] = defaultdict(set)
        for number, (_, term) in enumerate(self._terms):
            for form, colloquial in _forms_of(term):
                keys = [unit.key for unit in self._read(form) if unit.key != BREAK]
                if keys:
                    entry = _Entry(number, colloquial, _needs_capitals(form), form in term.ambiguous)
                    forms[" ".join(keys)][entry] = None
                    lengths[keys[0]].add(len(keys))
        self._forms = {key: tuple(entries) for key, entries in forms.items()}
        self._lengths = {key: tuple(sorted(each, reverse=True)) for key, each in lengths.items()}

    def _spans(self, units: Sequence[Unit], prefer: str) -> list[_Span]:
        """What the question's words may be; ambiguous forms only where their domain is spoken of."""
        spans = [*self._exact(units), *self._described(units)]
        certain = {self._domain(entry) for span in spans for entry in span.entries if not entry.ambiguous}
        certain.add(prefer)
        kept = [
            msgspec.structs.replace(span, entries=entries)
            for span in spans
            if (
                entries := tuple(
                    each for each in span.entries if not each.ambiguous or self._domain(each) in certain
                )
            )
        ]
        return _longest_first(kept)

    def _domain(self, entry: _Entry) -> str:
        return self._terms[entry.number][0]

    def _exact(self, units: Sequence[Unit]) -> Iterator[_Span]:
        keys = [unit.key for unit in units]
        for first, key in enumerate(keys):
            for length in self._lengths.get(key, ()):
                end = first + length
                entries = self._forms.get(" ".join(keys[first:end])) if end <= len(keys) else None
                if entries and not all(unit.upper for unit in units[first:end]):
                    entries = tuple(entry for entry in entries if not entry.capitals)
                if entries:
                    yield _Span(first, end - 1, entries)

    def _described(self, units: Sequence[Unit]) -> Iterator[_Span]:
        claimed: set[int] = set()
        for each in self._loose.find(units):
            words = range(each.first, each.last + 1)
            # Of two descriptions in the same words the better one counts, not the longer one.
            if not claimed.isdisjoint(words):
                continue
            claimed.update(words)
            yield _Span(each.first, each.last, (_Entry(each.owner, True, False),), each.share)

    def _evidence(self, spans: Sequence[_Span]) -> Mapping[str, float]:
        evidence: dict[str, float] = defaultdict(float)
        for span in spans:
            domains = {self._terms[entry.number][0]: self._terms[entry.number][1] for entry in span.entries}
            for domain, term in domains.items():
                evidence[domain] += term.weight * span.share * (1.0 if len(domains) == 1 else SHARED)
        return evidence

    def _term_match(self, entry: _Entry, words: str, language: str) -> TermMatch:
        domain, term = self._terms[entry.number]
        names = (term.zh, term.name) if language == "zh" else (term.name, term.zh)
        return TermMatch(
            name=term.name,
            text=words,
            domain=domain,
            forms=tuple(dict.fromkeys((*names, *term.forms, *term.ambiguous))),
            weight=term.weight,
            colloquial=entry.colloquial,
            metric=term.metric,
            unit=term.unit,
            section_types=term.section_types,
            parts=term.parts,
        )


def _forms_of(term: Term) -> Iterator[tuple[str, bool]]:
    """Each way to write a term, and whether it is a lay person's."""
    for form in dict.fromkeys((term.name, term.zh, *term.forms, *term.ambiguous)):
        yield form, False
    for phrase in term.colloquial:
        yield phrase, True


def _needs_capitals(form: str) -> bool:
    letters = form.isascii() and form.isalpha() and form.isupper()
    return letters and (len(form) <= 2 or form.lower() in _WORDS)


def _longest_first(spans: Sequence[_Span]) -> list[_Span]:
    """The longest spans first, none in another's words; written terms inside of a description stay.

    A description is a guess at what its words mean together, a written term is certain of its own.
    """
    taken: list[_Span] = []
    claimed: set[int] = set()
    written: set[int] = set()
    for span in sorted(spans, key=lambda each: (each.first - each.last, -each.share, each.first)):
        words = range(span.first, span.last + 1)
        certain = any(not entry.colloquial for entry in span.entries)
        if not (written if certain else claimed).isdisjoint(words):
            continue
        claimed.update(words)
        if certain:
            written.update(words)
        taken.append(span)
    return taken
