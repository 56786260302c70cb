"""The review queue: withheld once, seen by those who may, decided once; what the asker sees meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from appliance.config import Governance
from appliance.domain import (
    Answer,
    Claim,
    ClaimKind,
    Credibility,
    Event,
    Fingerprint,
    Principal,
    ReviewStatus,
    RunId,
    RunStatus,
    Usage,
)
from appliance.errors import ForbiddenError, NotFoundError, UserError
from appliance.redacting import told
from appliance.reviewing import Reviewing, Withholding, must_review
from appliance.store.events import EventLog
from appliance.store.reviews import Reviews
from appliance.store.runs import NewRun, RunRecord, Runs
from appliance.store.sqlite import Database

LOW = Credibility(score=0.2, facts=1.0, stance=0.2, risk=1.0, threshold=0.7)
MARK = Fingerprint("d-1#s#0")
TEXT = "The fund is absolutely safe."
ANNA = Principal(user="anna", groups=("everyone",))
BEN = Principal(user="ben", groups=("everyone", "desk"))


class Queue:
    """A store with a document, and runs whose answers are withheld."""

    def __init__(self, database: Database) -> None:
        self.database, self.events = database, EventLog(database)
        self.runs, self.reviews = Runs(database, self.events), Reviews(database, self.events)
        self.reviewing = Reviewing(self.reviews, self.events, Governance(reviewers=("desk",)))
        with database.transaction() as connection:
            for name in ("default", "other"):
                connection.execute("INSERT INTO collections VALUES (?, 'e', '')", (name,))
            self.document("d-1", "everyone")

    def document(self, number: str, group: str) -> None:
        with self.database.transaction() as connection:
            connection.execute(
                "INSERT INTO documents(id, collection, record_id, title, language, source, groups,"
                " current_version) VALUES (?, 'default', ?, 'T', 'en', '', ?, 1)",
                (number, number, f'["{group}"]'),
            )

    def withheld(
        self, question: str = "Is it safe?", collection: str = "default", mark: Fingerprint = MARK
    ) -> RunRecord:
        new = NewRun(
            question=question, collection=collection, principal=ANNA, config_digest="", model_digests={}
        )
        run = self.runs.create(new)
        claim = Claim(text=TEXT, kind=ClaimKind.FACT, citations=(mark,))
        answer = Answer(
            status=RunStatus.ANSWERED, answer=TEXT, claims=(claim,), evidence=(mark,), credibility=LOW
        )
        self.events.emit(run.id, "finding.made", {"found": True, "answer": TEXT, "claims": [TEXT]})
        language = "zh" if "？" in question else "en"
        shown = Withholding(self.reviews).shown(run, answer, (), language)
        self.runs.finish(run.id, shown, Usage(), {})
        return self.runs.get(run.id)


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    database = Database(tmp_path / "assay.db")
    yield Queue(database)
    database.close()


def test_the_asker_sees_the_passages_and_no_word_of_the_answer(queue: Queue):
    for question, said in (("Is it safe?", "a person is looking"), ("安全吗？", "人工审核")):
        run = queue.withheld(question)
        assert (run.status, run.answer is not None) == (RunStatus.WITHHELD, True)
        assert run.answer
        assert said in run.answer.answer
        assert (run.answer.claims, run.answer.evidence, run.answer.short) == ((), (MARK,), "")
        assert TEXT not in msgspec.json.encode(run).decode()
        shown = told(run, queue.events.after(run.id))
        assert TEXT not in msgspec.json.encode(shown).decode()
        assert shown[0].data["found"] is True
        whole = queue.reviewing.show(BEN, run.id)
        assert whole.review.chain.answer.answer == TEXT
        assert whole.events[0].data["answer"] == TEXT


def test_an_answer_that_holds_is_left_alone(queue: Queue):
    run = queue.withheld()
    fine = Answer(status=RunStatus.ANSWERED, answer="x", credibility=msgspec.structs.replace(LOW, score=0.7))
    assert Withholding(queue.reviews).shown(run, fine, (), "en") is fine
    unjudged = Answer(status=RunStatus.INSUFFICIENT, answer="")
    assert Withholding(queue.reviews).shown(run, unjudged, (), "en") is unjudged


def test_approved_the_asker_gets_the_answer_with_the_reviewers_name(queue: Queue):
    run = queue.withheld()
    queue.reviewing.approve(BEN, run.id, "the prospectus says so")
    after = queue.runs.get(run.id)
    assert (after.status, after.finished_at) == (RunStatus.ANSWERED, run.finished_at)
    assert after.answer
    assert after.answer.review
    assert (after.answer.answer, after.answer.claims[0].text) == (TEXT, TEXT)
    assert (after.answer.review.by, after.answer.review.status) == ("ben", ReviewStatus.APPROVED)
    assert after.answer.review.note == "the prospectus says so"
    last = queue.events.after(run.id)[-1]
    assert (last.kind, last.data["decision"], last.data["by"]) == ("review.decided", "approved", "ben")
    assert TEXT in msgspec.json.encode(told(after, queue.events.after(run.id))).decode()


def test_corrected_and_rejected_the_old_words_stay_hidden(queue: Queue):
    corrected, rejected = queue.withheld(), queue.withheld("安全吗？")
    queue.reviewing.correct(BEN, corrected.id, "It is rated 4 of 7.", "source: p. 3")
    queue.reviewing.reject(BEN, rejected.id, "没有来源")
    first, second = queue.runs.get(corrected.id), queue.runs.get(rejected.id)
    assert first.answer
    assert second.answer
    assert (first.status, first.answer.answer) == (RunStatus.ANSWERED, "It is rated 4 of 7.")
    assert (second.status, second.answer.answer) == (
        RunStatus.WITHHELD,
        "审核人员未放行该回答。原因：没有来源",
    )
    for run in (first, second):
        shown = msgspec.json.encode((run, told(run, queue.events.after(run.id)))).decode()
        assert TEXT not in shown


def test_a_review_is_decided_once(queue: Queue):
    run = queue.withheld()
    queue.reviewing.reject(BEN, run.id, "no")
    for again in (
        lambda: queue.reviewing.approve(BEN, run.id),
        lambda: queue.reviewing.correct(BEN, run.id, "x"),
        lambda: queue.reviewing.reject(BEN, run.id, "no"),
    ):
        with pytest.raises(UserError, match="decided already"):
            again()
    with pytest.raises(NotFoundError, match="r-0"):
        queue.reviewing.approve(BEN, RunId("r-0"))
    assert queue.runs.get(run.id).status is RunStatus.WITHHELD


@pytest.mark.parametrize(("text", "says"), [("  ", "is empty"), ("x" * 20_001, "20,001 characters")])
def test_a_correction_and_a_reason_have_words(queue: Queue, text: str, says: str):
    run = queue.withheld()
    with pytest.raises(UserError, match=says):
        queue.reviewing.correct(BEN, run.id, text)
    with pytest.raises(UserError, match=says):
        queue.reviewing.reject(BEN, run.id, text)
    assert queue.reviewing.show(BEN, run.id).review.status is ReviewStatus.OPEN


def test_only_reviewers_and_the_local_operator_may_look(queue: Queue):
    run = queue.withheld()
    with pytest.raises(ForbiddenError, match=r"anna may not review.*desk"):
        queue.reviewing.page(ANNA)
    with pytest.raises(ForbiddenError):
        queue.reviewing.approve(ANNA, run.id)
    must_review(Principal(), Governance())
    with pytest.raises(ForbiddenError, match="is empty"):
        must_review(BEN, Governance())
    assert queue.runs.get(run.id).status is RunStatus.WITHHELD


def test_a_reviewer_sees_only_what_rests_on_documents_they_may_read(queue: Queue):
    queue.document("d-2", "board")
    hidden = queue.withheld(mark=Fingerprint("d-2#s#0"))
    assert queue.reviewing.page(BEN).total == 0
    with pytest.raises(NotFoundError, match="no review"):
        queue.reviewing.show(BEN, hidden.id)
    both = Principal(user="ben", groups=("everyone", "desk", "board"))
    assert [each.run_id for each in queue.reviewing.page(both).reviews] == [hidden.id]


def test_pages_go_from_the_longest_waiting_and_filter(queue: Queue):
    runs = [queue.withheld(collection=name).id for name in ("default", "default", "other", "default")]
    queue.reviewing.reject(BEN, runs[1], "no")
    page = queue.reviewing.page(BEN, limit=2)
    assert page.total == 4
    more = queue.reviewing.page(BEN, limit=2, offset=2)
    assert sorted(one.run_id for one in (*page.reviews, *more.reviews)) == sorted(runs)
    opened = [one.opened_at for one in (*page.reviews, *more.reviews)]
    assert opened == sorted(opened)
    assert queue.reviewing.page(BEN, status=ReviewStatus.OPEN).total == 3
    assert queue.reviewing.page(BEN, status=ReviewStatus.REJECTED).reviews[0].run_id == runs[1]
    assert queue.reviewing.page(BEN, collection="other").total == 1
    assert queue.reviewing.page(BEN, collection="other", status=ReviewStatus.REJECTED).total == 0


def test_withholding_again_after_a_kill_keeps_one_review_and_a_decision_stands(queue: Queue):
    run = queue.withheld()
    chain = queue.reviewing.show(BEN, run.id).review.chain
    queue.reviews.open(run.id, "default", chain)
    assert queue.reviewing.page(BEN).total == 1
    queue.reviewing.approve(BEN, run.id)
    queue.reviews.open(run.id, "default", chain)
    assert queue.reviewing.show(BEN, run.id).review.status is ReviewStatus.APPROVED


def test_what_was_learned_and_kept_goes(queue: Queue):
    run = queue.withheld()
    token = queue.database.one("SELECT token FROM epochs WHERE collection = 'default'")
    other = queue.database.one("SELECT token FROM epochs WHERE collection = 'other'")
    queue.reviewing.approve(BEN, run.id)
    assert token
    assert other
    now = queue.database.one("SELECT token FROM epochs WHERE collection = 'default'")
    assert now
    assert now[0] != token[0]
    unchanged = queue.database.one("SELECT token FROM epochs WHERE collection = 'other'")
    assert unchanged
    assert unchanged[0] == other[0]


def test_events_of_other_runs_are_told_whole(queue: Queue):
    event = Event(seq=1, kind="finding.made", at="", data={"answer": "x", "claims": ["x"]})
    new = NewRun(question="q", collection="default", principal=ANNA, config_digest="", model_digests={})
    assert told(queue.runs.create(new), [event]) == (event,)
