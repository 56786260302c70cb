"""How much each piece bears on the task: metric, entity, period and the kind of answer that is wanted.

Arrives: pieces of the retrieved passages and the task. Leaves: a score for each, and the cross-encoder's
opinion of the few that it was shown: it costs most, so that words, vectors and tables choose whom it reads.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from appliance.domain import AnswerKind, Reading, Struct, years_in
from appliance.evidence.pieces import Piece
from appliance.ports import Analyse, Embedder

Judge = Callable[[str, Sequence[str]], list[float]]
"""A cross-encoder's log-odds for each line, or nothing where none knows the language."""
JUDGED_MAX = 16
EMBEDDED_MAX = 160
"""Of a table of forty pages only the rows with most of the question's words are looked at closely."""
TABLE_WEIGHT, PROSE_WEIGHT = 3.0, 1.0
"""What a row and a sentence count where a figure is asked for (D2)."""
UNJUDGED = -0.6
"""Beside the 0 to 1 of those that the cross-encoder read: it read the likeliest."""
CONTEXT = 0.35
NAMED_MIN = 0.6
"""Less of a metric's name in common is another metric."""
_NUMERIC = re.compile(
    r"\bhow (?:much|many)\b|\bratio\b|\bpercent|\bamount\b|\brate\b|\bmargin\b|多少|几(?!乎)|金额|比例|"
    r"增速|增长率|占比",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?:grow|increas|decreas|declin|chang|accelerat|decelerat|improv|compar|drop|fell|fall|rise|rose|year.over.year|"
    r"versus|vs)|增长|下降|变化|变动|同比|增加|减少|提高|改善|相比",
    re.IGNORECASE,
)


class Task(Struct, frozen=True, kw_only=True):
    """What a piece has to bear on."""

    question: str
    numeric: bool = False
    years: frozenset[str] = frozenset()
    before: frozenset[str] = frozenset()
    """Years before those, where a change is asked for: what it is compared with."""
    metrics: tuple[str, ...] = ()
    """What documents call the figure asked for."""

    @classmethod
    def of(cls, question: str, reading: Reading | None) -> Task:
        """The task that a question sets, as far as its reading tells."""
        numeric = _NUMERIC.search(question) is not None
        years, metrics = {*years_in(question)}, list[str]()
        if reading is not None:
            numeric = numeric or reading.kind is AnswerKind.NUMBER or bool(reading.metrics())
            years |= set(reading.years)
            metrics = [form for term in reading.metrics() for form in (*term.forms, term.text)]
        return cls(
            question=question,
            numeric=numeric,
            years=frozenset(years),
            before=frozenset(str(int(year) - 1) for year in years if _CHANGE.search(question)),
            metrics=tuple(dict.fromkeys(metrics)),
        )


class Scores(Struct, frozen=True, kw_only=True):
    """By index of the piece."""

    bearing: list[float]
    opinions: dict[int, float]
    """Log-odds, of those that the cross-encoder read."""


def scored(
    task: Task, pieces: Sequence[Piece], *, embedder: Embedder, analyse: Analyse, judge: Judge
) -> Scores:
    """Return how much each piece bears on the task; higher is more, and only the order means something."""
    words = [frozenset(analyse(piece.shown)) for piece in pieces]
    cover = _cover(frozenset(analyse(task.question)), words)
    named = _named(task, pieces, words, analyse)
    lexical = [max(cover[i], named[i]) * _weight(task, piece) for i, piece in enumerate(pieces)]
    near = _near(task.question, pieces, lexical, embedder)
    first = [
        near[i] + lexical[i] + 0.3 / (1 + piece.rank) + year_fit(task.years, piece.shown, task.before)
        for i, piece in enumerate(pieces)
    ]
    head = sorted(range(len(pieces)), key=lambda i: (-first[i], i))[:JUDGED_MAX]
    opinions = judge(task.question, [f"{pieces[i].passage.title}: {pieces[i].shown}" for i in head])
    scaled = _min_max(opinions) if opinions else [0.0] * len(head)
    judged = dict(zip(head, scaled, strict=True))
    total = [score + judged.get(i, UNJUDGED if opinions else 0.0) for i, score in enumerate(first)]
    return Scores(bearing=_in_context(pieces, total), opinions=dict(zip(head, opinions, strict=False)))


def _in_context(pieces: Sequence[Piece], alone: Sequence[float]) -> list[float]:
    """A sentence under one that bears gains a share of it: what a paragraph announces, it says next."""
    gained = list(alone)
    for i, piece in enumerate(pieces[1:], start=1):
        before = pieces[i - 1]
        if piece.row is None and before.row is None and before.passage.id == piece.passage.id:
            gained[i] += CONTEXT * max(0.0, gained[i - 1] - alone[i])
    return gained


def _weight(task: Task, piece: Piece) -> float:
    if not task.numeric:
        return PROSE_WEIGHT
    return (
        TABLE_WEIGHT
        if piece.row is not None and re.search(r"\d", " ".join(piece.row.cells))
        else PROSE_WEIGHT
    )


def _cover(wanted: frozenset[str], words: Sequence[frozenset[str]]) -> list[float]:
    """The share of the question's words that a piece holds, the rare ones counting most."""
    holders = {word: 1 + sum(word in held for held in words) for word in wanted}
    total = sum(1 / holders[word] for word in wanted) or 1.0
    return [sum(1 / holders[word] for word in wanted & held) / total for held in words]


def _named(
    task: Task, pieces: Sequence[Piece], words: Sequence[frozenset[str]], analyse: Analyse
) -> list[float]:
    """How well a piece is named as the metric is: a row by its label, whole and with nothing beside it."""
    forms = [form for form in (frozenset(analyse(form)) for form in task.metrics) if form]
    best: list[float] = []
    for piece, held in zip(pieces, words, strict=True):
        label = frozenset(analyse(piece.row.label)) if piece.row is not None else frozenset[str]()
        fits = [
            2 * len(form & label) / (len(form) + len(label)) if label else len(form & held) / len(form)
            for form in forms
        ]
        best.append(max((fit for fit in fits if fit >= NAMED_MIN), default=0.0))
    return best


def _near(
    question: str, pieces: Sequence[Piece], lexical: Sequence[float], embedder: Embedder
) -> list[float]:
    """Similarity of meaning, scaled to 0–1; of very many pieces only the likelier ones are embedded."""
    looked_at = range(len(pieces))
    if len(pieces) > EMBEDDED_MAX:
        looked_at = sorted(sorted(looked_at, key=lambda i: (-lexical[i], i))[:EMBEDDED_MAX])
    vectors = embedder.embed_passages([f"{pieces[i].passage.title}: {pieces[i].shown}" for i in looked_at])
    similarity = _min_max((vectors @ embedder.embed_queries([question])[0]).tolist())
    near = dict(zip(looked_at, similarity, strict=True))
    return [near.get(i, 0.0) for i in range(len(pieces))]


def year_fit(years: frozenset[str], line: str, before: frozenset[str] = frozenset()) -> float:
    """Return −2 for a line of other years than those asked about: it misleads; 0.5 for one that has them."""
    held = set(years_in(line))
    if not years or not held:
        return 0.0
    if years <= held:
        return 0.5
    return 0.0 if (years | before) & held else -2.0


def _min_max(values: Sequence[float]) -> list[float]:
    low, high = min(values), max(values)
    return [(value - low) / ((high - low) or 1.0) for value in values]
