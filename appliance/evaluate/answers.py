"""How right, how well proven and how dear answers are on questions with known answers.

Arrives: an ask function, a passage reader, questions. Leaves: one result per question as it comes (so that a
killed evaluation goes on from its file) and a report.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any

import msgspec

from appliance.answers.verify import unsupported
from appliance.domain import Answer, Claim, ClaimKind, Passage, RunStatus, Scope, Usage
from appliance.errors import AssayError, CancelledError, NotFoundError
from appliance.evaluate.queries import Progress, Query
from appliance.evaluate.report import AnswerResult, AnswersReport, CitedClaim, CitedRecord, summarise
from appliance.evaluate.retrieval import measures
from appliance.governance.judging import is_right
from appliance.governance.metrics import first_seen
from appliance.governance.overlap import contained, exact_match, token_f1
from appliance.ports import PassageReader
from appliance.reasoning.calc import recomputes

__all__ = ["AnswerResult", "AnswersReport", "evaluate_answers", "summarise"]

Ask = Callable[[str], tuple[str, Answer, Usage]]
"""Question → run id, answer, cost. Raises AssayError."""
REFUSALS = frozenset({RunStatus.INSUFFICIENT, RunStatus.WITHHELD})


def evaluate_answers(
    ask: Ask,
    reader: PassageReader,
    scope: Scope,
    queries: Sequence[Query],
    *,
    keep: Callable[[AnswerResult], None],
    qrels: Mapping[str, Mapping[str, float]] | None = None,
    ks: Sequence[int] = (5, 10),
    progress: Progress = lambda done, total: None,
) -> list[AnswerResult]:
    """Ask every question; ``keep`` is given each result at once. A failing question is a result, too.

    ``qrels``: judged records, by which the evidence that each run gathered is
    measured as a ranking. Raises CancelledError.
    """
    results: list[AnswerResult] = []
    for done, query in enumerate(queries, start=1):
        begun = perf_counter()
        try:
            run_id, answer, usage = ask(query.question)
        except CancelledError:
            raise
        except AssayError as error:
            result = _failed(query, str(error), perf_counter() - begun)
        else:
            result = judge(query, run_id, answer, usage, perf_counter() - begun, reader, scope)
            if grades := (qrels or {}).get(query.id):
                result = msgspec.structs.replace(result, evidence=measures(result.records, grades, ks))
        results.append(result)
        keep(result)
        progress(done, len(queries))
    return results


def judge(
    query: Query,
    run_id: str,
    answer: Answer,
    usage: Usage,
    seconds: float,
    reader: PassageReader,
    scope: Scope,
) -> AnswerResult:
    """One question's result."""
    resolved, dangling = _resolve(answer, reader, scope)
    missing = [absent_from(claim, answer.claims, resolved) for claim in answer.claims]
    refused = answer.status in REFUSALS
    return AnswerResult(
        id=query.id,
        type=query.type,
        language=query.language,
        question=query.question,
        expected=query.answer,
        run_id=run_id,
        status=answer.status.value,
        answer=answer.answer,
        short=answer.short,
        claims_text=[claim.text for claim in answer.claims],
        answerable=query.answer is not None,
        refused=refused,
        right=refused if query.answer is None else not refused and _right(query, answer),
        **_overlap(query, answer),
        records=_records(answer, reader, scope),
        claims=len(answer.claims),
        cited_claims=sum(bool(claim.citations) for claim in answer.claims),
        inferences=sum(claim.kind is ClaimKind.INFERENCE for claim in answer.claims),
        supported_claims=sum(not absent for absent in missing),
        unsupported=[
            f"{claim.text} ← {', '.join(absent)}"
            for claim, absent in zip(answer.claims, missing, strict=True)
            if absent
        ],
        citations=sum(len(claim.citations) for claim in answer.claims),
        proofs=[_proof(claim, resolved, query) for claim in answer.claims],
        dangling_citations=dangling,
        seconds=round(seconds, 3),
        prompt_tokens=usage.prompt_tokens,
        cached_tokens=usage.cached_tokens,
        completion_tokens=usage.completion_tokens,
        llm_calls=usage.calls,
    )


