"""Why a reader's reply is not let through: it does not stand in the line, or is about something else.

Arrives: a question, what the model replied and the line that would be cited. Leaves: a :class:`Refusal`, or
None. No model is asked; every rule is a function of its own, and :func:`refusal` lists them in order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Protocol

import msgspec

from appliance.answers.coverage import QUESTION_WORDS, not_covered
from appliance.answers.figure_kinds import figures_stand_in, of_another_kind
from appliance.answers.verify import (
    answer_stands_in,
    fold,
    is_han,
    kind_fits,
    names,
    names_currency,
)
from appliance.domain import AnswerKind, Passage, Struct, years_in
from appliance.ports import Analyse

PATH = " > "
"""Between the headings over a passage's lines: what is copied of them is no answer."""
UNSTATED = "the passages found do not state it"
RELEVANCE_MIN = 1.5
"""Log-odds above which a line is on topic without sharing a word with the question."""
SURELY_MEANT = 5.0
"""Log-odds above which what is asked about may go by another name in the passage."""
_OFFERS_CHOICE = re.compile(
    r"\bor\b|\bwhich of\b|\bbetween\b.+\band\b|还是|或|[和与、].{1,40}哪", re.IGNORECASE
)
_LEGAL_FORM = re.compile(
    r"(?:\b(?:co|company|ltd|limited|inc|incorporated|corp|corporation|plc|llc|gmbh|ag)\b\.?|(?:股份|集团)?有限(?:责任)?公司)",
    re.IGNORECASE,
)
_YES_NO = frozenset(
    {"yes", "no", "是", "否", "有", "没有", "不", "不是", "支持", "不支持", "已取消", "已移除"}
)
_SENTENCES = re.compile(r"(?<=[.!?])\s+(?=[A-Z])|\n")
_NO_ANSWER = frozenset(
    "|none|n/a|null|unknown|not stated|not mentioned|not specified|not given|"
    "无|暂无|未知|未提及|未说明|未披露|不详|没有提到".split("|")
)


class Line(Protocol):
    """What the reader needs of a located line."""

    @property
    def number(self) -> int:
        """Its number, from 1."""
        ...

    @property
    def shown(self) -> str:
        """What the model sees."""
        ...

    @property
    def raw(self) -> str:
        """What stands in the passage."""
        ...

    @property
    def passage(self) -> Passage:
        """Where it stands."""
        ...

    @property
    def relevance(self) -> float | None:
        """A cross-encoder's log-odds that it bears on the question, where one judged it."""
        ...


class FindingReply(Struct, frozen=True, kw_only=True):
    """The schema of the reader's reply."""

    found: bool
    answer: Annotated[str, msgspec.Meta(max_length=160)]
    statement: Annotated[str, msgspec.Meta(max_length=320)]


class BridgeReply(Struct, frozen=True, kw_only=True):
    """The schema where only the bare result is wanted, for a later sub-question: a third of the tokens."""

    found: bool
    answer: Annotated[str, msgspec.Meta(max_length=100)]


class Question(Struct, frozen=True, kw_only=True):
    """A sub-task as asked, with what the evidence must know."""

    task_id: int
    text: str
    years: tuple[str, ...] = ()
    kind: AnswerKind = AnswerKind.OTHER
    bridge: bool = False
    """Its result is only used in a later sub-question: the line itself is the claim."""
    steps_to: tuple[str, ...] = ()
    """Results on the way to the answer; the answer is none of them."""
    about: tuple[str, ...] = ()
    """Words, as the lexical index knows them, without which a passage is about something else."""
    named: tuple[str, ...] = ()
    """Of each full name asked about its rarest word; a passage with none of them is about namesakes."""
    not_this: str = ""
    """An answer that has led nowhere: another one is wanted."""


class Refusal(Struct, frozen=True, kw_only=True):
    """Why a reply is not let through."""

    reason: str
    """For the asker: what is missing."""
    text: str
    """What is dropped."""
    absent: tuple[str, ...]
    """What the passage does not hold."""


def refusal(question: Question, reply: FindingReply, line: Line, analyse: Analyse) -> Refusal | None:
    """Return why the reply may not be said of the line, which is :func:`citable`; None where it may."""
    answer, statement = reply.answer.strip(), reply.statement
    held = proof_text(line.passage)

    def refused(reason: str, text: str, *absent: str) -> Refusal:
        return Refusal(reason=reason, text=text, absent=absent)

    if not kind_fits(question.kind, answer):
        return refused(UNSTATED, answer, f"no {question.kind.value}")
    if not _stands(question, answer, line):
        return refused("the proposed answer does not stand in the line it would cite", answer, "answer")
    if unlike := of_another_kind(question.text, answer):
        return refused(unlike, answer, "kind")
    if names_currency(answer) and not names_currency(line.shown if line.shown == line.raw else held):
        return refused("the figure found is no amount of money", answer, "currency")
    if other := _of_another_year(question, line):
        return refused(f"the passages found speak of {other}", statement, *question.years)
    if not on_topic(question, line, analyse) or of_another_subject(question, answer, line):
        return refused("the passages found speak of something else", statement, "topic")
    if not restates(question, statement, line, analyse):
        return refused("the passages found speak of something else", statement, "topic")
    on_the_way = not is_yes_no(answer) and fold(answer) in {fold(each) for each in question.steps_to}
    known = bool(question.not_this) and fold(question.not_this) == fold(answer)
    if known or on_the_way or repeats_question(question, answer, analyse) or _strays(answer, statement):
        return refused(UNSTATED, statement, "answer")
    return None


