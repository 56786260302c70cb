"""What only a document in the other language says is found, and told in the question's language."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scripted_engine import ScriptedReader, scripted_appliance

from appliance.domain import Prompt, RunOptions, RunStatus

QUESTION = "Orbis 第二条传感器产线的实际造价是多少？"
SAID = "Orbis 第二条传感器产线的实际造价为24.1 million pounds。"


class Bilingual(ScriptedReader):
    """Reads English, answers in the language of the question."""

    def __init__(self, statement: str) -> None:
        super().__init__()
        self.statement = statement

    def reply(self, prompt: Prompt) -> dict[str, Any]:
        """What the line in English gives."""
        if "24.1 million" not in prompt.user:
            return {"found": False, "answer": "", "statement": ""}
        return {"found": True, "answer": "24.1 million pounds", "statement": self.statement}


@pytest.mark.parametrize(
    ("statement", "status"),
    [(SAID, RunStatus.ANSWERED), ("Orbis 将支出24.1 million pounds。", RunStatus.INSUFFICIENT)],
)
def test_a_passage_in_the_other_language_is_read_when_those_in_its_own_do_not_say(
    tmp_path: Path, statement: str, status: RunStatus
):
    library = tmp_path / "library"
    library.mkdir()
    for number in range(24):
        text = f"第{number}号产线说明：Orbis 传感器产线的造价由实际工程量决定，本册第{number}版不列金额。\n"
        (library / f"line-{number}.txt").write_text(text, "utf-8")
    (library / "news.txt").write_text("Orbis paid 24.1 million pounds for its second sensor line.\n", "utf-8")
    with scripted_appliance(tmp_path, library, Bilingual(statement)) as appliance:
        run = appliance.researcher.start(
            QUESTION, principal=appliance.principal, collection="default", options=RunOptions(fresh=True)
        )
        done = appliance.researcher.work(run)
        tactics = [
            event.data["tactic"]
            for event in appliance.events.after(run.id)
            if event.kind == "strategy.changed"
        ]
    assert "deeper" in tactics
    assert done.status is status
    assert done.answer is not None
    assert ("24.1 million" in done.answer.answer) is (status is RunStatus.ANSWERED)
