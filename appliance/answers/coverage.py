"""What a question names that its evidence never does: years, codes, numbered things, most of the names.

Arrives: a question, and the text of a passage. Leaves: what is absent; nothing: the passage may be about it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from appliance.answers.verify import fold, names, numbers, ordinals
from appliance.domain.quantities.numerals import chinese

_CODE_ZH = re.compile(r"(?<=[一-鿿])\d{2,}(?=[型号款])|(?<=[型号])\d{2,}")
"""A number that tells one thing from its like: 泵007型."""
_TYPE = re.compile(r"(?<![A-Za-z\d])[\d一二三ⅠⅡⅢ]型(?=[一-鿿])|\b[Tt]ype \d\b")
"""One kind of several: 1型糖尿病, type 2 diabetes."""
_NUMBERED_ZH = re.compile(r"(?<![月一二三四五六七八九十百第])[一二三四五六七八九十百]+号(?!召|称|码)")
"""One of a row: 神舟十六号, 三十二号泵房."""
QUESTION_WORDS = frozenset(
    "what which who whom whose when where why how does did do is are was were has have had can could should "
    "will would in on at by for under according name list give tell".split()
)


def numbered(text: str) -> list[str]:
    """Return the names with a digit in a text, which tell a thing from its like: TIDE-2, AB-2020-0317."""
    return [name for name in names(text) if re.search(r"\d", name)]


def not_covered(question: str, years: Sequence[str], held: str, document: str = "") -> list[str]:
    """Return the years, codes and most of the names of a question when the evidence never names them.

    ``document``: what else is known of it; a code may stand there: a report's number is on its first page.
    """
    haystack, around = fold(held), fold(f"{held}\n{document}")
    held_numbers = set(numbers(held))
    absent = [year for year in years if year not in held_numbers and year not in haystack]
    named = [name for name in names(question) if fold(name) not in QUESTION_WORDS]
    codes = [name for name in named if re.search(r"\d", name) or name.isupper()]
    codes += [*_CODE_ZH.findall(question), *_TYPE.findall(question)]
    codes += [one for one in _NUMBERED_ZH.findall(question) if f"{int(chinese(one[:-1])[0])}号" not in around]
    absent += [code for code in codes if fold(code) not in around]
    absent += sorted(ordinals(question) - ordinals(held))
    unknown = [name for name in named if fold(name) not in (around if name in codes else haystack)]
    if named and len(unknown) > len(named) / 2:
        absent += unknown
    return list(dict.fromkeys(absent))
