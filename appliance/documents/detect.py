"""The format of a file: first bytes and a name arrive, a format that has a parser leaves, or a refusal."""

from __future__ import annotations

import mmap
import re
import zipfile
import zlib
from enum import StrEnum
from pathlib import Path, PurePath

from appliance.documents.charset import looks_like_text
from appliance.documents.zip_guard import ZIP_ERRORS
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
    XLSX = "xlsx"
    XLS = "xls"
    ODS = "ods"
    CSV = "csv"
    PPTX = "pptx"
    EML = "eml"
    EPUB = "epub"
    JATS = "jats"
    ZIP = "zip"
    TAR = "tar"
    COMPRESSED = "compressed"
    """One file in gzip, bzip2 or xz; a tar in any of them is TAR."""


CONTAINERS = frozenset((Format.ZIP, Format.TAR, Format.COMPRESSED))
"""Files that are only what is in them."""
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
    ".xlsx": Format.XLSX,
    ".xlsm": Format.XLSX,
    ".xls": Format.XLS,
    ".ods": Format.ODS,
    ".csv": Format.CSV,
    ".tsv": Format.CSV,
    ".tab": Format.CSV,
    ".pptx": Format.PPTX,
    ".pptm": Format.PPTX,
    ".eml": Format.EML,
    ".epub": Format.EPUB,
    ".nxml": Format.JATS,
    ".zip": Format.ZIP,
    ".tar": Format.TAR,
    ".tgz": Format.TAR,
}
FORMATS = tuple(SUFFIXES)
HEAD_BYTES = 8192
_READS = (
    "this version reads .txt, .md, .html, .docx, .pdf, .xlsx, .xls, .ods, .csv, .pptx, .eml, .epub, .jsonl,"
    " JATS .xml, pictures (.png, .jpg, .tif …), and .zip and .tar archives of them"
)
_TEXT_HINT = "rename it to .txt or convert it"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_SIGNATURES = (
    (b"{\\rtf", "an RTF file"),
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
    Format.XLSX: "an Excel file",
    Format.XLS: "an old Excel file",
    Format.ODS: "an OpenDocument spreadsheet",
    Format.PPTX: "a PowerPoint file",
    Format.EPUB: "an EPUB book",
    Format.ZIP: "a ZIP archive",
    Format.TAR: "a tar archive",
}
"""Formats that are never text: a name that claims one must be right."""
_COMPRESSED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00")
_TAR_MARK_AT = 257
_ROOT = re.compile(r"<(?![?!])(?:\w+:)?(\w+)")
_MAIL_HEADER = re.compile(
    rb"\A(?:[!-9;-~]+:[^\n]*\n(?:[ \t][^\n]*\n)*)*?"
    rb"(?:message-id|mime-version|received|return-path|dkim-signature):",
    re.I,
)
_PARTS = (
    ("word/document.xml", Format.DOCX),
    ("xl/workbook.xml", Format.XLSX),
    ("xl/workbook.bin", Format.XLSX),
    ("ppt/presentation.xml", Format.PPTX),
    ("META-INF/container.xml", Format.EPUB),
)
_ODF = "application/vnd.oasis.opendocument."


def detect_format(path: Path, name: str) -> Format:
    """The format by content first, then by the suffix of ``name``.

    Raises RefusedFileError for a format this version does not read and for a name that lies.
    """
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    suffix = PurePath(name).suffix.lower()
    claimed = SUFFIXES.get(suffix)
    if b"%PDF-" in head[:1024]:
        return Format.PDF
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip_format(path, name, claimed)
    if head.startswith(_OLE):
        return _old_office(path, name)
    if _is_picture(head):
        return Format.IMAGE
    if head.startswith(_COMPRESSED):
        return Format.TAR if is_tar(path) else Format.COMPRESSED
    if head[_TAR_MARK_AT:].startswith(b"ustar"):
        return Format.TAR
    for signature, what in _SIGNATURES:
        if head.startswith(signature) and not (what == "a program" and looks_like_text(head)):
            raise RefusedFileError(f"{name} is {what}", hint=_READS)
    if claimed is not None and claimed in _NAMES:
        raise _lying_name(name, suffix, claimed, head)
    return _text_format(head, name, suffix, claimed)


