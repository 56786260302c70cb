"""Patterns of folder rules: ``*`` and ``?`` in a name, ``**`` over folders; without a slash, at any depth."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import PurePosixPath


def fits(path: PurePosixPath, pattern: str) -> bool:
    """Whether a path relative to the rule's folder fits. Capital letters count."""
    return _compiled(pattern).fullmatch(path.as_posix()) is not None


@lru_cache(maxsize=1_000)
def _compiled(pattern: str) -> re.Pattern[str]:
    pattern = pattern.removeprefix("./").removeprefix("/") if "/" in pattern else f"**/{pattern}"
    if pattern.endswith("/"):
        pattern += "**"
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    meaning = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(meaning.get(part, re.escape(part)) for part in parts), re.DOTALL)
