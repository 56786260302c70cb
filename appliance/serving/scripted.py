"""Model adapters without weights, for unit tests only: replies by script, vectors by hashing words.

Arrives: a script or nothing. Leaves: the same contracts as the real adapters (tests/contracts runs on
both), at once and deterministically. They understand nothing: never wire them into an installation.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import BoundedSemaphore, Lock

import msgspec
import numpy as np

from appliance.domain import Completion, Prompt, Usage
from appliance.errors import BusyError, CancelledError, UserError
from appliance.ports import Vectors

_WORD = re.compile(r"[㐀-䶿一-鿿豈-﫿]|[^\W㐀-䶿一-鿿豈-﫿]+|[^\w\s]")
Reply = str | msgspec.Struct | Completion | Exception
"""JSON or free text; a value to be encoded; a finished completion, taken as it is; an error to raise."""


def words(text: str) -> list[str]:
    """Lower-case words, single Chinese characters and punctuation marks."""
    return _WORD.findall(text.lower())


class ScriptedModel:
    """A :class:`~appliance.ports.LanguageModel` that says what it was told to say."""

    def __init__(
        self,
        replies: Iterable[Reply] | Callable[[Prompt], Reply],
        *,
        name: str = "scripted",
        context_tokens: int = 4096,
        queue: int = 8,
    ) -> None:
        """``replies`` in the order of the calls, or a function of the prompt."""
        self.name = name
        self.digest = hashlib.sha256(name.encode()).hexdigest()
        self.prompts: list[Prompt] = []
        """Every prompt that was answered, in order."""
        self._script = replies if callable(replies) else _in_order(replies)
        self._context_tokens = context_tokens
        self._line, self._turn = BoundedSemaphore(queue + 1), Lock()

    def complete(
        self,
        prompt: Prompt,
        *,
        max_tokens: int,
        schema: type[object] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Completion:
        """The next reply, cut after ``max_tokens`` words.

        Raises BusyError, CancelledError, UserError as a real model; ValueError (the script does not keep
        to the schema); AssertionError (the script is at its end).
        """
        tokens = self.count_tokens(prompt.system) + self.count_tokens(prompt.user)
        if tokens >= self._context_tokens:
            raise UserError(f"the prompt has {tokens:,} tokens, {self.name} reads {self._context_tokens:,}")
        if not self._line.acquire(blocking=False):
            raise BusyError(f"{self.name} is busy")
        try:
            while not self._turn.acquire(timeout=0.05):
                if cancelled is not None and cancelled():
                    raise CancelledError(f"{self.name}: cancelled while it waited")
            try:
                return self._reply(prompt, tokens, max_tokens, schema, cancelled or _never)
            finally:
                self._turn.release()
        finally:
            self._line.release()

    def count_tokens(self, text: str) -> int:
        """Words, Chinese characters and punctuation marks."""
        return len(words(text))

    def close(self) -> None:
        """Nothing to free."""

    def _reply(
        self,
        prompt: Prompt,
        tokens: int,
        max_tokens: int,
        schema: type[object] | None,
        cancelled: Callable[[], bool],
    ) -> Completion:
        if cancelled():
            raise CancelledError("cancelled")
        self.prompts.append(prompt)
        reply = self._script(prompt)
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, Completion):
            return reply
        text = reply if isinstance(reply, str) else msgspec.json.encode(reply).decode()
        if schema is not None:
            _validate(text, schema)
        written = self.count_tokens(text)
        if written > max_tokens:
            end = [match.end() for match in _WORD.finditer(text)][max_tokens - 1]
            text, written, finish_reason = text[:end], max_tokens, "length"
        else:
            finish_reason = "stop"
        for _ in range(written):
            if cancelled():
                raise CancelledError("cancelled")
        usage = Usage(calls=1, prompt_tokens=tokens, completion_tokens=written)
        return Completion(text=text, usage=usage, finish_reason=finish_reason)


class HashEmbedder:
    """An :class:`~appliance.ports.Embedder`: words add ±1 at their hash (Weinberger et al. 2009)."""

    def __init__(self, *, name: str = "hash-embedder", dim: int = 64) -> None:
        """Texts that share words have near vectors; nothing more is promised."""
        self.name, self.dim = name, dim
        self.digest = hashlib.sha256(f"{name}\0{dim}".encode()).hexdigest()

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """``(n, dim) float32``, L2-normalised."""
        return self._embed(texts)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """``(n, dim) float32``, L2-normalised."""
        return self._embed(texts)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Words, Chinese characters and punctuation marks of each text."""
        return [len(words(text)) for text in texts]

    def close(self) -> None:
        """Nothing to free."""

    def _embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), self.dim), np.float32)
        for row, text in enumerate(texts):
            for word in words(text) or [""]:
                digest = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest())
                vectors[row, (digest >> 1) % self.dim] += 1.0 if digest & 1 else -1.0
            if not vectors[row].any():
                vectors[row, 0] = 1.0
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return (vectors / np.maximum(norms, 1e-12)).astype(np.float32)


class OverlapReranker:
    """A :class:`~appliance.ports.Reranker`: the share of the query's words that the passage has."""

    def __init__(self, *, name: str = "overlap-reranker", languages: Iterable[str] = ("en", "zh")) -> None:
        """``languages`` are those it claims to know."""
        self.name, self.languages = name, frozenset(languages)
        self.digest = hashlib.sha256(name.encode()).hexdigest()

    def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        """0–1 for each passage; empty for no passages."""
        asked = {word for word in words(query) if word.isalnum()}
        return [len(asked & set(words(passage))) / max(len(asked), 1) for passage in passages]

    def close(self) -> None:
        """Nothing to free."""


def _validate(text: str, schema: type[object]) -> None:
    try:
        msgspec.json.decode(text, type=schema)
    except msgspec.MsgspecError as error:
        raise ValueError(f"the scripted reply {text!r} is no {schema.__name__}: {error}") from error


def _in_order(replies: Iterable[Reply]) -> Callable[[Prompt], Reply]:
    script: Iterator[Reply] = iter(replies)

    def following(prompt: Prompt) -> Reply:
        for reply in script:
            return reply
        raise AssertionError(f"the script has no reply left for {prompt.user[:80]!r}")

    return following


def _never() -> bool:
    return False
