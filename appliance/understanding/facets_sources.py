"""English questions that set two sources or two editions against each other, in queries."""

from __future__ import annotations

import re
from collections.abc import Callable

_I = re.IGNORECASE
_SOURCE_WORDS = (
    r"articles?|reports?|reported|reporting|piece|story|stories|coverage|stud(?:y|ies)|papers?|"
    r"trials?|filings?|versions?|editions?|"
    r"lists?|statements?|posts?|interviews?|documents?|polic(?:y|ies)|guidelines?|contracts?|"
    r"agreements?|10-?[KQ]s?|press\s+releases?"
)
_SOURCE = re.compile(rf"\b(?:{_SOURCE_WORDS})\b", _I)
HAS_NAME = re.compile(r"(?<!^)(?<![.?!]\s)\b[A-Z][\w'’-]+|['‘“\"]\w")
AUX = r"(?:is|are|was|were|has|have|had|does|do|did|can|could|will|would|should)"
WH = r"(?:which|what|who|whom|whose|when|where|why|how|in\s+(?:which|what)|by\s+how|on\s+which)"
_LEADS = re.compile(
    r"^\s*(?:considering|given|based\s+on|comparing|compare|between|after|from|looking\s+at|"
    r"according\s+to|using)\s+"
    r"(?:(?:both\s+)?the\s+(?:information|details|data|evidence)\s+(?:from|in|provided\s+by)"
    r"\s+)?(?:both\s+)?",
    _I,
)
_TAIL = re.compile(rf"(?:,|:|;|\s-)\s*(?=(?:{AUX}|{WH})\b)", _I)
_ASIDE = re.compile(
    r",?\s*(?:\b(?:while|whereas|as\s+opposed\s+to|in\s+contrast\s+to|in\s+contrast\s+with|"
    r"unlike|similar(?:ly)?\s+to\s+(?:how|the)|"
    r"(?<!been )(?<!be )(?<!when )(?:as\s+)?compared\s+(?:to|with)|rather\s+than)\b)\s*",
    _I,
)
_ASK = re.compile(rf"^\s*(?:{AUX})\s+", _I)
_POLITE = re.compile(
    r"^\s*(?:please\s+|(?:can|could)\s+you\s+(?:please\s+)?(?:tell\s+me\s+)?|tell\s+me\s+|"
    r"i\s+(?:want|need|would\s+like)\s+to\s+know\s+)",
    _I,
)


_THAT_OF = re.compile(
    r"^(?P<lead>.*?)(?P<what>(?:the\s+)?[^,:;?]{2,100}?)\s+(?P<prep>of|from|for|in|at|as\s+of|"
    r"dated)\s+(?P<first>[^,:;?]{2,60}?),?\s+(?:with|to|and|against|versus|vs\.?|than)\s+"
    r"(?:that|those|the\s+ones?)\s+(?:of|from|for|in|at|as\s+of|dated)"
    r"\s+(?P<second>[^,:;?]{2,60}?)\s*(?P<tail>[,:;?].*)?$",
    _I | re.DOTALL,
)
_COMPARING = re.compile(r"^\s*(?:(?:please\s+)?compar(?:e|ing)|how\s+(?:do|does|did)|between)\s+", _I)


def _of_that_of(text: str) -> list[str]:
    """The parts of ``Comparing the list of A with that of B: which …``."""
    if " that of " not in text and not re.search(
        r"\b(?:that|those|the\s+ones?)\s+(?:of|from|for|in|at|dated)\b", text
    ):
        return []
    lead = _COMPARING.match(text)
    match = _THAT_OF.match(text[lead.end() :] if lead else text)
    if match is None or (lead is None and match["lead"].strip()):
        return []
    tail = _question(match["tail"] or "")
    what = re.sub(r"\s+compares?$", "", match["what"].strip())
    first = re.sub(r"\s+compares?$", "", match["first"])
    return [_with(f"{what} {match['prep']} {each}", tail) for each in (first, match["second"])]


def _question(tail: str) -> str:
    return tail.strip(" ,:;?")


def _with(subject: str, predicate: str) -> str:
    return f"{subject}: {predicate}" if predicate else subject


