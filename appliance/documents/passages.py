"""A parsed document to passages: cut inside sections, at block and sentence borders, by embedder tokens.

Arrives: a ParsedDocument and the tokenizer's ``count_tokens``. Leaves: PassageDrafts for the store.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from appliance.documents.detect import Format
from appliance.documents.outline import squeeze
from appliance.documents.packing import Unit, pack
from appliance.documents.pieces import Counter, table_units, text_units
from appliance.domain import Block, BlockKind, ParsedDocument, PassageDraft, Section, SectionType

TRAIL_CHARS = 80
"""Each title of a section path is cut to this length."""
CAPTION_CHARS = 160
_CAPTION = re.compile(
    r"^\W{0,3}(?:(?:附?表|表格|table|exhibit|schedule)\s*[\dA-Z一二三四五六七八九十]|单位|單位|金额单位|币种)"
    r"|\(?(?:amounts?|figures|dollars|all amounts)?\s*in (?:thousands|millions|billions)"
    r"|[(（][^()（）]*[元%][)）]$",
    re.IGNORECASE,
)


class _Part:
    """A run of blocks that passages may mix: the prose of one section between its tables, or one table."""

    def __init__(self, path: str, section_type: SectionType, blocks: list[Block], caption: str = "") -> None:
        self.path = path
        self.section_type = section_type
        self.blocks = blocks
        self.caption = caption
        self.units: list[Unit] = []


def cut_passages(
    document: ParsedDocument, count_tokens: Counter, *, min_tokens: int, max_tokens: int
) -> list[PassageDraft]:
    """Passages in reading order, none over ``max_tokens``, none across a section's border.

    A section shorter than ``max_tokens`` is one passage, tables apart; a longer one gives passages of
    ``min_tokens`` or more, cut between blocks, else between sentences, a sentence over the limit by force.
    A table split over passages repeats its caption and header. A JSONL record that fits is one passage.
    """
    count_tokens = _remembering(count_tokens)
    if document.format == Format.JSONL.value:
        whole = _whole(document)
        tokens = count_tokens([whole.text])[0]
        if tokens <= max_tokens:
            return [whole_passage(whole, tokens)] if whole.text else []
    parts = [part for section, leaf in _leaves(document) for part in _parts(section, document, leaf)]
    _fill_units(parts, count_tokens, max_tokens)
    drafts: list[tuple[_Part, list[Unit]]] = []
    for part in parts:
        drafts += [(part, units) for units in pack(part.units, min_tokens, max_tokens)]
    return _counted(drafts, count_tokens, max_tokens)


def _remembering(count_tokens: Counter) -> Counter:
    """``count_tokens`` that is asked about each text once."""
    known: dict[str, int] = {}

    def count(texts: Sequence[str]) -> list[int]:
        fresh = [text for text in dict.fromkeys(texts) if text not in known]
        if fresh:
            known.update(zip(fresh, count_tokens(fresh), strict=True))
        return [known[text] for text in texts]

    return count


def whole_passage(block: Block, tokens: int) -> PassageDraft:
    """One passage of a whole record."""
    return PassageDraft(section_path="", text=block.text, token_count=tokens, kind=block.kind)


def section_path(trail: Sequence[str], title: str) -> str:
    """``A > B > C``; a first title equal to the document's is left out, it stands in front anyway."""
    kept = trail[1:] if trail and squeeze(trail[0]) == squeeze(title) else trail
    return " > ".join(squeeze(name)[:TRAIL_CHARS].rstrip() for name in kept)


def _whole(document: ParsedDocument) -> Block:
    texts: list[str] = []
    for section in document.sections:
        texts += [section.title] if section.title else []
        texts += [block.text for block in section.blocks]
    kinds = {block.kind for section in document.sections for block in section.blocks}
    only = len(kinds) == 1 and not any(section.title for section in document.sections)
    return Block(text="\n\n".join(texts).strip(), kind=kinds.pop() if only else BlockKind.PARAGRAPH)


def _leaves(document: ParsedDocument) -> Iterator[tuple[Section, bool]]:
    """Each section, and whether nothing lies below it."""
    sections = document.sections
    for section, following in zip(sections, [*sections[1:], None], strict=True):
        yield section, following is None or following.level <= section.level


