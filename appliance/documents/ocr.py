# pyright: basic
"""Words in a picture: RapidOCR with the PP-OCRv6 models of its own package, Chinese and English, offline.

Arrives: an RGB picture. Leaves: lines of text with their boxes and confidence, the picture turned upright.
Model files are named outright, so that nothing is ever looked up on a network.
"""

from __future__ import annotations

import math
import os
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from appliance.errors import BackendError

DETECT_SIDE = 1440
"""The longer side, in pixels, at which lines are looked for; they are read at full size."""
MIN_CONFIDENCE = 0.5
"""A line read with less is left out."""
DOUBTFUL = 0.85
SAMPLE_LINES = 6
TALL = 1.5
_MODELS = {
    "Det": "PP-OCRv6_det_small.onnx",
    "Cls": "ch_ppocr_mobile_v2.0_cls_mobile.onnx",
    "Rec": "PP-OCRv6_rec_small.onnx",
}


class OcrLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line: its text, its four corners in pixels from the top left one clockwise, and 0–1 confidence."""

    text: str
    corners: tuple[tuple[float, float], ...]
    confidence: float


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What was read in a picture that was turned by ``turned`` degrees against the clock to stand upright."""

    lines: tuple[OcrLine, ...]
    width: int
    height: int
    turned: int = 0

    @property
    def confidence(self) -> float:
        """Mean confidence, longer lines weighing more; 0 for no text."""
        letters = sum(len(line.text) for line in self.lines)
        return sum(line.confidence * len(line.text) for line in self.lines) / letters if letters else 0.0


def read_picture(image: np.ndarray, threads: int) -> Reading:
    """The lines of a picture, (height, width, 3) uint8 RGB, turned by 90, 180 or 270° where it must be.

    Raises BackendError when the models are missing.
    """
    engine = _engine(threads)
    image = np.ascontiguousarray(image[:, :, ::-1])  # the models were trained on BGR
    turned = 0
    boxes = _boxes(engine, image)
    if len(boxes) and _lies_on_its_side(boxes):
        image, turned = np.ascontiguousarray(np.rot90(image)), 90
        boxes = _boxes(engine, image)
    if not len(boxes):
        return Reading(lines=(), width=image.shape[1], height=image.shape[0])
    crops = engine.crop_text_regions(image, boxes)
    if turned and _reads_better_flipped(engine, crops, None):
        image, boxes, crops, turned = *_flipped(image, boxes, crops), 270
    found = _read(engine, crops)
    if not turned and _mean(found) < DOUBTFUL and _reads_better_flipped(engine, crops, found):
        image, boxes, crops, turned = *_flipped(image, boxes, crops), 180
        found = _read(engine, crops)
    lines = tuple(
        OcrLine(text=text.strip(), corners=tuple((float(x), float(y)) for x, y in box), confidence=score)
        for box, (text, score) in zip(boxes, found, strict=True)
        if text.strip() and score >= MIN_CONFIDENCE
    )
    return Reading(lines=lines, width=image.shape[1], height=image.shape[0], turned=turned)


@cache
def _engine(threads: int) -> Any:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import cv2
    import rapidocr

    cv2.setNumThreads(1)
    folder = Path(rapidocr.__file__).parent / "models"
    missing = [name for name in _MODELS.values() if not (folder / name).is_file()]
    if missing:
        raise BackendError(
            f"the OCR model {missing[0]} is not in {folder}", hint="run ./install.sh again: it mends packages"
        )
    params: dict[str, Any] = {f"{part}.model_path": str(folder / name) for part, name in _MODELS.items()}
    params |= {
        "Global.log_level": "critical",
        "Global.use_cls": False,
        "EngineConfig.onnxruntime.intra_op_num_threads": threads,
        "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        "Det.limit_type": "max",
        "Det.limit_side_len": DETECT_SIDE,
    }
    return rapidocr.RapidOCR(params=params)


def _boxes(engine: Any, image: np.ndarray) -> np.ndarray:
    """(n, 4, 2) float32 corners; n = 0 for no text."""
    found = engine._load_det_model()(image).boxes
    return np.zeros((0, 4, 2), np.float32) if found is None else np.asarray(found, np.float32)


def _read(engine: Any, crops: list[np.ndarray]) -> list[tuple[str, float]]:
    result = engine.recognize_txt(crops)
    return [(text, float(score)) for text, score in zip(result.txts, result.scores, strict=True)]


def _lies_on_its_side(boxes: np.ndarray) -> bool:
    """Whether most of the length of all lines runs up or down."""
    across = np.linalg.norm(boxes[:, 0] - boxes[:, 1], axis=1)
    down = np.linalg.norm(boxes[:, 0] - boxes[:, 3], axis=1)
    tall = down > across * TALL
    return float(down[tall].sum()) > float(across[~tall].sum())


def _reads_better_flipped(
    engine: Any, crops: list[np.ndarray], known: list[tuple[str, float]] | None
) -> bool:
    """Whether the longest lines read better upside down."""
    chosen = sorted(range(len(crops)), key=lambda index: -crops[index].shape[1])[:SAMPLE_LINES]
    upright = [known[index] for index in chosen] if known else _read(engine, [crops[i] for i in chosen])
    flipped = _read(engine, [np.ascontiguousarray(np.rot90(crops[index], 2)) for index in chosen])
    return _mean(flipped) > _mean(upright) + 0.02


def _mean(found: list[tuple[str, float]]) -> float:
    letters = sum(len(text) for text, _ in found)
    return sum(score * len(text) for text, score in found) / letters if letters else 0.0


def _flipped(
    image: np.ndarray, boxes: np.ndarray, crops: list[np.ndarray]
) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    height, width = image.shape[:2]
    corners = np.array([width - 1, height - 1], np.float32) - boxes
    return (
        np.rot90(image, 2),
        np.roll(corners, 2, axis=1),
        [np.ascontiguousarray(np.rot90(c, 2)) for c in crops],
    )


def skew(lines: tuple[OcrLine, ...]) -> float:
    """By how many degrees, clockwise, long lines slope: the median over their length."""
    slopes: list[tuple[float, float]] = []
    for line in lines:
        (x0, y0), (x1, y1), _, (x3, y3) = line.corners
        length, height = math.hypot(x1 - x0, y1 - y0), math.hypot(x3 - x0, y3 - y0)
        if length > 5 * height:
            slopes.append((math.degrees(math.atan2(y1 - y0, x1 - x0)), length))
    slopes.sort()
    half, run = sum(length for _, length in slopes) / 2, 0.0
    for slope, length in slopes:
        run += length
        if run >= half:
            return slope
    return 0.0
