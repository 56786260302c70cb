"""What may be wrong with an HTTP answer, and what to tell the administrator about it.

Arrives: a response of a search service. Leaves: its JSON, or an error in our words.
"""

from __future__ import annotations

import httpcore
import msgspec

from appliance.errors import BusyError, ExternalError

JSON_HINT = "check connectors.sources.url; SearXNG answers JSON only where its settings.yml lists that format"
CHARSETS = frozenset("utf-8 utf8 us-ascii ascii iso-8859-1 windows-1252 gbk gb2312 gb18030 big5".split())


def header(response: httpcore.Response, name: bytes) -> str:
    """The header's value; empty where there is none."""
    found = (value for key, value in response.headers if key.lower() == name)
    return next(found, b"").decode("latin-1").strip()


def check_status(response: httpcore.Response) -> None:
    """Nothing for a success. Raises BusyError, ExternalError with what to do about the status."""
    status = response.status
    if 200 <= status < 300:
        return
    if status in (401, 403):
        raise ExternalError(
            f"it refuses the caller (status {status})",
            hint="check key_env, key_scheme and the key; for SearXNG, that its settings.yml lists json",
        )
    if status == 429:
        wait = header(response, b"retry-after")
        later = f"in {wait} s" if wait.isdecimal() and len(wait) < 6 else "later"
        raise BusyError("its limit of calls is reached (status 429)", hint=f"ask again {later}")
    if status >= 500:
        raise ExternalError(
            f"it failed (status {status})", hint="its own log says why; ask again later", retryable=True
        )
    raise ExternalError(
        f"it does not take the search (status {status})",
        hint="check url, index, params and body of the source",
    )


def check_content(response: httpcore.Response) -> None:
    """Nothing for JSON sent as it is. Raises ExternalError: a web page, another type, compressed."""
    if encoding := header(response, b"content-encoding").lower().replace("identity", ""):
        shown = "".join(char for char in encoding if char.isalnum())[:20]
        raise ExternalError(
            f"its answer is compressed ({shown}), though that was not asked for", hint="switch that off there"
        )
    kind = header(response, b"content-type").partition(";")[0].strip().lower()
    if kind in ("text/html", "application/xhtml+xml"):
        raise ExternalError("it answers with a web page instead of JSON", hint=JSON_HINT)
    if kind and kind != "text/plain" and not kind.endswith(("/json", "+json")):
        raise ExternalError("its answer is of another type than JSON", hint=JSON_HINT)


def as_utf8(response: httpcore.Response, body: bytes) -> bytes:
    """The body in UTF-8 without a byte-order mark, from whatever character set its header names.

    Raises ExternalError.
    """
    found = header(response, b"content-type").lower().partition("charset=")[2]
    charset = found.partition(";")[0].strip(" \"'").replace("_", "-") or "utf-8"
    if charset not in CHARSETS:
        raise ExternalError("its answer is in an unknown character set", hint="let it answer in UTF-8")
    try:
        return body.decode("utf-8-sig" if charset in ("utf-8", "utf8") else charset).encode()
    except UnicodeError as error:
        raise ExternalError("its answer is not in the character set it claims", hint=JSON_HINT) from error


def decoded(body: bytes) -> object:
    """The JSON. Raises ExternalError."""
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ExternalError("its answer is not valid JSON", hint=JSON_HINT) from error
