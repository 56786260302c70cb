"""The options that say something of documents, shared by ``assay ingest`` and ``assay documents set``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from appliance.errors import UserError

if TYPE_CHECKING:
    from appliance.domain import MetadataChange

_PANEL = "What the documents are"


def _option(*names: str, help: str, metavar: str = "TEXT") -> Any:
    return typer.Option(*names, help=help, metavar=metavar, rich_help_panel=_PANEL)


Owner = Annotated[str | None, _option("--owner", help="Who answers for the content.")]
Contact = Annotated[str | None, _option("--contact", help="Whom to ask.")]
AuthorityLevel = Annotated[
    str | None, _option("--authority", help="official, internal, draft or external.", metavar="LEVEL")
]
Confidentiality = Annotated[
    str | None,
    _option("--classification", help="public, internal, confidential or secret.", metavar="LEVEL"),
]
EffectiveFrom = Annotated[
    str | None, _option("--effective-from", help="In force from this day.", metavar="DATE")
]
EffectiveTo = Annotated[
    str | None, _option("--effective-to", help="In force up to this day.", metavar="DATE")
]
ReviewBy = Annotated[
    str | None, _option("--review-by", help="To be looked at again by then.", metavar="DATE")
]
Published = Annotated[
    str | None, _option("--published", help="Instead of the date read from the file.", metavar="DATE")
]
Groups = Annotated[list[str] | None, _option("--group", help="Who may read it; repeatable.", metavar="GROUP")]
Denies = Annotated[
    list[str] | None,
    _option("--deny", help="Who may not, whatever else: a group or user:NAME.", metavar="WHO"),
]
Registers = Annotated[
    list[str] | None, _option("--register", help="Its number in a register.", metavar="REGISTER=NUMBER")
]
Tags = Annotated[list[str] | None, _option("--tag", help="Repeatable.", metavar="TAG")]
DeclaredId = Annotated[
    str | None, _option("--document-id", help="Files that declare one id are its versions.", metavar="ID")
]
_FLAGS = {"groups": "--group", "deny": "--deny", "registers": "--register", "tags": "--tag"}


def change_of(clear: list[str] | None = None, **fields: object) -> MetadataChange:
    """The options given as a change; ``clear`` names fields to empty.

    Raises UserError that names the option.
    """
    from appliance.domain import MetadataChange

    given = {name: value for name, value in fields.items() if value is not None and value != []}
    numbers = given.get("registers")
    if isinstance(numbers, list):
        given["registers"] = dict(_pair(str(each)) for each in numbers)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    for name in clear or []:
        field = _field(name)
        if field not in MetadataChange.__struct_fields__ or field == "document_id":
            known = ", ".join(name for name in MetadataChange.__struct_fields__ if name != "document_id")
            raise UserError(f"--clear {name!r}: no such field", hint=f"one of {known}")
        given.setdefault(field, None)
    try:
        return msgspec.convert(given, MetadataChange)
    except msgspec.ValidationError as error:
        said, _, path = str(error).partition(" - at `$.")
        place = re.split(r"[`\[]", path)[0] or said.split()[0]
        flag = _FLAGS.get(place, "--" + place.replace("_", "-"))
        raise UserError(f"{flag}: {said}", hint="dates are YYYY-MM-DD; see --help") from error


def _field(name: str) -> str:
    plain = name.removeprefix("--").replace("-", "_")
    flags = {flag.removeprefix("--"): field for field, flag in _FLAGS.items()}
    return flags.get(plain, plain)


def _pair(text: str) -> tuple[str, str]:
    register, equals, number = text.partition("=")
    if not equals or not register.strip():
        raise UserError(f"--register {text!r} is not REGISTER=NUMBER", hint="--register patent=ZL2022…")
    return register.strip(), number.strip()
