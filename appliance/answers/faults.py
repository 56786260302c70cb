"""What a claim says and its supporting pieces do not: figures, units, moments, names, denial, reach. By code.

Arrives: a claim as read, the pieces that support it best, and their source. Leaves: :class:`Fault` s.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from appliance.answers.names import name_faults, proper, rival_names
from appliance.answers.pieces import Piece, Source
from appliance.answers.swapped import swapped_names
from appliance.answers.verify import fold, is_han, names
from appliance.domain import Fault, FaultKind
from appliance.domain.quantities import ORDINAL, Quantity, carries, quantities, same
from appliance.domain.stance import Denial, Reach, denials, hedged, modal, opposed, reaches
from appliance.domain.wording import covered, words_of

_SENTENCE = re.compile(r"(?<=[。！？；])|(?<=[.!?])\s+(?=[A-Z\d\"“])|\n")


ON_TOPIC = 0.3
"""Share of a claim's words in a sentence from which the sentence's denials and reach are held against it."""
ALIKE = 0.6
"""Share from which a sentence is taken for the one that the claim restates: its names count."""
NOVEL = 1 / 3
"""Share of an answer's words from which words found nowhere make it an invention."""
SHORT = 3.0
"""Words, by weight, up to which an answer is a bare answer and no sentence."""
CLAUSE = 2.0
"""Words, by weight, from which a clause is judged by itself."""
VERY = 0.85
"""Share, of both, from which the two are one sentence but for a word or two."""


class Said:
    """A claim, read once. With a question the claim is its answer, and the question lends words and names."""

    def __init__(self, claim: str, *, question: str = "", known: str = "") -> None:
        self.claim, self.question, self.known = claim, question, known
        self.text = f"{question} {claim}".strip()

    @cached_property
    def words(self) -> dict[str, float]:
        """Of question and claim."""
        return words_of(self.text)

    @cached_property
    def figures(self) -> tuple[Quantity, ...]:
        """Of the claim alone."""
        return quantities(self.claim)

    @cached_property
    def asked(self) -> tuple[Quantity, ...]:
        """The years that the question asks about."""
        return tuple(one for one in quantities(self.question) if one.when and one.when.year)

    def beside(self, figure: Quantity) -> dict[str, float]:
        """The words that the claim says of one figure: of its clause, and of clauses without one."""
        own = words_of(figure.text)
        near = self._near(figure)
        words = self.words if near is None else words_of(f"{self.question} {near}")
        return {word: weight for word, weight in words.items() if word not in own}

    def _near(self, figure: Quantity) -> str | None:
        parts = [part.text for part in Piece(self.claim, 0, cells=_cells(self.claim)).parts]
        holds = [[q for q in quantities(part) if _same_kind(q, figure)] for part in parts]
        if sum(bool(found) for found in holds) < 2:
            return None
        at = next((at for at, found in enumerate(holds) if any(q.text == figure.text for q in found)), None)
        if at is None:
            return None
        first, last = at, at + 1
        while first > 0 and not holds[first - 1]:
            first -= 1
        while last < len(parts) and not holds[last]:
            last += 1
        return " ".join(parts[first:last])

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """Of the claim; a short answer of a word or two is none: its question is not held against a text."""
        found = tuple(one.strip() for one in _SENTENCE.split(self.claim) if one and one.strip())
        return (
            found if not self.question else tuple(one for one in found if sum(words_of(one).values()) > SHORT)
        )


def _cells(claim: str) -> tuple[str, ...]:
    cells = tuple(cell.strip() for cell in claim.strip("|").split("|"))
    return cells if len(cells) > 2 else ()


def faults_of(said: Said, support: Sequence[Piece], source: Source) -> list[Fault]:
    """Return every fault of a claim against its supporting pieces; none: nothing speaks against it."""
    found = [fault for figure in said.figures if (fault := _figure(said, figure, support, source))]
    found += [fault for moment in said.asked if (fault := _another_time(moment, support[0], source))]
    found += name_faults(said.claim, f"{source.head} {source.passage.text} {said.known} {said.question}")
    main = support[0]
    if not said.question and covered(said.words, main.words) >= ALIKE:
        lender = f"{source.head} {main.text} {' '.join(main.header)} {said.known}"
        found += rival_names(said.claim, main.text, lender)
        if is_han(said.claim) and is_han(main.text):
            found += swapped_names(said.claim, main.text, f"{lender} {source.passage.text}")
    found += _novel(said, source) if said.question else _half(said, source)
    for sentence in said.sentences:
        words = words_of(sentence)
        piece = max(source.pieces, key=lambda one: covered(words, one.words))
        if covered(words, piece.words) >= ON_TOPIC:
            found += _denial(sentence, piece.text)
            found += _reach(said, sentence, piece.text)
    return found


