"""Relations that are two relations: a father-in-law is the father of the spouse.

Documents state the simple ones.

Arrives: look-ups. Leaves: the same, those that ask for a compound relation taken apart.
"""

from __future__ import annotations

import re

_EN = {
    "father-in-law": ("spouse", "father"),
    "mother-in-law": ("spouse", "mother"),
    "child-in-law": ("child", "spouse"),
    "son-in-law": ("daughter", "husband"),
    "daughter-in-law": ("son", "wife"),
    "sibling-in-law": ("spouse", "sibling"),
    "brother-in-law": ("spouse", "brother"),
    "sister-in-law": ("spouse", "sister"),
    "maternal grandfather": ("mother", "father"),
    "maternal grandmother": ("mother", "mother"),
    "paternal grandfather": ("father", "father"),
    "paternal grandmother": ("father", "mother"),
    "grandfather": ("father", "father"),
    "grandmother": ("father", "mother"),
    "maternal uncle": ("mother", "brother"),
    "paternal aunt": ("father", "sister"),
    "great-grandfather": ("grandfather", "father"),
}
_ZH = {
    "岳父": ("妻子", "父亲"),
    "岳母": ("妻子", "母亲"),
    "公公": ("丈夫", "父亲"),
    "婆婆": ("丈夫", "母亲"),
    "女婿": ("女儿", "丈夫"),
    "儿媳": ("儿子", "妻子"),
    "外祖父": ("母亲", "父亲"),
    "外公": ("母亲", "父亲"),
    "外祖母": ("母亲", "母亲"),
    "外婆": ("母亲", "母亲"),
    "祖父": ("父亲", "父亲"),
    "爷爷": ("父亲", "父亲"),
    "祖母": ("父亲", "母亲"),
    "奶奶": ("父亲", "母亲"),
    "舅舅": ("母亲", "兄弟"),
    "姑姑": ("父亲", "姐妹"),
    "嫂子": ("哥哥", "妻子"),
    "姐夫": ("姐姐", "丈夫"),
}
_REFERENCE = re.compile(r"\{(\d+)\}")
_NAMES = "|".join(sorted(map(re.escape, _EN), key=len, reverse=True))
_ASKED = re.compile(
    rf"^(?:Who|What)(?P<be> (?:is|was)) the (?P<kin>{_NAMES}) of (?P<whose>.+)\?$", re.IGNORECASE
)
_OWNED = re.compile(
    rf"^(?:Who|What)(?P<be> (?:is|was)) (?P<whose>.+?)['’]s? (?P<kin>{_NAMES})\?$", re.IGNORECASE
)
_ASKED_ZH = re.compile(rf"^(?P<whose>.+?)的(?P<kin>{'|'.join(_ZH)})(?:是谁|叫什么(?:名字)?|是哪位)？?$")


def apart(lookups: list[str], text: str) -> list[str]:
    """Return the look-ups with compound relations in two steps; ``text`` is asked where there are none."""
    asked = lookups or [f"{text}{'？' if re.search('[一-鿿]', text) else '?'}"]
    out: list[str] = []
    moved: dict[int, int] = {}
    for number, lookup in enumerate(asked, start=1):
        for part in _steps(_renumbered(lookup, moved), len(out) + 1):
            out.append(part)
        moved[number] = len(out)
    return out if len(out) > 1 else []


def _renumbered(lookup: str, moved: dict[int, int]) -> str:
    return _REFERENCE.sub(lambda found: f"{{{moved.get(int(found.group(1)), int(found.group(1)))}}}", lookup)


def _steps(lookup: str, first: int) -> list[str]:
    """One look-up as the two it stands for, the first of them numbered ``first``; or as it is."""
    if match := _ASKED_ZH.match(lookup):
        inner, outer = _ZH[match["kin"]]
        return [f"{match['whose']}的{inner}是谁？", f"{{{first}}}的{outer}是谁？"]
    match = _ASKED.match(lookup) or _OWNED.match(lookup)
    if match is None:
        return [lookup]
    inner, outer = _EN[match["kin"].lower()]
    asked = f"Who is the {inner} of {match['whose']}?"
    return [
        *_steps(asked, first),
        f"Who{match['be']} the {outer} of {{{first + len(_steps(asked, first)) - 1}}}?",
    ]
