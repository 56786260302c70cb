"""``assay eval``: search and answers measured on your own questions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from appliance.cli.ingesting import CollectionOption, JsonOption
from appliance.cli.output import print_json
from appliance.cli.searching import FilterOption, StrategyOption, parsed_filter
from appliance.cli.session import interruptible, session_of, warn
from appliance.domain import Answering, Strategy
from appliance.errors import UserError

if TYPE_CHECKING:
    from appliance.evaluate import AnswerResult, Measured, Query, RetrievalReport, Step, StepsReport
    from appliance.evaluate.retrieval import Search
    from appliance.wiring import Appliance

group = typer.Typer(help="Measure search and answers on your own questions.", no_args_is_help=True)
UNCACHED: dict[str, object] = {"cache.enabled": False, "reasoning.learning": False}
"""What is measured is made, not remembered."""
ONE_SHOT: dict[str, object] = {"reasoning.planning": False, "reasoning.tries_per_task": 1}
"""Configuration under which a question is one look-up, tried once."""
QueriesOption = Annotated[Path, typer.Option(help="Questions, one JSON object a line.", metavar="FILE")]


def register(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(group, name="eval")


@group.command()
def retrieval(
    context: typer.Context,
    queries: QueriesOption,
    qrels: Annotated[Path, typer.Option(help="query, record, relevance: tab-separated, a header.")],
    collection: CollectionOption = "default",
    k: Annotated[str, typer.Option("--k", help="Cut-offs, comma-separated.")] = "5,10",
    strategy: StrategyOption = Strategy.AUTO,
    filter_: FilterOption = None,
    no_rerank: Annotated[bool, typer.Option("--no-rerank", help="Without the cross-encoder.")] = False,
    steps: Annotated[
        bool, typer.Option("--steps", help="What each step of the funnel adds, dense search first.")
    ] = False,
    given_domain: Annotated[
        bool, typer.Option("--given-domain", help="Tell search the domain that a question names.")
    ] = False,
    json: JsonOption = False,
) -> int:
    """Measure search: recall, hits, nDCG, MRR, and milliseconds by part.

    A question's own as_of is the day that its relative dates count from. --steps measures with one
    strategy after the other, whatever --strategy says.
    """
    from appliance.cli.measures import print_retrieval, print_steps
    from appliance.evaluate import Measured, evaluate_retrieval, load_qrels, load_queries, search_with

    asked, judged, ks = load_queries(queries), load_qrels(qrels), _cutoffs(k)
    measured = Measured(collection=collection, filters=parsed_filter(filter_), given_domain=given_domain)
    changed: dict[str, object] = {**({"retrieval.rerank_k": 0} if no_rerank else {}), **UNCACHED}
    grown: StepsReport | None = None
    plain: RetrievalReport | None = None
    with session_of(context).appliance(strategy_flags=changed) as appliance, interruptible() as cancelled:
        if steps:
            grown = _steps(appliance, measured, asked, judged, ks, cancelled)
        else:
            search = search_with(appliance, measured, strategy=strategy, cancelled=cancelled)
            plain = evaluate_retrieval(search, asked, judged, ks=ks, progress=show_progress)
    report = grown or plain
    assert report is not None, "one of both was measured"
    for part in report.degraded:
        warn(part)
    if json:
        print_json(report)
    elif grown:
        print_steps(grown)
    elif plain:
        print_retrieval(plain)
    return 0


def _steps(
    appliance: Appliance,
    measured: Measured,
    asked: list[Query],
    judged: dict[str, dict[str, float]],
    ks: list[int],
    cancelled: Callable[[], bool],
) -> StepsReport:
    from appliance.evaluate import Replay, evaluate_steps, search_with, steps_of

    replay = Replay()

    def opening(step: Step) -> Search:
        print(step.name, file=sys.stderr, flush=True)
        return search_with(
            appliance,
            measured,
            strategy=step.strategy,
            settings=step.settings,
            wrap=replay.wrap,
            cancelled=cancelled,
        )

    steps = steps_of(appliance.config.retrieval)
    return evaluate_steps(
        opening,
        steps,
        asked,
        judged,
        replay=replay,
        ks=ks,
        progress=lambda name, done, total: show_progress(done, total),
    )


@group.command()
def answers(
    context: typer.Context,
    queries: QueriesOption,
    collection: CollectionOption = "default",
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first questions.")] = None,
    max_steps: Annotated[int | None, typer.Option(min=1)] = None,
    out: Annotated[
        Path | None, typer.Option(help="Results, a line each; named again, those are kept.", metavar="FILE")
    ] = None,
    mode: Annotated[
        Answering,
        typer.Option(help="loop; one-shot: one look-up, never split; closed-book: the model alone."),
    ] = Answering.LOOP,
    qrels: Annotated[
        Path | None, typer.Option(help="Judged records: measures what each run gathered, too.")
    ] = None,
    json: JsonOption = False,
) -> int:
    """Measure answers: right, refused, cited, proven, and what they cost.

    --limit takes questions evenly from all of the file, so that every type is among them.
    """
    from appliance.cli.measures import print_answers
    from appliance.evaluate import asking, evaluate_answers, load_qrels, load_queries, spread_over, summarise

    asked = spread_over(load_queries(queries), limit)
    judged = load_qrels(qrels) if qrels else None
    known = kept_results(out) if out else {}
    waiting = [query for query in asked if query.id not in known]
    flags = {**(ONE_SHOT if mode is Answering.ONE_SHOT else {}), **UNCACHED}
    with session_of(context).appliance(strategy_flags=flags) as appliance, interruptible() as cancelled:
        fresh = evaluate_answers(
            asking(appliance, mode, collection=collection, max_steps=max_steps, cancelled=cancelled),
            appliance.passages,
            appliance.scope(collection=collection),
            waiting,
            keep=lambda result: _keep(out, result),
            qrels=judged,
            progress=show_progress,
        )
    by_id = {**known, **{result.id: result for result in fresh}}
    results = [by_id[query.id] for query in asked]
    report = summarise(results)
    if json:
        print_json({"report": report, "results": results})
    else:
        print_answers(report, results)
    return 0


def kept_results(file: Path) -> dict[str, AnswerResult]:
    """Results of an earlier, perhaps killed, evaluation; a torn last line is cut off, failed ones repeat."""
    from appliance.evaluate import AnswerResult

    if not file.exists():
        return {}
    lines = file.read_bytes().splitlines(keepends=True)
    if lines and not lines[-1].endswith(b"\n"):
        lines.pop()
        file.write_bytes(b"".join(lines))
    try:
        results = [msgspec.json.decode(line, type=AnswerResult) for line in lines if line.strip()]
    except msgspec.MsgspecError as error:
        hint = "name a new file with --out"
        raise UserError(f"{file} does not hold results: {error}", hint=hint) from error
    return {result.id: result for result in results if not result.error}


def _keep(out: Path | None, result: AnswerResult) -> None:
    if out is None:
        return
    with out.open("ab") as stream:
        stream.write(msgspec.json.encode(result) + b"\n")


def show_progress(done: int, total: int) -> None:
    """On stderr: a counter that stays on its line at a terminal, a line now and then in a pipe."""
    if sys.stderr.isatty():
        print(f"\r{done}/{total}", end="\n" if done == total else "", file=sys.stderr, flush=True)
    elif done == total or done % max(1, total // 20) == 0:
        print(f"{done}/{total}", file=sys.stderr, flush=True)


def _cutoffs(text: str) -> list[int]:
    try:
        ks = [int(part) for part in text.split(",")]
    except ValueError:
        ks = []
    if not ks or not all(1 <= k <= 66 for k in ks):
        raise UserError(f"--k is {text!r}", hint="cut-offs from 1 to 66, separated by commas: 5,10")
    return ks
