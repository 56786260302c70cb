"""Ways to ask for a measurement: the loop, one look-up, the model alone.

Arrives: an appliance and a mode. Leaves: an ask function. One-shot and closed-book are what the loop is held
against: same model, same reader, same index.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import msgspec

from appliance.domain import Answer, Answering, Prompt, RunStatus, Usage

if TYPE_CHECKING:
    from appliance.evaluate.queries import Query
    from appliance.wiring import Appliance

CLOSED_TOKENS = 48


class ClosedReply(msgspec.Struct, frozen=True, kw_only=True):
    """The schema of a reply without any passage."""

    answer: Annotated[str, msgspec.Meta(max_length=120)]


def asking(
    appliance: Appliance,
    mode: Answering,
    *,
    collection: str,
    max_steps: int | None,
    cancelled: Callable[[], bool],
) -> Callable[[str], tuple[str, Answer, Usage]]:
    """Return question → run id (empty for closed-book), answer, cost. The calls raise AssayError."""

    def ask(question: str) -> tuple[str, Answer, Usage]:
        begun = appliance.researcher.start(question, principal=appliance.principal, collection=collection)
        run = appliance.researcher.work(begun, max_steps=max_steps, cancelled=cancelled)
        assert run.answer is not None, "a finished run has an answer"
        assert run.usage is not None, "a finished run has its cost"
        return run.id, run.answer, run.usage

    def recall(question: str) -> tuple[str, Answer, Usage]:
        instructions = appliance.prompts.text("closed", appliance.questions.read(question).language)
        prompt = Prompt(system=instructions, user=f"Q: {question}")
        reply = appliance.model.complete(
            prompt, max_tokens=CLOSED_TOKENS, schema=ClosedReply, cancelled=cancelled
        )
        try:
            text = msgspec.json.decode(reply.text, type=ClosedReply).answer.strip()
        except msgspec.MsgspecError:
            text = ""
        status = RunStatus.ANSWERED if text else RunStatus.INSUFFICIENT
        return "", Answer(status=status, answer=text, short=text), reply.usage

    return recall if mode is Answering.CLOSED_BOOK else ask


def spread_over(queries: Sequence[Query], limit: int | None) -> list[Query]:
    """Return ``limit`` of the questions, evenly from the whole list, in its order; all without a limit."""
    if limit is None or limit >= len(queries):
        return list(queries)
    return [queries[number * len(queries) // limit] for number in range(limit)]
