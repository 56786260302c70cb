# pyright: basic
"""XML from strangers: no entities, no DTD, no network, bounded depth. Bytes arrive, an element leaves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

from appliance.errors import RefusedFileError

_ENTITY = re.compile(rb"<!ENTITY", re.I)
_ENTITY_WIDE = re.compile("<!ENTITY".encode("utf-16-le") + b"|" + "<!ENTITY".encode("utf-16-be"))


def parse_xml(data: bytes, name: str) -> Any:
    """The root element. Raises RefusedFileError for XML that is broken or declares entities."""
    if _ENTITY.search(data) or _ENTITY_WIDE.search(data):
        raise RefusedFileError(
            f"{name} declares XML entities, which are not read", hint="save it without a DTD of its own"
        )
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False,
        remove_comments=True, remove_pis=True, recover=False,
    )  # fmt: skip
    try:
        return etree.fromstring(data, parser)
    except (etree.LxmlError, ValueError) as error:
        why = " ".join(str(error).split())[:120]
        raise RefusedFileError(
            f"{name} is not well-formed XML ({why})", hint="get a complete copy"
        ) from error


def local(element: Any) -> str:
    """The name of an element without its namespace; "" for what is not an element."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def children(element: Any, *names: str) -> Iterator[Any]:
    """Child elements of these names, whatever their namespace."""
    return (child for child in element if local(child) in names)


def child(element: Any, name: str) -> Any:
    """The first child of that name, or None."""
    return next(children(element, name), None)


def descendants(element: Any, *names: str) -> Iterator[Any]:
    """All elements below of these names, in document order."""
    return (found for found in element.iter() if local(found) in names)
