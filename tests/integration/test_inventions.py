"""A writer that invents figures, units, years, names, denials, sources: nothing of it is shown as fact.

Everything but the model and the vectors is real, and no trained head helps: what holds is code.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from scripted_engine import ScriptedReader, scripted_appliance

from appliance.answers.find import FindingReply
from appliance.domain import Answer, Prompt, RunOptions, RunStatus

PUMPS = 10
NAMES = "Brill Harwick Oakes Lund Tarn Voss Orley Senn Dace Quill".split()
NAMES_ZH = "林秋白 陈若谷 苏望舒 周砚农 许清欢 沈知微 顾长卿 陆听雨 韩青崖 宋暮云".split()
TOWNS = "Norby Calder Ebbing Larkfield Wyre Tessel Arlen Orne Brathay Keld".split()


class Case(NamedTuple):
    """A question, what the writer replies, and what must not be shown."""

    question: str
    reply: FindingReply
    invented: str
    kind: str


def pump(number: int) -> str:
    at = number - 1
    return (
        f"# Velm-{number:03} pump\n\nThe Velm-{number:03} pump weighs {20 + 3 * number} kg. "
        f"It was released in {2001 + number}. Its designer is Ada {NAMES[at]}. "
        f"It is built in {TOWNS[at]}. The Velm-{number:03} pump does not work under water. "
        f"At least {number + 2} filters come with the Velm-{number:03} pump.\n"
    )


def valve(number: int) -> str:
    at = number - 1
    return (
        f"# 维尔姆{number:03}型阀门\n\n维尔姆{number:03}型阀门重{20 + 3 * number}公斤。"
        f"维尔姆{number:03}型阀门于{2001 + number}年上市。维尔姆{number:03}型阀门由{NAMES_ZH[at]}设计。"
        f"维尔姆{number:03}型阀门不适用于腐蚀性气体。\n"
    )


def said(text: str, answer: str) -> FindingReply:
    return FindingReply(found=True, answer=answer, statement=text)


def cases() -> Iterator[Case]:
    """Ten inventions of each pump and each valve."""
    for number in range(1, PUMPS + 1):
        other = number % PUMPS + 1
        it, weight = f"the Velm-{number:03} pump", 20 + 3 * number
        asked = f"How much does {it} weigh?"
        for kind, figure in (
            ("figure", f"{weight + 700} kg"),
            ("unit", f"{weight} tonnes"),
            ("another's figure", f"{20 + 3 * other} kg"),
            ("digits swapped", f"{str(weight)[::-1]}9 kg"),
        ):
            yield Case(asked, said(f"The Velm-{number:03} pump weighs {figure}.", figure), figure, kind)
        year, name = str(2001 + other), f"Ada {NAMES[other - 1]}"
        when = f"In which year was {it} released?"
        yield Case(when, said(f"The Velm-{number:03} pump was released in {year}.", year), year, "year")
        who = f"Who is the designer of {it}?"
        told = f"The designer of the Velm-{number:03} pump is {name}."
        yield Case(who, said(told, name), name, "another's name")
        yield Case(who, said(told.replace(name, "Mo Zilk"), "Mo Zilk"), "Mo Zilk", "name")
        town = TOWNS[other - 1]
        where = f"Where is {it} built?"
        yield Case(where, said(f"The Velm-{number:03} pump is built in {town}.", town), town, "place")
        wet = f"The Velm-{number:03} pump works under water."
        yield Case(f"Does {it} work under water?", said(wet, "yes"), wet, "denial")
        every = f"Exactly {number + 40} filters come with the Velm-{number:03} pump."
        many = f"How many filters come with {it}?"
        yield Case(many, said(every, f"{number + 40}"), f"{number + 40}", "reach")
    for number in range(1, PUMPS + 1):
        other = number % PUMPS + 1
        it, weight = f"维尔姆{number:03}型阀门", 20 + 3 * number
        asked = f"{it}有多重？"
        for kind, figure in (
            ("figure", f"{weight + 700}公斤"),
            ("unit", f"{weight}吨"),
            ("another's figure", f"{20 + 3 * other}公斤"),
            ("digits swapped", f"{str(weight)[::-1]}9公斤"),
        ):
            yield Case(asked, said(f"{it}重{figure}。", figure), figure, kind)
        year, name = f"{2001 + other}年", NAMES_ZH[other - 1]
        yield Case(f"{it}是哪一年上市的？", said(f"{it}于{year}上市。", year), year, "year")
        yield Case(f"{it}由谁设计？", said(f"{it}由{name}设计。", name), name, "another's name")
        yield Case(f"{it}由谁设计？", said(f"{it}由欧阳子虚设计。", "欧阳子虚"), "欧阳子虚", "name")
        yield Case(f"{it}由谁设计？", said(f"{it}由{name}和同事设计。", f"{name}"), name, "half true")
        gas = f"{it}适用于腐蚀性气体。"
        yield Case(f"{it}是否适用于腐蚀性气体？", said(gas, "是"), gas, "denial")
        more = f"{it}重约{weight}公斤，价格为{number + 90}万元。"
        yield Case(f"{it}的价格是多少？", said(more, f"{number + 90}万元"), f"{number + 90}万元", "addition")


class Inventor(ScriptedReader):
    """Replies with the invention, whatever the lines say; without a line it is not asked."""

    def __init__(self) -> None:
        super().__init__()
        self.invention = said("", "")

    def reply(self, prompt: Prompt) -> dict[str, Any]:
        """The invention in the shape that is asked for."""
        return msgspec.to_builtins(self.invention) | {"facts": [1]}


def shown(answer: Answer) -> str:
    return "\n".join((answer.answer, answer.short, *(claim.text for claim in answer.claims)))


@pytest.mark.slow
def test_of_two_hundred_inventions_none_is_shown_as_fact(tmp_path: Path):
    library = tmp_path / "library"
    library.mkdir()
    for number in range(1, PUMPS + 1):
        (library / f"velm-{number:03}.md").write_text(pump(number), "utf-8")
        (library / f"valve-{number:03}.md").write_text(valve(number), "utf-8")
    model, breaches, asked = Inventor(), list[tuple[str, str, str]](), 0
    flags: dict[str, object] = {"cache.enabled": False, "reasoning.learning": False}
    with scripted_appliance(tmp_path, library, model, flags) as appliance:
        for case in cases():
            model.invention, asked = case.reply, asked + 1
            run = appliance.researcher.start(
                case.question,
                principal=appliance.principal,
                collection="default",
                options=RunOptions(fresh=True),
            )
            done = appliance.researcher.work(run)
            assert done.answer is not None
            text = shown(done.answer)
            if case.invented in text or case.reply.statement in text:
                breaches.append((case.kind, case.question, text))
            elif case.kind == "denial":
                assert done.status is not RunStatus.ANSWERED or "not" in text or "不" in text, case
    assert asked == 20 * PUMPS
    assert breaches == []
