"""Which two editions of a document a question compares: by its name, version labels, years and dates.

Arrives: what the question names, and the editions of documents that a search brought: versions of one
document, or documents of one name. Leaves: the older and the newer one, or None. Pure functions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from appliance.domain import DocumentId, Struct, VersionPair
from appliance.reasoning.tools.match_labels import words

NAMED_MIN, ASKED_MIN = 0.6, 0.5
_YEAR = re.compile(r"(?<![\d-])(?:19|20)\d\d(?!\d)")
_NUMBER = re.compile(
    r"(?:version|edition|revision|release|rev\.?|v\.?)\s?(?P<n>\d+(?:\.\d+)*)"
    r"|(?P<o>\d+)(?:st|nd|rd|th) edition"
    r"|第(?P<z>[一二三四五六七八九十\d]+)版|^(?P<bare>\d{1,3}(?:\.\d+)*)$|(?P<zv>\d+(?:\.\d+)*)版",
    re.I,
)
_LABELS = re.compile(
    r"[,，(（\[]?\s*(?:(?:version|edition|revision|release|rev\.?|v\.?)\s?\d+(?:\.\d+)*"
    r"|\d+(?:st|nd|rd|th) edition|第[一二三四五六七八九十\d]+版"
    r"|(?<![\d-])(?:19|20)\d\d(?!\d)(?:年(?:版|修订版?|度)?|版)?|修订版|\bversion\b)[)）\]]?",
    re.I,
)
_FIRST = re.compile(r"\b(?:first|original)\b|原版|初版", re.I)
_HAN = "一二三四五六七八九十"


class Edition(Struct, frozen=True, kw_only=True):
    """One version of one document."""

    document: DocumentId
    version: int
    title: str
    label: str = ""
    """The document's own: ``V2.1``, ``2022``."""
    published: str = ""
    effective_from: str = ""
    place: int = 0
    """Of its document in the search, from 0."""

    def age(self) -> tuple[str, tuple[int, ...], int]:
        """In order, the older first."""
        return self.effective_from or self.published, _number(self.label or self.title), self.version


class Pair(Struct, frozen=True, kw_only=True):
    """What is compared."""

    older: Edition
    newer: Edition


def base_title(title: str) -> str:
    """The title without its version, edition and years: what editions of one document have in common."""
    return " ".join(_LABELS.sub(" ", title).split()).strip(" ,;:，：-–—")


def pair_of(wanted: VersionPair, asked: str, editions: Sequence[Edition]) -> Pair | None:
    """The two editions that are meant, of the document that the question names best; None without two."""
    best: tuple[float, Pair] | None = None
    for family in _families(editions):
        fit = _fit(wanted.document, asked, family)
        pair = _chosen(wanted, family) if fit else None
        if pair is not None and (best is None or fit > best[0]):
            best = fit, pair
    return best[1] if best else None


def _families(editions: Sequence[Edition]) -> list[list[Edition]]:
    """Editions of one document, and of documents with the same name but for version and year."""
    names: dict[DocumentId, set[str]] = {}
    for one in editions:
        names.setdefault(one.document, set()).add(base_title(one.title).casefold())
    groups: list[tuple[set[str], list[Edition]]] = []
    for document, known in names.items():
        mine = [one for one in editions if one.document == document]
        group = next((each for each in groups if each[0] & known), None)
        if group is None:
            groups.append((set(known), mine))
        else:
            group[0].update(known)
            group[1].extend(mine)
    return [members for _, members in groups if len(members) > 1]


def _fit(name: str, asked: str, family: Sequence[Edition]) -> float:
    """How well the question names the family; 0 where it does not."""
    titles = [words(base_title(one.title)) for one in family]
    named, said = words(base_title(name)), words(asked)
    if named:
        share = max((len(named & title) / len(named) for title in titles), default=0.0)
        least = NAMED_MIN
    else:
        share = max((len(said & title) / len(title) for title in titles if title), default=0.0)
        least = ASKED_MIN
    # The rest of the title may say whose document it is.
    whose = max((len(said & title) / len(title) for title in titles if title), default=0.0)
    near = 0.2 / (1 + min(one.place for one in family))
    return share + 0.5 * whose + near if share >= least else 0.0


def _chosen(wanted: VersionPair, family: Sequence[Edition]) -> Pair | None:
    ordered = sorted(family, key=Edition.age)
    newer = _labelled(wanted.newer, ordered) if _says(wanted.newer) else ordered[-1]
    if newer is None:
        return None
    before = [one for one in ordered if one.age() < newer.age()]
    if _says(wanted.older):
        older = _labelled(wanted.older, [one for one in ordered if one != newer])
    else:
        older = (before[0] if _FIRST.search(wanted.older) else before[-1]) if before else None
    if older is None:
        return None
    return Pair(older=older, newer=newer) if older.age() <= newer.age() else Pair(older=newer, newer=older)


def _says(label: str) -> bool:
    """Whether a label names an edition, rather than ``the old one``."""
    return bool(_YEAR.search(label) or _number(label))


def _labelled(label: str, ordered: Sequence[Edition]) -> Edition | None:
    """The latest edition that bears a label: in its own, its title, else by its dates."""
    year = _YEAR.search(label)
    if year is None:
        number = _number(label)
        own = [one for one in ordered if number in (_number(one.label), _number(one.title))]
        own = own or [one for one in ordered if (one.version,) == number]
    else:
        own = [one for one in ordered if year[0] in f"{one.label} {one.title}"]
        for dated in ("published", "effective_from"):
            own = own or [one for one in ordered if str(getattr(one, dated)).startswith(year[0])]
    return own[-1] if own else None


def _number(text: str) -> tuple[int, ...]:
    """``version 1.0`` as (1,); () where no edition is numbered."""
    found = _NUMBER.search(text.strip())
    if found is None:
        return ()
    written = next(group for group in found.groups() if group)
    if written[0] in _HAN:
        return (_HAN.index(written) + 1,) if written in _HAN else ()
    if len(written) == 4 and _YEAR.fullmatch(written):
        return ()
    numbers = [int(part) for part in written.split(".")]
    while len(numbers) > 1 and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)
