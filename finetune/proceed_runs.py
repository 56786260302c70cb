"""What every try at a sub-question brings, recorded without a language model: for ``proceed_head.py``.

    python -m finetune.proceed_runs OUT --set train [--handbooks FOLDER]
    python -m finetune.proceed_runs OUT --set unseen [--handbooks FOLDER]
    python -m finetune.proceed_runs OUT --judged NAME=FOLDER …

The first two ingest generated collections (``chains.py``, ``worlds.py``, ``handbooks.py``) into the data
folder of the configuration (set ``ASSAY__PATHS__DATA`` to an empty one) and run the product's own steps over
them, with all tactics of every sub-question, whatever an earlier one found. The third takes collections that
are ingested already, with a folder of ``queries.dev.jsonl`` and ``qrels.dev.tsv`` each; they are only
measured on. What is recorded stands in ``OUT/<collection>.jsonl``, one question a line; what is there is not
recorded again.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, cast

import msgspec

from appliance.config import load_config
from appliance.documents import split_sentences
from appliance.domain import Event, PassageId, Plan, Principal, RunOptions, Task
from appliance.ports import LanguageModel
from appliance.reasoning.assess import TACTICS
from appliance.reasoning.continuing import Continuing
from appliance.reasoning.plan import fill
from appliance.reasoning.state import Gathered, Limits, Standing, Tactic, Try, first_state
from appliance.run_parts import ResearchParts
from appliance.steps import ResearchSteps
from appliance.store.analysis import analyse
from appliance.wiring import Appliance
from finetune.chains import Hop, Weaver
from finetune.handbooks import handbooks
from finetune.worlds import Maker, Recipe, Text, World

DECOYS = 0.25
"""Share of the hops that build on another which are recorded a second time with a wrong result filled in."""
LIMITS = Limits(max_steps=99, max_seconds=1e9, max_llm_tokens=1 << 40, max_retrievals=1 << 20)
SMALL = {"companies": 5, "years": 4, "topics": 30, "versions": 4, "news": 90, "people": 25}


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One question to be recorded."""

    question: str
    hops: tuple[Hop, ...]


class Tried(msgspec.Struct, frozen=True, kw_only=True):
    """One try."""

    tactic: Tactic
    passages: tuple[int, ...]
    """What its retrieval brought, best first."""
    read: tuple[int, ...]
    relevance: float | None
    standing: Standing
    seconds: float


class TaskRun(msgspec.Struct, frozen=True, kw_only=True):
    """One sub-question with all its tries."""

    hop: int
    """From 0."""
    asked: str
    depends_on: tuple[int, ...]
    wrong: bool
    """Whether an earlier result that is filled in is wrong."""
    kind: str
    language: str
    answer: str
    gold: tuple[int, ...]
    """Of the passages that any try brought, those that answer it."""
    exists: bool
    """Whether any passage of the collection does."""
    tries: tuple[Tried, ...]


class QuestionRun(msgspec.Struct, frozen=True, kw_only=True):
    """One question."""

    collection: str
    question: str
    scouted: tuple[int, ...]
    """What the look at the whole question brought; empty where the plan asks it anyway."""
    tasks: tuple[TaskRun, ...]


class Silent:
    """Events that nobody follows."""

    def emit(self, run_id: str, kind: str, data: dict[str, object]) -> Event:
        """Nothing is kept."""
        return Event(seq=0, kind=kind, at="", data=data)


