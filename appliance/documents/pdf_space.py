"""Where things stand on a page as a person sees it: coordinates turned upright, and shares of the page."""

from __future__ import annotations

import msgspec

from appliance.domain import Box

Bounds = tuple[float, float, float, float]
"""x0, y0, x1, y1 in points, y growing upwards."""


class Sheet(msgspec.Struct, frozen=True, kw_only=True):
    """A page: its size in points as shown, its rotation, and where its own coordinates begin."""

    width: float
    height: float
    rotation: int = 0
    origin_x: float = 0.0
    origin_y: float = 0.0

    def upright(self, x0: float, y0: float, x1: float, y1: float) -> Bounds:
        """A box in the page's own coordinates, as it stands on the page as shown."""
        x0, x1, y0, y1 = x0 - self.origin_x, x1 - self.origin_x, y0 - self.origin_y, y1 - self.origin_y
        if self.rotation == 90:
            return y0, self.height - x1, y1, self.height - x0
        if self.rotation == 180:
            return self.width - x1, self.height - y1, self.width - x0, self.height - y0
        if self.rotation == 270:
            return self.width - y1, x0, self.width - y0, x1
        return x0, y0, x1, y1

    def share(self, bounds: Bounds) -> Box:
        """Left, top, right, bottom as shares (0–1) of the page, from its top left corner."""
        x0, y0, x1, y1 = bounds
        return (
            _clipped(x0 / self.width), _clipped(1 - y1 / self.height),
            _clipped(x1 / self.width), _clipped(1 - y0 / self.height),
        )  # fmt: skip


def _clipped(share: float) -> float:
    return round(min(max(share, 0.0), 1.0), 4)


def around(bounds: list[Bounds]) -> Bounds:
    """The smallest box that holds all of ``bounds``, which must not be empty."""
    return (
        min(box[0] for box in bounds), min(box[1] for box in bounds),
        max(box[2] for box in bounds), max(box[3] for box in bounds),
    )  # fmt: skip
