"""What the entailment head looks at: a premise and a claim in numbers.

Arrives: the texts, their similarities and relevances as the encoder and the cross-encoder give them. Leaves:
a vector whose places :data:`NAMES` names. A claim may be a question followed by its answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from appliance.domain import Struct
from appliance.domain.quantities import carries, quantities
from appliance.domain.stance import Reach, denials, hedged, opposed, reaches
from appliance.domain.wording import covered, folded, words_of

NAMES = (
    "relevance", "relevance_of_question", "cosine", "cosine_best_line", "cosine_answer_line_gap", "covered",
    "covered_by_line", "answer_covered", "answer_in_question", "words_missing", "order_kept", "figures",
    "figures_missing", "figures_missing_in_line", "capitals_missing", "denied_by_claim_only",
    "denied_by_premise_only",
    "opposed", "hedged_by_premise_only", "only_in_claim_alone", "all_against_part", "asks", "yes_no",
    "han", "across",
    "claim_words", "premise_words", "answer_words", "lines",
)  # fmt: skip
Vector = NDArray[np.float32]
LINES_MAX = 6
_ASKED = re.compile(r"^(?P<question>.{4,}[?？])\s*(?P<answer>\S.*)$", re.DOTALL)
_LINE = re.compile(r"(?<=[。！？；])|(?<=[.!?])\s+(?=[A-Z\d\"“])|\n")
_CAPITAL = re.compile(r"[A-Z][\w'’-]+")
_HAN = re.compile(r"[一-鿿]")
_YES_NO = frozenset("yes no 是 否 不是 有 没有".split())


class Read(Struct, frozen=True, kw_only=True):
    """A pair taken apart: which texts the encoder and the cross-encoder are to see."""

    premise: str
    question: str
    answer: str
    """The claim itself where no question stands before it."""
    lines: tuple[str, ...]

    @property
    def claim(self) -> str:
        """Question and answer, or the claim."""
        return f"{self.question} {self.answer}".strip()

    @property
    def han(self) -> bool:
        """Whether either side is Chinese."""
        return bool(_HAN.search(self.claim) or _HAN.search(self.premise))


def read_pair(premise: str, claim: str) -> Read:
    """Return the pair taken apart; of a premise at most :data:`LINES_MAX` lines are looked at singly."""
    asked = _ASKED.match(claim)
    lines = [line.strip() for line in _LINE.split(premise) if line and line.strip()]
    return Read(
        premise=premise,
        question=asked["question"] if asked else "",
        answer=asked["answer"] if asked else claim,
        lines=tuple(lines[:LINES_MAX]) or (premise,),
    )


def vector_of(
    pair: Read,
    relevance: float,
    relevance_of_question: float,
    cosines: Sequence[float],
    question_cosines: Sequence[float],
) -> Vector:
    """Return (features,) float32.

    ``relevance``: log-odds of claim and premise; ``cosines``: of the claim with the premise, then with each
    line; ``question_cosines``: of the question with each line (empty without a question).
    """
    words, held = words_of(pair.claim), words_of(pair.premise)
    by_line = [words_of(line) for line in pair.lines]
    answer = words_of(pair.answer)
    best = max(
        range(len(by_line)), key=lambda at: (covered(answer, by_line[at]), covered(words, by_line[at]))
    )
    line, claim = pair.lines[best], pair.answer
    figures = quantities(claim)
    premise_figures, line_figures = quantities(pair.premise), quantities(line)
    mine, theirs = denials(claim), denials(line)
    capitals = {word for word in _CAPITAL.findall(claim[1:])}
    lower = folded(pair.premise + pair.question)
    reach, reach_held = reaches(claim), reaches(line)
    values = (
        relevance, relevance_of_question, cosines[0], max(cosines[1:]),
        (max(question_cosines) - question_cosines[best]) if question_cosines else 0.0,
        covered(words, held), max(covered(words, one) for one in by_line), covered(answer, held),
        covered(answer, words_of(pair.question)) if pair.question else 0.0,
        math.log1p(sum(weight for word, weight in answer.items() if word not in held)), _order(claim,
        pair.premise),
        min(len(figures), 4), sum(not any(carries(h, f) for h in premise_figures) for f in figures),
        sum(not any(carries(h, f) for h in line_figures) for f in figures),
        sum(folded(word) not in lower for word in capitals), bool(mine and not theirs),
        bool(theirs and not mine),
        opposed(claim, line) is not None, bool(hedged(line) and not hedged(claim)),
        Reach.ONLY in reach and Reach.ONLY not in reach_held, Reach.ALL in reach and Reach.PART in reach_held,
        bool(pair.question), folded(pair.answer).strip(" .。") in _YES_NO, bool(_HAN.search(pair.claim)),
        bool(_HAN.search(pair.claim)) != bool(_HAN.search(pair.premise)),
        math.log1p(sum(words.values())), math.log1p(sum(held.values())),
        math.log1p(sum(answer.values())), len(pair.lines),
    )  # fmt: skip
    return np.array([float(value) for value in values], np.float32)


def _order(claim: str, premise: str) -> float:
    """Share of the claim's neighbouring words (of Chinese: runs of three) that stand so in the premise."""
    mine, theirs = _pairs(claim), set(_pairs(premise))
    return sum(pair in theirs for pair in mine) / len(mine) if mine else 1.0


def _pairs(text: str) -> list[tuple[str, ...]]:
    tokens = re.findall(r"[a-z0-9]+|[一-鿿]", folded(text))
    width = 3 if _HAN.search(text) else 2
    return [tuple(tokens[at : at + width]) for at in range(len(tokens) - width + 1)]