class Recorder:
    """Records the questions of one collection."""

    def __init__(self, appliance: Appliance, collection: str, seed: int = 1) -> None:
        """The collection is ingested."""
        self.appliance, self.collection, self.random = (
            appliance,
            collection,
            random.Random(f"{collection} {seed}"),
        )
        self.parts = ResearchParts(
            searcher=appliance.searcher(collection),
            reader=appliance.passages,
            embedder=appliance.embedder(),
            model=cast(LanguageModel, _NoModel()),
            prompts=appliance.prompts,
            settings=appliance.config.reasoning,
            analyse=analyse,
            split=split_sentences,
            read=appliance.questions.read,
            neighbours=appliance.passages.neighbours,
            continuing=Continuing(None, 0.0),
            conclusions=appliance.kept_conclusions,
            knowledge=appliance.knowledge,
            verifier=appliance.verifier(collection),
        )

    def record(self, case: Case) -> QuestionRun:
        """All tries of all its sub-questions."""
        run = self.appliance.researcher.start(
            case.question,
            principal=Principal(),
            collection=self.collection,
            options=RunOptions(fresh=True),
        )
        self.steps = ResearchSteps(
            run, self.parts, Silent(), lambda: False, self.appliance.researcher._steer(run)
        )
        self.history: tuple[Gathered, ...] = ()
        scouted: tuple[PassageId, ...] = ()
        if not any(hop.question == case.question for hop in case.hops):
            scout = Try(attempt=0, task=Task(id=0, question=case.question), asked=case.question)
            scouted = self._gather(scout)[1].passages
        tasks: list[TaskRun] = []
        for number, hop in enumerate(case.hops):
            right = {at: each.answer for at, each in enumerate(case.hops, start=1)}
            tasks.append(self._task(hop, number, right, wrong=False))
            if hop.depends_on and self.random.random() < DECOYS:
                decoys = {at: each.decoy for at, each in enumerate(case.hops, start=1)}
                if all(decoys[need] for need in hop.depends_on):
                    tasks.append(self._task(hop, number, decoys, wrong=True))
        return QuestionRun(
            collection=self.collection, question=case.question, scouted=tuple(scouted), tasks=tuple(tasks)
        )

    def _gather(self, one: Try) -> tuple[Try | None, Gathered]:
        state = first_state("", LIMITS)
        state["gathered"], state["plan"] = self.history, Plan(tasks=(one.task,))
        hand, brought = self.steps.gather((one,), state)
        self.history = (*self.history, *brought)
        return (hand[0] if hand else None), brought[0]

    def _task(self, hop: Hop, number: int, results: dict[int, str], *, wrong: bool) -> TaskRun:
        asked = fill(hop.question, results)
        task = Task(id=number + 1, question=hop.question, depends_on=hop.depends_on)
        tries: list[Tried] = []
        for at, tactic in enumerate(TACTICS):
            begun = perf_counter()
            one, brought = self._gather(Try(attempt=0, task=task, asked=asked, number=at, tactic=tactic))
            assert one is not None, "only the scout is not read"
            read = self.parts.reader.passages(one.passages, self.steps._scope)
            lines = self.steps._lines(one.asked, read)
            tries.append(
                Tried(
                    tactic=tactic,
                    passages=brought.passages,
                    read=one.passages,
                    relevance=max((x.relevance for x in lines if x.relevance is not None), default=None),
                    standing=brought.standing,
                    seconds=round(perf_counter() - begun, 3),
                )
            )
        reading = self.parts.read(asked)
        seen = {number for each in tries for number in (*each.passages, *each.read)}
        records = {one.id: one.record_id for one in self._passages(seen)}
        gold = () if wrong else tuple(sorted(n for n, record in records.items() if record in hop.gold))
        return TaskRun(
            hop=number, asked=asked, depends_on=hop.depends_on, wrong=wrong, kind=reading.kind.value,
            language=reading.language, answer=hop.answer, gold=gold, exists=bool(hop.gold) and not wrong,
            tries=tuple(tries),
        )  # fmt: skip

    def _passages(self, numbers: Iterable[int]) -> list[Any]:
        scope = self.appliance.scope(collection=self.collection)
        return self.parts.reader.passages([PassageId(number) for number in numbers], scope)


class _NoModel:
    name = digest = "none"


