"""The format of a file: first bytes and a name arrive, a format that has a parser leaves, or a refusal."""

from __future__ import annotations

import re
import zipfile
from enum import StrEnum
from pathlib import Path, PurePath

from appliance.documents.charset import looks_like_text
from appliance.errors import RefusedFileError


class Format(StrEnum):
    """What a parser exists for."""

    TEXT = "text"
    MARKDOWN = "markdown"
    HTML = "html"
    DOCX = "docx"
    PDF = "pdf"
    IMAGE = "image"
    JSONL = "jsonl"


SUFFIXES = {
    ".txt": Format.TEXT,
    ".text": Format.TEXT,
    ".md": Format.MARKDOWN,
    ".markdown": Format.MARKDOWN,
    ".html": Format.HTML,
    ".htm": Format.HTML,
    ".xhtml": Format.HTML,
    ".docx": Format.DOCX,
    ".pdf": Format.PDF,
    ".png": Format.IMAGE,
    ".jpg": Format.IMAGE,
    ".jpeg": Format.IMAGE,
    ".tif": Format.IMAGE,
    ".tiff": Format.IMAGE,
    ".bmp": Format.IMAGE,
    ".webp": Format.IMAGE,
    ".gif": Format.IMAGE,
    ".jsonl": Format.JSONL,
    ".ndjson": Format.JSONL,
}
FORMATS = tuple(SUFFIXES)
HEAD_BYTES = 8192
_READS = "this version reads " + ", ".join(
    (".txt", ".md", ".html", ".docx", ".pdf", ".png", ".jpg", ".tif", ".jsonl")
)
_TEXT_HINT = "rename it to .txt or convert it"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_SIGNATURES = (
    (b"{\\rtf", "an RTF file"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
)
_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"II*\x00", b"MM\x00*")
_NOT_TEXT_SUFFIXES = {
    ".xml": "an XML file",
    ".json": "a JSON file",
    ".rtf": "an RTF file",
    ".eml": "an e-mail",
    ".svg": "an SVG picture",
    ".ipynb": "a notebook",
}
_HTML_START = re.compile(
    rb"^\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html[\s>])", re.I | re.S
)
_XML_START = re.compile(rb"^(?:\xef\xbb\xbf)?\s*<\?xml")
_NAMES = {
    Format.PDF: "a PDF",
    Format.IMAGE: "a picture",
    Format.DOCX: "a Word file",
    Format.HTML: "an HTML page",
    Format.TEXT: "text",
}


def detect_format(path: Path, name: str) -> Format:
    """The format by content first, then by the suffix of ``name``.

    Raises RefusedFileError for a format this version does not read and for a name that lies.
    """
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    suffix = PurePath(name).suffix.lower()
    if b"%PDF-" in head[:1024]:
        return Format.PDF
    if head.startswith(b"PK\x03\x04"):
        return _zip_format(path, name)
    if head.startswith(_OLE):
        raise _old_office(path, name)
    if _is_picture(head):
        return Format.IMAGE
    for signature, what in _SIGNATURES:
        if head.startswith(signature) and not (what == "a program" and looks_like_text(head)):
            raise RefusedFileError(f"{name} is {what}", hint=_READS)
    claimed = SUFFIXES.get(suffix)
    if claimed is Format.PDF or claimed is Format.DOCX or claimed is Format.IMAGE:
        raise _lying_name(name, suffix, claimed, head)
    return _text_format(head, name, suffix, claimed)


def _is_picture(head: bytes) -> bool:
    webp = head.startswith(b"RIFF") and head[8:12] == b"WEBP"
    bitmap = (
        head.startswith(b"BM") and head[6:10] == b"\x00\x00\x00\x00" and head[14:15] in b"\x0c\x28\x6c\x7c"
    )
    return head.startswith(_PICTURES) or webp or bitmap


def _text_format(head: bytes, name: str, suffix: str, claimed: Format | None) -> Format:
    if claimed is not Format.JSONL and _HTML_START.match(head.removeprefix(b"\xef\xbb\xbf")):
        return Format.HTML
    if suffix in _NOT_TEXT_SUFFIXES:
        raise RefusedFileError(f"{name} is {_NOT_TEXT_SUFFIXES[suffix]}", hint=_READS)
    if _XML_START.match(head) and claimed is not Format.HTML:
        raise RefusedFileError(f"{name} is an XML file", hint=_READS)
    if claimed is None and not looks_like_text(head):
        raise RefusedFileError(
            f"{name} is in a format that is not known ({suffix or 'no suffix'})", hint=_READS
        )
    return claimed or Format.TEXT


def _lying_name(name: str, suffix: str, claimed: Format, head: bytes) -> RefusedFileError:
    is_text = looks_like_text(head)
    looks = "text" if is_text else "binary data"
    hint = _TEXT_HINT if is_text else "the file is damaged or has the wrong suffix"
    return RefusedFileError(
        f"{name} is named {suffix} but is not {_NAMES[claimed]} (it looks like {looks})", hint=hint
    )


def _zip_format(path: Path, name: str) -> Format:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise RefusedFileError(
            f"{name} is damaged: its ZIP structure cannot be read", hint="get a complete copy of the file"
        ) from error
    if "word/document.xml" in names:
        return Format.DOCX
    for part, what in (
        ("ppt/", "a PowerPoint file"),
        ("xl/", "an Excel file"),
        ("META-INF/", "an EPUB or ODF file"),
    ):
        if any(entry.startswith(part) for entry in names):
            raise RefusedFileError(f"{name} is {what}", hint=_READS)
    raise RefusedFileError(f"{name} is a ZIP archive without a Word document in it", hint="unpack it first")


def _old_office(path: Path, name: str) -> RefusedFileError:
    with path.open("rb") as file:
        data = file.read(1 << 20)
    if "EncryptedPackage".encode("utf-16-le") in data:
        return RefusedFileError(f"{name} is protected by a password", hint="save a copy without the password")
    return RefusedFileError(
        f"{name} is an old binary Office or Outlook file", hint="save it as .docx or .pdf first; " + _READS
    )
