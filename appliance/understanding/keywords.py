"""Key phrases of a question, best first (the idea of KeyBERT: Grootendorst 2020).

Candidates are n-grams of content words; they are scored by how rare they are (``specificity``), what a domain
pack or an entity says of them, where they stand, and, where the caller has an embedder, by similarity.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from appliance.domain import Entity, TermMatch
from appliance.understanding.fold import fold

Specificity = Callable[[str], Sequence[tuple[str, float]]]
"""Tokens of a text with their idf in the index."""
Similarity = Callable[[Sequence[str]], Sequence[float]]
"""How near each candidate is to the whole question, 0-1."""
MAX_KEYWORDS = 12
_STOP_EN = frozenset(
    "a an the and or but if of in on at by for from to with without as is are was were be been "
    "being am do does did done have has had having will would shall "
    "should can could may might must i me my we our us you your he him his she her it its they "
    "them their this that these those there here what which who whom "
    "whose when where why how not no nor so than then too very just also both each any all "
    "some such only own same other into out up down over under again "
    "further once about between against during before after above below more most few please "
    "tell give show find list name explain describe according per via "
    "many much long old often get got make made us said say says using use used one ones two "
    "both there's what's who's it's let etc something anything thing things "
    "know want need like would'd i'm we're they're i've because while still yet currently "
    "latest current now ever".split()
)
_STOP_ZH = re.compile(
    r"请问|想问一下|我想知道|想知道|告诉我|帮我|请|查一下|查询|什么时候|什么|怎么样|怎么|怎样|"
    r"如何|为什么|为何|多少|哪些|哪个|哪家|哪一|哪|是否|有没有|能不能|可不可以|"
    r"是不是|分别|目前|现在|最新|一下|以及|或者|还是|关于|对于|根据|按照|的话|时候|可以|能够|"
    r"应该|需要|已经|没有|这个|那个|这些|那些|我们|你们|他们|它们|"
    r"[的了和与及在是有为吗呢吧啊呀嘛么对由被把将从向到于就都也还又很更最请谁几这那其之以而且但若我你他她它给让用]"
)
_TOKEN = re.compile(
    r"[A-Za-z][A-Za-z0-9_'’.+&/-]*[A-Za-z0-9_+]|[A-Za-z]|\d[\d.,/%-]*[A-Za-z0-9]*|[㐀-鿿]+|[^\w\s]"
)


def keywords_of(
    text: str,
    *,
    terms: Sequence[TermMatch] = (),
    entities: Sequence[Entity] = (),
    fixed: Sequence[str] = (),
    specificity: Specificity | None = None,
    similarity: Similarity | None = None,
) -> tuple[str, ...]:
    """At most 12 phrases as written in the question; ``fixed`` (codes, quoted words) always come along."""
    candidates = _candidates(text)
    named = {entity.text.lower() for entity in entities}
    known = {term.text.lower(): term.weight for term in terms}
    for word in (*(e.text for e in entities), *(t.text for t in terms), *fixed):
        candidates.setdefault(word, max(0, text.find(word)))
    idf = dict(specificity(text)) if specificity else {}
    near = (
        dict(zip(candidates, similarity(list(candidates)), strict=True)) if similarity and candidates else {}
    )
    scored = {
        phrase: _score(phrase, place / max(1, len(text)), named, known, idf) * (0.5 + near.get(phrase, 0.5))
        for phrase, place in candidates.items()
    }
    for word in fixed:
        scored[word] = scored.get(word, 0.0) + 10.0
    return _spread_out(sorted(scored, key=lambda phrase: (-scored[phrase], candidates[phrase])))


def _candidates(text: str) -> dict[str, int]:
    """Runs of content words: whole runs, and single words of longer ones; with where they stand."""
    found: dict[str, int] = {}
    run: list[re.Match[str]] = []
    for match in (*_TOKEN.finditer(fold(text)), None):
        word = match.group() if match else ""
        content = (
            bool(word)
            and (word[0].isalnum())
            and word.lower() not in _STOP_EN
            and not re.match(r"[㐀-鿿]", word)
        )
        near = run and match and match.start() - run[-1].end() <= 1
        if content and match and (not run or near):
            run.append(match)
            continue
        _take(text, run, found)
        run = [match] if content and match else []
        if match and re.match(r"[㐀-鿿]", word):
            begin = match.start()
            for piece in _pieces(word):
                found.setdefault(text[begin + piece[0] : begin + piece[1]], begin + piece[0])
    return found


def _take(text: str, run: list[re.Match[str]], found: dict[str, int]) -> None:
    if not run:
        return
    if len(run) <= 5:
        found.setdefault(text[run[0].start() : run[-1].end()], run[0].start())
    for match in run:
        if len(match.group()) > 2 or match.group().isupper():
            found.setdefault(text[match.start() : match.end()], match.start())


def _pieces(run: str) -> list[tuple[int, int]]:
    """A Han run without its function words."""
    begins: list[int] = [0]
    ends: list[int] = []
    for stop in _STOP_ZH.finditer(run):
        ends.append(stop.start())
        begins.append(stop.end())
    ends.append(len(run))
    return [(b, e) for b, e in zip(begins, ends, strict=True) if e - b >= 2]


def _score(
    phrase: str, place: float, named: set[str], known: dict[str, float], idf: dict[str, float]
) -> float:
    folded = phrase.lower()
    rare = max((value for token, value in idf.items() if token.lower() in folded), default=3.0)
    length = min(4, len(phrase.split())) if phrase.isascii() else min(4, (len(phrase) + 1) / 2)
    score = rare * (1.0 + 0.15 * length) * (1.1 - 0.2 * place)
    if folded in known or any(term in folded for term in known):
        score *= 1.3 * max(1.0, known.get(folded, 1.0))
    if folded in named:
        score *= 1.4
    return score


def _spread_out(ranked: list[str]) -> tuple[str, ...]:
    """Without phrases that only repeat a better one's words."""
    kept: list[str] = []
    for phrase in ranked:
        if len(kept) == MAX_KEYWORDS:
            break
        if not any(phrase.lower() in other.lower() for other in kept):
            kept.append(phrase)
    return tuple(kept)
