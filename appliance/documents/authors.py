"""One metadata value to the names in it."""

from __future__ import annotations

import re

_BORDER = re.compile(r"\s*[;；、\n|]\s*")
MAX_AUTHORS = 100


def split_names(value: str) -> tuple[str, ...]:
    """The names of ``"Ann Lee; Bo Li"`` or ``"王芳、李雷"``, each once, in order.

    A comma alone does not part names: it stands inside ``"Lee, Ann"`` as often.
    """
    names = (" ".join(name.split()) for name in _BORDER.split(value))
    return tuple(dict.fromkeys(name for name in names if name))[:MAX_AUTHORS]
