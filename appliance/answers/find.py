"""One sub-task's finding: the model reads lines, code finds the line that says it and lets it through or not.

Arrives: a question and the located lines. Leaves: a :class:`Finding` whose claim is proven against the
passage it cites, or what is missing. The model never sees or writes a fingerprint, nor chooses a citation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from appliance.answers.verify import (
    answer_stands_in,
    fold,
    grams,
    is_han,
    kind_fits,
    names,
    names_currency,
    numbers,
    ordinals,
    unsupported,
)
from appliance.domain import AnswerKind, Claim, ClaimKind, Finding, Passage, Prompt, Struct, years_in
from appliance.ports import LanguageModel, Meter

FIND_TOKENS = 180
RELEVANCE_MIN = 1.5
"""Log-odds above which a line is on topic without sharing a word with the question."""
_OFFERS_CHOICE = re.compile(r"\bor\b|还是|或", re.IGNORECASE)
Dropped = Callable[[str, list[str]], None]
"""Told the text of a claim that was not let through and what its passages do not hold."""
_YES_NO = frozenset(
    {"yes", "no", "是", "否", "有", "没有", "不", "不是", "支持", "不支持", "已取消", "已移除"}
)

_NO_ANSWER = frozenset(
    "|none|n/a|null|unknown|not stated|not mentioned|not specified|not given|"
    "无|暂无|未知|未提及|未说明|未披露|不详|没有提到".split("|")
)

Analyse = Callable[[str], list[str]]
"""The words of a text as the lexical index knows them."""


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
    answer: str
    statement: str


class Question(Struct, frozen=True, kw_only=True):
    """A sub-task as asked, with what the evidence must know."""

    task_id: int
    text: str
    years: tuple[str, ...] = ()
    kind: AnswerKind = AnswerKind.OTHER


def find(
    question: Question,
    lines: Sequence[Line],
    *,
    model: LanguageModel,
    meter: Meter,
    instructions: str,
    analyse: Analyse,
    dropped: Dropped,
) -> Finding:
    """Return what the lines say about the question, proven by code, or what is missing."""
    if not lines:
        return _missing(question, "nothing readable was retrieved")
    prompt = Prompt(system=instructions, user=f"{render(lines)}\nQ: {question.text}")
    completion = model.complete(prompt, max_tokens=FIND_TOKENS, schema=FindingReply)
    meter.add(completion.usage)
    try:
        reply = msgspec.json.decode(completion.text, type=FindingReply)
    except msgspec.MsgspecError:
        return _missing(question, "the model's reply was cut off")
    if not reply.found or fold(reply.answer).strip(" .。") in _NO_ANSWER:
        return _missing(question, "the passages found do not state it")
    return _prove(question, reply, _best_line(reply, lines), analyse, dropped)


def render(lines: Sequence[Line]) -> str:
    """Return the lines under a heading per passage."""
    shown: list[str] = []
    passage_id = None
    for line in lines:
        if line.passage.id != passage_id:
            passage_id = line.passage.id
            head = " > ".join(part for part in (line.passage.title, line.passage.section_path) if part)
            shown.append(f"# {head}{f' ({line.passage.published})' if line.passage.published else ''}")
        shown.append(f"- {line.shown}")
    return "\n".join(shown)


def _best_line(reply: FindingReply, lines: Sequence[Line]) -> Line:
    """The line that carries the reply: it holds its answer and most of its statement's words."""
    answer = "" if fold(reply.answer) in _YES_NO else reply.answer
    said = grams(f"{reply.statement} {answer}")

    def weight(line: Line) -> float:
        held = grams(f"{line.shown} {line.raw} {line.passage.title} {line.passage.section_path}")
        return len(said & held) / (len(said) or 1) + (1.0 if answer and _holds(answer, line) else 0.0)

    return max(lines, key=lambda line: (weight(line), line.number))


def _holds(answer: str, line: Line) -> bool:
    return answer_stands_in(answer, f"{line.shown}\n{line.raw}")


