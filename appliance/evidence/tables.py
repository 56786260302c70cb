"""A passage's lines as blocks: a row of a table with its header and unit, or a run of prose.

Arrives: the text of a passage and of what stands above it. Leaves: blocks in reading order. A table that a
passage begins in the middle of takes header and unit from above.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from appliance.domain import Struct
from appliance.evidence.rows import (
    Row,
    is_header,
    is_markdown,
    is_names,
    is_rule,
    loose_cells,
    markdown_cells,
    names_unit,
    periods,
    unit_of,
)

WRAPPED_CHARS_MIN = 60
_ENDS = re.compile(r"[.!?。！？；;:：]['\"”’」)）]*\s*$")
_BULLET = re.compile(
    r"^\s*(?:[-•·●▪☐☒*o#]\s|#|\d{1,2}[.)、]\s?\D|"
    r"[(（][\d一二三四五六七八九十a-z]{1,3}[)）]|[一二三四五六七八九十]+、)"
)
_HEADING_CHARS_MAX = 80
_DAY_LINE = re.compile(
    r"(?:(?:at|as of|years? ended|for the years? ended)\s)?"
    r"(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
    r"\s\d{1,2},?|(?:19|20)\d\d)$",
    re.IGNORECASE,
)


class Block(Struct, frozen=True, kw_only=True):
    """A row, or prose between two characters of the passage."""

    start: int
    end: int
    row: Row | None = None


class _Reader:
    """One pass over the lines of a text."""

    def __init__(self) -> None:
        self.header: tuple[str, ...] = ()
        self.corner = ""
        self.periods: tuple[str, ...] = ()
        self.unit = self.heading = self.above = ""
        self.in_markdown = self.lone = False
        self.prose: Block | None = None
        self.last = self.stacked = ""

    def read(self, text: str) -> Iterator[Block]:
        at = 0
        lines = text.split("\n")
        for number, line in enumerate(lines):
            start, at = at, at + len(line) + 1
            bare = line.strip()
            if not bare:
                yield from self._flush()
                self.in_markdown = False
                continue
            start += len(line) - len(line.lstrip())
            following = lines[number + 1].strip() if number + 1 < len(lines) else ""
            if is_markdown(bare):
                yield from self._flush()
                yield from self._markdown(bare, following, start)
            else:
                self.in_markdown = False
                yield from self._line(bare, lines[number + 1 : number + 4], start)
        yield from self._flush()

    def _markdown(self, line: str, following: str, start: int) -> Iterator[Block]:
        if is_rule(line):
            return
        cells = markdown_cells(line)
        if not self.in_markdown:
            self.in_markdown = True
            if any(cells[1:]) or not self.header or len(self.header) != len(cells) - 1:
                self.header, self.corner = cells[1:], cells[0]
                if unit := unit_of(self.last, cells[0]):
                    self.unit = unit
                elif any(cells[1:]):
                    self.unit = ""
                return
            self.heading = cells[0]  # a block's name over empty cells: the table goes on from above
            return
        if self.lone and is_names(cells):
            self.header, self.corner, self.lone = cells[1:], cells[0], False
            return
        self.lone = not any(cells[1:])
        row = Row(label=cells[0], cells=cells[1:], header=self.header, unit=self.unit, heading=self.heading)
        if not any(cells[1:]):
            self.heading = cells[0]
        yield Block(start=start, end=start + len(line), row=row)

    def _line(self, line: str, following: list[str], start: int) -> Iterator[Block]:
        end = start + len(line)
        runs_on = self.prose is not None and _runs_on(self.last)
        if not runs_on and _DAY_LINE.match(line):
            yield from self._flush()  # a header of several lines: "August 29," over "2021"
            self.stacked = f"{self.stacked} {line}"
            self.periods = periods(self.stacked) or self.periods
            self.last = line
            return
        self.stacked = ""
        nearby = [loose_cells(each) for each in following]
        if not runs_on and is_header(line) and any(nearby):
            yield from self._flush()
            self.periods = periods(line) or self.periods
            self.unit = unit_of(line) or self.unit
            self.last = line
            return
        found = loose_cells(line)
        if found and len(found[1]) == 1 and (runs_on or _goes_on(following)):
            found = None
        if found:
            label, cells = found
            if not label and self.prose is not None:
                label, start = self._label_above(start)
            yield from self._flush()
            yield Block(start=start, end=end, row=self._loose(label, cells))
            self.last = line
            return
        if names_unit(line):
            self.unit = unit_of(line) or self.unit
        if any(nearby) and len(line) <= _HEADING_CHARS_MAX and not _ENDS.search(line):
            self.heading = line
        if self.prose is not None and not (runs_on and not _BULLET.match(line)):
            yield from self._flush()
        self.prose = Block(start=self.prose.start if self.prose else start, end=end)
        self.last = line

    def _loose(self, label: str, cells: tuple[str, ...]) -> Row:
        header = self.periods
        if header and len(header) != len(cells):
            header = header[: len(cells)] if len(header) > len(cells) else header
        fits = len(header) == len(cells)
        return Row(
            label=label,
            cells=cells,
            header=header if fits else self.periods,
            unit=self.unit,
            heading=self.heading,
        )

    def _label_above(self, start: int) -> tuple[str, int]:
        """The line above a line of bare cells is its label."""
        if self.prose is None or len(self.last) > _HEADING_CHARS_MAX * 2:
            return "", start
        label, begins = self.last, self.prose.end - len(self.last)
        self.prose = None if begins <= self.prose.start else Block(start=self.prose.start, end=begins)
        return label, begins

    def _flush(self) -> Iterator[Block]:
        if self.prose is not None:
            yield self.prose
            self.prose = None


def _runs_on(line: str) -> bool:
    """Whether a line of prose was broken by the page's width."""
    width = sum(2 if "一" <= letter <= "鿿" else 1 for letter in line)
    return width >= WRAPPED_CHARS_MIN and not _ENDS.search(line)


def _goes_on(following: list[str]) -> bool:
    """Whether the next line is the rest of a sentence."""
    first = following[0].strip() if following else ""
    return bool(re.match(r"[a-z(]|million|billion|万|亿|元|%", first)) and loose_cells(first) is None


def blocks(text: str, above: str = "") -> list[Block]:
    """Return the blocks of a text in reading order, together all that is in it but rules and headers."""
    reader = _Reader()
    if above:
        for _ in reader.read(above):
            pass
        if is_markdown(above.rstrip().rsplit("\n", 1)[-1]) != is_markdown(
            text.lstrip()[:400].split("\n", 1)[0]
        ):
            reader.header = ()
        reader.in_markdown, reader.prose, reader.last = False, None, ""
    return list(reader.read(text))
