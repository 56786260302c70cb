"""What gathered passages say against an answer: conflicts found, decided where they can be, and told.

Beside steps, before the answer is written. Arrives: findings and everything that was gathered. Leaves: the
contradictions with both sides and citations, and the findings, in which the side that holds stands in the
place of the other. An undecided conflict is looked up once more first. The language model is asked only where
another document rather bears on the question (:mod:`~appliance.second_sources`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence

import msgspec

from appliance.domain import Claim, ClaimKind, Contradiction, Finding, Passage, Struct
from appliance.evidence.contradict import Conflict, ConflictKind, Entails, Judging, contradictions
from appliance.evidence.frames import frame_of
from appliance.evidence.resolve import DecidedBy, Resolution, resolve, supported
from appliance.evidence.statements import Split, Statement, statements_of
from appliance.evidence.topics import overlap, words_of
from appliance.ports import Embedder
from appliance.relating import quoted_claim
from appliance.second_sources import SecondSources

COMPARED_MAX = 48
"""Statements held against what the findings cite."""
CONTRADICTIONS_MAX = 4
FURTHER_MAX = 2
"""Undecided conflicts that are looked up once more."""
LIKE_MIN = 0.4
"""Share of words that two statements have in common of which the newer overrules the older."""
SHARED_MIN = 2
"""Words that a statement shares with a cited one or with its question, to be looked at."""
_HAN = re.compile("[一-鿿]")
_BARE = re.compile(r"[^\w%.]+")
_YES_NO = {
    "yes": "no",
    "no": "yes",
    "是": "否",
    "否": "是",
    "有": "没有",
    "没有": "有",
    "支持": "不支持",
    "不支持": "支持",
    "可以": "不可以",
    "不可以": "可以",
}


class DisagreeingParts(msgspec.Struct, frozen=True, kw_only=True):
    """What conflicts are found with."""

    split: Split
    head: Judging
    embedder: Embedder | None = None
    """None: only words are held against each other."""
    entails: Entails | None = None
    further: Callable[[str], Sequence[Passage]] | None = None
    """One more retrieval, where nothing decides."""
    second: SecondSources | None = None
    """Asks other documents the same; None: statements alone are compared."""


class Disagreed(Struct, frozen=True, kw_only=True):
    """Findings as they hold, and what stands against them."""

    findings: tuple[Finding, ...]
    contradictions: tuple[Contradiction, ...] = ()
    passages: tuple[Passage, ...] = ()
    """What was read beside the gathered ones."""


class _Anchor(Struct, frozen=True, kw_only=True):
    finding: int
    claim: int
    statement: Statement


class _Settled(Struct, frozen=True, kw_only=True):
    anchor: _Anchor
    conflict: Conflict
    """The anchor is its first side."""
    resolution: Resolution
    further: tuple[Passage, ...] = ()


def disagreements(
    findings: Sequence[Finding],
    gathered: Sequence[Passage],
    parts: DisagreeingParts,
    *,
    final: Container[int] = (),
) -> Disagreed:
    """The findings with the side that holds, and every contradiction, decided or not.

    ``gathered``: passages of the run, best first, those that findings cite among them. ``final``: tasks whose
    results are the answer itself: of those other documents are asked, too.
    """
    anchors = _anchors(findings, gathered, parts.split)
    if not anchors:
        return Disagreed(findings=tuple(findings))
    about = " ".join(dict.fromkeys(findings[each.finding].question for each in anchors))
    compared = _compared(anchors, about, gathered, parts.split)
    found = contradictions(
        compared,
        parts.entails,
        head=parts.head,
        embedder=parts.embedder,
        about=about,
        anchors=[each.statement for each in anchors],
    )
    own = [one for one in anchors if findings[one.finding].task_id in final]
    found += _second(findings, own, found, gathered, parts.second)
    of = {each.statement: each for each in anchors}
    settled: list[_Settled] = []
    for conflict in found[:CONTRADICTIONS_MAX]:
        undecided = sum(each.resolution.chosen is None for each in settled)
        settled.append(_settled(conflict, of[conflict.one], findings, parts, look=undecided < FURTHER_MAX))
    settled = [kept for each in settled if (kept := _overruling(each))]
    return Disagreed(
        findings=_holding(findings, settled),
        contradictions=tuple(_told(each, findings) for each in settled),
        passages=tuple({one.id: one for each in settled for one in each.further}.values()),
    )


# ------------------------------------------------------------ what is compared
def _anchors(findings: Sequence[Finding], gathered: Sequence[Passage], split: Split) -> list[_Anchor]:
    """The statements that findings cite: of a table's row, the cell with the answer."""
    passages = {each.fingerprint: each for each in gathered}
    made: list[_Anchor] = []
    for at, finding in enumerate(findings):
        for number, claim in enumerate(finding.claims if finding.found else ()):
            passage = passages.get(claim.citations[0]) if len(claim.citations) == 1 else None
            if passage is None or claim.kind is not ClaimKind.FACT:
                continue
            quoted = [one for one in statements_of([passage], split) if _quotes(claim, one)]
            cells = [one for one in quoted if one.cell and _gives(one, finding.answer)]
            sentences = [one for one in quoted if not one.cell]
            made.extend(_Anchor(finding=at, claim=number, statement=one) for one in cells or sentences)
    return made