def _two_sources(text: str) -> list[str]:
    """The parts of ``Between the X report on A, and the Y report on B, was there …``."""
    if len(_SOURCE.findall(text)) < 1:
        return []
    lead = _LEADS.match(text)
    if lead is None:
        return _both_sources(text)
    tail = _last_tail(text, lead.end())
    body, rest = text[lead.end() : tail[0]], text[tail[1] :]
    parts = _split_sources(body)
    return [_with(part, _predicate(rest)) for part in parts] if len(parts) > 1 else []


def _last_tail(text: str, begin: int) -> tuple[int, int]:
    """Where the question proper begins: the first comma or colon followed by an auxiliary or a wh-word."""
    for match in _TAIL.finditer(text, begin):
        before = text[begin : match.start()]
        if len(_split_sources(before)) > 1:
            return match.start(), match.end()
    last = None
    for match in _TAIL.finditer(text, begin):
        last = match
    return (last.start(), last.end()) if last else (len(text), len(text))


_AND_SOURCE = re.compile(
    r",?\s+(?:and|versus|vs\.?)\s+(?:(?:then|again|also|in|from|by|subsequently|later|on)"
    r"\s+)*(?=[\w'‘“\"])",
    _I,
)
_DETERMINED = re.compile(r"(?:the|a|an|another|that|those|one|its)\b|['‘“\"]", _I)


def _split_sources(body: str) -> list[str]:
    """The two sources that *and* joins: it is the *and* whose right side begins with a source."""
    found: list[tuple[tuple[bool, bool, int], re.Match[str]]] = []
    for match in _AND_SOURCE.finditer(body):
        left, right = body[: match.start()], body[match.end() :]
        source = _SOURCE.search(" ".join(right.split()[:14]))
        if source and _SOURCE.search(left) and len(right.split()) > 2:
            rank = (bool(_DETERMINED.match(right)), match.group().startswith(","), -source.start())
            found.append((rank, match))
    if not found:
        return []
    match = max(found, key=lambda each: each[0])[1]
    return [body[: match.start()].strip(" ,"), body[match.end() :].strip(" ,")]


_AMID = re.compile(r"\bbetween\s+(?=(?:the|a|an|their|its)\b)", _I)


def _amid_sources(text: str) -> list[str]:
    """The parts of ``Has X changed between the report on A and the report on B?``."""
    match = _AMID.search(text)
    if match is None or match.start() < 8:
        return []
    parts = _split_sources(text[match.end() :].strip(" ?"))
    return (
        [_with(part, _ASK.sub("", text[: match.start()]).strip(" ,")) for part in parts]
        if len(parts) > 1
        else []
    )


_BOTH = re.compile(r"\b(?:both|each|all)\s+(?=\w)", _I)


def _both_sources(text: str) -> list[str]:
    ask = _ASK.match(text)
    both = _BOTH.search(text)
    if ask is None or both is None:
        return []
    parts = _split_sources(text[ask.end() : both.start()])
    return [_with(part, _predicate(text[both.end() :])) for part in parts] if len(parts) > 1 else []


def _predicate(rest: str) -> str:
    """The question proper, cut where it only repeats which sources were meant."""
    rest = rest.strip(" ?,.")
    return " ".join(rest.split()[:40])


def _aside(text: str) -> list[str]:
    """The parts of ``Does the X article suggest …, while the Y article …?``."""
    match = next((m for m in _ASIDE.finditer(text) if len(text[: m.start()].split()) > 4), None)
    if match is None:
        return []
    left, right = text[: match.start()], text[match.end() :].strip(" ?.")
    if len(right.split()) < 3 or not _named(left) or not _named(right):
        return []
    if not ("," in match.group() or _SOURCE.search(left)):
        return []
    left = _POLITE.sub("", left)
    parts = [
        _ASK.sub("", left),
        re.sub(
            r",\s*(?:or|and)\s+(?:do|does|did|are|is)\s+(?:both|they|either)\b.*$", "", right, flags=re.DOTALL
        ),
    ]
    return [part.strip(" ,?") for part in parts]


def _named(text: str) -> bool:
    return bool(_SOURCE.search(text) or HAS_NAME.search(text))


SOURCE_RULES: tuple[Callable[[str], list[str]], ...] = (_of_that_of, _two_sources, _amid_sources, _aside)
