"""What the words around a figure make of it: a bound (at least, 以内), about (左右), its noun."""

from __future__ import annotations

import re

import msgspec

from appliance.domain.quantities.shape import Quantity

_FEW = r"\s?(?:about |the |a |约)?$"
_MAX_BEFORE = re.compile(
    r"(?i)(?:\b(?:at most|up to|no more than|not more than|less than|fewer than|no later than|"
    r"(?:not|never) exceed(?:ing)?|under|below|within|a maximum of)|不超过|不得超过|至多|最多|最高|"
    r"不高于|不大于|"
    r"低于|少于|小于|不足|不满|不多于|未超过|不迟于)" + _FEW
)
_MIN_BEFORE = re.compile(
    r"(?i)(?:\b(?:at least|no less than|not less than|no fewer than|more than|over|above|exceed(?:s|ed|ing)?|"
    r"a minimum of|upwards of)|至少|不少于|不低于|不得少于|不得低于|超过|超|逾|大于|高于|最少|最低|多于|突破)"
    + _FEW
)
_MAX_AFTER = re.compile(r"(?i)\s?(?:or (?:less|fewer|below|under)|及?以下|以内|之内|内(?![部容地阁存涵]))")
_MIN_AFTER = re.compile(r"(?i)\s?(?:or (?:more|above|over|longer)|and above|及?以上|\+)")
_ABOUT_BEFORE = re.compile(
    r"(?i)(?:\b(?:about|around|approximately|approx\.?|roughly|nearly|almost|some|circa)|~|≈|约|大约|近|将近|接近|大概)\s?$"
)
_ABOUT_AFTER = re.compile(r"\s?(?:左右|上下|or so\b)")
_NOUN = re.compile(r"[ -]?([A-Za-z]{3,})|\s?([个名人家台项件条次位户股辆座所种套只艘架张枚栋部支场届层])")
LOOKED_AT = 24


def placed(one: Quantity, text: str) -> Quantity:
    """Return the figure with its bound, approximation, noun and step, read from folded ``text`` around it."""
    before = text[max(0, one.span.start - LOOKED_AT) : one.span.start]
    after = text[one.span.end : one.span.end + LOOKED_AT]
    bound = ""
    if _MAX_BEFORE.search(before) or _MAX_AFTER.match(after):
        bound = "max"
    elif _MIN_BEFORE.search(before) or _MIN_AFTER.match(after):
        bound = "min"
    about = one.approximate or bool(_ABOUT_BEFORE.search(before) or _ABOUT_AFTER.match(after))
    noun = _NOUN.match(after)
    return msgspec.structs.replace(
        one,
        bound=one.bound or bound,
        approximate=about,
        step=_rounder(one) if about else one.step,
        noun=(noun[1] or noun[2]).lower() if noun and not one.written_unit and not one.when else "",
    )


def _rounder(one: Quantity) -> float:
    """Of ``about 1,200`` the zeros tell nothing: its step is 100."""
    step, value = one.step, abs(one.value)
    while value and step < value and abs(round(value / (step * 10)) * step * 10 - value) < step * 1e-6:
        step *= 10
    return step
