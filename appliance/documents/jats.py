# pyright: basic
"""Journal articles in JATS XML: title, authors, date, abstract, sections, tables, figures, references."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from appliance.documents.charset import clean_text
from appliance.documents.detect import Format
from appliance.documents.html_tables import read_table
from appliance.documents.outline import About, Outline, squeeze
from appliance.documents.safe_xml import child, children, descendants, local, parse_xml
from appliance.domain import BlockKind, ParsedDocument
from appliance.errors import RefusedFileError

_SILENT = frozenset(
    ("object-id", "graphic", "media", "permissions", "label", "alternatives", "tex-math", "journal-id",
     "related-object", "contrib-id")
)  # fmt: skip
_BLOCKS = frozenset(
    ("p", "list", "table-wrap", "fig", "disp-formula", "disp-quote", "boxed-text", "def-list", "sec")
)
_CITATIONS = ("mixed-citation", "element-citation", "citation", "nlm-citation")
_FIELDS = ("year", "article-title", "data-title", "source", "volume", "fpage", "pub-id")
_POWER = re.compile(r"[-−+]?\d{1,3}")
_LISTS = ("list", "def-list")
MAX_DEPTH = 30


def parse_jats(data: bytes, name: str) -> ParsedDocument:
    """The article. Raises RefusedFileError (broken XML, entities, no article, no text)."""
    root = parse_xml(data, name)
    article = root if local(root) == "article" else next(descendants(root, "article"), None)
    if article is None:
        raise RefusedFileError(f"{name} is an XML file without an article", hint="convert it to HTML")
    front = child(article, "front")
    meta = child(front, "article-meta") if front is not None else None
    reader = _Reader()
    if meta is not None:
        reader.abstracts(meta)
    for part in ("body", "back", "floats-group"):
        found = child(article, part)
        if found is not None:
            reader.section_content(found, 1)
    return reader.outline.document(_about(meta, article, name))


class _Reader:
    def __init__(self) -> None:
        self.outline = Outline()

    def abstracts(self, meta: Any) -> None:
        for abstract in children(meta, "abstract", "trans-abstract"):
            kind = abstract.get("abstract-type")
            if kind in ("graphical", "toc"):
                continue
            title = child(abstract, "title")
            self.outline.heading(1, words(title) if title is not None else "Abstract")
            self.section_content(abstract, 2)

    def section_content(self, parent: Any, rank: int) -> None:
        """The blocks and sections inside ``parent``; its own title is said already."""
        for element in parent:
            name = local(element)
            if name in (
                "sec",
                "app",
                "ack",
                "glossary",
                "notes",
                "ref-list",
                "fn-group",
                "app-group",
                "sub-article",
            ):
                self._section(element, name, rank)
            elif name not in ("title", "label", "sec-meta"):
                self._block(element, name, rank)

    def _section(self, element: Any, name: str, rank: int) -> None:
        title, label = child(element, "title"), child(element, "label")
        heading = " ".join(filter(None, (words(part) for part in (label, title) if part is not None)))
        heading = heading or {"ref-list": "References", "ack": "Acknowledgements"}.get(name, "")
        if heading:
            self.outline.heading(min(rank, MAX_DEPTH), heading)
        if name == "ref-list":
            lines = (_reference(reference) for reference in children(element, "ref"))
            self.outline.block("\n".join(filter(None, lines)), BlockKind.LIST)
        elif rank <= MAX_DEPTH:
            self.section_content(element, rank + 1)

    def _block(self, element: Any, name: str, rank: int) -> None:
        if name == "p":
            self._paragraph(element, rank)
        elif name in _LISTS:
            self.outline.block("\n".join(_list_lines(element, 0)), BlockKind.LIST)
        elif name == "table-wrap":
            self._table(element)
        elif name in ("fig", "fig-group"):
            for figure in descendants(element, "fig"):
                self.outline.block(_caption(figure), BlockKind.FIGURE)
        elif name in ("fn", "footnote"):
            self.outline.block(words(element), BlockKind.NOTE)
        elif (
            name in ("boxed-text", "disp-quote", "supplementary-material", "fn-group", "bio")
            and rank <= MAX_DEPTH
        ):
            self.section_content(element, rank + 1)
        elif name in _CITATIONS:
            self.outline.block(_citation(element))
        elif name not in _SILENT:
            self.outline.block(words(element))

    def _paragraph(self, element: Any, rank: int) -> None:
        """A paragraph, with the figures, tables and lists that stand inside it after it."""
        inside = [part for part in element if local(part) in _BLOCKS]
        self.outline.block(words(element, skip=_BLOCKS))
        for part in inside:
            self._block(part, local(part), rank + 1)

    def _table(self, element: Any) -> None:
        foot = child(element, "table-wrap-foot")
        notes = tuple(filter(None, (words(note) for note in foot))) if foot is not None else ()
        tables = list(descendants(element, "table"))
        caption = _caption(element)
        for table in tables:
            self.outline.table(
                read_table(table, words, caption=caption, notes=notes if table is tables[-1] else ())
            )
        if not tables:
            self.outline.block(caption, BlockKind.FIGURE)


def words(element: Any, *, skip: Iterable[str] = ()) -> str:
    """The words inside an element on one line, without pictures and TeX."""
    parts: list[str] = []
    _collect(element, parts, frozenset(skip))
    return squeeze(clean_text("".join(parts)))


def _collect(element: Any, parts: list[str], skip: frozenset[str]) -> None:
    parts.append(element.text or "")
    for part in element:
        name = local(part)
        if name and name not in skip and (name not in _SILENT or name == "label"):
            if name in _BLOCKS or name in ("title", "break", "list-item", "td", "th", "tr", "label"):
                parts.append(" ")
            if (
                name == "sup"
                and not len(part)
                and _POWER.fullmatch(part.text or "")
                and parts[-1][-1:].isdigit()
            ):
                parts.append("^")  # 10<sup>6</sup> is not 106
            _collect(part, parts, skip)
            if name in ("title", "label"):
                parts.append(" ")
        parts.append(part.tail or "")


def _caption(element: Any) -> str:
    label, caption = child(element, "label"), child(element, "caption")
    return " ".join(filter(None, (words(part) for part in (label, caption) if part is not None)))


def _list_lines(element: Any, depth: int) -> list[str]:
    lines: list[str] = []
    for number, item in enumerate(children(element, "list-item", "def-item"), 1):
        marker = f"{number}. " if element.get("list-type") == "order" else "- "
        lines.append("  " * depth + marker + words(item, skip=_LISTS))
        if depth < MAX_DEPTH:
            for nested in descendants(item, *_LISTS):
                lines += _list_lines(nested, depth + 1)
    return lines


def _reference(reference: Any) -> str:
    """One entry of the list of references."""
    found = next(children(reference, *_CITATIONS), None)
    return words(reference) if found is None else _citation(found)


def _citation(found: Any) -> str:
    """A citation as written, or put together from its fields."""
    if local(found) != "element-citation":
        return words(found)
    people = ", ".join(_person(one) for one in descendants(found, "name"))
    fields = (words(part) for key in _FIELDS for part in children(found, key))
    return ". ".join(filter(None, (people, *fields)))


def _person(name: Any) -> str:
    given, family = child(name, "given-names"), child(name, "surname")
    return " ".join(words(part) for part in (given, family) if part is not None)


def _about(meta: Any, article: Any, name: str) -> About:
    if meta is None:
        return About(name=name, format=Format.JATS)
    title = next(descendants(meta, "article-title"), None)
    contributors = (one for group in children(meta, "contrib-group") for one in children(group, "contrib"))
    authors = [
        _person(person) if local(person) == "name" else words(person)
        for one in contributors
        if one.get("contrib-type", "author") == "author"
        for person in list(children(one, "name", "collab", "string-name"))[:1]
    ]
    dates = [(date, "metadata") for date in map(_date, children(meta, "pub-date")) if date]
    doi = next(
        (words(found) for found in children(meta, "article-id") if found.get("pub-id-type") == "doi"), ""
    )
    journal = next(descendants(article, "journal-title"), None)
    return About(
        name=name,
        format=Format.JATS,
        title=words(title) if title is not None else "",
        title_from="metadata",
        stated_dates=sorted(dates, key=lambda pair: (-len(pair[0]), pair[0])),
        authors=tuple(dict.fromkeys(filter(None, authors))),
        authors_from="metadata" if authors else "",
        meta={
            key: value
            for key, value in (("doi", doi), ("journal", words(journal) if journal is not None else ""))
            if value
        },
    )


def _date(found: Any) -> str:
    parts = [
        words(part) for part in (child(found, key) for key in ("year", "month", "day")) if part is not None
    ]
    return (
        "-".join(part.zfill(2) for part in parts) if parts and all(part.isdigit() for part in parts) else ""
    )
