"""The bench of citations counts what it says."""

from __future__ import annotations

from appliance.evaluate.report import AnswerResult, CitedClaim, CitedRecord
from tests.bench.citations import measure

GOLD = {"q1": {"a.md": 2.0, "b.md": 1.0}, "q2": {"c.md": 2.0}}


def result(name: str, *claims: list[CitedRecord], refused: bool = False) -> AnswerResult:
    proofs = [CitedClaim(text=f"claim {at}", kind="fact", cited=cited) for at, cited in enumerate(claims)]
    return AnswerResult(
        id=name, type="t", language="en", question="?", expected="x", proofs=proofs, refused=refused
    )


def cited(record: str, *, holds: bool = False, text: str = "") -> CitedRecord:
    return CitedRecord(
        fingerprint=f"d#{record}", record=record, holds_answer=holds, text=text, highlighted=bool(text)
    )


def test_precision_recall_and_resolving() -> None:
    results = [
        result("q1", [cited("a.md", text="s")], [cited("a.md"), cited("other.md", holds=True)]),
        result("q2", [cited("other.md", text="The Pier Opened.")], [cited("")]),
        result("q3", [cited("z.md")]),
        result("q1", [cited("other.md")], refused=True),
    ]
    found = measure(results, GOLD, {"q2": ["the pier  opened."]})
    assert (found.questions, found.claims, found.citations) == (2, 4, 6)
    assert found.resolving == round(5 / 6, 4)
    assert found.highlighted == 0.4
    assert found.claim_precision == 0.25
    assert found.claim_precision_or_answer == 0.75
    assert found.citation_precision == 0.4
    assert found.recall == round(1 / 3, 4)
    assert found.recall_fact == 0.5


def test_nothing_to_count_is_null() -> None:
    found = measure([], GOLD, {})
    assert (found.questions, found.resolving, found.recall) == (0, None, None)
