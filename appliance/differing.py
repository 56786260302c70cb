"""What changed between two versions, as a finding: each change a claim that cites both versions' passages.

Beside steps, above the rooms. Arrives: a task that names versions, the documents that a search brought.
Leaves: the comparison; and a finding whose claims are verified like every other, the most relevant first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from appliance.answers.find import Dropped, proof_text
from appliance.answers.verify import unsupported
from appliance.comparing import Compared, Comparer
from appliance.documents import split_sentences
from appliance.documents.diff import SectionChange
from appliance.documents.inline import Piece, plain
from appliance.documents.text_diff import TextChange
from appliance.domain import (
    Claim,
    ClaimKind,
    DocumentId,
    Finding,
    Passage,
    Scope,
    Struct,
    VersionPair,
)
from appliance.ports import Embedder
from appliance.reasoning.editions import Edition, Pair, base_title, pair_of
from appliance.reasoning.section_named import names_section

CLAIMS_MAX = 6
RANKED_MAX = 60
"""Changes that are held against the question; a rewritten document has hundreds."""
QUOTE_CHARS, SHORT_CHARS = 320, 60
PROBE_CHARS = 40
_UNIT = re.compile(r"[一-鿿%]{1,2}|\s?[A-Za-z%°]+")


class Change(Struct, frozen=True, kw_only=True):
    """One paragraph, item or table row that differs."""

    where: str
    """Its section's own title."""
    old: str
    """Empty: it is new."""
    new: str
    """Empty: it is gone."""
    short: str
    """The words that changed: ``72 hours → 24 hours``."""
    before: tuple[Passage, ...]
    after: tuple[Passage, ...]


class Difference(Struct, frozen=True, kw_only=True):
    """Two versions compared for a task."""

    older: Edition
    newer: Edition
    compared: Compared
    changes: tuple[Change, ...]
    """Of the section asked for, else all; in reading order."""
    section: tuple[Passage, ...] = ()
    """Passages of the section asked for, of both versions; empty where none was named."""


class Differ:
    """Differences within what the asker may read."""

    def __init__(self, comparer: Comparer, embedder: Embedder, scope: Scope) -> None:
        """``scope``: of the asker, in the run's collection."""
        self._comparer, self._embedder, self._scope = comparer, embedder, scope

    def likely_name(self, wanted: VersionPair, documents: Sequence[DocumentId]) -> str:
        """What to search other editions by: the document's name, else the first one's title without label."""
        if wanted.document:
            return wanted.document
        editions = self._comparer.editions(documents[:1], self._scope)
        return base_title(editions[0].title) if editions else ""

    def difference(
        self, wanted: VersionPair, asked: str, documents: Sequence[DocumentId]
    ) -> Difference | str:
        """The comparison; a string that says why there is none."""
        editions = self._comparer.editions(documents, self._scope)
        pair = pair_of(wanted, asked, editions)
        if pair is None:
            return "no two versions of it are in the collection"
        compared = self._comparer.side_by_side(*_places(pair), self._scope)
        changes = compared.changes
        inside: tuple[Passage, ...] = ()
        if wanted.section:
            inside = tuple(
                passage
                for side in (compared.old, compared.new)
                for passage in side.passages
                if _within(wanted.section, passage.section_path) or _begins(wanted.section, passage.text)
            )
            if not inside:
                return f"neither version has {wanted.section}"
            changes = tuple(one for one in changes if _concerns(wanted.section, one))
        told = [made for each in changes for made in _changes(each, compared, wanted.section)]
        return Difference(
            older=pair.older, newer=pair.newer, compared=compared, changes=tuple(told), section=inside
        )

    def finding(
        self, difference: Difference, task_id: int, asked: str, *, chinese: bool, dropped: Dropped
    ) -> Finding:
        """The changes as claims, those nearest to the question first where no section is named."""
        chosen = list(difference.changes)
        if not chosen:
            return self._unchanged(difference, task_id, asked, chinese=chinese)
        if len(chosen) > CLAIMS_MAX or not difference.section:
            chosen = self._nearest(chosen, asked)
        claims: list[Claim] = []
        shorts: list[str] = []
        for change in chosen:
            if (claim := _claim(change, chinese=chinese, dropped=dropped)) is not None:
                claims.append(claim)
                shorts.append(change.short)
            if len(claims) == CLAIMS_MAX:
                break
        if not claims:
            missing = f"{asked} — the versions differ, but no change could be proven from its passages"
            return Finding(task_id=task_id, question=asked, found=False, missing=missing)
        answer = "; ".join(dict.fromkeys(shorts[:3]))
        return Finding(task_id=task_id, question=asked, found=True, answer=answer, claims=tuple(claims))

    def _nearest(self, changes: list[Change], asked: str) -> list[Change]:
        held = changes[:RANKED_MAX]
        texts = [f"{one.where}: {one.old} {one.new}" for one in held]
        closeness = self._embedder.embed_passages(texts) @ self._embedder.embed_queries([asked])[0]
        order = sorted(range(len(held)), key=lambda at: -float(closeness[at]))
        return [held[at] for at in order]

    def _unchanged(self, difference: Difference, task_id: int, asked: str, *, chinese: bool) -> Finding:
        both = difference.section or (
            *difference.compared.old.passages[:1],
            *difference.compared.new.passages[:1],
        )
        text = "两个版本内容相同，没有变化。" if chinese else "both versions say the same: nothing changed."
        marks = tuple(dict.fromkeys(one.fingerprint for one in both))
        claim = Claim(text=text, kind=ClaimKind.INFERENCE, citations=marks)
        answer = "没有变化" if chinese else "no change"
        return Finding(task_id=task_id, question=asked, found=True, answer=answer, claims=(claim,))


