"""Citations of an evaluation against gold evidence: do they resolve, are they right, is all evidence cited?

    assay eval answers -c sample --queries tests/data/questions.jsonl --out answers.jsonl
    python -m tests.bench.citations answers.jsonl --qrels tests/data/qrels.tsv \\
        --queries tests/data/questions.jsonl

Arrives: the results that ``assay eval answers --out`` writes, judgements, the questions with their gold
quotes where they have any. Leaves one table. Refused and failed questions cite nothing and are left out.
"""

from __future__ import annotations

import argparse
import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from appliance.evaluate.queries import load_qrels
from appliance.evaluate.report import AnswerResult, CitedClaim, CitedRecord


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """What is printed; shares are null where there was nothing to count."""

    questions: int
    """Answered, with judged evidence."""
    claims: int
    citations: int
    resolving: float | None
    highlighted: float | None
    """Of the resolving citations, those with a recorded span."""
    claim_precision: float | None
    """Of the claims, those of which every citation is a gold record."""
    claim_precision_or_answer: float | None
    """The same, a passage counts also where it holds the expected answer or a gold quote."""
    citation_precision: float | None
    """Of single citations, those of gold records."""
    recall: float | None
    """Of the gold records of answered questions, those cited."""
    recall_fact: float | None
    """Of answered questions, those that cite a gold record of the highest grade."""


def measure(
    results: Iterable[AnswerResult],
    qrels: Mapping[str, Mapping[str, float]],
    quotes: Mapping[str, Sequence[str]],
) -> Figures:
    """The figures over all answered questions; those without judgements count for resolving alone."""
    answered = [one for one in results if not one.refused and not one.error and one.proofs]
    judged = [one for one in answered if qrels.get(one.id)]
    every = [cited for one in answered for claim in one.proofs for cited in claim.cited]
    found = [cited for cited in every if cited.record]
    claims = [(one, claim) for one in judged for claim in one.proofs if claim.cited]
    gold = {one.id: set(qrels[one.id]) for one in judged}
    best = {
        one.id: {record for record, grade in qrels[one.id].items() if grade == max(qrels[one.id].values())}
        for one in judged
    }
    records = {one.id: {cited.record for claim in one.proofs for cited in claim.cited} for one in judged}
    right = [_right(claim, gold[one.id]) for one, claim in claims]
    wide = [
        all(_holds(cited, gold[one.id], quotes.get(one.id, ())) for cited in claim.cited)
        for one, claim in claims
    ]
    single = [cited.record in gold[one.id] for one, claim in claims for cited in claim.cited]
    return Figures(
        questions=len(judged),
        claims=len(claims),
        citations=len(every),
        resolving=_share(len(found), len(every)),
        highlighted=_share(sum(cited.highlighted for cited in found), len(found)),
        claim_precision=_share(sum(right), len(right)),
        claim_precision_or_answer=_share(sum(wide), len(wide)),
        citation_precision=_share(sum(single), len(single)),
        recall=_share(
            sum(len(gold[one] & records[one]) for one in gold), sum(len(each) for each in gold.values())
        ),
        recall_fact=_share(sum(bool(best[one] & records[one]) for one in best), len(best)),
    )


def _right(claim: CitedClaim, gold: set[str]) -> bool:
    return all(cited.record in gold for cited in claim.cited)


def _holds(cited: CitedRecord, gold: set[str], quotes: Sequence[str]) -> bool:
    if cited.record in gold or cited.holds_answer:
        return True
    said = _squeezed(cited.text)
    return bool(said) and any(_squeezed(quote) in said or said in _squeezed(quote) for quote in quotes)


def _squeezed(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def gold_quotes(file: Path) -> dict[str, list[str]]:
    """Question → the quotes of its evidence, where the question file gives any."""
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
    return {
        row["id"]: [
            each["quote"] for each in row.get("evidence", []) if isinstance(each, dict) and "quote" in each
        ]
        for row in rows
    }


def main() -> None:
    """Print the figures as JSON, and each claim that cites something else with ``--wrong``."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("answers", type=Path)
    parser.add_argument("--qrels", type=Path, required=True)
    parser.add_argument("--queries", type=Path)
    parser.add_argument("--wrong", action="store_true")
    asked = parser.parse_args()
    lines = asked.answers.read_bytes().splitlines()
    results = [msgspec.json.decode(line, type=AnswerResult) for line in lines if line.strip()]
    qrels = load_qrels(asked.qrels)
    quotes = gold_quotes(asked.queries) if asked.queries else {}
    print(msgspec.json.format(msgspec.json.encode(measure(results, qrels, quotes)), indent=2).decode())
    if asked.wrong:
        for one in results:
            for claim in one.proofs if one.id in qrels else ():
                if not _right(claim, set(qrels[one.id])):
                    print(f"{one.id}: {claim.text} ← {', '.join(cited.record for cited in claim.cited)}")


if __name__ == "__main__":
    main()
