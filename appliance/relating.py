"""Two sides set side by side: changes between versions and what they follow, one thing and another.

Beside steps. Arrives: the findings of a plan that asks how things relate, the passages that were gathered for
each side. Leaves: the findings with the sentences of both sides that are nearest to each other as claims,
word for word, and an answer of both. No model is asked: a small one joins what does not belong together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from appliance.answers.verify import names, numbers
from appliance.documents import split_sentences
from appliance.domain import Claim, ClaimKind, Finding, Join, Passage, Plan, Struct, Task, Tool
from appliance.ports import Embedder, Vectors
from appliance.reasoning.tools.match_labels import words

PASSAGES_MAX = 10
"""Of each side: the first ones that were retrieved for it."""
PAIRS_MAX = 3
CHANGES_MAX = 6
LINE_BYTES = 36
"""Shorter lines (in UTF-8) are headings and captions."""
SHARED_WEIGHT = 0.05
"""For a name or figure that both sentences have, three at most; cosines of related ones lie 0.1 apart."""
TOPIC_WEIGHT = 0.5
"""For how near a sentence is to what its own side is about."""
MARGIN = 0.05
"""So far above the middle of its row a pair without a shared figure or name has to lie."""
TITLE_MIN = 0.5
_BULLET = re.compile(r"^[-*•·]\s+")


class Related(Struct, frozen=True, kw_only=True):
    """The answer of both sides, in the form of what code concludes from findings."""

    short: str
    sentence: str
    of: tuple[int, ...]


class _Line(Struct, frozen=True, kw_only=True):
    text: str
    passage: Passage | None = None
    """None: a claim of its own."""


def related(
    plan: Plan, findings: Sequence[Finding], gathered: Mapping[int, Sequence[Passage]], *, embedder: Embedder
) -> tuple[tuple[Finding, ...], Related | None]:
    """The findings, and the answer; as they were, and None, where that is not asked or a side is missing.

    ``gathered``: by task, what was retrieved for it, best first.
    """
    how = plan.combine
    known = {finding.task_id: finding for finding in findings if finding.found}
    if how is None or how.join is not Join.RELATED or any(number not in known for number in how.of):
        return tuple(findings), None
    tasks = {task.id: task for task in plan.tasks}
    first, second = (tasks[number] for number in how.of)
    changes = first.tool is Tool.DIFF and all(len(claim.citations) > 1 for claim in known[first.id].claims)
    other = _lines(second, gathered.get(second.id, ()))
    if changes:
        claims = [_Line(text=claim.text) for claim in known[first.id].claims]
        pairs = _nearest(claims, other, embedder)
    else:
        one = _lines(first, gathered.get(first.id, ()))
        own = {line.passage.document_id for line in one if line.passage}
        # What the first side's document says of the second is no word of the second's own.
        other = [line for line in other if line.passage and line.passage.document_id not in own] or other
        pairs = _pairs((one, first.question), (other, second.question), embedder)
    if not pairs:
        return tuple(findings), None
    made = {second.id: _with(known[second.id], [line for _, line in pairs])}
    if not changes:
        made[first.id] = _with(known[first.id], [line for line, _ in pairs])
    kept = tuple(made.get(each.task_id, each) for each in findings)
    sides = [made.get(number, known[number]) for number in how.of]
    sentence = " ".join(claim.text for side in sides for claim in side.claims)
    short = sides[0].answer if changes else "; ".join(side.claims[0].quote for side in sides)
    return kept, Related(short=short, sentence=sentence, of=how.of)


def quoted_claim(text: str, passage: Passage, *, quote: str = "") -> Claim:
    """A sentence under its document's title: every word of it stands there."""
    said = f"{passage.title}: {text}" if passage.title and passage.title not in text else text
    return Claim(text=said, kind=ClaimKind.FACT, citations=(passage.fingerprint,), quote=quote or text)


def _with(finding: Finding, lines: Sequence[_Line]) -> Finding:
    said = dict.fromkeys((line.text, line.passage) for line in lines)
    claims = tuple(quoted_claim(text, passage) for text, passage in said if passage is not None)
    return msgspec.structs.replace(finding, claims=claims)


def _lines(task: Task, passages: Sequence[Passage]) -> list[_Line]:
    """Sentences of what was retrieved first: of the sections and of the one document that the task names."""
    said, types = words(task.question), task.filters.section_types if task.filters else ()

    def named(passage: Passage) -> float:
        title = words(passage.title)
        share = len(title & said) / len(title) if title else 0.0
        return len(title & said) / len(said) if share >= TITLE_MIN else 0.0

    best = max(passages, key=lambda one: (named(one), -passages.index(one)), default=None)
    if best is not None and named(best):
        passages = [one for one in passages if one.document_id == best.document_id]
    passages = [one for one in passages if one.section_type in types] or passages
    return [
        _Line(text=_BULLET.sub("", " ".join(sentence.split())), passage=passage)
        for passage in passages[:PASSAGES_MAX]
        for part in passage.text.split("\n")
        if not part.lstrip().startswith("|")
        for sentence in split_sentences(part)
        if len(sentence.strip().encode()) > LINE_BYTES and sentence.strip() != passage.title
    ]


def _nearest(
    changes: Sequence[_Line], other: Sequence[_Line], embedder: Embedder
) -> list[tuple[_Line, _Line]]:
    """For each change the nearest sentence, where it clearly is of that."""
    if not other:
        return []
    left, right = (embedder.embed_passages([line.text for line in side]) for side in (changes, other))
    shared = _shared([_marks(line.text) for line in changes], [_marks(line.text) for line in other])
    near = left @ right.T + SHARED_WEIGHT * shared
    found: list[tuple[_Line, _Line]] = []
    for at, row in enumerate(near):
        best = int(row.argmax())
        if shared[at, best] or row[best] >= float(np.median(row)) + MARGIN:
            found.append((changes[at], other[best]))
    return found[:CHANGES_MAX]


def _pairs(
    one: tuple[Sequence[_Line], str], other: tuple[Sequence[_Line], str], embedder: Embedder
) -> list[tuple[_Line, _Line]]:
    """The nearest pairs, each sentence in one of them.

    Near each other, near what their side is about, with names and figures in common, also with what is asked
    of the other side.
    """
    if not one[0] or not other[0]:
        return []
    left, right = (embedder.embed_passages([line.text for line in side]) for side, _ in (one, other))
    topics = embedder.embed_queries([one[1], other[1]])
    marks = [[_marks(line.text) for line in side] for side, _ in (one, other)]
    asked = [_marks(one[1]), _marks(other[1])]
    near = left @ right.T + SHARED_WEIGHT * _shared(marks[0], marks[1])
    near += TOPIC_WEIGHT * ((left @ topics[0])[:, None] + (right @ topics[1])[None, :])
    near += SHARED_WEIGHT * (_shared(marks[0], [asked[1]]) + _shared(marks[1], [asked[0] | asked[1]]).T)
    found: list[tuple[_Line, _Line]] = []
    for _ in range(min(PAIRS_MAX, *near.shape)):
        at, best = (int(each) for each in np.unravel_index(int(near.argmax()), near.shape))
        found.append((one[0][at], other[0][best]))
        near[at, :] = near[:, best] = -np.inf
    return found


def _shared(left: Sequence[set[str]], right: Sequence[set[str]]) -> Vectors:
    """How many names and figures each of one side has in common with each of the other, three at most."""
    return np.array([[min(3, len(a & b)) for b in right] for a in left], dtype=np.float32)


def _marks(text: str) -> set[str]:
    return {name.casefold() for name in names(text)} | set(numbers(text))
