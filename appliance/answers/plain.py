"""Text of documents and models as it may be put to a model or shown: plain words, no link, no mark of ours.

A page that renders an answer must find nothing to render in it: no link or picture that a document chose, no
number that looks like one of our citations, no character that hides or reorders others. Pure functions.
"""

from __future__ import annotations

import html
import re
import unicodedata

import msgspec

from appliance.domain import Answer, Claim, Finding

_IMAGE_OR_LINK = re.compile(r"!?\[([^\[\]]{0,400})\]\s?\((?:[^()\s]|\([^()\s]*\)|\s)*\)")
_REFERENCE_LINK = re.compile(r"!?\[([^\[\]]{1,400})\]\[[^\[\]]{0,100}\]")
_DEFINITION = re.compile(r"^\s{0,3}\[[^\[\]]{1,100}\]:\s*\S+.*$", re.MULTILINE)
_AUTOLINK = re.compile(r"<((?:[a-z][a-z0-9+.-]{1,20}:)[^<>\s]*)>", re.IGNORECASE)
_UNSEEN = re.compile(r"<(script|style|template|noscript|iframe|object)\b[^>]*>.*?(?:</\1\s*>|$)", re.I | re.S)
_TAG = re.compile(r"<!--.*?(?:-->|$)|</?[a-z][^<>]{0,2000}>|<[!?][^<>]*>", re.I | re.S)
_SCHEME = re.compile(
    r"(?<![a-z0-9+.-])(?:(?:https?|ftp|wss?|file)\s*:\s*//+|(?:javascript|vbscript|blob):(?=\S)|"
    r"data:(?=[a-z]+/)|mailto:(?=\S+@))",
    re.I,
)
_CONTROL = re.compile(r"<\|[^|<>]{1,40}\|>|\[/?INST\]|<</?SYS>>|<\||\|>")
_OUR_MARK = re.compile(r"\s?\[\^?\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\](?![\w(\[])|【\d{1,3}[^【】]{0,20}】")
_FINGERPRINT = re.compile(r"(?<![A-Za-z0-9])d-[0-9a-f]{16}#[^#\n]{0,400}#[0-9a-f]{64}(?:~\d+)?")
_SELECTORS = re.compile(r"[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_JOINED = re.compile(r"[\u0600-\u0dff\u1780-\u17ff]")
"""Scripts that are written with joiners."""
ROUNDS = 4
"""Markup may be hidden in entities and in markup; after so many rounds the brackets themselves go."""


def plain(text: str) -> str:
    """Return the text without links, pictures, tags, control tokens and unseen characters; lines stay lines.

    A link leaves its words, an address its host and path without a scheme: a fact remains readable, and
    nothing is there to be clicked or fetched.
    """
    for _ in range(ROUNDS):
        before = text
        text = _unescaped(_seen(text))
        text = _UNSEEN.sub(" ", text)
        text = _DEFINITION.sub("", text)
        text = _AUTOLINK.sub(r"\1", text)
        text = _REFERENCE_LINK.sub(r"\1", _IMAGE_OR_LINK.sub(r"\1", text))
        text = _CONTROL.sub(" ", _TAG.sub(" ", text))
        text = _SCHEME.sub("", text)
        if text == before:
            break
    else:
        text = re.sub(r"[<>\[\]]", " ", text)
    return "\n".join(" ".join(line.split()) for line in text.split("\n")).strip()


def shown(text: str) -> str:
    """Return :func:`plain` text on one line without anything that looks like a citation of ours."""
    return " ".join(_FINGERPRINT.sub("", _OUR_MARK.sub("", plain(text))).split())


def shown_finding(finding: Finding) -> Finding:
    """Return the finding with its words as they may be shown; quotes stay as they stand in the passage."""
    if not finding.found:
        return finding
    return msgspec.structs.replace(
        finding,
        answer=shown(finding.answer),
        others=tuple(shown(each) for each in finding.others),
        claims=tuple(shown_claim(each) for each in finding.claims),
    )


def shown_answer(answer: Answer) -> Answer:
    """Return the answer with all its words as they may be shown."""
    sides = [
        msgspec.structs.replace(
            each,
            about=shown(each.about),
            sides=tuple(shown_claim(side) for side in each.sides),
            values=tuple(shown(value) for value in each.values),
        )
        for each in answer.contradictions
    ]
    return msgspec.structs.replace(
        answer,
        answer=shown(answer.answer),
        short=shown(answer.short),
        unconfirmed=tuple(shown(text) for text in answer.unconfirmed),
        claims=tuple(shown_claim(each) for each in answer.claims),
        missing=tuple(shown(each) for each in answer.missing),
        contradictions=tuple(sides),
    )


def shown_claim(claim: Claim) -> Claim:
    """Return the claim with its text as it may be shown."""
    return msgspec.structs.replace(claim, text=shown(claim.text))


def _unescaped(text: str) -> str:
    """Entities as characters, where they hide markup; ``&amp;`` in a name stays what it says either way."""
    return html.unescape(text) if "&" in text and ";" in text else text


def _seen(text: str) -> str:
    """The text without what cannot be seen: bidirectional and zero-width controls, tags, variation marks."""
    kept: list[str] = []
    for char in _SELECTORS.sub("", text):
        kind = unicodedata.category(char)
        if char in "\u2028\u2029\x85\x0b\x0c\r" or (kind == "Cc" and char not in "\n\t"):
            kept.append(" ")
        elif kind not in ("Cf", "Cs", "Co") or (char in "\u200c\u200d" and kept and _JOINED.match(kept[-1])):
            kept.append(char)
    return "".join(kept)
