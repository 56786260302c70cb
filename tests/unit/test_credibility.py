"""An answer's credibility: facts by code, stance and risk by cues and the trained head; both languages."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest
from scripted_engine import HashEmbedder

from appliance.config import Governance
from appliance.documents import split_sentences
from appliance.domain import (
    Answer,
    Claim,
    ClaimKind,
    Contradiction,
    CredibilityPart,
    DocumentId,
    Fingerprint,
    Passage,
    PassageId,
    RunStatus,
    Support,
)
from appliance.errors import DamagedError
from appliance.governance.credibility import Evaluator
from appliance.governance.credibility_features import NAMES, vector_of
from appliance.governance.credibility_head import FOLDER, load_credibility_head
from appliance.governance.cues import cues, overlap
from appliance.governance.facts import consistency

MARK = Fingerprint("d-1#s#0")
BRIDGE = "The Velm bridge carries 4,200 vehicles a day. It was painted green in 2019."
FUND = "该基金2023年收益率为5.2%。过往业绩不保证未来收益。"


@pytest.fixture(scope="module")
def evaluator() -> Evaluator:
    """Without the encoder that the head knows: what cues alone decide is the same everywhere."""
    return Evaluator(Governance(), HashEmbedder(), split_sentences)


def passage(text: str) -> dict[Fingerprint, Passage]:
    whole = Passage(
        id=PassageId(1),
        fingerprint=MARK,
        document_id=DocumentId("d-1"),
        record_id="r",
        collection="default",
        title="T",
        section_path="s",
        text=text,
        language="en",
        token_count=9,
    )
    return {MARK: whole}


def answer(text: str, **claim: object) -> Answer:
    plain: dict[str, object] = {"text": text, "kind": ClaimKind.FACT, "citations": (MARK,)}
    made = msgspec.convert({**plain, **claim}, Claim)
    return Answer(status=RunStatus.ANSWERED, answer=text, claims=(made,))


# ---------------------------------------------------------------- stance and risk
@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("The Velm bridge carries 4,200 vehicles a day.", BRIDGE),
        ("The Velm bridge was painted in 2019.", BRIDGE),
        ("The Velm bridge is absolutely safe.", f"{BRIDGE} The Velm bridge is absolutely safe."),
        ("该基金2023年收益率为5.2%。", FUND),
        ("该基金的过往业绩不保证未来收益。", FUND),
        ("建议您每天服用10毫克。", "用法：建议您每天服用10毫克。"),
    ],
)
def test_what_the_source_says_or_denies_is_shown(evaluator: Evaluator, text: str, source: str):
    judged = evaluator.judge(answer(text), passage(source), "finance")
    assert judged.holds, judged
    assert judged.score >= 0.9


@pytest.mark.parametrize(
    ("text", "source", "field", "part", "word"),
    [
        ("The Velm bridge is absolutely safe.", BRIDGE, "", CredibilityPart.STANCE, "absolutely safe"),
        (
            "We strongly recommend the Velm bridge to everyone.",
            BRIDGE,
            "",
            CredibilityPart.STANCE,
            "recommend",
        ),
        ("该基金绝对安全。", FUND, "finance", CredibilityPart.STANCE, "绝对安全"),
        ("强烈推荐该基金。", FUND, "finance", CredibilityPart.STANCE, "强烈推荐"),
        (
            "You should take 10 mg twice a day.",
            "Adults: 10 mg daily.",
            "medical",
            CredibilityPart.RISK,
            "take 10 mg",
        ),
        ("您应该买入该基金。", FUND, "finance", CredibilityPart.RISK, "买入"),
    ],
)
def test_praise_and_advice_of_the_writer_are_withheld_with_the_words(
    evaluator: Evaluator, text: str, source: str, field: str, part: CredibilityPart, word: str
):
    judged = evaluator.judge(answer(text), passage(source), field)
    assert not judged.holds
    assert judged.facts == 1.0
    assert any(doubt.part is part and word in doubt.why for doubt in judged.doubts), judged.doubts


def test_a_promise_that_the_source_denies_is_the_writers(evaluator: Evaluator):
    assert [cue.held for cue in cues("该基金保证未来收益。", split_sentences(FUND))] == [False]
    assert not evaluator.judge(answer("该基金保证未来收益，稳赚不赔。"), passage(FUND), "finance").holds


def test_one_bad_sentence_among_many_decides(evaluator: Evaluator):
    good = [f"The Velm bridge carried {n} vehicles on day {n}." for n in range(1, 20)]
    source = " ".join(good)
    assert evaluator.judge(answer(source), passage(source)).score == 1.0
    worse = evaluator.judge(answer(f"{source} It is absolutely safe."), passage(source))
    assert not worse.holds
    assert [doubt.text for doubt in worse.doubts] == ["It is absolutely safe."]


def test_the_draft_is_let_through_by_the_same_words(evaluator: Evaluator):
    shown, held = answer("The Velm bridge was painted."), answer("该桥绝对安全，强烈推荐。")
    assert evaluator.lets(shown.claims, passage(BRIDGE))
    assert not evaluator.lets(held.claims, passage(BRIDGE))
    assert evaluator.lets((), {})


def test_the_threshold_is_the_configured_one():
    strict = Evaluator(Governance(threshold=1.0), HashEmbedder(), split_sentences)
    open_ = Evaluator(Governance(threshold=0.0), HashEmbedder(), split_sentences)
    doubtful = answer("The Velm bridge is absolutely safe.")
    assert not strict.judge(doubtful, passage(BRIDGE)).holds
    assert open_.judge(doubtful, passage(BRIDGE)).holds


# ---------------------------------------------------------------- cues
@pytest.mark.parametrize(
    ("text", "families"),
    [
        ("It is not absolutely safe.", []),
        ("Returns are not guaranteed.", []),
        ("No device is completely safe.", []),
        ("并非绝对安全", []),
        ("本金不受保证", []),
        ("It is risk-free, guaranteed.", ["absolute", "promise"]),
        ("保证收益，零风险", ["absolute", "promise"]),
        ("It cures asthma without side effects.", ["cure", "cure"]),
    ],
)
def test_denied_words_are_no_cues(text: str, families: list[str]):
    assert [cue.family for cue in cues(text, ())] == families


def test_a_cue_is_held_only_by_a_sentence_that_says_the_same():
    claim = "The Alder fund guarantees a return of 5%."
    assert [cue.held for cue in cues(claim, ["The Alder fund guarantees a return of 5% a year."])] == [True]
    assert [cue.held for cue in cues(claim, ["We guarantee repair within three days."])] == [False]
    assert overlap("基金收益率", "该基金的收益率为5%") == 0.75


# ---------------------------------------------------------------- facts
def test_facts_count_the_weakest_claim_and_contradictions():
    text = "The Velm bridge carries 4,200 vehicles a day."
    whole = answer(text)
    assert consistency(whole, passage(BRIDGE)) == (1.0, ())
    assert consistency(whole, {})[0] == 0.4
    assert consistency(answer(text, citations=()), passage(BRIDGE))[0] == 0.4
    assert consistency(answer(text, support=Support.UNSUPPORTED), passage(BRIDGE))[0] == 0.2
    assert consistency(whole, passage(BRIDGE), lambda claim: 0.6)[0] == 0.6
    disputed = msgspec.structs.replace(whole, contradictions=(Contradiction(about="count", sides=()),) * 3)
    assert consistency(disputed, passage(BRIDGE))[0] == pytest.approx(0.614, abs=1e-3)
    settled = Contradiction(about="count", sides=(), resolved=True, by="date", chosen=0)
    told = msgspec.structs.replace(whole, contradictions=(settled,) * 3)
    assert consistency(told, passage(BRIDGE)) == (1.0, ())


def test_a_figure_in_no_claim_and_an_answer_without_claims_do_not_hold(evaluator: Evaluator):
    invented = msgspec.structs.replace(answer("It carries 4,200 vehicles."), answer="It carries 9,999.")
    assert consistency(invented, passage(BRIDGE))[0] == 0.5
    same = msgspec.structs.replace(answer("It carries 4,200 vehicles."), answer="It carries 4200.")
    assert consistency(same, passage(BRIDGE))[0] == 1.0
    dated = msgspec.structs.replace(answer("It carries 4,200 vehicles."), answer="Painted in 2019.")
    assert consistency(dated, passage(BRIDGE))[0] == 1.0
    bare = Answer(status=RunStatus.ANSWERED, answer="It is green.")
    assert not evaluator.judge(bare, {}).holds


def test_what_is_told_as_unconfirmed_beside_the_answer_does_not_withhold_it():
    whole = answer("The Velm bridge carries 4,200 vehicles a day.")
    beside = Claim(text="It is old.", kind=ClaimKind.FACT, citations=(), support=Support.UNSUPPORTED)
    told = msgspec.structs.replace(whole, claims=(*whole.claims, beside))
    assert consistency(told, passage(BRIDGE)) == (1.0, ())


# ---------------------------------------------------------------- the head
def test_features_stand_under_their_names():
    row = vector_of("您应该买入，绝对安全。", ["无关。"], "finance")
    lit = {name for name, value in zip(NAMES, row.tolist(), strict=True) if value == 1.0}
    assert lit == {
        "absolute, no source", "address, no source", "trade, no source",
        "cited", "second person", "chinese", "finance",
    }  # fmt: skip


def test_a_damaged_or_foreign_head_is_refused(tmp_path: Path):
    for name in ("card.json", "weights.npz"):
        (tmp_path / name).write_bytes((FOLDER / name).read_bytes())
    head = load_credibility_head(tmp_path)
    rows = np.stack([vector_of("Fine.", ["Fine."], ""), vector_of("It is absolutely safe.", [], "")])
    told = head.faults(rows, None)
    assert told[0, 0] < 0.3 < 0.6 < told[1, 0]
    (tmp_path / "weights.npz").write_bytes(b"x" + (FOLDER / "weights.npz").read_bytes()[1:])
    load_credibility_head.cache_clear()
    with pytest.raises(DamagedError, match="checksum"):
        load_credibility_head(tmp_path)
    card = (FOLDER / "card.json").read_text("utf-8").replace('"hedged"', '"other"')
    (tmp_path / "card.json").write_text(card, "utf-8")
    (tmp_path / "weights.npz").write_bytes((FOLDER / "weights.npz").read_bytes())
    with pytest.raises(DamagedError, match="other features"):
        load_credibility_head(tmp_path)
    load_credibility_head.cache_clear()