def _parts(section: Section, document: ParsedDocument, leaf: bool) -> list[_Part]:
    path = section_path(section.trail, document.title)
    if not section.blocks:
        # A heading with nothing below it can be the whole message ("Removed: export to fax").
        alone = leaf and squeeze(section.title) != squeeze(document.title)
        return [_Part(path, section.type, [Block(text=section.title)])] if alone else []
    parts: list[_Part] = []
    prose: list[Block] = []
    for block in section.blocks:
        if block.kind is not BlockKind.TABLE:
            prose.append(block)
            continue
        caption = prose.pop().text if prose and _is_caption(prose[-1]) else ""
        if prose:
            parts.append(_Part(path, section.type, prose))
        parts.append(_Part(path, section.type, [block], _table_head(block, caption)))
        prose = _table_notes(block)
    return [*parts, _Part(path, section.type, prose)] if prose else parts


def _table_head(block: Block, caption: str) -> str:
    """What stands over every passage of a table: its caption and unit, each said once."""
    lines = [caption] if caption else []
    if block.table is not None:
        header = block.text.partition("\n")[0]
        for line in (block.table.caption, block.table.unit):
            if line and not any(line in known for known in (*lines, header)):
                lines.append(line)
    return "\n".join(lines)


def _table_notes(block: Block) -> list[Block]:
    """The footnotes of a table as a block of their own."""
    notes = block.table.notes if block.table is not None else ()
    return (
        [Block(text="\n".join(notes), kind=BlockKind.NOTE, page=block.page_last or block.page)]
        if notes
        else []
    )


def _is_caption(block: Block) -> bool:
    return (
        block.kind is BlockKind.PARAGRAPH
        and len(block.text) <= CAPTION_CHARS
        and _CAPTION.search(block.text) is not None
    )


def _fill_units(parts: list[_Part], count_tokens: Counter, max_tokens: int) -> None:
    prose = [part for part in parts if part.blocks[0].kind is not BlockKind.TABLE]
    tables = [part for part in parts if part.blocks[0].kind is BlockKind.TABLE]
    if prose:
        blocks = [block for part in prose for block in part.blocks]
        units = iter(text_units(blocks, count_tokens, max_tokens))
        for part in prose:
            part.units = [unit for _ in part.blocks for unit in next(units)]
    if tables:
        tabled = table_units([(part.blocks[0], part.caption) for part in tables], count_tokens, max_tokens)
        for part, found in zip(tables, tabled, strict=True):
            part.units = found


def _counted(
    drafts: list[tuple[_Part, list[Unit]]], count_tokens: Counter, max_tokens: int
) -> list[PassageDraft]:
    """The drafts with their exact token counts; one that grew over the limit by joining is halved."""
    while True:
        texts = [_text(units) for _, units in drafts]
        counts = [units[0].tokens for _, units in drafts]
        changed = [index for index, (_, units) in enumerate(drafts) if texts[index] != units[0].text]
        if changed:
            for index, count in zip(changed, count_tokens([texts[index] for index in changed]), strict=True):
                counts[index] = count
        grown = {index for index in changed if counts[index] > max_tokens and len(drafts[index][1]) > 1}
        if not grown:
            break
        drafts = [half for index, draft in enumerate(drafts) for half in _halved(draft, index in grown)]
    return [
        _draft(part, units, text, count)
        for (part, units), text, count in zip(drafts, texts, counts, strict=True)
    ]


def _halved(draft: tuple[_Part, list[Unit]], grown: bool) -> list[tuple[_Part, list[Unit]]]:
    part, units = draft
    middle = len(units) // 2
    return [(part, units[:middle]), (part, units[middle:])] if grown else [draft]


def _text(units: Sequence[Unit]) -> str:
    body = "".join(unit.glue + unit.text for unit in units)[len(units[0].glue) :].strip()
    return f"{units[0].lead}\n{body}" if units[0].lead else body


def _draft(part: _Part, units: Sequence[Unit], text: str, tokens: int) -> PassageDraft:
    pages = [unit.page for unit in units if unit.page is not None]
    kinds = {unit.kind for unit in units}
    return PassageDraft(
        section_path=part.path,
        section_type=part.section_type,
        text=text,
        token_count=tokens,
        page_first=min(pages, default=None),
        page_last=max(pages, default=None),
        kind=kinds.pop() if len(kinds) == 1 else BlockKind.PARAGRAPH,
    )
