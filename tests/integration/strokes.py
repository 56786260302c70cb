"""Chinese characters drawn as strokes, for tests of OCR: no machine needs a Chinese font for them.

Each character is a list of strokes, each stroke a row of points on a square of 100, y growing downwards.
"""

from PIL import Image, ImageDraw

_STROKES = """
一 8,50-92,50
二 22,26-78,26 8,78-92,78
三 18,18-82,18 24,48-76,48 8,82-92,82
十 8,46-92,46 50,8-50,94
中 18,28-82,28-82,62-18,62-18,28 50,6-50,96
口 20,22-80,22-80,84-20,84-20,22
日 24,12-76,12-76,90-24,90-24,12 24,50-76,50
目 26,10-74,10-74,92-26,92-26,10 26,37-74,37 26,64-74,64
田 16,16-84,16-84,88-16,88-16,16 50,16-50,88 16,52-84,52
土 20,40-80,40 50,10-50,86 8,86-92,86
工 16,18-84,18 50,18-50,84 8,84-92,84
王 16,16-84,16 20,50-80,50 50,16-50,86 8,86-92,86
上 48,8-48,86 48,42-82,42 8,86-92,86
下 8,14-92,14 48,14-48,94 50,40-72,56
大 8,36-92,36 50,6-50,36-40,64-10,94 50,38-62,66-92,92
天 16,16-84,16 8,46-92,46 50,16-50,46-40,70-10,94 50,48-62,70-92,92
人 50,8-48,36-34,66-8,92 50,36-64,66-92,92
木 8,34-92,34 50,6-50,96 48,36-34,60-8,80 52,36-68,60-92,80
本 8,30-92,30 50,6-50,96 48,32-34,56-8,76 52,32-68,56-92,76 30,74-70,74
山 50,8-50,84 14,36-14,84-86,84-86,36
正 14,16-86,16 50,16-50,84 50,48-80,48 26,44-26,84 8,84-92,84
五 14,16-86,16 46,16-34,84 20,48-72,48-68,84 8,84-92,84
千 70,8-46,18-22,22 8,46-92,46 50,18-50,96
生 28,10-22,28-10,44 26,28-80,28 22,56-78,56 50,8-50,88 8,88-92,88
""".strip()
GLYPHS = {
    line[0]: [
        [tuple(float(value) for value in point.split(",")) for point in stroke.split("-")]
        for stroke in line[2:].split(" ")
    ]
    for line in _STROKES.splitlines()
}


def write_chinese(image: Image.Image, x: float, y: float, text: str, size: float) -> None:
    """Draw ``text`` with its top left corner at (x, y) pixels, ``size`` pixels high."""
    draw = ImageDraw.Draw(image)
    scale, width = size * 0.92 / 100, max(1, round(size / 14))
    for index, character in enumerate(text):
        for stroke in GLYPHS[character]:
            points = [(x + index * size + px * scale, y + py * scale) for px, py in stroke]
            draw.line(points, fill="black", width=width, joint="curve")
