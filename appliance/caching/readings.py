"""Readings of questions, kept beyond the process: a question that was read once is not taken apart again.

Arrives: a question, its day, its domain. Leaves: its reading, which depends on nothing else but the packs and
the program: the key has both, and no collection.
"""

from __future__ import annotations

import hashlib
from datetime import date

import msgspec

from appliance.config import Domains
from appliance.domain import Reading
from appliance.questions import QuestionReader
from appliance.store.cache_counts import Kind
from appliance.store.tiers import Key, Tiers


class CachedQuestionReader(QuestionReader):
    """A reader of questions that looks into the cache first. Safe to share between threads."""

    def __init__(self, settings: Domains, tiers: Tiers, made_by: str) -> None:
        """``made_by``: a digest of the packs, the program and its trained heads."""
        self._tiers, self._made_by = tiers, made_by
        super().__init__(settings)

    def read_anew(self, question: str, as_of: date, domain: str) -> Reading:
        """The reading, kept or made."""
        described = msgspec.json.encode((self._made_by, question, as_of, domain))
        key = Key(kind=Kind.READING, collection="", digest=hashlib.sha256(described).hexdigest())
        if (content := self._tiers.get(key)) is not None:
            try:
                return msgspec.json.decode(content, type=Reading)
            except msgspec.MsgspecError:
                self._tiers.refuse(key)
        reading = super().read_anew(question, as_of, domain)
        self._tiers.put(key, msgspec.json.encode(reading))
        return reading
