"""Sentences shortened by a language model, where an administrator allows it and the guard passes the result.

Arrives: a question and a line. Leaves: a shorter line with every fact of it and no other figure or name, or
the line as it was. Off by default: it costs a model call for each long line.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import msgspec

from appliance.domain import Prompt, Struct
from appliance.evidence.clauses import is_han
from appliance.evidence.facts import FactKind, facts, lost
from appliance.ports import LanguageModel, Meter

SHORTEN_TOKENS = 200
LONG_CHARS, LONG_CHARS_HAN = 200, 80
"""Shorter lines are left as they are."""
SAVING_MIN = 0.15
"""Less saved is not worth another wording."""
_INVENTED = (FactKind.NUMBER, FactKind.DATE, FactKind.NAME, FactKind.NEGATION)


class ShorterReply(Struct, frozen=True, kw_only=True):
    """The schema of the model's reply."""

    shorter: Annotated[str, msgspec.Meta(max_length=600)]


class Paraphraser:
    """One run's shortener of lines."""

    def __init__(self, model: LanguageModel, instructions: Callable[[str], str], meter: Meter) -> None:
        """``instructions``: by language; ``meter`` counts what the calls cost."""
        self._model, self._instructions, self._meter = model, instructions, meter

    def __call__(self, question: str, line: str) -> str:
        """Return the line, shorter where the model's wording passes the guard."""
        han = is_han(line)
        if len(line) < (LONG_CHARS_HAN if han else LONG_CHARS):
            return line
        prompt = Prompt(
            system=self._instructions("zh" if han else "en"), user=f"Question: {question}\nSentence: {line}"
        )
        completion = self._model.complete(prompt, max_tokens=SHORTEN_TOKENS, schema=ShorterReply)
        self._meter.add(completion.usage)
        try:
            shorter = msgspec.json.decode(completion.text, type=ShorterReply).shorter.strip()
        except msgspec.MsgspecError:
            return line  # cut off: the sentence as written is right, if longer
        return shorter if passes(line, shorter) else line


def passes(line: str, shorter: str) -> bool:
    """Return whether a wording is shorter, with every fact of the line and no figure, name or denial more."""
    if not shorter or len(shorter) > (1 - SAVING_MIN) * len(line) or lost(line, shorter):
        return False
    held = {fact.key for fact in facts(line)}
    return all(fact.key in held for fact in facts(shorter) if fact.kind in _INVENTED)
