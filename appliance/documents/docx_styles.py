# pyright: basic
"""What a paragraph's style makes of it: a title, a heading of a level, a list item, or text."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from appliance.documents.docx_xml import W, attribute

_HEADING = re.compile(r"^(?:heading|标题|標題|überschrift|titre)\s*([1-9])$", re.I)
_CONTENTS = re.compile(r"^(?:toc|table of figures|目录|目錄)(?:\s*\d)?$", re.I)
_TITLES = frozenset(("title", "标题", "標題"))
_CAPTIONS = frozenset(("caption", "题注", "題注", "table caption", "表题"))
_MAX_CHAIN = 12


class StyleRole(msgspec.Struct, frozen=True, kw_only=True):
    """The part a paragraph plays."""

    level: int = 0
    """1–9 for a heading."""
    is_title: bool = False
    is_list: bool = False
    is_contents: bool = False
    """A line of a table of contents."""
    is_caption: bool = False
    numbering: tuple[str, int] | None = None
    """(numId, level) that the style gives."""


class Styles:
    """Styles by id; a paragraph's own properties win over its style's, that over its base's."""

    def __init__(self, element: Any) -> None:
        self._elements = {attribute(style, "styleId"): style for style in element.iter(W + "style")}
        self._roles: dict[str, StyleRole] = {}
        defaults = (
            s
            for s in self._elements.values()
            if attribute(s, "default") == "1" and attribute(s, "type") == "paragraph"
        )
        self._default = attribute(next(defaults, element), "styleId") or ""

    def of(self, paragraph: Any) -> StyleRole:
        """The role of one paragraph."""
        properties = paragraph.find(W + "pPr")
        if properties is None:
            return self._role(self._default)
        style = properties.find(W + "pStyle")
        role = self._role((attribute(style, "val") if style is not None else None) or self._default)
        own = _level(properties)
        return role if own is None else msgspec.structs.replace(role, level=own)

    def _role(self, style_id: str) -> StyleRole:
        if style_id not in self._roles:
            self._roles[style_id] = self._computed(style_id)
        return self._roles[style_id]

    def _computed(self, style_id: str) -> StyleRole:
        level: int | None = None
        numbering: tuple[str, int] | None = None
        title = is_list = contents = caption = False
        for element in self._chain(style_id):
            label = element.find(W + "name")
            name = ((attribute(label, "val") if label is not None else "") or "").strip().lower()
            match = _HEADING.match(name)
            properties = element.find(W + "pPr")
            if level is None:
                level = int(match[1]) if match else _level(properties) if properties is not None else None
            numbering = numbering or number_of(properties)
            title = title or name in _TITLES
            contents = contents or _CONTENTS.match(name) is not None
            is_list = is_list or name.startswith("list")
            caption = caption or name in _CAPTIONS
        return StyleRole(
            level=level or 0,
            is_title=title,
            is_list=is_list,
            is_contents=contents,
            numbering=numbering,
            is_caption=caption,
        )

    def _chain(self, style_id: str) -> list[Any]:
        chain: list[Any] = []
        while style_id in self._elements and len(chain) < _MAX_CHAIN:
            chain.append(self._elements[style_id])
            base = chain[-1].find(W + "basedOn")
            style_id = (attribute(base, "val") if base is not None else "") or ""
        return chain


def _level(properties: Any) -> int | None:
    outline = properties.find(W + "outlineLvl")
    value = attribute(outline, "val") if outline is not None else None
    if value is None or not value.isdigit():
        return None
    return int(value) + 1 if int(value) < 9 else 0


def number_of(properties: Any) -> tuple[str, int] | None:
    """(numId, level) of paragraph properties."""
    found = properties.find(W + "numPr") if properties is not None else None
    if found is None:
        return None
    number, level = found.find(W + "numId"), found.find(W + "ilvl")
    value = attribute(number, "val") if number is not None else None
    depth = attribute(level, "val") if level is not None else None
    return (value, int(depth) if depth and depth.isdigit() else 0) if value else None
