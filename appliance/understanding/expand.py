"""Synonyms and related concepts that a model proposes for a question (A2), where the profile allows it.

Arrives: a reading. Leaves: at most six phrases that documents may use, none with a figure, a date or a name
that the question or its domain pack does not have (:mod:`appliance.understanding.presumed`). One call for a
question, cached under the question, the model and the instructions; the guard judges again at every use.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Annotated

import msgspec

from appliance.domain import Prompt, Reading, Struct
from appliance.errors import ModelOutputError
from appliance.ports import LanguageModel
from appliance.understanding.presumed import presumed

EXPAND_TOKENS = 60
PHRASES = 6
MAX_QUESTION_CHARS = 600
"""A longer question has words enough of its own: the model is not asked."""
Phrase = Annotated[str, msgspec.Meta(min_length=1, max_length=48)]
Get = Callable[[str], bytes | None]
Put = Callable[[str, bytes], None]


class Proposal(Struct, frozen=True, kw_only=True):
    """The schema that the model's reply is held to."""

    phrases: Annotated[list[Phrase], msgspec.Meta(max_length=PHRASES)]


class Expander:
    """Asks a model what else documents may call the things of a question. Safe to share between threads."""

    def __init__(
        self, model: LanguageModel, *, instructions: Callable[[str], str], get: Get, put: Put
    ) -> None:
        """``instructions`` of a language; ``get`` and ``put`` reach a cache of bytes, a miss is None."""
        self._model, self._instructions, self._get, self._put = model, instructions, get, put

    def expand(self, reading: Reading) -> tuple[str, ...]:
        """The phrases that the guard lets through; none for a question in neither language, or a long one.

        Raises what the model raises (BusyError, BackendError), and ModelOutputError.
        """
        if reading.language not in ("en", "zh") or not 0 < len(reading.text) <= MAX_QUESTION_CHARS:
            return ()
        passed = [
            phrase
            for phrase in (" ".join(each.split()) for each in self._proposed(reading))
            if not presumed(phrase, reading)
        ]
        unique = {phrase.casefold(): phrase for phrase in reversed(passed)}
        return tuple(reversed(unique.values()))[:PHRASES]

    def _proposed(self, reading: Reading) -> list[str]:
        instructions = self._instructions(reading.language)
        key = self._key(reading.text, instructions)
        if (kept := self._get(key)) is not None:
            try:
                return msgspec.json.decode(kept, type=Proposal).phrases
            except (msgspec.MsgspecError, UnicodeDecodeError):
                pass  # a damaged entry is a miss: it is asked and written anew
        completion = self._model.complete(
            Prompt(system=instructions, user=f"Q: {reading.text}"), max_tokens=EXPAND_TOKENS, schema=Proposal
        )
        proposal = _decoded(completion.text)
        self._put(key, msgspec.json.encode(proposal))
        return proposal.phrases

    def _key(self, question: str, instructions: str) -> str:
        asked = hashlib.sha256(f"{instructions}\0{question}".encode()).hexdigest()
        return f"expand:{self._model.digest}:{asked}"


def _decoded(text: str) -> Proposal:
    """The reply; of one that was cut off, its whole phrases. Raises ModelOutputError."""
    for whole in (text, text[: text.rfind('","')] + '"]}'):
        try:
            return msgspec.json.decode(whole, type=Proposal)
        except msgspec.MsgspecError:
            continue
    raise ModelOutputError("the model's synonyms cannot be read", hint="the search goes on without them")
