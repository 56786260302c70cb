# pyright: basic
"""EPUB: the chapters of a book in the order of its spine, through the HTML parser."""

from __future__ import annotations

import posixpath
import zipfile
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from appliance.documents.charset import decode_text
from appliance.documents.detect import Format
from appliance.documents.html import read_html
from appliance.documents.outline import About, Outline, squeeze
from appliance.documents.safe_xml import child, children, descendants, parse_xml
from appliance.documents.zip_guard import ZIP_ERRORS, damaged, guard_archive, read_part
from appliance.domain import ParsedDocument
from appliance.errors import RefusedFileError

_WHAT = "an EPUB book"
_PAGES = frozenset(("application/xhtml+xml", "text/html", "application/x-dtbook+xml"))
_FONT_HIDING = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
MAX_CHAPTERS = 5_000


def parse_epub(path: Path, name: str) -> ParsedDocument:
    """The chapters of a book. Raises RefusedFileError (damaged, protected, no text)."""
    guard_archive(path, name, _WHAT)
    try:
        with zipfile.ZipFile(path) as archive:
            return _book(archive, name)
    except (*ZIP_ERRORS, OSError) as error:
        raise damaged(name, _WHAT) from error


def _book(archive: zipfile.ZipFile, name: str) -> ParsedDocument:
    package_path = _package_path(archive, name)
    package = parse_xml(read_part(archive, package_path) or b"", name)
    hidden = _encrypted(archive, name)
    outline = Outline()
    warnings: list[str] = []
    spine = _spine(package, package_path)
    for chapter in spine[:MAX_CHAPTERS]:
        if chapter in hidden:
            raise RefusedFileError(f"{name} is protected against copying (DRM)", hint="get a copy without it")
        try:
            data = read_part(archive, chapter)
            if data is None:
                warnings.append(f"{chapter}: the chapter is missing")
            elif data.strip():
                read_html(decode_text(data, chapter), outline)
        except (*ZIP_ERRORS, RefusedFileError) as error:
            warnings.append(f"{chapter}: the chapter was not read ({' '.join(str(error).split())[:100]})")
    if len(spine) > MAX_CHAPTERS:
        warnings.append(f"only the first {MAX_CHAPTERS} of {len(spine)} chapters were read")
    return outline.document(_about(package, name, warnings))


def _package_path(archive: zipfile.ZipFile, name: str) -> str:
    root = parse_xml(read_part(archive, "META-INF/container.xml") or b"", name)
    found = next(descendants(root, "rootfile"), None)
    path = (found.get("full-path") if found is not None else "") or ""
    if path not in archive.namelist():
        raise damaged(name, _WHAT)
    return path


def _encrypted(archive: zipfile.ZipFile, name: str) -> set[str]:
    """Parts that are encrypted in earnest; hidden fonts are none of our business."""
    data = read_part(archive, "META-INF/encryption.xml")
    found: set[str] = set()
    for part in descendants(parse_xml(data, name), "EncryptedData") if data else ():
        method, reference = child(part, "EncryptionMethod"), next(descendants(part, "CipherReference"), None)
        algorithm = method.get("Algorithm") if method is not None else ""
        if reference is not None and algorithm not in _FONT_HIDING:
            found.add(unquote(reference.get("URI") or ""))
    return found


def _spine(package: Any, package_path: str) -> list[str]:
    """Paths of the chapters, in reading order."""
    folder = posixpath.dirname(package_path)
    pages = {
        item.get("id"): posixpath.normpath(posixpath.join(folder, unquote(item.get("href") or "")))
        for item in descendants(package, "item")
        if item.get("media-type") in _PAGES and "nav" not in (item.get("properties") or "").split()
    }
    found = (pages.get(item.get("idref")) for item in descendants(package, "itemref"))
    return list(dict.fromkeys(path for path in found if path))


def _about(package: Any, name: str, warnings: list[str]) -> About:
    metadata = child(package, "metadata")
    metadata = package if metadata is None else metadata
    values = {
        key: [squeeze("".join(element.itertext())) for element in children(metadata, key)]
        for key in ("title", "creator", "date", "publisher", "identifier")
    }
    authors = tuple(dict.fromkeys(filter(None, values["creator"])))
    title = next(filter(None, values["title"]), "")
    return About(
        name=name,
        format=Format.EPUB,
        title=title,
        title_from="metadata",
        stated_dates=[(date, "metadata") for date in values["date"] if date],
        authors=authors,
        authors_from="metadata" if authors else "",
        meta={key: values[key][0] for key in ("publisher", "identifier") if any(values[key][:1])},
        warnings=warnings,
    )