def _quotes(claim: Claim, statement: Statement) -> bool:
    quote = claim.quote or claim.text
    return statement.raw == quote or (len(quote) > 12 and (quote in statement.raw or statement.raw in quote))


def _gives(cell: Statement, answer: str) -> bool:
    """Whether a cell's value is the answer's."""
    bare = _BARE.sub("", answer)
    figures = [each.quantity for each in frame_of(cell).figures]
    return any(_BARE.sub("", each.text) in bare or _digits(each.text) == _digits(answer) for each in figures)


def _digits(text: str) -> str:
    return "".join(re.findall(r"[\d.]", text))


def _compared(
    anchors: Sequence[_Anchor], about: str, gathered: Sequence[Passage], split: Split
) -> list[Statement]:
    """Statements that share words with a cited one or with what is asked, best first.

    Those of the other language are all compared: words do not tell there.
    """
    cited = [words_of(each.statement.text) for each in anchors]
    asked, ranked = words_of(about), list[tuple[float, int, Statement]]()
    chinese = {bool(_HAN.search(each.statement.text)) for each in anchors}
    for number, statement in enumerate(statements_of(gathered, split)):
        words = words_of(statement.text) | words_of(statement.heading)
        shared = max(max((len(words & each) for each in cited), default=0), len(words & asked))
        foreign = bool(_HAN.search(statement.text)) not in chinese
        if shared >= SHARED_MIN or foreign:
            ranked.append((-float(shared), number, statement))
    return [statement for _, _, statement in sorted(ranked, key=lambda each: each[:2])[:COMPARED_MAX]]


def _second(
    findings: Sequence[Finding],
    anchors: Sequence[_Anchor],
    found: Sequence[Conflict],
    gathered: Sequence[Passage],
    second: SecondSources | None,
) -> list[Conflict]:
    """What other documents answer otherwise, asked for findings of one statement that nothing contradicts."""
    if second is None:
        return []
    contradicted = {each.one for each in found}
    made: list[Conflict] = []
    for at, finding in enumerate(findings):
        own = [each.statement for each in anchors if each.finding == at]
        if len(own) == 1 and own[0] not in contradicted:
            made += second.conflicts(finding, own[0], gathered)
    return made


# ------------------------------------------------------------ what holds
def _settled(
    conflict: Conflict, anchor: _Anchor, findings: Sequence[Finding], parts: DisagreeingParts, *, look: bool
) -> _Settled:
    decided = resolve(conflict.one.passage, conflict.other.passage)
    further: tuple[Passage, ...] = ()
    if decided.chosen is None and look and parts.further is not None:
        question = findings[anchor.finding].question
        further = tuple(parts.further(f"{question} {conflict.other.text[:160]}"))
        decided = supported(conflict, statements_of(further, parts.split))
    return _Settled(anchor=anchor, conflict=conflict, resolution=decided, further=further)


