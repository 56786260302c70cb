# pyright: basic
"""What a page draws beside text: rules across and down, and pictures, through pdfium.

Thin boxes and strokes are rules; a stroked box gives its four sides; a filled box is shading and gives none.
"""

from __future__ import annotations

import ctypes
from typing import Any

import msgspec
import pypdfium2.raw as raw

from appliance.documents.pdf_space import Bounds, Sheet

THIN = 2.5
MIN_RULE = 5.0
MAX_OBJECTS = 20_000
MAX_DEPTH = 4
_Matrix = tuple[float, float, float, float, float, float]
_PLAIN: _Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


class Drawn(msgspec.Struct, kw_only=True):
    """Rules and pictures of one page, upright, in points."""

    across: list[Bounds] = []
    down: list[Bounds] = []
    images: list[Bounds] = []
    paths: int = 0
    """How many drawings there are: a page of outlines without text may be text all the same."""


def drawn_on(page: Any, sheet: Sheet) -> Drawn:
    """The rules and pictures of a page; past 20,000 objects the rest is left out."""
    walk = _Walk(sheet)
    for index in range(raw.FPDFPage_CountObjects(page.raw)):
        walk.object(raw.FPDFPage_GetObject(page.raw, index), _PLAIN, 0)
    return walk.drawn


class _Walk:
    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.drawn = Drawn()
        self.left = MAX_OBJECTS
        self._matrix = raw.FS_MATRIX()
        self._edges = [ctypes.c_float() for _ in range(4)]
        self._x, self._y = ctypes.c_float(), ctypes.c_float()

    def object(self, thing: Any, outer: _Matrix, depth: int) -> None:
        self.left -= 1
        if self.left < 0 or not thing:
            return
        kind = raw.FPDFPageObj_GetType(thing)
        if kind == raw.FPDF_PAGEOBJ_PATH:
            self.drawn.paths += 1
            self._path(thing, outer)
        elif kind == raw.FPDF_PAGEOBJ_IMAGE:
            self.drawn.images.append(self._bounds(thing, outer))
        elif kind == raw.FPDF_PAGEOBJ_FORM and depth < MAX_DEPTH:
            inner = _times(self._matrix_of(thing), outer)
            for index in range(raw.FPDFFormObj_CountObjects(thing)):
                self.object(raw.FPDFFormObj_GetObject(thing, index), inner, depth + 1)

    def _matrix_of(self, thing: Any) -> _Matrix:
        m = self._matrix
        return (m.a, m.b, m.c, m.d, m.e, m.f) if raw.FPDFPageObj_GetMatrix(thing, m) else _PLAIN

    def _bounds(self, thing: Any, outer: _Matrix) -> Bounds:
        left, bottom, right, top = self._edges
        raw.FPDFPageObj_GetBounds(thing, left, bottom, right, top)
        return self._shown(left.value, bottom.value, right.value, top.value, outer)

    def _shown(self, x0: float, y0: float, x1: float, y1: float, outer: _Matrix) -> Bounds:
        if outer != _PLAIN:
            corners = [_point(outer, x, y) for x in (x0, x1) for y in (y0, y1)]
            x0, x1 = min(x for x, _ in corners), max(x for x, _ in corners)
            y0, y1 = min(y for _, y in corners), max(y for _, y in corners)
        return self.sheet.upright(x0, y0, x1, y1)

    def _path(self, thing: Any, outer: _Matrix) -> None:
        box = self._bounds(thing, outer)
        if self._rule(box):
            return
        mode, stroked = ctypes.c_int(), ctypes.c_int()
        raw.FPDFPath_GetDrawMode(thing, mode, stroked)
        segments = raw.FPDFPath_CountSegments(thing)
        if segments <= 5:
            if stroked.value and segments >= 4:
                self._sides(box)
            return
        self._subpaths(thing, _times(self._matrix_of(thing), outer), min(segments, 4_000), stroked.value)

    def _subpaths(self, thing: Any, matrix: _Matrix, segments: int, stroked: int) -> None:
        points: list[tuple[float, float]] = []
        for index in range(segments):
            segment = raw.FPDFPath_GetPathSegment(thing, index)
            kind = raw.FPDFPathSegment_GetType(segment)
            raw.FPDFPathSegment_GetPoint(segment, self._x, self._y)
            if kind == raw.FPDF_SEGMENT_MOVETO:
                self._subpath(points, stroked)
                points = []
            elif kind != raw.FPDF_SEGMENT_LINETO:
                points = []
                continue
            points.append(_point(matrix, self._x.value, self._y.value))
        self._subpath(points, stroked)

    def _subpath(self, points: list[tuple[float, float]], stroked: int) -> None:
        if len(points) < 2:
            return
        xs, ys = [x for x, _ in points], [y for _, y in points]
        box = self.sheet.upright(min(xs), min(ys), max(xs), max(ys))
        if not self._rule(box) and stroked and len(points) in (4, 5):
            self._sides(box)

    def _rule(self, box: Bounds) -> bool:
        x0, y0, x1, y1 = box
        width, height = x1 - x0, y1 - y0
        if height <= THIN and width >= MIN_RULE:
            self.drawn.across.append((x0, (y0 + y1) / 2, x1, (y0 + y1) / 2))
        elif width <= THIN and height >= MIN_RULE:
            self.drawn.down.append(((x0 + x1) / 2, y0, (x0 + x1) / 2, y1))
        return height <= THIN or width <= THIN

    def _sides(self, box: Bounds) -> None:
        x0, y0, x1, y1 = box
        self.drawn.across += [(x0, y0, x1, y0), (x0, y1, x1, y1)]
        self.drawn.down += [(x0, y0, x0, y1), (x1, y0, x1, y1)]


def _times(first: _Matrix, then: _Matrix) -> _Matrix:
    a, b, c, d, e, f = first
    ta, tb, tc, td, te, tf = then
    return (
        a * ta + b * tc, a * tb + b * td, c * ta + d * tc, c * tb + d * td,
        e * ta + f * tc + te, e * tb + f * td + tf,
    )  # fmt: skip


def _point(matrix: _Matrix, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f
