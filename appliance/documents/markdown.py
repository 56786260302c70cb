# pyright: basic
"""Markdown: front matter, headings, paragraphs as plain words, lists, code, tables (as Markdown rows)."""

from __future__ import annotations

import datetime
import re
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from appliance.documents.authors import split_names
from appliance.documents.charset import decode_text
from appliance.documents.detect import Format
from appliance.documents.lines import join_lines
from appliance.documents.outline import About, Outline
from appliance.documents.table_headers import header_column_count, tidy_rows, unit_of
from appliance.domain import BlockKind, ParsedDocument, Table

_FRONT_MATTER = re.compile(r"\A(?P<fence>---|\+\+\+)[ \t]*\n(?P<body>.*?)\n(?P=fence)[ \t]*(?:\n|\Z)", re.S)
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_BREAK = re.compile(r"<br\s*/?>", re.I)
DATE_KEYS = (
    "published", "publish_date", "published_at", "pubdate",
    "date", "release_date", "created", "updated", "effective_date", "last_updated", 
    "发布时间", "发布日期", "日期",
)  # fmt: skip
AUTHOR_KEYS = ("author", "authors", "作者")
FRONT_MATTER_BYTES = 65_536
_PARSER = MarkdownIt("commonmark", {"maxNesting": 20}).enable("table")
_HEADING = re.compile(r"^#{1,6}[ \t]+\S", re.M)
_TABLE = re.compile(r"^\|?[ \t]*:?-{3,}:?[ \t]*\|[-:| \t]*$", re.M)
_TAGGED_HEADING = re.compile(r"^<[A-Za-z_]+/?>[ \t]*(?=#{1,6}[ \t])", re.M)
_TIGHT_HEADING = re.compile(r"^(#{1,6})(?=[一-鿿【（《“][^#\n]*$)", re.M)
"""Chinese writers leave the space after ``#`` out; a second ``#`` would make it a hashtag."""


def has_markdown_headings(text: str) -> bool:
    """Whether the text has at least one ``# heading`` line."""
    return _HEADING.search(text) is not None


def has_markdown_table(text: str) -> bool:
    """Whether the text has a Markdown table's separator row."""
    return _TABLE.search(text) is not None


def parse_markdown(data: bytes, name: str) -> ParsedDocument:
    """The sections of a Markdown file. Raises RefusedFileError (binary, unknown encoding, no text)."""
    text = decode_text(data, name)
    meta, text, warnings = _front_matter(text)
    dates = [(meta[key], "front matter") for key in DATE_KEYS if meta.get(key)]
    authors = split_names(next((meta[key] for key in AUTHOR_KEYS if meta.get(key)), ""))
    about = About(
        name=name,
        format=Format.MARKDOWN,
        title=meta.get("title", ""),
        title_from="front matter",
        authors=authors,
        authors_from="front matter" if authors else "",
        stated_dates=dates,
        meta=meta,
        warnings=warnings,
    )
    return read_markdown(text).document(about)


def read_markdown(text: str) -> Outline:
    """An outline of Markdown text without front matter."""
    outline = Outline()
    text = _TIGHT_HEADING.sub(r"\1 ", _TAGGED_HEADING.sub("", _COMMENT.sub("", text)))
    _Walker(outline, _PARSER.parse(text)).run()
    return outline


def _front_matter(text: str) -> tuple[dict[str, str], str, list[str]]:
    match = _FRONT_MATTER.match(text[: FRONT_MATTER_BYTES * 2])
    if match is None:
        return {}, text, []
    try:
        values = _loaded(match["fence"], match["body"])
    except ValueError as error:
        return {}, text, [f"the front matter was kept as text: {' '.join(str(error).split())[:120]}"]
    meta = {
        str(key).strip().lower(): "; ".join(map(str, value)) if isinstance(value, list) else str(value)
        for key, value in values.items()
        if isinstance(value, str | int | float | list)
    }
    return meta, text[match.end() :], []


def _loaded(fence: str, body: str) -> dict[str, Any]:
    if fence == "+++":
        import tomllib

        return {key: _plain(value) for key, value in tomllib.loads(body).items()}
    import yaml

    try:
        loaded = yaml.safe_load(body)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error
    if not isinstance(loaded, dict):
        raise ValueError("it is not a list of keys and values")
    return {key: _plain(value) for key, value in loaded.items()}


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime.date) else value


class _Walker:
    """Goes through block tokens once; lists and tables are read as a whole."""

    def __init__(self, outline: Outline, tokens: list[Token]) -> None:
        self.outline = outline
        self.tokens = tokens
        self.at = 0

    def run(self) -> None:
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            if token.type == "heading_open":
                self._heading(token)
            elif token.type in ("bullet_list_open", "ordered_list_open"):
                self.outline.block("\n".join(self._list(token, 0)), BlockKind.LIST)
            elif token.type == "table_open":
                self.outline.table(self._table())
            elif token.type in ("fence", "code_block"):
                self.outline.block(token.content, BlockKind.CODE)
            elif token.type == "html_block":
                self._html(token.content)
            elif token.type == "inline":
                self.outline.block(plain_inline(token))

    def _heading(self, token: Token) -> None:
        title = plain_inline(self.tokens[self.at])
        if token.level:
            self.outline.block(title)
        else:
            self.outline.heading(int(token.tag[1:]), title)
        self.at += 2

    def _html(self, content: str) -> None:
        if "<table" in content.lower():
            from appliance.documents.html import read_fragment

            read_fragment(content, self.outline)
        else:
            self.outline.block(_TAG.sub("", _BREAK.sub("\n", content)))

    def _list(self, opening: Token, depth: int) -> list[str]:
        lines: list[str] = []
        number = int(opening.attrGet("start") or 1)
        closing = opening.type.replace("_open", "_close")
        marker = ""
        while (token := self.tokens[self.at]).type != closing or token.level != opening.level:
            self.at += 1
            if token.type == "list_item_open":
                marker = f"{number}. " if opening.type == "ordered_list_open" else "- "
                number += 1
            elif token.type in ("bullet_list_open", "ordered_list_open"):
                lines += self._list(token, depth + 1)
            elif token.type == "inline":
                lines.append("  " * depth + (marker or "  ") + plain_inline(token))
                marker = ""
            elif token.type in ("fence", "code_block"):
                lines += ["  " * depth + "  " + line for line in token.content.rstrip().split("\n")]
        self.at += 1
        return lines

    def _table(self) -> Table:
        rows = tidy_rows(self._rows())
        return Table(
            rows=rows, header_columns=header_column_count(rows), unit=unit_of(rows[0][0]) if rows else ""
        )

    def _rows(self) -> list[list[str]]:
        rows: list[list[str]] = []
        while (token := self.tokens[self.at]).type != "table_close":
            self.at += 1
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(plain_inline(token))
        self.at += 1
        return rows


def plain_inline(token: Token) -> str:
    """The words of inline Markdown: links and emphasis without their signs, pictures left out."""
    lines = [""]
    for child in token.children or []:
        if child.type in ("text", "code_inline"):
            lines[-1] += child.content
        elif child.type == "softbreak":
            lines.append("")
        elif child.type == "hardbreak" or (child.type == "html_inline" and _BREAK.match(child.content)):
            lines += ["\n", ""]
    parts: list[list[str]] = [[]]
    for line in lines:
        if line == "\n":
            parts.append([])
        else:
            parts[-1].append(line)
    return "\n".join(filter(None, (join_lines(part) for part in parts)))
