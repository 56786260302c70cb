# pyright: basic
"""Title, author and dates that a program left in an Office or ODF package."""

from __future__ import annotations

import zipfile

import msgspec

from appliance.documents.safe_xml import local, parse_xml
from appliance.documents.zip_guard import read_part
from appliance.errors import RefusedFileError

_PARTS = ("docProps/core.xml", "meta.xml")
_TITLES_OF_PROGRAMS = frozenset(
    ("PowerPoint Presentation", "Word Document", "PowerPoint 演示文稿", "演示文稿")
)
_AUTHORS_OF_PROGRAMS = frozenset(("openpyxl", "python-docx", "Microsoft Office User", "Unknown", "Author"))


class Properties(msgspec.Struct, frozen=True, kw_only=True):
    """What was found; dates are (value, origin)."""

    title: str = ""
    author: str = ""
    dates: tuple[tuple[str, str], ...] = ()


def package_properties(archive: zipfile.ZipFile) -> Properties:
    """The properties part, empty where there is none or it is damaged. Raises what is in ZIP_ERRORS."""
    data = next(filter(None, (read_part(archive, part) for part in _PARTS)), None)
    if data is None:
        return Properties()
    try:
        root = parse_xml(data, "properties")
    except RefusedFileError:
        return Properties()
    found: dict[str, str] = {}
    for element in root.iter():
        text = " ".join((element.text or "").split()) if isinstance(element.tag, str) else ""
        if text:
            found.setdefault(local(element), text)
    return stated(
        found.get("title", ""),
        found.get("initial-creator") or found.get("creator", ""),
        found.get("modified") or found.get("date", ""),  # a sheet says what was known when it was last saved
        found.get("created") or found.get("creation-date", ""),
    )


def stated(title: str, author: str, *dates: str) -> Properties:
    """Properties without what programs write by themselves."""
    return Properties(
        title="" if title in _TITLES_OF_PROGRAMS else title,
        author="" if author in _AUTHORS_OF_PROGRAMS else author,
        dates=tuple((date[:10], "metadata") for date in dates if date),
    )
