"""JSON pointers (RFC 6901) into an answer: the only way in which a configuration reaches into one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final, cast


class Absent(Enum):
    """That a pointer leads nowhere, which null is not."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


def at(value: object, pointer: str) -> object:
    """What stands at ``pointer``; ABSENT where there is nothing. The empty pointer is the value itself."""
    for step in parts_of(pointer):
        if isinstance(value, Mapping):
            value = cast("Mapping[str, object]", value).get(step, ABSENT)
        elif isinstance(value, Sequence) and not isinstance(value, str):
            row = cast("Sequence[object]", value)
            value = row[int(step)] if _index(step) and int(step) < len(row) else ABSENT
        else:
            return ABSENT
    return value


def parts_of(pointer: str) -> list[str]:
    """The keys of a pointer, unescaped: ``/a~1b/0`` → ``a/b``, ``0``."""
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def _index(step: str) -> bool:
    return step.isascii() and step.isdecimal() and len(step) < 10 and (step == "0" or step[0] != "0")
