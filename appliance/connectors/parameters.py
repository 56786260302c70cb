"""Parameters of a search from the configuration: ``{query}`` and ``{k}`` put in place, nothing evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from appliance.config_connectors import PLACEHOLDER, Parameter


def as_texts(params: Mapping[str, Parameter]) -> dict[str, str]:
    """The values as an address has them (``true``, not ``True``)."""
    return {name: _text(value) for name, value in params.items()}


def filled(value: object, query: str, k: int) -> object:
    """The tree with the placeholders of its strings replaced; ``"{k}"`` alone becomes the number.

    One pass: braces in the question are its own and are not looked at.
    """
    if isinstance(value, str):
        if value == "{k}":
            return k
        places = {"query": query, "k": str(k)}
        return PLACEHOLDER.sub(lambda found: places[found[1]], value)
    if isinstance(value, dict):
        tree = cast("dict[str, object]", value)
        return {name: filled(each, query, k) for name, each in tree.items()}
    if isinstance(value, (list, tuple)):
        return [filled(each, query, k) for each in cast("list[object]", value)]
    return value


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