def _overruling(each: _Settled) -> _Settled | None:
    """What is decided, where the decision may stand; undecided where both answer one question; or dropped."""
    if _may_overrule(each):
        return each
    return msgspec.structs.replace(each, resolution=Resolution()) if each.conflict.asked else None


def _may_overrule(each: _Settled) -> bool:
    """Whether a decision may stand: age or number alone overrules a found answer only in like words.

    A later cell of another column, a later sentence on a like thing are not the same figure in a newer state.
    """
    if each.resolution.chosen != 1 or each.resolution.by in (DecidedBy.AUTHORITY, DecidedBy.VERSION):
        return True
    one, other = each.conflict.one, each.conflict.other
    shared = overlap(words_of(one.text), words_of(other.text))
    return each.conflict.kind is ConflictKind.FIGURE and not (one.cell or other.cell) and shared >= LIKE_MIN


def _holding(findings: Sequence[Finding], settled: Sequence[_Settled]) -> tuple[Finding, ...]:
    """The findings; a cited statement that another source overrules is replaced by that source's."""
    held = list(findings)
    done: set[tuple[int, int]] = set()
    for each in settled:
        place = (each.anchor.finding, each.anchor.claim)
        if each.resolution.chosen != 1 or place in done:
            continue
        done.add(place)
        held[place[0]] = _replaced(held[place[0]], place[1], each.conflict)
    return tuple(held)


def _replaced(finding: Finding, number: int, conflict: Conflict) -> Finding:
    other = conflict.other
    claims = list(finding.claims)
    claims[number] = quoted_claim(other.text, other.passage, quote=other.raw)
    answer = finding.answer
    if conflict.kind is ConflictKind.FIGURE:
        answer = answer.replace(conflict.values[0], conflict.values[1])
        answer = conflict.values[1] if answer == finding.answer else answer
    else:
        answer = _YES_NO.get(answer.strip().casefold(), other.text)
    return msgspec.structs.replace(finding, claims=tuple(claims), answer=answer)


def _told(each: _Settled, findings: Sequence[Finding]) -> Contradiction:
    conflict, resolution = each.conflict, each.resolution
    sides = tuple(
        quoted_claim(one.text, one.passage, quote=one.raw) for one in (conflict.one, conflict.other)
    )
    return Contradiction(
        about=findings[each.anchor.finding].question,
        sides=sides,
        values=conflict.values if conflict.kind is ConflictKind.FIGURE else (),
        resolved=resolution.chosen is not None,
        by=resolution.by.value if resolution.by else "",
        chosen=resolution.chosen,
    )


# ------------------------------------------------------------ how it is said
def note(contradiction: Contradiction, dates: Sequence[str], language: str) -> str:
    """One sentence with both sides, in the language of the question; ``dates``: of the two sources, or "".

    A decided conflict names the side that holds first and says why.
    """
    order = (1, 0) if contradiction.chosen == 1 else (0, 1)
    zh = language == "zh"
    first, second = (_side(contradiction.sides[at], dates[at], zh) for at in order)
    if not contradiction.resolved:
        return f"各来源说法不一：{first}；而{second}。" if zh else f"Sources disagree: {first}; but {second}."
    why = _WHY[contradiction.by][zh]
    return (
        f"以{first}为准（{why}）；{second}已被取代。"
        if zh
        else f"{first} holds ({why}); superseded: {second}."
    )


_WHY = {
    "authority": ("the more authoritative source", "来源效力更高"),
    "date": ("the newer source", "来源更新"),
    "version": ("the later version", "版本更新"),
    "support": ("confirmed by a further source", "另有来源印证"),
}


def _side(claim: Claim, date: str, zh: bool) -> str:
    when = (f"（{date}）" if zh else f" ({date})") if date else ""
    text = claim.text.rstrip("。. ")
    return f"“{text}”{when}"


def with_other_values(short: str, contradictions_: Sequence[Contradiction]) -> str:
    """The bare result with the figures of undecided conflicts beside it."""
    for each in contradictions_:
        if not each.resolved and len(each.values) == 2 and each.values[1] not in short:
            short = f"{short}; {each.values[1]}" if short else each.values[1]
    return short