def _places(pair: Pair) -> tuple[tuple[DocumentId, int], tuple[DocumentId, int]]:
    return (pair.older.document, pair.older.version), (pair.newer.document, pair.newer.version)


def _within(section: str, path: str) -> bool:
    return any(names_section(section, part) for part in path.split(" > "))


def _begins(section: str, text: str) -> bool:
    return any(names_section(section, line) for line in text.split("\n"))


def _is_of(section: str, change: SectionChange) -> bool:
    """Whether the changed section lies in the named one, in either version."""
    paths = (change.section, change.old_section, change.new_section)
    return any(path and _within(section, path) for path in paths)


def _concerns(section: str, change: SectionChange) -> bool:
    if _is_of(section, change):
        return True
    return any(names_section(section, side) for text in change.texts for side in (text.old, text.new) if side)


def _changes(change: SectionChange, compared: Compared, section: str) -> list[Change]:
    """The paragraphs and rows of a section that differ, with the passages that hold them."""
    before = [one for one in compared.old.passages if one.fingerprint in change.old_fingerprints]
    after = [one for one in compared.new.passages if one.fingerprint in change.new_fingerprints]
    where = change.section.rpartition(" > ")[2]
    whole = not section or _is_of(section, change)
    texts = [
        one for one in change.texts if whole or any(names_section(section, s) for s in (one.old, one.new))
    ]
    made = [_of_text(one, where, before, after) for one in texts if one.change != "moved"]
    made += [
        _of_row(row.row, cell.column, (cell.old, cell.new), where, before, after)
        for table in change.tables
        for row in table.rows
        if row.change == "changed"
        for cell in row.cells
    ]
    return [one for one in made if one.old or one.new]


def _of_text(text: TextChange, where: str, before: list[Passage], after: list[Passage]) -> Change:
    old, new = _differing(text.old, text.new)
    gone, came = _words(text.pieces, "delete"), _words(text.pieces, "insert")
    short = f"{gone} → {came}" if gone and came and len(gone) + len(came) <= SHORT_CHARS else ""
    return Change(
        where=where,
        old=old,
        new=new,
        short=short or _cut(new or old),
        before=_holding(before, text.old),
        after=_holding(after, text.new),
    )


def _words(pieces: Sequence[Piece], op: str) -> str:
    """What one side has alone; a figure with the unit behind it."""
    kept: list[str] = []
    for at, piece in enumerate(pieces):
        if piece.op != op or not piece.text.strip():
            continue
        own = piece.text.strip()
        after = next((one.text for one in pieces[at + 1 :] if one.op == "equal"), "")
        unit = _UNIT.match(f" {after}" if piece.text[-1].isspace() else after)
        kept.append(f"{own}{unit.group()}" if unit and own[-1].isdigit() else own)
    return " ".join(kept)


def _of_row(
    row: str, column: str, cells: tuple[str, str], where: str, before: list[Passage], after: list[Passage]
) -> Change:
    old, new = cells
    name = f"{where} — {row}, {column}" if where else f"{row}, {column}"
    return Change(
        where=name,
        old=old,
        new=new,
        short=f"{row}: {old} → {new}",
        before=_holding(before, row),
        after=_holding(after, row),
    )


def _differing(old: str, new: str) -> tuple[str, str]:
    """The sentences of each side that the other does not have; all of it where only one side is there."""
    sides = [split_sentences(side) for side in (old, new)]
    kept = [
        [one for one in mine if plain(one) not in {plain(each) for each in other}]
        for mine, other in (sides, sides[::-1])
    ]
    return _cut(_joined(kept[0]), QUOTE_CHARS), _cut(_joined(kept[1]), QUOTE_CHARS)


def _joined(sentences: Sequence[str]) -> str:
    return " ".join(" ".join(one.split()) for one in sentences)


def _cut(text: str, most: int = 2 * SHORT_CHARS) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _holding(passages: list[Passage], text: str) -> tuple[Passage, ...]:
    """The passage that holds a text's beginning; the first of the section where none does."""
    probe = "".join(plain(text).split())[:PROBE_CHARS]
    holding = [one for one in passages if probe and probe in "".join(plain(one.text).split())]
    return tuple((holding or passages)[:1])


def _claim(change: Change, *, chinese: bool, dropped: Dropped) -> Claim | None:
    """The change in words, cited on both sides; None where its passages do not hold it."""
    cited = (*change.before, *change.after)
    if not cited:
        return None
    held = "\n".join(proof_text(one) for one in cited)
    absent: list[str] = []
    text = ""
    for where in dict.fromkeys((change.where, "")):
        text = (_chinese if chinese else _english)(where, change.old, change.new)
        if not (absent := unsupported(text, held)):
            marks = tuple(dict.fromkeys(one.fingerprint for one in cited))
            return Claim(text=text, kind=ClaimKind.FACT, citations=marks, quote=_quote(change))
    dropped(text, absent)
    return None


def _quote(change: Change) -> str:
    """A sentence of the first cited passage, word for word."""
    return (change.old if change.before else change.new).rstrip("…")


def _english(where: str, old: str, new: str) -> str:
    head = f"{where}: " if where else ""
    if old and new:
        return f"{head}before: “{old}”; now: “{new}”."
    return f"{head}added: “{new}”." if new else f"{head}removed: “{old}”."


def _chinese(where: str, old: str, new: str) -> str:
    head = f"{where}：" if where else ""
    if old and new:
        return f"{head}原为“{old}”；现为“{new}”。"
    return f"{head}新增“{new}”。" if new else f"{head}删去“{old}”。"
