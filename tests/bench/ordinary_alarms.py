"""Contradictions told on ordinary evidence: the five passages that fit each question best.

    python -m tests.bench.ordinary_alarms DATA [--sets wikihop_mix crud_news_zh]
        [--limit 50] [--no-embedder] [--show N] [--out FILE]

``DATA`` holds folders with ``corpus.jsonl`` and ``queries.dev.jsonl``. Passages are found by their words
alone (BM25). Two figures a set: alarms among all pairs of the five, and alarms against statements that
hold the
answer, which is what a run compares. Almost all of such evidence agrees, so nearly every alarm is false; what
is told is printed to be read.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import bm25s

from appliance.documents import split_sentences
from appliance.domain import Passage
from appliance.evidence.contradict import Conflict, contradictions
from appliance.evidence.statements import Statement, statements_of
from appliance.evidence.topics import words_of
from tests.bench.contradictions import Finder, passage

FIRST = 5
SETS = ("wikihop_mix", "crud_news_zh", "multihoprag_evidence")


def read(file: Path) -> list[dict[str, Any]]:
    """The records of a JSON-lines file."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


class Corpus:
    """The passages of one set, found by their words."""

    def __init__(self, folder: Path) -> None:
        self.rows = read(folder / "corpus.jsonl")
        vocabulary: dict[str, int] = {}
        ids = [
            [vocabulary.setdefault(word, len(vocabulary)) for word in sorted(words_of(_text(row)))]
            for row in self.rows
        ]
        self.vocabulary, self.index = vocabulary, bm25s.BM25()
        self.index.index((ids, vocabulary), show_progress=False)

    def first(self, question: str) -> list[Passage]:
        """The passages that fit best, each of a document of its own."""
        known = [self.vocabulary[word] for word in sorted(words_of(question)) if word in self.vocabulary]
        scores = self.index.get_scores_from_ids(known) if known else [0.0] * len(self.rows)
        best = sorted(range(len(self.rows)), key=lambda at: -scores[at])[:FIRST]
        return [passage(at, self.rows[at].get("title", ""), self.rows[at]["text"]) for at in best]


def _text(row: dict[str, Any]) -> str:
    return f"{row.get('title', '')} {row['text']}"


def answering(statements: list[Statement], answer: str) -> list[Statement]:
    """The statements that hold the answer as written."""
    return [each for each in statements if len(answer) > 1 and answer.casefold() in each.text.casefold()]


def measured(folder: Path, finder: Finder, limit: int, show: int) -> dict[str, Any]:
    """Alarms of one set."""
    corpus, queries = Corpus(folder), read(folder / "queries.dev.jsonl")[:limit]
    alarms = anchored = compared = 0
    for query in queries:
        statements = statements_of(corpus.first(query["question"]), split_sentences)
        found = contradictions(
            statements, head=finder.head, embedder=finder.embedder, about=query["question"]
        )
        anchors = answering(statements, str(query["answer"]))
        compared += bool(anchors)
        kept = [each for each in found if each.one in anchors or each.other in anchors]
        alarms, anchored = alarms + bool(found), anchored + bool(kept)
        for each in found[:2] if show > 0 else ():
            show -= 1
            print(_shown(query["question"], each))
    return {
        "questions": len(queries),
        "with an alarm": alarms,
        "answer found": compared,
        "alarm against the answer": anchored,
    }


def _shown(question: str, each: Conflict) -> str:
    sides = " || ".join(f"[{one.passage.title[:30]}] {one.text[:180]}" for one in (each.one, each.other))
    return f"--- {question[:90]}\n   {each.kind} {each.values} {each.probability:.2f} | {sides}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--limit", type=int, default=50)
    parser.add_argument("--no-embedder", action="store_true")
    parser.add_argument("--show", type=int, default=30)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    finder = Finder(embed=not given.no_embedder)
    result = {name: measured(given.data / name, finder, given.limit, given.show) for name in given.sets}
    text = json.dumps(result, indent=1, ensure_ascii=False)
    print(text)
    if given.out:
        given.out.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
