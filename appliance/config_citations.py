"""The sections ``citations`` and ``registers``: whom to ask about a source, and where public registers lie.

Arrives: the TOML tables ``[citations]`` and ``[registers.NAME]``. Leaves: frozen sections of
:class:`appliance.config.Config`. A link is always the administrator's template: a document only lends the
number that is put into its path or query, escaped. Nothing here is ever fetched.
"""

from __future__ import annotations

import re
from string import Formatter
from typing import Annotated
from urllib.parse import urlsplit

import msgspec

Line = Annotated[str, msgspec.Meta(max_length=400, pattern=r"^[^\x00-\x1f\x7f]*$")]
RegisterName = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")]
PATTERN_CHARS = 300
URL_CHARS = 500
WHOLE = "id"
"""The placeholder for all that a pattern finds; others are names of its groups."""


class Citations(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is shown with a cited passage."""

    neighbours: Annotated[int, msgspec.Meta(ge=0, le=10)] = 1
    """Passages of the same section shown before it, and as many after."""
    contact: Line = ""
    """Whom to ask about a source whose document and collection name nobody."""
    contacts: dict[str, Line] = {}
    """The same by collection."""


class Register(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A public register: how its numbers look, and where the page of one is."""

    pattern: Annotated[str, msgspec.Meta(max_length=PATTERN_CHARS)] = ""
    url: Annotated[str, msgspec.Meta(max_length=URL_CHARS)] = ""
    """With ``{id}``, or the names of the pattern's groups, in path or query; empty: the register is off."""

    def __post_init__(self) -> None:
        """Raises ValueError: a pattern that does not compile, a URL that is not a fixed https place."""
        if not self.url:
            return
        try:
            groups = set(re.compile(self.pattern).groupindex)
        except re.error as error:
            raise ValueError(f"pattern {self.pattern!r} is no regular expression: {error}") from error
        if not self.pattern or re.match(self.pattern, ""):
            raise ValueError(f"pattern {self.pattern!r} also finds nothing at all: write what a number has")
        parts = urlsplit(self.url)
        fixed = parts.scheme == "https" and parts.hostname and not re.search(r"[{}@]", parts.netloc)
        if not fixed or re.search(r"[\s<>\"\\]", self.url):
            raise ValueError(f"url {self.url!r} must begin with https:// and a fixed host")
        wanted = _placeholders(self.url)
        if not wanted or wanted - groups - {WHOLE}:
            known = ", ".join(sorted({WHOLE, *groups}))
            raise ValueError(f"url {self.url!r} must hold a placeholder, and only of {known}")


def _placeholders(url: str) -> set[str]:
    """The names in braces. Raises ValueError: a brace alone, a format or an attribute."""
    found: set[str] = set()
    for _, name, form, conversion in Formatter().parse(url):
        if name is None:
            continue
        if form or conversion or not name.isidentifier():
            raise ValueError(f"url {url!r}: a placeholder is a plain name in braces")
        found.add(name)
    return found


BUILT_IN: dict[str, Register] = {
    "clinicaltrials": Register(
        pattern=r"(?<![A-Za-z0-9])NCT\d{8}(?!\d)", url="https://clinicaltrials.gov/study/{id}"
    ),
    "chictr": Register(
        pattern=r"(?<![A-Za-z0-9])ChiCTR\d{10}(?!\d)",
        url="https://www.chictr.org.cn/searchproj.html?regno={id}",
    ),
    "doi": Register(
        pattern=r"(?<![\d.])10\.\d{4,9}/[A-Za-z0-9._;()/:-]{1,100}[A-Za-z0-9]", url="https://doi.org/{id}"
    ),
    "patent": Register(
        pattern=r"(?<![A-Za-z0-9])(?:(?:ZL|CN)\d{9,13}(?:\.[\dX])?[A-Z]?\d?|(?:EP|US|WO)\d{6,12}[A-Z]\d?)(?![A-Za-z0-9])",
        url="https://worldwide.espacenet.com/patent/search?q={id}",
    ),
    "iso": Register(
        pattern=r"(?<![A-Za-z])ISO(?:/IEC)? ?\d{3,5}(?:-\d{1,3})?(?::\d{4})?(?!\d)",
        url="https://www.iso.org/search.html?q={id}",
    ),
    "gb": Register(
        pattern=r"(?<![A-Za-z])GB(?:/T)? ?\d{3,5}(?:\.\d{1,2})?[-–—]\d{4}(?!\d)",
        url="https://openstd.samr.gov.cn/bzgk/gb/std_list?p.p2={id}",
    ),
    "celex": Register(
        pattern=r"(?<!\d)3\d{4}[RLD]\d{4}(?!\d)",
        url="https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=CELEX:{id}",
    ),
    "us-code": Register(
        pattern=r"(?<!\d)(?P<title>\d{1,2}) U\.? ?S\.? ?C\.? ?§{1,2} ?(?P<section>\d{1,5}[a-z]?)",
        url="https://uscode.house.gov/view.xhtml?req=granuleid:USC-prelim-title{title}-section{section}",
    ),
}
"""Known without configuration; a table of the same name replaces one."""
