# pyright: basic
"""The shapes of a slide: their reading order, and what each says: paragraphs, lists, tables, charts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from appliance.documents.charset import clean_text
from appliance.documents.chart_tables import chart_tables
from appliance.documents.outline import squeeze
from appliance.documents.safe_xml import descendants, parse_xml
from appliance.documents.table_headers import header_column_count, header_row_count, tidy_rows, without_title
from appliance.domain import BlockKind, Table

Found = tuple[BlockKind, str] | Table
"""Text of a kind, or a table."""
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_ROW_EMU = 228_600
"""Shapes whose tops differ by less (a quarter inch) stand on one line."""
MAX_DEPTH = 20
MAX_SHAPES = 5_000
_FURNITURE = frozenset(("DATE", "FOOTER", "SLIDE_NUMBER", "HEADER"))


def reading_order(shapes: Any) -> list[Any]:
    """All shapes that are no group, those of groups in their place: top to bottom, left to right."""
    return [shape for _, shape in sorted(_placed(shapes, 0), key=lambda pair: pair[0])][:MAX_SHAPES]


def _placed(shapes: Any, depth: int) -> list[tuple[tuple[int, int, int], Any]]:
    """((line, left, rank), shape); the shapes of a group stand together where the group stands."""
    found: list[tuple[tuple[int, int, int], Any]] = []
    for number, shape in enumerate(shapes):
        if number >= MAX_SHAPES:
            break
        place = ((shape.top or 0) // _ROW_EMU, shape.left or 0)
        if shape.shape_type is not None and shape.shape_type.name == "GROUP":
            inner = (
                sorted(_placed(shape.shapes, depth + 1), key=lambda pair: pair[0])
                if depth < MAX_DEPTH
                else []
            )
            found += [((*place, rank), member) for rank, (_, member) in enumerate(inner)]
        else:
            found.append(((*place, 0), shape))
    return found


def shape_blocks(shape: Any) -> Iterator[Found]:
    """What one shape says, in order; nothing for footers, page numbers and decoration."""
    if getattr(shape, "is_placeholder", False) and _placeholder(shape) in _FURNITURE:
        return
    if getattr(shape, "has_table", False):
        yield _table(shape.table)
    elif getattr(shape, "has_chart", False):
        yield from chart_tables(shape.chart._chartSpace)
    elif shape.has_text_frame:
        yield from _text(shape)
    elif (words := _diagram(shape)) or (words := _alternative_text(shape)):
        yield (BlockKind.FIGURE, words)


def _placeholder(shape: Any) -> str:
    kind = shape.placeholder_format.type
    return kind.name if kind is not None else ""


def _text(shape: Any) -> Iterator[Found]:
    paragraphs = [(p, clean_text(p.text).strip()) for p in shape.text_frame.paragraphs]
    paragraphs = [(paragraph, text) for paragraph, text in paragraphs if text]
    in_body = getattr(shape, "is_placeholder", False) and _placeholder(shape) in (
        "BODY",
        "OBJECT",
        "VERTICAL_BODY",
    )
    bulleted = [_is_bullet(paragraph, in_body and len(paragraphs) > 1) for paragraph, _ in paragraphs]
    items: list[str] = []
    for (paragraph, text), bullet in zip(paragraphs, bulleted, strict=True):
        if bullet:
            items.append("  " * paragraph.level + "- " + squeeze(text))
            continue
        if items:
            yield (BlockKind.LIST, "\n".join(items))
            items = []
        yield (BlockKind.PARAGRAPH, text)
    if items:
        yield (BlockKind.LIST, "\n".join(items))


def _is_bullet(paragraph: Any, by_default: bool) -> bool:
    """Whether a paragraph is a list item; in a body placeholder the master gives the bullets."""
    properties = paragraph._p.pPr
    if properties is None:
        return by_default
    if properties.find(_A + "buNone") is not None:
        return False
    marked = any(properties.find(_A + tag) is not None for tag in ("buChar", "buAutoNum", "buBlip"))
    return marked or by_default or paragraph.level > 0


def _table(table: Any) -> Table:
    cells = [list(row.cells) for row in table.rows]
    texts = [[clean_text(cell.text).strip() for cell in row] for row in cells]
    for top, row in enumerate(cells):
        for left, cell in enumerate(row):
            if cell.is_merge_origin:
                for line in texts[top : top + cell.span_height]:
                    line[left : left + cell.span_width] = [texts[top][left]] * len(
                        line[left : left + cell.span_width]
                    )
    title, rows = without_title(tidy_rows(texts))
    header = header_row_count(rows, says_so=table.first_row)
    return Table(rows=rows, header_rows=header, header_columns=header_column_count(rows), caption=title)


def _diagram(shape: Any) -> str:
    """The texts of a SmartArt diagram, one a line."""
    data = next((e for e in shape._element.iter() if e.tag == _DIAGRAM), None)
    if data is None:
        return ""
    part = shape.part.related_part(data.get(_R + "dm"))
    points = descendants(parse_xml(part.blob, "diagram"), "pt")
    lines = ("".join(text.text or "" for text in point.iter(_A + "t")).strip() for point in points)
    return "\n".join(line for line in lines if line)


def _alternative_text(shape: Any) -> str:
    """What the author wrote for those who cannot see a picture; file names and the like left out."""
    properties = next(descendants(shape._element, "cNvPr"), None)
    words = squeeze(clean_text(properties.get("descr") or "")) if properties is not None else ""
    return words if " " in words or any(ord(character) > 0x2E80 for character in words) else ""
