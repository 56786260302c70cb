# pyright: basic
"""Word files: headings by style or outline level, clause numbers as printed, tables in their place.

python-docx opens the package; the body is walked as XML, because its object model is slow on long files.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from appliance.documents.charset import clean_text
from appliance.documents.detect import Format
from appliance.documents.docx_numbering import Numbering
from appliance.documents.docx_styles import Styles
from appliance.documents.docx_xml import W, attribute, paragraph_text, rows
from appliance.documents.headings import numbering_rank, reads_like_heading
from appliance.documents.outline import About, Outline, squeeze
from appliance.documents.tables import markdown_table
from appliance.domain import BlockKind, ParsedDocument
from appliance.errors import RefusedFileError

MAX_UNPACKED_BYTES = 512 << 20
MAX_PART_BYTES = 256 << 20
MAX_RATIO = 200
RATIO_FROM_BYTES = 16 << 20
"""Smaller parts may be as repetitive as they like."""
MAX_PARTS = 20_000
TYPED_RANK = 20
"""Numbered titles without a heading style come below every styled heading."""
_WRAPPERS = frozenset((W + "sdt", W + "sdtContent", W + "customXml", W + "smartTag", W + "ins", W + "moveTo"))


def parse_docx(path: Path, name: str) -> ParsedDocument:
    """The sections of a Word file. Raises RefusedFileError (damaged, unpacks to too much, no text)."""
    guard_archive(path, name)
    document = _opened(path, name)
    reader = _Reader(document)
    reader.read(document.element.body)
    return reader.outline.document(_about(document, name, reader.title))


def guard_archive(path: Path, name: str) -> None:
    """Refuse an archive that unpacks to far more than it is. Raises RefusedFileError."""
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise _damaged(name) from error
    total = sum(part.file_size for part in parts)
    bombs = [
        part
        for part in parts
        if part.file_size > MAX_PART_BYTES
        or (part.file_size > RATIO_FROM_BYTES and part.file_size > part.compress_size * MAX_RATIO)
    ]
    if bombs or total > MAX_UNPACKED_BYTES or len(parts) > MAX_PARTS:
        size = f"{total >> 20} MB in {len(parts)} parts"
        raise RefusedFileError(
            f"{name} unpacks to {size}: this is not a normal document", hint="save it again"
        )


def _opened(path: Path, name: str) -> Any:
    import docx
    from docx.opc.exceptions import OpcError
    from lxml.etree import LxmlError

    try:
        return docx.Document(str(path))
    except (OpcError, LxmlError, zipfile.BadZipFile, KeyError, ValueError, OSError, EOFError) as error:
        raise _damaged(name) from error
    except zipfile.zlib.error as error:  # type: ignore[attr-defined]
        raise _damaged(name) from error


def _damaged(name: str) -> RefusedFileError:
    return RefusedFileError(
        f"{name} is damaged: it cannot be opened as a Word file", hint="get a complete copy"
    )


def _about(document: Any, name: str, title: str) -> About:
    core = document.core_properties
    filed: list[tuple[str, str]] = []
    for value in (_property(core, "created"), _property(core, "modified")):
        if value is not None and value.year > 2013:  # python-docx's own template says 2013
            filed.append((value.date().isoformat(), "metadata"))
    author = _property(core, "author") or ""
    stated_title = _property(core, "title") or ""
    meta = {"author": author} if author and author != "python-docx" else {}
    notes = [
        str(part.partname) for part in document.part.package.iter_parts() if "footnotes" in str(part.partname)
    ]
    warnings = ["footnotes were not read"] if notes and _has_footnotes(document) else []
    return About(
        name=name,
        format=Format.DOCX,
        title=title or ("" if stated_title == "Word Document" else stated_title),
        filed_dates=filed,
        meta=meta,
        warnings=warnings,
    )


def _property(core: Any, key: str) -> Any:
    try:
        return getattr(core, key)
    except (ValueError, KeyError):
        return None


def _has_footnotes(document: Any) -> bool:
    return next(document.element.body.iter(W + "footnoteReference"), None) is not None


class _Reader:
    def __init__(self, document: Any) -> None:
        self.outline = Outline()
        self.title = ""
        self.styles = Styles(document.styles.element)
        self.numbering = Numbering(_numbering_element(document))
        self.items: list[str] = []

    def read(self, body: Any) -> None:
        for element in _flattened(body):
            if element.tag == W + "tbl":
                self._flush()
                self._table(element)
            else:
                self._paragraph(element)
        self._flush()

    def _paragraph(self, element: Any) -> None:
        text = clean_text(paragraph_text(element)).strip()
        if not text:
            return
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

    def _is_typed_heading(self, element: Any, text: str) -> bool:
        rank = numbering_rank(text)
        if rank is None or "\n" in text or not reads_like_heading(text):
            return False
        return rank <= 3 or _is_bold(element)

    def _flush(self) -> None:
        if self.items:
            self.outline.block("\n".join(self.items), BlockKind.LIST)
            self.items = []

    def _table(self, element: Any) -> None:
        found = rows(element)
        if max((len(row) for row in found), default=0) < 2:
            for row in found:
                for cell in row:
                    self.outline.block(clean_text(cell))
        else:
            self.outline.block(
                markdown_table([[clean_text(cell) for cell in row] for row in found]), BlockKind.TABLE
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
