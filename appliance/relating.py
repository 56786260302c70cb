"""Two versions' changes held against another document: which of its sentences speaks of which change.

Beside steps. Arrives: the findings of a plan that asks how changes relate to something, the passages that
were gathered for that. Leaves: the findings with that side's sentences as claims, word for word, and an
answer that tells both. No model is asked: a small one joins what does not belong together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from appliance.answers.verify import numbers
from appliance.documents import split_sentences
from appliance.domain import (
    Claim,
    ClaimKind,
    Finding,
    Passage,
    Pattern,
    Plan,
    Struct,
    Tool,
)
from appliance.ports import Embedder
from appliance.reasoning.editions import base_title
from appliance.reasoning.tools.match_labels import words

LINES_MAX = 4
LINE_CHARS = 8
"""Shorter ones are headings."""
NUMBER_WEIGHT = 0.2
"""A figure of the change that stands in the sentence, against cosines that lie 0.1 apart."""
RELATED_LOG_ODDS = 0.0
Judge = Callable[[str, Sequence[str]], list[float]]
"""A cross-encoder's log-odds for each line, or nothing where none knows the language."""


class Related(Struct, frozen=True, kw_only=True):
    """The answer of both sides, as :func:`appliance.answers.conclude.conclude` takes what code concludes."""

    short: str
    sentence: str
    of: tuple[int, ...]


class _Line(Struct, frozen=True, kw_only=True):
    text: str
    passage: Passage


def related(
    plan: Plan,
    findings: Sequence[Finding],
    gathered: Mapping[int, Sequence[Passage]],
    *,
    embedder: Embedder,
    judge: Judge,
) -> tuple[tuple[Finding, ...], Related | None]:
    """The findings, and the answer; as they were, and None, where nothing is related or that is not asked.

    ``gathered``: by task, what was retrieved for it, best first.
    """
    changes = _changes(plan, findings)
    others = [task for task in plan.tasks if task.tool is not Tool.DIFF]
    if changes is None or len(others) != 1 or others[0].depends_on:
        return tuple(findings), None
    lines = _lines(others[0].question, gathered.get(others[0].id, ()))
    chosen = _chosen(changes.claims, lines, embedder, judge)
    if not chosen:
        return tuple(findings), None
    title = chosen[0].passage.title
    other = Finding(
        task_id=others[0].id,
        question=others[0].question,
        found=True,
        answer=title,
        claims=tuple(_claim(line) for line in chosen),
    )
    kept = tuple(other if one.task_id == other.task_id else one for one in findings)
    if all(one.task_id != other.task_id for one in findings):
        kept = (*kept, other)
    told = [claim.text for one in (changes, other) for claim in one.claims]
    sentence = " ".join(told)
    return kept, Related(short=changes.answer, sentence=sentence, of=(changes.task_id, other.task_id))


def _changes(plan: Plan, findings: Sequence[Finding]) -> Finding | None:
    """The finding of the difference, where it is one of facts: both versions were compared."""
    if plan.pattern is not Pattern.CHANGE:
        return None
    compared = {task.id for task in plan.tasks if task.tool is Tool.DIFF}
    for finding in findings:
        if finding.task_id in compared and finding.found and len(_cited(finding)) > 1:
            return finding
    return None


def _cited(finding: Finding) -> set[str]:
    return {mark for claim in finding.claims for mark in claim.citations}


def _lines(asked: str, passages: Sequence[Passage]) -> list[_Line]:
    """The sentences of the document that the task names best, of its retrieved passages."""
    if not passages:
        return []
    said = words(asked)

    def named(passage: Passage) -> float:
        title = words(base_title(passage.title))
        return len(title & said) / len(title | said) if title else 0.0

    best = max(passages, key=lambda one: (named(one), -passages.index(one)))
    texts = [one for one in passages if one.document_id == best.document_id]
    return [
        _Line(text=" ".join(sentence.split()), passage=passage)
        for passage in texts
        for part in passage.text.split("\n")
        for sentence in split_sentences(part)
        if len(sentence.strip()) > LINE_CHARS
        and sentence.strip() not in (passage.title, passage.section_path)
    ]


def _chosen(claims: Sequence[Claim], lines: Sequence[_Line], embedder: Embedder, judge: Judge) -> list[_Line]:
    """For each change the nearest sentence that shares a figure with it, or that the judge holds related."""
    if not lines:
        return []
    vectors = embedder.embed_passages([line.text for line in lines])
    close = embedder.embed_queries([claim.text for claim in claims]) @ vectors.T
    chosen: dict[int, None] = {}
    for claim, row in zip(claims, close, strict=True):
        figures = set(numbers(claim.text))
        shared = [len(figures & set(numbers(line.text))) for line in lines]
        at = max(range(len(lines)), key=lambda n: float(row[n]) + NUMBER_WEIGHT * min(shared[n], 2))
        opinion = judge(claim.text, [lines[at].text])
        if shared[at] or (opinion and opinion[0] > RELATED_LOG_ODDS):
            chosen.setdefault(at)
    return [lines[at] for at in list(chosen)[:LINES_MAX]]


def _claim(line: _Line) -> Claim:
    """The sentence under its document's title: every word of it stands there."""
    return Claim(
        text=f"{line.passage.title}: {line.text}" if line.passage.title else line.text,
        kind=ClaimKind.FACT,
        citations=(line.passage.fingerprint,),
        quote=line.text,
    )
