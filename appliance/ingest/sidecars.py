"""What lies beside a file and says what it is: side-cars for one file, rules for a folder.

    report.pdf.meta.toml    owner = "Legal"            for report.pdf alone
    assay.toml              [[rule]]                   for what lies below its folder
                            files = ["policies/**/*.md", "*.pdf"]
                            authority = "official"

Arrives: a file, and the folder that was named. Leaves: one MetadataChange. Of the rules that fit, the nearest
folder's win, inside one file the later ones; the side-car wins over all rules. A deny of any of them holds.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, cast

import msgspec

from appliance.domain import MetadataChange
from appliance.errors import RefusedFileError, UserError
from appliance.ingest.globs import fits

SIDECAR_SUFFIX = ".meta.toml"
RULES_NAME = "assay.toml"
_KEYS = ", ".join(MetadataChange.__struct_fields__)


class Rule(msgspec.Struct, frozen=True):
    """What an ``assay.toml`` says of the files that fit."""

    patterns: tuple[str, ...]
    change: MetadataChange


def is_description(name: str) -> bool:
    """Whether a file of this name describes others and is no document."""
    return name.endswith(SIDECAR_SUFFIX) or name == RULES_NAME


class Descriptions:
    """Reads each rule file once; made anew for every command."""

    def __init__(self) -> None:
        self._rules: Callable[[Path], tuple[Rule, ...]] = cache(_read_rules)

    def of(self, file: Path, root: Path) -> MetadataChange:
        """What side-car and rules say of ``file``, which lies in or below ``root``.

        Raises RefusedFileError (side-car) or UserError (rules) that names the file and the key at fault.
        """
        change = MetadataChange()
        for folder in _folders(file, root):
            relative = PurePosixPath(file.relative_to(folder).as_posix())
            for rule in self._rules(folder / RULES_NAME):
                if any(fits(relative, pattern) for pattern in rule.patterns):
                    change = rule.change.over(change)
        return _read_sidecar(file.with_name(file.name + SIDECAR_SUFFIX)).over(change)


def _folders(file: Path, root: Path) -> list[Path]:
    """From the named folder down to the file's own; a file that was named itself has only its own."""
    below = [folder for folder in file.parents if folder == root or root in folder.parents]
    return below[::-1] or [file.parent]


def _read_sidecar(path: Path) -> MetadataChange:
    return _converted(_read_toml(path), path, "$") if path.is_file() else MetadataChange()


def _read_rules(path: Path) -> tuple[Rule, ...]:
    try:
        return _rules(path) if path.is_file() else ()
    except RefusedFileError as error:
        # Not the fault of one file: without its rules, nothing of the folder may come in.
        raise UserError(error.message, hint=error.hint) from error


def _rules(path: Path) -> tuple[Rule, ...]:
    content = _read_toml(path)
    rules = content.pop("rule", None)
    if content or not isinstance(rules, list):
        wrong = f"unknown key {min(content)!r}" if content else "no [[rule]] in it"
        raise RefusedFileError(f"{path}: {wrong}", hint="write tables [[rule]] with files = [patterns]")
    return tuple(
        _rule(each, path, f"$.rule[{at}]") for at, each in enumerate(cast("list[dict[str, Any]]", rules))
    )


def _rule(table: dict[str, Any], path: Path, place: str) -> Rule:
    fields = dict(table)
    try:
        patterns = msgspec.convert(fields.pop("files", None), tuple[str, ...])
    except msgspec.ValidationError as error:
        raise RefusedFileError(
            f"{path}: {place}.files must be a list of patterns", hint='for example files = ["**/*.pdf"]'
        ) from error
    return Rule(patterns, _converted(fields, path, place))


def _converted(fields: dict[str, Any], path: Path, place: str) -> MetadataChange:
    # TOML has dates of its own: they may be written with and without quotation marks.
    plain = {key: str(value) if hasattr(value, "isoformat") else value for key, value in fields.items()}
    try:
        return msgspec.convert(plain, MetadataChange)
    except msgspec.ValidationError as error:
        text = str(error)
        where = "" if "`$" in text else f" - at `{place}`"
        said = text.replace("`$", f"`{place}")
        raise RefusedFileError(f"{path}: {said}{where}", hint=f"the keys are {_KEYS}") from error


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RefusedFileError(f"{path}: {error}", hint="the file must be TOML in UTF-8") from error
    except OSError as error:
        raise RefusedFileError(f"{path}: {error.strerror}", hint="check its permissions") from error
