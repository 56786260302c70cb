"""Comparisons in English: one look-up for each side, and how code tells which wins.

Arrives: a question. Leaves: a :class:`Shape`, or nothing. "Which film has the director who was born later, A
or B" asks four look-ups: the director of each film, and when each of them was born.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from appliance.domain import Join, Pattern
from appliance.reasoning.shapes import Shape, joined

_NAME = r"(?P<a>[^,?]+?(?:,? (?:Inc|Ltd|Jr|Sr)\.?)?)(?:,)? {link} (?P<b>[^?]+?)"
_OR = _NAME.format(link="or")
_AND = _NAME.format(link="and")
_FIRST = r"(?:first|earlier|earliest|before|sooner)"
_LATER = r"(?:later|latest|last|after|second|more recently|most recently)"
_BORN, _DIED = "When was {} born?", "When did {} die?"
_VERBS = {
    "born": "When was {} born?",
    "died": "When did {} die?",
    "die": "When did {} die?",
    "founded": "When was {} founded?",
    "established": "When was {} established?",
    "created": "When was {} created?",
    "formed": "When was {} formed?",
    "built": "When was {} built?",
    "opened": "When did {} open?",
    "released": "When was {} released?",
    "published": "When was {} published?",
    "came out": "When did {} come out?",
    "come out": "When did {} come out?",
    "started": "When did {} start?",
    "launched": "When was {} launched?",
    "signed": "When was {} signed?",
    "invented": "When was {} invented?",
    "completed": "When was {} completed?",
    "incorporated": "When was {} incorporated?",
    "came": "When did {} come?",
}
_VERB = "|".join(sorted(_VERBS, key=len, reverse=True))
_AGES = {"older": Join.EARLIER, "oldest": Join.EARLIER, "younger": Join.LATER, "youngest": Join.LATER}
_AGE = "|".join(_AGES)
_MORE = {
    "larger": "How large is {}?",
    "largest": "How large is {}?",
    "bigger": "How big is {}?",
    "longer": "How long is {}?",
    "taller": "How tall is {}?",
    "higher": "How high is {}?",
    "deeper": "How deep is {}?",
    "heavier": "How heavy is {}?",
    "wider": "How wide is {}?",
    "faster": "How fast is {}?",
    "more expensive": "How much does {} cost?",
    "more populous": "What is the population of {}?",
}
_LESS = {
    "smaller": "How large is {}?",
    "shorter": "How long is {}?",
    "lower": "How high is {}?",
    "lighter": "How heavy is {}?",
    "cheaper": "How much does {} cost?",
    "slower": "How fast is {}?",
}
_DEGREE = "|".join((*_MORE, *_LESS))
_LED = r"^(?:between (?P<a0>.+?) and (?P<b0>.+?), )?"
_OWNER = re.compile(
    rf"^(?:which|what) (?P<thing>film|movie|book|song|novel|album|band|company|magazine)s?(?:'s)?,? (?:has|"
    rf"had|have|with|whose) "
    rf"(?:the |a )?(?P<role>[a-z]+)s? (?:who |that )?(?:is |was |were )?(?:the )?(?P<how>born|died|{_AGE}) "
    rf"?(?P<when>{_FIRST}|{_LATER})?"
    rf",? {_OR}$",
    re.IGNORECASE,
)
_OWNER_OF = re.compile(
    rf"^(?:which|what) (?P<thing>\w+)'s (?P<role>[a-z]+) (?:was|is) (?:the )?(?P<how>born|{_AGE}) ?"
    rf"(?P<when>{_FIRST}|{_LATER})?,? {_OR}$",
    re.IGNORECASE,
)
_WHEN = re.compile(
    rf"^(?:who|which|what)(?: of the two)?(?: [\w' -]+?)? (?:was |were |is |had )?(?:the )?"
    rf"(?P<how>{_VERB}) (?:out )?(?P<when>{_FIRST}|{_LATER})"
    rf"(?: in time)?(?:,| between|:)? ?(?:between )?(?P<rest>.+)$",
    re.IGNORECASE,
)
_EITHER_WHEN = re.compile(
    rf"^(?:was|were|did) {_OR} (?P<how>{_VERB}|born) (?P<when>{_FIRST}|{_LATER})$", re.IGNORECASE
)
_OLDER = re.compile(
    rf"^(?:who|which|what)(?: \w+)* (?:is|was) (?:the )?(?P<how>{_AGE})(?: person)?(?:,|:)? (?P<rest>.+)$",
    re.IGNORECASE,
)
_LIVED = re.compile(rf"^who lived (?:the )?(?P<how>longer|shorter|longest),? {_OR}$", re.IGNORECASE)
_MEASURED = re.compile(
    rf"^(?:who|which|what)(?P<thing> [\w' -]+?)? (?:is|was|are|has|have|had) (?:the )?(?:a )?"
    rf"(?P<how>{_DEGREE})(?P<of> [\w' -]+?)?"
    rf"(?: in (?P<year>\d{{4}}))?,? {_OR}$",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    rf"^(?:who|which|what)(?: [\w' -]+?)? (?P<verb>has|have|had|sold|made|earned|employs|employed|reported|"
    rf"won|scored|produced|spent) "
    rf"(?P<how>more|fewer|less|the most|the fewest|the least|higher|lower|larger|smaller|a higher|a lower|"
    rf"a larger|a smaller|the higher|the lower) "
    rf"(?P<what>[\w' -]+?)(?: in (?P<year>\d{{4}}))?,? {_OR}$",
    re.IGNORECASE,
)
_SHARE = re.compile(
    rf"^(?:do|are|were|did|have|is|was) (?:both )?(?:[a-z]+, )?{_AND},? (?:both )?(?:share|shared|have|had|"
    rf"of|from|located in|situated in|"
    rf"born in|based in|published in|members of|part of|in|based|located|set in) (?:the )?same "
    rf"(?P<what>[a-z -]+?)(?: as (?:well|each other))?$",
    re.IGNORECASE,
)
_SAME_ASKS = {
    "nationality": "What is the nationality of {}?",
    "country": "Which country is {} from?",
    "place": "Where was {} born?",
    "city": "In which city is {}?",
    "state": "In which state is {}?",
    "province": "In which province is {}?",
    "county": "In which county is {}?",
    "band": "Which band is {} a member of?",
    "director": "Who is the director of {}?",
    "genre": "What is the genre of {}?",
    "profession": "What is the profession of {}?",
    "occupation": "What is the occupation of {}?",
    "year": "In which year was {}?",
    "religion": "What is the religion of {}?",
    "league": "In which league does {} play?",
    "author": "Who is the author of {}?",
    "publisher": "Who is the publisher of {}?",
}
_BOTH = re.compile(
    rf"^(?P<be>are|were|is|was) (?:both )?(?:the )?(?:[a-z]+, ?(?:the )?)?{_AND},? (?:both )?(?P<what>"
    rf"(?:an? |the )?[A-Za-z][\w' -]+)$",
    re.IGNORECASE,
)
_SAID_BOTH = re.compile(
    r"^(?P<be>[Aa]re|[Ww]ere) (?P<a>[A-Z\d][^,?]*?) and (?P<b>[A-Z\d][^?]*?),? both (?P<what>[\w' -]+)$"
)
_WHICH_IS = re.compile(
    rf"^[Ww]hich (?P<noun>[a-z]+) (?P<be>is|was) (?P<what>an? [\w' -]+|[A-Z][a-z]+),? {_OR}$"
)


def compared(question: str) -> Shape | None:
    """The look-ups of a comparison in English; None where it is none that code can put together."""
    text = " ".join(question.split()).rstrip(" ?.")
    for reader in (
        _by_owner,
        _by_when,
        _by_age,
        _by_life,
        _by_amount,
        _by_measure,
        _by_same,
        _by_both,
        _by_which,
    ):
        if shape := reader(text):
            return shape
    return None


def _sides(rest: str) -> tuple[str, str] | None:
    found = re.match(rf"^(?:between )?{_OR}$", rest) or re.match(rf"^between {_AND}$", rest)
    return (found["a"].strip(" ,"), found["b"].strip(" ,")) if found else None


def _order(when: str) -> Join:
    return Join.EARLIER if re.fullmatch(_FIRST, when, re.IGNORECASE) else Join.LATER


def _pair(asks: str, a: str, b: str, join: Join) -> Shape:
    return joined(Pattern.COMPARISON, [asks.format(_phrase(a)), asks.format(_phrase(b))], join, (a, b))


def _phrase(side: str) -> str:
    """A side as it can stand in a question: ``the birth of X`` asked with "born" is X."""
    return re.sub(r"^the (?:birth|forming|founding|death) of ", "", side)


def _by_owner(text: str) -> Shape | None:
    match = _OWNER.match(text) or _OWNER_OF.match(text)
    if match is None:
        return None
    how, when = match["how"].lower(), match["when"] or ""
    if how in _AGES:
        join, asks = _AGES[how], _BORN
    elif when:
        join, asks = _order(when), _BORN if how == "born" else _DIED
    else:
        return None
    thing, role = match["thing"].lower(), match["role"].lower()
    sides = (match["a"].strip(" ,"), match["b"].strip(" ,"))
    lookups = [f"Who is the {role} of the {thing} {side}?" for side in sides]
    lookups += [asks.format("{1}"), asks.format("{2}")]
    return joined(Pattern.COMPARISON, lookups, join, sides, of=(3, 4))


def _by_when(text: str) -> Shape | None:
    if match := _EITHER_WHEN.match(text):
        return _pair(_VERBS[match["how"].lower()], match["a"], match["b"], _order(match["when"]))
    match = _WHEN.match(text)
    sides = _sides(match["rest"]) if match else None
    if match is None or sides is None:
        return None
    asks = _VERBS[match["how"].lower()]
    events = [re.match(r"^the (birth|forming|founding|death) of (.+)$", side) for side in sides]
    if all(events):
        verbs = {
            "birth": _BORN,
            "death": _DIED,
            "forming": "When was {} formed?",
            "founding": "When was {} founded?",
        }
        lookups = [verbs[event[1]].format(event[2]) for event in events if event]
        return joined(Pattern.COMPARISON, lookups, _order(match["when"]), sides)
    if match["how"].lower() == "came":
        return None
    return _pair(asks, *sides, _order(match["when"]))


def _by_age(text: str) -> Shape | None:
    match = _OLDER.match(text)
    sides = _sides(match["rest"]) if match else None
    if match is None or sides is None:
        return None
    person = re.match(
        r"^(?:who|which (?:person|man|woman|actor|singer|writer|director|player))\b", text, re.IGNORECASE
    )
    asks = _BORN if person else "When was {} founded?"
    return _pair(asks, *sides, _AGES[match["how"].lower()])


def _by_life(text: str) -> Shape | None:
    match = _LIVED.match(text)
    if match is None:
        return None
    sides = (match["a"], match["b"])
    lookups = [asks.format(side) for side in sides for asks in (_BORN, _DIED)]
    join = Join.SHORTER if match["how"].lower() == "shorter" else Join.LONGER
    return joined(Pattern.COMPARISON, lookups, join, sides)


def _by_amount(text: str) -> Shape | None:
    match = _AMOUNT.match(text)
    if match is None:
        return None
    less = re.search(r"fewe|less|least|lower|smaller", match["how"], re.IGNORECASE)
    when = f" in {match['year']}" if match["year"] else ""
    what, many = match["what"], re.match(r"more|fewer|the most|the fewest", match["how"], re.IGNORECASE)
    asks = (
        f"How many {what} did {{}} have{when}?"
        if many and what.endswith("s")
        else f"What was the {what} of {{}}{when}?"
    )
    return _pair(asks, match["a"], match["b"], Join.SMALLER if less else Join.LARGER)


def _by_measure(text: str) -> Shape | None:
    match = _MEASURED.match(text)
    if match is None:
        return None
    how = match["how"].lower()
    of = (match["of"] or "").strip()
    when = f" in {match['year']}" if match["year"] else ""
    asks = (
        f"What is the {of} of {{}}{when}?" if of else (_MORE.get(how) or _LESS[how]).replace("?", f"{when}?")
    )
    return _pair(asks, match["a"], match["b"], Join.SMALLER if how in _LESS else Join.LARGER)


def _by_same(text: str) -> Shape | None:
    match = _SHARE.match(text)
    if match is None:
        return None
    what = match["what"].strip().lower()
    a, b = re.sub(r"^both ", "", match["a"]), match["b"]
    asks = _SAME_ASKS.get(what, f"What is the {what} of {{}}?")
    return _pair(asks, a, b, Join.SAME)


def _by_both(text: str) -> Shape | None:
    """Both must be said: "Are A and B large" may be asked of neither."""
    said = re.search(r"\bboth\b", text)
    match = _SAID_BOTH.match(text) or (_BOTH.match(text) if said else None)
    if match is None or "same" in match["what"]:
        return None
    be = "Is" if match["be"].lower() in ("are", "is") else "Was"
    what = _singular(match["what"])
    a, b = match["a"].strip(" ,"), match["b"].strip(" ,")
    return _pair(f"{be} {{}} {what}?", a, b, Join.BOTH)


def _by_which(text: str) -> Shape | None:
    match = _WHICH_IS.match(text)
    return (
        _pair(f"{match['be'].capitalize()} {{}} {match['what']}?", match["a"], match["b"], Join.HAS)
        if match
        else None
    )


_ENDINGS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("ies", lambda word: f"{word[:-3]}y"),
    ("ches", lambda word: word[:-2]),
    ("sses", lambda word: word[:-2]),
    ("s", lambda word: word[:-1]),
)


def _singular(what: str) -> str:
    """``film directors`` → ``a film director``; an adjective or a place stays."""
    words = what.split()
    last = words[-1]
    if re.match(r"(?:an?|the)$", words[0]) or not last.endswith("s") or last.endswith("ss") or " in " in what:
        return what
    _, cut = next(each for each in _ENDINGS if last.endswith(each[0]))
    single = " ".join([*words[:-1], cut(last)])
    return f"{'an' if single[0].lower() in 'aeiou' else 'a'} {single}"
