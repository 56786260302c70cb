# pyright: basic
"""HTML: the main content of a page as sections; navigation, scripts and furniture dropped, tables kept.

lxml only, without network and without entity expansion; the page's own markup is never trusted to be valid.
"""

from __future__ import annotations

import re

from lxml import html as lxml_html
from lxml.etree import LxmlError
from lxml.html import HtmlElement

from appliance.documents.authors import split_names
from appliance.documents.charset import clean_text, decode_text
from appliance.documents.detect import Format
from appliance.documents.html_tables import is_layout, read_table
from appliance.documents.lines import join_lines
from appliance.documents.outline import About, Outline, squeeze
from appliance.domain import BlockKind, ParsedDocument
from appliance.errors import RefusedFileError

_DROPPED = frozenset(
    "script style noscript template nav footer aside form iframe svg math button select option input "
    "textarea canvas audio video object embed head dialog".split()
)
_FURNITURE_ROLES = frozenset("navigation banner contentinfo complementary search menu dialog".split())
_FURNITURE = re.compile(
    r"(?:^|[\s_-])(?:nav|navbar|navbox|navigation|menu|breadcrumbs?|sidebar|footer|toc|cookies?|share|social|advert|"
    r"ads|mw-editsection|mw-jump-link|noprint|skip-link|related|catlinks|printfooter|vector-header|reflist)(?:$|[\s_-])",
    re.I,
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset(("ul", "ol", "dl", "menu"))
_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q ruby rb rt s samp "
    "small span strike strong sub sup time tt u var wbr br img picture".split()
)
_MAIN = (
    "//main",
    "//*[@role='main']",
    "//article",
    "//*[@id='mw-content-text' or @id='content' or @id='main']",
)
_DATE_META = (
    "article:published_time", "og:published_time", "datepublished", "publishdate", "pubdate",
    "dc.date", "dc.date.issued", "dcterms.issued", "citation_publication_date", "date",
    "article:modified_time",
)  # fmt: skip
_AUTHOR_META = ("author", "citation_author", "dc.creator", "dcterms.creator", "article:author")
MIN_MAIN_SHARE = 0.4


def parse_html(data: bytes, name: str) -> ParsedDocument:
    """The sections of a page. Raises RefusedFileError (binary, unknown encoding, no text)."""
    root = _tree(_declared(data, name), name)
    outline = Outline()
    _Walker(outline).read(_main(root))
    title = _title(root)
    dates = _dates(root)
    authors = _authors(root)
    return outline.document(
        About(
            name=name,
            format=Format.HTML,
            title=title,
            title_from="page title",
            stated_dates=dates,
            authors=authors,
            authors_from="metadata" if authors else "",
        )
    )


def read_html(text: str, outline: Outline) -> None:
    """Add the main content of a whole page (a chapter, the body of an e-mail) to an outline."""
    _Walker(outline).read(_main(_tree(text, "the page")))


def read_fragment(text: str, outline: Outline) -> None:
    """Add the blocks of an HTML fragment (a table inside Markdown) to an outline."""
    _Walker(outline).read(_tree(text, "the page"))


