"""Bytes of a text file to characters: a byte order mark, UTF-8, GB18030, Big5, then a statistical guess."""

from __future__ import annotations

import codecs
import re

from appliance.errors import RefusedFileError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")
_REMOVED = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u2060\ufeff\ufffe\uffff]")
_LINE_ENDS = re.compile(r"\r\n?|\x85|\u2028|\u2029|\x0b")
_FREQUENT = frozenset(
    "的一是不了在人有我他这这這个個们們中来來上大为為和国國地到以说說时時要就出会會可也你对對生能而子那得于於着下自之年"
    "过過发發后後作里用道行所然家种種事成方多经經么麼去法学學如都同现現当當没沒动動面起看定天分还還进進好小部其些主样樣理"
    "公司月日本报報告数據据与與及第产產品业業市场場金额額"
)
SAMPLE_BYTES = 65_536
_UTF8_HINT = "save it as UTF-8"


def decode_text(data: bytes, name: str) -> str:
    """The text of ``data``, with Unix line ends; control and invisible characters removed.

    Raises RefusedFileError when it is binary data or in an encoding that cannot be told.
    """
    text = _decoded(data, name)
    if len(_CONTROL.findall(text[:SAMPLE_BYTES])) * 100 > min(len(text), SAMPLE_BYTES):
        raise _binary(name)
    return clean_text(text)


def clean_text(text: str) -> str:
    """``text`` with Unix line ends, plain spaces for no-break ones, and nothing invisible in it."""
    text = _LINE_ENDS.sub("\n", text)
    return _REMOVED.sub("", text).replace("\xa0", " ").replace("\u202f", " ").replace("\f", "\n\n")


def looks_like_text(head: bytes) -> bool:
    """Whether the first bytes of a file are text in some encoding."""
    if any(head.startswith(mark) for mark, _ in _MARKS):
        return True
    if b"\x00" in head:
        return False
    controls = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in head)
    if controls * 50 > len(head):
        return False
    try:
        codecs.getincrementaldecoder("utf-8")("strict").decode(head)
    except UnicodeDecodeError:
        return _best_chinese(head[:4096]) is not None or _guessed(head[:4096]) is not None
    return True


def _decoded(data: bytes, name: str) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return data.decode(encoding)
            except UnicodeDecodeError as error:
                raise _unreadable(name, f"its byte order mark says {encoding}, but {error.reason}") from error
    if b"\x00" in data:
        raise _binary(name)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        encoding = _best_chinese(data[:SAMPLE_BYTES]) or _guessed(data[:SAMPLE_BYTES])
        if encoding is None:
            raise _unreadable(name, "its character encoding is not known") from error
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise _unreadable(name, f"it looks like {encoding}, but byte {error.start} does not fit") from error


def _best_chinese(sample: bytes) -> str | None:
    """GB18030 or Big5, whichever reads the sample as frequent characters; None for neither."""
    scored = [(_chinese_share(sample, encoding), encoding) for encoding in ("gb18030", "big5hkscs")]
    share, encoding = max(scored, key=lambda pair: pair[0])
    return encoding if share >= 0.08 else None


def _chinese_share(sample: bytes, encoding: str) -> float:
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    try:
        text = decoder.decode(sample)
    except UnicodeDecodeError:
        return 0.0
    han = [character for character in text if "\u3400" <= character <= "\u9fff"]
    wide = sum(ord(character) > 127 for character in text)
    if not han or len(han) * 2 < wide:
        return 0.0
    return sum(character in _FREQUENT for character in han) / len(han)


def _guessed(sample: bytes) -> str | None:
    from charset_normalizer import from_bytes

    best = from_bytes(
        sample, cp_isolation=["cp1252", "cp1251", "cp1253", "shift_jis", "euc_jp", "euc_kr"]
    ).best()
    return None if best is None else best.encoding


def _binary(name: str) -> RefusedFileError:
    return RefusedFileError(
        f"{name} is binary data, not text", hint=f"if it is text in UTF-16 without a mark, {_UTF8_HINT}"
    )


def _unreadable(name: str, why: str) -> RefusedFileError:
    return RefusedFileError(f"{name} cannot be read as text: {why}", hint=_UTF8_HINT)