def _stands(question: Question, answer: str, line: Line) -> bool:
    """Whether the line, or what stands over it, holds the answer; of a foreign line also with its units."""
    said = f"{line.shown}\n{line.raw}\n{line.passage.title}\n{line.passage.section_path}"
    if PATH in answer or (not is_yes_no(answer) and not answer_stands_in(answer, said)):
        return False
    return is_han(question.text) == is_han(line.shown) or figures_stand_in(answer, said)


def citable(
    question: Question, lines: Sequence[Line], analyse: Analyse
) -> tuple[list[Line], tuple[str, ...]]:
    """Return the lines of which something may be said, and, where there are none, what no passage speaks of.

    What no reply could cite is not read: it costs time and leads a small model astray.
    """
    passages = {line.passage.id: line.passage for line in lines}
    held = {number: proof_text(passage) for number, passage in passages.items()}
    whole: dict[str, str] = {}
    for number, passage in passages.items():
        whole[passage.document_id] = f"{whole.get(passage.document_id, '')}\n{held[number]}"
    uncovered = {
        number: not_covered(question.text, question.years, text, whole[passages[number].document_id])
        for number, text in held.items()
    }
    lacking = [
        uncovered[line.passage.id] or _about_another(question, line, held[line.passage.id], analyse)
        for line in lines
    ]
    kept = [line for line, absent in zip(lines, lacking, strict=True) if not absent]
    return kept, () if kept else tuple(min(lacking, key=len, default=()))


def is_yes_no(answer: str) -> bool:
    """Return whether an answer is a bare yes or no."""
    return fold(answer) in _YES_NO


def says_nothing(answer: str) -> bool:
    """Return whether an answer is empty or a word for "not stated"."""
    return fold(answer).strip(" .。") in _NO_ANSWER


def proof_text(passage: Passage) -> str:
    """Return what a claim is checked against: title, section, date and text of the passage."""
    return "\n".join((passage.title, passage.section_path, passage.published or "", passage.text))


def _strays(answer: str, statement: str) -> bool:
    """Whether the sentence that should carry an answer says something else: the model has not read it."""
    return bool(statement.strip()) and not is_yes_no(answer) and not answer_stands_in(answer, statement)


def repeats_question(question: Question, answer: str, analyse: Analyse) -> bool:
    """Return whether an answer is nothing but words of a question that offers no choice.

    What a company is by law adds nothing: ``Orbis Co., Ltd.`` is no answer to who supplies Orbis.
    """
    if is_yes_no(answer) or question.kind is AnswerKind.YES_NO or _OFFERS_CHOICE.search(question.text):
        return False
    said = fold(_LEGAL_FORM.sub(" ", answer)).strip(" .,。")
    words = set(analyse(said))
    return said in fold(question.text) or (bool(words) and words <= set(analyse(question.text)))


def _of_another_year(question: Question, line: Line) -> str:
    """The years of the cited line when they are not the one asked about."""
    held = years_in(line.shown)
    return ", ".join(held) if question.years and held and not set(held) & set(question.years) else ""


def on_topic(question: Question, line: Line, analyse: Analyse) -> bool:
    """Return whether the line shares a word with what is asked, beside names of the document and figures.

    A line in another script than the question's cannot be judged by words and is let through; so is one
    that says it in other words ("head" for "leader") by the cross-encoder's opinion.
    """
    if is_han(question.text) != is_han(line.shown) or (line.relevance or 0.0) > RELEVANCE_MIN:
        return True
    named = set(analyse(line.passage.title)) | set(analyse(" ".join(names(question.text))))
    wanted = {word for word in analyse(question.text) if not re.search(r"\d", word)} - named
    return not wanted or bool(wanted & set(analyse(f"{line.shown} {line.passage.section_path}")))


RESTATED = 0.5
"""Share of a question's words that must come back in what is said of a line in another script."""


def restates(question: Question, statement: str, line: Line, analyse: Analyse) -> bool:
    """Return whether the sentence about a line in another script answers what was asked, in its words.

    Words cannot tell whether such a line is on topic. A reader who has found the answer says it in the
    question's words; one that has not tells what else the line says.
    """
    if (
        not statement
        or is_han(question.text) == is_han(line.shown)
        or is_han(statement) == is_han(line.shown)
    ):
        return True
    wanted = {word for word in analyse(question.text) if word not in QUESTION_WORDS}
    return len(wanted & set(analyse(statement))) >= RESTATED * len(wanted)


def of_another_subject(question: Question, answer: str, line: Line) -> bool:
    """Return whether the answer's sentence begins with what its document is about, which nobody asked about.

    ``Orbis employed 1,905 people`` in the report of Orbis does not tell how many work for its supplier, which
    the sentence before names.
    """
    asked = {fold(name) for name in names(question.text) if fold(name) not in QUESTION_WORDS}
    head = fold(f"{line.passage.title} {line.passage.section_path}")
    told = [one for one in _SENTENCES.split(line.shown) if answer_stands_in(answer, one)]
    if not asked or len(told) != 1 or any(name in f"{head} {fold(told[0])}" for name in asked):
        return False
    opening = [fold(name) for name in names(" ".join(told[0].split()[:4]))]
    return bool(opening) and opening[0] in fold(line.passage.title)


def _about_another(question: Question, line: Line, held: str, analyse: Analyse) -> list[str]:
    """The words that tell what is asked about which the passage lacks: one Brands Ltd is not the other.

    A passage in another script calls it otherwise, and one may call it by a byname where it is surely meant.
    """
    if (line.relevance or 0.0) > SURELY_MEANT or is_han(question.text) != is_han(held):
        return []
    if not question.about and not question.named:
        return []
    words = set(analyse(held))
    strangers = question.named if not words & set(question.named) else ()
    return [*(word for word in question.about if word not in words), *strangers]
