"""The knowledge graph shortens a look-up only where it would find the same; else the look-up is made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from caching_world import ASKERS, World

from appliance.config import Domains
from appliance.domain import Claim, ClaimKind, Finding, Fingerprint, RunId, Scope
from appliance.knowing import KnowledgeGraph
from appliance.questions import QuestionReader
from appliance.reasoning.relations import asked_about
from appliance.store.epochs import Epochs
from appliance.store.erasure import Erasure
from appliance.store.folding import fold
from appliance.store.knowledge import Edges
from appliance.store.title_keys import name_key, names

ANN, KIM, BOB = ASKERS["ann"], ASKERS["kim"], ASKERS["bob"]
RUN = RunId("r-1")
ASKED = "Who founded Orvane Works?"
ASKED_ZH = "泊澜工坊的创始人是谁？"
QUESTIONS = QuestionReader(Domains())


class Graph:
    """A world with two companies, each founded by somebody, in two languages."""

    def __init__(self, folder: Path) -> None:
        self.world = World(folder)
        self.works = self.world.add("Tilda Maren founded Orvane Works in 1987.", record="works.txt")
        self.zh = self.world.add("泊澜工坊的创始人是秦若帆。", record="工坊.txt")
        self.world.settle()
        self.edges = Edges(self.world.database)
        self.heard: list[str] = []
        self.holds = True
        self.graph = KnowledgeGraph(
            self.edges,
            Epochs(self.world.database),
            self.world.reader,
            lambda question, as_of: QUESTIONS.read(question, as_of=as_of),
            verify=self.verify,
        )

    def verify(self, fact: str, passages: str) -> bool:
        self.heard.append(fact)
        return self.holds

    def mark(self, record: str) -> Fingerprint:
        row = self.world.database.one(
            "SELECT p.fingerprint FROM passages p JOIN documents d ON d.id = p.document_id"
            " WHERE d.record_id = ? AND p.current = 1",
            (record,),
        )
        assert row is not None
        return Fingerprint(row[0])

    def finding(self, question: str = ASKED, **changed: object) -> Finding:
        zh = question != ASKED and "工坊" in question
        text = "泊澜工坊的创始人是秦若帆。" if zh else "Tilda Maren founded Orvane Works in 1987."
        claim = Claim(
            text=text,
            kind=ClaimKind.FACT,
            citations=(self.mark("工坊.txt" if zh else "works.txt"),),
            quote=text,
        )
        made = Finding(
            task_id=1,
            question=question,
            found=True,
            answer="秦若帆" if zh else "Tilda Maren",
            claims=(claim,),
        )
        return msgspec.structs.replace(made, **changed)

    def learn(self, question: str = ASKED, scope: Scope = ANN, run: RunId = RUN, **changed: object) -> bool:
        return self.graph.session(scope).learn(self.finding(question, **changed), run_id=run)

    def recall(self, question: str = ASKED, scope: Scope = ANN, as_of: str = "") -> Finding | None:
        return self.graph.session(scope, as_of=as_of).recall(question, task_id=7)


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[Graph]:
    graph = Graph(tmp_path)
    yield graph
    graph.world.close()


@pytest.mark.parametrize("question", [ASKED, ASKED_ZH])
def test_what_was_found_out_is_known_to_the_next_run(graph: Graph, question: str) -> None:
    assert graph.recall(question) is None
    assert graph.learn(question)
    known = graph.recall(question)
    assert known == graph.finding(question, task_id=7)
    assert graph.heard == [known.claims[0].text], "its facts were checked again"


@pytest.mark.parametrize(
    ("learned", "asked"),
    [
        (ASKED, "who founded the Orvane Works"),
        (ASKED, "Who  founded ORVANE Works ?"),
        (ASKED, "Please, who founded “Orvane Works”?"),
        (ASKED_ZH, "请问泊澜工坊的创始人是谁"),
        (ASKED_ZH, "泊瀾工坊的創始人是誰？"),
    ],
)
def test_other_spellings_of_the_same_question_are_known(graph: Graph, learned: str, asked: str) -> None:
    assert graph.learn(learned)
    assert graph.recall(asked) is not None


@pytest.mark.parametrize(
    ("learned", "asked"),
    [
        (ASKED, "Who set up Orvane Works?"),  # the same, in other words: looked up rather than guessed
        (ASKED, "Who founded Orvane Works in 1987?"),
        (ASKED, "When was Orvane Works founded?"),
        (ASKED, "Who founded Orvane Labs?"),
        (ASKED, "Who has not founded Orvane Works?"),
        (ASKED, "Whom did Orvane Works found?"),
        (ASKED_ZH, "泊澜工坊的总裁是谁？"),
        (ASKED_ZH, "泊澜集团的创始人是谁？"),
        ("Who succeeded Tilda Maren?", "Whom did Tilda Maren succeed?"),
    ],
)
def test_another_question_is_not_answered(graph: Graph, learned: str, asked: str) -> None:
    assert graph.learn(learned)
    assert graph.recall(learned) is not None
    assert graph.recall(asked) is None


def test_a_relative_period_is_that_of_its_day(graph: Graph) -> None:
    asked = "What did Orvane Works sell last year?"
    session = graph.graph.session(ANN, as_of="2024-03-01")
    assert session.learn(graph.finding(asked, answer="gauges"), run_id=RUN)
    assert graph.recall(asked, as_of="2024-08-01") is not None
    assert graph.recall(asked, as_of="2025-03-01") is None
    latest = "Who is the current head of Orvane Works?"
    session.learn(graph.finding(latest), run_id=RUN)
    assert graph.recall(latest, as_of="2024-03-01") is not None
    assert graph.recall(latest, as_of="2024-03-02") is None


def test_a_document_that_speaks_of_the_subject_overtakes_it(graph: Graph) -> None:
    graph.learn()
    graph.world.add("Something else entirely.", record="else.txt")
    assert graph.recall() is not None, "that one does not"
    graph.world.add("New research: orvane works was founded by Ida Roth.", record="news.txt")
    assert graph.recall() is None


def test_what_changes_while_a_run_works_overtakes_it_too(graph: Graph) -> None:
    session = graph.graph.session(ANN)
    graph.world.add("Orvane Works was founded by Ida Roth.", record="news.txt")
    assert session.learn(graph.finding(), run_id=RUN)
    assert graph.recall() is None


def test_a_superseded_source_hides_the_edge(graph: Graph) -> None:
    graph.learn()
    graph.world.add("Nothing is known of it.", record="works.txt")
    assert graph.recall() is None
    assert graph.edges.of_entity(ANN, "Orvane Works") == []


def test_a_source_that_may_not_be_read_hides_the_edge(graph: Graph) -> None:
    graph.world.describe(graph.works, groups=("staff",))
    graph.learn()
    assert graph.recall(scope=KIM) is None
    assert graph.edges.of_entity(KIM, "Orvane Works") == []
    assert [edge.object for edge in graph.edges.of_entity(ANN, "orvane works")] == ["Tilda Maren"]
    graph.world.describe(graph.works, groups=("staff",), deny=("user:ann",))
    assert graph.recall() is None
    assert graph.edges.of_entity(ANN, "Orvane Works") == []
    assert graph.edges.entities(ANN) == []


def test_one_who_sees_more_looks_for_themselves(graph: Graph) -> None:
    secret = graph.world.add("Orvane Works was really founded by Ida Roth.", record="secret.txt")
    graph.world.describe(secret, groups=("board",))
    graph.learn()
    assert graph.recall() is not None
    assert graph.recall(scope=KIM) is not None, "kim sees what ann sees"
    assert graph.recall(scope=BOB) is None
    assert len(graph.edges.of_entity(BOB, "Orvane Works")) == 1, "what is listed is what may be read"


def test_deleting_and_erasing_take_the_edge_away(graph: Graph) -> None:
    graph.learn()
    graph.learn(ASKED_ZH, run=RunId("r-2"))
    graph.world.documents.delete(graph.works, ANN)
    assert [edge.object for edge in graph.edges.of_entity(ANN, "泊澜工坊")] == ["秦若帆"]
    rows = Erasure(graph.world.database)
    assert rows.erase(graph.zh, rows.traces(graph.zh))["edges of the knowledge graph"] == 1
    assert graph.world.database.query("SELECT * FROM edges") == []
    assert graph.world.database.query("SELECT * FROM edge_sources") == []


def test_two_results_for_one_question_are_looked_up(graph: Graph) -> None:
    graph.learn()
    graph.learn(answer="Ida Roth")
    assert graph.recall() is None
    assert len(graph.edges.of_entity(ANN, "Orvane Works")) == 2


def test_learned_twice_is_one_edge(graph: Graph) -> None:
    graph.learn()
    graph.learn(run=RunId("r-2"))
    assert [edge.run_id for edge in graph.edges.of_entity(ANN, "Tilda Maren")] == ["r-2"]


def test_a_fact_that_no_longer_holds_is_not_told(graph: Graph) -> None:
    graph.learn()
    graph.holds = False
    assert graph.recall() is None


def test_only_proven_facts_about_a_name_are_learned(graph: Graph) -> None:
    inferred = msgspec.structs.replace(graph.finding().claims[0], kind=ClaimKind.INFERENCE)
    assert not graph.learn(found=False)
    assert not graph.learn(answer=" ")
    assert not graph.learn(claims=())
    assert not graph.learn(claims=(inferred,))
    assert not graph.learn("who founded it?")
    gone = msgspec.structs.replace(graph.finding().claims[0], citations=(Fingerprint("d-0#x#0"),))
    assert not graph.learn(claims=(gone,))
    session = graph.graph.session(ANN)
    session.stop_keeping()
    assert not session.learn(graph.finding(), run_id=RUN)
    assert graph.learn()
    assert session.recall(ASKED, task_id=1) is not None
    session.stop()
    assert session.recall(ASKED, task_id=1) is None


def test_listing_and_forgetting(graph: Graph) -> None:
    graph.learn()
    graph.learn("When was Orvane Works founded?", answer="1987")
    graph.learn(ASKED_ZH)
    rows = graph.edges.entities(ANN)
    assert [(row.name, row.edges) for row in rows] == [("Orvane Works", 2), ("泊澜工坊", 1)]
    assert graph.edges.entities(ANN, limit=1, offset=1) == rows[1:]
    assert [edge.object for edge in graph.edges.of_entity(ANN, "Orvane Works", limit=1)] == ["1987"]
    assert graph.edges.forget("c", entity="orvane works") == 2
    assert graph.edges.forget("other") == 0
    assert graph.edges.forget("c", run_id=RUN) == 1


@pytest.mark.parametrize(
    ("text", "key", "named"),
    [
        ("Orvane was sold.", "orvane works", True),
        ("The WORKS of Orvane", "orvane works", True),
        ("Otherworldly orvanes", "orvane works", False),
        ("泊澜公司出售了工坊。", "泊澜工坊", True),
        ("珊礁账簿", "泊澜工坊", False),
        ("C++ is a language", "c++", True),
        ("C is a language", "c++", False),
    ],
)
def test_half_a_name_may_be_meant(text: str, key: str, named: bool) -> None:
    assert names(text, key) is named


def test_signs_that_make_a_name_stay() -> None:
    assert name_key("C++") != name_key("C#") != name_key("C")
    assert name_key("Kestrel (software)") == name_key("kestrel") == "kestrel"


def test_a_question_without_a_name_asks_of_nothing() -> None:
    for question in ("what is the fare?", "票价是多少？"):
        about = asked_about(QUESTIONS.read(question), fold=fold, name_key=name_key)
        assert about is None or about.subject_key


@pytest.mark.parametrize("seed", range(4))
def test_at_random_nobody_is_told_what_they_may_not_read(tmp_path: Path, seed: int) -> None:
    graph = Graph(tmp_path)
    world = graph.world
    world.dice.seed(seed)
    told = 0
    for step in range(100):
        world.mutate()
        name = world.dice.choice([*ASKERS])
        record = world.database.one("SELECT record_id FROM documents ORDER BY random() LIMIT 1")
        if record is not None and world.dice.random() < 0.8:
            mark = graph.mark(str(record[0]))
            claim = Claim(text="x", kind=ClaimKind.FACT, citations=(mark,))
            made = (
                graph.finding(claims=(claim,), answer=f"Answer {step % 3}")
                if has(world, "works.txt")
                else None
            )
            if made is not None:
                graph.graph.session(ASKERS[name]).learn(made, run_id=RUN)
        for asker, scope in ASKERS.items():
            seen = [*graph.edges.of_entity(scope, "Orvane Works", limit=100)]
            known = graph.recall(scope=scope)
            marks = {mark for edge in seen for mark in edge.sources}
            marks |= {mark for claim in (known.claims if known else ()) for mark in claim.citations}
            for mark in marks:
                assert world.reader.by_fingerprint(mark, scope).current, asker
            told += len(marks)
    world.close()
    assert told > 10, "or nothing was tested"


def has(world: World, record: str) -> bool:
    return world.database.one("SELECT 1 FROM documents WHERE record_id = ?", (record,)) is not None
