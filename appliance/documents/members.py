"""What an archive holds: clean names for its members, and the stream in which the worker hands them over.

Frames on the stream: 8 bytes of length, a JSON head, and for a member its content after it.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import BinaryIO

import msgspec

MAX_NAME_CHARS = 240
MAX_PART_CHARS = 120
_UNSAFE = re.compile(r'[\x00-\x1f\x7f-\x9f<>:"|?*\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]')
_DRIVE = re.compile(r"^[A-Za-z]:")
LENGTH_BYTES = 8


class Member(msgspec.Struct, frozen=True, kw_only=True, tag="member"):
    """A file out of an archive; its content of ``bytes`` bytes follows on the stream."""

    name: str
    bytes: int


class Left(msgspec.Struct, frozen=True, kw_only=True, tag="left"):
    """A member that was not taken, and why."""

    name: str
    reason: str


class Broken(msgspec.Struct, frozen=True, kw_only=True, tag="broken"):
    """The archive cannot be read, or not any further."""

    reason: str
    hint: str = ""


class End(msgspec.Struct, frozen=True, kw_only=True, tag="end"):
    """Nothing follows."""


Frame = Member | Left | Broken | End
_DECODER = msgspec.json.Decoder(Frame)


class Names:
    """Clean, distinct names for the members of one archive."""

    def __init__(self) -> None:
        self._uses: Counter[str] = Counter()

    def of(self, raw: str) -> str:
        """The name under which a member is known; a second of the same name gets a number."""
        name = clean_name(raw)
        self._uses[name.casefold()] += 1
        used = self._uses[name.casefold()]
        if used == 1:
            return name
        folder, slash, last = name.rpartition("/")
        stem, dot, suffix = last.rpartition(".")
        numbered = f"{stem} ({used}).{suffix}" if dot and stem else f"{last} ({used})"
        return self.of(f"{folder}{slash}{numbered}")


def clean_name(raw: str) -> str:
    """A relative path that stays below its archive: no ``..``, root, drive or unseen characters."""
    parts = [_UNSAFE.sub("_", part).strip() for part in _DRIVE.sub("", raw).replace("\\", "/").split("/")]
    kept = [_shortened(part) for part in parts if part.strip(". ")]
    # "!" at the end of a folder would read like the border of an archive
    kept = [part.rstrip("!") + "_" if part.endswith("!") else part for part in kept]
    while len(kept) > 1 and len("/".join(kept)) > MAX_NAME_CHARS:
        kept.pop(0)
    return "/".join(kept) or "unnamed"


def is_furniture(name: str) -> bool:
    """Whether a clean name is one that programs leave behind: hidden files, macOS and Windows bookkeeping."""
    parts = name.split("/")
    return any(part.startswith(".") or part == "__MACOSX" for part in parts) or parts[-1] in (
        "Thumbs.db",
        "desktop.ini",
    )


def write_frame(stream: BinaryIO, frame: Frame, content: bytes = b"") -> None:
    """Put one frame on the stream."""
    head = msgspec.json.encode(frame)
    stream.write(len(head).to_bytes(LENGTH_BYTES, "big") + head)
    stream.write(content)


def head_length(data: bytes) -> int:
    """The length that stands in front of a head."""
    return int.from_bytes(data[:LENGTH_BYTES], "big")


def decode_head(data: bytes) -> Frame:
    """The frame in a head. Raises msgspec.DecodeError."""
    return _DECODER.decode(data)


def _shortened(part: str) -> str:
    if len(part) <= MAX_PART_CHARS:
        return part
    stem, dot, suffix = part.rpartition(".")
    keep_suffix = dot and len(suffix) <= 12
    return f"{stem[: MAX_PART_CHARS - 14]}….{suffix}" if keep_suffix else part[: MAX_PART_CHARS - 1] + "…"
