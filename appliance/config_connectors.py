"""The section ``connectors``: which search services outside this appliance may be asked, and how.

Arrives: the TOML tables ``[connectors]`` and ``[[connectors.sources]]``. Leaves: frozen sections of
:class:`appliance.config.Config`. What depends on several keys (allowed hosts, egress) is checked by
``appliance.connectors``, after all files and variables are merged.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal, cast

import msgspec

Kind = Literal["searxng", "opensearch", "json", "tavily", "serpapi"]
KeyScheme = Literal["bearer", "basic", "header", "query"]
Pointer = Annotated[str, msgspec.Meta(pattern=r"^(/.*)?$", max_length=200)]
"""RFC 6901 without a leading ``#``: ``/data/hits/0/name``; empty: the value itself, or none."""
Parameter = str | int | float | bool
Seconds = Annotated[float, msgspec.Meta(ge=0.1, le=120)]
SECRET_NAME = re.compile(r"(?i)(api.?key|access.?key|token|secret|passw|^key$|authorization)")
PLACEHOLDER = re.compile(r"\{(\w*)\}")
PLACEHOLDERS = frozenset({"query", "k"})


class _Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of the sections here: frozen, unknown keys refused."""


class Fields(_Section, frozen=True, kw_only=True):
    """Where the parts of a result stand in an answer, as JSON pointers; null: as the kind has them.

    ``items`` starts at the answer, the others at one item of it; an empty one says that there is none.
    """

    items: Pointer | None = None
    title: Pointer | None = None
    text: Pointer | None = None
    url: Pointer | None = None
    published: Pointer | None = None


class ExternalSourceSettings(_Section, frozen=True, kw_only=True):
    """One search service."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")]
    kind: Kind
    url: Annotated[str, msgspec.Meta(pattern=r"^(https?://[^\s{}@]+)?$", max_length=500)] = ""
    """Of the search itself; for OpenSearch of the server. Hosted kinds know theirs."""
    index: Annotated[str, msgspec.Meta(pattern=r"^[\w.*,-]*$", max_length=200)] = ""
    """OpenSearch: the index, an alias, or several with commas."""
    query_fields: tuple[str, ...] = ()
    """OpenSearch: the fields searched, with their boost (``title^2``); none: the mapped ones."""
    method: Literal["GET", "POST"] = "GET"
    """Kind json only."""
    params: dict[str, Parameter] = {}
    """Parameters sent with every search; kind json puts {query} and {k} in their place."""
    body: dict[str, object] = {}
    """Kind json, POST: the JSON sent, with the same places."""
    fields: Fields = Fields()
    key_env: Annotated[str, msgspec.Meta(pattern=r"^([A-Z][A-Z0-9_]{0,99})?$")] = ""
    """Name of the environment variable that holds the key; the key itself is in no file."""
    key_scheme: KeyScheme = "bearer"
    """bearer and basic (user:password): in Authorization; header, query: in the one named by key_name."""
    key_name: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{1,60}$")] = "X-API-Key"

    def __post_init__(self) -> None:
        """Raises ValueError: a key in the file, a placeholder that nothing fills, a kind's part missing."""
        if self.key_env.startswith("ASSAY__"):
            raise ValueError("key_env: variables that begin with ASSAY__ are configuration, not keys")
        for name in self.params:
            if SECRET_NAME.search(name):
                raise ValueError(f"params: {name} looks like a key; name its variable in key_env instead")
        strange = {*_places(self.params), *_places(self.body)} - PLACEHOLDERS
        if strange:
            raise ValueError(f"{{{min(strange)}}} is no placeholder; there are {{query}} and {{k}}")
        if problem := _missing(self):
            raise ValueError(f"source {self.name}: {problem}")

    @property
    def hosted(self) -> bool:
        """Whether it is a public service by its nature."""
        return self.kind in ("tavily", "serpapi")


class Connectors(_Section, frozen=True, kw_only=True):
    """Search services outside the appliance. None by default: nothing is asked of anybody."""

    allowed_hosts: tuple[str, ...] = ()
    """Hosts that sources may be on: ``name`` or ``name:port``; no wildcards."""
    egress: bool = False
    """Whether questions may leave the intranet: hosted kinds, and hosts with a public address."""
    ca_bundle: str = ""
    """PEM file with the authorities trusted instead of the system's."""
    connect_timeout_s: Seconds = 3.0
    timeout_s: Seconds = 8.0
    """Of one source, from the look-up of its name to its last byte; a search waits no longer."""
    max_bytes: Annotated[int, msgspec.Meta(ge=1_000, le=50_000_000)] = 2_000_000
    max_query_chars: Annotated[int, msgspec.Meta(ge=20, le=4_000)] = 400
    """A longer question is cut before it is sent, and says so."""
    max_concurrent: Annotated[int, msgspec.Meta(ge=1, le=64)] = 4
    """Searches of one source at a time; one more leaves it out as busy."""
    sources: tuple[ExternalSourceSettings, ...] = ()

    def __post_init__(self) -> None:
        """Raises ValueError: two sources of one name."""
        names = [source.name for source in self.sources]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"sources: the name {twice[0]} is there twice")


def _missing(source: ExternalSourceSettings) -> str:
    """What the kind needs and the source does not have; empty when all is there."""
    if not source.url and not source.hosted:
        return f"kind {source.kind} needs its url"
    if source.kind == "opensearch" and not source.index:
        return "kind opensearch needs its index"
    if source.kind != "json":
        return ""
    fields = source.fields
    if fields.items is None or fields.title is None or fields.url is None:
        return "kind json needs fields.items, fields.title and fields.url"
    if "query" not in {*_places(source.params), *_places(source.body)}:
        return "kind json needs {query} in params or body"
    if source.body and source.method == "GET":
        return 'a body is sent with method = "POST" only'
    return ""


def _places(value: object) -> list[str]:
    """The names in braces in all strings of a parameter tree."""
    if isinstance(value, str):
        return PLACEHOLDER.findall(value)
    if isinstance(value, dict):
        return [name for each in cast("dict[str, object]", value).values() for name in _places(each)]
    if isinstance(value, (list, tuple)):
        return [name for each in cast("list[object]", value) for name in _places(each)]
    return []
