"""How an English question that asks of several things is built, and the queries it falls into."""

from __future__ import annotations

import re
from collections.abc import Sequence

from appliance.understanding.facets_sources import AUX, HAS_NAME, SOURCE_RULES, WH

_I = re.IGNORECASE
_N = r"(?:['‘“\"]?[A-Z0-9][\w.&+'’|/-]*|[A-Z]\.)"
_NAME = (
    rf"(?:(?:the|The|a|an)\s+)?{_N}"
    rf"(?:\s+(?:(?:of|the|de|la|von|van|der|del|and\s+the|for|in|&|-)\s+){{0,2}}{_N}){{0,7}}['’”\"]?"
)


def english_facets(text: str, *, times: Sequence[tuple[int, int]], comparison: bool) -> list[str]:
    """The queries, or fewer than two where it asks of one thing."""
    body = text.strip()
    for rule in SOURCE_RULES:
        found = rule(body)
        if len(found) > 1:
            return found
    found = _by_time(text, times, comparison)
    if len(found) > 1:
        return found
    for rule in (_either, _conjoined, _both, _difference, _questions, _clauses):
        found = rule(body)
        if len(found) > 1:
            return found
    return []


_TIME_LINK = re.compile(
    r"(?:'s)?\s*(?:,|/|&|-)?\s*(?:and|or|vs\.?|versus|to|with|against|than|from|"
    r"compared\s+(?:to|with)|relative\s+to|over|through|until)?\s*"
    r"(?:(?:that|those|the\s+one)\s+(?:of|in|for)\s+|(?:of|in|for|on|at|from)"
    r"\s+)?(?:the\s+)?(?:end\s+of\s+)?",
    _I,
)
_CHANGE = re.compile(
    r"\b(?:chang|grow|grew|growth|increas|decreas|differ|compar|rise|rose|fell|fall|drop|declin|"
    r"ratio|average|improv|trend|evol)",
    _I,
)
_COMPARE_TO = re.compile(
    r"\s+(?:compare[ds]?|differ(?:s|ed)?|stack\s+up)\s+(?:to|with|against|from)\s+(?:(?:that|"
    r"those)\s+)?(?:of|in|for)?\s*(?:the\s+)?",
    _I,
)
_RANGE = re.compile(r"\s*(?:-|to|through|until|and)\s*$", _I)
_DROP = re.compile(r"\b(?:respectively|both|each)\b,?\s*", _I)


def _by_time(text: str, times: Sequence[tuple[int, int]], comparison: bool) -> list[str]:
    """The parts of ``in FY2023, FY2022 and FY2021``; of a range only where change is asked for."""
    spans = _with_inner(text, sorted(times))
    for place in range(len(spans) - 1):
        run = [spans[place]]
        for later in spans[place + 1 :]:
            gap = text[run[-1][1] : later[0]]
            if len(gap) > 40 or not (_TIME_LINK.fullmatch(gap) or _COMPARE_TO.fullmatch(gap)):
                break
            run.append(later)
        if len(run) > 1:
            before, after = text[: run[0][0]], text[run[-1][1] :]
            before = re.sub(r"\b(?:between|from)\s*$", "in ", before, flags=_I)
            return [_DROP.sub("", f"{before}{text[b:e]}{after}") for b, e in run]
    return []


_INNER = re.compile(r"\s+(?:and|to|until|through|vs\.?)\s+(?:the\s+)?|\s*-\s*", _I)


