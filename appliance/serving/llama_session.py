# pyright: basic
"""llama.cpp's C interface, wrapped: one model, one context, one sequence.

Arrives: tokens with their positions. Leaves: logits, and copies of the sequence's state. Not thread-safe
but for the vocabulary; its owner is :class:`~appliance.serving.llama_cpp.LlamaCpp`'s one worker thread.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import llama_cpp
import numpy as np
import numpy.typing as npt

from appliance.errors import BackendError, ConfigError, DamagedError

lib: Any = llama_cpp
"""ctypes functions: their annotations do not help a type checker."""
BATCH_TOKENS = 128
"""Tokens per call of llama.cpp: the grid of prompt reuse and of cancelling."""
HINT = "run ./install.sh again: it verifies and replaces model files"
_SEQUENCE = 0


@lib.llama_log_callback
def _silent(level: int, text: bytes, data: ctypes.c_void_p) -> None:
    """Drop what llama.cpp would print."""


class Session:
    """A loaded model with an empty context of ``context_tokens``."""

    def __init__(self, path: Path, *, context_tokens: int, threads: int) -> None:
        """Map the weights.

        Raises ConfigError (no file, or a context larger than the model was trained for), DamagedError.
        """
        self._context = self._model = self._batch = None
        _check_file(path)
        lib.llama_log_set(_silent, ctypes.c_void_p(0))
        lib.llama_backend_init()
        self._model = lib.llama_model_load_from_file(str(path).encode(), lib.llama_model_default_params())
        if not self._model:
            raise DamagedError(
                f"{path} cannot be loaded: it is cut short, damaged or no language model", hint=HINT
            )
        self._vocab = lib.llama_model_get_vocab(self._model)
        trained = lib.llama_model_n_ctx_train(self._model)
        if context_tokens > trained:
            self.close()
            raise ConfigError(
                f"llm.context_tokens is {context_tokens}, {path.parent.name} reads at most {trained}",
                hint=f"set llm.context_tokens to {trained} or less",
            )
        self._context = lib.llama_init_from_model(self._model, _context_params(context_tokens, threads))
        if not self._context:
            self.close()
            raise BackendError(
                f"no memory for a context of {context_tokens} tokens", hint="lower llm.context_tokens"
            )
        self._memory = lib.llama_get_memory(self._context)
        self._batch = lib.llama_batch_init(BATCH_TOKENS, 0, 1)

    # ------------------------------------------------------------ vocabulary
    @cached_property
    def vocabulary_size(self) -> int:
        """How many tokens there are."""
        return lib.llama_vocab_n_tokens(self._vocab)

    @cached_property
    def byte_tokens(self) -> dict[int, int]:
        """Token id → the one byte it stands for; all 256 bytes in a byte-level vocabulary."""
        single = {}
        for token in range(self.vocabulary_size):
            piece = self.piece(token)
            if len(piece) == 1 and piece[0] not in single.values():
                single[token] = piece[0]
        return single

    @cached_property
    def end_token(self) -> int:
        """A token that ends a turn."""
        return lib.llama_vocab_eos(self._vocab)

    def tokens(self, text: str, *, control: bool) -> list[int]:
        """Token ids; only with ``control`` may the text hold control tokens."""
        raw = text.encode("utf-8", "replace")
        room = len(raw) + 8
        buffer = (lib.llama_token * room)()
        count = lib.llama_tokenize(self._vocab, raw, len(raw), buffer, room, False, control)
        if count < 0:
            raise BackendError(f"llama.cpp cannot tokenise a text of {len(text)} characters")
        return buffer[:count]

    def piece(self, token: int) -> bytes:
        """The token's bytes; none for a control token. May end within a character."""
        buffer = ctypes.create_string_buffer(512)
        count = lib.llama_token_to_piece(self._vocab, token, buffer, len(buffer), 0, False)
        return buffer.raw[: max(count, 0)]

    def ends_turn(self, token: int) -> bool:
        """Whether the token ends the model's turn."""
        return lib.llama_vocab_is_eog(self._vocab, token)

    def is_control(self, token: int) -> bool:
        """Whether the token is a mark of the dialogue, no text."""
        return lib.llama_vocab_is_control(self._vocab, token)

    # ------------------------------------------------------------ the sequence
    def decode(self, tokens: Sequence[int], start: int) -> None:
        """Read up to ``BATCH_TOKENS`` tokens at positions ``start``…; the last one's logits are kept."""
        batch = self._batch
        assert batch is not None
        batch.n_tokens = len(tokens)
        for place, token in enumerate(tokens):
            batch.token[place] = token
            batch.pos[place] = start + place
            batch.n_seq_id[place] = 1
            batch.seq_id[place][0] = _SEQUENCE
            batch.logits[place] = place == len(tokens) - 1
        code = lib.llama_decode(self._context, batch)
        if code:
            raise BackendError(f"llama.cpp could not read {len(tokens)} tokens at {start} (code {code})")

    def logits(self) -> npt.NDArray[np.float32]:
        """``(vocabulary_size,) float32`` of the last token read; valid until the next ``decode``."""
        pointer = lib.llama_get_logits_ith(self._context, -1)
        return np.ctypeslib.as_array(pointer, (self.vocabulary_size,))

    def truncate(self, length: int) -> None:
        """Forget every position from ``length`` on."""
        lib.llama_memory_seq_rm(self._memory, _SEQUENCE, length, -1)

    def snapshot(self) -> ctypes.Array[ctypes.c_uint8]:
        """A copy of the sequence's state (1.5B model: 28 KB a token)."""
        size = lib.llama_state_seq_get_size(self._context, _SEQUENCE)
        state = (ctypes.c_uint8 * size)()
        if lib.llama_state_seq_get_data(self._context, state, size, _SEQUENCE) != size:
            raise BackendError("llama.cpp could not copy its state")
        return state

    def restore(self, state: ctypes.Array[ctypes.c_uint8]) -> None:
        """Put a copied state in place of the present one."""
        lib.llama_memory_clear(self._memory, False)
        if not lib.llama_state_seq_set_data(self._context, state, len(state), _SEQUENCE):
            raise BackendError("llama.cpp could not take its state back")

    # ------------------------------------------------------------ grammar
    def grammar(self, text: str) -> Any:
        """A grammar sampler (to be freed with ``llama_sampler_free``) for GBNF text."""
        sampler = lib.llama_sampler_init_grammar(self._vocab, text.encode(), b"root")
        if not sampler:
            raise BackendError("llama.cpp refused the grammar of a reply")
        return sampler

    def close(self) -> None:
        """Free everything; harmless twice."""
        if self._batch is not None:
            lib.llama_batch_free(self._batch)
        if self._context:
            lib.llama_free(self._context)
        if self._model:
            lib.llama_model_free(self._model)
        self._batch = self._context = self._model = None


def _check_file(path: Path) -> None:
    """Look at the size and the first bytes: cheap, and llama.cpp's own message would be lost."""
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except FileNotFoundError as error:
        raise ConfigError(f"the model file {path} is missing", hint=HINT) from error
    except OSError as error:
        raise ConfigError(f"the model file {path} cannot be read: {error.strerror}", hint=HINT) from error
    if magic != b"GGUF":
        raise DamagedError(f"{path} is no GGUF model file", hint=HINT)


def _context_params(context_tokens: int, threads: int) -> Any:
    params = lib.llama_context_default_params()
    params.n_ctx = context_tokens
    params.n_batch = params.n_ubatch = BATCH_TOKENS
    params.n_seq_max = 1
    params.n_threads = params.n_threads_batch = threads
    params.flash_attn_type = lib.LLAMA_FLASH_ATTN_TYPE_ENABLED
    params.no_perf = True
    return params
