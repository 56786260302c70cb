"""One sub-task's finding: the model reads lines, code finds the line that says it and lets it through or not.

Arrives: a question and the located lines. Leaves: a :class:`Finding` whose claim is proven against the
passage it cites, or what is missing. The model never sees or writes a fingerprint, nor chooses a citation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from appliance.answers.guards import (
    UNSTATED,
    Analyse,
    BridgeReply,
    FindingReply,
    Line,
    Question,
    Refusal,
    citable,
    is_yes_no,
    proof_text,
    refusal,
    says_nothing,
)
from appliance.answers.instructing import requests
from appliance.answers.mend import in_asked_column, mended, names_in, states_for
from appliance.answers.plain import plain
from appliance.answers.verify import answer_stands_in, grams, is_han, unsupported
from appliance.domain import Claim, ClaimKind, Finding, Passage, Prompt
from appliance.ports import LanguageModel, Meter

__all__ = ["Analyse", "Dropped", "FindingReply", "Line", "Question", "find", "proof_text", "render"]

FIND_TOKENS = 180
OTHERS_MAX = 2
BEARERS_MAX = 3
"""Lines that are tried as the one that says it."""
Dropped = Callable[[str, list[str]], None]
"""Told the text of a claim that was not let through and what its passages do not hold."""
Plainly = Callable[[float, Passage], bool]
"""The log-odds by which the model held it for found, and the passage to cite, to whether that is enough."""


def find(
    question: Question,
    lines: Sequence[Line],
    *,
    model: LanguageModel,
    meter: Meter,
    instructions: str,
    analyse: Analyse,
    dropped: Dropped,
    plainly: Plainly | None = None,
) -> Finding:
    """Return what the lines say about the question, proven by code, or what is missing.

    ``plainly``: whether the model's "found" is more than a guess; None: its word is enough.
    """
    if not lines:
        return _missing(question, "nothing readable was retrieved")
    lines, lacking = citable(question, lines, analyse)
    if not lines:
        return _missing(question, f"no passage found speaks of {', '.join(lacking)}")
    prompt = Prompt(system=instructions, user=f"{render(lines)}\nQ: {question.text}{_but_not(question)}")
    schema = BridgeReply if question.bridge else FindingReply
    completion = model.complete(prompt, max_tokens=FIND_TOKENS, schema=schema)
    meter.add(completion.usage)
    try:
        read = msgspec.json.decode(completion.text, type=schema)
        reply = read if isinstance(read, FindingReply) else _wordless(read)
    except msgspec.MsgspecError:
        return _missing(question, "the model's reply was cut off")
    if not reply.found or says_nothing(reply.answer):
        return _missing(question, UNSTATED)
    shown = [f"{line.shown}\n{line.raw}\n{line.passage.title}" for line in lines]
    named = names_in(reply.answer, question.kind, shown, asked=question.text, bridge=question.bridge)
    answer = named[0] if named else mended(reply.answer, question.kind, shown)
    reply = _of_asked_year(question, msgspec.structs.replace(reply, answer=answer), lines)
    bearers, margin = _bearers(question, reply, lines), completion.margin
    if plainly and margin is not None:
        bearers = [line for line in bearers if plainly(margin, line.passage)]
    if not bearers:
        return _missing(question, UNSTATED)
    finding = _prove(question, reply, bearers, analyse, dropped)
    others = named[1 : 1 + OTHERS_MAX] if finding.found and question.bridge else ()
    return msgspec.structs.replace(finding, others=others)


def _of_asked_year(question: Question, reply: FindingReply, lines: Sequence[Line]) -> FindingReply:
    """The reply with the figure of the year asked about, where its row has that in another column."""
    holders = [line.shown for line in lines if _holds(reply.answer, line)]
    found = {pair for row in holders if (pair := in_asked_column(reply.answer, question.years, row))}
    if len(found) != 1 or any(states_for(reply.answer, question.years, shown) for shown in holders):
        return reply
    wrong, right = found.pop()
    answer, statement = (text.replace(wrong, right) for text in (reply.answer, reply.statement))
    return msgspec.structs.replace(reply, answer=answer, statement=statement)


def _but_not(question: Question) -> str:
    if not question.not_this:
        return ""
    return f"（不是{question.not_this}）" if is_han(question.text) else f" (not {question.not_this})"


def _wordless(reply: BridgeReply) -> FindingReply:
    return FindingReply(found=reply.found, answer=reply.answer, statement="")


def render(lines: Sequence[Line]) -> str:
    """Return the lines under a heading per passage."""
    shown: list[str] = []
    passage_id = None
    for line in lines:
        if line.passage.id != passage_id:
            passage_id = line.passage.id
            head = " > ".join(part for part in (line.passage.title, line.passage.section_path) if part)
            dated = f"{head}{f' ({line.passage.published})' if line.passage.published else ''}"
            shown.append(f"# {_one_line(dated)}")
        shown.append(f"- {_one_line(line.shown)}")
    return "\n".join(shown)


def _one_line(text: str) -> str:
    """A document's words as data: no mark of the dialogue, and no line end that would begin a new line."""
    return " ".join(plain(text).split())


