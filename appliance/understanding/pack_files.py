"""One file of a domain pack: TOML in, a checked table or a pack out; errors name file, entry and field.

A file is a pack of its own (``name = …``) or adds to another (``extends = …``): a term of the same name is
merged, its lists united and its single values replaced; all other lists are united.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec

from appliance.domain import DomainPack, Routing, SourceRank, Term
from appliance.errors import ConfigError

HINT = "configs/domains/finance.toml shows every field; `assay domains check FILE` checks a file"
MAX_BYTES = 16_000_000
_ENTRIES: dict[str, type[msgspec.Struct]] = {"terms": Term, "sources": SourceRank, "routing": Routing}
_Value = TypeVar("_Value")
Table = dict[str, Any]


class PackFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that has been read, not yet joined with the pack that it may extend."""

    path: Path
    name: str
    """Of the pack that it is or that it adds to."""
    extends: bool
    table: Table


def read_pack_file(path: Path) -> PackFile:
    """The file's table, each entry checked on its own. Raises ConfigError naming file, entry and field."""
    table = _read_toml(path)
    extends = table.pop("extends", None)
    if extends is not None:
        if not isinstance(extends, str) or table.get("name", extends) != extends:
            _refuse(path, "field extends: a file that extends a pack has no other name than that pack's")
        table["name"] = extends
    name = table.get("name")
    if not isinstance(name, str):
        _refuse(path, "field name: missing, or not a text (or write extends = …)")
    unknown = sorted(set(table) - set(DomainPack.__struct_fields__))
    if unknown:
        _refuse(path, f"unknown field {unknown[0]}")
    for field, kind in _ENTRIES.items():
        _check_entries(path, table.get(field, []), field, kind, partial=extends is not None)
    return PackFile(path=path, name=cast("str", name), extends=extends is not None, table=table)


def pack_of(file: PackFile, base: DomainPack | None = None) -> DomainPack:
    """The pack that the file is, or the one that it makes of ``base``. Raises ConfigError."""
    table = file.table if base is None else _merged(cast("Table", msgspec.to_builtins(base)), file.table)
    return _converted(file.path, table, DomainPack, "")


def _read_toml(path: Path) -> Table:
    try:
        if path.stat().st_size > MAX_BYTES:
            _refuse(path, f"larger than {MAX_BYTES // 1_000_000} MB")
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise ConfigError(f"no domain pack {path}", hint="check the path") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError, OSError) as error:
        raise ConfigError(f"{path}: {error}", hint="a domain pack is TOML in UTF-8") from error


def _check_entries(
    path: Path, entries: object, field: str, kind: type[msgspec.Struct], *, partial: bool
) -> None:
    if not isinstance(entries, list):
        _refuse(path, f"field {field}: must be a list of tables")
    for number, entry in enumerate(cast("list[object]", entries), start=1):
        if not isinstance(entry, dict):
            _refuse(path, f"{field} {number}: must be a table")
        given = cast("Table", entry)
        label = given.get("name") or given.get("title") or given.get("kind") or ""
        place = f"{field} {number}" + (f" ({label})" if isinstance(label, str) and label else "")
        # A term that adds to one of the base pack has its Chinese name there.
        stand_in = {"zh": given["name"]} if partial and kind is Term and "name" in given else {}
        _converted(path, stand_in | given, kind, place)


def _converted(path: Path, value: object, kind: type[_Value], place: str) -> _Value:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        said, _, where = str(error).partition(" - at `$")
        field = re.sub(r"\[[\d.]*\]", "", where.strip("`").lstrip("."))
        wanted = re.search(r"(?:unknown|required) field `(\w+)`", said)
        field = field or (wanted.group(1) if wanted else "")
        parts = [str(path), place, f"field {field}" if field else "", said]
        raise ConfigError(": ".join(part for part in parts if part), hint=HINT) from error


def _merged(base: Table, more: Table) -> Table:
    """Lists united, terms of one name merged, single values replaced."""
    joined = base | {key: value for key, value in more.items() if not isinstance(value, list)}
    for key, value in more.items():
        if key == "terms":
            joined[key] = _merged_terms(base.get(key, []), value)
        elif isinstance(value, list):
            known, new = cast("list[object]", base.get(key, [])), cast("list[object]", value)
            # A user's rules come first: the first that fits is taken.
            first, second = (new, known) if key in ("sources", "routing") else (known, new)
            joined[key] = [*first, *(each for each in second if each not in first)]
    return joined


def _merged_terms(base: list[Table], more: list[Table]) -> list[Table]:
    terms = {term["name"]: term for term in base}
    for term in more:
        known = terms.get(term["name"])
        terms[term["name"]] = term if known is None else _merged(known, term)
    return list(terms.values())


def _refuse(path: Path, said: str) -> None:
    raise ConfigError(f"{path}: {said}", hint=HINT)