def _novel(said: Said, source: Source) -> list[Fault]:
    """Words of an answer that neither its passage nor its question has, where they are a good part of it."""
    words, asked = words_of(said.claim), words_of(said.question)
    if is_han(said.claim) != is_han(source.passage.text):
        return []
    new = {word: weight for word, weight in words.items() if word not in source.words and word not in asked}
    if sum(new.values()) <= NOVEL * sum(words.values()):
        return []
    return [Fault(kind=FaultKind.ENTAILMENT, said=" ".join(new))]


def _half(said: Said, source: Source) -> list[Fault]:
    """A clause of which the passage knows next to nothing, beside one that is nearly its own words."""
    clauses = [(part.text, words_of(part.text)) for part in Piece(said.claim, 0).parts]
    known = [(text, covered(words, source.words)) for text, words in clauses if sum(words.values()) >= CLAUSE]
    if not any(share >= VERY for _, share in known):
        return []
    return [Fault(kind=FaultKind.ENTAILMENT, said=text.strip()) for text, share in known if share < ON_TOPIC]


def _another_time(asked: Quantity, piece: Piece, source: Source) -> Fault | None:
    """The year of a question where its passage nowhere has it, and the sentence is of another."""
    held = [q for one in source.pieces for q in one.figures] + list(source.head_figures)
    if any(q.value == asked.value or same(q, asked) for q in held):
        return None
    rival = next((q for q in piece.figures if q.when and q.when.year), None)
    return Fault(kind=FaultKind.DATE, said=asked.text, holds=rival.text) if rival else None


def _figure(said: Said, figure: Quantity, support: Sequence[Piece], source: Source) -> Fault | None:
    kind = FaultKind.DATE if figure.when else FaultKind.NUMBER
    bearing = [(p, q) for p in source.pieces for q in p.figures if _agree(q, figure, source.scale)]
    if figure.when and any(carries(q, figure) for q in source.head_figures):
        rivals = [q for p in support[:1] for q in p.figures if q.when and q.when.year and not same(q, figure)]
        if bearing or not rivals:
            return None
    named = (*source.head_figures, *quantities(said.known)) if figure.unit == ORDINAL else ()
    if any(same(q, figure) for q in named):
        return None  # part of a name: the Third Hospital
    if not bearing:
        if figure.unit == ORDINAL and figure.value <= 2:
            return None
        return _absent(figure, kind, support)
    near = {id(piece): piece for piece in support}
    ok = [(p, q) for p, q in bearing if (id(p) in near or _touches(said, figure, p))]
    unmixed = [(p, q) for p, q in ok if not mixed(said, figure, p, source)]
    if not unmixed:
        return _absent(figure, kind, support)
    held = unmixed[0][1]
    if (
        held.bound != figure.bound
        and (held.bound == "max" or figure.bound)
        and not held.ranged
        and not figure.when
    ):
        return Fault(
            kind=FaultKind.SCOPE,
            said=f"{figure.bound} {figure.text}".strip(),
            holds=f"{held.bound} {held.text}",
        )
    return None


def _agree(held: Quantity, figure: Quantity, scale: float) -> bool:
    if carries(held, figure):
        return True
    if scale == 1.0 or held.when or held.unit == "percent" or figure.when:
        return False
    wide = Quantity(
        value=held.value * scale, low=held.low * scale, high=held.high * scale, unit=held.unit,
        step=held.step * scale, span=held.span,
    )  # fmt: skip
    return carries(wide, figure)


def _absent(figure: Quantity, kind: FaultKind, support: Sequence[Piece]) -> Fault:
    held = [q for piece in support for q in piece.figures]
    digits = re.sub(r"[^\d.]", "", figure.text)
    named = (figure.unit, figure.written_unit)
    unit = [
        q for q in held
        if digits and re.sub(r"[^\d.]", "", q.text) == digits and figure.unit and (q.unit,
        q.written_unit) != named
    ]  # fmt: skip
    if unit:
        return Fault(kind=FaultKind.UNIT, said=figure.text, holds=unit[0].text)
    alike = [q for q in held if (q.when is None) == (figure.when is None) and q.unit == figure.unit]
    return Fault(kind=kind, said=figure.text, holds=alike[0].text if alike else "")


def _touches(said: Said, figure: Quantity, piece: Piece) -> bool:
    """Whether a piece that holds the figure speaks of anything else that the claim says."""
    return covered(said.beside(figure), piece.words) >= 0.2


def mixed(said: Said, figure: Quantity, piece: Piece, source: Source) -> bool:
    """Return whether the figure belongs to another row, clause or column than the claim's other words.

    So it is where another part holds a figure of this kind and those words of the claim that set the two
    parts apart, while the part with the claimed figure adds none of them, but words of its own.
    """
    if said.question and not piece.cells and not _names_another(said, piece):
        return False  # prose goes on about its subject: "It opened in 1995." is no other's row
    alike = bool(said.question) and not piece.cells
    wanted = said.beside(figure)
    peers = [one for one in source.pieces if one is not piece]
    if _outdone(wanted, figure, piece, peers, source.scale, alike):
        return True
    parts = piece.parts
    own = [part for part in parts if any(_agree(q, figure, source.scale) for q in part.figures)]
    if len(parts) < 2 or not own or "respectively" in piece.text or "分别" in piece.text:
        return False
    others = [part for part in parts if part not in own]
    return all(_outdone(wanted, figure, part, others, source.scale, alike) for part in own)


