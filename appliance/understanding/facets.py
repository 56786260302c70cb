"""The things that a question asks of at once: one self-contained query each, of the question's own words.

A plain question and a chain ("the founder of the company that …") have none. The rules read how the question
is built, never what could answer it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from appliance.understanding.facets_en import english_facets
from appliance.understanding.facets_zh import chinese_facets
from appliance.understanding.fold import fold

MAX_FACETS = 6
MIN_CHARS = 3
MAX_CHARS = 2_000
"""A longer text is a passage, no question of parts."""
_NUMBERED = re.compile(
    r"(?:^|(?<=[\s？?。.;；:：，,]))[（(]?(?P<mark>[1-9]|[a-e]|[一二三四五六]|[①-⑨])(?:[)）]|"
    r"[.、](?=\s?\D))\s*|(?P<circled>[①-⑨])\s*"
)
_ORDER = {
    mark: place
    for marks in ("123456789", "abcde", "一二三四五六", "①②③④⑤⑥⑦⑧⑨")
    for place, mark in enumerate(marks)
}
_EDGE = " \t\n,，;；:：、?？"


def facets_of(
    text: str, *, times: Sequence[tuple[int, int]] = (), comparison: bool = False
) -> tuple[str, ...]:
    """The separate queries in the order asked, at most 6; () where the question asks of one thing.

    ``times``: where time expressions stand in ``text``.
    """
    if len(text) > MAX_CHARS:
        return ()
    found = numbered(text)
    if len(found) < 2:
        chinese = (
            bool(re.search(r"[一-鿿]", text)) and len(re.findall(r"[一-鿿]", text)) * 3 > len(text) * 0.4
        )
        read = chinese_facets if chinese else english_facets
        found = read(text, times=times, comparison=comparison)
    kept = tuple(dict.fromkeys(" ".join(each.split()).strip(_EDGE) for each in found))
    kept = tuple(each for each in kept if len(each) >= MIN_CHARS and each != text.strip(_EDGE))
    return kept[:MAX_FACETS] if len(kept) > 1 else ()


def numbered(text: str) -> list[str]:
    """``（1）…？（2）…？`` and ``a) … b) …``: each part behind what stands before the first mark."""
    marks: list[re.Match[str]] = []
    for match in _NUMBERED.finditer(fold(text)):
        mark = match["mark"] or match["circled"]
        if _ORDER.get(mark) == len(marks):
            marks.append(match)
    if len(marks) < 2:
        return []
    lead = text[: marks[0].start()].strip(_EDGE)
    ends = [match.start() for match in marks[1:]] + [len(text)]
    parts = [text[mark.end() : end].strip(_EDGE) for mark, end in zip(marks, ends, strict=True)]
    if any(len(part) < MIN_CHARS for part in parts):
        return []
    return [f"{lead} {part}" if lead and len(lead) < 120 else part for part in parts]
