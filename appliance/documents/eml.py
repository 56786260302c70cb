"""E-mail (RFC 822): subject, people and date as metadata, the body as text; attachments as members.

Only the standard library reads the message; bodies go through the text and HTML parsers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import policy
from email.errors import MessageError
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import getaddresses, parsedate_to_datetime

from appliance.documents.charset import clean_text, decode_text
from appliance.documents.detect import Format
from appliance.documents.html import read_html
from appliance.documents.outline import About, Outline, squeeze
from appliance.documents.text import read_text
from appliance.domain import ParsedDocument
from appliance.errors import RefusedFileError

_HEADERS = ("from", "to", "cc", "date", "message-id", "in-reply-to")
_READING = (LookupError, ValueError, AttributeError, TypeError, IndexError, MessageError, AssertionError)
"""What the standard library raises on headers and parts that are wrong in one way or another."""
MAX_META_CHARS = 1_000
MAX_PARTS = 1_000


def parse_eml(data: bytes, name: str) -> ParsedDocument:
    """Subject and body of a message. Raises RefusedFileError when it is none."""
    message = read_message(data, name)
    meta = {key: found for key in _HEADERS if (found := header(message, key))}
    if not meta.keys() & {"from", "date", "message-id"} and not header(message, "subject"):
        raise RefusedFileError(f"{name} is not an e-mail: it has no headers", hint="rename it to .txt")
    warnings: list[str] = []
    outline = _body(message, warnings)
    subject = header(message, "subject")
    if not outline.sections():
        outline.block(subject)
    names = tuple(
        shown or address for shown, address in getaddresses([meta.get("from", "")]) if shown or address
    )
    return outline.document(
        About(
            name=name,
            format=Format.EML,
            title=subject,
            title_from="subject",
            stated_dates=[(date, "date header")] if (date := _sent(message)) else [],
            authors=names,
            authors_from="from header" if names else "",
            meta=meta,
            warnings=warnings,
        )
    )


def read_message(data: bytes, name: str) -> EmailMessage:
    """The message of an .eml file. Raises RefusedFileError when it cannot be read at all."""
    try:
        message = BytesParser(policy=policy.default).parsebytes(data)
    except (*_READING, RecursionError) as error:
        raise RefusedFileError(
            f"{name} is damaged: it cannot be read as an e-mail", hint="export it again"
        ) from error
    return message


def header(message: EmailMessage, key: str) -> str:
    """A header on one line, "" where there is none or it is damaged."""
    try:
        return squeeze(clean_text(str(message.get(key) or "")))[:MAX_META_CHARS]
    except _READING:
        return ""


def attachments(message: EmailMessage) -> Iterator[tuple[str, bytes | None]]:
    """(name, content) of each attached file and forwarded message; None for one that cannot be decoded.

    Pictures shown inside the text are no attachments.
    """
    shown = _shown_pictures(message)
    for number, part in enumerate(_leaves(message, 0), 1):
        try:
            if str(part.get("content-id") or "").strip().strip("<>") in shown:
                continue
            forwarded = part.get_content_type() == "message/rfc822"
            name = part.get_filename() or ""
            if forwarded:
                inner = part.get_content()
                name = name or f"{header(inner, 'subject')[:80] or f'message {number}'}.eml"
                yield name, inner.as_bytes()
            elif name or part.get_content_disposition() == "attachment":
                content = part.get_content()
                found = content.encode("utf-8") if isinstance(content, str) else bytes(content)
                yield name or f"attachment {number}", found
        except (*_READING, RecursionError):
            yield f"attachment {number}", None


def _shown_pictures(message: EmailMessage) -> frozenset[str]:
    """Content ids of the pictures that the HTML body shows."""
    try:
        body = message.get_body(("html",))
        text = str(body.get_content()) if isinstance(body, EmailMessage) else ""
    except (*_READING, RecursionError):
        return frozenset()
    return frozenset(re.findall(r"cid:([^\s\"'<>)]+)", text))


def _leaves(message: EmailMessage, depth: int) -> Iterator[EmailMessage]:
    """The parts that hold something, forwarded messages whole."""
    if depth > 20:
        return
    if message.get_content_maintype() != "multipart":
        if depth:
            yield message
        return
    for number, part in enumerate(message.iter_parts()):
        if number < MAX_PARTS and isinstance(part, EmailMessage):
            yield from _leaves(part, depth + 1)


def _body(message: EmailMessage, warnings: list[str]) -> Outline:
    """The HTML body where it has a table or there is no other, else the plain one."""
    try:
        plain, rich = message.get_body(("plain",)), message.get_body(("html",))
    except (*_READING, RecursionError):
        plain = rich = None
    from_html = Outline()
    if isinstance(rich, EmailMessage) and (text := _content(rich, warnings)):
        read_html(text, from_html)
    has_table = any(block.table for section in from_html.sections() for block in section.blocks)
    text = _content(plain, warnings) if isinstance(plain, EmailMessage) and not has_table else ""
    return read_text(clean_text(text))[0] if text.strip() else from_html


def _content(part: EmailMessage, warnings: list[str]) -> str:
    try:
        return clean_text(part.get_content())
    except _READING:
        pass
    try:
        return decode_text(part.get_payload(decode=True) or b"", "the body")  # type: ignore[arg-type]
    except (*_READING, RefusedFileError) as error:
        warnings.append(f"a body was not read: {' '.join(str(error).split())[:120]}")
        return ""


def _sent(message: EmailMessage) -> str:
    try:
        return parsedate_to_datetime(header(message, "date")).date().isoformat()
    except _READING:
        return ""
