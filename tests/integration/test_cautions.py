"""What a field wants said stands under its answers, in the question's language; claims tell their date."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scripted_engine import ScriptedReader, scripted_appliance

from appliance.domain import Prompt, RunOptions

TEXTS = {
    "leaflet.md": "# Velmarin tablets: leaflet, 3 May 2023\n\nThe half-life of Velmarin is 14 hours.\n",
    "zh.md": "# 维尔马林片说明书 2023年5月3日\n\n维尔马林的半衰期为14小时。\n",
    "lamp.md": "# Lamp data sheet\n\nThe Lumo lamp weighs 310 g.\n",
}
META = '[[rule]]\nfiles = ["leaflet.md", "zh.md"]\npublished = 2023-05-03\n'
REPLIES = {
    "half-life": ("14 hours", "The half-life of Velmarin is 14 hours."),
    "半衰期": ("14小时", "维尔马林的半衰期为14小时。"),
    "Lumo": ("310 g", "The Lumo lamp weighs 310 g."),
}


class Reads(ScriptedReader):
    """Answers by the question's word."""

    def reply(self, prompt: Prompt) -> dict[str, Any]:
        """The reply that fits the question."""
        question = prompt.user.rsplit("Q: ", 1)[-1]
        answer, statement = next(reply for word, reply in REPLIES.items() if word in question)
        return {"found": True, "answer": answer, "statement": statement}


@pytest.mark.parametrize(
    ("question", "caution", "as_of"),
    [
        ("What is the half-life of Velmarin in patients?", "a clinician decides", "2023-05-03"),
        ("维尔马林在患者中的半衰期是多少？", "请由医生判断", "2023-05-03"),
        ("How much does the Lumo lamp weigh?", "", ""),
    ],
)
def test_the_fields_caution_and_the_claims_date(tmp_path: Path, question: str, caution: str, as_of: str):
    library = tmp_path / "library"
    library.mkdir()
    for name, text in {**TEXTS, "assay.toml": META}.items():
        (library / name).write_text(text, "utf-8")
    with scripted_appliance(tmp_path, library, Reads()) as appliance:
        run = appliance.researcher.start(
            question, principal=appliance.principal, collection="default", options=RunOptions(fresh=True)
        )
        answer = appliance.researcher.work(run).answer
    assert answer is not None
    assert caution in answer.caution
    assert bool(caution) == bool(answer.caution)
    assert answer.claims[0].as_of == as_of
