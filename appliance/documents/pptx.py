# pyright: basic
"""PowerPoint: a section per slide, its shapes in reading order, tables and charts as cells, speaker notes.

python-pptx opens the package; what it lacks (diagrams) is read as XML.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from appliance.documents.authors import split_names
from appliance.documents.charset import clean_text
from appliance.documents.detect import Format
from appliance.documents.outline import About, Outline, squeeze
from appliance.documents.package_properties import stated
from appliance.documents.pptx_shapes import reading_order, shape_blocks
from appliance.documents.zip_guard import ZIP_ERRORS, damaged, guard_archive
from appliance.domain import BlockKind, ParsedDocument
from appliance.errors import RefusedFileError

_WHAT = "a PowerPoint file"


def parse_pptx(path: Path, name: str, max_slides: int) -> ParsedDocument:
    """The slides of a presentation. Raises RefusedFileError (damaged, too many slides, no text)."""
    guard_archive(path, name, _WHAT)
    presentation = _opened(path, name)
    outline = Outline()
    warnings: list[str] = []
    try:
        slides = list(presentation.slides)
    except (*ZIP_ERRORS, AttributeError, TypeError) as error:
        raise damaged(name, _WHAT) from error
    if len(slides) > max_slides:
        raise RefusedFileError(f"{name} has {len(slides)} slides", hint="split it or raise ingest.max_pages")
    for number, slide in enumerate(slides, 1):
        try:
            _read_slide(slide, number, outline, warnings)
        except (*ZIP_ERRORS, AttributeError, TypeError) as error:
            warnings.append(f"slide {number} was not read whole: {_why(error)}")
    return outline.document(_about(presentation, name, len(slides), warnings))


def _opened(path: Path, name: str) -> Any:
    import pptx
    from lxml.etree import LxmlError
    from pptx.exc import PythonPptxError

    try:
        return pptx.Presentation(str(path))
    except (PythonPptxError, LxmlError, *ZIP_ERRORS, OSError, AttributeError, TypeError) as error:
        raise damaged(name, _WHAT) from error


def _read_slide(slide: Any, number: int, outline: Outline, warnings: list[str]) -> None:
    title = slide.shapes.title
    words = squeeze(clean_text(title.text_frame.text)) if title is not None and title.has_text_frame else ""
    shapes = reading_order(slide.shapes)
    outline.heading(1, words or f"Slide {number}")
    for shape in shapes:
        if title is not None and shape.shape_id == title.shape_id:
            continue
        try:
            for block in shape_blocks(shape):
                if isinstance(block, tuple):
                    outline.block(clean_text(block[1]), block[0], number)
                else:
                    outline.table(block, number)
        except (*ZIP_ERRORS, AttributeError, TypeError) as error:
            warnings.append(f"slide {number}: a shape was not read ({_why(error)})")
    if slide.has_notes_slide:
        frame = slide.notes_slide.notes_text_frame
        outline.block(clean_text(frame.text) if frame is not None else "", BlockKind.NOTE, number)
    if slide._element.get("show") == "0":
        warnings.append(f"slide {number} is hidden in the file and was read all the same")


def _why(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:120]


def _about(presentation: Any, name: str, slides: int, warnings: list[str]) -> About:
    core = presentation.core_properties
    dates = [_property(core, "created"), _property(core, "modified")]
    found = stated(
        str(_property(core, "title") or ""),
        str(_property(core, "author") or ""),
        *(date.date().isoformat() for date in dates if date is not None and date.year > 2013),
    )
    return About(
        name=name,
        format=Format.PPTX,
        title=found.title,
        title_from="metadata",
        filed_dates=found.dates,
        authors=split_names(found.author),
        authors_from="metadata" if found.author else "",
        meta={"author": found.author} if found.author else {},
        pages=slides,
        warnings=warnings,
    )


def _property(core: Any, key: str) -> Any:
    try:
        return getattr(core, key)
    except (ValueError, KeyError, AttributeError):
        return None
