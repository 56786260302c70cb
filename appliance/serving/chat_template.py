"""The ChatML dialogue of Qwen2.5 and SmolLM2, as pieces that say whether they may hold control tokens.

Arrives: a :class:`~appliance.domain.Prompt`. Leaves: pieces for the tokenizer, in two halves: the part that
is the same for every question (kept as a cached prefix) and the part that varies. The template inside a
GGUF is never used: it is code. Text of a person or a document is never read as a control token.
"""

from __future__ import annotations

from dataclasses import dataclass

from appliance.domain import Prompt


@dataclass(frozen=True)
class Piece:
    """A stretch of the prompt. Only the template's own pieces are ``control``."""

    text: str
    control: bool


def chatml(prompt: Prompt) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return (the fixed pieces up to the user's turn, the varying ones up to the assistant's)."""
    fixed = (
        Piece("<|im_start|>system\n", control=True),
        Piece(prompt.system, control=False),
        Piece("<|im_end|>\n<|im_start|>user\n", control=True),
    )
    varying = (
        Piece(prompt.user, control=False),
        Piece("<|im_end|>\n<|im_start|>assistant\n", control=True),
    )
    return fixed, varying
