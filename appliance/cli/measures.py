"""Reports of evaluations as tables."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from appliance.cli.output import print_table, say
from appliance.evaluate import AnswerResult, AnswersReport, RetrievalReport, StepsReport
from appliance.evaluate.report import Shares, Spread


def print_retrieval(report: RetrievalReport) -> None:
    """Measures over all and by type, language, style and domain, then milliseconds by part."""
    names = list(report.overall)
    rows: list[list[object]] = [["all", report.queries, *_three(report.overall.values())]]
    for groups in (report.by_type, report.by_language):
        for name, row in groups.items():
            rows.append(_grouped(name, row, names))
    for label, groups in (("style", report.by_style), ("domain", report.by_domain)):
        rows += [_grouped(f"{label} {name}", row, names) for name, row in groups.items()]
    say(f"{report.queries} questions ({report.skipped} without a judged record left out)")
    _titled(("", "questions", *names), rows)
    parts = (f"{part} {t.p50_ms:.1f}/{t.p95_ms:.1f}" for part, t in report.timings.items())
    say(f"ms p50/p95: {' · '.join(parts)}")


def _titled(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A table whose columns are named in a pipe too."""
    print_table(columns, rows if sys.stdout.isatty() else [columns, *rows])


def _grouped(name: str, row: Mapping[str, float], names: Sequence[str]) -> list[object]:
    return [name, int(row["queries"]), *_three(row[measure] for measure in names)]


def print_steps(report: StepsReport) -> None:
    """A row for each step: measures, the change of recall@5, milliseconds, and what is added by stage."""
    overall = report.steps[0].report.overall
    names = [name for name in overall if name.startswith("recall@")]
    names += ["ndcg@10", "hit@1", "hit@3", "all-evidence@10"]
    most = report.steps[-1].added_ms
    stages = [part for part in most if any(step.added_ms.get(part) for step in report.steps)]
    rows: list[list[object]] = []
    for step in report.steps:
        change = "" if step.change_points is None else f"{step.change_points:+.1f}"
        measured = _three(step.report.overall[name] for name in names)
        added = [f"{step.added_ms.get(part, 0.0):+.1f}" for part in stages]
        rows.append([step.name, *measured, change, f"{step.total_p50_ms:.1f}", *added])
    columns = ("", *names, "Δ recall@5", "p50 ms", *(f"+{part}" for part in stages))
    say(f"{report.queries} questions ({report.skipped} without a judged record left out)")
    _titled(columns, rows)
    own = report.steps[-1].report.timings["own"]
    say("Δ in points against the row above · p50 of a whole search · + mean ms above dense only, by stage")
    say(f"our own code, as configured: {own.p50_ms:.1f}/{own.p95_ms:.1f} ms p50/p95")


def _three(values: object) -> list[str]:
    return [f"{value:.3f}" for value in values]  # type: ignore[attr-defined]


def print_answers(report: AnswersReport, results: Sequence[AnswerResult]) -> None:
    """Wrong ones by name, shares by type and language, proofs, cost."""
    for result in results:
        if not result.right:
            got = result.error or f"{result.status}: {result.answer}"
            say(f"✗ {result.id} {result.question} — expected {result.expected!r}, got {got}")
    rows = [_row("all", report.overall)]
    for groups in (report.by_type, report.by_language):
        rows += [_row(name, shares) for name, shares in groups.items()]
    columns = ("", "questions", "right", "refused (unanswerable)", "refused (answerable)")
    measured = ("exact", "F1", "contained", *_ranked(report.overall), "calls", "tokens", "seconds")
    _titled((*columns, *measured), rows)
    say(
        f"{report.claims} claims: with a citation {_percent(report.cited_claims)}, numbers and names in the"
        f" cited passages {_percent(report.supported_claims)}, inference {_percent(report.inference_share)};"
        f" citations that resolve {_percent(report.resolving_citations)}"
    )
    for line in report.unsupported:
        say(f"  not in the passage: {line}")
    if report.failed:
        say(f"failed: {report.failed}")
    cost = {
        "seconds": report.seconds,
        "tokens": report.tokens,
        "computed tokens": report.computed_tokens,
        "model calls": report.llm_calls,
    }
    for name, spread in cost.items():
        say(f"{name} per question: {_spread(spread)}")


def _row(name: str, shares: Shares) -> list[object]:
    kinds = (shares.right, shares.refused, shares.wrongly_refused)
    near = (shares.exact, shares.f1, shares.contained)
    means = [f"{shares.llm_calls:.1f}", f"{shares.tokens:,.0f}", f"{shares.seconds:.1f}"]
    evidence = [f"{value:.3f}" for value in _ranked(shares).values()]
    return [name, shares.questions, *map(_percent, (*kinds, *near)), *evidence, *means]


def _ranked(shares: Shares) -> dict[str, float]:
    """Of the measures of the gathered evidence those that tell most."""
    wanted = ("recall@", "all-evidence@", "hit@1")
    return {
        name: value
        for name, value in shares.evidence.items()
        if name.startswith(wanted[:2]) or name in wanted
    }


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"


def _spread(spread: Spread) -> str:
    return f"mean {spread.mean:,.1f}, p50 {spread.p50:,.1f}, p95 {spread.p95:,.1f}"
