"""May this answer be shown without a person having looked at it? One score, and its parts.

Arrives: an answer, the passages it cites, the field it is of. Leaves: a :class:`Credibility`. Facts are
judged by code (:mod:`appliance.governance.facts`), stance and risk sentence by sentence by a small trained
head; the worst sentence counts. What a cited source says itself is the source's, and no fault of the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from appliance.config import Governance
from appliance.domain import (
    Answer,
    Claim,
    Credibility,
    CredibilityPart,
    Doubt,
    Fingerprint,
    Passage,
    citations_of,
)
from appliance.governance.credibility_features import FIELDS, NAMES, vector_of
from appliance.governance.credibility_head import CredibilityHead, load_credibility_head
from appliance.governance.cues import Cue, cues, overlap
from appliance.governance.facts import Confidence, consistency, not_asked
from appliance.ports import Embedder

SENTENCES_MAX = 60
"""Of one answer; a longer one is judged by its first ones."""
VERBATIM = 0.9
"""A sentence whose words a source's sentence has to this share, and that has no cue, is the source's."""
WHOLLY = 1.0
"""So is one whose every word its sources together have: the two names and dates of a comparison."""
DOUBTED = 0.15
"""From here on a sentence's fault is told to the reviewer."""
_BY_HEAD = NAMES.index("orders"), NAMES.index("second person")
_PARTS = (CredibilityPart.STANCE, CredibilityPart.RISK)


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """One sentence of an answer, and what it cites."""

    text: str
    sources: tuple[str, ...]
    """Sentences."""
    cues: tuple[Cue, ...]

    @property
    def sourced(self) -> bool:
        """Whether a source says just this."""
        if any(not cue.held for cue in self.cues):
            return False
        if max((overlap(self.text, one) for one in self.sources), default=0.0) >= VERBATIM:
            return True
        return overlap(self.text, "\n".join(self.sources)) >= WHOLLY


class Evaluator:
    """Judges answers. Safe to share between threads."""

    def __init__(
        self,
        settings: Governance,
        embedder: Embedder,
        split: Callable[[str], Sequence[str]],
        head: CredibilityHead | None = None,
    ) -> None:
        """``embedder``: the collection's; ``split``: text to sentences. Raises DamagedError (the head)."""
        self._settings, self._embedder, self._split = settings, embedder, split
        self._head = head or load_credibility_head()
        self._knows = self._head.knows(embedder.name, embedder.dim)

    def judge(
        self,
        answer: Answer,
        passages: Mapping[Fingerprint, Passage],
        field: str = "",
        confidence: Confidence = not_asked,
    ) -> Credibility:
        """The score and its parts; ``passages``: those cited, ``field``: name of a domain pack."""
        facts, doubts = consistency(answer, passages, confidence)
        said = self._sentences(answer, passages)
        field = field if field in FIELDS else ""
        faults = self._faults(said, field)
        stance, risk = (1.0 - float(faults[:, at].max(initial=0.0)) for at in range(2))
        return Credibility(
            score=round(facts * stance * risk, 4),
            facts=round(facts, 4),
            stance=round(stance, 4),
            risk=round(risk, 4),
            threshold=self._settings.threshold,
            domain=field,
            judged_by="head" if self._knows else "cues",
            doubts=(*doubts, *_doubts(said, faults)),
        )

    def lets(self, claims: Sequence[Claim], passages: Mapping[Fingerprint, Passage], field: str = "") -> bool:
        """Whether claims may be told while the work goes on: by their stance and risk."""
        said = self._of_claims(claims, passages)
        faults = self._faults(said[:SENTENCES_MAX], field if field in FIELDS else "")
        stance, risk = (1.0 - float(faults[:, at].max(initial=0.0)) for at in range(2))
        return stance * risk >= self._settings.threshold

    def _sentences(self, answer: Answer, passages: Mapping[Fingerprint, Passage]) -> list[Said]:
        """Of the claims, and of the text where it has others; a bare result only where it has a cue."""
        said = self._of_claims(answer.claims, passages)
        known, cited = {one.text for one in said}, citations_of(answer.claims)
        sources = self._sources(cited, passages, (claim.quote for claim in answer.claims))
        for row in self._rows(answer.answer):
            if row not in known:
                said.append(Said(text=row, sources=sources, cues=cues(row, sources)))
        short = Said(text=answer.short, sources=sources, cues=cues(answer.short, sources))
        if short.cues and answer.short not in answer.answer:
            said.append(short)
        return said[:SENTENCES_MAX]

    def _of_claims(self, claims: Sequence[Claim], passages: Mapping[Fingerprint, Passage]) -> list[Said]:
        said: dict[str, Said] = {}
        for claim in claims:
            sources = self._sources(claim.citations, passages, (claim.quote,))
            for row in self._rows(claim.text):
                said.setdefault(row, Said(text=row, sources=sources, cues=cues(row, sources)))
        return list(said.values())

    def _sources(
        self,
        marks: Iterable[Fingerprint],
        passages: Mapping[Fingerprint, Passage],
        quotes: Iterable[str],
    ) -> tuple[str, ...]:
        texts = [passages[mark] for mark in marks if mark in passages]
        rows = [row for one in texts for row in self._rows(one.text)]
        return tuple(dict.fromkeys((*rows, *(quote for quote in quotes if quote))))

    def _rows(self, text: str) -> list[str]:
        return [row.strip() for row in self._split(text) if row.strip()]

    def _faults(self, said: Sequence[Said], field: str) -> NDArray[np.float32]:
        """``(n, 2)``: how probably each sentence takes sides, and is risky."""
        faults = np.zeros((len(said), 2), np.float32)
        own = [at for at, one in enumerate(said) if not one.sourced]
        if not own:
            return faults
        rows = np.stack([vector_of(said[at].text, said[at].sources, field, said[at].cues) for at in own])
        if self._knows:
            vectors = self._embedder.embed_passages([said[at].text for at in own])
            faults[own] = self._head.faults(rows, vectors)
            return faults
        told = self._head.faults(rows, None)
        # Without its vector, a sentence with no cue at all gives no reason to doubt it.
        loose = [any(not cue.held for cue in said[at].cues) for at in own]
        addressed = [bool(sum(row[at] for at in _BY_HEAD)) for row in rows.tolist()]
        doubtful = np.array([a or b for a, b in zip(loose, addressed, strict=True)], np.float32)
        faults[own] = told * doubtful[:, None]
        return faults


def _doubts(said: Sequence[Said], faults: NDArray[np.float32]) -> list[Doubt]:
    found: list[Doubt] = []
    for one, row in zip(said, faults.tolist(), strict=True):
        for part, fault in zip(_PARTS, row, strict=True):
            if fault >= DOUBTED:
                loose = [
                    f"{cue.family}: “{cue.text}”" for cue in one.cues if cue.part is part and not cue.held
                ]
                why = f"{'; '.join(loose)} stands in no cited passage" if loose else "by its wording"
                found.append(Doubt(part=part, text=one.text, why=f"{why} ({fault:.0%})"))
    return found
