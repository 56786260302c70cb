"""Claims are held against their passages; what they do not carry is looked up, quoted or given up."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from appliance.confirming import Confirmer
from appliance.domain import (
    Claim,
    ClaimKind,
    Fault,
    FaultKind,
    Finding,
    Passage,
    Plan,
    Task,
    Tool,
    Verdict,
)
from tests.unit.test_answers import line

SALES = line(1, "The sales of Orbis in 2021 were $8.2 million.").passage
OTHER = line(2, "Orbis employed 1,204 people in 2021.").passage
PLAN = Plan(
    tasks=(
        Task(id=1, question="What were the sales of Orbis in 2021?"),
        Task(id=2, question="Who leads {1}?", depends_on=(1,)),
    )
)
NUMBER = Fault(kind=FaultKind.NUMBER, said="9.2", holds="8.2")


def verify(claim: str, passages: Sequence[Passage], *, known: str = "") -> Verdict:
    """Supported where a passage holds the claim word for word."""
    for passage in passages:
        if claim in passage.text:
            return Verdict(supported=True, confidence=1.0, fingerprint=passage.fingerprint)
    return Verdict(supported=False, confidence=0.1, faults=(NUMBER,))


def finding(text: str, passage: Passage, *, quote: str = "", answer: str = "$8.2 million") -> Finding:
    claim = Claim(text=text, kind=ClaimKind.FACT, citations=(passage.fingerprint,), quote=quote)
    return Finding(task_id=1, question=PLAN.tasks[0].question, found=True, answer=answer, claims=(claim,))


class Run:
    def __init__(self, elsewhere: Sequence[Passage] = ()) -> None:
        self.looked, self.told, self._elsewhere = list[str](), list[str](), elsewhere
        self.confirmer = Confirmer(verify, self.look, self.tell)

    def look(self, query: str) -> Sequence[Passage]:
        self.looked.append(query)
        return self._elsewhere

    def tell(self, kind: str, **data: object) -> None:
        self.told.append(f"{kind} {data['outcome']}")

    def confirm(self, *findings: Finding, plan: Plan = PLAN):
        return self.confirmer.confirm(plan, findings, {one.fingerprint: one for one in (SALES, OTHER)})


def test_a_claim_that_its_passage_carries_stays_as_it_is():
    run, held = Run(), finding(SALES.text, SALES)
    made = run.confirm(held)
    assert made.findings == (held,)
    assert (made.unconfirmed, run.looked, run.told) == ((), [], [])


def test_the_title_before_a_quoted_line_is_no_part_of_what_is_said():
    run = Run()
    titled = finding(f"{SALES.title}: {SALES.text}", SALES)
    assert run.confirm(titled).findings == (titled,)
    assert run.looked == []


def test_a_claim_of_another_passage_is_cited_where_it_stands():
    run = Run([OTHER, SALES])
    made = run.confirm(finding(SALES.text, OTHER))
    assert made.findings[0].claims[0].citations == (SALES.fingerprint,)
    assert made.passages == (SALES,)
    assert run.told == ["claim.checked cited elsewhere"]


def test_a_claim_that_says_more_than_its_line_becomes_the_line():
    run = Run()
    made = run.confirm(finding("Orbis sold $8.2 million, a record.", SALES, quote=SALES.text))
    assert made.findings[0].claims[0].text == SALES.text
    assert run.looked == ["Orbis sold $8.2 million, a record."]
    assert run.told == ["claim.checked quoted"]


def test_an_invention_is_given_up_with_what_was_built_on_it():
    run = Run([OTHER])
    invented = finding(
        "The sales of Orbis were $9.2 million.", SALES, quote=SALES.text, answer="$9.2 million"
    )
    built = Finding(
        task_id=2,
        question="Who leads $9.2 million?",
        found=True,
        answer="Ada",
        claims=(Claim(text=OTHER.text, kind=ClaimKind.FACT, citations=(OTHER.fingerprint,)),),
    )
    made = run.confirm(invented, built)
    assert [one.found for one in made.findings] == [False, False]
    assert "could not be confirmed" in made.findings[0].missing
    assert "step 1" in made.findings[1].missing
    assert made.unconfirmed == ("The sales of Orbis were $9.2 million.",)


def test_what_code_computed_is_not_read_as_prose():
    run = Run()
    computed = finding("8.2 - 4.1 = 4.1", SALES)
    plan = Plan(tasks=(msgspec.structs.replace(PLAN.tasks[0], tool=Tool.CALC),))
    assert run.confirm(computed, plan=plan).findings == (computed,)
    inferred = msgspec.structs.replace(computed.claims[0], kind=ClaimKind.INFERENCE)
    held = msgspec.structs.replace(computed, claims=(inferred,))
    assert run.confirm(held).findings == (held,)
    assert run.told == []
