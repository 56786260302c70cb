# pyright: basic
"""The next token at temperature 0: the likeliest one, or the likeliest one that the grammar allows.

Arrives: logits. Leaves: token ids. Testing a few likely tokens against the grammar costs microseconds,
testing the whole vocabulary tens of milliseconds: so the search widens only when it must. Where the grammar
leaves no choice (``{"tasks":[{"tool":"``) the tokens are written at once, without asking the model.
"""

from __future__ import annotations

import ctypes

import numpy as np
import numpy.typing as npt

from appliance.errors import BackendError
from appliance.serving.llama_session import BATCH_TOKENS, Session, lib

Logits = npt.NDArray[np.float32]
_CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])
_WIDTHS = (1, 16, 512)
_FORCED_BYTES_MAX = 160
_CONTINUATION = bytes(range(0x80, 0xC0))
_TEXT_BYTES = {*range(0x20, 0x7F), *range(0x80, 0xC0), *range(0xC2, 0xF1)}
"""What JSON text is made of: forced text can only be told where each of these bytes is a token."""


class Sampler:
    """Chooses the tokens of one reply. Close it: it owns memory of llama.cpp."""

    def __init__(self, session: Session, grammar: str | None) -> None:
        """Without a grammar the reply is free text."""
        self._session = session
        self._grammar = session.grammar(grammar) if grammar is not None else None
        self._bytes_known = set(session.byte_tokens.values()) >= _TEXT_BYTES
        self.finished = False
        """The grammar allows nothing more."""
        self.margin: float | None = None
        """Log-odds of the first choice left open, against the best one that begins otherwise."""

    def choose(self, logits: Logits) -> int:
        """The likeliest permitted token, ties by token id; the grammar moves on past it.

        Marks of the dialogue other than the end of the turn are never chosen.
        """
        for width in (*_WIDTHS, len(logits)):
            for token in self._permitted(_likeliest(logits, width), logits):
                if self._session.ends_turn(token):
                    return token
                if not self._session.is_control(token):
                    if self._grammar is not None and self.margin is None:
                        self.margin = self._lead(token, logits)
                    self._accept(token)
                    return token
        raise BackendError("the grammar of a reply permits no token")

    def forced(self) -> list[int]:
        """Tokens that must come next; the grammar moves on past them. Sets ``finished``.

        The last token of a forced text is left to the model, which may prefer a longer one, unless the
        reply ends there.
        """
        if self._grammar is None or not self._bytes_known:
            return []
        forced, self.finished = self._forced_bytes()
        tokens = self._spelled(forced)
        if not self.finished:
            tokens = tokens[: BATCH_TOKENS - 2][:-1]
        for token in tokens:
            self._accept(token)
        return tokens

    def _forced_bytes(self) -> tuple[bytes, bool]:
        """The bytes that the grammar leaves no choice about, and whether the reply ends with it."""
        session = self._session
        probes = np.array([*session.byte_tokens, session.end_token], np.int32)
        text = bytearray()
        ahead = self._grammar
        try:
            while len(text) < _FORCED_BYTES_MAX:
                allowed = _allowed(ahead, probes, np.zeros(len(probes), np.float32))
                if len(allowed) != 1:
                    break
                if allowed[0] == session.end_token:
                    return bytes(text), True
                if ahead is self._grammar:
                    ahead = lib.llama_sampler_clone(self._grammar)
                lib.llama_sampler_accept(ahead, allowed[0])
                text.append(session.byte_tokens[allowed[0]])
        finally:
            if ahead is not self._grammar:
                lib.llama_sampler_free(ahead)
        return bytes(text), False

    def _spelled(self, forced: bytes) -> list[int]:
        """Tokens of the bytes; a character begun before goes byte by byte, one cut at the end is left out."""
        tail = forced.lstrip(_CONTINUATION)
        of_byte = {byte: token for token, byte in self._session.byte_tokens.items()}
        head = [of_byte[byte] for byte in forced[: len(forced) - len(tail)]]
        return head + self._session.tokens(tail.decode("utf-8", "ignore"), control=False)

    def _permitted(self, tokens: npt.NDArray[np.int32], logits: Logits) -> list[int]:
        if self._grammar is None:
            return tokens.tolist()
        return _allowed(self._grammar, tokens, logits[tokens])

    def _lead(self, token: int, logits: Logits) -> float | None:
        """By how much a token leads those that begin with another byte; None: the grammar permits none.

        Of a yes-or-no choice the log-odds, however its words fall into tokens. Where no other is among the
        likeliest, the last of these bounds it.
        """
        probes = np.array([*self._session.byte_tokens], np.int32)
        if len(_allowed(self._grammar, probes, np.zeros(len(probes), np.float32))) < 2:
            return None
        near = _likeliest(logits, _WIDTHS[-1])
        begins = self._session.piece(token)[:1]
        others = (each for each in self._permitted(near, logits) if self._session.piece(each)[:1] != begins)
        return float(logits[token] - logits[next(others, near[-1])])

    def _accept(self, token: int) -> None:
        if self._grammar is not None:
            lib.llama_sampler_accept(self._grammar, token)

    def close(self) -> None:
        """Free the grammar; harmless twice."""
        if self._grammar is not None:
            lib.llama_sampler_free(self._grammar)
            self._grammar = None


def _likeliest(logits: Logits, width: int) -> npt.NDArray[np.int32]:
    """The ``width`` likeliest token ids, best first, ties by id."""
    if width == 1:
        return np.array([logits.argmax()], np.int32)
    width = min(width, len(logits))
    top = np.argpartition(-logits, width - 1)[:width] if width < len(logits) else np.arange(len(logits))
    return top[np.lexsort((top, -logits[top]))].astype(np.int32)


def _allowed(grammar, tokens: npt.NDArray[np.int32], logits: Logits) -> list[int]:
    """Those of the tokens that the grammar permits next, in the order given."""
    candidates = np.zeros(len(tokens), _CANDIDATE)
    candidates["id"], candidates["logit"] = tokens, logits
    array = lib.llama_token_data_array(
        data=candidates.ctypes.data_as(lib.llama_token_data_p), size=len(tokens), selected=-1, sorted=False
    )
    lib.llama_sampler_apply(grammar, ctypes.byref(array))
    return candidates["id"][candidates["logit"] > -np.inf].tolist()
