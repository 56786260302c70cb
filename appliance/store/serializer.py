# pyright: basic
"""Decision 4: LangGraph's values as JSON that a person can read and that never executes anything.

Plain JSON stays as it is. What JSON has no word for becomes ``{"$": kind, …}`` of a fixed list of kinds;
a class is found by its registered name only, and everything else is refused when it is written.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable
from enum import Enum, StrEnum
from typing import Any

import msgspec
from langgraph.types import Interrupt, Send

from appliance import domain
from appliance.errors import DamagedError

_TAG = "$"


class JsonSerializer:
    """Implements LangGraph's ``SerializerProtocol`` for the type ``json``."""

    def __init__(self, extra: Iterable[type] = ()) -> None:
        """Registered: every Struct and Enum of ``appliance.domain``, and those in ``extra``."""
        nouns = [value for value in vars(domain).values() if isinstance(value, type)]
        self._types: dict[str, type] = {}
        for kind in (*nouns, *extra):
            if kind in (domain.Struct, StrEnum) or not issubclass(kind, msgspec.Struct | Enum):
                continue
            if self._types.setdefault(kind.__name__, kind) is not kind:
                raise TypeError(f"two registered types are called {kind.__name__}")

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """``("json", bytes)``. Raises TypeError or ValueError for what cannot be held."""
        return "json", msgspec.json.encode(self._plain(obj))

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """The value. Raises DamagedError for another type tag, unknown kinds and values that do not fit."""
        kind, content = data
        if kind != "json":
            raise DamagedError(f"a checkpoint of type {kind!r}", hint="only JSON is read")
        try:
            return self._value(msgspec.json.decode(content))
        except (msgspec.MsgspecError, KeyError, TypeError, ValueError) as error:
            raise DamagedError(f"a checkpoint cannot be read: {error}", hint="start the run again") from error

    def _plain(self, obj: Any) -> Any:
        kind = type(obj)
        if obj is None or kind in (bool, str, int):
            return obj
        if kind is float:
            if not math.isfinite(obj):
                raise ValueError("nan and infinity have no place in a checkpoint")
            return obj
        if kind is list:
            return [self._plain(item) for item in obj]
        if kind is dict:
            return self._plain_dict(obj)
        return self._tagged(obj, kind)

    def _plain_dict(self, obj: dict[Any, Any]) -> Any:
        if not all(type(key) is str for key in obj):
            raise TypeError("keys of a dict in a checkpoint are text")
        plain = {key: self._plain(value) for key, value in obj.items()}
        return {_TAG: "dict", "v": list(map(list, plain.items()))} if _TAG in obj else plain

    def _tagged(self, obj: Any, kind: type) -> dict[str, Any]:
        if kind is tuple:
            return {_TAG: "tuple", "v": [self._plain(item) for item in obj]}
        if kind is bytes:
            return {_TAG: "bytes", "v": base64.b64encode(obj).decode()}
        if self._types.get(kind.__name__) is kind:
            return {
                _TAG: "type",
                "name": kind.__name__,
                "v": _finite(msgspec.to_builtins(obj, str_keys=True)),
            }
        if kind is Interrupt and obj.response_schema is None:
            return {_TAG: "interrupt", "id": obj.id, "v": self._plain(obj.value)}
        if kind is Send and obj.timeout is None:
            return {_TAG: "send", "node": obj.node, "v": self._plain(obj.arg)}
        if isinstance(obj, BaseException):
            # LangGraph notes a failed task this way; it is for people and is not raised from here.
            return {_TAG: "error", "v": f"{kind.__name__}: {obj}"}
        raise TypeError(f"a {kind.__module__}.{kind.__name__} cannot be kept in a checkpoint")

    def _value(self, plain: Any) -> Any:
        if isinstance(plain, list):
            return [self._value(item) for item in plain]
        if not isinstance(plain, dict):
            return plain
        if _TAG not in plain:
            return {key: self._value(value) for key, value in plain.items()}
        return self._untagged(plain)

    def _untagged(self, plain: dict[str, Any]) -> Any:
        kind, content = plain[_TAG], plain["v"]
        match kind:
            case "dict":
                return {key: self._value(value) for key, value in content}
            case "tuple":
                return tuple(self._value(item) for item in content)
            case "bytes":
                return base64.b64decode(content, validate=True)
            case "type":
                return msgspec.convert(content, self._types[plain["name"]], str_keys=True)
            case "interrupt":
                return Interrupt(value=self._value(content), id=plain["id"])
            case "send":
                return Send(plain["node"], self._value(content))
            case "error":
                return str(content)
            case _:
                raise ValueError(f"unknown kind {kind!r}")


def _finite(plain: Any) -> Any:
    """The same value; msgspec would write nan and infinity as null. Raises ValueError."""
    if isinstance(plain, float) and not math.isfinite(plain):
        raise ValueError("nan and infinity have no place in a checkpoint")
    for item in (
        plain.values() if isinstance(plain, dict) else plain if isinstance(plain, list | tuple) else ()
    ):
        _finite(item)
    return plain
