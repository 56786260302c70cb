"""One sub-question looked up in passages: lines located, read by the model, proven by code.

Beside steps. Arrives: a try, its passages, what earlier sub-questions found. Leaves: a finding, and how
relevant the best line was.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Protocol

from appliance.answers.coverage import numbered
from appliance.answers.find import Question, find
from appliance.answers.verify import fold, is_han, names
from appliance.calls import Tally
from appliance.domain import AnswerKind, DocumentId, Finding, Passage, Reading, years_in
from appliance.evidence.locate import Analyse, Line
from appliance.ports import LanguageModel, Tell
from appliance.prompts import Prompts
from appliance.reasoning.state import Try

APART_MIN = 3.0
"""Log-odds by which a line stands above those of all other passages."""
_FIRST = re.compile(r"[,;、，；(（]")
_FULL_NAME = re.compile(r"[A-Z][\w.-]+(?: (?:(?:of|the|de|la|von|van) )?[A-Z][\w.-]+)+")
_CELL = re.compile(r" — .*\d")
NAMES_BETTER = 1.2
"""So many times the weight of the question's words in the cited line, and a table's row is read for it."""
BEARS_MIN, BEARS_MIN_ZH = -2.0, -4.0
"""Log-odds of the best line, below which nothing is read: of eight final answers read there none was right
(development questions on prose and tables). The Chinese cross-encoder tells less surely."""
_WORDS = re.compile(r"[A-Za-z一-鿿]{2}")
COVERED = 4.0
"""Log-odds that a passage with every word of the question makes up for: on our own questions the model's
margin and the share of words told right from wrong about equally well."""
FOREIGN = 0.5
"""The share counted for a passage in the other script: its words do not tell."""
PLAIN_MIN = 3.0
"""Log-odds of a line from which on its passage is read once more by itself."""


class Lines(Protocol):
    """Passages to the lines that a model reads."""

    def __call__(self, asked: str, passages: Sequence[Passage]) -> list[Line]:
        """The best lines, numbered from 1."""
        ...


class LookUp:
    """Looks up sub-questions of one run."""

    def __init__(
        self,
        *,
        lines: Lines,
        read: Callable[[str], Reading],
        model: LanguageModel,
        prompts: Prompts,
        analyse: Analyse,
        rarity: Callable[[str], Mapping[str, float]],
        tell: Tell,
        found_margin: float = 0.0,
    ) -> None:
        """``rarity``: of a text its words and pairs of Han characters, each with its idf.

        ``found_margin``: from which the model's "found" counts, see :meth:`_plainly`.
        """
        self._lines, self._read, self._model, self._prompts = lines, read, model, prompts
        self._analyse, self._rarity, self._tell = analyse, rarity, tell
        self._found_margin = found_margin

    def look_up(
        self,
        one: Try,
        passages: Sequence[Passage],
        findings: Sequence[Finding],
        tally: Tally,
        *,
        doubted: Sequence[Passage] = (),
    ) -> tuple[Finding, float | None]:
        """What the passages say, and the log-odds of the best line; None: no cross-encoder judged it.

        ``doubted``: those of an answer that led nowhere, read for another one when the others have none.
        """
        question = self._question(one, findings)
        lines = self._lines(one.asked, passages)
        finding = self._found(question, lines, tally)
        if not finding.found and (near := closer(lines)):
            finding = self._found(question, near, tally)
        if finding.found and (nearer := self._naming(question, finding, lines)):
            again = self._found(question, nearer, tally)
            finding = again if again.found else finding
        if not finding.found and doubted and question.not_this:
            finding = self._found(question, self._lines(one.asked, doubted), tally)
        return finding, max((line.relevance for line in lines if line.relevance is not None), default=None)

    def _naming(self, question: Question, finding: Finding, lines: Sequence[Line]) -> list[Line]:
        """The rows that name the figure asked for plainly better than the cited line, by idf; or none."""
        if question.kind is not AnswerKind.NUMBER:
            return []
        idf, quotes = self._rarity(question.text), {claim.quote for claim in finding.claims}
        weights = {
            line.number: self._weight(question, idf, line, own)
            for own, group in _by_document(lines)
            for line in group
        }
        cited = max((weights[line.number] for line in lines if line.raw in quotes), default=0.0)
        rows = [line for line in lines if _CELL.search(line.shown)]
        best = max((weights[line.number] for line in rows), default=0.0)
        if not cited or best < NAMES_BETTER * cited:
            return []
        return [line for line in rows if weights[line.number] * NAMES_BETTER >= best]

    def _weight(self, question: Question, idf: Mapping[str, float], line: Line, own: str) -> float:
        """Of the question's words in a line, a code also where its document has it: a report's own number.

        ``own``: the lines of its document, folded. Half where the year asked about is not in the line, and
        its document is of another one.
        """
        text = fold(f"{line.passage.title} {line.passage.section_path} {line.shown}")
        words = set(self._analyse(text))
        codes = [name for name in numbered(question.text) if fold(name) in own]
        words |= set(self._analyse(" ".join(codes)))
        held = (term for term in idf if term in words or (is_han(term) and term in text))
        titled = years_in(line.passage.title)
        astray = question.years and titled and not set(question.years) & {*titled, *years_in(line.shown)}
        return sum(idf[term] for term in held) * (0.5 if astray else 1.0)

    def _question(self, one: Try, findings: Sequence[Finding]) -> Question:
        reading = self._read(one.asked)
        before = next((each.answer for each in findings if each.found and each.task_id == one.task.id), "")
        return Question(
            task_id=one.task.id,
            text=one.asked,
            years=reading.years,
            kind=reading.kind,
            bridge=one.bridge,
            steps_to=one.steps_to,
            about=self._about(one, findings),
            named=tuple(word for name in full_names(one.asked) if (word := self._rarest(name))),
            not_this=before if one.excluded else "",
        )

    def _found(self, question: Question, lines: Sequence[Line], tally: Tally) -> Finding:
        if beside_the_question(question.text, lines):
            missing = f"{question.text} — the passages found speak of something else"
            return Finding(task_id=question.task_id, question=question.text, found=False, missing=missing)
        return find(
            question,
            lines,
            model=self._model,
            meter=tally,
            instructions=self._prompts.text("find", self._read(question.text).language),
            analyse=self._analyse,
            dropped=counted(self._tell, tally),
            plainly=partial(self._plainly, question.text, self._rarity(question.text)),
        )

    def _plainly(self, asked: str, idf: Mapping[str, float], margin: float, passage: Passage) -> bool:
        """Whether "found" is more than a guess: the log-odds of the model, and what the passage covers.

        The more of the question's rare words it has, the less sure the model must be.
        """
        return margin + COVERED * coverage(idf, asked, passage) >= self._found_margin

    def _about(self, one: Try, findings: Sequence[Finding]) -> tuple[str, ...]:
        """The word that tells each earlier result which is asked about here from others."""
        known = {each.task_id: each.answer for each in findings if each.found}
        told = (head_of(known[need]) for need in one.task.depends_on if need in known)
        rare = (self._rarest(name) for name in told)
        return tuple(word for word in rare if word)

    def _rarest(self, name: str) -> str:
        """The word of a name that the fewest passages hold; pairs of Han characters are no words."""
        idf, words = self._rarity(name), self._analyse(name)
        return max(words, key=lambda word: idf.get(word, 0.0), default="")


def _by_document(lines: Sequence[Line]) -> Iterator[tuple[str, list[Line]]]:
    """The lines of each document, and their folded text."""
    groups: dict[DocumentId, list[Line]] = {}
    for line in lines:
        groups.setdefault(line.passage.document_id, []).append(line)
    for group in groups.values():
        yield fold(" ".join(line.shown for line in group)), group


def coverage(idf: Mapping[str, float], question: str, passage: Passage) -> float:
    """Return the share, by idf, of a question's words and pairs of characters that a passage holds: 0–1."""
    text = fold(f"{passage.title} {passage.section_path} {passage.text}")
    if is_han(question) != is_han(text):
        return FOREIGN
    whole = sum(idf.values())
    return sum(weight for term, weight in idf.items() if fold(term) in text) / whole if whole else FOREIGN