def _bearers(question: Question, reply: FindingReply, lines: Sequence[Line]) -> list[Line]:
    """The lines that may carry the reply, best first: they hold its answer and most of its statement's words.

    Without a statement the words of the question tell. At least one line; more only if they hold the answer.
    """
    answer = "" if is_yes_no(reply.answer) else reply.answer
    said = grams(f"{reply.statement or question.text} {answer}")
    holders = {line.number for line in lines if answer and _holds(answer, line)}

    def weight(line: Line) -> float:
        held = grams(f"{line.shown} {line.raw} {line.passage.title} {line.passage.section_path}")
        return len(said & held) / (len(said) or 1) + (1.0 if line.number in holders else 0.0)

    ranked = sorted(lines, key=lambda line: (weight(line), line.number), reverse=True)
    return [ranked[0], *(line for line in ranked[1:BEARERS_MAX] if line.number in holders)]


def _holds(answer: str, line: Line) -> bool:
    return answer_stands_in(answer, f"{line.shown}\n{line.raw}")


def _prove(
    question: Question, reply: FindingReply, bearers: Sequence[Line], analyse: Analyse, dropped: Dropped
) -> Finding:
    """The finding by the first line of which nothing forbids to say it; else why not of the best one."""
    refusals: list[Refusal] = []
    for line in bearers:
        if refused := refusal(question, reply, line, analyse) or _states_nothing(line):
            refusals.append(refused)
            continue
        return Finding(
            task_id=question.task_id,
            question=question.text,
            found=True,
            answer=reply.answer.strip(),
            claims=(_claim(reply.statement.strip(), line, dropped),),
        )
    dropped(refusals[0].text, list(refusals[0].absent))
    return _missing(question, refusals[0].reason)


def _states_nothing(line: Line) -> Refusal | None:
    """A question, or a request for a piece of writing, is no fact that could be quoted."""
    if not requests(line.shown):
        return None
    return Refusal(reason=UNSTATED, text=line.shown, absent=("a statement",))


def _claim(statement: str, line: Line, dropped: Dropped) -> Claim:
    """The statement where its passage proves it; otherwise the line itself, word for word."""
    if not statement:
        return _fact(_quoted(line), line.passage, line.raw)
    if absent := unsupported(statement, proof_text(line.passage)):
        dropped(statement, absent)
        return _fact(_quoted(line), line.passage, line.raw)
    return _fact(statement, line.passage, line.raw)


def _quoted(line: Line) -> str:
    """The line word for word, under its document's title where it does not name what it speaks of."""
    title = line.passage.title.strip()
    named = not title or grams(title) & grams(line.shown)
    return line.shown if named else f"{title}: {line.shown}"


def _fact(text: str, passage: Passage, quote: str) -> Claim:
    return Claim(text=text.strip(), kind=ClaimKind.FACT, citations=(passage.fingerprint,), quote=quote)


def _missing(question: Question, reason: str) -> Finding:
    return Finding(
        task_id=question.task_id, question=question.text, found=False, missing=f"{question.text} — {reason}"
    )
