# pyright: basic
"""Word files: headings by style or outline level, clause numbers as printed, tables in their place.

python-docx opens the package; the body is walked as XML, because its object model is slow on long files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from appliance.documents.authors import split_names
from appliance.documents.charset import clean_text
from appliance.documents.detect import Format
from appliance.documents.docx_notes import Notes
from appliance.documents.docx_numbering import Numbering
from appliance.documents.docx_styles import Styles
from appliance.documents.docx_xml import W, attribute, has_header_look, paragraph_text, rows
from appliance.documents.headings import numbering_rank, reads_like_heading
from appliance.documents.outline import About, Outline, squeeze
from appliance.documents.table_headers import (
    first_words,
    header_column_count,
    header_row_count,
    tidy_rows,
    without_title,
)
from appliance.documents.zip_guard import ZIP_ERRORS, damaged, guard_archive
from appliance.domain import BlockKind, ParsedDocument, Table

TYPED_RANK = 20
"""Numbered titles without a heading style come below every styled heading."""
_WRAPPERS = frozenset((W + "sdt", W + "sdtContent", W + "customXml", W + "smartTag", W + "ins", W + "moveTo"))


def parse_docx(path: Path, name: str) -> ParsedDocument:
    """The sections of a Word file. Raises RefusedFileError (damaged, unpacks to too much, no text)."""
    guard_archive(path, name, "a Word file")
    document = _opened(path, name)
    if document.element.body is None:
        raise damaged(name, "a Word file")
    reader = _Reader(document)
    reader.read(document.element.body)
    return reader.outline.document(_about(document, name, reader))


def _opened(path: Path, name: str) -> Any:
    import docx
    from docx.opc.exceptions import OpcError
    from lxml.etree import LxmlError

    try:
        return docx.Document(str(path))
    except (OpcError, LxmlError, *ZIP_ERRORS, OSError, AttributeError, TypeError) as error:
        raise damaged(name, "a Word file") from error


def _about(document: Any, name: str, reader: _Reader) -> About:
    core = document.core_properties
    filed: list[tuple[str, str]] = []
    for value in (_property(core, "created"), _property(core, "modified")):
        if value is not None and value.year > 2013:  # python-docx's own template says 2013
            filed.append((value.date().isoformat(), "metadata"))
    author = squeeze(_property(core, "author") or "")
    author = "" if author == "python-docx" else author
    stated_title = _property(core, "title") or ""
    return About(
        name=name,
        format=Format.DOCX,
        title=reader.title or ("" if stated_title == "Word Document" else stated_title),
        title_from="title style" if reader.title else "metadata",
        filed_dates=filed,
        meta={"author": author} if author else {},
        authors=split_names(author),
        authors_from="metadata" if author else "",
        warnings=[*reader.notes.warnings, *reader.warnings],
    )


def _property(core: Any, key: str) -> Any:
    try:
        return getattr(core, key)
    except (ValueError, KeyError):
        return None


class _Reader:
    def __init__(self, document: Any) -> None:
        self.outline = Outline()
        self.title = ""
        self.styles = Styles(document.styles.element)
        self.numbering = Numbering(_numbering_element(document))
        self.notes = Notes(document)
        self.warnings: list[str] = []
        self.items: list[str] = []
        self.waiting: list[str] = []
        """Notes to come after the block that refers to them."""
        self.caption = ""

    def read(self, body: Any) -> None:
        for element in _flattened(body):
            if element.tag == W + "tbl":
                self._flush()
                self._table(element)
            else:
                self._paragraph(element)
            self.waiting += self.notes.of(element)
            if not self.items:
                self._give_notes()
        self._flush()

    def _paragraph(self, element: Any) -> None:
        text = clean_text(paragraph_text(element)).strip()
        if not text:
            return
        self.caption = ""
        style = self.styles.of(element)
        if style.is_contents:
            return
        label = self.numbering.label(element, style.numbering)
        numbered = f"{label} {text}" if label and label not in "•-" else text
        if style.is_title and not self.title:
            self.title = squeeze(text)
        elif style.level:
            self._flush()
            self.outline.heading(style.level, numbered)
        elif self._is_typed_heading(element, numbered):
            self._flush()
            self.outline.heading(TYPED_RANK + (numbering_rank(numbered) or 0), numbered)
        elif label or style.is_list:
            self.items.append(numbered if numbered != text else f"- {text}")
        else:
            self._flush()
            self.outline.block(text)
            self.caption = squeeze(text) if style.is_caption else ""

    def _is_typed_heading(self, element: Any, text: str) -> bool:
        rank = numbering_rank(text)
        if rank is None or "\n" in text or not reads_like_heading(text):
            return False
        return rank <= 3 or _is_bold(element)

    def _flush(self) -> None:
        if self.items:
            self.outline.block("\n".join(self.items), BlockKind.LIST)
            self.items = []
        self._give_notes()

    def _give_notes(self) -> None:
        for note in self.waiting:
            self.outline.block(note, BlockKind.NOTE)
        self.waiting = []

    def _table(self, element: Any) -> None:
        found, marked = rows(element)
        caption, self.caption = self.caption, ""
        if max((len(row) for row in found), default=0) < 2:
            for row in found:
                for cell in row:
                    self.outline.block(clean_text(cell))
            return
        title, cells = without_title(tidy_rows([[clean_text(cell) for cell in row] for row in found]))
        caption, marked = caption or title, max(marked - bool(title), 0)
        header = marked or header_row_count(cells, says_so=has_header_look(element))
        if cells and not header:
            self.warnings.append(f"the table that begins with {first_words(cells)} has no header row")
        self.outline.table(
            Table(rows=cells, header_rows=header, header_columns=header_column_count(cells), caption=caption)
        )


def _is_bold(paragraph: Any) -> bool:
    runs = [
        run for run in paragraph.iter(W + "r") if any((text.text or "").strip() for text in run.iter(W + "t"))
    ]
    marks = [next(run.iter(W + "b"), None) for run in runs]
    return bool(runs) and all(
        mark is not None and attribute(mark, "val") not in ("0", "false") for mark in marks
    )


def _flattened(parent: Any) -> Iterator[Any]:
    for element in parent:
        if element.tag in (W + "p", W + "tbl"):
            yield element
        elif element.tag in _WRAPPERS:
            yield from _flattened(element)


def _numbering_element(document: Any) -> Any:
    for relation in document.part.rels.values():
        if re.search(r"/numbering$", relation.reltype) and not relation.is_external:
            return getattr(relation.target_part, "element", None)
    return None
