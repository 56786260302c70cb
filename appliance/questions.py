"""Questions read with the domain packs in use: what understanding makes of them, for search and for the loop.

Beside research, above the rooms. Arrives: configuration. Leaves: a reader of questions and its packs.
"""

from __future__ import annotations

from datetime import date
from functools import cached_property, lru_cache

import msgspec

from appliance.config import Domains
from appliance.documents import detect_language
from appliance.domain import DomainPack, Reading
from appliance.errors import UserError
from appliance.store.analysis import fold
from appliance.understanding.domains import load_packs
from appliance.understanding.label_head import load_label_head
from appliance.understanding.lexicon import Lexicon
from appliance.understanding.reading import read_question

READINGS = 256
"""Readings kept: a question is read again for each of its searches and findings."""


class QuestionReader:
    """Reads questions. Safe to share between threads."""

    def __init__(self, settings: Domains) -> None:
        """Packs are loaded when they are first needed."""
        self._settings = settings
        # Search, judging and reading of evidence each ask for the same question's reading.
        self._read = lru_cache(maxsize=READINGS)(self.read_anew)

    @cached_property
    def packs(self) -> dict[str, DomainPack]:
        """The packs in use, by name. Raises ConfigError for a broken one."""
        return {pack.name: pack for pack in load_packs(self._settings)}

    @cached_property
    def lexicon(self) -> Lexicon:
        """Their words."""
        return Lexicon(tuple(self.packs.values()), fold=fold)

    def read(self, question: str, *, as_of: str = "", domain: str = "") -> Reading:
        """The reading; relative dates count from ``as_of`` (ISO), today by default.

        Raises UserError: a domain that no pack has, a day that no calendar has.
        """
        if domain and domain not in self.packs:
            raise UserError(f"no domain pack {domain!r}", hint=f"there are: {', '.join(self.packs)}")
        if as_of and not _is_day(as_of):
            raise UserError(f"as-of is {as_of!r}", hint="a day of the calendar: 2024-03-31")
        return self._read(question, date.fromisoformat(as_of) if as_of else date.today(), domain)

    def read_anew(self, question: str, as_of: date, domain: str) -> Reading:
        """The reading, made."""
        reading = read_question(
            question,
            language_of=detect_language,
            as_of=as_of,
            lexicon=self.lexicon,
            head=load_label_head(),
        )
        if not domain:
            return reading
        terms = self.lexicon.match(reading.text, reading.language, prefer=domain)
        return msgspec.structs.replace(reading, terms=terms, domain=domain, domain_confidence=1.0)


def _is_day(text: str) -> bool:
    try:
        return len(text) == 10 and bool(date.fromisoformat(text))
    except ValueError:
        return False
