"""A reader's short answer, brought to what was asked for: the bare name or figure, as the line has it.

A small model writes a sentence where a name is wanted, or a figure with two units, 10.500亿元百万元.
Arrives: an answer and the lines that it was read from. Leaves: the answer, shorter or as the line writes it;
unchanged where nothing sure can be said. No model is asked, and nothing is added that no line holds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from appliance.answers.bare import bare_names
from appliance.answers.verify import answer_stands_in, fold
from appliance.domain import AnswerKind

_SENTENCE = re.compile(
    r"^(?P<name>(?:the )?[^.;]{2,70}?) (?:is|was|are|were|has been|had been|became|received|won|holds|held)"
    r" \S",
    re.IGNORECASE,
)
_SENTENCE_ZH = re.compile(r"^(?P<name>[^，。；是为]{2,24}?)(?:是|为|担任|系)[^否]")
_SUBJECT = re.compile(r"^(?:the answer|it|this|there|he|she|they|which|who|答案|该|其|这)\b", re.IGNORECASE)
_FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?")
_UNITS_AFTER = (
    re.compile(
        r"\s?(?:%|％|个百分点|千万|百万|万|亿)?"
        r"(?:美元|英镑|欧元|港元|港币|元|人|天|小时|分钟|个月|年|月|日|克|毫米|微米|件|台|名|次)?"
    ),
    re.compile(
        r"(?:\s?(?:percent|million|billion|thousand|bn|mn)\b)?"
        r"(?:\s?(?:pounds|dollars|euros|yuan|hours?|days?|minutes?|seconds?|months?|years?|people|employees|kg|g|mm|"
        r"km|GB|MB|mAh|°C)\b)?",
        re.IGNORECASE,
    ),
)
_CURRENCY_BEFORE = re.compile(r"(?:US\$|HK\$|[$€£¥￥]|USD |EUR |RMB |CNY )$")


def names_in(
    answer: str, kind: AnswerKind, lines: Sequence[str], *, asked: str, bridge: bool
) -> tuple[str, ...]:
    """Return an answer's bare names that stand in a line and not in the question; empty where none is wanted.

    Wanted are they where somebody is asked for, or the result is put into a later question (``bridge``).
    """
    if kind is not AnswerKind.PERSON and not (bridge and kind in (AnswerKind.OTHER, AnswerKind.LIST)):
        return ()
    found = bare_names(answer, person=kind is AnswerKind.PERSON)
    standing = tuple(name for name in found if fold(name) not in fold(asked) and _stands(name, lines))
    return standing if kind is AnswerKind.PERSON else standing[:2]


def mended(answer: str, kind: AnswerKind, lines: Sequence[str]) -> str:
    """Return the answer as it can be used; ``lines`` are what the model was shown, best last."""
    text = answer.strip()
    if kind in (AnswerKind.YES_NO, AnswerKind.EXPLANATION, AnswerKind.CHANGE, AnswerKind.LIST):
        return text
    if kind is not AnswerKind.NUMBER and (name := _bare_name(text)) and _stands(name, lines):
        text = name
    if _stands(text, lines):
        return text
    return _figure_of(text, lines) or _shorter_name(text, lines) or text


def in_asked_column(answer: str, years: Sequence[str], row: str) -> tuple[str, str] | None:
    """Return a row's figure that a reader took from the wrong year, and the one of the year asked about.

    ``row`` as it is shown: ``Revenue (£ million) — 2023: 41.2; 2022: 38.0``. None: no row, not one year asked
    about, not one column of it, or the answer is no figure of another year's column.
    """
    cells = _cells(row)
    mine = [name for name in cells if years and years[0] in name]
    if len(years) != 1 or len(mine) != 1:
        return None
    said, right = _FIGURE.findall(answer), _FIGURE.findall(cells[mine[0]])
    others = [cell for name, cell in cells.items() if name != mine[0] and re.search(r"(?:19|20)\d\d", name)]
    if len(said) != 1 or len(right) != 1 or said == right:
        return None
    taken = any(_FIGURE.findall(cell) == said for cell in others)
    return (said[0], right[0]) if taken else None


def states_for(answer: str, years: Sequence[str], shown: str) -> bool:
    """Return whether a line gives an answer's figure for the year asked about, in its cell or sentence."""
    cells = _cells(shown)
    if not cells:
        return any(year in shown for year in years)
    return any(_FIGURE.findall(answer) == _FIGURE.findall(cells[name]) for name in cells if years[0] in name)


def _cells(row: str) -> dict[str, str]:
    """A row's cells by their columns."""
    return dict(pair.split(": ", 1) for pair in row.partition(" — ")[2].split("; ") if ": " in pair)


def _shorter_name(text: str, lines: Sequence[str]) -> str:
    """The name without what the model added out of its own memory: ``Harwick`` of ``Harwick, Norland``."""
    names = () if _SUBJECT.match(text) else bare_names(text, person=False)
    return next((name for name in names if _stands(name, lines)), "")


def _bare_name(text: str) -> str:
    """What a sentence speaks of, where it is one: ``Dr Ruiz`` of ``Dr Ruiz is the head of …``."""
    match = _SENTENCE.match(text) or _SENTENCE_ZH.match(text)
    name = match["name"].strip(" ,，") if match else ""
    return "" if _SUBJECT.match(name) else name


def _stands(text: str, lines: Sequence[str]) -> bool:
    return any(answer_stands_in(text, line) for line in lines)


def _figure_of(text: str, lines: Sequence[str]) -> str:
    """The answer's one figure with the currency and the unit that its line gives it; empty where in doubt."""
    figures = list(dict.fromkeys(_FIGURE.findall(text)))
    if len(figures) != 1 or len(figures[0].replace(",", "").replace(".", "")) < 2:
        return ""
    whole = re.compile(rf"(?<![\d.,]){re.escape(figures[0])}(?!\d|[.,]\d)")
    for line in reversed(lines):
        if found := whole.search(line):
            before = _CURRENCY_BEFORE.search(line[: found.start()])
            units = [match.group() for unit in _UNITS_AFTER if (match := unit.match(line, found.end()))]
            return f"{before.group() if before else ''}{figures[0]}{max(units, key=len, default='')}".strip()
    return ""
