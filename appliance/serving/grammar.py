r"""From a msgspec type to a GBNF grammar: compact JSON of that type and nothing else.

Arrives: a msgspec type. Leaves: the grammar text for llama.cpp. Keys come in the order of the fields,
there is no whitespace between tokens, text is raw UTF-8 (the only escapes are ``\" \\ \n \t``).
A schema keyword that the grammar cannot hold a model to is refused, never ignored.
Syntax: llama.cpp, grammars/README.md.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import msgspec

Node = dict[str, Any]
TEXT_MAX = 2000
"""llama.cpp unrolls bounded repetitions; a longer (or no) bound on a text becomes this one."""
_DIGITS = 15
_RANGE_MAX = 200
"""An integer range up to this size is spelled out; a larger one is left to the parser of the reply."""
_IGNORED = {"title", "description", "default", "examples", "discriminator"}
_TERMINALS = {
    "char": r'[^"\\\x00-\x1F\x7F] | "\\" ["\\nt]',
    "digits": rf'"0" | [1-9] [0-9]{{0,{_DIGITS - 1}}}',
    "fraction": rf'"." [0-9]{{1,{_DIGITS}}}',
}


@cache
def grammar_of(schema: type[object]) -> str:
    """The GBNF of JSON of this type. Raises TypeError for a type that a grammar cannot express."""
    return _Grammar(msgspec.json.schema(schema)).text()


class _Grammar:
    """The rules, collected while the schema is walked."""

    def __init__(self, schema: Node) -> None:
        self._definitions: Node = schema.get("$defs", {})
        self._names: dict[str, str] = {}
        self._rules: dict[str, str] = {}
        root = self._expression({key: value for key, value in schema.items() if key != "$defs"})
        self._rules = {"root": root, **self._rules, **_TERMINALS}

    def text(self) -> str:
        return "\n".join(f"{name} ::= {body}" for name, body in self._rules.items()) + "\n"

    def _rule(self, stem: str, body: str) -> str:
        name = f"{stem}-{len(self._rules)}"
        self._rules[name] = body
        return name

    def _expression(self, node: Node) -> str:
        if "$ref" in node:
            return self._reference(node["$ref"])
        if "const" in node:
            return _literal(node["const"])
        if "enum" in node:
            return _alternatives([_literal(value) for value in node["enum"]])
        if "anyOf" in node:
            _known(node, {"anyOf"})
            return _alternatives([self._expression(one) for one in node["anyOf"]])
        kinds = {
            "object": self._object,
            "array": self._array,
            "string": _string,
            "integer": _integer,
            "number": _number,
            "boolean": _boolean,
            "null": _null,
        }
        if node.get("type") not in kinds:
            raise TypeError(f"no grammar for a value of any kind: {node}")
        return kinds[node["type"]](node)

    def _reference(self, reference: str) -> str:
        """A named rule for each definition, so that types may hold themselves."""
        key = reference.rsplit("/", 1)[-1]
        if key not in self._names:
            name = self._names[key] = f"type-{len(self._names)}"
            self._rules[name] = ""
            self._rules[name] = self._expression(self._definitions[key])
        return self._names[key]

    def _object(self, node: Node) -> str:
        if "properties" not in node:
            return self._mapping(node)
        _known(node, {"type", "properties", "required", "additionalProperties"})
        required = set(node.get("required", ()))
        fields = [
            (f"{_literal(name, ':')} {self._expression(value)}", name in required)
            for name, value in node["properties"].items()
        ]
        tail = {True: '"}"', False: '"}"'}
        for pair, needed in reversed(fields):
            begin, follow = f"{pair} {tail[False]}", f'"," {pair} {tail[False]}'
            if not needed:
                begin, follow = f"({begin} | {tail[True]})", f"({follow} | {tail[False]})"
            tail = {True: begin, False: self._rule("fields", follow)}
        return f'"{{" {tail[True]}'

    def _mapping(self, node: Node) -> str:
        _known(node, {"type", "additionalProperties", "minProperties", "maxProperties"})
        pair = self._rule(
            "pair", f'"\\"" char{{1,100}} "\\":" {self._expression(node["additionalProperties"])}'
        )
        return f'"{{" {_repeated(pair, node.get("minProperties", 0), node.get("maxProperties"))} "}}"'

    def _array(self, node: Node) -> str:
        _known(node, {"type", "items", "prefixItems", "minItems", "maxItems"})
        if node.get("prefixItems"):
            if node.get("minItems") != len(node["prefixItems"]) or node.get("items"):
                raise TypeError(f"no grammar for a list of optional places: {node}")
            return '"[" ' + ' "," '.join(self._expression(item) for item in node["prefixItems"]) + ' "]"'
        if not node.get("items"):
            raise TypeError(f"no grammar for a list of anything: {node}")
        item = self._rule("item", self._expression(node["items"]))
        return f'"[" {_repeated(item, node.get("minItems", 0), node.get("maxItems"))} "]"'


def _known(node: Node, keys: set[str]) -> None:
    unknown = node.keys() - keys - _IGNORED
    if unknown:
        raise TypeError(f"no grammar for the keyword {', '.join(sorted(unknown))} in {node}")


def _literal(value: object, suffix: str = "") -> str:
    """A GBNF string that matches the value's JSON, Chinese as it is."""
    text = json.dumps(value, ensure_ascii=False) + suffix
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _alternatives(options: list[str]) -> str:
    return options[0] if len(options) == 1 else f"({' | '.join(options)})"


def _repeated(item: str, least: int, most: int | None) -> str:
    """``least`` to ``most`` items with commas between."""
    if most == 0:
        return ""
    bounds = f"{max(least - 1, 0)},{'' if most is None else most - 1}"
    some = f'{item} ("," {item}){{{bounds}}}'
    return some if least else f"({some})?"


def _string(node: Node) -> str:
    _known(node, {"type", "minLength", "maxLength"})
    least, most = node.get("minLength", 0), min(node.get("maxLength", TEXT_MAX), TEXT_MAX)
    if least > most:
        raise TypeError(f"no grammar for a text of at least {least} characters")
    return f'"\\"" char{{{least},{most}}} "\\""'


def _integer(node: Node) -> str:
    _known(node, {"type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})
    least = node.get("minimum", node["exclusiveMinimum"] + 1 if "exclusiveMinimum" in node else None)
    most = node.get("maximum", node["exclusiveMaximum"] - 1 if "exclusiveMaximum" in node else None)
    if least is not None and most is not None and 0 <= most - least < _RANGE_MAX:
        return _alternatives([f'"{number}"' for number in range(least, most + 1)])
    return "digits" if least is not None and least >= 0 else '"-"? digits'


def _number(node: Node) -> str:
    _known(node, {"type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})
    least = node.get("minimum", node.get("exclusiveMinimum"))
    return "digits fraction?" if least is not None and least >= 0 else '"-"? digits fraction?'


def _boolean(_: Node) -> str:
    return '("true" | "false")'


def _null(_: Node) -> str:
    return '"null"'
