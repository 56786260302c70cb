"""Ordered lines of all pages to headings and blocks: size, weight and numbering name the headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from appliance.documents.headings import contents_entry, numbering_rank, reads_like_heading
from appliance.documents.lines import join_lines
from appliance.documents.outline import Outline, squeeze
from appliance.documents.pdf_blocks import Blocks
from appliance.documents.pdf_lines import Line
from appliance.documents.pdf_space import Bounds, Sheet
from appliance.documents.sentences import split_sentences
from appliance.domain import BlockKind

BIGGER = 1.12
"""A heading's size over the body's."""
MAX_HEADING_LINES = 3
MAX_HEADING_SHARE = 0.5
MAX_SIZE_SHARE = 0.12
PROSE_LINE_CHARS = 45
"""A size that sets more of the text than this, in lines longer than this, is a second body size."""
_LIST_ITEM = re.compile(
    r"^(?:[-–•·●○▪◦‣]\s*\S|[(（]?(?:\d{1,2}|[a-z]|[ivx]{1,4})[)）]\s*\S|\d{1,2}(?:\.\s+|\.(?=[^\W\d])|、)\S)"
)
_ENDS = re.compile(r"[。！？；：.!?:;…][”’」』）)\"']*$")
_CAPTION = re.compile(r"^(?:table|figure|fig\.|exhibit|表|图表|图|圖)\s*[\dA-Z一二三四五]", re.I)
_LOWER_OR_HAN = re.compile(r"^[a-zà-ÿ一-鿿，、]")
_SIZE_RANKS = 100
MIN_CONTENTS = 4
"""So many lines with leaders on a page are a table of contents."""


def biggest_text(lines: Sequence[Line]) -> str:
    """The lines in the biggest type of a first page, as a title; "" when they do not read like one."""
    sizes = [line.size for line in lines if len(line.text) > 3 and not line.is_table]
    if not sizes:
        return ""
    chosen = [line.text for line in lines if line.size == max(sizes)][:MAX_HEADING_LINES]
    title = squeeze(join_lines(chosen))
    return title if max(sizes) > min(sizes) and len(title) <= 200 else ""


def fill_outline(
    outline: Outline,
    pages: Sequence[Sequence[Line]],
    sheets: Sequence[Sheet],
    pictures: Mapping[int, Sequence[Bounds]],
) -> list[str]:
    """Write the headings, paragraphs, lists, tables and figures of all pages into the outline.

    ``sheets`` has a sheet for each page, ``pictures`` the boxes of images by page. Returns what was doubtful.
    """
    lines = [line for page in pages for line in page]
    ranks = _Ranks(lines)
    blocks = Blocks(outline, sheets, pictures)
    writer = _Writer(outline, blocks, _pitch(pages))
    for before, line in zip([None, *lines], lines, strict=False):
        rank = ranks.of(line)
        if line.is_table:
            writer.table(line)
        elif rank is not None:
            writer.heading(rank, line, before)
        else:
            writer.text(line)
    writer.flush()
    blocks.close_table()
    return blocks.warnings()


class _Ranks:
    """Which lines are headings. Bigger type ranks above bold body type; numbers rank within a size."""

    def __init__(self, lines: Sequence[Line]) -> None:
        weights: Counter[float] = Counter()
        for line in lines:
            if not line.is_table:
                weights[line.size] += len(line.text)
        self.body = max(weights, key=lambda size: (weights[size], -size), default=0.0)
        bigger = sorted((size for size in weights if size >= self.body * BIGGER), reverse=True)
        bigger = [size for size in bigger if not _is_prose(size, lines, weights)]
        self.listed_on, self.listed = _contents(lines)
        self.by_size = {size: index for index, size in enumerate(bigger)}
        bold = sum(len(line.text) for line in lines if line.bold and line.size == self.body)
        self.bold_is_rare = bold < weights[self.body] * 0.25
        found = sum(self._rank(line) is not None for line in lines)
        self.useless = found > max(4, len(lines) * MAX_HEADING_SHARE)

    def of(self, line: Line) -> int | None:
        return None if self.useless else self._rank(line)

    def _rank(self, line: Line) -> int | None:
        text = line.text.rstrip(",，、:：-") if line.size in self.by_size else line.text
        if line.is_table or line.cells > 2 or not reads_like_heading(text) or _CAPTION.match(line.text):
            return None
        number = numbering_rank(line.text)
        if line.size in self.by_size:
            return self.by_size[line.size] * _SIZE_RANKS + (number or 0)
        bold = line.bold and self.bold_is_rare
        listed = _key(line.text) in self.listed and line.page not in self.listed_on
        if line.size >= self.body * 0.98 and number is not None and (bold or listed or number <= 3):
            return len(self.by_size) * _SIZE_RANKS + number
        if listed and line.size >= self.body * 0.98 and line.cells == 1:
            return (len(self.by_size) + 1) * _SIZE_RANKS
        if (
            bold
            and line.size >= self.body
            and len(line.text) <= 60
            and line.text[0].isupper()
            and line.cells == 1
        ):
            return (len(self.by_size) + 1) * _SIZE_RANKS
        return None


def _contents(lines: Sequence[Line]) -> tuple[set[int], set[str]]:
    """Pages with a table of contents, and the titles there: the same words elsewhere are a heading.

    A title that wraps has its leaders in the second line; the first is known by its number.
    """
    entries = [(line.page, contents_entry(line.text)) for line in lines if not line.is_table]
    counts = Counter(page for page, title in entries if title)
    pages = {page for page, count in counts.items() if count >= MIN_CONTENTS}
    titles = {_key(title) for page, title in entries if title and page in pages}
    here = [line for line in lines if line.page in pages and not line.is_table]
    for first, second in pairwise(here):
        if numbering_rank(first.text) is not None and not contents_entry(first.text):
            titles.add(_key(first.text + contents_entry(second.text)))
            titles.add(_key(first.text))
    return pages, titles


def _key(text: str) -> str:
    return "".join(text.split()).casefold()


def _is_prose(size: float, lines: Sequence[Line], weights: Counter[float]) -> bool:
    lengths = [len(line.text) for line in lines if line.size == size and not line.is_table]
    return weights[size] > sum(weights.values()) * MAX_SIZE_SHARE and sum(lengths) > PROSE_LINE_CHARS * len(
        lengths
    )


def _pitch(pages: Sequence[Sequence[Line]]) -> float:
    """The usual distance between two lines of running text."""
    steps: Counter[float] = Counter()
    for page in pages:
        for above, below in pairwise(page):
            step = above.middle - below.middle
            if 0 < step < 4 * max(above.size, 1.0) and above.size == below.size:
                steps[round(step * 2) / 2] += 1
    return max(steps, key=lambda step: (steps[step], -step), default=14.0)


class _Writer:
    def __init__(self, outline: Outline, blocks: Blocks, pitch: float) -> None:
        self.outline = outline
        self.blocks = blocks
        self.pitch = pitch
        self.lines: list[Line] = []
        self.title: list[str] = []
        self.rank = 0
        self.closed = Line(text="", page=0, x0=0, x1=0, bottom=0, top=0)
        """The widest line of the paragraph before: it shows where the column ends."""

    def heading(self, rank: int, line: Line, before: Line | None) -> None:
        follows = self.title and before is not None and before.page == line.page and rank == self.rank
        if follows and len(self.title) < MAX_HEADING_LINES and before is not None:
            close = 0 < before.middle - line.middle < 1.9 * max(line.size, 1.0)
            if close and numbering_rank(line.text) is None and before.size == line.size:
                self.title.append(line.text)
                return
        self.flush()
        self.blocks.close_table()
        self.title, self.rank = [line.text], rank

    def table(self, line: Line) -> None:
        self.flush()
        self.blocks.table(line)

    def text(self, line: Line) -> None:
        self._end_title()
        if self.lines and self._breaks(self.lines[-1], line):
            self._end_paragraph()
        self.lines.append(line)

    def flush(self) -> None:
        """End whatever is open."""
        self._end_paragraph()
        self._end_title()

    def _end_title(self) -> None:
        if self.title:
            self.blocks.close_table()
            self.outline.heading(self.rank, join_lines(self.title))
            self.title = []

    def _breaks(self, last: Line, line: Line) -> bool:
        tabular = last.cells > 1, line.cells > 1
        ended = bool(_ENDS.search(last.text))
        if last.page != line.page or line.middle > last.middle:
            return ended or any(tabular) or not self._runs_on(last, line)
        step = last.middle - line.middle
        if (
            step > max(self.pitch * 1.45, line.size * 2.4)
            or abs(last.size - line.size) > 0.12 * self.body_size()
        ):
            return True
        if any(tabular):
            return tabular[0] != tabular[1]
        if _LIST_ITEM.match(line.text):
            return not _LIST_ITEM.match(self.lines[0].text)
        short = self._is_short(last)
        indented = line.x0 > last.x0 + 0.9 * line.size and len(self.lines) > 1
        return ended and (short or indented)

    def _is_short(self, last: Line) -> bool:
        """Whether a line ends well before its column does."""
        right = max(one.x1 for one in self.lines)
        if abs(self.closed.x0 - self.lines[0].x0) < 40 and self.closed.page == last.page:
            right = max(right, self.closed.x1)
        return last.x1 < right - 0.12 * (right - self.lines[0].x0)

    def _runs_on(self, last: Line, line: Line) -> bool:
        """Whether an unfinished line goes on at the top of the next column or page."""
        if _LOWER_OR_HAN.match(line.text):
            return True
        return (
            not self._is_short(last) and abs(last.size - line.size) < 0.1 and not _LIST_ITEM.match(line.text)
        )

    def body_size(self) -> float:
        """The type size of the open paragraph."""
        return max(self.lines[0].size, 1.0)

    def _end_paragraph(self) -> None:
        lines, self.lines = self.lines, []
        if not lines:
            return
        self.closed = max(lines, key=lambda line: line.x1)
        if any(line.cells > 1 for line in lines):
            self.blocks.text("\n".join(line.text for line in lines), lines)
        elif _LIST_ITEM.match(lines[0].text) and len(lines) > 1:
            self.blocks.text("\n".join(_items(lines)), lines, BlockKind.LIST)
        else:
            for text, there in _over_pages(lines):
                self.blocks.text(text, there)


def _items(lines: Sequence[Line]) -> list[str]:
    items: list[list[str]] = []
    for line in lines:
        if not items or _LIST_ITEM.match(line.text):
            items.append([])
        items[-1].append(line.text)
    return [join_lines(item) for item in items]


def _over_pages(lines: Sequence[Line]) -> list[tuple[str, list[Line]]]:
    """The paragraph; one that runs over a page's end is parted after the sentence that crosses it."""
    first = lines[0].page
    here = [line for line in lines if line.page == first]
    rest = [line for line in lines if line.page != first]
    if not rest:
        return [(join_lines([line.text for line in here]), here)]
    border = len(join_lines([line.text for line in here]))
    text = join_lines([line.text for line in lines])
    end = 0
    for sentence in split_sentences(text):
        end += len(sentence)
        if end >= border:
            break
    parts = (text[:end].strip(), [*here, *rest[:1]] if end > border else here), (text[end:].strip(), rest)
    return [part for part in parts if part[0]]