def _names_another(said: Said, piece: Piece) -> bool:
    """Whether a sentence has a name that question and answer have not."""
    found = proper(piece.text) if is_han(piece.text) else [n for n in names(piece.text) if not quantities(n)]
    return any(fold(name) not in fold(said.text) for name in found)


def _outdone(
    wanted: dict[str, float],
    figure: Quantity,
    part: Piece,
    others: Sequence[Piece],
    scale: float,
    parallel: bool = False,
) -> bool:
    mine = {word for word in wanted if word in part.words}
    foreign = [word for word in part.words if word not in wanted and not word[0].isdigit()]
    rival_year = [q for q in part.figures if q.when and q.when.year]
    if not foreign and not rival_year:
        return False
    for other in others:
        alike = [q for q in other.figures if _same_kind(q, figure) and not _agree(q, figure, scale)]
        if not alike or (parallel and not _parallel(part, other)):
            continue
        theirs = sum(wanted[word] for word in wanted if word in other.words and word not in mine)
        extra = sum(wanted[word] for word in mine if word not in other.words)
        if theirs >= 0.9 and extra * 2 <= theirs - 0.4:
            return True
    return False


def _parallel(part: Piece, other: Piece) -> bool:
    """Whether two sentences say one thing of two subjects: they share a word that is no figure."""
    return any(word in other.words for word in part.words if not word[0].isdigit())


def _same_kind(held: Quantity, figure: Quantity) -> bool:
    return (held.when is None) == (figure.when is None) and (
        held.unit == figure.unit or not held.unit or not figure.unit
    )


def _denial(claim: str, text: str) -> list[Fault]:
    claimed, held = denials(claim), denials(text)
    words, theirs = words_of(claim), words_of(text)
    if covered(words, theirs) >= VERY and covered(theirs, words) >= VERY and len(claimed) != len(held):
        return [Fault(kind=FaultKind.NEGATION, said=_cues(claimed), holds=_cues(held))]
    for one in claimed:
        if any(_meet(one.governs, other.governs) or one.cue.lower() == other.cue.lower() for other in held):
            continue
        if not held or any(word in theirs for word in one.governs):
            return [Fault(kind=FaultKind.NEGATION, said=f"{one.cue} {' '.join(one.governs)}".strip())]
    for other in held:
        governed = [word for word in other.governs[:2] if any(mine.startswith(word[:5]) for mine in words)]
        if governed and not claimed and covered(words, words_of(_clause(text, other.start))) >= 0.25:
            return [
                Fault(
                    kind=FaultKind.NEGATION, said=governed[0], holds=f"{other.cue} {' '.join(other.governs)}"
                )
            ]
    if len(claimed) == len(held) and (pair := opposed(claim, text)):
        return [Fault(kind=FaultKind.NEGATION, said=pair[0], holds=pair[1])]
    return []


def _cues(found: Sequence[Denial]) -> str:
    return " ".join(one.cue for one in found)


def _clause(text: str, at: int) -> str:
    left = max((text.rfind(mark, 0, at) for mark in ",;，；:："), default=-1) + 1
    right = min((found for mark in ",;，；" if (found := text.find(mark, at)) >= 0), default=len(text))
    return text[left:right]


def _meet(one: Sequence[str], other: Sequence[str]) -> bool:
    return any(a[:5] == b[:5] for a in one for b in other)


def _reach(said: Said, claim: str, text: str) -> list[Fault]:
    mine, theirs = reaches(claim), reaches(text)
    if Reach.ONLY in mine and Reach.ONLY not in theirs:
        return [Fault(kind=FaultKind.SCOPE, said="only")]
    if Reach.ALL in mine and Reach.PART in theirs and Reach.ALL not in theirs and Reach.PART not in mine:
        return [Fault(kind=FaultKind.SCOPE, said="all", holds="part")]
    if Reach.SURE in mine and Reach.SURE not in theirs:
        return [Fault(kind=FaultKind.SCOPE, said="always", holds=hedged(text))]
    unsure = hedged(text)
    if not said.question and covered(words_of(claim), words_of(text)) >= VERY <= covered(
        words_of(text), words_of(claim)
    ):
        if mine != theirs:
            return [Fault(kind=FaultKind.SCOPE, said=" ".join(sorted(mine)), holds=" ".join(sorted(theirs)))]
        if unsure and not hedged(claim):
            return [Fault(kind=FaultKind.SCOPE, said="states", holds=unsure)]
    if unsure and not said.question and not hedged(claim) and not modal(claim) and not denials(claim):
        clause = _clause(text, text.find(unsure))
        if covered(words_of(claim), words_of(clause)) >= ON_TOPIC:
            return [Fault(kind=FaultKind.SCOPE, said="states", holds=unsure)]
    return []