def full_names(question: str) -> list[str]:
    """Return the names of two words and more in a question: ``Ada Brill``, ``the Kelling Hall``."""
    first, _, rest = question.strip().partition(" ")
    asked = question if names(first) else rest
    return [match.group() for match in _FULL_NAME.finditer(asked)]


def beside_the_question(question: str, lines: Sequence[Line]) -> bool:
    """Return whether a cross-encoder holds every line for one that does not bear on the question at all.

    What a small model reads out of such lines is wrong nearly always, and costs a call. Lines in another
    script are beyond what a cross-encoder of one language can tell.
    """
    told = [line.relevance for line in lines if line.relevance is not None]
    least = BEARS_MIN_ZH if is_han(question) else BEARS_MIN
    same = all(is_han(line.shown) == is_han(question) or not _WORDS.search(line.shown) for line in lines)
    return bool(told) and same and max(told) < least


def head_of(name: str) -> str:
    """Return what a result names, without what is said of it: 甲项目 of 乙教授主持的甲项目（2020年）."""
    first = _FIRST.split(name)[0]
    return first.rpartition("的")[2] or first


def closer(lines: Sequence[Line]) -> list[Line]:
    """Return the lines of the passage that plainly bears on the question, where others stand beside it.

    A small model that the others led astray reads that one right. Empty: none does, or it stands alone.
    """
    best = max(lines, key=lambda line: line.relevance or 0.0, default=None)
    if best is None or best.relevance is None:
        return []
    own = [line for line in lines if line.passage.id == best.passage.id]
    rest = [
        line.relevance for line in lines if line.passage.id != best.passage.id and line.relevance is not None
    ]
    apart = best.relevance > 0 and best.relevance - max(rest, default=best.relevance) >= APART_MIN
    return own if len(own) < len(lines) and (best.relevance >= PLAIN_MIN or apart) else []


def counted(tell: Tell, tally: Tally) -> Callable[[str, list[str]], None]:
    """Return what is told of a claim that was not let through: an event, and one more in the tally."""

    def dropped(text: str, missing: list[str]) -> None:
        tally.dropped += 1
        tell("claim.dropped", text=text, not_in_passage=missing)

    return dropped
