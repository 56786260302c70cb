# pyright: basic
"""A picture that was read to lines of a page, level and in points, with the rules that it shows.

From here on a scanned page goes the way of a digital one: columns, tables, headings, paragraphs.
"""

from __future__ import annotations

import math
import statistics

import numpy as np

from appliance.documents.ocr import OcrLine, Reading, read_picture, skew
from appliance.documents.pdf_drawn import Drawn
from appliance.documents.pdf_lines import Line, Part
from appliance.documents.pdf_pages import PdfPage, with_grids
from appliance.documents.pdf_space import Bounds, Sheet

TYPE_SHARE = 0.66
"""A type size as a share of the height of a line's box, which stands off the letters."""
SIZE_STEP = 1.3
"""Sizes measured in a scan are only told apart when they differ by so much."""
LEVEL = 0.2
"""Degrees of slope that are let be."""
RULE_SHARE = 0.03
MAX_RULE_PX = 9


def read_page(image: np.ndarray, number: int, points_per_pixel: float, threads: int) -> tuple[PdfPage, float]:
    """A page read from its picture, (height, width, 3) uint8 RGB, and the 0–1 confidence of its text."""
    reading = read_picture(image, threads)
    upright = np.rot90(image, reading.turned // 90) if reading.turned else image
    slope = skew(reading.lines)
    if abs(slope) < LEVEL:
        slope = 0.0
    scale = points_per_pixel
    sheet = Sheet(width=max(reading.width * scale, 1.0), height=max(reading.height * scale, 1.0))
    drawn = _rules(upright, slope, scale, sheet) if reading.lines else Drawn()
    lines = _lines(reading, number, slope, scale)
    page = PdfPage(number=number, sheet=sheet, lines=with_grids(lines, drawn, sheet), drawn=drawn)
    return page, reading.confidence


def _lines(reading: Reading, number: int, slope: float, scale: float) -> list[Line]:
    if not reading.lines:
        return []
    boxes = [_level(line, reading, slope) for line in reading.lines]
    usual = statistics.median(height for *_, height in boxes)
    lines: list[Line] = []
    for line, (x0, x1, middle, height) in zip(reading.lines, boxes, strict=True):
        step = round(math.log(max(height, 1.0) / usual, SIZE_STEP))
        size = max(usual * SIZE_STEP**step * TYPE_SHARE * scale, 1.0)
        margin = min((height - height * TYPE_SHARE) / 2, (x1 - x0) / 4) * scale
        left, right = x0 * scale + margin, x1 * scale - margin
        y = (reading.height - middle) * scale
        lines.append(
            Line(
                text=line.text, page=number, x0=left, x1=right, bottom=y - size / 2, top=y + size / 2,
                size=round(size * 2) / 2, parts=(Part(line.text, left, right),),
            )
        )  # fmt: skip
    return lines


def _level(line: OcrLine, reading: Reading, slope: float) -> tuple[float, float, float, float]:
    """Left, right, middle and height in pixels, after the page is levelled about its centre."""
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = line.corners
    height = (math.hypot(x3 - x0, y3 - y0) + math.hypot(x2 - x1, y2 - y1)) / 2
    turn = math.radians(-slope)
    cx, cy = reading.width / 2, reading.height / 2
    points = [
        (
            cx + (x - cx) * math.cos(turn) - (y - cy) * math.sin(turn),
            cy + (x - cx) * math.sin(turn) + (y - cy) * math.cos(turn),
        )
        for x, y in line.corners
    ]
    return (
        (points[0][0] + points[3][0]) / 2, (points[1][0] + points[2][0]) / 2,
        sum(y for _, y in points) / 4, height,
    )  # fmt: skip


def _rules(image: np.ndarray, slope: float, scale: float, sheet: Sheet) -> Drawn:
    """Long thin dark strokes across and down, in points, y growing upwards."""
    import cv2

    grey = cv2.cvtColor(np.ascontiguousarray(image), cv2.COLOR_RGB2GRAY)
    height, width = grey.shape
    if slope:
        turn = cv2.getRotationMatrix2D((width / 2, height / 2), slope, 1.0)
        grey = cv2.warpAffine(grey, turn, (width, height), borderValue=255)
    ink = cv2.adaptiveThreshold(
        cv2.bitwise_not(grey), 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, 31, -12
    )
    across = _strokes(ink, (max(int(width * RULE_SHARE), 25), 1))
    down = _strokes(ink, (1, max(int(height * RULE_SHARE), 25)))
    return Drawn(
        across=[_points((x0, y, x1, y), scale, sheet) for x0, y, x1, _ in across],
        down=[_points((x, y0, x, y1), scale, sheet) for x, y0, _, y1 in down],
    )


def _strokes(ink: np.ndarray, kernel: tuple[int, int]) -> list[Bounds]:
    import cv2

    opened = cv2.morphologyEx(ink, cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_RECT, kernel))
    count, _, stats, _ = cv2.connectedComponentsWithStats(opened)
    found: list[Bounds] = []
    for x, y, width, height, _ in stats[1:count].tolist():
        if min(width, height) <= MAX_RULE_PX:
            flat = height <= width
            middle = (y + height / 2) if flat else (x + width / 2)
            found.append((x, middle, x + width, middle) if flat else (middle, y, middle, y + height))
    return found


def _points(box: Bounds, scale: float, sheet: Sheet) -> Bounds:
    x0, y0, x1, y1 = box
    return x0 * scale, sheet.height - y1 * scale, x1 * scale, sheet.height - y0 * scale
