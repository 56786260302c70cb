"""Guidance read: what a person says to a run while it works arrives, a :class:`Guidance` leaves. No model.

``look in the 2023 report`` · ``ignore news`` · 只看2023年的年报 · ``the product is called X2``. Each
clause is read by itself: how binding it is, the days and the kinds of documents it names, the title that is
left. What points at no document is taken along as words to search with.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

import msgspec

from appliance.domain import (
    Comparison,
    Condition,
    ConstraintKind,
    Filters,
    Guidance,
    Reading,
    Struct,
    TimeRange,
    Way,
    Wish,
    WishAim,
)
from appliance.understanding import guidance_words as words
from appliance.understanding.fold import fold

Read = Callable[[str], Reading]
_QUOTED = re.compile(
    r"《[^《》]{1,80}》|「[^」]{1,80}」|“[^“”]{1,80}”|\"[^\"]{1,80}\"|(?<!\w)'[^']{2,80}'(?!\w)"
)
_BREAK = re.compile(
    r"[。！？；;\n]+|[.!?]+(?=\s|$)|[,，]\s*|\s+(?:but|and\s+then|then)\s+|"
    r"\s+and\s+(?=(?:please\s+)?(?:ignore|skip|exclude|avoid|use|look|check|see|search|focus|do\s+not|don['’]?t|only|"
    r"leave|disregard|read)\b)|"
    r"(?:但是?|而且|并且|同时|另外|然后|并)(?=[^，。]*(?:看|查|用|找|忽略|排除|参考|管|只))",
    re.IGNORECASE,
)
_LIST = re.compile(r"\s*(?:,|、|，|/|\band\b|\bor\b|和|与|及|以及|或者?|跟)\s*", re.IGNORECASE)
_HAN = re.compile(r"[㐀-鿿]")
_SHORT_WORDS, _SHORT_HAN = 4, 8
"""A clause without a verb of its own and not longer than this goes on with the list before it."""
_MOST_YEARS = 6


class _Clause(Struct, frozen=True, kw_only=True):
    aim: WishAim | None
    text: str
    object: str


def read_guidance(text: str, *, read: Read) -> Guidance:
    """What the words ask for; ``read`` is the reader of questions, for days, quotations and key words."""
    squeezed = " ".join(text.split())
    wishes: list[Wish] = []
    terms: list[str] = []
    wanted: list[str] = []
    unwanted: list[str] = []
    notices: list[str] = []
    kinds = {kind.name for kind in words.source_kinds()}
    for clause in _clauses(squeezed, read):
        reading = read(clause.object)
        notices.extend(reading.notices)
        rest, collections = _collections(clause)
        (unwanted if clause.aim is WishAim.AVOID else wanted).extend(collections)
        if clause.aim is None:
            terms.extend(_terms(reading))
            continue
        found = _wishes(msgspec.structs.replace(clause, object=rest), read) if rest else []
        wishes.extend(found)
        if clause.aim is not WishAim.AVOID:
            terms.extend(name for wish in found for name in wish.names if name not in kinds)
    return Guidance(
        text=squeezed,
        wishes=tuple(wishes),
        terms=tuple(dict.fromkeys(terms)),
        collections=tuple(dict.fromkeys(wanted)),
        avoided_collections=tuple(dict.fromkeys(unwanted)),
        notices=tuple(dict.fromkeys(notices)),
    )


# ---------------------------------------------------------------- clauses
def _clauses(text: str, read: Read) -> list[_Clause]:
    found: list[_Clause] = []
    for piece in _pieces(text):
        clause = _clause(piece)
        if clause.aim is None and found and found[-1].aim is not None and _goes_on(piece):
            before = found[-1]
            clause = _Clause(aim=before.aim, text=before.text, object=_trimmed(piece))
        elif clause.aim is None and (source := _source(piece, read)):
            clause = _Clause(aim=WishAim.PREFER, text=piece, object=source)
        found.append(clause)
    return [clause for clause in found if clause.object]


def _pieces(text: str) -> list[str]:
    """The text cut at its breaks, but never inside a quotation."""
    quoted = [match.span() for match in _QUOTED.finditer(text)]
    cuts = [
        match.span()
        for match in _BREAK.finditer(text)
        if not any(low < match.end() and match.start() < high for low, high in quoted)
    ]
    edges = [(0, 0), *cuts, (len(text), len(text))]
    return [piece for a, b in pairwise(edges) if (piece := text[a[1] : b[0]].strip())]


def _clause(piece: str) -> _Clause:
    folded = fold(piece)
    plain = words.NOT_ONLY.sub(lambda match: " " * len(match.group()), folded)
    besides = plain != folded
    piece = words.NOT_ONLY.sub(lambda match: " " * len(match.group()), piece)
    if (avoided := _avoided(piece, plain)) is not None:
        return _Clause(aim=WishAim.AVOID, text=piece, object=_trimmed(avoided))
    only = words.ONLY_EN.search(plain) or words.ONLY_ZH.search(plain)
    want = words.WANT_EN.search(plain) or words.WANT_ZH.search(plain)
    between = words.AS_GIVEN_ZH.search(plain) or words.WITHIN_ZH.search(plain)
    aim = WishAim.ONLY if only else WishAim.PREFER if want or between or besides else None
    if between:
        return _Clause(aim=aim, text=piece, object=_trimmed(piece[slice(*between.span("object"))]))
    named = piece if len(piece) == len(plain) else folded
    if only is not None:
        named = f"{named[: only.start()]} {named[only.end() :]}"
    if aim is not None:
        first = words.WANT_EN.search(named) or words.WANT_ZH.search(named)
        named = named[first.end() :] if first and named[first.end() :].strip() else named
    return _Clause(aim=aim, text=piece, object=_trimmed(named) if aim else piece)


def _avoided(piece: str, plain: str) -> str | None:
    """What is not wanted, or None: the words after the cue, or before it where nothing follows."""
    if out := words.LEAVE_OUT.search(plain):
        return piece[slice(*out.span("object"))]
    if after := words.AVOID_EN_AFTER.search(plain):
        return piece[: after.start()]
    cue = words.AVOID_EN.search(plain) or words.AVOID_ZH.search(plain)
    if cue is None:
        return None
    rest = _trimmed(piece[cue.end() :])
    if rest:
        return rest
    before = words.PASSIVE_ZH.match(piece[: cue.start()].strip())
    return before["object"] if before else None


def _trimmed(text: str) -> str:
    """Without fillers at both ends: ``please … first``, 请……的部分."""
    before = ""
    while before != text:
        before = text
        text = text.strip(" :：-—")
        text = words.TAIL_EN.sub("", words.FILLER_EN.sub("", text))
        text = words.TAIL_ZH.sub("", words.HEAD_ZH.sub("", text))
    return text


def _goes_on(piece: str) -> bool:
    if _HAN.search(piece):
        return len(piece) <= _SHORT_HAN
    return len(piece.split()) <= _SHORT_WORDS


def _source(piece: str, read: Read) -> str:
    """Of a statement without a verb of looking, the document it speaks of: ``it is in the 2023 report``."""
    sources = [each for each in read(piece).constraints if each.kind is ConstraintKind.SOURCE]
    return sources[0].value if sources else ""


def _collections(clause: _Clause) -> tuple[str, list[str]]:
    match = words.COLLECTION.search(clause.object)
    if match is None:
        return clause.object, []
    name = match["after"] or match["before"] or match["zh"]
    rest = f"{clause.object[: match.start()]} {clause.object[match.end() :]}"
    return _trimmed(rest), [name]


# ---------------------------------------------------------------- what a clause points at
def _wishes(clause: _Clause, read: Read) -> list[Wish]:
    """One wish for the whole, or one for each part of a list whose parts each name something known."""
    parts = [part for part in _LIST.split(_masked(clause.object)) if part]
    if len(parts) > 1 and all(_known(part, read) for part in parts):
        whole = [_wish(clause, _unmasked(part), read) for part in parts]
    else:
        whole = [_wish(clause, clause.object, read)]
    return [wish for wish in whole if wish is not None]


def _masked(text: str) -> str:
    return _QUOTED.sub(
        lambda match: _LIST.sub(lambda sep: sep.group().replace(" ", "\x00"), match.group()), text
    )


def _unmasked(text: str) -> str:
    return text.replace("\x00", " ")


def _known(part: str, read: Read) -> bool:
    named = any(kind.pattern.search(part) for kind in words.source_kinds()) or bool(_QUOTED.search(part))
    return named or bool(read(_unmasked(part)).times)


def _wish(clause: _Clause, text: str, read: Read) -> Wish | None:
    assert clause.aim is not None, "hints are no wishes"
    times = read(text).times
    titles = [match.group()[1:-1].strip() for match in _QUOTED.finditer(text)]
    rest = _QUOTED.sub(" ", text)
    for time in times:
        rest = rest.replace(time.text, " ")
    whole = _trimmed(" ".join(rest.split()))
    kinds: list[words.SourceKind] = []
    for kind in words.source_kinds():
        if kind.pattern.search(rest):
            kinds.append(kind)
            rest = kind.pattern.sub(" ", rest)
    named = _bare(rest)
    undated = _ways(titles, kinds, named, whole)
    ways = [dated for way in undated for dated in _dated(way, times)] or ([_of_times(times)] if times else [])
    if not ways:
        return None
    return Wish(
        aim=clause.aim,
        text=clause.text,
        ways=tuple(ways),
        undated=tuple(undated),
        times=times,
        names=(*titles, *(kind.name for kind in kinds), *((named,) if named and not titles else ())),
    )


def _bare(text: str) -> str:
    """Without blanks and words at either end that name no document by themselves."""
    kept, before = " ".join(text.split()), ""
    while kept != before:
        before = kept
        kept = words.GENERIC_ENDS.sub("", kept).strip(" '’-—,，、:：")
    return kept


def _ways(titles: Sequence[str], kinds: Sequence[words.SourceKind], named: str, whole: str) -> list[Way]:
    """What the words may mean without their days, the likeliest first."""
    if titles:
        return [(words.titled(*titles),), (words.recorded(*titles),)]
    kind_way: Way = ((),)
    for kind in kinds:
        kind_way = tuple((*one, *other) for one in kind_way for other in kind.way)
    if not named:
        return [kind_way] if kinds else []
    own: list[Way] = [(words.titled(named),), (words.recorded(named),)]
    joined: list[Way] = [tuple((*filters, *more) for filters in way for more in kind_way) for way in own]
    as_written: list[Way] = [(words.titled(whole),)] if whole != named else []
    return [*as_written, *joined]


def _dated(way: Way, times: tuple[TimeRange, ...]) -> list[Way]:
    """The way with its days in the title; then with its days as those of publication."""
    if not times:
        return [way]
    years = _years(times)
    in_title = [tuple((*filters, *words.titled(*years)) for filters in way)] if years else []
    return [*in_title, tuple((*filters, *published) for filters in way for published in _published(times))]


def _of_times(times: tuple[TimeRange, ...]) -> Way:
    """Days alone: documents of them, or with them in the title."""
    years = _years(times)
    return (*_published(times), *((words.titled(*years),) if years else ()))


def _published(times: tuple[TimeRange, ...]) -> list[Filters]:
    found: list[Filters] = []
    for time in times:
        conditions: list[Condition] = []
        for comparison, day in ((Comparison.LEAST, time.start), (Comparison.MOST, time.end)):
            if day:
                conditions.append(Condition(field="published", comparison=comparison, values=(day,)))
        found.append(tuple(conditions))
    return [filters for filters in found if filters]


def _years(times: tuple[TimeRange, ...]) -> list[str]:
    """How a title names the days: the years, a part of one as written; none for open or long spans."""
    years: dict[str, None] = {}
    for time in times:
        if not time.start or not time.end:
            return []
        span = range(int(time.start[:4]), int(time.end[:4]) + 1)
        if len(span) > _MOST_YEARS:
            return []
        whole = time.start.endswith("-01-01") and time.end.endswith("-12-31")
        years |= dict.fromkeys(map(str, span) if whole else (time.text,))
    return list(years)


def _terms(reading: Reading) -> list[str]:
    """Of a hint that points at no document: its names and quotations, else its key words."""
    quoted = [each.value for each in reading.constraints if each.kind is ConstraintKind.QUOTED]
    codes = [each.value for each in reading.constraints if each.kind is ConstraintKind.CODE]
    named = [*quoted, *codes, *(entity.text for entity in reading.entities)]
    return list(dict.fromkeys(named)) or list(reading.keywords[:4])