def _declared(data: bytes, name: str) -> str:
    found = re.search(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([\w-]+)", data[:4096], re.I)
    encoding = found.group(1).decode("ascii").lower() if found else ""
    if encoding in ("gb2312", "gbk"):
        encoding = "gb18030"
    if (
        encoding
        and not data.startswith((b"\xff\xfe", b"\xfe\xff"))
        and encoding not in ("utf-8", "utf8", "utf-16")
    ):
        try:
            return clean_text(data.decode(encoding))
        except (LookupError, UnicodeDecodeError):
            pass
    return decode_text(data, name)


def _tree(text: str, name: str) -> HtmlElement:
    parser = lxml_html.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    try:
        root = lxml_html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (LxmlError, ValueError) as error:
        raise RefusedFileError(f"{name} has no text in it", hint="check that it is the right file") from error
    return root


def _main(root: HtmlElement) -> HtmlElement:
    body = root.find("body")
    body = root if body is None else body
    whole = len(squeeze(body.text_content()))
    for path in _MAIN:
        found = root.xpath(path)
        if len(found) == 1 and len(squeeze(found[0].text_content())) >= whole * MIN_MAIN_SHARE:
            return found[0]
    return body


def _title(root: HtmlElement) -> str:
    for path in ("//meta[@property='og:title']/@content", "//title/text()", "//h1"):
        for found in root.xpath(path)[:1]:
            title = squeeze(found if isinstance(found, str) else found.text_content())
            if title:
                return title
    return ""


def _authors(root: HtmlElement) -> tuple[str, ...]:
    """Authors in the page's metadata; addresses of their pages are no names."""
    found = [
        name
        for meta in root.xpath("//meta[@content]")
        if (meta.get("name") or meta.get("property") or "").lower() in _AUTHOR_META
        for name in split_names(meta.get("content"))
    ]
    return tuple(dict.fromkeys(name for name in found if "://" not in name))


def _dates(root: HtmlElement) -> list[tuple[str, str]]:
    named: dict[str, str] = {}
    for meta in root.xpath("//meta[@content]"):
        key = (meta.get("property") or meta.get("name") or meta.get("itemprop") or "").lower()
        named.setdefault(key, meta.get("content"))
    dates = [named[key] for key in _DATE_META if key in named]
    dates += root.xpath("//*[@itemprop='datePublished']/@datetime") + root.xpath(
        "//article//time[@pubdate]/@datetime"
    )
    return [(str(date), "metadata") for date in dates]


class _Walker:
    """Collects inline text until a block element ends it."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.parts: list[str] = []

    def read(self, element: HtmlElement) -> None:
        self._children(element)
        self._flush()

    def _children(self, element: HtmlElement) -> None:
        self.parts.append(element.text or "")
        for child in element:
            if isinstance(child.tag, str) and not _is_furniture(child):
                self._element(child)
            self.parts.append(child.tail or "")

    def _element(self, element: HtmlElement) -> None:
        tag = str(element.tag)
        if tag == "br":
            self.parts.append("\x00")
        elif tag in _INLINE:
            self._children(element)
        else:
            self._flush()
            self._block(element, tag)
            self._flush()

    def _block(self, element: HtmlElement, tag: str) -> None:
        if tag in _HEADINGS:
            self.outline.heading(_HEADINGS[tag], words_of(element))
        elif tag == "pre":
            self.outline.block(element.text_content(), BlockKind.CODE)
        elif tag in _LISTS:
            self.outline.block("\n".join(_list_lines(element, 0)), BlockKind.LIST)
        elif tag == "table" and not is_layout(element):
            found = element.find("caption")
            caption = "" if found is None else words_of(found)
            self.outline.table(read_table(element, words_of, caption=caption))
        else:
            self._children(element)

    def _flush(self) -> None:
        text = "".join(self.parts)
        self.parts = []
        self.outline.block("\n".join(filter(None, (_joined(line) for line in text.split("\x00")))))


def _joined(text: str) -> str:
    return join_lines([squeeze(line) for line in text.split("\n")])


def _is_furniture(element: HtmlElement) -> bool:
    if element.tag in _DROPPED or (element.get("role") or "").lower() in _FURNITURE_ROLES:
        return True
    if element.get("hidden") is not None or element.get("aria-hidden") == "true":
        return True
    if element.tag == "header":
        return element.find(".//h1") is None
    if re.search(r"display\s*:\s*none", element.get("style") or "", re.I):
        return True
    return bool(_FURNITURE.search(f"{element.get('class') or ''} {element.get('id') or ''}"))


def words_of(element: HtmlElement) -> str:
    """The words inside an element, on one line, furniture left out."""
    walker = _Walker(Outline())
    walker.parts.append(element.text or "")
    for child in element:
        if isinstance(child.tag, str) and not _is_furniture(child):
            walker.parts.append(" " if child.tag == "br" else words_of(child))
            if child.tag not in _INLINE:
                walker.parts.append(" ")
        walker.parts.append(child.tail or "")
    return _joined("".join(walker.parts)) if element.tag not in _INLINE else "".join(walker.parts)


def _list_lines(element: HtmlElement, depth: int) -> list[str]:
    lines: list[str] = []
    number = 0
    for item in element:
        if not isinstance(item.tag, str) or _is_furniture(item):
            continue
        if item.tag in _LISTS:
            lines += _list_lines(item, depth + 1)
            continue
        number += 1
        nested = [child for child in item if child.tag in _LISTS]
        for child in nested:
            child.drop_tree() if child.tail else item.remove(child)
        marker = f"{number}. " if element.tag == "ol" else "" if item.tag == "dt" else "- "
        words = words_of(item)
        if words:
            lines.append("  " * depth + marker + words)
        for child in nested:
            lines += _list_lines(child, depth + 1)
    return lines