def _with_inner(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges (``between A and B``) as their two ends where a change is asked for; else they stay one."""
    if not _CHANGE.search(text):
        return spans
    done: list[tuple[int, int]] = []
    for begin, end in spans:
        words = text[begin:end]
        lead = re.match(r"(?:between|from|since)\s+(?:the\s+)?", words, _I)
        inner = next(
            (
                m
                for m in _INNER.finditer(words)
                if re.search(r"\d", words[: m.start()]) and re.search(r"\d", words[m.end() :])
            ),
            None,
        )
        if lead and inner and not re.search(r"until\s+now|present|today", words, _I):
            done += [(begin + lead.end(), begin + inner.start()), (begin + inner.end(), end)]
        else:
            done.append((begin, end))
    return done


_OR_END = re.compile(
    r"^(?P<stem>.{6,160}?)(?P<cut>[,:;]|\s-|\bbetween|(?<=first)|(?<=earlier)|(?<=later))"
    r"\s*(?P<a>[^,:;?]{2,100}?),?\s+(?:or|vs\.?|versus)\s+(?P<b>[^,:;?]{2,100}?)\s*\??\s*$",
    _I,
)
_BETWEEN_START = re.compile(
    r"^\s*(?:between|of|out\s+of)\s+(?P<a>[^,:;?]{2,80}?)\s+(?:and|or)\s+(?P<b>[^,:;?]{2,80}?)"
    r"[,:]\s*(?P<stem>.{4,200}?)\??\s*$",
    _I,
)
_IS_OR = re.compile(
    rf"^\s*(?P<aux>(?i:is|are|was|were|does|do|did|has|have))\s+(?P<a>{_NAME})"
    rf"\s+or\s+(?P<b>{_NAME})"
    rf"\s+(?P<stem>[a-z].{{2,120}}?)\??\s*$"
)
_STEM = re.compile(
    r"^\s*(?:which|what|who|whose|whom|when|where|how)\b(?:\s+(?:one|of\s+(?:these|the\s+two|"
    r"them|the\s+following)))?\s*(?:(?:is|was|are|were|has|had|did|does|do)\s+(?:the\s+)?)?",
    _I,
)


def _either(text: str) -> list[str]:
    """The parts of ``Who is older, A or B?``, ``Between A and B, which …``."""
    for pattern in (_BETWEEN_START, _OR_END, _IS_OR):
        match = pattern.match(text)
        if match is None:
            continue
        stem = _STEM.sub("", match["stem"]).strip(" ,:?")
        a, b = match["a"].strip(), match["b"].strip()
        if pattern is _OR_END and not (
            _STEM.match(match["stem"]) and (_caps(a) or _caps(b) or match["cut"] in ",:;")
        ):
            continue
        items = [part.strip() for part in re.split(r",\s*", a) if part.strip()] + [b]
        return [f"{item} {stem}" for item in items]
    return []


def _caps(text: str) -> bool:
    return bool(re.search(r"\b[A-Z0-9]", text)) or text[:1] in "'\"‘“"


_ARE_BOTH = re.compile(
    rf"^\s*(?i:{AUX})\s+(?:both\s+)?(?:the\s+)?(?P<kind>(?:[a-z]+\s+){{0,3}}?,?\s*)(?P<a>{_NAME})"
    rf"\s*,?\s+and\s+(?P<b>{_NAME})\s*,?\s+(?P<stem>(?:(?:both|all|each|either)"
    rf"\s+)?[a-z(].{{2,200}}?)\??\s*$"
)
_RESPECTIVE = re.compile(
    rf"(?P<a>{_NAME})\s+and\s+(?P<b>{_NAME})\s+(?P<mid>[^?]*?\brespective(?:ly)?\b[^?]*?)"
    rf"(?P<c>{_NAME})\s+and\s+(?P<d>{_NAME})"
)
_COORDINATED = re.compile(
    rf"(?:\bboth\s+)?(?P<a>{_NAME})\s*(?:,\s*(?P<m>{_NAME})\s*)?,?\s+(?:and|vs\.?|versus|&)"
    rf"\s+(?P<b>{_NAME})(?P<own>['’]s?)?"
)
_CUE = re.compile(
    r"\b(?:both|respective(?:ly)?|each|compar\w+|differ\w*|versus|vs\.?|same|similar|"
    r"which\s+(?:one|of)|alike|in\s+common|share)\b",
    _I,
)


def _both(text: str) -> list[str]:
    """The parts of ``Are A and B both X?``, ``What role did A and B play in C and D respectively?``."""
    match = _RESPECTIVE.search(text)
    if match:
        before, after = text[: match.start()], text[match.end() :]
        middle = re.sub(r",?\s*\brespective(?:ly)?\b\s*", " ", match["mid"])
        return [
            f"{before}{x} {middle}{y}{after}" for x, y in ((match["a"], match["c"]), (match["b"], match["d"]))
        ]
    match = _ARE_BOTH.match(text)
    if match:
        stem = re.sub(r"\b(?:both|either|each|all)\s+", "", match["stem"])
        kind = match["kind"].strip(" ,")
        return [f"{kind} {each} {stem}" for each in (match["a"], match["b"])]
    if not _CUE.search(text) or len(text.split()) > 30:
        return []
    return _spread(text)


def _spread(text: str) -> list[str]:
    match = next((m for m in _COORDINATED.finditer(text) if m.start() > 0 or not _STEM.match(text)), None)
    if match is None:
        return []
    own = match["own"] or ""
    items = [each for each in (match["a"], match["m"], match["b"]) if each]
    items[:-1] = [item + own if own and not item.endswith(own) else item for item in items[:-1]]
    before, after = text[: match.start()], text[match.end() :]
    before = re.sub(r"\bboth\s+$", "", before)
    return [_DROP.sub("", f"{before}{item}{own if item is items[-1] else ''}{after}") for item in items]


_DIFFERENCE = re.compile(
    r"\b(?:difference|differences|distinction|comparison|compare|choose|gap)"
    r"\s+(?:in\s+(?P<in>[^?]{2,60}?)\s+)?(?:between\s+)?(?P<a>[^,;?]{2,70}?)\s+(?:and|vs\.?|"
    r"versus|with|to)\s+(?P<b>[^,;?]{2,90}?)(?P<tail>[,;]\s[^?]*)?\s*\??\s*$",
    _I,
)
_DIFFERS = re.compile(
    r"^\s*how\s+(?:is|are|does|do|did|was|were)\s+(?P<a>[^,;?]{2,80}?)\s+(?:different\s+from|"
    r"differ\s+from|compare[ds]?\s+(?:to|with|against)|stack\s+up\s+against)"
    r"\s+(?P<b>[^,;?]{2,80}?)(?P<tail>[,;]\s[^?]*|\s+(?:in\s+terms\s+of|when\s+it\s+comes\s+to)"
    r"\s[^?]*)?\s*\??\s*$",
    _I,
)


def _difference(text: str) -> list[str]:
    """The parts of ``What is the difference between A and B?``, ``How does A differ from B?``."""
    match = _DIFFERS.match(text) or _DIFFERENCE.search(text)
    if match is None:
        return []
    tail = (match["tail"] or "").strip(" ,;")
    inside = match.groupdict().get("in")
    about = " ".join(part for part in (inside, tail) if part)
    return [f"{each.strip()} {about}".strip() for each in (match["a"], match["b"])]


_SENTENCE = re.compile(r"[^?]+\?")
_ASKS = re.compile(rf"^\s*(?:(?:and|also|then|so|or|but)\s+,?)*(?:{WH}|{AUX})\b", _I)
_PRONOUN = re.compile(r"\b(?:it|its|they|their|them|he|she|his|her|this|that|these|those)\b", _I)


def _questions(text: str) -> list[str]:
    """Several sentences that each end in a question mark."""
    parts = [part.strip(" ?") for part in _SENTENCE.findall(text)]
    parts = [part for part in parts if len(part.split()) > 2]
    if len(parts) < 2:
        return []
    return _carry(parts)


def _carry(parts: list[str]) -> list[str]:
    """A part that speaks of *it* gets the names of the first."""
    names = " ".join(dict.fromkeys(re.findall(_NAME, re.sub(r"^\s*\w+", "", parts[0]))))
    return [
        f"{names}: {part}"
        if place and names and (_PRONOUN.search(part) or len(part.split()) < 6) and not HAS_NAME.search(part)
        else part
        for place, part in enumerate(parts)
    ]


_AND_ASK = re.compile(
    rf",?\s+(?:and|as\s+well\s+as|plus)\s+(?:also\s+)?(?=(?:{WH}|in\s+what)\s+(?:{AUX}|"
    rf"\w+\s+(?:{AUX}|\w+))\b)",
    _I,
)


def _clauses(text: str) -> list[str]:
    """The parts of ``When was X founded and where is it based?``: the second names a subject or says *it*."""
    match = _AND_ASK.search(text)
    if match is None or not _ASKS.match(text):
        return []
    left, right = text[: match.start()], text[match.end() :].strip(" ?")
    if len(left.split()) < 3 or not (_PRONOUN.search(right) or HAS_NAME.search(" " + right)):
        return []
    return _carry([left, right])


_UNKNOWN = re.compile(
    r"^\s*(?:which|who|what)\b(?P<kind>(?:\s+(?:is|was)\s+the)?(?:\s+[\w'’-]+){1,6}?)(?=\s*,|"
    r"\s+(?:that|who|which|whose|released|has|is|was|were|had|mentioned|implicated|associated|"
    r"facing|known|involved|featured|whose|engaged|founded|covered|discussed)\b)",
    _I,
)
_NEXT = re.compile(
    r",?\s+(?:and|but|yet|as\s+well\s+as)\s+(?:who\s+|which\s+|that\s+)?(?=(?:also|is|was|has|"
    r"had|are|have|then|recently|later|currently|being|faced|planned|claimed|struggled|would|"
    r"might|whose|who|which|in\s+\w+ing|whose)\b)|"
    r",\s+(?=(?:is|was|has|had|being|who|whose|which|known|once|recently|with|faced|planned|"
    r"struggled|held|claimed|using|recognized)\b)",
    _I,
)


def _conjoined(text: str) -> list[str]:
    """The parts of ``Which company released X, and is accused of Z?``: one unknown, several facts of it."""
    unknown = _UNKNOWN.match(text)
    if unknown is None or len(text.split()) < 24:
        return []
    cuts = list(_NEXT.finditer(text, unknown.end()))
    begins, ends = [unknown.end(), *(cut.end() for cut in cuts)], [*(cut.start() for cut in cuts), len(text)]
    parts = [text[b:e].strip(" ,?") for b, e in zip(begins, ends, strict=True)]
    joined: list[str] = []
    for part in parts:
        if joined and (len(part.split()) < 6 or len(joined[-1].split()) < 6):
            joined[-1] = f"{joined[-1]}, {part}"
        elif part:
            joined.append(part)
    if len(joined) < 2:
        return []
    kind = re.sub(r"^\s*(?:is|was)\s+the\s*", "", unknown["kind"]).strip()
    return [f"{kind} {part}" for part in joined]
