"""The tools in the loop, over a real store and indexes: two versions compared, one table computed.

Vectors and replies are made up; the policies are those of the sample library.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sample_library import LIBRARY
from scripted_engine import ScriptedReader, scripted_appliance

from appliance.domain import ClaimKind, Principal, RunStatus
from appliance.store.runs import RunRecord
from appliance.wiring import Appliance

FILES = (
    "legal/personal-data-policy-2022.md",
    "legal/personal-data-policy-2024.md",
    "legal/health-data-order-amendment-2023.md",
    "chengyu/data-security-rules-2022.md",
    "chengyu/data-security-rules-2024.md",
    "legal/wearable-devices-regulation-amendment-2023.html",
)
RESULTS = """# Results of Harrow Pumps

All amounts in thousands of pounds.

| £ thousand | 2021 | 2022 | 2023 |
|---|---|---|---|
| Revenue | 4,000 | 5,000 | 6,500 |
| Cost of sales | (1,000) | (1,500) | (2,000) |
"""
POLICY, RULES = "Tarnholm Diagnostics: Personal Data Policy", "澄屿传感数据安全管理制度"
CHANGED = (
    "What changed in chapter 7 between the 2022 and the 2024 version of the personal data policy, "
    "and how does it relate to the Ellery Health Data Order amendment of 2023?"
)
CHANGED_ZH = (
    "《数据安全管理制度》第七章从2022年版到2024年版有哪些变化，"
    "这些变化与修改《云汀市可穿戴医疗器械经营管理办法》的决定有什么关系？"
)


@pytest.fixture(scope="module")
def model() -> ScriptedReader:
    return ScriptedReader()


@pytest.fixture(scope="module")
def appliance(tmp_path_factory: pytest.TempPathFactory, model: ScriptedReader) -> Iterator[Appliance]:
    folder = tmp_path_factory.mktemp("tools")
    library = folder / "library"
    library.mkdir()
    for name in FILES:
        shutil.copy(LIBRARY / name, library / Path(name).name)
    (library / "results.md").write_text(RESULTS, "utf-8")
    with scripted_appliance(folder, library, model, {"reasoning.continue_threshold": 0.0}) as opened:
        yield opened


def asked(appliance: Appliance, question: str) -> RunRecord:
    started = appliance.researcher.start(question, principal=Principal(), collection="default")
    return appliance.researcher.work(started)


def told(appliance: Appliance, run: RunRecord, kind: str) -> list[dict[str, Any]]:
    return [event.data for event in appliance.events.after(run.id) if event.kind == kind]


def titles(appliance: Appliance, run: RunRecord) -> list[set[str]]:
    """By claim, the titles of the passages that it cites."""
    assert run.answer is not None
    read, scope = appliance.passages.by_fingerprint, appliance.scope(collection="default")
    return [{read(mark, scope).title for mark in claim.citations} for claim in run.answer.claims]


@pytest.mark.parametrize(
    ("question", "changes", "versions", "other", "facts"),
    [
        (
            CHANGED, 4,
            (f"{POLICY}, 2022", f"{POLICY}, 2024"),
            "Ellery Health Data Order (Amendment) 2023", ("72 hours", "24 hours", "ten years"),
        ),
        (
            CHANGED_ZH, 3, (f"{RULES}（2022年版）", f"{RULES}（2024年版）"),
            "云汀市医疗器械监督管理局关于修改《云汀市可穿戴医疗器械经营管理办法》的决定",
            ("48小时", "24小时", "5年"),
        ),
    ],
)  # fmt: skip
def test_changes_cite_both_versions_and_what_they_relate_to(
    appliance: Appliance,
    question: str,
    changes: int,
    versions: tuple[str, str],
    other: str,
    facts: tuple[str, ...],
) -> None:
    run = asked(appliance, question)
    assert run.answer is not None
    assert run.status is RunStatus.ANSWERED
    (compared,) = told(appliance, run, "versions.compared")
    assert (compared["older"]["title"], compared["newer"]["title"]) == versions
    assert compared["changes"] == changes
    cited = titles(appliance, run)
    assert cited.count(set(versions)) == changes, "each change is cited in both versions"
    assert {other} in cited
    assert all(fact in run.answer.answer for fact in facts)
    assert cited[0] == {*versions, other}, "the whole answer cites all three"
    kinds = [claim.kind for claim in run.answer.claims]
    assert kinds == [ClaimKind.INFERENCE, *[ClaimKind.FACT] * (len(kinds) - 1)]
    evidence = {appliance.passages.by_fingerprint(m, appliance.scope()).title for m in run.answer.evidence}
    assert {*versions, other} <= evidence


def test_a_section_that_is_the_same_is_told_so(appliance: Appliance) -> None:
    run = asked(
        appliance,
        "What changed in chapter 5 between the 2022 and the 2024 version of the personal data policy?",
    )
    assert run.answer is not None
    assert run.answer.short == "no change"
    assert len(titles(appliance, run)[0]) == 2


def test_without_two_versions_the_documents_are_read_and_it_is_told(appliance: Appliance) -> None:
    run = asked(appliance, "What changed between the 2015 and the 2016 version of the personal data policy?")
    changed = told(appliance, run, "tool.changed")
    assert changed == [
        {
            "task": 1,
            "planned": "diff",
            "tool": "documents",
            "reason": "no two versions of it are in the collection",
        }
    ]
    assert not told(appliance, run, "versions.compared")
    tactics = [data["tactic"] for data in told(appliance, run, "finding.made")]
    assert tactics[:2] == ["as asked", "deeper"], "it is looked for like any other"


def test_a_calculation_over_a_table_needs_no_model(appliance: Appliance, model: ScriptedReader) -> None:
    before = len(model.asked)
    run = asked(appliance, "By what percentage did the revenue of Harrow Pumps grow from 2022 to 2023?")
    assert run.answer is not None
    assert run.answer.short == "30%"
    assert len(model.asked) == before
    (computed,) = told(appliance, run, "table.computed")
    assert [one["figure"] for one in computed["operands"]] == ["5,000 thousand", "6,500 thousand"]
    (claim,) = run.answer.claims
    assert claim.text == "(6,500 thousand - 5,000 thousand) / 5,000 thousand * 100 = 30%"
    assert claim.kind is ClaimKind.INFERENCE
    assert {one["fingerprint"] for one in computed["operands"]} == set(claim.citations)


def test_what_no_table_gives_is_split_and_then_asked_whole(appliance: Appliance) -> None:
    run = asked(appliance, "By what percentage did the dividend of Harrow Pumps grow from 2022 to 2023?")
    origins = [data["origin"] for data in told(appliance, run, "plan.made")]
    assert origins == ["table", "rules", "simple"]
    assert run.answer is not None
    assert run.answer.status is RunStatus.INSUFFICIENT


def test_the_collection_learns_which_tool_answers_what(appliance: Appliance) -> None:
    from appliance.store.skeletons import ToolOutcomes

    asked(appliance, CHANGED)
    counted = ToolOutcomes(appliance.database).of("default")
    assert counted["change", "diff"][0] >= 1