def generated(which: str, folder: Path | None) -> Iterator[tuple[str, tuple[Text, ...], list[Case]]]:
    """Name, pages and questions of each collection of a set; they share no page and no kind of prose."""
    seed, count = (1, 50) if which == "train" else (2, 24)
    recipes = [("chains-en", ("en",), 0.0), ("chains-zh", ("zh",), 0.0), ("chains-mixed", ("en", "zh"), 0.4)]
    for name, languages, across in recipes:
        web = Weaver(name, languages, size=60 // len(languages), seed=seed, across=across).web(count)
        yield name, web.texts, [Case(question=each.question, hops=each.hops) for each in web.chains]
    chance = random.Random(seed)
    for world in _worlds(which, folder, seed):
        asked = chance.sample(world.questions, min(count, len(world.questions)))
        yield world.name, world.texts, [_whole(each.question, each.gold) for each in asked]


def _whole(question: str, gold: tuple[str, ...]) -> Case:
    """A question that is one look-up."""
    return Case(question=question, hops=(Hop(question=question, answer="", decoy="", gold=gold),))


def _worlds(which: str, folder: Path | None, seed: int) -> Iterator[World]:
    for language in ("en", "zh"):
        settings = SMALL if which == "train" else SMALL | {"topics": 24, "news": 50, "people": 40}
        yield Maker(Recipe(name=f"worlds-{language}", languages=(language,), **settings), seed).world()
    if which == "unseen":
        recipe = Recipe(name="worlds-mixed", languages=("en", "zh"), ask_across=0.5, **SMALL)
        yield Maker(recipe, seed).world()
    if folder:
        prose = "handbook" if which == "train" else "reference"
        yield from (
            one for one in handbooks(folder, seed) if one.name.startswith(prose) and "long" not in one.name
        )


def judged(name: str, folder: Path, most: int) -> list[Case]:
    """Questions of a judged set: with sub-questions where it gives them, else as one look-up."""
    rows = [json.loads(line) for line in (folder / "queries.dev.jsonl").read_text("utf-8").splitlines()]
    gold: dict[str, list[str]] = {}
    for line in (folder / "qrels.dev.tsv").read_text("utf-8").splitlines()[1:]:
        query, record, _ = line.split("\t")
        gold.setdefault(query, []).append(record)
    if any(row.get("decomposition") for row in rows):
        rows = [row for row in rows if row.get("decomposition")]
    random.Random(name).shuffle(rows)
    return [
        Case(question=row["question"], hops=tuple(_given(row)))
        if row.get("decomposition")
        else _whole(row["question"], tuple(gold[row["id"]]))
        for row in rows
        if row["id"] in gold
    ][:most]


def _given(row: dict[str, Any]) -> Iterator[Hop]:
    for step in row["decomposition"]:
        question, needs = step["question"], []
        for at in range(1, 9):
            if f"#{at}" in question:
                question, needs = question.replace(f"#{at}", f"{{{at}}}"), [*needs, at]
        yield Hop(
            question=question,
            answer=step["answer"],
            decoy="",
            gold=(step["support"],),
            depends_on=tuple(needs),
        )


def main() -> None:
    """Ingest where needed, and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--set", choices=("train", "unseen"))
    parser.add_argument("--handbooks", type=Path)
    parser.add_argument("--judged", nargs="*", default=[], metavar="NAME=FOLDER")
    parser.add_argument("--most", type=int, default=60)
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    with Appliance(load_config()) as appliance:
        for name, texts, cases in generated(chosen.set, chosen.handbooks) if chosen.set else ():
            target = chosen.out / f"{chosen.set}-{name}.jsonl"
            if not target.exists():
                _ingest(appliance, f"{chosen.set}-{name}", texts)
                _write(appliance, f"{chosen.set}-{name}", cases, target)
        for pair in chosen.judged:
            name, folder = pair.split("=", 1)
            _write(
                appliance, name, judged(name, Path(folder), chosen.most), chosen.out / f"judged-{name}.jsonl"
            )


def _ingest(appliance: Appliance, collection: str, texts: Iterable[Text]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pages.jsonl"
        rows = [json.dumps({"id": t.id, "title": t.title, "text": t.text}, ensure_ascii=False) for t in texts]
        file.write_text("\n".join(rows), "utf-8")
        appliance.ingestor.ingest([file], collection)


def _write(appliance: Appliance, collection: str, cases: list[Case], target: Path) -> None:
    if target.exists():
        return
    begun = perf_counter()
    recorder = Recorder(appliance, collection)
    runs = [recorder.record(case) for case in cases]
    target.write_bytes(b"\n".join(msgspec.json.encode(run) for run in runs))
    tasks = [task for run in runs for task in run.tasks]
    first = sum(bool(set(task.gold) & set(task.tries[0].read)) for task in tasks)
    later = sum(
        not set(task.gold) & set(task.tries[0].read) and any(set(task.gold) & set(x.read) for x in task.tries)
        for task in tasks
    )
    print(
        f"{collection}: {len(runs)} questions, {len(tasks)} tasks, gold read first {first}, later {later},"
        f" {perf_counter() - begun:.0f} s", flush=True,
    )  # fmt: skip


if __name__ == "__main__":
    main()
