"""That reading only a part of the postings gives what reading all of them gives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from appliance.domain import EVERYONE, DocumentId, Fingerprint, Passage, PassageId, Scope, WeightedQuery
from appliance.store import bm25_reading, bm25_top
from appliance.store.analysis import analyse
from appliance.store.bm25 import Bm25Index

WORDS = [f"w{n}" for n in range(60)]
GROUPS = [(EVERYONE,), ("hr",), ("legal", "hr"), (EVERYONE, "legal")]
SCOPES = [
    Scope(),
    Scope(groups=(EVERYONE, "hr")),
    Scope(groups=("legal",)),
    Scope(groups=(EVERYONE, "hr"), user="eve"),
    Scope(groups=(EVERYONE, "hr"), documents=(DocumentId("d-3"), DocumentId("d-11"), DocumentId("d-x"))),
    Scope(groups=(EVERYONE, "hr"), documents=tuple(DocumentId(f"d-{n}") for n in range(40))),
    Scope(groups=()),
]


def passages(seed: int, count: int, first: int = 1) -> list[Passage]:
    random = np.random.default_rng(seed)
    common = 1 / np.arange(1, len(WORDS) + 1) ** 0.8
    made: list[Passage] = []
    for number in range(first, first + count):
        copied = made and random.random() < 0.2
        text = made[-1].text if copied else _text(random, common / common.sum())
        document = f"d-{random.integers(50)}"
        made.append(
            Passage(
                id=PassageId(number),
                fingerprint=Fingerprint(f"{document}#{number}"),
                document_id=DocumentId(document),
                record_id=document,
                collection="c",
                title="",
                section_path="",
                text=text,
                language="en",
                token_count=1,
                groups=GROUPS[random.integers(len(GROUPS))],
                denied=("user:eve",) if random.random() < 0.1 else (),
            )
        )
    return made


def _text(random: np.random.Generator, weights: np.ndarray) -> str:
    return " ".join(random.choice(WORDS, size=int(random.integers(1, 30)), p=weights))


def expected(
    held: dict[int, Passage], query: str, weights: dict[str, float], scope: Scope
) -> dict[int, float]:
    """BM25 written down plainly (Lucene's: k1 1.2, b 0.75)."""
    tokens = {number: analyse(each.text) for number, each in held.items()}
    mean = sum(map(len, tokens.values())) / len(tokens)
    holders = {word: sum(word in each for each in tokens.values()) for word in set(analyse(query))}
    scores: dict[int, float] = {}
    for number, each in held.items():
        marks = set(each.access_marks())
        denied = marks & {f"!{name}" for name in scope.denied_as()}
        if denied or not marks & set(scope.groups):
            continue
        if scope.documents and each.document_id not in scope.documents:
            continue
        score = 0.0
        for word in analyse(query):
            count = tokens[number].count(word)
            idf = np.log(1 + (len(held) - holders[word] + 0.5) / (holders[word] + 0.5))
            damped = count / (count + 1.2 * (0.25 + 0.75 * len(tokens[number]) / mean))
            score += weights.get(word, 1.0) * idf * damped
        if score > 0:
            scores[number] = score
    return scores


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every bound at work on small data."""
    monkeypatch.setattr(bm25_reading, "FREQUENT", 20)
    monkeypatch.setattr(bm25_top, "STRAIGHT_POSTINGS", 0)
    monkeypatch.setattr(bm25_top, "FIRST_CHECK", 8)
    monkeypatch.setattr(bm25_top, "_EXACT_ROWS", 16)


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[tuple[Bm25Index, dict[int, Passage]]]:
    """A main segment with dead rows, and small ones."""
    first, second, third = passages(1, 600), passages(2, 80, first=571), passages(3, 15, first=700)
    index = Bm25Index.build(tmp_path, first)
    index.upsert(second)
    index.upsert(third)
    gone = range(40, 90)
    index.delete(PassageId(number) for number in gone)
    held = {int(each.id): each for each in [*first, *second, *third] if each.id not in gone}
    yield index, held
    index.close()


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("scope", SCOPES)
def test_the_best_are_those_of_the_plain_formula(
    filled: tuple[Bm25Index, dict[int, Passage]], scope: Scope
) -> None:
    index, held = filled
    random = np.random.default_rng(5)
    for k in (1, 3, 10, 50):
        for _ in range(6):
            words = random.choice(WORDS, size=int(random.integers(1, 9)))
            weights = {str(words[0]): float(random.choice([0.0, 0.5, 3.0]))} if random.random() < 0.5 else {}
            query = " ".join(words)
            hits = index.search([WeightedQuery(text=query, weights=weights)], k, scope)[0]
            right = expected(held, query, weights, scope)
            order = sorted(right, key=lambda number: (-round(right[number], 9), number))[:k]
            assert [int(hit.passage_id) for hit in hits] == order
            assert [hit.score for hit in hits] == pytest.approx([right[number] for number in order])


def test_adding_up_and_reading_by_bounds_agree_to_the_last_bit(
    filled: tuple[Bm25Index, dict[int, Passage]], monkeypatch: pytest.MonkeyPatch
) -> None:
    index, _ = filled
    random = np.random.default_rng(9)
    queries = [" ".join(random.choice(WORDS, size=int(random.integers(1, 12)))) for _ in range(30)]
    for scope in SCOPES:
        monkeypatch.setattr(bm25_reading, "FREQUENT", 20)
        monkeypatch.setattr(bm25_top, "STRAIGHT_POSTINGS", 10**9)
        straight = index.search(queries, 20, scope)
        monkeypatch.setattr(bm25_top, "STRAIGHT_POSTINGS", 0)
        assert index.search(queries, 20, scope) == straight


@pytest.mark.usefixtures("eager")
def test_queries_together_give_what_each_gives_alone_and_read_less(
    filled: tuple[Bm25Index, dict[int, Passage]],
) -> None:
    index, _ = filled
    queries = ["w1 w2 w30", "w2 w30 w50", "w1 w50 w3"]
    alone: list[list] = []
    read = 0
    for query in queries:
        alone += index.search([query], 5, Scope())
        read += index.postings_read
    assert index.search(queries, 5, Scope()) == alone
    assert index.postings_read < read


@pytest.mark.usefixtures("eager")
def test_a_frequent_word_is_not_read_to_its_end(tmp_path: Path) -> None:
    texts = {number: "risk " * (1 + number % 9) + "x " * (number % 37) for number in range(1, 2_001)}
    template = passages(1, 1)[0]
    index = Bm25Index.build(tmp_path, [_like(template, number, text) for number, text in texts.items()])
    assert len(index.search(["risk"], 10, Scope(groups=("hr", EVERYONE, "legal")))[0]) == 10
    assert 10 <= index.postings_read < 400
    index.close()


def _like(template: Passage, number: int, text: str) -> Passage:
    import msgspec

    return msgspec.structs.replace(template, id=PassageId(number), text=text, denied=())


def test_specificity_is_the_idf_of_what_lives(filled: tuple[Bm25Index, dict[int, Passage]]) -> None:
    index, held = filled
    holders = sum("w3" in each.text.split() for each in held.values())
    (found,) = index.specificity(["w3 unheard w3"])
    assert [token for token, _ in found] == ["w3", "unheard"]
    assert found[0][1] == pytest.approx(np.log(1 + (len(held) - holders + 0.5) / (holders + 0.5)))
    assert found[1][1] == pytest.approx(np.log(1 + (len(held) + 0.5) / 0.5))
    assert index.specificity([]) == []
