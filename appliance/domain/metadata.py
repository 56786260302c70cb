"""What people say of a document, beyond what stands in it: whose it is, how binding, for whom, until when."""

from __future__ import annotations

import datetime
import re
from enum import StrEnum
from typing import Annotated, cast

import msgspec
from msgspec import UNSET, UnsetType

from appliance.domain.identity import Struct

Line = Annotated[str, msgspec.Meta(max_length=400, pattern=r"^[^\x00-\x1f\x7f]*$")]
"""One line of text."""
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200, pattern=r"^[^\s\x00-\x1f!](.*\S)?$")]
"""A group, a tag or a register; it begins with no ``!`` and has no blank at either end."""
Names = Annotated[tuple[Name, ...], msgspec.Meta(max_length=100)]
Day = Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]
"""``YYYY-MM-DD``."""
PartialDay = Annotated[str, msgspec.Meta(pattern=r"^\d{4}(-\d{2}(-\d{2})?)?$")]
"""``YYYY``, ``YYYY-MM`` or ``YYYY-MM-DD``."""
_DATES = ("published", "effective_from", "effective_to", "review_by")


class Authority(StrEnum):
    """How binding a source is, the most binding first."""

    OFFICIAL = "official"
    INTERNAL = "internal"
    DRAFT = "draft"
    EXTERNAL = "external"

    @property
    def level(self) -> int:
        """0 for the most binding: smaller wins where two sources contradict each other."""
        return list(Authority).index(self)


class Classification(StrEnum):
    """How confidential a document is called, the most open first. Who may read it is what groups say."""

    PUBLIC = "public"
    INTERNAL = "internal"
    CONFIDENTIAL = "confidential"
    SECRET = "secret"


class Metadata(Struct, frozen=True, kw_only=True):
    """What is known of a document in this respect; groups and denies stand in its record."""

    owner: str = ""
    contact: str = ""
    authority: Authority | None = None
    classification: Classification | None = None
    review_by: str | None = None
    """ISO date: from then on somebody should have looked at it again."""
    registers: dict[str, str] = {}
    """Register → the number there: ``{"patent": "ZL202210418877.6"}``."""
    tags: tuple[str, ...] = ()


class MetadataChange(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Fields to set; those that are left out stay as they are, null (or an empty list) clears one.

    ``effective_from``, ``effective_to`` and ``published`` are the version's, all others the document's.
    """

    owner: Line | UnsetType | None = UNSET
    contact: Line | UnsetType | None = UNSET
    authority: Authority | UnsetType | None = UNSET
    classification: Classification | UnsetType | None = UNSET
    review_by: Day | UnsetType | None = UNSET
    effective_from: Day | UnsetType | None = UNSET
    effective_to: Day | UnsetType | None = UNSET
    published: PartialDay | UnsetType | None = UNSET
    """Instead of the date that was read from the file; null: that one again."""
    groups: Names | UnsetType | None = UNSET
    """Who may read it; null: everyone. An empty list is refused: it would hide the document from all."""
    deny: Names | UnsetType | None = UNSET
    """Who may not, although in one of the groups: a group, or ``user:NAME``."""
    registers: dict[Name, Line] | UnsetType | None = UNSET
    """Added to the ones there are; an empty number removes one, null all."""
    tags: Names | UnsetType | None = UNSET
    document_id: Name | UnsetType = UNSET
    """The id that the document carries itself: files that declare one id are versions of one document."""

    def __post_init__(self) -> None:
        """Raises ValueError: a day that no calendar has, an end before its beginning, nobody allowed."""
        for name in _DATES:
            value = getattr(self, name)
            if isinstance(value, str):
                _check_day(name, value)
        start, end = self.effective_from, self.effective_to
        if isinstance(start, str) and isinstance(end, str) and end < start:
            raise ValueError(f"effective_to {end} is before effective_from {start}")
        if self.groups == ():
            raise ValueError("groups is empty: nobody could read the document")

    def given(self) -> dict[str, object]:
        """The fields that say something, by name."""
        values = {name: cast("object", getattr(self, name)) for name in self.__struct_fields__}
        return {name: value for name, value in values.items() if value is not UNSET}

    def of_version(self) -> MetadataChange:
        """Only the fields that are a version's."""
        return MetadataChange(
            effective_from=self.effective_from, effective_to=self.effective_to, published=self.published
        )

    def over(self, weaker: MetadataChange) -> MetadataChange:
        """Both as one: this one's fields win, registers are joined, and a deny of either side holds."""
        merged = {**weaker.given(), **self.given()}
        if isinstance(self.registers, dict) and isinstance(weaker.registers, dict):
            merged["registers"] = {**weaker.registers, **self.registers}
        if isinstance(self.deny, tuple) and isinstance(weaker.deny, tuple):
            merged["deny"] = tuple(dict.fromkeys([*weaker.deny, *self.deny]))
        return msgspec.convert(merged, MetadataChange)


def changed(old: Metadata, change: MetadataChange) -> Metadata:
    """``old`` with the document's own fields of ``change``."""
    given = change.given()
    fields = {name: given[name] for name in Metadata.__struct_fields__ if name in given}
    if isinstance(change.registers, dict):
        joined = {**old.registers, **change.registers}
        fields["registers"] = {name: number for name, number in joined.items() if number}
    empty = Metadata()
    cleared = {name: getattr(empty, name) for name, value in fields.items() if value is None}
    return msgspec.structs.replace(old, **{**fields, **cleared})


def _check_day(name: str, value: str) -> None:
    parts = [int(part) for part in re.findall(r"\d+", value)]
    try:
        datetime.date(*[*parts, 1, 1][:3])
    except ValueError as error:
        raise ValueError(f"{name} {value!r} is no date ({error})") from error
