# pyright: basic
"""Charts of Office files (DrawingML) as tables: categories down, series across, values as last drawn.

Read as XML: also the kinds that python-pptx does not know (3-D, stock, surface).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from appliance.documents.charset import clean_text
from appliance.documents.number_formats import shown_number
from appliance.documents.outline import squeeze
from appliance.documents.safe_xml import child, children, descendants
from appliance.domain import Table

MAX_POINTS = 5_000
MAX_SERIES = 500


def chart_tables(chart_space: Any) -> Iterator[Table]:
    """A table per plot of a ``c:chartSpace``; a scatter plot gives one of x and y per series."""
    chart = child(chart_space, "chart")
    plots = child(chart, "plotArea") if chart is not None else None
    if plots is None:
        return
    caption = _words(child(chart, "title"))
    for plot in plots:
        series = list(children(plot, "ser"))[:MAX_SERIES]
        names = [_words(child(one, "tx")) or f"Series {number}" for number, one in enumerate(series, 1)]
        if any(child(one, "xVal") is not None for one in series):
            yield from _pairs(series, names, caption)
        elif series:
            yield from _columns(series, names, caption)


def _columns(series: list[Any], names: list[str], caption: str) -> Iterator[Table]:
    values = [_points(child(one, "val")) for one in series]
    labels: dict[int, str] = {}
    for one in series:
        for place, label in _points(child(one, "cat")).items():
            labels.setdefault(place, label)
    places = sorted({*labels, *(place for column in values for place in column)})[:MAX_POINTS]
    rows = [
        (labels.get(place, str(place + 1)), *(column.get(place, "") for column in values)) for place in places
    ]
    if rows:
        yield Table(rows=(("", *names), *rows), header_columns=1, caption=caption)


def _pairs(series: list[Any], names: list[str], caption: str) -> Iterator[Table]:
    for name, one in zip(names, series, strict=True):
        across, up, size = (_points(child(one, axis)) for axis in ("xVal", "yVal", "bubbleSize"))
        head = ("x", name, "size") if size else ("x", name)
        rows = [
            (across.get(place, ""), up[place], size.get(place, ""))[: len(head)]
            for place in sorted(up)[:MAX_POINTS]
        ]
        if rows:
            yield Table(rows=(head, *rows), caption=caption)


def _points(holder: Any) -> dict[int, str]:
    """Place to text of the cached points; several levels of categories are joined, the widest first."""
    if holder is None:
        return {}
    levels = list(descendants(holder, "lvl"))
    if levels:
        return _levelled(levels)
    code = next((found.text or "" for found in descendants(holder, "formatCode")), "")
    return {place: _shown(text, code) for place, text in _cached(holder)}


def _levelled(levels: list[Any]) -> dict[int, str]:
    found = {place: text for place, text in _cached(levels[0])}
    for level in levels[1:]:
        wider = dict(_cached(level))
        name = ""
        for place in sorted(found):
            name = wider.get(place, name)
            found[place] = f"{name} / {found[place]}" if name else found[place]
    return found


def _cached(holder: Any) -> Iterator[tuple[int, str]]:
    for point in descendants(holder, "pt"):
        place, value = point.get("idx") or "", child(point, "v")
        if place.isascii() and place.isdigit() and len(place) < 8 and value is not None:
            yield int(place), squeeze(clean_text(value.text or ""))


def _shown(text: str, code: str) -> str:
    try:
        return shown_number(float(text), code)
    except ValueError:
        return text


def _words(element: Any) -> str:
    if element is None:
        return ""
    runs = [found.text or "" for found in descendants(element, "t")]
    cached = [found.text or "" for found in descendants(element, "v")]
    return squeeze(clean_text("".join(runs) or " ".join(cached)))
