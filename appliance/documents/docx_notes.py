# pyright: basic
"""Footnotes and endnotes of a Word file: found by the references in a paragraph, numbered as they come."""

from __future__ import annotations

import re
from typing import Any

from appliance.documents.charset import clean_text
from appliance.documents.docx_xml import W, attribute, paragraph_text
from appliance.documents.safe_xml import parse_xml
from appliance.errors import RefusedFileError

_KINDS = {W + "footnoteReference": "footnotes", W + "endnoteReference": "endnotes"}
_PARTS = re.compile(r"/(footnotes|endnotes)$")


class Notes:
    """The notes of a document; :meth:`of` must be called for every paragraph in order."""

    def __init__(self, document: Any) -> None:
        self.warnings: list[str] = []
        self._texts: dict[tuple[str, str], str] = {}
        self._given = 0
        for relation in document.part.rels.values():
            kind = _PARTS.search(relation.reltype)
            if kind and not relation.is_external:
                self._read(kind[1], relation.target_part.blob)

    def _read(self, kind: str, data: bytes) -> None:
        try:
            root = parse_xml(data, kind)
        except RefusedFileError as error:
            self.warnings.append(f"the {kind} were not read: {error.message}")
            return
        for note in root:
            number = attribute(note, "id")
            if number and attribute(note, "type") in (None, "normal"):
                lines = [clean_text(paragraph_text(paragraph)).strip() for paragraph in note.iter(W + "p")]
                self._texts[kind, number] = "\n".join(filter(None, lines))

    def of(self, element: Any) -> list[str]:
        """``[3] text`` of each note that a paragraph or table refers to."""
        found: list[str] = []
        for reference in element.iter(*_KINDS):
            text = self._texts.get((_KINDS[str(reference.tag)], attribute(reference, "id") or ""))
            if text:
                self._given += 1
                found.append(f"[{self._given}] {text}")
        return found
