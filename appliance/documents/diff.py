"""What changed from one version of a document to another, section by section, with both sides' fingerprints.

Arrives: sections and passages of two versions. Leaves: only real changes. White space, a clause that is
merely renumbered and references that follow such a renumbering are none.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec

from appliance.documents.align import Alignment, Clause, Pair, align, clauses
from appliance.documents.inline import inline_diff, plain
from appliance.documents.passages import section_path
from appliance.documents.table_diff import TableChange, table_changes
from appliance.documents.text_diff import TextChange, text_changes, units
from appliance.domain import Block, BlockKind, Fingerprint, Passage, Section, Struct

_NUMERAL = re.compile(r"\d+(?:\.\d+)*|第.+[条条章节節款]")
_MOVED_CHARS = 24
"""Shorter paragraphs that vanish here and appear there are not taken for the same one."""
_PROBE_CHARS = 40


class Side(Struct, frozen=True, kw_only=True):
    """One version."""

    title: str
    sections: tuple[Section, ...]
    passages: tuple[Passage, ...]


class SectionChange(Struct, frozen=True, kw_only=True):
    """One section that differs."""

    change: str
    """``added``, ``removed``, ``changed``; ``moved`` or ``renamed`` when its text is the same."""
    section: str
    """Its path on the new side, of a removed one on the old side."""
    old_section: str = ""
    new_section: str = ""
    moved: bool = False
    renamed: bool = False
    texts: tuple[TextChange, ...] = ()
    tables: tuple[TableChange, ...] = ()
    old_fingerprints: tuple[Fingerprint, ...] = ()
    new_fingerprints: tuple[Fingerprint, ...] = ()
    lines: tuple[str, ...] = ()
    """The same for people: ``- `` old, ``+ `` new, ``~ `` moved."""


def compare_versions(old: Side, new: Side) -> list[SectionChange]:
    """Changes in the order of the new side, removed sections after the one that they followed."""
    alignment = align(clauses(old.sections, old.title), clauses(new.sections, new.title))
    renumbered = _renumbered(alignment)
    before, after = _Places(old), _Places(new)
    found: list[tuple[tuple[float, int], SectionChange]] = []
    for pair in alignment.pairs:
        if change := _changed(pair, renumbered, before, after):
            found.append(((pair.new.at, 0), change))
    for clause in alignment.added:
        found.append(((clause.at, 0), _one_sided("added", clause, after)))
    followed = {pair.old.at: pair.new.at for pair in alignment.pairs}
    for clause in alignment.removed:
        last = max((at for at in followed if at < clause.at), default=None)
        place = followed[last] + 0.5 if last is not None else -0.5
        found.append(((place, clause.at), _one_sided("removed", clause, before)))
    ordered = [change for _, change in sorted(found, key=lambda each: each[0])]
    return [_with_lines(change) for change in _with_moves(ordered) if _says_something(change)]


class _Places:
    """Where the text of one side is cited: fingerprints by section and text."""

    def __init__(self, side: Side) -> None:
        self._title = side.title
        self._all = list(side.passages)
        self._by_path: defaultdict[str, list[Passage]] = defaultdict(list)
        for passage in side.passages:
            self._by_path[passage.section_path].append(passage)

    def path(self, clause: Clause) -> str:
        return section_path(clause.section.trail, self._title)

    def cited(self, clause: Clause, texts: Sequence[str] | None = None) -> tuple[Fingerprint, ...]:
        """Passages of the section, only those that hold one of the texts where some do."""
        inside = self._by_path.get(self.path(clause), [])
        if texts is None and inside:
            return tuple(passage.fingerprint for passage in inside)
        probes = [_squeezed(text)[:_PROBE_CHARS] for text in texts or [clause.content]]
        holding = [
            passage.fingerprint
            for passage in inside or self._all
            if any(probe and probe in _squeezed(passage.text) for probe in probes)
        ]
        return tuple(holding) or tuple(passage.fingerprint for passage in inside)


def _changed(pair: Pair, renumbered: dict[str, str], before: _Places, after: _Places) -> SectionChange | None:
    old, new = pair.old.section, pair.new.section
    texts = text_changes(units(old.blocks, renumbered), units(new.blocks, {}))
    if pair.renamed and not old.blocks and not new.blocks:
        # The heading is the clause.
        pieces = inline_diff(old.title, new.title)
        texts = [TextChange(change="changed", old=old.title, new=new.title, pieces=pieces)]
    tables = table_changes(_tables(old), _tables(new))
    change = "changed" if texts or tables else "moved" if pair.moved else "renamed" if pair.renamed else ""
    if not change:
        return None
    whole = bool(tables) or not texts
    return SectionChange(
        change=change,
        section=after.path(pair.new),
        old_section=before.path(pair.old),
        new_section=after.path(pair.new),
        moved=pair.moved,
        renamed=pair.renamed,
        texts=tuple(texts),
        tables=tuple(tables),
        old_fingerprints=before.cited(pair.old, None if whole else [each.old for each in texts]),
        new_fingerprints=after.cited(pair.new, None if whole else [each.new for each in texts]),
    )


def _one_sided(change: str, clause: Clause, places: _Places) -> SectionChange:
    path, section = places.path(clause), clause.section
    gone = change == "removed"
    marks = places.cited(clause)
    own = [unit.text for unit in units(section.blocks, {})] or ([] if section.blocks else [section.title])
    tables = _tables(section)
    return SectionChange(
        change=change,
        section=path,
        old_section=path if gone else "",
        new_section="" if gone else path,
        texts=tuple(
            TextChange(change=change, old=text if gone else "", new="" if gone else text) for text in own
        ),
        tables=tuple(table_changes(tables, []) if gone else table_changes([], tables)),
        old_fingerprints=marks if gone else (),
        new_fingerprints=() if gone else marks,
    )


def _with_moves(changes: list[SectionChange]) -> list[SectionChange]:
    """Paragraphs that one section lost and another one got, word for word, are told as moved."""
    gone = _places_of(changes, "removed")
    came = _places_of(changes, "added")
    both = {form for form in gone if form in came and gone[form] != came[form]}

    def told(text: TextChange) -> TextChange:
        form = plain(text.old or text.new)
        if text.change not in ("added", "removed") or form not in both:
            return text
        return msgspec.structs.replace(text, change="moved", elsewhere=(came if text.old else gone)[form])

    return [
        msgspec.structs.replace(change, texts=tuple(told(text) for text in change.texts))
        for change in changes
    ]


def _places_of(changes: list[SectionChange], kind: str) -> dict[str, str]:
    return {
        plain(text.old or text.new): change.section
        for change in changes
        for text in change.texts
        if text.change == kind and len(text.old or text.new) >= _MOVED_CHARS
    }


def _says_something(change: SectionChange) -> bool:
    """A bare heading above others is no clause: only its name could change, and that is told as renamed."""
    return bool(change.texts or change.tables or change.moved or change.renamed)


def _renumbered(alignment: Alignment) -> dict[str, str]:
    """Old number → new number of the sections that have another one now."""
    numbers: dict[str, str] = {}
    for pair in alignment.pairs:
        old, new = (_NUMERAL.search(clause.number) for clause in (pair.old, pair.new))
        if old and new and old.group() != new.group():
            numbers[old.group()] = new.group()
    return numbers


def _tables(section: Section) -> list[Block]:
    return [block for block in section.blocks if block.kind is BlockKind.TABLE]


def _squeezed(text: str) -> str:
    return "".join(plain(text).split())


def _with_lines(change: SectionChange) -> SectionChange:
    return msgspec.structs.replace(change, lines=tuple(_lines(change)))


def _lines(change: SectionChange) -> Iterator[str]:
    for text in change.texts:
        if text.change == "moved":
            direction = "to" if text.old else "from"
            yield f"~ {text.old or text.new} (moved {direction} {text.elsewhere or 'the beginning'})"
            continue
        yield from (f"- {line}" for line in text.old.splitlines())
        yield from (f"+ {line}" for line in text.new.splitlines())
    for table in change.tables:
        yield from (f"- column {name}" for name in table.columns_removed)
        yield from (f"+ column {name}" for name in table.columns_added)
        for row in table.rows:
            if row.change == "changed":
                for cell in row.cells:
                    yield f"- {row.row} | {cell.column}: {cell.old}"
                    yield f"+ {row.row} | {cell.column}: {cell.new}"
            else:
                cells = " | ".join(cell.old or cell.new for cell in row.cells)
                yield f"{'-' if row.change == 'removed' else '+'} {cells}"
