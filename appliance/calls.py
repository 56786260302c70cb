"""The model calls of one run: counted, and stopped when the run is."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from appliance.domain import Completion, Prompt, Usage
from appliance.ports import LanguageModel

Cancelled = Callable[[], bool]


class Tally:
    """Adds up what a step's model calls cost, and what the checks did not let through."""

    def __init__(self) -> None:
        """Start at nothing."""
        self.usage, self.dropped = Usage(), 0

    def add(self, usage: Usage) -> None:
        """Count one call."""
        self.usage = self.usage.plus(usage)


class SharedTally:
    """The same for calls of steps that run at once: whichever ends first takes what was spent so far."""

    def __init__(self) -> None:
        """Start at nothing."""
        self._usage, self._lock = Usage(), Lock()

    def add(self, usage: Usage) -> None:
        """Count one call."""
        with self._lock:
            self._usage = self._usage.plus(usage)

    def taken(self) -> Usage:
        """Return what was counted since it was last taken."""
        with self._lock:
            usage, self._usage = self._usage, Usage()
        return usage


class Cancellable:
    """A language model that every call of a run can be stopped in."""

    def __init__(self, model: LanguageModel, cancelled: Cancelled) -> None:
        """``cancelled`` is asked while a reply is written."""
        self._model, self._cancelled = model, cancelled
        self.name, self.digest = model.name, model.digest

    def complete(
        self,
        prompt: Prompt,
        *,
        max_tokens: int,
        schema: type[object] | None = None,
        cancelled: Cancelled | None = None,
    ) -> Completion:
        """The model's reply; what stops the run stops the call, where nothing else is named."""
        stop = cancelled or self._cancelled
        return self._model.complete(prompt, max_tokens=max_tokens, schema=schema, cancelled=stop)

    def count_tokens(self, text: str) -> int:
        """The model's count."""
        return self._model.count_tokens(text)
