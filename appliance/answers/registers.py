"""Numbers of public registers in a source, as links by the administrator's table.

Arrives: what a document's metadata and a passage say. Leaves: links as text; nothing is fetched. Host and
shape of a link come from the table alone: a document only lends the number, escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from urllib.parse import quote

from appliance.config_citations import BUILT_IN, WHOLE, Register
from appliance.domain import Struct

LINKS_MAX = 20
NUMBER_CHARS = 120


class RegisterLink(Struct, frozen=True, kw_only=True):
    """One number and the page of it."""

    register: str
    number: str
    """As it is written there."""
    url: str
    found_in: str
    """``metadata``: people said so of the document; ``passage``: it stands in its text or title."""


def register_links(
    text: str, declared: Mapping[str, str], registers: Mapping[str, Register]
) -> tuple[RegisterLink, ...]:
    """Return the links, what people declared first, each page once, 20 at most.

    ``declared``: register → number, of the document's metadata; one that does not look like a number of that
    register gives no link. ``registers``: the configured ones, over those that are known anyway.
    """
    table = {name: one for name, one in {**BUILT_IN, **registers}.items() if one.url}
    found: dict[str, RegisterLink] = {}
    for link in (*_declared(declared, table), *_written(text, table)):
        found.setdefault(link.url, link)
        if len(found) == LINKS_MAX:
            break
    return tuple(found.values())


def _declared(declared: Mapping[str, str], table: Mapping[str, Register]) -> Iterator[RegisterLink]:
    for name, number in declared.items():
        register = table.get(name.strip().lower())
        match = re.fullmatch(register.pattern, number.strip()) if register else None
        if register and match:
            yield _link(name.strip().lower(), register, match, "metadata")


def _written(text: str, table: Mapping[str, Register]) -> Iterator[RegisterLink]:
    for name, register in table.items():
        for match in re.finditer(register.pattern, text):
            if 0 < len(match.group()) <= NUMBER_CHARS:
                yield _link(name, register, match, "passage")


def _link(name: str, register: Register, match: re.Match[str], found_in: str) -> RegisterLink:
    parts = {WHOLE: match.group(), **{key: value or "" for key, value in match.groupdict().items()}}
    escaped = {key: quote(value, safe="") for key, value in parts.items()}
    return RegisterLink(
        register=name, number=match.group(), url=register.url.format_map(escaped), found_in=found_in
    )
