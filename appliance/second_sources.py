"""Other documents asked the same question, each by itself: whether one of them answers otherwise.

Beside disagreeing. Arrives: a finding and what was gathered. Leaves: the conflicts between what it cites and
what another document answers. Sentences of few like words disagree, too: "1,503 people died" and "the death
toll was 1,517". One short call of the language model for each document that rather bears on the question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

import msgspec

from appliance.domain import DocumentId, Finding, Passage, Struct, years_in
from appliance.domain.quantities import Quantity, quantities
from appliance.evidence.contradict import Conflict, ConflictKind
from appliance.evidence.differing_figures import consistent
from appliance.evidence.statements import Split, Statement, statements_of
from appliance.reasoning.dating import earlier, read_moment

BEARS_MIN = 0.0
"""Log-odds that a passage bears on the question, above which its document is asked."""
DOCUMENTS_MAX = 2
JUDGED_MAX = 8
"""Passages of other documents that the cross-encoder looks at."""
FAR = 20.0
"""Two figures so many times apart measure different things."""
_SOURCE = re.compile(
    r"\b(?:19|20)\d\d\b(?=\W+(?:[\w-]+\W+){0,3}(?:edition|stud(?:y|ies)|surveys?|(?:re-?)?analys[ie]s|trials?"
    r"|reviews?|papers?|articles?|books?|guidelines?|assessments?|evaluations?)\b)"
    r"|[(（][^()（）]{0,12}\b(?:19|20)\d\d\b[^()（）]{0,12}[)）]"
    r"|\b(?:published|presented|issued)\b[^.;]{0,80}?\bin (?:19|20)\d\d\b"
    r"|(?:19|20)\d\d\s*年的?(?:一项)?(?:版|研究|调查|综述|论文|评估|分析)",
    re.IGNORECASE,
)
"""The year of a source, which is none of what it speaks of."""
_YES = re.compile(r"^\s*(?:yes\b|是|对|有|可以|支持|能)", re.IGNORECASE)
_NO = re.compile(r"^\s*(?:no\b|not\b|否|不|没|无)", re.IGNORECASE)

Judge = Callable[[str, Sequence[str]], Sequence[float]]
"""A question and texts to their log-odds; none where no cross-encoder knows the language."""
Answers = Callable[[str, Passage], Finding]
"""What one passage says to a question, proven."""


class Differing(Struct, frozen=True, kw_only=True):
    """Two answers of which only one can be right."""

    kind: ConflictKind
    values: tuple[str, str]


class SecondSources(msgspec.Struct, frozen=True, kw_only=True):
    """What second sources are asked with."""

    judge: Judge
    answers: Answers
    split: Split

    def conflicts(self, finding: Finding, stated: Statement, gathered: Sequence[Passage]) -> list[Conflict]:
        """Conflicts of the statement that the finding cites with those of other documents.

        ``gathered``: passages, best first. Nothing is asked about answers that code could not compare.
        """
        if not comparable(finding.answer):
            return []
        found: list[Conflict] = []
        others = [
            each
            for each in gathered
            if each.document_id != stated.passage.document_id
            and not _apart(years_in(stated.passage.title), years_in(each.title))
            and may_differ(finding.answer, each.text)
        ]
        for passage in self._bearing(finding.question, others[:JUDGED_MAX]):
            told = self.answers(finding.question, passage)
            differing = differs(finding.answer, told.answer) if told.found else None
            quote = told.claims[0].quote if told.claims else ""
            other = self._statement(quote, passage) if quote else None
            if differing and other and not _of_other_times(stated, other, differing):
                found.append(
                    Conflict(
                        kind=differing.kind,
                        one=stated,
                        other=other,
                        values=differing.values,
                        probability=1.0,
                        asked=True,
                    )
                )
        return found

    def _bearing(self, question: str, others: Sequence[Passage]) -> list[Passage]:
        """Of each other document the passage that bears on the question best, where it rather does."""
        if not others:
            return []
        judged = self.judge(question, [f"{each.title}\n{each.text}" for each in others])
        if not judged:
            return []
        ranked = sorted(zip(judged, range(len(others)), strict=True), key=lambda pair: (-pair[0], pair[1]))
        best: dict[DocumentId, Passage] = {}
        for score, at in ranked:
            if score >= BEARS_MIN:
                best.setdefault(others[at].document_id, others[at])
        return [*best.values()][:DOCUMENTS_MAX]

    def _statement(self, quote: str, passage: Passage) -> Statement:
        held = (each for each in statements_of([passage], self.split) if each.raw == quote)
        return next(held, Statement(text=quote, raw=quote, passage=passage))


def comparable(answer: str) -> bool:
    """Return whether code can tell what contradicts an answer: yes or no, a date, one figure."""
    return _polar(answer) is not None or read_moment(answer) is not None or _figure(answer) is not None


def may_differ(answer: str, text: str) -> bool:
    """Return whether a text could answer otherwise: it has such a figure or date, and nowhere the answer."""
    figure, moment = _figure(answer), read_moment(answer)
    if figure is not None:
        alike = [each for each in quantities(text) if each.when is None and each.unit == figure.unit]
        near = any(_near(figure.value, each.value) for each in alike)
        return near and not any(consistent(figure, each) for each in alike)
    if moment is not None:
        told = [each.when for each in quantities(text) if each.when]
        return bool(told) and all(each.year != moment.year or moment.month for each in told)
    return True


def differs(one: str, other: str) -> Differing | None:
    """Return how two answers to one question contradict each other; None where they do not, or may not."""
    signs = (_polar(one), _polar(other))
    if None not in signs:
        return Differing(kind=ConflictKind.SIGN, values=(one, other)) if signs[0] != signs[1] else None
    mine, theirs = _figure(one), _figure(other)
    if mine and theirs:
        apart = mine.unit == theirs.unit and not consistent(mine, theirs) and _near(mine.value, theirs.value)
        return Differing(kind=ConflictKind.FIGURE, values=(one, other)) if apart else None
    moments = (read_moment(one), read_moment(other))
    if moments[0] and moments[1] and earlier(moments[0], moments[1]) is not None:
        return Differing(kind=ConflictKind.FIGURE, values=(one, other))
    return None


def _polar(answer: str) -> bool | None:
    if _NO.match(answer):
        return False
    return True if _YES.match(answer) else None


def _figure(answer: str) -> Quantity | None:
    """The one figure of an answer that is no date; None where it has none or several."""
    read = quantities(answer)
    return read[0] if len(read) == 1 and read[0].when is None else None


def _near(one: float, other: float) -> bool:
    """Whether two figures could be of one thing: one sign, less than :data:`FAR` times apart."""
    if not one or not other or (one > 0) != (other > 0):
        return True
    return max(abs(one / other), abs(other / one)) < FAR


def _of_other_times(one: Statement, other: Statement, differing: Differing) -> bool:
    """Whether two figures are of different years, as both say; years of sources and answers do not count."""
    if differing.kind is not ConflictKind.FIGURE:
        return False
    sides = zip((one.text, other.text), differing.values, strict=True)
    mine, theirs = (set(years_in(_SOURCE.sub("", text))) - set(years_in(answer)) for text, answer in sides)
    return _apart(mine, theirs)


def _apart(mine: Iterable[str], theirs: Iterable[str]) -> bool:
    """Whether both name years, and none in common."""
    one, other = set(mine), set(theirs)
    return bool(one) and bool(other) and not one & other
