"""Where in a passage a claim's support stands: the characters that a reader sees marked.

Arrives: a claim, the sentence that it was read from where one is known, the passage's text. Leaves: spans
into that text, in its order; none where nothing in it bears on the claim. Pure functions, no model.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from appliance.answers.verify import grams, names, numbers
from appliance.domain import Span
from appliance.ports import Split

SPANS_MAX = 3
SHARE_MIN = 0.2
"""Of the claim's words, by weight: a sentence with less does not support it."""
GAIN_MIN = 0.12
"""What a further sentence has to add."""
QUOTE_CHARS_MIN = 4
"""Folded; anything shorter stands in too many places."""
NUMBER_WEIGHT, NAME_WEIGHT = 3.0, 2.0
_RULE_ROW = re.compile(r"^\|?[\s:|-]+\|?$")
_SAME = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
        **dict.fromkeys("‘’‚‛′`´", "'"),
        **dict.fromkeys("“”„‟″「」『』«»", '"'),
    }
)
_MARKS = frozenset("|*_`#")
"""Marks of tables and of Markdown: a quote may have them where the passage has none, and the reverse."""


def supporting(claim: str, text: str, *, quote: str = "", split: Split) -> tuple[Span, ...]:
    """Return the spans of ``text`` that carry the claim, in its order.

    A quote that stands there is the span; white space, width, kinds of dashes and quotation marks, marks of
    Markdown and tables may differ. Otherwise the sentences and rows of tables that hold most of the claim:
    one, or up to three where each of them holds a figure or a name that the others lack.
    """
    if quote and (found := find_quote(quote, text)) is not None:
        return (found,)
    return _best(claim, quote, text, split)


def find_quote(quote: str, text: str) -> Span | None:
    """Return where the quote stands in the text, verbatim or in other typography; None: it does not."""
    wanted = quote.strip()
    if wanted and len(wanted) >= QUOTE_CHARS_MIN and (at := text.find(wanted)) >= 0:
        return Span(start=at, end=at + len(wanted))
    needle, _ = _folded(quote)
    if len(needle) < QUOTE_CHARS_MIN:
        return None
    haystack, places = _folded(text)
    at = haystack.find(needle)
    return None if at < 0 else Span(start=places[at], end=places[at + len(needle) - 1] + 1)


def _folded(text: str) -> tuple[str, list[int]]:
    """The text in NFKD and lower case, without white space, accents, marks and what cannot be seen.

    And for each of its characters the place in ``text`` that it came from.
    """
    folded: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        for one in unicodedata.normalize("NFKD", char.translate(_SAME)).casefold():
            if one.isspace() or one in _MARKS or unicodedata.category(one) in ("Mn", "Cf", "Cc"):
                continue
            folded.append(one)
            places.append(place)
    return "".join(folded), places


def _best(claim: str, quote: str, text: str, split: Split) -> tuple[Span, ...]:
    units = list(_units(text, split))
    said = [text[unit.start : unit.end] for unit in units]
    held = [_marks(one) for one in said]
    wanted = _marks(f"{claim} {quote}")
    weights = {mark: _weight(mark) / (1 + sum(mark in marks for marks in held)) ** 0.5 for mark in wanted}
    total = sum(weights.values())
    if not units or not total:
        return ()
    chosen: list[int] = []
    covered: set[str] = set()
    while len(chosen) < SPANS_MAX:
        gains = [sum(weights[mark] for mark in (wanted & marks) - covered) / total for marks in held]
        best = max(range(len(units)), key=lambda at: (gains[at], -len(said[at])))
        new = (wanted & held[best]) - covered
        telling = not chosen or any(_weight(mark) > 1 for mark in new)
        if gains[best] < (GAIN_MIN if chosen else SHARE_MIN) or not telling:
            break
        chosen.append(best)
        covered |= new
    return tuple(units[at] for at in sorted(chosen))


def _units(text: str, split: Split) -> Iterator[Span]:
    """Sentences, and table rows whole; a table's head is what a row is read under, not what is said."""
    start = 0
    lines = text.split("\n")
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        row = line.lstrip().startswith("|")
        ruled = row and (_is_rule(line) or (following.lstrip().startswith("|") and _is_rule(following)))
        at = start
        for part in [] if ruled else [line] if row else split(line):
            if bare := part.strip():
                begin = at + part.index(bare)
                yield Span(start=begin, end=begin + len(bare))
            at += len(part)
        start += len(line) + 1


def _is_rule(line: str) -> bool:
    return "-" in line and bool(_RULE_ROW.match(line.strip()))


def _marks(text: str) -> set[str]:
    """Words, Han pairs, numbers (``=5.2``) and names (``@Tarnholm``) of a text."""
    figures = {f"={number}" for number in numbers(text)}
    return grams(text) - set(numbers(text)) | figures | {f"@{name.casefold()}" for name in names(text)}


def _weight(mark: str) -> float:
    return {"=": NUMBER_WEIGHT, "@": NAME_WEIGHT}.get(mark[:1], 1.0)


def spans_by_citation(
    claim: str, texts: Sequence[str | None], *, quote: str, split: Split
) -> tuple[tuple[Span, ...], ...]:
    """Return the spans of each cited passage's text (None: not readable), in the order of the citations.

    The quote is the first one's; in the others it is looked for, too, for it may stand in all of them.
    """
    return tuple(() if text is None else supporting(claim, text, quote=quote, split=split) for text in texts)
