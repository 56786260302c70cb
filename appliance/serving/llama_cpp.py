"""A language model inside this process: llama.cpp on a GGUF file.

Arrives: prompts from any thread. Leaves: completions at temperature 0, free or held to a msgspec type.
One worker thread owns the context; the line in front of it is bounded. The weights are mapped at the first
call. The state of each system prompt is kept, so that only the varying part of a prompt is read again.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from appliance.config import Llm
from appliance.domain import Completion, Prompt, Usage
from appliance.errors import BackendError, CancelledError, ConfigError, UserError
from appliance.serving.chat_template import Piece, chatml
from appliance.serving.grammar import grammar_of
from appliance.serving.llama_prompt import PromptReader
from appliance.serving.worker import Stopped, Worker

if TYPE_CHECKING:
    from appliance.serving.llama_session import Session

_TOPOLOGY = Path("/sys/devices/system/cpu")


@dataclass(frozen=True)
class _Request:
    """One prompt in tokens, and what is wanted of the reply."""

    tokens: list[int]
    prefix: int
    max_tokens: int
    grammar: str | None


class LlamaCpp:
    """A :class:`~appliance.ports.LanguageModel` on llama.cpp. Close it when done."""

    def __init__(self, path: Path, *, name: str, digest: str, settings: Llm) -> None:
        """``path`` is a GGUF file, ``digest`` its sha256 by the manifest; nothing is loaded yet."""
        self.name, self.digest = name, digest
        self._path, self._settings = path, settings
        self._worker = Worker(f"language model {name}", waiting=settings.queue)
        self._opening = RLock()
        self._session: Session | None = None
        self._reader: PromptReader | None = None
        self._closed = False

    def warm(self) -> None:
        """Load the weights now. Raises ConfigError (no file), DamagedError (cut short or damaged)."""
        self._opened()

    def complete(
        self,
        prompt: Prompt,
        *,
        max_tokens: int,
        schema: type[object] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Completion:
        """One reply at temperature 0; with ``schema`` compact JSON of that type.

        ``finish_reason`` is ``length`` when ``max_tokens`` or the context cut it: JSON is then incomplete.
        Raises BusyError, CancelledError, UserError (prompt longer than the context), and as :meth:`warm`.
        """
        session = self._opened()
        request = self._request(session, prompt, max_tokens, schema)
        return self._worker.run(lambda stopped: self._reply(request, stopped), cancelled=cancelled)

    def count_tokens(self, text: str) -> int:
        """Tokens of a text by this model's tokenizer."""
        with self._opening:
            return len(self._opened().tokens(text, control=False))

    def close(self) -> None:
        """Stop a running reply, refuse waiting ones, free the weights; harmless twice."""
        self._worker.close()
        with self._opening:
            self._closed = True
            if self._session is not None:
                self._session.close()
            self._session = self._reader = None

    # ------------------------------------------------------------ before the line
    def _opened(self) -> Session:
        with self._opening:
            if self._closed:
                raise BackendError(f"language model {self.name} is closed")
            if self._session is None:
                self._session, self._reader = self._open()
            return self._session

    def _open(self) -> tuple[Session, PromptReader]:
        """Load the library and the weights.

        OpenMP's threads wait by spinning unless told otherwise before they exist: beside other work on the
        same cores that made llama.cpp 20–35 times slower here.
        """
        os.environ.setdefault("GOMP_SPINCOUNT", "0")
        try:
            from appliance.serving.llama_session import BATCH_TOKENS, Session
        except (ImportError, OSError, RuntimeError) as error:
            raise ConfigError(
                f"llama.cpp cannot be loaded: {error}", hint="run ./install.sh again"
            ) from error
        threads = self._settings.threads or physical_cores()
        session = Session(self._path, context_tokens=self._settings.context_tokens, threads=threads)
        return session, PromptReader(session, batch_tokens=BATCH_TOKENS)

    def _request(
        self, session: Session, prompt: Prompt, max_tokens: int, schema: type[object] | None
    ) -> _Request:
        fixed, varying = chatml(prompt)
        with self._opening:
            prefix = _tokens(session, fixed)
            tokens = prefix + _tokens(session, varying)
        limit = self._settings.context_tokens
        if len(tokens) >= limit:
            raise UserError(
                f"the prompt has {len(tokens):,} tokens, {self.name} reads {limit:,} with its reply",
                hint="shorten it, or raise llm.context_tokens",
            )
        return _Request(
            tokens=tokens,
            prefix=len(prefix),
            max_tokens=min(max_tokens, limit - len(tokens)),
            grammar=None if schema is None else grammar_of(schema),
        )

    # ------------------------------------------------------------ on the worker's thread
    def _reply(self, request: _Request, stopped: Stopped) -> Completion:
        session, reader = self._session, self._reader
        assert session is not None
        assert reader is not None
        try:
            reused = reader.read(request.tokens, request.prefix, stopped)
            written, finish_reason, margin = _write(session, request, stopped)
        except BackendError:
            reader.forget()
            raise
        text = b"".join(session.piece(token) for token in written).decode("utf-8", "ignore")
        usage = Usage(
            calls=1,
            prompt_tokens=len(request.tokens),
            cached_tokens=reused,
            completion_tokens=len(written),
        )
        return Completion(text=text, usage=usage, finish_reason=finish_reason, margin=margin)


def _write(session: Session, request: _Request, stopped: Stopped) -> tuple[list[int], str, float | None]:
    """The reply's tokens, ``stop`` or ``length``, and how plainly its first choice was made."""
    from appliance.serving.llama_sampling import Sampler

    written: list[int] = []
    with closing(Sampler(session, request.grammar)) as sampler:
        new = sampler.forced()
        while True:
            place = len(request.tokens) + len(written)
            written += new
            if len(written) > request.max_tokens or (
                len(written) == request.max_tokens and not sampler.finished
            ):
                return written[: request.max_tokens], "length", sampler.margin
            if sampler.finished:
                return written, "stop", sampler.margin
            if stopped():
                raise CancelledError("the reply was cancelled while it was written")
            if new:
                session.decode(new, place)
            token = sampler.choose(session.logits())
            if session.ends_turn(token):
                return written, "stop", sampler.margin
            new = [token, *sampler.forced()]


def _tokens(session: Session, pieces: tuple[Piece, ...]) -> list[int]:
    return [token for piece in pieces for token in session.tokens(piece.text, control=piece.control)]


def physical_cores() -> int:
    """Physical cores among the processors that this process may run on; hyper-threads only slow it down."""
    allowed = os.sched_getaffinity(0)
    siblings = {(_TOPOLOGY / f"cpu{cpu}/topology/thread_siblings_list") for cpu in allowed}
    try:
        return len({file.read_text("ascii") for file in siblings}) or 1
    except OSError:
        return len(allowed)
