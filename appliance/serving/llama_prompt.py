"""What of a prompt need not be read again.

Arrives: a prompt's tokens and the length of its fixed prefix. Leaves: a session that has read them, and how
many were taken over: from the previous prompt, or from a kept copy of the prefix's state.
A prompt is always read in the same batches, cut on a fixed grid and at the end of the prefix, and reuse
begins at such a cut: so a reply is the same with and without reuse, bit for bit.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from appliance.errors import CancelledError

if TYPE_CHECKING:
    import ctypes

    from appliance.serving.llama_session import Session

PREFIXES_KEPT = 6
PREFIX_BYTES_MAX = 256 << 20
PREFIX_TOKENS_MIN = 16
"""A shorter prefix is read faster than it is copied back."""


class PromptReader:
    """Fills one session's sequence with prompts."""

    def __init__(self, session: Session, *, batch_tokens: int) -> None:
        """``batch_tokens`` is the grid."""
        self._session, self._grid = session, batch_tokens
        self._held: list[int] = []
        self._kept: OrderedDict[tuple[int, ...], ctypes.Array[ctypes.c_uint8]] = OrderedDict()

    def read(self, tokens: Sequence[int], prefix: int, stopped: Callable[[], bool]) -> int:
        """The number of tokens taken over; the session has read the prompt and nothing else.

        Raises CancelledError between two batches; what was read until then is kept.
        """
        cuts = self._cuts(prefix, len(tokens))
        taken = self._take_over(tokens, prefix, cuts)
        for start, end in pairwise(cut for cut in cuts if cut >= taken):
            if stopped():
                raise CancelledError("the reply was cancelled while the prompt was read")
            self._session.decode(tokens[start:end], start)
            self._held = list(tokens[:end])
            if end == prefix >= PREFIX_TOKENS_MIN:
                self._keep(tuple(tokens[:prefix]))
        return taken

    def forget(self) -> None:
        """Start afresh after a failure: nothing of the session is trusted."""
        self._held = []
        self._kept.clear()
        self._session.truncate(0)

    def _cuts(self, prefix: int, length: int) -> list[int]:
        return [*range(0, prefix, self._grid), *range(prefix, length, self._grid), length]

    def _take_over(self, tokens: Sequence[int], prefix: int, cuts: list[int]) -> int:
        common = _common(self._held, tokens)
        taken = max(cut for cut in cuts[:-1] if cut <= common)
        kept = self._kept.get(tuple(tokens[:prefix])) if taken < prefix else None
        if kept is not None:
            self._kept.move_to_end(tuple(tokens[:prefix]))
            self._held = []
            self._session.restore(kept)
            taken = prefix
        else:
            self._session.truncate(taken)
        self._held = list(tokens[:taken])
        return taken

    def _keep(self, prefix: tuple[int, ...]) -> None:
        self._kept[prefix] = self._session.snapshot()
        self._kept.move_to_end(prefix)
        while len(self._kept) > PREFIXES_KEPT or self._bytes() > PREFIX_BYTES_MAX:
            self._kept.popitem(last=False)

    def _bytes(self) -> int:
        return sum(len(state) for state in self._kept.values())


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    """The length of the longest common prefix."""
    for place, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return place
    return min(len(one), len(other))