def _is_picture(head: bytes) -> bool:
    webp = head.startswith(b"RIFF") and head[8:12] == b"WEBP"
    bitmap = (
        head.startswith(b"BM") and head[6:10] == b"\x00\x00\x00\x00" and head[14:15] in b"\x0c\x28\x6c\x7c"
    )
    return head.startswith(_PICTURES) or webp or bitmap


def is_tar(path: Path) -> bool:
    """Whether a compressed file holds a tar archive: its first block is unpacked and looked at."""
    import bz2
    import gzip
    import lzma

    for module in (gzip, bz2, lzma):
        try:
            with module.open(path, "rb") as file:
                return file.read(512)[_TAR_MARK_AT:].startswith(b"ustar")
        except (OSError, EOFError, lzma.LZMAError, ValueError, zlib.error):
            continue
    return False


def _text_format(head: bytes, name: str, suffix: str, claimed: Format | None) -> Format:
    if claimed not in (Format.JSONL, Format.EML, Format.CSV) and _HTML_START.match(
        head.removeprefix(b"\xef\xbb\xbf")
    ):
        return Format.HTML
    if claimed is Format.JATS or (
        claimed is not Format.HTML and (suffix == ".xml" or _XML_START.match(head))
    ):
        return _xml_format(head, name)
    if suffix in _NOT_TEXT_SUFFIXES:
        raise RefusedFileError(f"{name} is {_NOT_TEXT_SUFFIXES[suffix]}", hint=_READS)
    if claimed is None and _MAIL_HEADER.match(head):
        return Format.EML
    if claimed is None and not looks_like_text(head):
        raise RefusedFileError(
            f"{name} is in a format that is not known ({suffix or 'no suffix'})", hint=_READS
        )
    return claimed or Format.TEXT


def _xml_format(head: bytes, name: str) -> Format:
    text = head.decode("utf-16" if head.startswith((b"\xff\xfe", b"\xfe\xff")) else "latin-1", "ignore")
    root = _ROOT.search(re.sub(r"<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>", "", text, flags=re.S))
    if root is None or root[1] not in ("article", "pmc-articleset"):
        found = f" (<{root[1]}>)" if root else ""
        raise RefusedFileError(
            f"{name} is an XML file{found}", hint="of XML, JATS articles are read; " + _READS
        )
    return Format.JATS


def _lying_name(name: str, suffix: str, claimed: Format, head: bytes) -> RefusedFileError:
    is_text = looks_like_text(head)
    looks = "text" if is_text else "binary data"
    hint = _TEXT_HINT if is_text else "the file is damaged or has the wrong suffix"
    return RefusedFileError(
        f"{name} is named {suffix} but is not {_NAMES[claimed]} (it looks like {looks})", hint=hint
    )


def _zip_format(path: Path, name: str, claimed: Format | None) -> Format:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            kind = archive.read("mimetype")[:200].decode("latin-1") if "mimetype" in names else ""
    except (*ZIP_ERRORS, OSError) as error:
        raise RefusedFileError(
            f"{name} is damaged: its ZIP structure cannot be read", hint="get a complete copy of the file"
        ) from error
    if kind.startswith(_ODF):
        if kind.startswith(_ODF + "spreadsheet"):
            return Format.ODS
        raise RefusedFileError(f"{name} is an OpenDocument file of another kind", hint=_READS)
    for part, format_ in _PARTS:
        if part in names:
            return format_
    if claimed is not None and claimed in _NAMES and claimed not in CONTAINERS:
        raise RefusedFileError(
            f"{name} is a ZIP archive, but not {_NAMES[claimed]}",
            hint="rename it to .zip to take in what is in it",
        )
    return Format.ZIP


def _old_office(path: Path, name: str) -> Format:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        found = {stream: data.find(stream.encode("utf-16-le")) >= 0 for stream in _STREAMS}
    if found["EncryptedPackage"]:
        raise RefusedFileError(f"{name} is protected by a password", hint="save a copy without the password")
    if found["__substg1.0_"]:
        raise RefusedFileError(f"{name} is an Outlook message", hint="save it as .eml first")
    if found["Workbook"] or PurePath(name).suffix.lower() == ".xls":
        return Format.XLS
    raise RefusedFileError(
        f"{name} is an old binary Office or Outlook file",
        hint="save it as .docx, .pptx or .pdf first; " + _READS,
    )


_STREAMS = ("EncryptedPackage", "__substg1.0_", "Workbook")
"""Names of streams in an OLE file that tell what it is."""
