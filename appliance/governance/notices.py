"""What the asker reads in place of an answer that was withheld, in the question's language.

Arrives: a language and, once it is decided, the reviewer's reason. Leaves: one or two sentences.
"""

from __future__ import annotations

_WITHHELD = {
    "en": "This answer is not shown yet: a person is looking at it. The passages found are listed with it.",
    "zh": "该回答暂不显示，正由人工审核。已找到的段落列在其后。",
}
_REJECTED = {
    "en": "A reviewer did not release this answer. Reason: {reason}",
    "zh": "审核人员未放行该回答。原因：{reason}",
}


def withheld_notice(language: str) -> str:
    """While the review is open."""
    return _WITHHELD.get(language, _WITHHELD["en"])


def rejected_notice(language: str, reason: str) -> str:
    """After it was rejected."""
    return _REJECTED.get(language, _REJECTED["en"]).replace("{reason}", reason)