def _prove(
    question: Question, reply: FindingReply, line: Line, analyse: Analyse, dropped: Dropped
) -> Finding:
    answer = reply.answer.strip()
    held = proof_text(line.passage)
    if not kind_fits(question.kind, answer):
        dropped(answer, [f"no {question.kind.value}"])
        return _missing(question, "the passages found do not state it")
    said = f"{line.shown}\n{line.raw}\n{line.passage.title}\n{line.passage.section_path}"
    if fold(answer) not in _YES_NO and not answer_stands_in(answer, said):
        dropped(answer, ["answer"])
        return _missing(question, "the proposed answer does not stand in the line it would cite")
    if names_currency(answer) and not names_currency(line.shown if line.shown == line.raw else held):
        dropped(answer, ["currency"])
        return _missing(question, "the figure found is no amount of money")
    if other := _of_another_year(question, line):
        dropped(reply.statement, list(question.years))
        return _missing(question, f"the passages found speak of {other}")
    if not on_topic(question, line, analyse):
        dropped(reply.statement, ["topic"])
        return _missing(question, "the passages found speak of something else")
    if absent := not_covered(question, held):
        dropped(reply.statement, absent)
        return _missing(question, f"no passage found speaks of {', '.join(absent)}")
    if repeats_question(question, answer) or _strays(answer, reply.statement):
        dropped(reply.statement, ["answer"])
        return _missing(question, "the passages found do not state it")
    return Finding(
        task_id=question.task_id,
        question=question.text,
        found=True,
        answer=answer,
        claims=(_claim(reply.statement.strip(), line, dropped),),
    )


def _strays(answer: str, statement: str) -> bool:
    """Whether the sentence that should carry an answer says something else: the model has not read it."""
    return bool(statement.strip()) and fold(answer) not in _YES_NO and not answer_stands_in(answer, statement)


def repeats_question(question: Question, answer: str) -> bool:
    """Return whether an answer is nothing but words of a question that offers no choice."""
    if fold(answer) in _YES_NO or question.kind is AnswerKind.YES_NO or _OFFERS_CHOICE.search(question.text):
        return False
    return fold(answer).strip(" .。") in fold(question.text)


def _of_another_year(question: Question, line: Line) -> str:
    """The years of the cited line when they are not the one asked about."""
    held = years_in(line.shown)
    return ", ".join(held) if question.years and held and not set(held) & set(question.years) else ""


def _claim(statement: str, line: Line, dropped: Dropped) -> Claim:
    """The statement where its passage proves it; otherwise the line itself, word for word."""
    absent = unsupported(statement, proof_text(line.passage)) if statement else ["statement"]
    if absent:
        dropped(statement, absent)
        return _fact(line.shown, line.passage, line.raw)
    return _fact(statement, line.passage, line.raw)


def _fact(text: str, passage: Passage, quote: str) -> Claim:
    return Claim(text=text.strip(), kind=ClaimKind.FACT, citations=(passage.fingerprint,), quote=quote)


def proof_text(passage: Passage) -> str:
    """Return what a claim is checked against: title, section, date and text of the passage."""
    return "\n".join((passage.title, passage.section_path, passage.published or "", passage.text))


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


def not_covered(question: Question, held: str) -> list[str]:
    """Return the years, codes and most of the names of a question when the evidence never names them."""
    haystack = fold(held)
    held_numbers = set(numbers(held))
    absent = [year for year in question.years if year not in held_numbers and year not in haystack]
    named = [name for name in names(question.text) if fold(name) not in _QUESTION_WORDS]
    codes = [name for name in named if re.search(r"\d", name) or name.isupper()]
    absent += [code for code in codes if fold(code) not in haystack]
    absent += sorted(ordinals(question.text) - ordinals(held))
    unknown = [name for name in named if fold(name) not in haystack]
    if named and len(unknown) > len(named) / 2:
        absent += unknown
    return list(dict.fromkeys(absent))


_QUESTION_WORDS = frozenset(
    "what which who whom whose when where why how does did do is are was were has have had can could should "
    "will would in on at by for under according name list give tell".split()
)


def _missing(question: Question, reason: str) -> Finding:
    return Finding(
        task_id=question.task_id, question=question.text, found=False, missing=f"{question.text} — {reason}"
    )
