"""Two research questions over the sample library, through the whole loop with the real models.

What changed between two versions of a policy and how that relates to an amendment; one company's risk factors
against the other's new product. Every source has to be cited.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sample_library import LIBRARY

from appliance.config import load_config
from appliance.domain import Principal, RunStatus
from appliance.evaluate.answers import absent_from
from appliance.wiring import Appliance

pytestmark = [pytest.mark.models, pytest.mark.slow]
MODEL = "qwen2.5-coder-1.5b-instruct"


@pytest.fixture(scope="module")
def appliance(
    tmp_path_factory: pytest.TempPathFactory, weights: Any, models_dir: Path
) -> Iterator[Appliance]:
    for name, file in ((MODEL, "model.gguf"), ("multilingual-e5-small", "model.onnx")):
        weights(name, file)
    weights("ms-marco-minilm-l12", "model.onnx")
    data = tmp_path_factory.mktemp("scenarios") / "data"
    flags: dict[str, object] = {"paths.data": str(data), "paths.models": str(models_dir)}
    with Appliance(load_config(environ={}, flags={**flags, "llm.model": MODEL})) as opened:
        opened.ingestor.ingest([LIBRARY], "sample")
        yield opened


POLICY, RULES = "Tarnholm Diagnostics: Personal Data Policy", "澄屿传感数据安全管理制度"


@pytest.mark.parametrize(
    ("question", "sources", "says"),
    [
        (
            "What changed in chapter 7 between the 2022 and the 2024 version of the personal data policy, "
            "and how does it relate to the Ellery Health Data Order amendment of 2023?",
            {f"{POLICY}, 2022", f"{POLICY}, 2024", "Ellery Health Data Order (Amendment) 2023"},
            ("72 hours", "24 hours", "ten years", "In article 9 of the Order"),
        ),
        (
            "《数据安全管理制度》第七章从2022年版到2024年版有哪些变化，"
            "这些变化与修改《云汀市可穿戴医疗器械经营管理办法》的决定有什么关系？",
            {
                f"{RULES}（2022年版）",
                f"{RULES}（2024年版）",
                "云汀市医疗器械监督管理局关于修改《云汀市可穿戴医疗器械经营管理办法》的决定",
            },
            ("48小时", "24小时", "保存5年", "第十一条中的“48小时内”修改为“24小时内”"),
        ),
        (
            "How do the risk factors in the 2023 annual report of Tarnholm Diagnostics relate to the new "
            "electrode E3 of Chengyu Sensing?",
            {"Tarnholm Diagnostics plc: Annual Report 2023"},
            ("64%", "Chengyu Sensing"),
        ),
        (
            "澄屿传感2023年年报的风险因素与Tarnholm的第二代Tidemark新产品有什么关系？",
            {"澄屿传感科技股份有限公司2023年年度报告"},
            ("Tarnholm Diagnostics plc", "2025年12月31日", "汐记"),
        ),
    ],
)
def test_both_sides_are_told_and_cited(
    appliance: Appliance, question: str, sources: set[str], says: tuple[str, ...]
) -> None:
    started = appliance.researcher.start(question, principal=Principal(), collection="sample")
    run = appliance.researcher.work(started)
    assert run.answer is not None
    assert run.status is RunStatus.ANSWERED
    scope = appliance.scope(collection="sample")
    cited = {mark for claim in run.answer.claims for mark in claim.citations}
    passages = {mark: appliance.passages.by_fingerprint(mark, scope) for mark in cited}
    titles = {passage.title for passage in passages.values()}
    assert sources <= titles
    assert len(titles) >= 2, "a relation has two sides"
    assert [word for word in says if word not in run.answer.answer] == []
    assert all(claim.citations for claim in run.answer.claims)
    assert [absent_from(claim, run.answer.claims, passages) for claim in run.answer.claims] == [
        [] for _ in run.answer.claims
    ]
