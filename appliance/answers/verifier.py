"""Is a claim carried by its passages? Code looks for faults, a trained head judges what code cannot.

Arrives: a claim (or a question and its short answer) and the passages it cites. Leaves: a :class:`Verdict`
with the faults and the place of the sentence that comes closest. Independent of whoever wrote the claim.
"""

from __future__ import annotations

from collections.abc import Sequence

from appliance.answers.faults import Said, faults_of
from appliance.answers.pieces import Piece, Source, Split
from appliance.answers.verify import fold
from appliance.domain import Fault, FaultKind, Passage, Span, Verdict
from appliance.domain.wording import covered
from appliance.ports import Entails

BAR = 0.5
"""Probability from which a claim without a fault is supported."""
SUPPORT_MAX = 3
"""Pieces that may carry one claim together: two hops, and a sentence between them."""
FAULTY = 0.15
"""A claim with a fault keeps this share of its probability as confidence."""
SURELY_HELD = 0.9
"""Share of a claim's words from which on rules alone judge it: the head is for what is said otherwise."""
VERBATIM, IN_A_ROW = 1.0, 0.95
WHOLE = 0.8
"""Share of a sentence's words that a claim out of it, word for word, must have; else a condition may lack."""


class Verifier:
    """Judges claims. Safe to share between threads where ``entails`` is."""

    def __init__(self, entails: Entails | None, split: Split, *, bar: float = BAR) -> None:
        """``entails`` None: only what code can find is found, and confidence is the share of words held."""
        self._entails, self._split, self._bar = entails, split, bar

    def verdict(
        self, claim: str, passages: Sequence[Passage], *, known: str = "", question: str = ""
    ) -> Verdict:
        """Return the verdict by the passage that fits best.

        ``known`` lends names (a result already proven), never figures. With ``question`` the claim is a
        short answer to it. No passage, an empty claim: unsupported, fault ``source``.
        """
        said = Said(claim.strip(), question=question.strip(), known=known)
        sources = [Source(passage, self._split) for passage in passages if passage.text.strip()]
        if not said.claim or not sources:
            return Verdict(
                supported=False, confidence=0.0, faults=(Fault(kind=FaultKind.SOURCE, said=said.claim),)
            )
        judged = [self._judge(said, source) for source in self._ranked(said, sources)]
        return max(judged, key=lambda one: (one.supported, one.confidence))

    def _ranked(self, said: Said, sources: Sequence[Source]) -> list[Source]:
        ranked = sorted(sources, key=lambda one: covered(said.words, one.words), reverse=True)
        return ranked[:SUPPORT_MAX]

    def _judge(self, said: Said, source: Source) -> Verdict:
        support = supporting(said, source)
        span = Span(start=support[0].start, end=support[0].end)
        stands = _stands(said, support[0], source)
        faults = [] if stands else faults_of(said, support, source)
        if stands:
            probability = VERBATIM
        else:
            probability = self._probability(said, support, source)
            if probability < self._bar and not faults:
                faults = [Fault(kind=FaultKind.ENTAILMENT, said=said.claim)]
        return Verdict(
            supported=not faults,
            confidence=round(probability * (FAULTY if faults and probability >= self._bar else 1.0), 4),
            faults=tuple(faults),
            fingerprint=source.passage.fingerprint,
            span=span,
        )

    def _probability(self, said: Said, support: Sequence[Piece], source: Source) -> float:
        held = covered(said.words, source.words)
        if any(one.cells for one in support) and said.figures and not said.question:
            return IN_A_ROW  # the head has read prose; the rules tell whose row a figure stands in
        if self._entails is None or (not said.question and held >= SURELY_HELD):
            return held
        return self._entails([(premise_of(support, source), said.text)])[0]


def _stands(said: Said, piece: Piece, source: Source) -> bool:
    """Whether the claim is the passage's own words, and not so few of a sentence's that its sense is cut."""
    if said.question:
        return False
    claim = fold(said.claim).strip(" .。；;")
    whole = claim in fold(piece.text) and covered(piece.words, said.words) >= WHOLE
    return whole or (len(claim) > 1.1 * len(piece.text) and claim in fold(source.passage.text))


def premise_of(support: Sequence[Piece], source: Source) -> str:
    """Return what the head reads: head of the passage, then the supporting pieces in their order."""
    ordered = sorted(support, key=lambda one: one.start)
    lines = [" ".join((*one.header, one.text)) if one.header else one.text for one in ordered]
    return "\n".join([part for part in (source.passage.title,) if part and part not in lines[0]] + lines)


def supporting(said: Said, source: Source) -> list[Piece]:
    """Return up to :data:`SUPPORT_MAX` pieces that hold most of the claim's words, the best first."""
    left = dict(said.words)
    chosen: list[Piece] = []
    while len(chosen) < SUPPORT_MAX:
        rest = [piece for piece in source.pieces if piece not in chosen]
        gain = {id(piece): sum(w for word, w in left.items() if word in piece.words) for piece in rest}
        best = max(rest, key=lambda piece: (gain[id(piece)], -piece.start), default=None)
        if best is None or (chosen and gain[id(best)] < max(1.0, 0.08 * sum(said.words.values()))):
            break
        chosen.append(best)
        left = {word: weight for word, weight in left.items() if word not in best.words}
    return chosen