def absent_from(claim: Claim, claims: Sequence[Claim], resolved: dict[str, Passage]) -> list[str]:
    """Numbers, names and quoted words of a claim that its cited passages do not hold.

    An inference may also take numbers and names from the run's other claims, each proven on its own; the
    result of a calculation counts as held when computing it again gives the same.
    """
    passages = [resolved[citation] for citation in claim.citations if citation in resolved]
    if not passages:
        return ["no passage"]
    held = [proof_text(passage) for passage in passages]
    text = claim.text
    if claim.kind is ClaimKind.INFERENCE:
        held += [other.text for other in claims if other is not claim]
        if recomputes(text):  # the operands have to stand there; the result was just computed again
            text = text.rpartition(" = ")[0].replace("* 100", "")
    return unsupported(text, "\n".join(held))


def _proof(claim: Claim, resolved: Mapping[str, Passage], query: Query) -> CitedClaim:
    """The claim with each of its citations as it was found again."""
    expected = [] if query.answer is None else [query.answer, *query.answer_aliases]
    spans = dict(zip(claim.citations, claim.spans, strict=False))
    cited: list[CitedRecord] = []
    for mark in claim.citations:
        passage = resolved.get(mark)
        if passage is None:
            cited.append(CitedRecord(fingerprint=mark))
            continue
        covered = " … ".join(passage.text[span.start : span.end] for span in spans.get(mark, ()))
        holds = contained(proof_text(passage), expected) if expected else None
        cited.append(
            CitedRecord(
                fingerprint=mark,
                record=passage.record_id,
                highlighted=bool(covered),
                holds_answer=holds,
                text=covered,
            )
        )
    return CitedClaim(text=claim.text, kind=claim.kind.value, cited=cited)


def proof_text(passage: Passage) -> str:
    """All that a reader of the passage sees: title, section, date, text."""
    return "\n".join([passage.title, passage.section_path, passage.published or "", passage.text])


def _resolve(answer: Answer, reader: PassageReader, scope: Scope) -> tuple[dict[str, Passage], int]:
    resolved: dict[str, Passage] = {}
    dangling = 0
    for claim in answer.claims:
        for citation in claim.citations:
            try:
                resolved[citation] = reader.by_fingerprint(citation, scope)
            except NotFoundError:
                dangling += 1
    return resolved, dangling


def _right(query: Query, answer: Answer) -> bool:
    assert query.answer is not None, "only answerable questions are judged"
    claims = "\n".join(claim.text for claim in answer.claims)
    expected = (query.answer, *query.answer_aliases)
    return is_right(query.question, expected, query.all_of(), answer.answer, claims)


def _overlap(query: Query, answer: Answer) -> dict[str, Any]:
    """How near the bare result, and the whole text, come to what is expected."""
    if query.answer is None:
        return {}
    expected = (query.answer, *query.answer_aliases)
    text = "\n".join((answer.answer, *(claim.text for claim in answer.claims)))
    bare = answer.short or answer.answer
    return {
        "exact": exact_match(bare, expected),
        "f1": round(token_f1(bare, expected), 4),
        "contained": contained(text, expected),
    }


def _records(answer: Answer, reader: PassageReader, scope: Scope) -> list[str]:
    found: list[str] = []
    for fingerprint in answer.evidence:
        try:
            found.append(reader.by_fingerprint(fingerprint, scope).record_id)
        except NotFoundError:
            continue
    return first_seen(found)


def _failed(query: Query, error: str, seconds: float) -> AnswerResult:
    return AnswerResult(
        id=query.id,
        type=query.type,
        language=query.language,
        question=query.question,
        expected=query.answer,
        status=RunStatus.FAILED.value,
        answerable=query.answer is not None,
        error=error,
        seconds=round(seconds, 3),
    )
